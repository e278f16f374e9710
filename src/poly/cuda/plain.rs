//! Plain arithmetic as published: wrappers around `plain.cu`, the paper's Algorithms 1, 3, 5, 8 and 10.

use super::{Field, Operand, Slice, done};
use crate::cuda::{Buffer, Launch, Source};
use crate::error::{Error, Result};
use crate::poly::coefficients::Coefficients;
use crate::poly::modulus::Modulus;

pub(crate) static PLAIN: Source = Source {
    name: "poly_plain",
    kernels: &[
        "poly_plain_inverse",
        "poly_plain_divide_step",
        "poly_plain_divide_steps",
        "poly_plain_products",
        "poly_plain_sums",
        "poly_plain_gcd_step",
        "poly_plain_gcd_steps",
    ],
    text: concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../field.cuh"),
        include_str!("../plain.cu")
    ),
};

/// Most threads of a block, where 3s is more.
const BLOCK: u32 = 1024;
/// Threads of a block of the naive algorithms and of the multiplication.
const SIMPLE_BLOCK: u32 = 256;
/// Most steps of a kernel, so that 7s words fit the shared memory of every device that has 227 KiB of it.
pub(crate) const MOST_STEPS: u32 = 4096;
/// Most coefficients of b that a block of the multiplication takes.
pub(crate) const MOST_PRODUCTS: u32 = 256;
/// Kernels between looks at how far Euclid's algorithm is.
const LOOK: usize = 32;

/// Threads for blocks of 3s.
fn block_for(s: u32) -> u32 {
    (3 * s).next_multiple_of(32).min(BLOCK)
}

/// a·b by Algorithms 5, 6 and 7.
pub(in crate::poly) fn mul(a: Operand, b: Operand, s: u32, p: Modulus) -> Result<Coefficients> {
    let field = Field::of(a, p);
    let device = &field.device;
    let (a, b) = (Slice::of(a), Slice::of(b));
    let len = (a.len + b.len).saturating_sub(1);
    let out = device.alloc(len)?;
    device.zero(&out, 0, len)?;
    if a.len == 0 || b.len == 0 {
        return Ok(done(out));
    }
    let (n, m) = (a.len as u64, b.len as u64);
    let (x, y) = (m.div_ceil(s.into()), n + u64::from(s) - 1);
    // Small products in smaller blocks, so that there are some; and what a block holds must fit.
    let mut block = SIMPLE_BLOCK;
    while block > 32 && (block * s > 1 << 14 || y <= u64::from(block * s / 2)) {
        block /= 2;
    }
    let tiles = y.div_ceil(u64::from(block * s));
    let words = field.word_bytes() as u64;
    let rows = device.alloc((x * y * words).div_ceil(8) as usize)?;
    let shape = |rows: u64| -> Result<Launch> {
        let grid = u32::try_from(rows * tiles).map_err(|_| Error::TooLarge {
            what: "a plain product of polynomials",
            bits: 64 * (n + m),
            limit: 64 << 22,
        })?;
        Ok(Launch::of(grid, block))
    };
    let padded = s.next_multiple_of(4);
    let products = field.kernel(&PLAIN, "poly_plain_products")?;
    let sums = field.kernel(&PLAIN, "poly_plain_sums")?;
    // SAFETY: a and b hold n and m coefficients (asserted by ptr()), rows x·y words, out n + m − 1 zeroed coefficients; grid and
    // shared memory are those of the kernels' heads.
    unsafe {
        products.launch(
            Launch {
                shared_bytes: (2 * s + block * padded) * field.word_bytes(),
                ..shape(x)?
            },
            (
                rows.ptr(),
                a.ptr(),
                n,
                b.ptr(),
                m,
                s,
                tiles as u32,
                p.get(),
                field.square,
            ),
        )?;
        for i in 0..=x.ilog2() {
            // Rows 2^i − 1, 2^i − 1 + 2^(i + 1), ... below x.
            let first = (1u64 << i) - 1;
            let count = (x - first).div_ceil(2 << i);
            sums.launch(
                shape(count)?,
                (
                    rows.ptr(),
                    out.ptr(),
                    len,
                    y,
                    s,
                    x,
                    i,
                    tiles as u32,
                    p.get(),
                    field.square,
                ),
            )?;
        }
    }
    Ok(done(out))
}

