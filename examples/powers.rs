//! Many modular powers at once: `cargo run --release --example powers -- 10000`.
//!
//! A `Batch` contains numbers of one length as rows. One call computes all rows, on the GPU if
//! there is one and there are rows enough. Here each row is Fermat's test of an odd number n:
//! 2^(n − 1) modulo n is 1 if n is prime.

use bezout::{Batch, Int, Result};

/// Limbs of 64 bits in a row.
const WIDTH: usize = 8;

fn main() -> Result<()> {
    let count = std::env::args().nth(1).map_or(500, |text| {
        text.parse().unwrap_or_else(|_| {
            eprintln!("usage: powers [ROWS]");
            std::process::exit(2)
        })
    });
    let start = Int::ONE << (64 * WIDTH as u64 - 1);
    let odd: Vec<Int> = (0..count).map(|i: u64| &start + (2 * i + 1)).collect();
    let moduli = Batch::from_ints(&odd, WIDTH)?;
    let exponents = moduli.all().try_add_small(-1)?;
    let bases = Batch::from_ints(&vec![Int::from(2); odd.len()], WIDTH)?;

    let powers = bases.all().try_pow_mod(&exponents.all(), &moduli.all())?;

    let is_prime = moduli.all().try_is_probable_prime()?;
    for ((n, power), is_prime) in odd.iter().zip(powers.try_to_ints()?).zip(is_prime) {
        assert!(power == 1 || !is_prime);
        if power == 1 {
            println!("2^{} + {} passes", 64 * WIDTH - 1, n - &start);
        }
    }
    Ok(())
}
