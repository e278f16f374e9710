use bezout::Engine;

use super::*;
use crate::model::mmm::algorithms;
use crate::model::probe;

#[test]
fn predictions_follow_the_parameters() {
    let mut machine = probe(Engine::Cpu).unwrap();
    (machine.launch, machine.round_trip) = (2e-6, 1e-5);
    (machine.latency, machine.bandwidth) = (5e-7, 4e12);
    (machine.operation, machine.throughput) = (5e-9, 1e13);
    machine.resident_threads = 132 * 2048;
    // 801 launches of 4 blocks, which one wave takes: an access, which is longer than 5 words a
    // thread, 3 residues that wait for each other, what a multiprocessor does for a block; and the
    // round trip.
    let naive = machine.predict(&algorithms::naive_division(1000, 200, 64));
    let units = f64::from(machine.identity.units);
    let rounds = (4.0 / units).ceil();
    let residue = 4.0;
    let kernel = 2e-6 + 5e-7 + 3.0 * residue * 5e-9 + rounds * 129.0 * residue * units / 1e13;
    assert!(
        (naive / (801.0 * kernel + 1e-5) - 1.0).abs() < 1e-9,
        "{naive}"
    );
    // A barrier after each of s steps, and a product that was measured.
    let steps = algorithms::division(1000, 200, 16);
    let calm = machine.predict(&steps);
    let launches = 801f64.div_euclid(16.0) + 1.0;
    let mut meeting = machine.clone();
    meeting.block_barrier = Some(1e-7);
    meeting.product = Some(7e-8);
    let product = 2.0;
    meeting.products = Some(1e13 / product);
    let more = launches * (16.0 * 1e-7 + 48.0 * (7e-8 - product * 5e-9));
    assert!((meeting.predict(&steps) / (calm + more) - 1.0).abs() < 1e-9);
    // s steps a launch save launches, until the steps themselves take longer.
    let times = [1, 8, 64, 256].map(|s| machine.predict(&algorithms::division(10_000, 2000, s)));
    assert!(
        times[0] > 4.0 * times[1] && times[1] > times[2],
        "{times:?}"
    );
    // A thousand times the data in one launch is bound by the bandwidth.
    let product = algorithms::multiplication(1 << 20, 1 << 10, 1, 256);
    let words = product.kernels()[0].blocks as f64 * 256.0 * 4.0;
    assert!(machine.predict(&product) > 4.0 * words / 4e12);
    // Of the sums of a product, each waits for the one before.
    let mut adding = algorithms::multiplication(100, 100, 8, 256).kernels()[1].clone();
    let waiting = machine.predict_kernel(&adding);
    adding.block.waits = 1.0;
    let alone = machine.predict_kernel(&adding);
    assert!(
        (waiting - alone - 7.0 * 5e-7).abs() < 1e-12,
        "{waiting} {alone}"
    );
}

#[test]
fn programs_that_unfold_wait_for_the_host() {
    let machine = probe(Engine::Cpu).unwrap();
    let known = algorithms::euclid(400, 400, 16);
    let kernels = known.kernels().to_vec();
    let mut left = kernels.iter();
    let unfolded = Program::unfold(5.0, |_| left.next().map(|k| (k.blocks, k.block, k.times)));
    assert_eq!(unfolded.kernels().len(), kernels.len());
    let looks = kernels.len() as f64 * machine.round_trip;
    let expected = machine.predict(&known) + looks;
    assert!((machine.predict(&unfolded) / expected - 1.0).abs() < 1e-9);
}
