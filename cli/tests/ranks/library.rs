//! The library's operations over ranks. A test starts this program under `mpirun`; the ranks then
//! run the ignored test beside it.

use bezout::cluster::Cluster;
use bezout::{Engine, Error, GcdAlgorithm, Int, engine::EXECUTOR};
use bezout_lab::model::Tuning;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{finished, mpirun};

/// Runs the ignored test of this name on so many ranks.
pub fn on_ranks(ranks: usize, test: &str) {
    let program = std::env::current_exe().unwrap();
    let count = ranks.to_string();
    let mut command = mpirun(&["-n", &count]);
    command
        .arg(program)
        .args(["--ignored", "--exact", "--test-threads=1", test]);
    let run = finished(command, "");
    assert_eq!(
        run.code,
        Some(0),
        "{ranks} ranks: {}{}",
        run.stdout,
        run.stderr
    );
    assert_eq!(
        run.stdout.matches("1 passed").count(),
        ranks,
        "{}",
        run.stdout
    );
}

#[test]
fn messages() {
    for ranks in [1, 2, 3, 4] {
        on_ranks(ranks, "library::rank_messages");
    }
}

#[test]
fn greatest_common_divisors() {
    for ranks in [1, 2, 3, 4] {
        on_ranks(ranks, "library::rank_gcds");
    }
}

#[test]
#[ignore = "a rank's part of `messages`"]
fn rank_messages() {
    let cluster = Cluster::start().unwrap();
    let (rank, size) = (cluster.rank(), cluster.size());
    for from in 0..size {
        for length in [0, 1, 1000, 3_000_000] {
            let mine = vec![rank as u8; length];
            let mut bytes = if rank == from {
                mine.clone()
            } else {
                vec![9; 5]
            };
            cluster.broadcast(from, &mut bytes);
            assert_eq!(bytes, vec![from as u8; length]);
            let all: Vec<Vec<u8>> = (0..size).map(|rank| vec![rank as u8; length]).collect();
            let gathered = cluster.gather(from, &mine);
            assert_eq!(gathered, (rank == from).then(|| all.clone()));
            assert_eq!(cluster.all_gather(&mine), all);
        }
        let mut words = [rank as u64, 1 << 63];
        cluster.broadcast_words(from, &mut words);
        assert_eq!(words, [from as u64, 1 << 63]);
    }
    assert_eq!(cluster.all_min(7 + rank as u64), 7);
    assert_eq!(cluster.all_or(1 << rank), (1 << size) - 1);
    assert_eq!(cluster.all_sum(rank as u64), (size * (size - 1) / 2) as u64);
    cluster.barrier();
    assert!(cluster.agree("nothing", "").is_ok());
    let other = cluster.agree("the rank", &rank.to_string());
    assert_eq!(other.is_err(), size > 1);
    assert!(cluster.local_rank() < cluster.local_size() && cluster.local_size() == size);
    queues(&cluster);
    Cluster::end();
}

fn queues(cluster: &Cluster) {
    // Items of very different lengths, more of them than are dealt ahead.
    let items = |count: u32| (0..count).map(|i| Ok(i.to_le_bytes().repeat(1 + i as usize % 7)));
    let number = |item: &[u8]| u32::from_le_bytes(item[..4].try_into().unwrap());
    let work = |item: &[u8]| {
        let i = number(item);
        if i.is_multiple_of(50) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Ok([item, &(3 * i).to_le_bytes()].concat())
    };
    for count in [0, 1, 2, 700] {
        let mut seen = Vec::new();
        let done = cluster.queue(items(count), work, |index, result| {
            seen.push((index, number(&result), number(&result[result.len() - 4..])));
            Ok(())
        });
        assert_eq!(done, Ok(()));
        let expected = (0..count)
            .map(|i| (u64::from(i), i, 3 * i))
            .collect::<Vec<_>>();
        assert_eq!(seen, if cluster.is_first() { expected } else { vec![] });
    }
    // An error of a rank, of an item and of what takes the results ends it on all ranks.
    let failing = |item: &[u8]| match number(item) {
        33 => Err(Error::DivisionByZero),
        _ => work(item),
    };
    let failed = cluster
        .queue(items(100), failing, |_, _| Ok(()))
        .unwrap_err();
    assert!(failed.to_string().ends_with("division by zero"), "{failed}");
    let broken = items(10).chain([Err(Error::Radix(99))]);
    let failed = cluster.queue(broken, work, |_, _| Ok(())).unwrap_err();
    assert!(failed.to_string().contains("radix 99"), "{failed}");
    let failed = cluster.queue(items(100), work, |index, _| match index {
        20 => Err(Error::Radix(20)),
        _ => Ok(()),
    });
    assert!(failed.unwrap_err().to_string().contains("radix 20"));
    cluster.barrier();
    let again = cluster.queue(items(40), work, |_, _| Ok(()));
    assert_eq!(again, Ok(()), "after errors");
}