/// (q, r) by Algorithms 1 and 2 for s = 1, else 3 and 4.
pub(in crate::poly) fn div_rem(
    a: Operand,
    b: Operand,
    s: u32,
    p: Modulus,
) -> Result<(Coefficients, Coefficients)> {
    let field = Field::of(a, p);
    let device = &field.device;
    let (a, b) = (Slice::of(a), Slice::of(b));
    let [n, m] = field.lengths([a, b])?;
    if m == 0 {
        return Err(Error::DivisionByZero);
    }
    let (a, b) = (a.part(0, n), b.part(0, m));
    if n < m {
        return Ok((done(device.alloc(0)?), done(field.copy(a, n)?)));
    }
    let (rest, q) = (field.copy(a, n)?, device.alloc(n - m + 1)?);
    let (head, inverse) = (device.alloc(s as usize)?, device.alloc(1)?);
    let (p, square) = (p.get(), field.square);
    let invert = field.kernel(&PLAIN, "poly_plain_inverse")?;
    let step = field.kernel(&PLAIN, "poly_plain_divide_step")?;
    let steps = field.kernel(&PLAIN, "poly_plain_divide_steps")?;
    let top = b.ptr().offset_limbs(m - 1);
    // SAFETY: b has a leading coefficient; `inverse` has room for one word.
    unsafe { invert.launch(Launch::of(1, 1), (inverse.ptr(), top, p, square))? };
    let mut i = n as u64;
    while i >= m as u64 {
        let at = i - 1;
        let (degree, todo) = (m as u64 - 1, i - (m as u64 - 1));
        // SAFETY: the rest has n > at coefficients, b has m, q has n − m + 1, head has s; grid and shared memory are those of the
        // kernels' heads.
        unsafe {
            if s == 1 {
                let grid = (m as u64).div_ceil(SIMPLE_BLOCK.into()) as u32;
                step.launch(
                    Launch::of(grid, SIMPLE_BLOCK),
                    (
                        rest.ptr(),
                        b.ptr(),
                        q.ptr(),
                        inverse.ptr(),
                        at,
                        degree,
                        p,
                        square,
                    ),
                )?;
            } else {
                let grid = 1 + (degree + u64::from(s)).div_ceil(2 * u64::from(s)) as u32;
                let shape = Launch {
                    shared_bytes: 7 * s * field.word_bytes(),
                    ..Launch::of(grid, block_for(s))
                };
                steps.launch(
                    shape,
                    (
                        rest.ptr(),
                        b.ptr(),
                        q.ptr(),
                        head.ptr(),
                        inverse.ptr(),
                        at,
                        degree,
                        s,
                        p,
                        square,
                    ),
                )?;
            }
        }
        let done = todo.min(s.into());
        if done < u64::from(s) {
            // What is left of the head, its highest coefficient first, is the remainder's.
            let left = (u64::from(s) - done).min(i - done) as usize;
            let low = field.reverse(Slice::all(&head).part(0, left), left)?;
            device.copy(&low, 0, &rest, (i - done) as usize - left, left)?;
        }
        i -= done;
    }
    let r = field.copy(Slice::all(&rest).part(0, m - 1), m - 1)?;
    Ok((done(q), done(r)))
}

/// The monic gcd by Algorithms 8 and 9 for s = 1, else 10 and 11.
pub(in crate::poly) fn gcd(a: Operand, b: Operand, s: u32, p: Modulus) -> Result<Coefficients> {
    let field = Field::of(a, p);
    let device = &field.device;
    let room = a.len.max(b.len).max(1);
    let rows = |x: Operand| field.copy(Slice::of(x), room);
    let mut now = [rows(a)?, rows(b)?];
    let mut then = match s {
        1 => None,
        _ => Some([device.alloc(room)?, device.alloc(room)?]),
    };
    // −1 for 0.
    let degrees = [a.len, b.len].map(|n| (n as u64).wrapping_sub(1));
    let mut state = device.upload(&degrees)?;
    let mut next = device.alloc(2)?;
    let step = field.kernel(&PLAIN, "poly_plain_gcd_step")?;
    let steps = field.kernel(&PLAIN, "poly_plain_gcd_steps")?;
    let (p, square) = (p.get(), field.square);
    let mut longest = room as u64;
    loop {
        for _ in 0..LOOK {
            // SAFETY: all arrays have `room` coefficients, the states two words; grid and shared memory are those of the kernels' heads for
            // polynomials of at most `longest` coefficients.
            unsafe {
                match &mut then {
                    None => step.launch(
                        Launch::of(longest.div_ceil(SIMPLE_BLOCK.into()) as u32, SIMPLE_BLOCK),
                        (
                            now[0].ptr(),
                            now[1].ptr(),
                            state.ptr(),
                            next.ptr(),
                            p,
                            square,
                        ),
                    )?,
                    Some(then) => {
                        let grid = 2 + longest.div_ceil(s.into()) as u32;
                        let shape = Launch {
                            shared_bytes: 6 * s * field.word_bytes(),
                            ..Launch::of(grid, block_for(s))
                        };
                        steps.launch(
                            shape,
                            (
                                then[0].ptr(),
                                then[1].ptr(),
                                now[0].ptr(),
                                now[1].ptr(),
                                state.ptr(),
                                next.ptr(),
                                s,
                                p,
                                square,
                            ),
                        )?;
                        std::mem::swap(&mut now, then);
                    }
                }
            }
            std::mem::swap(&mut state, &mut next);
        }
        let mut found = [0; 2];
        device.download(&state, 0, &mut found)?;
        let lengths = found.map(|d| d.wrapping_add(1));
        longest = lengths[0].max(lengths[1]).max(1);
        if let Some(zero) = lengths.iter().position(|n| *n == 0) {
            let g = Slice::all(&now[1 - zero]).part(0, lengths[1 - zero] as usize);
            return monic(&field, g).map(done);
        }
    }
}

/// g divided by its leading coefficient, which is its last.
fn monic(field: &Field, g: Slice) -> Result<Buffer> {
    match g.len {
        0 => field.device.alloc(0),
        n => field.divide_by(g, g, n - 1),
    }
}
