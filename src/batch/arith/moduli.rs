//! Odd moduli prepared once, and Montgomery's arithmetic modulo them.

use super::weight::Operation;
use super::{Rows, cpu, cuda};
use crate::batch::Batch;
use crate::error::{Error, Result};

/// A batch of odd moduli n, for arithmetic on rows modulo the row of the same number.
///
/// Products are Montgomery's: a·b/R mod n with R = 2^(64·width), on every engine. Numbers go into
/// the form a·R mod n once, and out of it once; sums are the same in both.
///
/// ```
/// use bezout::{Batch, Moduli};
/// let moduli = Moduli::new(Batch::from_limbs(vec![101, 103], 1)?)?;
/// let a = moduli.try_to_form(&Batch::from_limbs(vec![50, 60], 1)?.all())?;
/// let square = moduli.try_square(&a.all())?;
/// let result = moduli.try_from_form(&moduli.try_add(&square.all(), &a.all())?.all())?;
/// assert_eq!(result.try_limbs()?, [(50 * 50 + 50) % 101, (60 * 60 + 60) % 103]);
/// # Ok::<(), bezout::Error>(())
/// ```
#[derive(Clone)]
pub struct Moduli {
    moduli: Batch,
    ones: Batch,
    squares: Batch,
}

impl Moduli {
    /// Prepares moduli; an error if one is even.
    pub fn new(moduli: Batch) -> Result<Moduli> {
        let rows = moduli.all();
        let width = moduli.width();
        let odd = |kinds: super::Kinds| {
            if kinds.zero || kinds.even {
                Err(Error::Domain("a modulus of the batch is even".into()))
            } else {
                Ok(())
            }
        };
        let (ones, squares) = rows.with(
            Operation::Linear,
            &[],
            || {
                odd(rows.host_kinds()?)?;
                let (ones, squares) = cpu::prepare(rows.host()?, width);
                Ok((
                    Batch::from_limbs(ones, width)?,
                    Batch::from_limbs(squares, width)?,
                ))
            },
            |device| {
                odd(rows.device_kinds(device)?)?;
                cuda::prepare(device, &rows)
            },
        )?;
        Ok(Moduli {
            moduli,
            ones,
            squares,
        })
    }

    /// The moduli.
    pub fn moduli(&self) -> &Batch {
        &self.moduli
    }

    /// One in Montgomery's form: R mod n.
    pub fn one(&self) -> &Batch {
        &self.ones
    }

    /// a·R mod n, for any a.
    // It makes a form of `a`, not of itself.
    #[allow(clippy::wrong_self_convention)]
    pub fn try_to_form(&self, a: &Rows<'_>) -> Result<Batch> {
        self.product(a, Some(&self.squares.all()))
    }

    /// a/R mod n: the number of which a is the form.
    #[allow(clippy::wrong_self_convention)]
    pub fn try_from_form(&self, a: &Rows<'_>) -> Result<Batch> {
        self.product(a, None)
    }

    /// a·b/R mod n for b < n; the form of the product of the numbers of which a and b are the
    /// forms.
    pub fn try_mul(&self, a: &Rows<'_>, b: &Rows<'_>) -> Result<Batch> {
        self.product(a, Some(b))
    }

    /// a·a/R mod n for a < n.
    pub fn try_square(&self, a: &Rows<'_>) -> Result<Batch> {
        self.product(a, Some(a))
    }

    fn product(&self, a: &Rows<'_>, b: Option<&Rows<'_>>) -> Result<Batch> {
        let (n, width) = (self.moduli.all(), self.moduli.width());
        let others: Vec<&Rows<'_>> = std::iter::once(&n).chain(b).collect();
        a.with(
            Operation::Linear,
            &others,
            || {
                let factor = b.map_or(Ok(&[][..]), Rows::host)?;
                let limbs = cpu::product_mod(a.host()?, factor, n.host()?, width);
                Batch::from_limbs(limbs, width)
            },
            |device| cuda::product_mod(device, a, b, &n),
        )
    }

    /// a + b mod n for a, b < n.
    pub fn try_add(&self, a: &Rows<'_>, b: &Rows<'_>) -> Result<Batch> {
        self.sum(a, b, false)
    }

    /// a − b mod n for a, b < n.
    pub fn try_sub(&self, a: &Rows<'_>, b: &Rows<'_>) -> Result<Batch> {
        self.sum(a, b, true)
    }

    fn sum(&self, a: &Rows<'_>, b: &Rows<'_>, minus: bool) -> Result<Batch> {
        let (n, width) = (self.moduli.all(), self.moduli.width());
        a.with(
            Operation::Linear,
            &[b, &n],
            || {
                let limbs = cpu::sum_mod(a.host()?, b.host()?, n.host()?, width, minus);
                Batch::from_limbs(limbs, width)
            },
            |device| cuda::sum_mod(device, a, b, &n, minus),
        )
    }
}
