//! Limbs: where an integer's digits are kept, and the operations whose cost is linear in them.
//!
//! Liu–Tong's operations (bitwise logic, shift, set, popcount, add, subtract), with the three
//! limits their paper states removed: carries are resolved in parallel, idle device memory is
//! released, and launches fit the device and the size.
//!
//! Which engine serves which case under `Engine::Auto`:
//!
//! ```text
//!   operands                          linear operation runs on
//!   all on the host                   CPU: moving them would cost more than the operation
//!   any only on a device              that device
//!   all large ones on a device        that device
//!   a large one only on the host      CPU
//!
//!   CPU engine:   0 ...... cpu_parallel_limbs ............ all of memory
//!                 | one thread | threads, carry look-back |
//! ```

mod bounded;
mod cpu;
pub(crate) mod cuda;
mod number;
mod plan;
#[cfg(test)]
mod residence_tests;
#[cfg(test)]
mod tests;

pub(crate) use bounded::{low, shr_wrapped, sub_bounded};
pub(crate) use number::{DeviceLimbs, Resident};
pub(crate) use plan::{check_bits, limbs_for};

use std::cmp::Ordering;
use std::sync::Arc;

use crate::number::Integer;

use crate::cuda::Device;
use crate::engine::{self, ChosenPlace, Engine, Work};
use crate::error::{Error, Result};
use crate::memory;

/// [`engine::run`] for these operands.
fn run<T>(
    operands: &[&Resident],
    on_cpu: impl FnOnce() -> Result<T>,
    on_cuda: impl FnOnce(&Arc<Device>) -> Result<T>,
) -> Result<T> {
    engine::run(
        work_on(operands),
        operands.iter().map(|limbs| limbs.residence()),
        on_cpu,
        on_cuda,
    )
}

/// Work on numbers of `bits` bits, by the kernels of this folder.
fn linear(bits: u64) -> Work {
    Work::linear(bits).needing(|_, tuning| cuda::linear_units(tuning), (0, 0))
}

fn work_on(operands: &[&Resident]) -> Work {
    linear(operands.iter().map(|x| x.bits_bound()).max().unwrap_or(0))
}

/// Whether an assigning operation may change `a` in place on the host.
fn runs_on_cpu(operands: &[&Resident]) -> Result<bool> {
    let here = matches!(
        engine::place(
            work_on(operands),
            operands.iter().map(|limbs| limbs.residence())
        )?,
        ChosenPlace::Cpu
    );
    if here {
        Engine::Cpu.note_used();
    }
    Ok(here)
}

/// The values of inline operands, which are served at once: small numbers must not pay for the
/// choice of an engine.
#[inline]
fn inline<const N: usize>(operands: [&Resident; N]) -> Option<[&Integer; N]> {
    static ZERO: Integer = Integer::ZERO;
    let mut values = [&ZERO; N];
    for (value, operand) in values.iter_mut().zip(operands) {
        *value = operand.inline()?;
    }
    Engine::Cpu.note_used();
    Some(values)
}

/// The values of operands that are short under every tuning, unless products are checked: the floor
/// serves all operations on them, and they must not pay for the choice of an engine.
#[inline]
pub(crate) fn short<const N: usize>(operands: [&Resident; N]) -> Option<[&Integer; N]> {
    static ZERO: Integer = Integer::ZERO;
    let mut values = [&ZERO; N];
    for (value, operand) in values.iter_mut().zip(operands) {
        *value = operand.short()?;
    }
    Engine::Cpu.note_used();
    Some(values)
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident, $assign:ident, $op:tt, $cuda:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(a: &Resident, b: &Resident) -> Result<Resident> {
            if let Some([x, y]) = inline([a, b]) {
                return Ok((x $op y).into());
            }
            run(
                &[a, b],
                || Ok(cpu::$name(a.host()?, b.host()?).into()),
                |device| $cuda(a, b, device),
            )
        }

        /// Writes the result of the operation into `a`, reusing its memory where nothing else
        /// shares it.
        pub(crate) fn $assign(a: &mut Resident, b: &Resident) -> Result<()> {
            if runs_on_cpu(&[a, b])? {
                let other = b.host()?;
                if let Some(mut value) = a.take_host() {
                    cpu::$assign(&mut value, other);
                    *a = value.into();
                    return Ok(());
                }
            }
            *a = $name(a, b)?;
            Ok(())
        }
    )*};
}

