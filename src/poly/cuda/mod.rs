//! Polynomials on a device: typed wrappers around the kernels of this folder.
//!
//! | file | what |
//! |---|---|
//! | `cuda/mod.rs` | what each operation calls; sums and other linear work (`linear.cu`) |
//! | `cuda/product.rs` | products by the transforms of `ntt`, reduced modulo p (`reduce.cu`) |
//! | `cuda/div.rs` | division by Newton's iteration, powers modulo a polynomial |
//! | `cuda/compose.rs` | one polynomial of another |
//! | `cuda/euclid.rs` | greatest common divisors in one block, or by a leader and its matrices (`euclid.cu`) |
//! | `cuda/half.rs` | half-GCDs by products above that |
//! | `cuda/points.rs` | values at many points, interpolation |
//! | `cuda/plain.rs` | the algorithms as published (`plain.cu`) |

#![allow(unsafe_code)]

mod compose;
mod div;
mod euclid;
mod half;
pub(super) mod plain;
mod points;
mod product;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::coefficients::{Coefficients, DeviceCoefficients};
use super::modulus::Modulus;
use super::{compose as host_compose, gcd as host_gcd};
use crate::cuda::{
    Buffer, Device, Element, Handle, Kernel, Launch, Lent, Read, Span, Unit, Update, Write, kernels,
};
use crate::error::{Error, Result};
use crate::tuning::Tuning;
use product::Products;

type Operand<'a> = &'a DeviceCoefficients;

/// The word of the kernels: 4 or 8 bytes, depending on the `-D` values.
#[derive(Clone, Copy)]
pub(crate) struct Word;

impl Element for Word {
    const C: &'static str = "Word";
    const BYTES: u64 = 0;
}

kernels! {
    pub(crate) static LINEAR = "poly_linear", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../field.cuh"),
        include_str!("../linear.cu")
    );

    fn poly_add(
        out: Write<u64>[n], n: u64, a: Read<u64>[len_a], len_a: u64, b: Read<u64>[len_b],
        len_b: u64, minus: u32, p: u64, square: u64,
    );
    fn poly_scale(
        out: Write<u64>[n], n: u64, a: Read<u64>[n], scalar: u64, factor: Option<Read<u64>>[1],
        invert: u32, p: u64, square: u64,
    );
    fn poly_derivative(out: Write<u64>[n], n: u64, a: Read<u64>[n + 1], p: u64, square: u64);
    fn poly_reverse(out: Write<u64>[n], n: u64, a: Read<u64>[len], len: u64);
    fn poly_length(length: Update<u64>[count], a: Read<u64>[n], n: u64, stride: u64, count: u64);
    fn poly_rows(
        rows: Write<u64>[count * stride], count: u64, stride: u64, a: Read<u64>[len], len: u64,
        chunk: u32, powers: Read<u64>[chunk * stride], p: u64, square: u64,
    );
    fn poly_values(
        values: Write<u64>[count], points: Read<u64>[count], count: u64, a: Read<u64>[len],
        len: u64, p: u64, square: u64,
    );
    fn poly_series_inverse(
        out: Write<u64>[n], n: u32, a: Read<u64>[len], len: u64, p: u64, square: u64,
    );
}

/// The `-D` values that all sources here take, for a modulus of this kind: 1, 32 or 64 bits.
pub(crate) fn defines(tuning: &Tuning, bits: u32) -> Vec<(&'static str, i64)> {
    vec![
        ("POLY_BITS", bits.into()),
        ("POLY_BLOCK", tuning.poly_block.into()),
    ]
}

/// Every module of this folder, for every kind of modulus.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    use euclid::{EUCLID, euclid_defines};
    use product::{DIRECT, REDUCE, reduce_defines};
    let released: Vec<_> = REDUCE.kernels.iter().collect();
    let of_kind = |bits| {
        let plain = defines(tuning, bits);
        // Coefficients of sums of products of 32 bits need four primes at most.
        let most = if bits == 64 { 5 } else { 3 };
        [
            Unit::new(&LINEAR, &plain),
            Unit::new(&DIRECT, &plain),
            Unit::new(&plain::PLAIN, &plain),
            Unit::new(&REDUCE, &reduce_defines(tuning, bits)).only(&released[..most]),
            Unit::new(&EUCLID, &euclid_defines(tuning, bits)),
        ]
    };
    [1, 32, 64].into_iter().flat_map(of_kind).collect()
}

