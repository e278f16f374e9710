use super::weber_brew::{H200 as H200_LINE, PAPER};
use super::*;

const FIFTY: u64 = 50_000_000;

fn h200() -> Parameters {
    Parameters {
        rates: Rates::H200,
        network: Network::SHIPPED,
    }
}

fn core() -> Parameters {
    Parameters {
        rates: Rates::CORE,
        network: Network::SHIPPED,
    }
}

fn near(value: f64, expected: f64, tolerance: f64) {
    let off = (value / expected - 1.0).abs();
    assert!(off <= tolerance, "{value} is not about {expected}");
}

#[test]
fn the_papers_projection_comes_out_of_the_papers_parameters() {
    // "a running time of around 17 seconds"
    near(PAPER.seconds(FIFTY), 17.0, 0.01);
    // "around 7.27 million" moduli
    near(weber_brew::moduli(FIFTY), 7.27e6, 0.001);
    // 7.27 million over 35,000 are 207.8: "around 210"
    assert_eq!(PAPER.gpus(FIFTY), 208);
    // "input sizes of up to 529 million bits" with 68 million moduli, "up to 777 million" with 98
    // million
    near(weber_brew::moduli(529_000_000), 68e6, 0.01);
    near(weber_brew::moduli(777_000_000), 98e6, 0.01);
    // The V100's column of Table 2, in whole milliseconds, where it is linear.
    let v100 = [7.0, 13.0, 18.0, 25.0, 31.0, 35.0, 40.0, 46.0, 52.0, 58.0];
    for (i, time) in v100.into_iter().enumerate() {
        let bits = (i as u64 + 1) << 14;
        assert!((1e3 * PAPER.seconds(bits) - time).abs() < 1.5, "{bits}");
    }
    assert_eq!(H200_LINE.gpus(FIFTY), 54);
    near(H200_LINE.seconds(FIFTY), 6.295, 0.001);
}

#[test]
fn moduli_and_steps_are_those_of_the_algorithm() {
    for bits in [1000, 65_536, FIFTY] {
        let moduli = crate::measure::weber_moduli(bits, crate::measure::WeberCount::Estimated);
        assert_eq!(weber_brew::moduli(bits), moduli as f64);
    }
    // Iterations of `gcd random:N:1 random:N:2 --algorithm weber --stats`.
    for (bits, steps) in [(16_384, 1202.0), (65_536, 4323.0), (131_072, 8409.0)] {
        near(weber_steps(bits), steps, 0.04);
    }
}

#[test]
fn one_device_takes_what_was_measured() {
    // At commit 36441dd, with transfers: the gcd by lattices in one run, and by Weber's algorithm.
    for (bits, time) in [(65_536, 7.47e-4), (360_448, 3.98e-3), (1_048_576, 1.439e-2)] {
        near(predicted_seconds(bits, 1, &h200()), time, 0.1);
    }
    for (bits, time) in [(65_536, 9.585e-3), (360_448, 5.97e-2)] {
        near(weber_seconds(bits, 1, &h200()), time, 0.1);
    }
}

#[test]
fn costs_go_down_a_tree() {
    let network = Network::SHIPPED;
    // Of 576 bytes among 2, 8 and 16 ranks of another host.
    for (ranks, time) in [(2, 1.0e-6), (8, 2.6e-6), (16, 4.4e-6)] {
        near(network.broadcast(576, ranks), time, 0.35);
    }
    assert_eq!(network.broadcast(576, 1), 0.0);
    assert_eq!(network.all_reduce(1), 0.0);
    let far = network.with_message(1e-5);
    near(far.broadcast(576, 16), 4e-5, 1e-9);
    near(far.all_reduce(2), 2e-5, 1e-9);
    let crowded = Network {
        crowding: 1.6,
        ..network
    };
    assert_eq!([1, 16, 64].map(|r| crowded.crowding(r)), [1.0, 1.6, 1.6]);
}

