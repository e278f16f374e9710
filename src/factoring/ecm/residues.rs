//! Residues modulo an odd n on the host, in Montgomery form, with a number of limbs that is a
//! compile-time constant, or with any number of limbs.

use crate::gcd;
use crate::limbs::Resident;
use crate::modular;
use crate::number::{Integer, Natural};
use crate::progress;
use crate::word::inverse_word;

/// Arithmetic modulo an odd n > 1: residues in [0, n), each standing for x·R.
pub(crate) trait Residues: Sync {
    type Element: Clone + Send + Sync;
    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn sub(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn one(&self) -> Self::Element;
    fn zero(&self) -> Self::Element;
    /// A small number.
    fn small(&self, x: u64) -> Self::Element;
    /// A number below n, and back.
    fn import(&self, x: &Natural) -> Self::Element;
    fn export(&self, x: &Self::Element) -> Natural;
    /// The limbs of x·R mod n, which has the same common divisors with n as x.
    fn limbs<'a>(&self, x: &'a Self::Element) -> &'a [u64];
    /// From such limbs; a residue may have some zeros more or less than the limbs of n.
    fn element(&self, limbs: &[u64]) -> Self::Element;

    fn sqr(&self, a: &Self::Element) -> Self::Element {
        self.mul(a, a)
    }
    fn double(&self, a: &Self::Element) -> Self::Element {
        self.add(a, a)
    }
}

/// n in `limbs` limbs, R mod n and R² mod n in as many, and −1/n modulo 2^64.
pub(super) struct Constants {
    pub(super) n: Vec<u64>,
    pub(super) one: Vec<u64>,
    pub(super) square: Vec<u64>,
    pub(super) negative_inverse: u64,
}

impl Constants {
    pub(super) fn new(n: &Natural, limbs: usize) -> Constants {
        let padded = |x: Natural| {
            let mut all = x.into_vec();
            all.resize(limbs, 0);
            all
        };
        let bits = 64 * limbs as u64;
        let low = n.limbs()[0];
        // n is odd, so its lowest limb has an inverse.
        let inverse = inverse_word(low);
        Constants {
            n: padded(n.clone()),
            one: padded(Natural::power_of_2(bits) % n),
            square: padded(Natural::power_of_2(2 * bits) % n),
            negative_inverse: inverse.wrapping_neg(),
        }
    }
}

/// t + top·R − n where that is not negative, else t; t + top·R < 2n.
#[inline(always)]
fn reduce_once(t: &mut [u64], top: u64, n: &[u64]) {
    let below = top == 0 && t.iter().rev().lt(n.iter().rev());
    if below {
        return;
    }
    let mut borrow = false;
    for (t, n) in t.iter_mut().zip(n) {
        (*t, borrow) = t.borrowing_sub(*n, borrow);
    }
}

/// Products of at least this many limbs check whether the work is cancelled.
const STOPPABLE: usize = 9;
/// In products of at least this many limbs every row checks it.
const LONG: usize = 1 << 10;

/// t = a·b/R mod n, from t = 0; Koç, Acar and Kaliski's "coarsely integrated operand scanning".
///
/// The floor's Montgomery arithmetic (`word::montgomery::Modulus`) is not used here: lengths are
/// constants for most numbers, so that the compiler unrolls the rows, and a long product must be
/// able to stop between two rows.
///
/// Once the work is cancelled, long products are 0 and take no time, so that chains of them end
/// soon. This can make no wrong factor: a factor is a common divisor with n.
#[inline(always)]
fn multiply(t: &mut [u64], a: &[u64], b: &[u64], n: &[u64], negative_inverse: u64) {
    let len = t.len();
    assert!(a.len() == len && b.len() == len && n.len() == len);
    if len >= STOPPABLE && progress::is_cancelled() {
        return;
    }
    let mut top = 0;
    for b in b {
        if len >= LONG && progress::is_cancelled() {
            return t.fill(0);
        }
        let mut carry = 0;
        for (t, a) in t.iter_mut().zip(a) {
            (*t, carry) = a.carrying_mul_add(*b, *t, carry);
        }
        let (sum, over) = u64::overflowing_add(top, carry);
        let m = t[0].wrapping_mul(negative_inverse);
        (_, carry) = m.carrying_mul_add(n[0], t[0], 0);
        for i in 1..len {
            (t[i - 1], carry) = m.carrying_mul_add(n[i], t[i], carry);
        }
        let (last, over_too) = sum.overflowing_add(carry);
        t[len - 1] = last;
        top = u64::from(over) + u64::from(over_too);
    }
    reduce_once(t, top, n);
}

#[inline(always)]
fn add(t: &mut [u64], b: &[u64], n: &[u64]) {
    let mut carry = false;
    for (t, b) in t.iter_mut().zip(b) {
        (*t, carry) = t.carrying_add(*b, carry);
    }
    reduce_once(t, carry.into(), n);
}

#[inline(always)]
fn sub(t: &mut [u64], b: &[u64], n: &[u64]) {
    let mut borrow = false;
    for (t, b) in t.iter_mut().zip(b) {
        (*t, borrow) = t.borrowing_sub(*b, borrow);
    }
    if borrow {
        let mut carry = false;
        for (t, n) in t.iter_mut().zip(n) {
            (*t, carry) = t.carrying_add(*n, carry);
        }
    }
}

