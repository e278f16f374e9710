//! Division on a device by Newton's iteration, in whole limbs: what is cut off or joined is then a
//! matter of addresses, and a launch costs more than most of what it does.
//!
//! Below, d has n limbs with its top bit set, n even, and ρ = 2^(64n)/d, so 1 < ρ ≤ 2. All
//! precisions are even, because limbs are loaded in pairs.
//!
//! **Reciprocal.** X is one of precision p if −2^-64 ≤ X − ρ·2^(64p) ≤ 4. The first is a quotient
//! of the host, ⌊2^(64(2p+2))/D⌋ with D of p + 2 limbs, off by less than 1 and 2^-64. From one of
//! precision h, y = X_h/2^(64h), the step to p ≤ 2h − 2 takes D, the upper p + 2 limbs of d, δ' =
//! D/2^(64(p+2)), and forms
//!
//! ```text
//!     T = D·X_h − 2^(64(p+2+h))            δ'y − 1 = T/2^(64(p+2+h)), and |T| ≤ 2^(64(p+2))·4 + 2.1·2^(64h) < 2^(64(p+2)+3)
//!     F = ⌊T / 2^(64(h+2))⌋                its upper limbs, p − h + 1 of them with the sign
//!     X_p = X_h·2^(64(p−h)) − ⌊X_h·F / 2^(64h)⌋
//! ```
//!
//! y(2 − δy) is below ρ by δ(ρ − y)² ≤ 16·2^(-128h) ≤ 2^-124·2^(-64p); D for d and the roundings
//! make X_p larger: by y²·2^(-64(p+2)), by y·2^(-64p) at most, and by 2^(-64p) at most, so by less
//! than 3.1 units in all.
//!
//! T is needed only from limb h + 2 to limb p + 2, so D·X_h may be found modulo 2^(64N) − 1,
//! N ≥ p + 3: its limbs, as `mul_wrapped` gives them, are those of T + 2^(64(p+2+h−N)) − m with
//! 0 ≤ m < 2^117 and p + 2 + h − N < h, which changes F by at most 1, and only where T is within
//! 2^-64 units of a multiple: that is covered by the bound.
//!
//! **A block of quotient.** With X from below, 4 or 5 taken off, and cut to p = w + 2 limbs: off by
//! 6 units at most. For 0 ≤ A < d·(1 + 2^-100)·2^(64w), q = ⌊⌊A/2^(64(n−2))⌋·X / 2^(64(p+2))⌋ is at
//! most A/d, and less than 1 + 2^-120 below it. So r = A − q·d is at least 0 and below d·(1 +
//! 2^-100), which is what the next block needs. Only the last remainder is compared with d.
//!
//! **A remainder from a wrapped product.** Modulo 2^(64N) − 1, −d is its complement 2^(64N) − 1 −
//! d, and r + 1 ≡ R with R = V + A0 + A1 + 1, V the wrapped product of q and that complement, A =
//! A1·2^(64N) + A0. Let R = R1·2^(64N) + R0, R1 < 2^117. If r + 1 ≤ 2^(64N)·(1 − 2^-45), then R0 +
//! R1 is r + 1, and the top limb of R0 is not all ones; or it is r + 2^(64N), R0 ≥ 2^(64N) − 2^117,
//! and that limb is all ones. With N > n that bound holds always, with N = n where the top limb of
//! d is below 2^64 − 2^20.
//!
//! **Cost** in products of n by n limbs, from n to n/2 limbs of reciprocal and two blocks of
//! quotient: see `newton.rs`; wrapped products and kept transforms bring 3.75 to 2.5.

use std::sync::Arc;

use crate::number::Integer;
use crate::number::Natural;

use crate::cuda::Device;
use crate::error::Result;
use crate::limbs::cuda::{Joined, Part, complement, fold_high_limbs, join};
use crate::limbs::{self, DeviceLimbs, Resident};
use crate::mul::cuda::{self as mul, KeptWrapped};
use crate::ntt::plan::wrap_log;
use crate::tuning::Tuning;

/// Limbs by which a divisor is known better than its reciprocal, and a dividend better than its
/// quotient.
const GUARD: usize = 2;
/// Least precision of the host's quotient.
const LEAST_BASE: usize = 4;
/// A reciprocal that would be a little longer than a transform is made so much shorter than one.
const SPARE: usize = 16;