#[test]
fn steps_go_down_a_wider_tree() {
    let hops = [1, 2, 5, 6, 21, 22, 85].map(hops);
    assert_eq!(hops, [0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
}

#[test]
fn no_ranks_for_nothing() {
    let times = |bits, parameters: &Parameters| {
        [1, 2, 4, 8, 16].map(|ranks| predicted_seconds(bits, ranks, parameters))
    };
    // A million bits on the cores of a machine: the followers' work is nearly all, and divides.
    let core = times(1 << 20, &core());
    assert!(core.windows(2).all(|pair| pair[1] < pair[0]), "{core:?}");
    near(core[0] / core[3] / 8.0, 0.9, 0.12);
    // Small numbers are the leader's, who has to wait for the others.
    let small = times(1 << 14, &h200());
    assert!(small[1] > small[0], "{small:?}");
    assert_eq!(project(1 << 14, 4, h200()).best.ranks, 1);
}

#[test]
fn projections_hold_together() {
    let projection = project(FIFTY, 210, h200());
    let Projection {
        asked,
        best,
        points,
        alone,
        ..
    } = &projection;
    assert_eq!(points[0].ranks, 1);
    assert_eq!(points[0].speed_up, 1.0);
    assert!(
        points
            .iter()
            .all(|point| SLACK * point.seconds >= best.seconds)
    );
    assert!(best.seconds <= SLACK * asked.seconds && best.ranks > 1);
    // An all-reduce each of two million steps is what the paper's line leaves out.
    assert!(asked.weber_seconds > PAPER.seconds(FIFTY) && asked.seconds < 3.0);
    assert_eq!(*alone, Some(1.163));
    assert_eq!(Rates::H200.alone_seconds(1 << 30), None);
    near(Rates::H200.alone_seconds(32_000_000).unwrap(), 0.73, 0.05);
    // The largest and the least there are.
    assert!(project(MOST_BITS, 4, h200()).asked.seconds.is_finite());
    assert!(project(1, 1000, core()).asked.seconds.is_finite());
}

#[test]
fn calibration_finds_what_it_is_given() {
    let truth = Rates {
        start: 3.0 * Rates::CORE.start,
        leader: 3.0 * Rates::CORE.leader,
        lift: 3.0 * Rates::CORE.lift,
        table: 3.0 * Rates::CORE.table,
        walk: 3.0 * Rates::CORE.walk,
        follow: 0.5 * Rates::CORE.follow,
        convert: 0.5 * Rates::CORE.convert,
        ..Rates::CORE
    };
    let parameters = |rates| Parameters {
        rates,
        network: Network::SHIPPED,
    };
    let times = [1u64 << 15, 1 << 17, 1 << 20]
        .map(|bits| (bits, predicted_seconds(bits, 1, &parameters(truth))));
    let found = Rates::CORE.calibrated(&times);
    near(found.convert, truth.convert, 0.05);
    for ranks in [1, 4, 16] {
        let [found, truth] =
            [found, truth].map(|rates| predicted_seconds(1 << 20, ranks, &parameters(rates)));
        near(found, truth, 0.05);
    }
    // Long numbers do not tell the parts apart.
    let long = Rates::CORE.calibrated(&[times[2], (1 << 22, 16.5 * times[2].1)]);
    near(
        long.leader / Rates::CORE.leader,
        long.follow / Rates::CORE.follow,
        1e-9,
    );
    let weber = Rates::CORE.with_weber(1 << 16, 2.0);
    near(weber_seconds(1 << 16, 1, &parameters(weber)), 2.0, 1e-9);
    // One time scales all; none, or one that makes no sense, nothing.
    let one = Rates::CORE.calibrated(&times[2..]);
    near(
        predicted_seconds(1 << 20, 1, &parameters(one)),
        times[2].1,
        0.01,
    );
    assert_eq!(Rates::CORE.calibrated(&[]), Rates::CORE);
    assert_eq!(Rates::CORE.calibrated(&[(1000, 0.0)]), Rates::CORE);
}
