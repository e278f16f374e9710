//! [`Int`]: sign, operators, text and bytes. Thin: what works on limbs is in `limbs` and in the
//! operations' own folders.

mod bits;
mod bytes;
mod convert;
mod div;
mod divisor;
mod gcd;
#[cfg(any(test, feature = "gmp", feature = "malachite", feature = "num-bigint"))]
mod interop;
mod modular;
mod num;
mod ops;
mod parse;
mod primality;
mod print;
mod products;
mod random;
mod sequences;
mod serde;
#[cfg(test)]
mod tests;

pub use divisor::Divisor;
pub use ops::Operand;
pub(crate) use print::fraction_digits;
pub use products::Prepared;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::number::Integer;

use crate::cuda::{Device, device};
use crate::error::{Error, Result};
use crate::limbs::{self, DeviceLimbs, Resident};
use crate::progress;

/// A signed integer of any size, constant, kept on the host, on a CUDA device, or on both.
///
/// Results stay where they were computed; looking at one (printing it, asking for its limbs) brings
/// it to the host and keeps it there too. Clones of large values share their limbs. Numbers behave
/// as two's complement with infinitely many sign bits under `& | ^ ! >>` and the bit functions; `/`
/// and `%` truncate towards zero; both as Rust's own integers do.
///
/// ```
/// use bezout::Int;
/// let a: Int = "123_456_789_012_345_678_901_234_567_890".parse()?;
/// let b = (&a << 100) + 1;
/// assert_eq!(b.bit_length(), a.bit_length() + 100);
/// assert_eq!((b >> 100) - a, 0);
/// # Ok::<(), bezout::Error>(())
/// ```
///
/// # Panics and errors
///
/// Every operation that can fail has two forms under one rule. An operator or a plain name, such as
/// `/` or [`isqrt`](Int::isqrt), panics as Rust's own integers do; `try_` before the name, such as
/// [`try_div`](Int::try_div) or [`try_isqrt`](Int::try_isqrt), returns the [`Error`] instead. Every
/// plain name panics when the result does not fit in memory, when a device is lost, when a forced
/// engine lacks the operation and when the observer of [`progress`] cancels the work (comparisons
/// run to their end); a section *Panics* names what else makes it panic. Conversions from text,
/// `TryFrom` and functions that read or write return a `Result` as they do in the standard library.
/// Of [`verify_gcd`](Int::verify_gcd) the `Result` is the answer. Forms that name an algorithm,
/// such as [`try_gcd_by`](Int::try_gcd_by), have only the `try_` name.
#[derive(Clone)]
pub struct Int {
    limbs: Resident,
}

impl Int {
    /// 0.
    pub const ZERO: Int = Int {
        limbs: Resident::Small(Integer::ZERO),
    };

    /// 1.
    pub const ONE: Int = Int {
        limbs: Resident::Small(Integer::ONE),
    };

    /// 2^bits − 1.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::ones(65), (Int::ONE << 65) - 1);
    /// ```
    ///
    /// # Panics
    /// If the number does not fit in memory.
    #[track_caller]
    pub fn ones(bits: u64) -> Int {
        must(Int::try_ones(bits))
    }

    /// 2^bits − 1, or an error where it would not fit in memory.
    pub fn try_ones(bits: u64) -> Result<Int> {
        limbs::check_bits("ones", bits)?;
        let count = (bits / 64) as usize;
        wrap(limbs::fill(u64::MAX, count, (1 << (bits % 64)) - 1))
    }

    /// The number whose limbs are `count` copies of `limb`.
    ///
    /// # Panics
    /// If the number does not fit in memory.
    #[track_caller]
    pub fn fill(limb: u64, count: usize) -> Int {
        must(Int::try_fill(limb, count))
    }

    /// [`Int::fill`], or an error where the number would not fit in memory.
    pub fn try_fill(limb: u64, count: usize) -> Result<Int> {
        wrap(limbs::fill(limb, count, 0))
    }

    /// Whether this is below 0.
    #[track_caller]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether this is below 0.
    pub fn try_is_negative(&self) -> Result<bool> {
        Ok(self.try_signum()? < 0)
    }

    /// Whether this is above 0.
    #[track_caller]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// Whether this is above 0.
    pub fn try_is_positive(&self) -> Result<bool> {
        Ok(self.try_signum()? > 0)
    }

    /// Whether this is 0.
    #[track_caller]
    pub fn is_zero(&self) -> bool {
        self.signum() == 0
    }

    /// Whether this is 0.
    pub fn try_is_zero(&self) -> Result<bool> {
        Ok(self.try_signum()? == 0)
    }

    /// −1, 0 or 1.
    #[inline]
    #[track_caller]
    pub fn signum(&self) -> i32 {
        if let Resident::Small(value) = &self.limbs {
            return value.signum();
        }
        must(self.try_signum())
    }

    /// −1, 0 or 1.
    pub fn try_signum(&self) -> Result<i32> {
        Ok(limbs::size(&self.limbs)?.0)
    }

    /// Bits of the magnitude: the least n with |x| < 2^n.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-8).bit_length(), 4);
    /// assert_eq!(Int::ZERO.bit_length(), 0);
    /// ```
    #[track_caller]
    pub fn bit_length(&self) -> u64 {
        must(self.try_bit_length())
    }

