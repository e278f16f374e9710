//! Prime factors of 2^n − 1, each with a proof: `cargo run --release --example factors -- 137`.
//!
//! `factor` proves primes below 2^64. A longer prime p is proved here as Lucas did: with a g for
//! which g^(p − 1) = 1 modulo p, but g^((p − 1)/q) ≠ 1 for every prime q that divides p − 1. Then
//! g has order p − 1 modulo p, which only a prime allows.

use bezout::{Int, Result, factor::Status};

/// Proves p, and every longer prime that its proof needs; prints each proof.
fn prove(p: &Int) -> Result<()> {
    let order = p - 1;
    let primes = order.try_factor()?.factors;
    for q in primes.iter().filter(|q| q.status != Status::Proved) {
        prove(&q.value)?;
    }
    let has_order = |g: &Int| {
        let power = |exponent: &Int| g.pow_mod(exponent, p);
        power(&order) == 1 && primes.iter().all(|q| power(&(&order / &q.value)) != 1)
    };
    let g = (2..1000).map(Int::from).find(has_order);
    println!(
        "{p} is prime: {} has order {order}",
        g.expect("p is composite")
    );
    Ok(())
}

fn main() -> Result<()> {
    let exponent = std::env::args().nth(1);
    let Ok(exponent) = exponent.as_deref().unwrap_or("103").parse::<u64>() else {
        eprintln!("usage: factors [EXPONENT]");
        std::process::exit(2);
    };
    let found = ((Int::ONE << exponent) - 1).try_factor()?;
    let powers = found.factors.iter().map(|f| f.value.pow(f.exponent));
    assert_eq!(powers.product::<Int>(), found.number);
    for factor in &found.factors {
        match factor.status {
            Status::Proved => println!("{} is prime: it is below 2^64", factor.value),
            _ => prove(&factor.value)?,
        }
    }
    Ok(())
}
