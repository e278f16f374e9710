//! Residues modulo primes of at most 40 bits as floating-point numbers, for many moduli at once.
//!
//! Every value here is an integer below 2^53 and therefore exact. Loops over lanes are plain loops.
//! The compiler vectorises them for processors with vector instructions (`wide` of `cpu.rs`).
//! Residues are symmetric: |x| ≤ (q − 1)/2.

/// Maximum bits of a modulus of this file.
pub(super) const MOST_BITS: u32 = 40;

/// Lanes of a chunk: enough that the compiler vectorises the loops over them instead of unrolling
/// them.
pub(super) const LANES: usize = 32;
pub(super) type Lanes = [f64; LANES];

#[inline(always)]
fn each(f: impl Fn(usize) -> f64) -> Lanes {
    let mut out = [0.0; LANES];
    for (i, x) in out.iter_mut().enumerate() {
        *x = f(i);
    }
    out
}

/// A row of moduli: t, and word and P of the module's documentation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk {
    pub(super) q: Lanes,
    /// 1/q.
    inverse: Lanes,
    /// Infinite for ∞.
    pub(super) t: Lanes,
    pub(super) word: Lanes,
    pub(super) product: Lanes,
}

impl Chunk {
    /// A row of moduli for U = V = 0: its values take part in no minimum yet.
    pub(super) fn new(q: Lanes) -> Chunk {
        Chunk {
            q,
            inverse: each(|i| 1.0 / q[i]),
            t: [f64::INFINITY; LANES],
            word: [0.0; LANES],
            product: [1.0; LANES],
        }
    }

    /// x·y to about its symmetric residue, |x·y| < 2^90 and |x·y/q| < 2^50: within 2^-2·q of the
    /// range.
    #[inline(always)]
    fn product_near(&self, x: Lanes, y: Lanes) -> Lanes {
        each(|i| {
            // x·y = high + low exactly. The quotient is at most 1/2 + 2^-2 off; the remainder fits
            // in 53 bits.
            let high = x[i] * y[i];
            let low = x[i].mul_add(y[i], -high);
            let quotient = (high * self.inverse[i]).round_ties_even();
            quotient.mul_add(-self.q[i], high) + low
        })
    }

    /// The symmetric residue of x, |x| < 2q.
    #[inline(always)]
    fn symmetric_residue(&self, x: Lanes) -> Lanes {
        each(|i| {
            let r = x[i] - self.q[i] * (x[i] * self.inverse[i]).round_ties_even();
            let half = 0.5 * self.q[i];
            let r = if r > half { r - self.q[i] } else { r };
            if r < -half { r + self.q[i] } else { r }
        })
    }

    /// x·y as a symmetric residue, for such x and y, or p for one of them.
    #[inline(always)]
    fn mul(&self, x: Lanes, y: Lanes) -> Lanes {
        self.symmetric_residue(self.product_near(x, y))
    }

    /// 1/x, for x a symmetric residue; anything for 0.
    #[inline(always)]
    fn invert(&self, x: Lanes) -> Lanes {
        // Euclid with rounded quotients; |y·(old remainder)| < 2q bounds the cofactors.
        let (mut a, mut b) = (self.q, x);
        let (mut old, mut y) = ([0.0; LANES], [1.0; LANES]);
        loop {
            let mut going = false;
            for i in 0..LANES {
                let active = b[i].abs() > 1.0;
                going |= active;
                let quotient = (a[i] / b[i]).round_ties_even();
                let (rest, next) = (a[i] - quotient * b[i], old[i] - quotient * y[i]);
                a[i] = if active { b[i] } else { a[i] };
                b[i] = if active { rest } else { b[i] };
                old[i] = if active { y[i] } else { old[i] };
                y[i] = if active { next } else { y[i] };
            }
            if !going {
                return self.symmetric_residue(each(|i| y[i] * b[i]));
            }
        }
    }

    /// Starts from residues of U and V: t = u/v, and the word is v, or u if v is 0.
    #[inline(always)]
    pub(super) fn begin(&mut self, u: Lanes, v: Lanes) {
        let ratio = self.mul(u, self.invert(v));
        self.t = each(|i| if v[i] == 0.0 { f64::INFINITY } else { ratio[i] });
        self.word = each(|i| if v[i] == 0.0 { u[i] } else { v[i] });
    }

    /// A step by p and b.
    #[inline(always)]
    pub(super) fn step(&mut self, p: f64, b: f64) {
        let infinite = self.t.map(f64::is_infinite);
        let s = self.symmetric_residue(each(|i| if infinite[i] { 1.0 } else { self.t[i] - b }));
        let p = self.symmetric_residue([p; LANES]);
        let next = self.mul(p, self.invert(s));
        let factor = each(|i| if s[i] == 0.0 { p[i] } else { s[i] });
        let word = self.mul(self.word, factor);
        self.t = each(|i| {
            let still = if self.word[i] == 0.0 {
                f64::INFINITY
            } else {
                0.0
            };
            let finite = if s[i] == 0.0 { f64::INFINITY } else { next[i] };
            if infinite[i] { still } else { finite }
        });
        self.word = word;
        self.product = self.mul(self.product, p);
    }

    /// A digit g at p: U becomes (U − g)/p.
    #[inline(always)]
    pub(super) fn digit(&mut self, p: f64, g: f64) {
        let (p, g) = (
            self.symmetric_residue([p; LANES]),
            self.symmetric_residue([g; LANES]),
        );
        let taken = self.mul(g, self.product);
        self.word = self.symmetric_residue(each(|i| self.word[i] - taken[i]));
        self.product = self.mul(self.product, p);
    }

    /// word/P.
    pub(super) fn quotients(&self) -> Lanes {
        self.mul(self.word, self.invert(self.product))
    }

    /// The residues of two numbers given by 32-bit digits, low one first.
    #[inline(always)]
    pub(super) fn residues(&self, u: &[f64], v: &[f64]) -> (Lanes, Lanes) {
        let radix = self.symmetric_residue(self.product_near([65536.0; LANES], [65536.0; LANES]));
        let (mut x, mut y) = ([0.0; LANES], [0.0; LANES]);
        for (a, b) in u.iter().zip(v).rev() {
            // Below q + 2^32 in magnitude, so the next product over q is below 2^33.
            x = self.product_near(x, radix).map(|r| r + a);
            y = self.product_near(y, radix).map(|r| r + b);
        }
        let one = [1.0; LANES];
        (self.mul(x, one), self.mul(y, one))
    }
}