/// The kernels of one product of polynomials of up to about `len` coefficients modulo p, as
/// `engine::KernelList` has it.
pub(super) fn of_products((len, p): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    product::needed(Products::One, len, p, tuning)
}

/// Those of divisions, and of values at points.
pub(super) fn of_divisions((len, p): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    let mut all = product::needed(Products::AllLengths, len, p, tuning);
    all.push(Unit::new(&LINEAR, &defines(tuning, kind(p))));
    all
}

/// Those of greatest common divisors.
pub(super) fn of_gcds((len, p): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    use euclid::{EUCLID, euclid_defines};
    let mut all = if len <= tuning.poly_gcd_block_len as u64 {
        Vec::new()
    } else {
        product::needed(Products::Kept, len, p, tuning)
    };
    all.push(Unit::new(&LINEAR, &defines(tuning, kind(p))));
    all.push(Unit::new(&EUCLID, &euclid_defines(tuning, kind(p))));
    all
}

/// The kind of `field.cuh` for a modulus.
fn kind(p: u64) -> u32 {
    match p {
        2 => 1,
        p if p < 1 << 31 => 32,
        _ => 64,
    }
}

/// Z_p on a device.
#[derive(Clone)]
struct Field {
    device: Arc<Device>,
    p: Modulus,
    /// The kind of `field.cuh`.
    bits: u32,
    /// R² mod p.
    square: u64,
    tuning: Tuning,
}

/// Coefficients in a buffer.
#[derive(Clone, Copy)]
struct Slice<'a> {
    buffer: &'a Buffer,
    start: usize,
    len: usize,
}

impl<'a> Slice<'a> {
    fn all(buffer: &'a Buffer) -> Slice<'a> {
        Slice {
            buffer,
            start: 0,
            len: buffer.limbs(),
        }
    }

    fn of(a: Operand<'a>) -> Slice<'a> {
        assert!(a.len <= a.buffer.limbs());
        Slice {
            len: a.len,
            ..Slice::all(&a.buffer)
        }
    }

    /// At most `len` coefficients from `start` on.
    fn part(self, start: usize, len: usize) -> Slice<'a> {
        let start = start.min(self.len);
        Slice {
            buffer: self.buffer,
            start: self.start + start,
            len: len.min(self.len - start),
        }
    }

    fn span(self) -> Span<'a> {
        assert!(self.start + self.len <= self.buffer.limbs());
        self.buffer.skip_limbs(self.start)
    }

    fn read(self) -> Lent<'a, Read<u64>> {
        self.span().read()
    }
}

impl Field {
    fn new(device: &Arc<Device>, p: Modulus) -> Field {
        let bits = kind(p.get());
        let r = match bits {
            1 => 1,
            bits => p.reduce_wide(1 << bits),
        };
        Field {
            device: device.clone(),
            p,
            bits,
            square: p.mul(r, r),
            tuning: Tuning::current(),
        }
    }

    fn of(a: Operand, p: Modulus) -> Field {
        Field::new(a.device(), p)
    }

    fn kernel<K: Handle>(&self, handle: K) -> Result<Kernel<K>> {
        let defines = defines(&self.tuning, self.bits);
        self.device.kernel(handle, &defines)
    }

    /// A grid for `n` coefficients, a few each thread.
    fn shape(&self, n: usize) -> Launch {
        let block = self.tuning.poly_block;
        let most = 16 * self.device.info().multiprocessors as usize;
        let blocks = n.div_ceil(2 * block as usize).clamp(1, most);
        Launch::of(blocks as u32, block)
    }

    /// a ± b in `n` coefficients.
    fn add(&self, a: Slice, b: Slice, n: usize, minus: bool) -> Result<Buffer> {
        let out = self.device.alloc(n)?;
        if n > 0 {
            let kernel = self.kernel(poly_add)?;
            // SAFETY: out holds n coefficients and is new; the operands hold the lengths passed
            // (asserted by span()).
            unsafe {
                kernel.launch(
                    self.shape(n),
                    out.write(),
                    n,
                    a.read(),
                    a.len,
                    b.read(),
                    b.len,
                    u32::from(minus),
                    self.p.get(),
                    self.square,
                )?;
            }
        }
        Ok(out)
    }

    /// c·a.
    fn scale(&self, a: Slice, c: u64) -> Result<Buffer> {
        self.scale_by(a, c, None, false)
    }

    /// a divided by the coefficient number `at` of another, which is not 0.
    fn divide_by(&self, a: Slice, other: Slice, at: usize) -> Result<Buffer> {
        assert!(at < other.len);
        self.scale_by(a, 0, Some(other.part(at, 1)), true)
    }

