//! Operations on values for which the caller knows tighter bounds than the stored ones.
//!
//! A device keeps a bound for each value, not its size, and bounds only grow along a chain of
//! operations. Where an algorithm has proved a smaller bound, these use it: only the low limbs are
//! read, and they are the whole value in two's complement.

use crate::number::Integer;

use super::{DeviceLimbs, Resident, cpu, cuda, run};
use crate::error::Result;

impl DeviceLimbs {
    /// Keeps only the low limbs, which represent the value modulo 2^(64·limbs), at least 2^(bits +
    /// 1).
    pub(crate) fn lowest(mut self, bits: u64) -> DeviceLimbs {
        self.bits = self.bits.min(bits);
        self
    }

    /// The value by itself: a copy where the buffer has other limbs below it or other owners.
    pub(crate) fn into_limbs(self) -> Result<Resident> {
        match self.into_buffer() {
            Ok((buffer, bits)) => Ok(Resident::from_device(buffer, bits)),
            Err(part) => Ok(cuda::shr(&part, 0)?.narrow(part.bits)),
        }
    }
}

impl Resident {
    /// This value with a bound of at most `bits`. The caller has proved −2^bits ≤ a < 2^bits.
    pub(crate) fn narrow(mut self, bits: u64) -> Resident {
        if let Resident::Large {
            copies,
            bits: bound,
        } = &mut self
        {
            *bound = (*bound).min(bits);
            debug_assert!(copies.host_if_there().is_none_or(|value| fits(value, bits)));
        }
        self
    }
}

/// Whether −2^bits ≤ x < 2^bits.
fn fits(x: &Integer, bits: u64) -> bool {
    x.bit_length() <= bits
        || (*x < 0 && x.bit_length() == bits + 1 && x == &-(Integer::ONE << bits))
}

/// a modulo 2^bits, from 0 to 2^bits − 1.
pub(crate) fn low(a: &Resident, bits: u64) -> Result<Resident> {
    run(
        &[a],
        || Ok(Integer::from(a.host()?.low_bits(bits)).into()),
        |device| {
            let (count, part) = ((bits / 64) as usize, bits % 64);
            let mask = cuda::fill(
                device,
                u64::MAX,
                count,
                (1 << part) - 1,
                bits,
                cuda::LinearShape::tuned(count),
            )?;
            let masked = cuda::and(&a.on(device)?.lowest(bits), &mask.on(device)?)?;
            Ok(masked.narrow(bits))
        },
    )
}

/// a − b. The caller must have proved −2^bits ≤ a − b < 2^bits.
pub(crate) fn sub_bounded(a: &Resident, b: &Resident, bits: u64) -> Result<Resident> {
    run(
        &[a, b],
        || Ok(cpu::sub(a.host()?, b.host()?).into()),
        |device| {
            // One more bit must not need one more limb: that limb would have the sign of a part,
            // not of the whole.
            let view = bits + u64::from((bits + 1).is_multiple_of(64));
            let [a, b] = [a.on(device)?.lowest(view), b.on(device)?.lowest(view)];
            Ok(cuda::sub(&a, &b)?.narrow(bits))
        },
    )
}

/// ⌊w / 2^count⌋ for the number w that is a modulo 2^(bits + 1) and −2^bits ≤ w < 2^bits. The
/// caller has proved that a and w agree modulo 2^(64·⌊bits/64⌋ + 64) too.
pub(crate) fn shr_wrapped(a: &Resident, bits: u64, count: u64) -> Result<Resident> {
    run(
        &[a],
        || {
            let mut wrapped = Integer::from(a.host()?.low_bits(bits + 1));
            if wrapped.bit(bits) {
                wrapped -= Integer::ONE << (bits + 1);
            }
            Ok((wrapped >> count).into())
        },
        |device| cuda::shr(&a.on(device)?.lowest(bits), count),
    )
}