binary! {
    /// a + b.
    add, add_assign, +, |a: &Resident, b: &Resident, device| {
        match (a.small_word(), b.small_word()) {
            (_, Some(word)) => cuda::add_small(&a.on(device)?, word),
            (Some(word), _) => cuda::add_small(&b.on(device)?, word),
            _ => cuda::add(&a.on(device)?, &b.on(device)?),
        }
    };
    /// a − b.
    sub, sub_assign, -, |a: &Resident, b: &Resident, device| {
        match b.small_word().and_then(i64::checked_neg) {
            Some(word) => cuda::add_small(&a.on(device)?, word),
            None => cuda::sub(&a.on(device)?, &b.on(device)?),
        }
    };
    /// a AND b, two's complement.
    and, and_assign, &, |a: &Resident, b: &Resident, device| {
        cuda::and(&a.on(device)?, &b.on(device)?)
    };
    /// a OR b, two's complement.
    or, or_assign, |, |a: &Resident, b: &Resident, device| {
        cuda::or(&a.on(device)?, &b.on(device)?)
    };
    /// a XOR b, two's complement.
    xor, xor_assign, ^, |a: &Resident, b: &Resident, device| {
        cuda::xor(&a.on(device)?, &b.on(device)?)
    };
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident, $inline:expr, $cuda:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(a: &Resident) -> Result<Resident> {
            if let Some([x]) = inline([a]) {
                return Ok($inline(x).into());
            }
            run(
                &[a],
                || Ok(cpu::$name(a.host()?).into()),
                |device| $cuda(&a.on(device)?),
            )
        }
    )*};
}

unary! {
    /// −a − 1.
    not, |x: &Integer| !x, cuda::not;
    /// −a.
    neg, |x: &Integer| -x, cuda::neg;
    /// |a|.
    abs, |x: &Integer| x.abs(), cuda::abs;
}

/// a + b for a machine word b.
pub(crate) fn add_small(a: &Resident, b: i64) -> Result<Resident> {
    if let Some([x]) = inline([a]) {
        return Ok((x + Integer::from(b)).into());
    }
    run(
        &[a],
        || Ok(cpu::add_small(a.host()?, b).into()),
        |device| cuda::add_small(&a.on(device)?, b),
    )
}

/// a·2^count.
pub(crate) fn shl(a: &Resident, count: u64) -> Result<Resident> {
    let bits = plan::shifted_left_bits(a.bits_bound(), count)?;
    if let Some([x]) = inline([a]) {
        fits("shift left", bits)?;
        return Ok((x << count).into());
    }
    run(
        &[a],
        || {
            fits("shift left", bits)?;
            Ok(cpu::shl(a.host()?, count).into())
        },
        |device| {
            let a = a.on(device)?;
            cuda::shl(&a, count, bits.max(a.bits + count))
        },
    )
}

/// ⌊a / 2^count⌋.
pub(crate) fn shr(a: &Resident, count: u64) -> Result<Resident> {
    if let Some([x]) = inline([a]) {
        return Ok((x >> count).into());
    }
    run(
        &[a],
        || Ok(cpu::shr(a.host()?, count).into()),
        |device| cuda::shr(&a.on(device)?, count),
    )
}

/// a·2^count into `a`, reusing its memory where nothing else shares it.
pub(crate) fn shl_assign(a: &mut Resident, count: u64) -> Result<()> {
    let bits = plan::shifted_left_bits(a.bits_bound(), count)?;
    if runs_on_cpu(&[a])? {
        fits("shift left", bits)?;
    }
    shift_assign(a, count, cpu::shl_assign, shl)
}

/// Refuses a result of `bits` bits that the host has no memory for.
fn fits(what: &'static str, bits: u64) -> Result<()> {
    memory::check_copies(what, bits.into(), 1)
}

/// ⌊a / 2^count⌋ into `a`, reusing its memory where nothing else shares it.
pub(crate) fn shr_assign(a: &mut Resident, count: u64) -> Result<()> {
    shift_assign(a, count, cpu::shr_assign, shr)
}

fn shift_assign(
    a: &mut Resident,
    count: u64,
    in_place: fn(&mut Integer, u64),
    anew: fn(&Resident, u64) -> Result<Resident>,
) -> Result<()> {
    let own = if runs_on_cpu(&[a])? {
        a.take_host()
    } else {
        None
    };
    *a = match own {
        Some(mut value) => {
            in_place(&mut value, count);
            value.into()
        }
        None => anew(a, count)?,
    };
    Ok(())
}

/// The number 0.
pub(crate) fn zero() -> Resident {
    Resident::Small(Integer::ZERO)
}

/// `pattern` repeated `count` times, as an unsigned number, with `top` above it.
pub(crate) fn fill(pattern: u64, count: usize, top: u64) -> Result<Resident> {
    let bits = check_bits("fill", (count as u64).saturating_add(1).saturating_mul(64))?;
    engine::run(
        linear(bits),
        [],
        || {
            fits("fill", bits)?;
            Ok(cpu::fill(pattern, count, top).into())
        },
        |device| {
            cuda::fill(
                device,
                pattern,
                count,
                top,
                bits,
                cuda::LinearShape::tuned(count),
            )
        },
    )
}