    fn scale_by(&self, a: Slice, c: u64, factor: Option<Slice>, invert: bool) -> Result<Buffer> {
        let out = self.device.alloc(a.len)?;
        if a.len > 0 {
            let kernel = self.kernel(poly_scale)?;
            // SAFETY: out holds as many coefficients as a and is new; a holds its length (asserted
            // by span()); the factor is null or a coefficient inside its buffer (asserted by
            // divide_by()).
            unsafe {
                kernel.launch(
                    self.shape(a.len),
                    out.write(),
                    a.len,
                    a.read(),
                    c,
                    factor.map(Slice::read),
                    u32::from(invert),
                    self.p.get(),
                    self.square,
                )?;
            }
        }
        Ok(out)
    }

    /// The derivative.
    fn derivative(&self, a: Slice) -> Result<Buffer> {
        let n = a.len.saturating_sub(1);
        let out = self.device.alloc(n)?;
        if n > 0 {
            let kernel = self.kernel(poly_derivative)?;
            // SAFETY: out holds n coefficients and is new, a holds n + 1 (asserted by span()).
            unsafe {
                kernel.launch(
                    self.shape(n),
                    out.write(),
                    n,
                    a.read(),
                    self.p.get(),
                    self.square,
                )?;
            }
        }
        Ok(out)
    }

    /// The reversal: coefficient len − 1 first, in `n` coefficients, padded with zeros.
    fn reverse(&self, a: Slice, n: usize) -> Result<Buffer> {
        let out = self.device.alloc(n)?;
        if n > 0 {
            let kernel = self.kernel(poly_reverse)?;
            // SAFETY: out holds n coefficients and is new; a holds its length (asserted by span()).
            unsafe { kernel.launch(self.shape(n), out.write(), n, a.read(), a.len)? };
        }
        Ok(out)
    }

    /// The lengths without leading zeros.
    fn lengths<const N: usize>(&self, slices: [Slice; N]) -> Result<[usize; N]> {
        let found = self.device.alloc(N)?;
        self.device.zero(&found, 0, N)?;
        for (i, a) in slices.iter().enumerate() {
            if a.len > 0 {
                let kernel = self.kernel(poly_length)?;
                let to = found.skip_limbs(i).update();
                // SAFETY: `to` is one zeroed counter, a holds its length (asserted by span()).
                unsafe { kernel.launch(self.shape(a.len), to, a.read(), a.len, 0usize, 1usize)? };
            }
        }
        let mut lengths = [0; N];
        self.device.download(&found, 0, &mut lengths)?;
        Ok(lengths.map(|n| n as usize))
    }

    /// A copy of a in a buffer of `n` coefficients, padded with zeros.
    fn copy(&self, a: Slice, n: usize) -> Result<Buffer> {
        let out = self.device.alloc(n)?;
        let len = a.len.min(n);
        self.device.copy(a.buffer, a.start, &out, 0, len)?;
        self.device.zero(&out, len, n - len)?;
        Ok(out)
    }
}

fn done(buffer: Buffer) -> Coefficients {
    Coefficients::from_device(buffer)
}

/// How many coefficients there are without leading zeros.
pub(super) fn length(a: Operand) -> Result<usize> {
    // The modulus does not matter here.
    let field = Field::new(a.device(), Modulus::new(2)?);
    Ok(field.lengths([Slice::of(a)])?[0])
}

/// a + b.
pub(super) fn add(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    let (a, b, field) = (Slice::of(a), Slice::of(b), Field::of(a, p));
    field.add(a, b, a.len.max(b.len), false).map(done)
}

/// a − b.
pub(super) fn sub(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    let (a, b, field) = (Slice::of(a), Slice::of(b), Field::of(a, p));
    field.add(a, b, a.len.max(b.len), true).map(done)
}

/// −a.
pub(super) fn neg(a: Operand, p: Modulus) -> Result<Coefficients> {
    scale(a, p.neg(1), p)
}

/// c·a for c < p.
pub(super) fn scale(a: Operand, c: u64, p: Modulus) -> Result<Coefficients> {
    Field::of(a, p).scale(Slice::of(a), c).map(done)
}

/// The derivative.
pub(super) fn derivative(a: Operand, p: Modulus) -> Result<Coefficients> {
    Field::of(a, p).derivative(Slice::of(a)).map(done)
}