/// A divisor and its reciprocal from below.
#[derive(Clone)]
pub(crate) struct Reciprocal {
    device: Arc<Device>,
    /// d·2^shift has n limbs.
    divisor: Resident,
    shift: u64,
    n: usize,
    top: u64,
    /// Of this precision, at most 5 below ρ·2^(64·precision).
    value: Resident,
    precision: usize,
}

/// Even, and no less.
fn even(limbs: usize) -> usize {
    limbs.next_multiple_of(2)
}

/// The precision that a step to `p` starts from.
fn half(p: usize) -> usize {
    even(p / 2 + 1)
}

/// The precision to use where `p` would do: a little less than a power of two where that is a
/// little less than it, because then products have that length.
fn rounded(p: usize) -> usize {
    let power = (p + SPARE).next_power_of_two() / 2;
    if power > 64 * SPARE && p + SPARE - power <= 2 * SPARE + 4 {
        power - SPARE
    } else {
        p
    }
}

impl Reciprocal {
    /// For a divisor d > 0 of exactly `bits` bits, to find about `block` limbs of quotient at a
    /// time.
    pub(super) fn new(
        device: &Arc<Device>,
        divisor: &Resident,
        bits: u64,
        block: usize,
    ) -> Result<Reciprocal> {
        let n = even(bits.div_ceil(64) as usize);
        let shift = 64 * n as u64 - bits;
        let divisor = shl(divisor, shift)?.narrow(64 * n as u64);
        let precision = rounded(even(block.max(1)) + GUARD);
        let (value, top) = reciprocal(device, &divisor, n, precision)?;
        Ok(Reciprocal {
            device: device.clone(),
            divisor,
            shift,
            n,
            top,
            value: limbs::add_small(&value, -4)?.narrow(64 * precision as u64 + 2),
            precision,
        })
    }

    /// (q, r) with a = q·d + r and 0 ≤ r < d, for 0 ≤ a < 2^m.
    pub(super) fn div_rem(&self, a: &Resident, m: u64) -> Result<(Resident, Resident)> {
        let (mut quotient, mut remainder) = self.reduce(a, m)?;
        if !limbs::compare(&remainder, &self.divisor)?.is_lt() {
            remainder = limbs::sub(&remainder, &self.divisor)?.narrow(64 * self.n as u64);
            quotient = limbs::add_small(&quotient, 1)?;
        }
        Ok((quotient, self.unshifted(remainder)?))
    }

    /// a modulo d, but below 2d, for 0 ≤ a < 2d·2^bits.
    pub(super) fn residue(&self, a: &Resident, bits: u64) -> Result<Resident> {
        let remainder = self
            .reduce(a, 64 * self.n as u64 - self.shift + 1 + bits)?
            .1;
        self.unshifted(remainder)
    }

    fn unshifted(&self, remainder: Resident) -> Result<Resident> {
        match self.shift {
            0 => Ok(remainder),
            shift => limbs::shr(&remainder, shift),
        }
    }

    /// (q, r) with a·2^shift = q·d + r for the shifted d, and 0 ≤ r < d·(1 + 2^-100).
    fn reduce(&self, a: &Resident, m: u64) -> Result<(Resident, Resident)> {
        let (device, n) = (&self.device, self.n);
        let bits = (m + self.shift).next_multiple_of(64);
        let whole = shl(a, self.shift)?.narrow(bits);
        let a = whole.on(device)?;
        // Its own bound may be less.
        let total = a.len().min((bits / 64) as usize);
        if total < n {
            return Ok((limbs::zero(), whole));
        }
        // a < 2^(64·total) ≤ 2d·2^(64·(total − n)).
        let length = even(total - n + 1);
        let block = self.precision - GUARD;
        let blocks = Blocks::new(self, length)?;
        let mut place = length - 1 - (length - 1) % block;
        let (mut quotient, mut rest) = blocks.block(a.clone().above(place), length - place)?;
        while place > 0 {
            place -= block;
            let joined = join(
                device,
                (Part::Signed(&rest.on(device)?), block),
                Part::Natural(&a.clone().above(place), block),
                Joined::Plus(0),
                64 * (n + block) as u64 + 1,
            )?;
            let (digits, remainder) = blocks.block(joined.on(device)?, block)?;
            let so_far = join(
                device,
                (Part::Signed(&quotient), block),
                Part::Signed(&digits),
                Joined::Plus(0),
                64 * (length - place) as u64 + 1,
            )?;
            (quotient, rest) = (so_far.on(device)?, remainder);
        }
        Ok((quotient.into_limbs()?, rest))
    }
}

