//! Adding logarithms to the places of the sieve that primes below the interval divide.
//!
//! Ascending primes are divided into classes by the number of marks per root, so that the loops of
//! all but the smallest primes have a compile-time length. If the last mark is outside the sieve, 0
//! is added somewhere else, which avoids a mispredicted branch.

#![allow(unsafe_code)]

use std::ops::Range;

/// Maximum marks per root in the classes of primes with few marks.
const MOST_MARKS: usize = 16;

/// Where the classes of ascending primes end: element m is the number of primes of which at least m
/// fit `len`, so that those from it on make at most m + 1 marks per root in `len` bytes.
pub(super) struct Classes([usize; MOST_MARKS + 1]);

impl Classes {
    pub(super) fn new(p: &[u16], len: usize) -> Classes {
        let end = |marks: usize| p.partition_point(|p| len / *p as usize >= marks);
        Classes(std::array::from_fn(end))
    }
}

/// Primes, their logarithms, and the first place of the sieve that each of their two roots marks.
pub(super) struct Marked<'a> {
    pub(super) p: &'a [u16],
    pub(super) logs: &'a [u8],
    pub(super) first: &'a [u16],
    pub(super) second: &'a [u16],
}

impl Marked<'_> {
    /// Adds logs[i] to the bytes at first[i], first[i] + p[i], … and likewise for `second`, for
    /// places below p. The length of the sieve is a power of 2 and above every p.
    pub(super) fn mark(&self, sieve: &mut [u8], classes: &Classes) {
        let count = self.p.len();
        let (first, second) = (&self.first[..count], &self.second[..count]);
        let roots = first.iter().zip(second).zip(self.p);
        // No branch per prime: the loop runs on vectors.
        let is_root = roots.fold(true, |all, ((a, b), p)| all & (a < p) & (b < p));
        assert!(is_root && self.logs.len() == count && sieve.len().is_power_of_two());
        let ends = &classes.0;
        self.many(sieve, 0..ends[MOST_MARKS]);
        macro_rules! classes {
            ($($marks:literal)*) => {
                $(self.few::<$marks>(sieve, ends[$marks]..ends[$marks - 1]);)*
            };
        }
        classes!(16 15 14 13 12 11 10 9 8 7 6 5 4 3 2);
    }

    /// Primes whose number of marks is large: the loop runs to the end of the sieve.
    fn many(&self, sieve: &mut [u8], range: Range<usize>) {
        let len = sieve.len();
        for i in range {
            let (p, log) = (usize::from(self.p[i]), self.logs[i]);
            let (first, second) = (usize::from(self.first[i]), usize::from(self.second[i]));
            let (mut low, mut high) = (first.min(second), first.max(second));
            let mut add = |at: usize| {
                // SAFETY: every call below has compared `at`, or a larger place, with the length.
                let byte = unsafe { sieve.get_unchecked_mut(at) };
                *byte = byte.wrapping_add(log);
            };
            while high + 3 * p < len {
                for i in 0..4 {
                    add(low + i * p);
                    add(high + i * p);
                }
                low += 4 * p;
                high += 4 * p;
            }
            while high < len {
                add(low);
                add(high);
                low += p;
                high += p;
            }
            if low < len {
                add(low);
            }
        }
    }

    /// Primes with (MARKS − 1)·p ≤ len < MARKS·p: they make MARKS marks per root, or one less.
    ///
    /// `mark` has compared the roots with the primes, and the length is a power of 2.
    fn few<const MARKS: usize>(&self, sieve: &mut [u8], range: Range<usize>) {
        let len = sieve.len();
        let most = self.p[range.clone()].last().map_or(0, |p| usize::from(*p));
        assert!((MARKS - 1) * most <= len);
        let logs = &self.logs[range.clone()];
        let roots = self.first[range.clone()]
            .iter()
            .zip(&self.second[range.clone()]);
        for ((p, log), (first, second)) in self.p[range].iter().zip(logs).zip(roots) {
            let (p, first, second) = (usize::from(*p), usize::from(*first), usize::from(*second));
            let mut add = |at: usize, log: u8| {
                // SAFETY: `at` is below (MARKS − 1)·p, which is at most the length, since a root is
                // below p; or `at` was reduced modulo the length.
                let byte = unsafe { sieve.get_unchecked_mut(at) };
                *byte = byte.wrapping_add(log);
            };
            for mark in 0..MARKS - 1 {
                add(first + mark * p, *log);
                add(second + mark * p, *log);
            }
            for root in [first, second] {
                let at = root + (MARKS - 1) * p;
                add(at & (len - 1), if at < len { *log } else { 0 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every prime below the interval, with roots at both ends and in between.
    #[test]
    fn marks_are_those_of_a_plain_loop() {
        for len in [1usize << 12, 1 << 15] {
            let is_prime = |p: &u16| {
                (2..*p)
                    .take_while(|d| d * d <= *p)
                    .all(|d| !p.is_multiple_of(d))
            };
            let p: Vec<u16> = (11..len.min(1 << 15) as u16).filter(is_prime).collect();
            let logs: Vec<u8> = p.iter().map(|p| p.ilog2() as u8).collect();
            let classes = Classes::new(&p, len);
            let roots: [fn(u16) -> u16; 4] = [|_| 0, |p| p - 1, |p| p / 2, |p| 7919 % p];
            for (a, b) in [(0, 1), (1, 0), (2, 3), (3, 3)] {
                let of = |root: usize| -> Vec<u16> { p.iter().map(|p| roots[root](*p)).collect() };
                let (first, second) = (of(a), of(b));
                let mut expected = vec![5u8; len];
                for (i, p) in p.iter().enumerate() {
                    for root in [first[i], second[i]] {
                        for at in (root.into()..len).step_by((*p).into()) {
                            expected[at] = expected[at].wrapping_add(logs[i]);
                        }
                    }
                }
                let mut sieve = vec![5u8; len];
                let marked = Marked {
                    p: &p,
                    logs: &logs,
                    first: &first,
                    second: &second,
                };
                marked.mark(&mut sieve, &classes);
                assert!(sieve == expected, "{len}, roots {a} and {b}");
            }
        }
    }
}
