//! RSA keys that share a prime: `cargo run --release --example shared_primes -- 1000`.
//!
//! A device that generates keys with too little randomness may use one prime twice. Anybody who
//! has both public keys can then compute the prime, by a gcd. A product tree finds every such pair
//! among all keys at once.

use bezout::{Int, Result, keys};
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

fn main() -> Result<()> {
    let count = std::env::args().nth(1).map_or(100, |text| {
        text.parse().unwrap_or_else(|_| {
            eprintln!("usage: shared_primes [KEYS]");
            std::process::exit(2)
        })
    });
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut prime = || Int::random_bits(256, &mut rng).next_prime();
    let mut moduli: Vec<Int> = (0..count).map(|_| prime() * prime()).collect();
    // Two more keys, with one prime in common.
    let weak = prime();
    moduli.push(&weak * prime());
    moduli.insert(0, &weak * prime());

    let found = keys::shared_factors(&moduli)?;

    assert_eq!(found.len(), 1);
    for shared in found {
        for &key in &shared.moduli {
            let other = &moduli[key] / &shared.factor;
            println!("key {key} = {:x} * {other:x}", shared.factor);
        }
        assert_eq!(
            (shared.factor, shared.moduli),
            (weak.clone(), vec![0, count + 1])
        );
    }
    Ok(())
}