#[test]
#[ignore = "a rank's part of `greatest_common_divisors`"]
fn rank_gcds() {
    let cluster = Cluster::start().unwrap();
    let executor = Engine::Cuda(EXECUTOR);
    let engines = if Engine::usable().contains(&executor) {
        vec![(Engine::Cpu, 4000), (executor, 600)]
    } else {
        vec![(Engine::Cpu, 4000)]
    };
    for (engine, bits) in engines {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            tuning.scope(|| engine.scope(|| all_kinds(&cluster, bits)));
        }
    }
    // Long enough that steps are applied in several portions, and that blocks are dealt by speed.
    Engine::Cpu.scope(|| {
        check(
            &cluster,
            &[GcdAlgorithm::Lattice],
            "portions",
            pair(200_000, 9000, 6),
        );
    });
    // Ranks need not have the same engine.
    if cluster.rank() == 1 {
        executor.set_default();
    } else {
        Engine::Cpu.set_default();
    }
    check(&cluster, &BOTH, "engines", pair(3000, 400, 5));
    Cluster::end();
}

fn random(bits: u64, seed: u64) -> Int {
    Int::random_bits(bits, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
}

/// Numbers of so many bits with a factor of `common` bits.
fn pair(bits: u64, common: u64, seed: u64) -> (Int, Int) {
    let g = random(common, seed);
    let [a, b] = [1, 2].map(|i| random(bits - common, seed + i));
    (a * &g, b * g)
}

/// The algorithms that spread over ranks.
const BOTH: [GcdAlgorithm; 2] = [GcdAlgorithm::Lattice, GcdAlgorithm::Weber];

fn all_kinds(cluster: &Cluster, n: u64) {
    let test = |what: &str, a: Int, b: Int| check(cluster, &BOTH, what, (a, b));
    test("random", random(n, 1), random(n, 2));
    test("zero", random(n, 1), Int::ZERO);
    test("zeros", Int::ZERO, Int::ZERO);
    test("equal", random(n, 3), random(n, 3));
    test("opposite", random(n, 3), -random(n, 3));
    test("one", random(n, 4), Int::ONE);
    test("tiny", Int::from(6), Int::from(-4));
    test("few moduli", random(70, 5), random(65, 6));
    test("unbalanced", random(n, 7), random(n / 9, 8));
    test("powers of two", Int::ONE << n, Int::ONE << (n - 9));
    test(
        "a divisor",
        random(n / 2, 9) * random(n / 3, 10),
        random(n / 3, 10),
    );
    for common in [n / 50, n / 2, n - n / 30] {
        let (a, b) = pair(n, common, common);
        test("planted", a, b);
    }
    // The largest primes below 2^31 and 2^32 are moduli.
    let moduli: Int = [
        2147483647u64,
        2147483629,
        2147483587,
        4294967291,
        4294967279,
    ]
    .into_iter()
    .map(Int::from)
    .fold(Int::ONE, |product, q| product * q);
    test(
        "moduli",
        &moduli * random(n / 2, 11),
        &moduli * random(n / 2, 12),
    );
    test("moduli in one", &moduli * &moduli, random(n / 2, 13));
    test(
        "moduli alone",
        &moduli * Int::from(2),
        &moduli * Int::from(3),
    );
}

fn check(cluster: &Cluster, algorithms: &[GcdAlgorithm], what: &str, (a, b): (Int, Int)) {
    let (expected, _) = Engine::Cpu
        .scope(|| a.try_gcd_by(&b, GcdAlgorithm::Host))
        .unwrap();
    for algorithm in algorithms {
        let (found, stats) = cluster.gcd(&a, &b, *algorithm).unwrap();
        let size = cluster.size();
        assert_eq!(found, expected, "{what} by {algorithm} on {size}");
        assert!(stats.ranks.is_none_or(|ranks| ranks == size as u64));
    }
}