/// Residues of L limbs, and of any number of limbs.
macro_rules! residues {
    ($name:ident, [$($generic:tt)*], [$($argument:tt)*], $element:ty, $from:expr, $zero:expr) => {
        impl<$($generic)*> Residues for $name<$($argument)*> {
            type Element = $element;
            #[inline]
            fn mul(&self, a: &$element, b: &$element) -> $element {
                let mut t = self.zero();
                multiply(&mut t, a, b, &self.n, self.negative_inverse);
                t
            }
            #[inline]
            fn add(&self, a: &$element, b: &$element) -> $element {
                let mut t = a.clone();
                add(&mut t, b, &self.n);
                t
            }
            #[inline]
            fn sub(&self, a: &$element, b: &$element) -> $element {
                let mut t = a.clone();
                sub(&mut t, b, &self.n);
                t
            }
            fn one(&self) -> $element {
                self.one.clone()
            }
            #[inline]
            fn zero(&self) -> $element {
                $zero(self)
            }
            fn small(&self, x: u64) -> $element {
                let mut t = self.zero();
                t[0] = x;
                // One limb may be more than n, not more than R: the product is right all the same.
                self.mul(&t, &self.square)
            }
            fn import(&self, x: &Natural) -> $element {
                self.mul(&self.element(&x.to_vec()), &self.square)
            }
            fn export(&self, x: &$element) -> Natural {
                let mut one = self.zero();
                one[0] = 1;
                Natural::from_limbs(&self.mul(x, &one))
            }
            fn limbs<'a>(&self, x: &'a $element) -> &'a [u64] {
                x
            }
            fn element(&self, limbs: &[u64]) -> $element {
                let mut x = self.zero();
                let len = x.len().min(limbs.len());
                x[..len].copy_from_slice(&limbs[..len]);
                x
            }
        }

        impl<$($generic)*> $name<$($argument)*> {
            fn of(constants: Constants) -> Self {
                $name {
                    negative_inverse: constants.negative_inverse,
                    n: $from(constants.n),
                    one: $from(constants.one),
                    square: $from(constants.square),
                }
            }
        }
    };
}

pub(crate) struct Fixed<const L: usize> {
    n: [u64; L],
    one: [u64; L],
    square: [u64; L],
    negative_inverse: u64,
}
residues!(
    Fixed,
    [const L: usize],
    [L],
    [u64; L],
    |limbs: Vec<u64>| std::array::from_fn(|i| limbs[i]),
    |_: &Self| [0; L]
);

impl<const L: usize> Fixed<L> {
    /// For n of at most L limbs.
    pub(crate) fn new(n: &Natural) -> Fixed<L> {
        Fixed::of(Constants::new(n, L))
    }
}

pub(crate) struct Any {
    n: Box<[u64]>,
    one: Box<[u64]>,
    square: Box<[u64]>,
    negative_inverse: u64,
}
residues!(
    Any,
    [],
    [],
    Box<[u64]>,
    |limbs: Vec<u64>| limbs.into_boxed_slice(),
    |ring: &Self| vec![0; ring.n.len()].into_boxed_slice()
);

impl Any {
    pub(crate) fn new(n: &Natural) -> Any {
        Any::of(Constants::new(n, n.limb_count()))
    }
}

/// The work with the residues modulo n that suit its length: few of them, since all is compiled for
/// each.
macro_rules! with_residues {
    ($n:expr, $ring:ident => $work:expr) => {
        match $n.limb_count() {
            0..=2 => {
                with_residues!(@ $crate::factoring::ecm::residues::Fixed::<2>, $n, $ring, $work)
            }
            3 => with_residues!(@ $crate::factoring::ecm::residues::Fixed::<3>, $n, $ring, $work),
            4 => with_residues!(@ $crate::factoring::ecm::residues::Fixed::<4>, $n, $ring, $work),
            5..=8 => {
                with_residues!(@ $crate::factoring::ecm::residues::Fixed::<8>, $n, $ring, $work)
            }
            _ => with_residues!(@ $crate::factoring::ecm::residues::Any, $n, $ring, $work),
        }
    };
    (@ $kind:ty, $n:expr, $ring:ident, $work:expr) => {{
        let $ring = <$kind>::new($n);
        $work
    }};
}
pub(crate) use with_residues;

/// The common divisor of x and n; 1 once the work is cancelled.
pub(crate) fn common_divisor<R: Residues>(ring: &R, x: &R::Element, n: &Natural) -> Natural {
    let limbs = ring.limbs(x);
    if limbs.len() >= STOPPABLE && progress::is_cancelled() {
        return Natural::ONE;
    }
    if limbs.len() < LONG {
        return Natural::from_limbs(limbs).gcd(n);
    }
    let common = gcd::gcd(&resident(&Natural::from_limbs(limbs)), &resident(n));
    let common = common.and_then(Resident::into_host);
    common.map_or(Natural::ONE, Integer::into_magnitude)
}

/// 1/x modulo n. None if x and n have a common divisor, or if the work is cancelled.
pub(crate) fn inverse(x: &Natural, n: &Natural) -> Option<Natural> {
    if n.limb_count() < LONG {
        return x.mod_inverse(n);
    }
    let inverse = modular::mod_inverse(&resident(x), &resident(n)).ok()?;
    Some(inverse.into_host().ok()?.into_magnitude())
}

fn resident(x: &Natural) -> Resident {
    Resident::from(Integer::from(x))
}
