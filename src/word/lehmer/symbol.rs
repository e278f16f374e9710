//! Jacobi's symbol along Euclid's quotients.
//!
//! The symbol of a pair x > y ≥ 0 is (y/x) or (x/y), where the lower number is odd. One step of
//! Euclid goes from (x, y) to (y, r) with r = x − q·y. What it does to the symbol follows from q, x
//! and y modulo 4 alone (Möller, *Efficient computation of the Jacobi symbol*, 2019):
//!
//! - (x/y) = (r/y), for the symbol depends on x modulo y only.
//! - (y/x) with odd y is (x/y) by quadratic reciprocity, negated if x = y = 3 modulo 4. Then the
//!   first rule applies.
//! - (y/x) with even y becomes (y/r). For each subtraction x' = x − y, both odd and positive:
//!   (y/x) = (−1/x)·(x'/x), as y = x − x'; then (x'/x) = ±(x/x') = ±(y/x') by reciprocity. The sign
//!   changes if x = 3 and x' = 1 modulo 4. For y = 0 modulo 4 that never happens. For y = 2 modulo 4
//!   it happens at every other subtraction, first at the first one if x = 3: of q subtractions at
//!   ⌊(q + [x = 3])/2⌋, whose parity depends on q modulo 4.
//!
//! Nothing is asked of x and y but their residues, so a quotient that was wrong is taken back by
//! the same rules.

/// The residue of the first number of the pair modulo 4.
const FIRST: u8 = 0b11;
/// Where the residue of the second number starts.
const SECOND: u32 = 2;
/// Set if the second number is the lower one of the symbol.
const LOWER_IS_SECOND: u8 = 1 << 4;
/// Set if the symbol is to be negated.
const NEGATED: u8 = 1 << 5;
/// All that decides on the next state.
const DECIDES: u8 = NEGATED - 1;

/// (a/n) = ±(the symbol of the present pair), unless the pair has a common divisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symbol(u8);

/// The state after a quotient, by the quotient modulo 4 and the state, both not negated.
const NEXT: [u8; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        table[i] = next(i as u8 & DECIDES, (i >> 5) as u8);
        i += 1;
    }
    table
};

/// The residues of a pair modulo 4.
const fn residues(state: u8) -> (u8, u8) {
    (state & FIRST, state >> SECOND & FIRST)
}

/// Whether q subtractions of an even y from the lower number x change the sign.
const fn subtractions_negate(x: u8, y: u8, q: u8) -> bool {
    y == 2 && (q + (x >> 1)) >> 1 & 1 == 1
}

const fn next(state: u8, q: u8) -> u8 {
    let (x, y) = residues(state);
    let r = x.wrapping_sub(q.wrapping_mul(y)) & FIRST;
    let pair = y | r << SECOND;
    if state & LOWER_IS_SECOND != 0 {
        return pair;
    }
    if y & 1 == 1 {
        return if x == 3 && y == 3 {
            pair | NEGATED
        } else {
            pair
        };
    }
    if subtractions_negate(x, y, q) {
        pair | LOWER_IS_SECOND | NEGATED
    } else {
        pair | LOWER_IS_SECOND
    }
}

impl Symbol {
    /// The symbol (y/x) or, where `lower_is_second`, (x/y), of numbers with these lowest limbs. The
    /// lower number is odd.
    pub(crate) fn of(x: u64, y: u64, lower_is_second: bool) -> Symbol {
        let pair = (x & 3) as u8 | ((y & 3) as u8) << SECOND;
        Symbol(if lower_is_second {
            pair | LOWER_IS_SECOND
        } else {
            pair
        })
    }

    /// Follows one step with this quotient, which counts modulo 4.
    #[inline(always)]
    pub(crate) fn push(&mut self, q: u64) {
        let index = usize::from(self.0 & DECIDES) | (q as usize & 3) << 5;
        self.0 = NEXT[index] ^ (self.0 & NEGATED);
    }

    /// Takes back the last step, which had this quotient.
    pub(crate) fn pop(&mut self, q: u64) {
        let q = (q & 3) as u8;
        let (c, d) = residues(self.0);
        let x = (q * c + d) & FIRST;
        let pair = x | c << SECOND | self.0 & NEGATED;
        let is_second = self.0 & LOWER_IS_SECOND != 0;
        self.0 = if !is_second || c & 1 == 1 {
            // (d/c) = (x/c). If (c/x) was the symbol, then (x/c) has its value by reciprocity. So
            // has (d/c) the value of (c/d), where an earlier call left that.
            let negate = if is_second && c == 3 && d == 3 {
                NEGATED
            } else {
                0
            };
            (pair | LOWER_IS_SECOND) ^ negate
        } else if subtractions_negate(x, c, q) {
            pair ^ NEGATED
        } else {
            pair
        };
    }

    /// The symbol, once the pair is (1, 0).
    pub(crate) fn value(self) -> i32 {
        if self.0 & NEGATED == 0 { 1 } else { -1 }
    }
}
