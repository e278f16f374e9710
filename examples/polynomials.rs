//! Polynomials over Z_p: `cargo run --release --example polynomials -- 100000`.
//!
//! The prime p may be any below 2^63. Products are made by number-theoretic transforms, and gcds by
//! halves over those products.

use bezout::{Poly, Result, poly::Modulus};
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

fn main() -> Result<()> {
    // Polynomials are written as one writes them.
    let p = Modulus::new(101)?;
    let (a, b) = (Poly::parse("x^6 - 1", p)?, Poly::parse("x^4 - 1", p)?);
    println!("({a}) * ({b}) = {}", &a * &b);
    println!("their gcd is {}", a.try_gcd(&b)?);

    // Two random polynomials of many terms with a factor in common.
    let terms = std::env::args().nth(1).map_or(2_000, |text| {
        text.parse().unwrap_or_else(|_| {
            eprintln!("usage: polynomials [TERMS]");
            std::process::exit(2)
        })
    });
    let p = Modulus::new((1 << 61) - 1)?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut random = || Poly::random(terms, p, &mut rng);
    let common = random();
    let (a, b) = (random() * &common, random() * &common);

    let (g, s, t) = a.try_extended_gcd(&b)?;

    assert!(g.try_rem(&common)?.is_zero() && a.try_rem(&g)?.is_zero());
    assert_eq!(s * &a + t * &b, g);
    println!(
        "the gcd of {} and {} terms has {}",
        a.len(),
        b.len(),
        g.len()
    );
    Ok(())
}
