//! [`Int`]: sign, operators, text and bytes. Thin: what works on limbs is in `limbs` and in the operations' own folders.

mod bits;
mod bytes;
mod convert;
mod div;
mod factor;
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

pub use ops::Operand;
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
/// Results stay where they were computed; looking at one (printing it, asking for its limbs) brings it to the host and keeps
/// it there too. Clones of large values share their limbs. Numbers behave as two's complement with infinitely many sign
/// bits under `& | ^ ! >>` and the bit functions; `/` and `%` truncate towards zero; both as Rust's own integers do.
///
/// Operators panic on division by zero, on a result that cannot fit in memory, and when a device is lost; each has a
/// `try_` method that returns the [`Error`] instead.
///
/// ```
/// use bezout::Int;
/// let a: Int = "123_456_789_012_345_678_901_234_567_890".parse()?;
/// let b = (&a << 100) + 1;
/// assert_eq!(b.bit_length(), a.bit_length() + 100);
/// assert_eq!((b >> 100) - a, 0);
/// # Ok::<(), bezout::Error>(())
/// ```
#[derive(Clone)]
pub struct Int {
    limbs: Resident,
}

impl Int {
    /// 0.
    pub fn zero() -> Int {
        Int::default()
    }

    /// 1.
    pub fn one() -> Int {
        Int::from(1)
    }

    /// 2^bits − 1.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::ones(65)?, (Int::one() << 65) - 1);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn ones(bits: u64) -> Result<Int> {
        limbs::check_bits("ones", bits)?;
        let count = (bits / 64) as usize;
        wrap(limbs::fill(u64::MAX, count, (1 << (bits % 64)) - 1))
    }

    /// The number whose limbs are `count` copies of `limb`.
    pub fn fill(limb: u64, count: usize) -> Result<Int> {
        wrap(limbs::fill(limb, count, 0))
    }

    /// Whether this is below 0.
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.signum() == 0
    }

    /// −1, 0 or 1.
    pub fn signum(&self) -> i32 {
        must(limbs::size(&self.limbs)).0
    }

    /// Bits of the magnitude: the least n with |x| < 2^n.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-8).bit_length(), 4);
    /// assert_eq!(Int::zero().bit_length(), 0);
    /// ```
    pub fn bit_length(&self) -> u64 {
        must(limbs::size(&self.limbs)).1
    }

    /// 64-bit limbs of the magnitude; 0 has none.
    pub fn limb_count(&self) -> usize {
        self.bit_length().div_ceil(64) as usize
    }

    /// Brings a copy of the value to the host, where there is none yet.
    ///
    /// # Panics
    /// If the device that holds the only copy is lost; see [`Int::try_fetch`].
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
    /// Small values (see [`Tuning::inline_limbs`](crate::model::Tuning::inline_limbs)) own no device copy: they travel with the
    /// launch that needs them.
    pub fn to_device(&self, n: u32) -> Result<()> {
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
    pub fn drop_device(&self) -> Result<()> {
        self.limbs.drop_device()
    }

    /// Whether a device has a copy.
    pub fn is_on_device(&self) -> bool {
        self.limbs.device().is_some()
    }

    /// Whether the host has a copy.
    pub fn is_on_host(&self) -> bool {
        self.limbs.is_on_host()
    }
}

impl Default for Int {
    fn default() -> Int {
        Int {
            limbs: Resident::Small(Integer::default()),
        }
    }
}

impl PartialEq for Int {
    fn eq(&self, other: &Int) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Int {}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Int) -> Ordering {
        let compare = || limbs::compare(&self.limbs, &other.limbs);
        must(progress::unobserved(compare))
    }
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
fn must<T>(result: Result<T>) -> T {
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
