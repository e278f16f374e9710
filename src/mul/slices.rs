//! Products of numbers in the caller's own memory, for interfaces to other languages. Operands are
//! copied from there to the device, and the product is copied back to its destination, without a
//! further copy on the host.

use std::mem::MaybeUninit;

use super::{check_product, cpu, cuda, mul};
use crate::engine::{self, Residence};
use crate::error::Result;
use crate::limbs::{DeviceLimbs, Resident};
use crate::number::{Integer, Natural};
use crate::threads;
use crate::verify;
use crate::word::trimmed;

/// Limbs of the product that a thread copies at once.
const COPIED: usize = 1 << 16;

/// out = a·b for the limbs of natural numbers, the lowest first, with zeros above them or without.
///
/// ```
/// use std::mem::MaybeUninit;
/// let mut out = [MaybeUninit::uninit(); 3];
/// let product = bezout::mul_slices(&mut out, &[u64::MAX, 1], &[2])?;
/// assert_eq!(product, [u64::MAX - 1, 3, 0]);
/// # Ok::<(), bezout::Error>(())
/// ```
///
/// # Panics
/// If `out` has not as many limbs as both operands together.
pub fn mul_slices<'a>(
    out: &'a mut [MaybeUninit<u64>],
    a: &[u64],
    b: &[u64],
) -> Result<&'a mut [u64]> {
    assert_eq!(out.len(), a.len() + b.len(), "the limbs of a product");
    let is_square = a.as_ptr() == b.as_ptr() && a.len() == b.len();
    let (a, b) = (trimmed(a), trimmed(b));
    if verify::is_on() || a.is_empty() || b.is_empty() {
        let [a, b] = [a, b].map(|x| Resident::from(Integer::from(Natural::from_limbs(x))));
        let product = mul(&a, &b)?;
        return Ok(filled(out, product.host()?.magnitude().limbs()));
    }
    enum Product {
        Host(Vec<u64>),
        Device(DeviceLimbs),
    }
    let product = engine::run(
        super::one_product(64 * a.len() as u64, 64 * b.len() as u64),
        [Residence::Host],
        || {
            check_product("multiplication", 64 * (a.len() + b.len()) as u64)?;
            Ok(Product::Host(if is_square {
                cpu::square(a)
            } else {
                cpu::mul(a, b)
            }))
        },
        |device| {
            let x = DeviceLimbs::of_natural(device, a)?;
            let product: Resident = if is_square {
                cuda::square(&x)?
            } else {
                cuda::mul(&x, &DeviceLimbs::of_natural(device, b)?)?
            };
            product.on(device).map(Product::Device)
        },
    )?;
    match product {
        Product::Host(product) => Ok(filled(out, &product)),
        Product::Device(product) => {
            let len = product.len().min(out.len());
            product.fill(&mut out[..len])?;
            out[len..].fill(MaybeUninit::new(0));
            // SAFETY: all limbs were written just now.
            #[allow(unsafe_code)]
            Ok(unsafe { out.assume_init_mut() })
        }
    }
}

/// The limbs of a product, with zeros above them, in `out`.
fn filled<'a>(out: &'a mut [MaybeUninit<u64>], product: &[u64]) -> &'a mut [u64] {
    let (low, high) = out.split_at_mut(product.len().min(out.len()));
    threads::chunks_mut(low, COPIED, 1, |i, part| {
        part.write_copy_of_slice(threads::chunk(product, COPIED, i));
    });
    high.fill(MaybeUninit::new(0));
    // SAFETY: all limbs were written just now.
    #[allow(unsafe_code)]
    unsafe {
        out.assume_init_mut()
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::tuning::Tuning;
    use crate::{Engine, Int};

    #[test]
    fn products_are_right_wherever_they_are_made() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut number = |len: usize, zeros: usize| -> Vec<u64> {
            let mut limbs: Vec<u64> = (0..len).map(|_| rng.random()).collect();
            limbs[len - zeros..].fill(0);
            limbs
        };
        for (m, n) in [
            (0, 0),
            (0, 3),
            (1, 1),
            (3, 2),
            (40, 40),
            (300, 7),
            (2000, 1999),
            (9000, 3),
        ] {
            let (a, b) = (number(m, m / 3), number(n, 0));
            for (x, y) in [(&a, &b), (&b, &a), (&a, &a)] {
                let wanted = Int::from_limbs_slice(x) * Int::from_limbs_slice(y);
                let check = || {
                    let mut out = vec![MaybeUninit::uninit(); x.len() + y.len()];
                    let found = mul_slices(&mut out, x, y).unwrap();
                    assert_eq!(Int::from_limbs_slice(found), wanted, "{m} and {n} limbs");
                };
                for engine in Engine::usable() {
                    engine.scope(check);
                    Tuning::MINIMAL.scope(|| engine.scope(check));
                }
            }
        }
    }
}
