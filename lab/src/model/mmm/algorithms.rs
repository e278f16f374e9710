//! The paper's algorithms: what it states of each (`*_cost`), and each as a [`Program`] whose
//! blocks are counted one by one.
//!
//! Polynomials a and b have n and m coefficients, n ≥ m ≥ 1; ℓ is the threads of a block. The costs
//! leave out roundings, so that a program comes to a little more.

use super::{Block, Cost, Operation, Program};

/// A block of 64-bit words that operates on residues, never meets, and reads all it needs at once.
fn block(threads: f64, work: f64, span: f64, words: (f64, f64)) -> Block {
    Block {
        threads,
        work,
        span,
        reads: words.0,
        writes: words.1,
        word_bytes: 8.0,
        operation: Operation::Residue,
        barriers: 0.0,
        waits: 1.0,
    }
}

/// The same where words are of 32 bits and operations are those of words. Sums of products are
/// such: they are reduced once, at their end.
fn narrow(block: Block, barriers: f64) -> Block {
    Block {
        word_bytes: 4.0,
        operation: Operation::Word,
        barriers,
        ..block
    }
}

/// A block of s steps, of division or of Euclid's algorithm, with 3s threads that meet after each.
/// The first s threads follow the heads, s(s + 1)/2 operations; the others change 2s coefficients s
/// times, by two operations each.
fn block_of_steps(s: u64, words: (f64, f64)) -> Block {
    let steps = s as f64;
    let work = steps * (steps + 1.0) / 2.0 + 4.0 * steps * steps;
    Block {
        barriers: steps,
        ..block(3.0 * steps, work, 3.0 * steps, words)
    }
}

/// Algorithms 1 and 2 (section 3.1): one division step a kernel, a coefficient a thread.
pub fn naive_division_cost(n: f64, m: f64, l: f64) -> Cost {
    let steps = n - m + 1.0;
    Cost {
        work: steps * m * (2.0 * l + 1.0) / l,
        span: 3.0 * steps,
        words: 5.0 * steps * m / l,
        blocks: steps * m / l,
        path: steps,
        block_span: 3.0,
        block_words: 5.0,
        widest: m / l,
    }
}

/// Algorithms 1 and 2 as a program.
pub fn naive_division(n: u64, m: u64, l: u64) -> Program {
    let mut program = Program::default();
    let each = block(l as f64, 2.0 * l as f64 + 1.0, 3.0, (3.0, 2.0));
    program.then(m.div_ceil(l), each, n - m + 1);
    program
}

/// Algorithms 3 and 4 (section 3.2): s division steps a kernel, 2s coefficients a block of 3s
/// threads.
pub fn division_cost(n: f64, m: f64, s: f64) -> Cost {
    let steps = n - m + 1.0;
    Cost {
        work: steps * m * (9.0 * s + 1.0) / (4.0 * s),
        span: 3.0 * steps,
        words: 9.0 * steps * m / (2.0 * s * s),
        blocks: steps * m / (2.0 * s * s),
        path: steps / s,
        block_span: 3.0 * s,
        block_words: 9.0,
        widest: m / (2.0 * s),
    }
}

/// Algorithms 3 and 4 as a program.
pub fn division(n: u64, m: u64, s: u64) -> Program {
    let mut program = Program::default();
    let each = block_of_steps(s, (5.0, 4.0));
    program.then(m.div_ceil(2 * s), each, (n - m + 1).div_ceil(s));
    program
}

/// Section 4: radix sort of n numbers of `bits` bits, s bits a pass, four numbers a thread.
///
/// The paper's W prints 1 where its equation (8) has 1/s; moving each number once a pass gives 1/s,
/// which stands here.
pub fn sort_cost(n: f64, bits: f64, s: f64, l: f64) -> Cost {
    let (digits, log) = (s.exp2(), l.log2());
    Cost {
        work: bits
            * ((22.0 * s * l + s + 12.0) / (4.0 * s * l)
                + (digits + 20.0 * digits * l) / (16.0 * s * l * l)
                + 1.0 / s)
            * n
            + bits * (16.0 + 192.0 * l) / (16.0 * s),
        span: bits * (8.0 * log + 16.0 / s * log + 41.0 + 54.0 / s),
        words: bits * (9.0 / (2.0 * s * l) * n + 17.0 * digits / (16.0 * s * l * l) * n - 1.0 / s),
        blocks: bits / s * (1.0 / (2.0 * l) + digits / (8.0 * l * l)) * n,
        path: 5.0 * bits / s,
        block_span: s * (41.0 + 8.0 * log) + 12.0,
        block_words: 9.0,
        widest: n / (4.0 * l),
    }
}