    /// Bits of the magnitude: the least n with |x| < 2^n.
    pub fn try_bit_length(&self) -> Result<u64> {
        Ok(limbs::size(&self.limbs)?.1)
    }

    /// 64-bit limbs of the magnitude; 0 has none.
    #[track_caller]
    pub fn limb_count(&self) -> usize {
        must(self.try_limb_count())
    }

    /// 64-bit limbs of the magnitude; 0 has none.
    pub fn try_limb_count(&self) -> Result<usize> {
        Ok(self.try_bit_length()?.div_ceil(64) as usize)
    }

    /// Brings a copy of the value to the host, where there is none yet.
    ///
    /// # Panics
    /// If the device that holds the only copy is lost; see [`Int::try_fetch`].
    #[track_caller]
    pub fn fetch(&self) {
        must(self.try_fetch());
    }

    /// Brings a copy of the value to the host, where there is none yet.
    pub fn try_fetch(&self) -> Result<()> {
        self.try_host().map(drop)
    }

    /// The value on the host, fetched first if it is only on a device.
    pub(crate) fn host(&self) -> &Integer {
        must(self.try_host())
    }

    /// The value on the host, fetched first if it is only on a device.
    pub(crate) fn try_host(&self) -> Result<&Integer> {
        self.limbs.host()
    }

    /// The value on the host, moved out where no clone shares it.
    pub(crate) fn into_integer(self) -> Integer {
        must(self.limbs.into_host())
    }

    pub(crate) fn as_limbs(&self) -> &Resident {
        &self.limbs
    }

    /// Puts a copy on CUDA device `n`, where operations under `Engine::Auto` will then run.
    ///
    /// Small values (see `inline_limbs` of the tuning) own no
    /// device copy: they travel with the launch that needs them.
    ///
    /// # Panics
    /// If there is no device `n`.
    #[track_caller]
    pub fn to_device(&self, n: u32) {
        must(self.try_to_device(n));
    }

    /// [`Int::to_device`], or an error if there is no device `n`.
    pub fn try_to_device(&self, n: u32) -> Result<()> {
        let device = device(n)?;
        match &self.limbs {
            Resident::Small(_) => Ok(()),
            large => large.on(&device).map(drop),
        }
    }

    /// A device copy for a launch.
    pub(crate) fn limbs_on(&self, device: &Arc<Device>) -> Result<DeviceLimbs> {
        self.limbs.on(device)
    }

    /// Gives the device copy up, fetching the value first if the host has none.
    #[track_caller]
    pub fn drop_device(&self) {
        must(self.try_drop_device());
    }

    /// Gives the device copy up, fetching the value first if the host has none.
    pub fn try_drop_device(&self) -> Result<()> {
        self.limbs.drop_device()
    }

    /// Whether a device has a copy.
    pub fn is_on_device(&self) -> bool {
        self.limbs.device().is_some()
    }

    /// Whether the value is so short that it is kept inline, on the host alone. See
    /// `inline_limbs` of the tuning.
    #[inline]
    pub fn is_inline(&self) -> bool {
        matches!(self.limbs, Resident::Small(_))
    }

    /// Limbs of memory that an inline value holds on to, for [`Int::assign_sum`] to put results
    /// into. It is 0 for values of a few limbs and for those that are not inline.
    #[inline]
    pub fn capacity(&self) -> usize {
        match &self.limbs {
            Resident::Small(value) => value.capacity(),
            Resident::Large { .. } => 0,
        }
    }

    /// Whether the host has a copy.
    pub fn is_on_host(&self) -> bool {
        self.limbs.is_on_host()
    }
}

impl Default for Int {
    fn default() -> Int {
        Int::ZERO
    }
}

impl PartialEq for Int {
    #[inline]
    fn eq(&self, other: &Int) -> bool {
        if let (Resident::Small(x), Resident::Small(y)) = (&self.limbs, &other.limbs) {
            return x == y;
        }
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Int {}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Int) -> Ordering {
        // A launch for numbers that lie inline would never pay, whatever the engine.
        if let (Resident::Small(x), Resident::Small(y)) = (&self.limbs, &other.limbs) {
            return x.cmp(y);
        }
        compare_placed(self, other)
    }
}

#[cold]
fn compare_placed(a: &Int, b: &Int) -> Ordering {
    must(progress::unobserved(|| limbs::compare(&a.limbs, &b.limbs)))
}

/// Looks at the host copy, which is fetched first if there is none.
impl Hash for Int {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.host().hash(state);
    }
}

impl From<Resident> for Int {
    fn from(limbs: Resident) -> Int {
        Int { limbs }
    }
}

fn wrap(limbs: Result<Resident>) -> Result<Int> {
    limbs.map(Int::from)
}

/// For operators, which have no other way to report: the error's text becomes the panic's.
#[track_caller]
pub(crate) fn must<T>(result: Result<T>) -> T {
    #[cold]
    #[track_caller]
    fn fail(error: Error) -> ! {
        panic!("{error}")
    }
    match result {
        Ok(value) => value,
        Err(error) => fail(error),
    }
}