/// Number of one bits; none (infinitely many) for a negative number.
pub(crate) fn popcount(a: &Resident) -> Result<Option<u64>> {
    if let Some([x]) = inline([a]) {
        return Ok(cpu::popcount(x));
    }
    run(
        &[a],
        || Ok(cpu::popcount(a.host()?)),
        |device| cuda::popcount(&a.on(device)?),
    )
}

/// Number of bits that differ; none (infinitely many) for opposite signs.
pub(crate) fn hamming(a: &Resident, b: &Resident) -> Result<Option<u64>> {
    if let Some([x, y]) = inline([a, b]) {
        return Ok(cpu::hamming(x, y));
    }
    run(
        &[a, b],
        || Ok(cpu::hamming(a.host()?, b.host()?)),
        |device| cuda::hamming(&a.on(device)?, &b.on(device)?),
    )
}

/// The first one bit at or above `from`.
pub(crate) fn scan_set(a: &Resident, from: u64) -> Result<Option<u64>> {
    if let Some([x]) = inline([a]) {
        return Ok(cpu::scan_set(x, from));
    }
    run(
        &[a],
        || Ok(cpu::scan_set(a.host()?, from)),
        |device| cuda::scan(&a.on(device)?, from, true),
    )
}

/// The first zero bit at or above `from`.
pub(crate) fn scan_clear(a: &Resident, from: u64) -> Result<Option<u64>> {
    if let Some([x]) = inline([a]) {
        return Ok(cpu::scan_clear(x, from));
    }
    run(
        &[a],
        || Ok(cpu::scan_clear(a.host()?, from)),
        |device| cuda::scan(&a.on(device)?, from, false),
    )
}

/// Signed comparison.
pub(crate) fn compare(a: &Resident, b: &Resident) -> Result<Ordering> {
    if a.is_same(b) {
        return Ok(Ordering::Equal);
    }
    if let Some([x, y]) = inline([a, b]) {
        return Ok(x.cmp(y));
    }
    run(
        &[a, b],
        || Ok(cpu::compare(a.host()?, b.host()?)),
        |device| cuda::compare(&a.on(device)?, &b.on(device)?),
    )
}

/// Sign (−1, 0, 1) and bit length of |a|.
#[inline]
pub(crate) fn size(a: &Resident) -> Result<(i32, u64)> {
    if let Resident::Small(value) = a {
        return Ok((value.signum(), value.bit_length()));
    }
    size_placed(a)
}

fn size_placed(a: &Resident) -> Result<(i32, u64)> {
    if a.is_on_host() {
        let value = a.host()?;
        return Ok((value.signum(), value.bit_length()));
    }
    if let Some(device) = a.device() {
        match cuda::size(&a.on(&device)?) {
            Err(Error::DeviceMemory { .. }) => a.host().map(drop)?,
            found => return found,
        }
    }
    // Fetched for want of memory, or evicted between the two questions: the host has it now.
    size_placed(a)
}

/// Bit `index` of the two's complement.
#[inline]
pub(crate) fn bit(a: &Resident, index: u64) -> Result<bool> {
    if let Resident::Small(value) = a
        && !value.is_negative()
    {
        return Ok(value.magnitude().bit(index));
    }
    bit_placed(a, index)
}

fn bit_placed(a: &Resident, index: u64) -> Result<bool> {
    if a.is_on_host() {
        return Ok(cpu::bit(a.host()?, index));
    }
    if let Some(device) = a.device() {
        match cuda::bit(&a.on(&device)?, index) {
            Err(Error::DeviceMemory { .. }) => a.host().map(drop)?,
            found => return found,
        }
    }
    bit_placed(a, index)
}

/// The change of a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BitChange {
    Set,
    Clear,
    Flip,
}

/// Changes bit `index` of the two's complement, in place where nothing else shares `a`.
pub(crate) fn change_bit(a: &mut Resident, index: u64, change: BitChange) -> Result<()> {
    let bits = plan::changed_bit_bits(a.bits_bound(), index)?;
    match engine::place(linear(bits), [a.residence()])? {
        ChosenPlace::Cpu => {
            Engine::Cpu.note_used();
            if cpu::changed_bit(a.host()?, index, change).is_none() {
                return Ok(());
            }
            let mut value = match a.take_host() {
                Some(value) => value,
                // One limb more than the result has, for a carry.
                None => cpu::copy_with_room(a.host()?, plan::limbs_for(bits) + 1)?,
            };
            let changed = cpu::change_bit(&mut value, index, change);
            *a = value.into();
            changed?;
        }
        ChosenPlace::Cuda(device) => {
            Engine::Cuda(device.info().ordinal).note_used();
            *a = cuda::change_bit(a, &device, index, change, bits)?;
        }
    }
    Ok(())
}
