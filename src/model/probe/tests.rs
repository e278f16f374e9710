use super::*;

#[test]
fn every_engine_is_measured() {
    for engine in Engine::usable() {
        let machine = probe(engine).unwrap();
        assert_eq!(machine.engine, engine.to_string());
        let times = [
            machine.launch,
            machine.round_trip,
            machine.latency,
            machine.cache_latency.unwrap(),
            machine.operation,
            machine.grid_barrier,
        ];
        assert!(times.iter().all(|t| *t > 0.0 && *t < 1.0), "{machine:?}");
        // From a slow interpreter to a machine far beyond today's.
        assert!((1e5..1e14).contains(&machine.bandwidth), "{machine:?}");
        assert!((1e5..1e16).contains(&machine.throughput), "{machine:?}");
        // All threads together do no less than one, but for what else runs on them.
        assert!(machine.throughput > 0.02 / machine.operation, "{machine:?}");
        assert!(machine.u() >= 1.0 && machine.z() >= 1024.0);
        assert_eq!(machine.upload.is_some(), machine.is_device());
        assert_eq!(machine.block_barrier.is_some(), machine.is_device());
        assert_eq!(machine.product.is_some(), machine.is_device());
        if let (Some(product), Some(products)) = (machine.product, machine.products) {
            assert!(product > 0.0 && product < 1.0, "{machine:?}");
            assert!((1e5..1e16).contains(&products), "{machine:?}");
        }
        let text = serde_json::to_string(&machine).unwrap();
        let read: Machine = serde_json::from_str(&text).unwrap();
        assert_eq!(read.identity, machine.identity);
    }
}

#[test]
fn auto_is_a_machine_that_is_there() {
    assert_ne!(probe(Engine::Auto).unwrap().engine, "auto");
    assert!(probe(Engine::Cuda(977)).is_err());
}

#[test]
fn products_are_products() {
    for engine in Engine::usable() {
        if let Engine::Cuda(ordinal) = engine {
            let device = crate::cuda::device(ordinal).unwrap();
            for steps in [0, 1, 2, 1000] {
                let (found, expected) = cuda::products_of_a_thread(&device, steps).unwrap();
                assert_eq!(found, expected, "{engine} {steps}");
            }
        }
    }
}

#[test]
fn a_ring_is_one_cycle() {
    for lines in [2u64, 4, 64, 1 << 12] {
        let mut seen = vec![false; lines as usize];
        let mut at = 0;
        for _ in 0..lines {
            assert!(!std::mem::replace(&mut seen[at as usize], true));
            at = ring::next(at, lines);
        }
        assert_eq!(at, 0);
    }
}

#[test]
fn a_ring_for_memory_is_far_larger_than_the_cache() {
    let bytes = |lines: u64| lines * 8 * ring::LINE as u64;
    // No cache, that of two cores, of an H200, and of a server.
    for cache in [0, 36 << 20, 60 << 20, 504 << 20] {
        let large = bytes(ring::lines_for_memory(cache, 1 << 40));
        assert!(large >= 4 * cache && large >= 512 << 20);
        assert!(bytes(ring::lines_for_cache(cache)) <= (cache / 2).max(256));
    }
    // Where memory is short, a quarter of it.
    assert_eq!(bytes(ring::lines_for_memory(36 << 20, 256 << 20)), 64 << 20);
    assert_eq!(ring::lines_for_memory(36 << 20, 0), 2);
}

#[test]
fn walks_go_on_where_the_last_one_stopped() {
    let lines = 256;
    let place =
        |links: usize| (0..links).fold(0, |at, _| ring::next(at, lines)) * ring::LINE as u64;
    let mut host = cpu::Ring::new(lines);
    assert_eq!(host.walk(100), place(100));
    assert_eq!(host.walk(55), place(155));
    for engine in Engine::usable() {
        let Engine::Cuda(ordinal) = engine else {
            continue;
        };
        let device = devices::device(ordinal).unwrap();
        let module = device.module(&cuda::PROBE, &[]).unwrap();
        let fill = module.kernel(cuda::probe_ring).unwrap();
        let chase = module.kernel(cuda::probe_chase).unwrap();
        let ring = cuda::Chase::new(&device, lines, &fill, chase).unwrap();
        for (links, so_far) in [(100, 100), (55, 155), (101, 256)] {
            ring.walk(links).unwrap();
            assert_eq!(ring.place().unwrap(), place(so_far));
        }
    }
}
