//! The gcd of two huge numbers, with its proof: `cargo run --release --example cofactors --
//! 1000000`.
//!
//! The cofactors s and t of a and b prove the answer. If g divides both numbers and
//! g = s·a + t·b, then every common divisor divides g, so no common divisor is greater.

use bezout::Int;
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

fn main() {
    let bits = std::env::args().nth(1).map_or(100_000, |text| {
        text.parse().unwrap_or_else(|_| {
            eprintln!("usage: cofactors [BITS]");
            std::process::exit(2)
        })
    });
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let common = Int::random_bits(bits / 10 + 1, &mut rng);
    let a = Int::random_bits(bits, &mut rng) * &common;
    let b = Int::random_bits(bits, &mut rng) * &common;

    let (g, s, t) = a.extended_gcd(&b);

    assert!(a.is_multiple_of(&g) && b.is_multiple_of(&g));
    assert_eq!(&s * &a + &t * &b, g);
    assert!(g.is_multiple_of(&common));
    println!(
        "a and b have {} and {} bits",
        a.bit_length(),
        b.bit_length()
    );
    println!("their gcd has {} bits", g.bit_length());
    println!(
        "its cofactors have {} and {} bits",
        s.bit_length(),
        t.bit_length()
    );
}