/// The same as a program: in each pass tiles are sorted, their histograms are summed by three
/// kernels, and the numbers are moved. Of the last four spans the paper gives the sum alone,
/// 16·log2 ℓ + 42.
pub fn sort(n: u64, bits: u64, s: u64, l: u64) -> Program {
    let mut program = Program::default();
    let (tiles, threads, steps) = (n.div_ceil(4 * l), l as f64, s as f64);
    let sums = ((1u64 << s) * tiles).div_ceil(4 * l);
    let log = threads.log2();
    for _ in 0..bits.div_ceil(s) {
        let span = steps * (41.0 + 8.0 * log) + 12.0;
        let work = 22.0 * steps * threads + steps + 12.0;
        // A split is a prefix sum and two moves, with a barrier after each.
        let sorting = narrow(block(threads, work, span, (4.0, 5.0)), 3.0 * steps);
        program.then(tiles, sorting, 1);
        let scan = 8.0 * log + 17.0;
        let summing = block(threads, 16.0 * threads + 1.0, scan, (4.0, 5.0));
        program.then(sums, narrow(summing, 2.0), 1);
        let totals = block(threads, 12.0 * threads + 1.0, scan, (1.0, 1.0));
        program.then(1, narrow(totals, 2.0), 1);
        let adding = block(threads, 4.0 * threads, 4.0, (4.0, 4.0));
        program.then(sums, narrow(adding, 0.0), 1);
        let moving = block(threads, 4.0 * threads, 4.0, (5.0, 4.0));
        program.then(tiles, narrow(moving, 1.0), 1);
    }
    program
}

/// Algorithms 5 to 7 (section 5): s coefficients of b a block, s sums a thread.
pub fn multiplication_cost(n: f64, m: f64, s: f64, l: f64) -> Cost {
    let row = n + s - 1.0;
    Cost {
        work: (2.0 * m - 0.5) * row,
        span: 2.0 * s * s + s * (m / s).log2() - s,
        words: row * (5.0 * m * s + 2.0 * m - 3.0 * s * s) / (s * s * l),
        blocks: row * (2.0 * m - s) / (s * s * l),
        path: (m / s).log2() + 1.0,
        block_span: s * (2.0 * s - 1.0),
        block_words: 2.0 * (s + 1.0),
        widest: m * row / (s * s * l),
    }
}

/// Algorithms 5 to 7 as a program: products into ⌈m/s⌉ rows, which are added by pairs. (Algorithm 5
/// prints log2 s for the steps of the additions; its text has log2 of the rows.) Counted so, the
/// work is (2m − 1)(n + s − 1), where the paper has 2m − 1/2. The heaviest block is one that adds,
/// with a span of s and 3s transfers, as long as U(s − 2) > 2s(s − 1): for s = 3 to 17 at U = 37.3.
/// The paper's C is of one that multiplies, with a span of s(2s − 1) and 2s + 2 transfers.
pub fn multiplication(n: u64, m: u64, s: u64, l: u64) -> Program {
    let mut program = Program::default();
    let (rows, row) = (m.div_ceil(s), n + s - 1);
    let (sums, threads) = (s as f64, l as f64);
    let span = sums * (2.0 * sums - 1.0);
    let products = block(threads, threads * span, span, (sums + 2.0, sums));
    program.then((rows * row).div_ceil(s * l), narrow(products, 1.0), 1);
    let mut left = rows;
    while left > 1 {
        let pairs = left / 2;
        // A thread adds one pair after the other: what it writes may be what it reads next.
        let adding = Block {
            waits: sums,
            ..block(threads, threads * sums, sums, (2.0 * sums, sums))
        };
        program.then((pairs * row).div_ceil(s * l), narrow(adding, 0.0), 1);
        left -= pairs;
    }
    program
}