/// The common data of the blocks of one division.
struct Blocks<'a> {
    device: &'a Arc<Device>,
    n: usize,
    precision: usize,
    divisor: DeviceLimbs,
    /// Its complement in that many limbs, where products of full blocks wrap to them.
    complement: Option<(DeviceLimbs, u32)>,
    value: DeviceLimbs,
    /// Transforms that more than one block uses.
    kept_value: Option<KeptWrapped>,
    kept_divisor: Option<KeptWrapped>,
}

impl<'a> Blocks<'a> {
    fn new(of: &'a Reciprocal, length: usize) -> Result<Blocks<'a>> {
        let block = of.precision - GUARD;
        let mut blocks = Blocks {
            device: &of.device,
            n: of.n,
            precision: of.precision,
            divisor: of.divisor.on(&of.device)?,
            complement: None,
            value: of.value.on(&of.device)?,
            kept_value: None,
            kept_divisor: None,
        };
        let tuning = Tuning::current();
        if let Some(log_n) = blocks.wrap(block.min(length), of.top < u64::MAX << 20) {
            let complement = complement(&blocks.divisor, 64 << log_n)?.on(&of.device)?;
            blocks.complement = Some((complement, log_n));
        }
        if length >= 2 * block && block >= tuning.div_keep_limbs {
            // Dividend and reciprocal have block + 3 limbs each.
            let count = 2 * block as u64 + 5;
            if let Some(log_n) = wrap_log(count, count, &tuning) {
                let terms = block as u64 + 3;
                blocks.kept_value = Some(KeptWrapped::new(&blocks.value, log_n, terms)?);
            }
            if let Some((complement, log_n)) = &blocks.complement {
                blocks.kept_divisor = Some(KeptWrapped::new(complement, *log_n, block as u64 + 1)?);
            }
        }
        Ok(blocks)
    }

    /// log2 of the limbs to which the product of the divisor and `width` + 1 limbs wraps, where
    /// that is worth it.
    fn wrap(&self, width: usize, can_fill: bool) -> Option<u32> {
        let tuning = Tuning::current();
        let full = self.n + width;
        let count = if can_fill {
            self.n.max(width + 1)
        } else {
            self.n.max(width) + 1
        };
        let thin = self.n.min(width) <= tuning.mul_short_limbs || full <= tuning.mul_direct_limbs;
        wrap_log(count as u64, full as u64, &tuning).filter(|log_n| 1usize << log_n < full && !thin)
    }

    /// (q, a − q·d) for 0 ≤ a < d·(1 + 2^-100)·2^(64·width).
    fn block(&self, a: DeviceLimbs, width: usize) -> Result<(DeviceLimbs, Resident)> {
        let precision = width + GUARD;
        let top = a.clone().above(self.n - GUARD);
        let top = top.lowest(64 * precision as u64 + 1);
        let value = self.value.clone().above(self.precision - precision);
        let product = match &self.kept_value {
            Some(kept) if precision == self.precision => kept.mul(&top)?,
            _ => mul::mul(&top, &value)?,
        };
        let product = product.on(self.device)?;
        if product.len() <= precision + GUARD {
            // By its bound, the quotient is 0.
            return Ok((limbs::zero().on(self.device)?, a.into_limbs()?));
        }
        let quotient = product.above(precision + GUARD);
        let quotient = quotient.lowest(64 * width as u64 + 1);
        let remainder = self.remainder(&a, &quotient, width)?;
        Ok((quotient, remainder))
    }

    fn remainder(&self, a: &DeviceLimbs, q: &DeviceLimbs, width: usize) -> Result<Resident> {
        let (device, n) = (self.device, self.n);
        let bits = 64 * n as u64 + 1;
        // A first block may be too short for it to be worth it.
        let wide = 2 * width + 2 * GUARD > self.precision;
        let folded = match (&self.kept_divisor, &self.complement) {
            (Some(kept), _) if wide => Some((kept.fold(q, a)?, kept.limbs())),
            (_, Some((complement, log_n))) if wide => Some((
                mul::fold_wrapped(q, complement, *log_n, a)?,
                1usize << log_n,
            )),
            _ => None,
        };
        if let Some((folded, length)) = folded {
            return fold_high_limbs(&folded.on(device)?, length, bits);
        }
        // Modulo 2^(64·(n + 1)), which is more than the difference.
        let product = mul::mul(q, &self.divisor)?.on(device)?;
        let low = |x: &DeviceLimbs| x.len().min(n + 1);
        join(
            device,
            (Part::Natural(a, low(a)), 0),
            Part::Natural(&product, low(&product)),
            Joined::Minus,
            bits,
        )
    }
}

/// X of precision p for d of n limbs with its top bit set, and that limb.
fn reciprocal(
    device: &Arc<Device>,
    divisor: &Resident,
    n: usize,
    p: usize,
) -> Result<(Resident, u64)> {
    let tuning = Tuning::current();
    let base = even(tuning.div_base_limbs).max(LEAST_BASE);
    let mut precisions = vec![p];
    while let Some(p) = precisions.last().copied().filter(|p| *p > base) {
        precisions.push(half(p));
    }
    let d = divisor.on(device)?;
    let mut h = precisions.pop().unwrap_or(p);
    let known = n.min(h + GUARD);
    let mut limbs = vec![0u64; h + GUARD];
    d.fetch(n - known, &mut limbs[h + GUARD - known..])?;
    let top = limbs[h + GUARD - 1];
    let d_base = Natural::from_vec(limbs);
    let start = (Natural::ONE << (64 * (2 * h + GUARD) as u64)) / d_base;
    let mut x = Resident::from(Integer::from(start)).on(device)?;
    while let Some(p) = precisions.pop() {
        let longer = p + GUARD;
        let cut = if n >= longer {
            d.clone().above(n - longer)
        } else {
            shl(divisor, 64 * (longer - n) as u64)?.on(device)?
        };
        let error = |t: Resident| -> Result<DeviceLimbs> {
            let bits = 64 * (p - h) as u64 + 3;
            Ok(t.on(device)?.above(h + GUARD).lowest(bits))
        };
        let full = p + h + GUARD;
        let wrap = wrap_log(p as u64 + 3, full as u64, &tuning)
            .filter(|log_n| 1usize << log_n < full && full > tuning.mul_direct_limbs);
        let change = match wrap {
            Some(log_n) if p >= tuning.div_keep_limbs => {
                let kept = KeptWrapped::new(&x, log_n, h as u64 + 1)?;
                kept.mul(&error(kept.mul(&cut)?)?)?
            }
            Some(log_n) => mul::mul(&x, &error(mul::mul_wrapped(&cut, &x, log_n)?)?)?,
            None => mul::mul(&x, &error(mul::mul(&cut, &x)?)?)?,
        };
        let next = join(
            device,
            (Part::Natural(&x, h + 1), p - h),
            Part::Signed(&change.on(device)?.above(h)),
            Joined::Minus,
            64 * p as u64 + 2,
        )?;
        (x, h) = (next.on(device)?, p);
    }
    Ok((x.into_limbs()?, top))
}

/// X with |X/2^p − 2^n/d| ≤ 2·2^-p, for d > 0 of exactly n bits.
pub(super) fn reciprocal_bits(
    device: &Arc<Device>,
    d: &Resident,
    n: u64,
    p: u64,
) -> Result<Resident> {
    let limbs = even(n.div_ceil(64) as usize);
    let precision = even((p / 64) as usize + 2);
    let d = shl(d, 64 * limbs as u64 - n)?.narrow(64 * limbs as u64);
    let (x, _) = reciprocal(device, &d, limbs, precision)?;
    Ok(limbs::shr(&x, 64 * precision as u64 - p)?.narrow(p + 2))
}

fn shl(a: &Resident, by: u64) -> Result<Resident> {
    match by {
        0 => Ok(a.clone()),
        by => limbs::shl(a, by),
    }
}
