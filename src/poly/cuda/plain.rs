//! Plain arithmetic as published: wrappers around `plain.cu`, the paper's Algorithms 1, 3, 5, 8 and
//! 10.

use super::{Field, Operand, Slice, Word, done};
use crate::cuda::{Buffer, Launch, Read, Update, Write, kernels};
use crate::error::{Error, Result};
use crate::poly::coefficients::Coefficients;
use crate::poly::modulus::Modulus;

kernels! {
    pub(crate) static PLAIN = "poly_plain", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../field.cuh"),
        include_str!("../plain.cu")
    );

    fn poly_plain_inverse(to: Write<u64>[1], x: Read<u64>[1], p: u64, square: u64);
    fn poly_plain_divide_step(
        a: Update<u64>[i + 1], b: Read<u64>[d_b + 1], q: Write<u64>[i - d_b + 1],
        inverse: Read<u64>[1], i: u64, d_b: u64, p: u64, square: u64,
    );
    fn poly_plain_divide_steps(
        a: Update<u64>[i + 1], b: Read<u64>[d_b + 1], q: Write<u64>[i - d_b + 1],
        head: Write<u64>[s], inverse: Read<u64>[1], i: u64, d_b: u64, s: u32, p: u64, square: u64,
    );
    fn poly_plain_products(
        M: Write<Word>, a: Read<u64>[n], n: u64, b: Read<u64>[m], m: u64, s: u32, tiles: u32,
        p: u64, square: u64,
    );
    fn poly_plain_sums(
        M: Update<Word>, sum: Update<u64>[len], len: u64, y: u64, s: u32, x: u64, i: u32,
        tiles: u32, p: u64, square: u64,
    );
    fn poly_plain_gcd_step(
        a: Update<u64>, b: Update<u64>, st: Read<i64>[2], next: Write<i64>[2], p: u64, square: u64,
    );
    fn poly_plain_gcd_steps(
        a_out: Write<u64>, b_out: Write<u64>, a: Read<u64>, b: Read<u64>, st: Read<i64>[2],
        next: Write<i64>[2], s: u32, p: u64, square: u64,
    );
}

/// Maximum threads of a block, if 3s is more.
const BLOCK: u32 = 1024;
/// Threads of a block of the naive algorithms and of the multiplication.
const SIMPLE_BLOCK: u32 = 256;
/// Maximum steps of a kernel, so that 7s words fit in 227 KiB of shared memory.
pub(crate) const MOST_STEPS: u32 = 4096;
/// Maximum coefficients of b per block of the multiplication.
pub(crate) const MOST_PRODUCTS: u32 = 256;
/// Kernels between two checks of the progress of Euclid's algorithm.
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
    // Small products use smaller blocks, so that there are several blocks. The data of a block must
    // fit in shared memory.
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
    let products = field.kernel(poly_plain_products)?;
    let sums = field.kernel(poly_plain_sums)?;
    // SAFETY: a and b hold n and m coefficients (asserted by span()), rows x·y words, out n + m − 1
    // zeroed coefficients; grid and shared memory are those of the kernels' heads.
    unsafe {
        products.launch(
            Launch {
                shared_bytes: (2 * s + block * s) * field.word_bytes(),
                ..shape(x)?
            },
            rows.write(),
            a.read(),
            n,
            b.read(),
            m,
            s,
            tiles as u32,
            p.get(),
            field.square,
        )?;
        for i in 0..=x.ilog2() {
            // Rows 2^i − 1, 2^i − 1 + 2^(i + 1), ... below x.
            let first = (1u64 << i) - 1;
            let count = (x - first).div_ceil(2 << i);
            sums.launch(
                shape(count)?,
                rows.update(),
                out.update(),
                len,
                y,
                s,
                x,
                i,
                tiles as u32,
                p.get(),
                field.square,
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
    let invert = field.kernel(poly_plain_inverse)?;
    let step = field.kernel(poly_plain_divide_step)?;
    let steps = field.kernel(poly_plain_divide_steps)?;
    let top = b.part(m - 1, 1);
    // SAFETY: b has a leading coefficient; `inverse` has room for one word.
    unsafe { invert.launch(Launch::of(1, 1), inverse.write(), top.read(), p, square)? };
    let mut i = n as u64;
    while i >= m as u64 {
        let at = i - 1;
        let (degree, todo) = (m as u64 - 1, i - (m as u64 - 1));
        // SAFETY: the rest has n > at coefficients, b has m, q has n − m + 1, head has s; grid and
        // shared memory are those of the kernels' heads.
        unsafe {
            if s == 1 {
                let grid = (m as u64).div_ceil(SIMPLE_BLOCK.into()) as u32;
                step.launch(
                    Launch::of(grid, SIMPLE_BLOCK),
                    rest.update(),
                    b.read(),
                    q.write(),
                    inverse.read(),
                    at,
                    degree,
                    p,
                    square,
                )?;
            } else {
                let grid = 1 + (degree + u64::from(s)).div_ceil(2 * u64::from(s)) as u32;
                let shape = Launch {
                    shared_bytes: 7 * s * field.word_bytes(),
                    ..Launch::of(grid, block_for(s))
                };
                steps.launch(
                    shape,
                    rest.update(),
                    b.read(),
                    q.write(),
                    head.write(),
                    inverse.read(),
                    at,
                    degree,
                    s,
                    p,
                    square,
                )?;
            }
        }
        let done = todo.min(s.into());
        if done < u64::from(s) {
            // The rest of the head, its highest coefficient first, belongs to the remainder.
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
    let step = field.kernel(poly_plain_gcd_step)?;
    let steps = field.kernel(poly_plain_gcd_steps)?;
    let (p, square) = (p.get(), field.square);
    let mut longest = room as u64;
    loop {
        for _ in 0..LOOK {
            // SAFETY: all arrays have `room` coefficients, the states two words; grid and shared
            // memory are those of the kernels' heads for polynomials of at most `longest`
            // coefficients.
            unsafe {
                match &mut then {
                    None => step.launch(
                        Launch::of(longest.div_ceil(SIMPLE_BLOCK.into()) as u32, SIMPLE_BLOCK),
                        now[0].update(),
                        now[1].update(),
                        state.read(),
                        next.write(),
                        p,
                        square,
                    )?,
                    Some(then) => {
                        let grid = 2 + longest.div_ceil(s.into()) as u32;
                        let shape = Launch {
                            shared_bytes: 6 * s * field.word_bytes(),
                            ..Launch::of(grid, block_for(s))
                        };
                        steps.launch(
                            shape,
                            then[0].write(),
                            then[1].write(),
                            now[0].read(),
                            now[1].read(),
                            state.read(),
                            next.write(),
                            s,
                            p,
                            square,
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