/// Algorithms 8 and 9 (section 6.1): Euclid's algorithm, one division step a kernel.
pub fn naive_euclid_cost(n: f64, m: f64, l: f64) -> Cost {
    Cost {
        work: m * (2.0 * n * l + n + l - 1.0) / l,
        span: 3.0 * (m + n - 2.0),
        words: 5.0 * m * (n + l + 1.0) / l,
        blocks: m * (n + l + 1.0) / l,
        path: m + n - 2.0,
        block_span: 3.0,
        block_words: 5.0,
        widest: m / l,
    }
}

/// Algorithms 8 and 9 as a program, for remainders that lose one degree at a time. Blocks beyond
/// the divisor do nothing and do not count.
pub fn naive_euclid(n: u64, m: u64, l: u64) -> Program {
    let each = block(l as f64, 2.0 * l as f64 + 1.0, 3.0, (3.0, 2.0));
    euclid_steps(n, m, 1, |degree| (degree.div_ceil(l), each))
}

/// Algorithms 10 and 11 (section 6.2): Euclid's algorithm, s division steps a kernel, blocks of 3s
/// threads.
pub fn euclid_cost(n: f64, m: f64, s: f64) -> Cost {
    Cost {
        work: (9.0 / 4.0 + 6.0 / s) * m * m
            + (9.0 / 2.0 * n + n / (2.0 * s) + 87.0 / 8.0 * s + 23.0 / 2.0) * m
            - 345.0 / 16.0 * s * s
            - 77.0 / 4.0 * s,
        span: 3.0 * n + 3.0 * m,
        words: 8.0 * m * (n + s) / (s * s),
        blocks: m * n / (s * s) + m / s,
        path: n / s + m / s,
        block_span: 3.0 * s,
        block_words: 8.0,
        widest: m / s,
    }
}

/// Algorithms 10 and 11 as a program, for remainders that lose one degree at a time. A block's work
/// is that of a block of division.
pub fn euclid(n: u64, m: u64, s: u64) -> Program {
    let each = block_of_steps(s, (4.0, 4.0));
    euclid_steps(n, m, s, |degree| (degree.div_ceil(s), each))
}

/// Algorithms 10 and 11 as they unfold: how many steps there are depends on the polynomials. A host
/// launches `look` kernels, each of which takes away at most s leading coefficients, then looks at
/// the degrees, which costs `scheduling` local operations, and ends where a polynomial is 0.
///
/// `degrees` follows the data: the degrees of both polynomials after one more leading coefficient
/// of the longer one is gone, −1 for 0. It begins with the degrees of the operands, and ends with
/// the first −1.
pub fn euclid_unfolding(
    degrees: impl IntoIterator<Item = [i64; 2]>,
    s: u64,
    look: u64,
    scheduling: f64,
) -> Program {
    let mut degrees = degrees.into_iter();
    let mut now = degrees.next();
    let each = block_of_steps(s, (4.0, 4.0));
    Program::unfold(scheduling, |_| {
        let [a, b] = now.filter(|degrees| degrees.iter().all(|degree| *degree >= 0))?;
        // The host knows the degrees at its last look. Blocks that find nothing to do still count.
        let coefficients = (a.max(b) + 1) as u64;
        for _ in 0..s * look {
            now = degrees.next();
            if now.is_none_or(|[a, b]| a.min(b) < 0) {
                break;
            }
        }
        Some((coefficients.div_ceil(s), each, look))
    })
}

/// A kernel for every `steps` division steps: first those of a by b, then one of each in turn.
fn euclid_steps(n: u64, m: u64, steps: u64, kernel: impl Fn(u64) -> (u64, Block)) -> Program {
    let mut program = Program::default();
    let (blocks, each) = kernel(m);
    program.then(blocks, each, (n - m).div_ceil(steps).max(1));
    // From here on both have about the same degree, and lose it by halves of the steps.
    let mut left = 2 * m.saturating_sub(1);
    while left > 0 {
        let (blocks, each) = kernel((left / 2).max(1));
        program.then(blocks, each, 1);
        left = left.saturating_sub(steps);
    }
    program
}