/// a·b.
pub(super) fn mul(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    let same = a.ptr() == b.ptr() && a.len == b.len;
    let field = Field::of(a, p);
    field
        .mul(Slice::of(a), (!same).then(|| Slice::of(b)))
        .map(done)
}

/// a².
pub(super) fn square(a: Operand, p: Modulus) -> Result<Coefficients> {
    Field::of(a, p).mul(Slice::of(a), None).map(done)
}

/// Quotient and remainder; `Error::DivisionByZero` where b has no coefficient other than 0.
pub(super) fn div_rem(a: Operand, b: Operand, p: Modulus) -> Result<(Coefficients, Coefficients)> {
    let field = Field::of(a, p);
    let (a, b) = (Slice::of(a), Slice::of(b));
    let [la, lb] = field.lengths([a, b])?;
    if lb == 0 {
        return Err(Error::DivisionByZero);
    }
    let (q, r) = field.div_rem(a.part(0, la), b.part(0, lb))?;
    Ok((done(q), done(r)))
}

/// The monic gcd; 0 where both are.
pub(super) fn gcd(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    let field = Field::of(a, p);
    field.gcd(Slice::of(a), Slice::of(b)).map(done)
}

/// (g, s, t) with s·a + t·b = g, the monic gcd.
pub(super) fn extended_gcd(a: Operand, b: Operand, p: Modulus) -> Result<[Coefficients; 3]> {
    let field = Field::of(a, p);
    let found = field.extended_gcd(Slice::of(a), Slice::of(b))?;
    Ok(found.map(done))
}

/// The resultant.
pub(super) fn resultant(a: Operand, b: Operand, p: Modulus) -> Result<u64> {
    let (a, b, field) = (Slice::of(a), Slice::of(b), Field::of(a, p));
    let [la, lb] = field.lengths([a, b])?;
    let (a, b) = (a.part(0, la), b.part(0, lb));
    match (la, lb) {
        (0, _) | (_, 0) => Ok(0),
        _ if la < lb => Ok(host_gcd::exchanged(field.resultant(b, a)?, la, lb, p)),
        _ => field.resultant(a, b),
    }
}

/// a at each of the points, which are below p: as many values.
pub(super) fn evaluate(a: Operand, points: &[u64], p: Modulus) -> Result<Vec<u64>> {
    Field::of(a, p).values(Slice::of(a), points)
}

/// The polynomial of least degree with these values at distinct points below p.
pub(super) fn interpolate(
    device: &Arc<Device>,
    points: &[u64],
    values: &[u64],
    p: Modulus,
) -> Result<Coefficients> {
    Field::new(device, p).interpolate(points, values).map(done)
}

/// a(b).
pub(super) fn compose(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    let (a, b, field) = (Slice::of(a), Slice::of(b), Field::of(a, p));
    let [la, lb] = field.lengths([a, b])?;
    let (a, b) = (a.part(0, la), b.part(0, lb));
    if la <= 1 || lb == 0 {
        field.copy(a, la.min(1)).map(done)
    } else {
        host_compose::check_len(la, lb, 2)?;
        field.compose(a, b).map(done)
    }
}

/// a^exponent modulo m, the exponent as limbs, low one first.
pub(super) fn pow_mod(
    a: Operand,
    exponent: &[u64],
    m: Operand,
    p: Modulus,
) -> Result<Coefficients> {
    let (a, m, field) = (Slice::of(a), Slice::of(m), Field::of(a, p));
    let [la, lm] = field.lengths([a, m])?;
    if lm == 0 {
        return Err(Error::DivisionByZero);
    }
    let power = field.pow_mod(a.part(0, la), exponent, m.part(0, lm))?;
    Ok(done(power))
}

/// The products of pairs.
pub(super) fn mul_many(
    pairs: &[(DeviceCoefficients, DeviceCoefficients)],
    p: Modulus,
) -> Result<Vec<Coefficients>> {
    let Some((a, _)) = pairs.first() else {
        return Ok(Vec::new());
    };
    let slices: Vec<_> = pairs
        .iter()
        .map(|(a, b)| (Slice::of(a), Slice::of(b)))
        .collect();
    let products = Field::of(a, p).mul_many(&slices)?;
    Ok(products.into_iter().map(done).collect())
}

/// The monic gcds of pairs.
pub(super) fn gcd_many(
    pairs: &[(DeviceCoefficients, DeviceCoefficients)],
    p: Modulus,
) -> Result<Vec<Coefficients>> {
    match pairs.first() {
        None => Ok(Vec::new()),
        Some((a, _)) => Field::of(a, p).gcd_many(pairs),
    }
}
