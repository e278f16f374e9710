//! Adding logarithms to the places of the sieve that primes divide.
//!
//! Ascending primes are in classes by the number of marks that a root makes, so that the loops of
//! all but the smallest primes have a length that the compiler knows. A loop makes the last mark
//! whether it lies in the sieve or beyond: what is beyond is not looked at.

#![allow(unsafe_code)]

use std::ops::Range;

/// Marks per root that the classes of primes with few marks make at most.
const MOST_MARKS: usize = 16;

/// Where the classes of ascending primes end: element m is the number of primes with at least m
/// times p in `len`, so that those from it on make at most m marks per root in `len` bytes.
pub(super) struct Classes([usize; MOST_MARKS + 1]);

impl Classes {
    pub(super) fn new(p: &[u32], len: usize) -> Classes {
        let end = |marks: usize| p.partition_point(|p| len / *p as usize >= marks);
        Classes(std::array::from_fn(end))
    }
}

/// Primes, their logarithms, and the first place of the sieve that each of their two roots marks.
pub(super) struct Marked<'a> {
    pub(super) p: &'a [u32],
    pub(super) logs: &'a [u8],
    pub(super) first: &'a [u32],
    pub(super) second: &'a [u32],
}

impl Marked<'_> {
    /// Adds logs[i] to the bytes at first[i], first[i] + p[i], … and likewise for `second`, up to
    /// `len`, for places below p. The sieve must be longer than `len` by at least the largest p
    /// below `len`: marks may lie there.
    pub(super) fn mark(&self, sieve: &mut [u8], len: usize, classes: &Classes) {
        let count = self.p.len();
        assert!(self.logs.len() == count);
        assert!(self.first.len() == count && self.second.len() == count);
        let ends = &classes.0;
        self.many(sieve, len, 0..ends[MOST_MARKS]);
        macro_rules! classes {
            ($($marks:literal)*) => {
                $(self.few::<$marks>(sieve, len, ends[$marks]..ends[$marks - 1]);)*
            };
        }
        classes!(16 15 14 13 12 11 10 9 8 7 6 5 4 3 2);
        self.seldom(sieve, len, ends[1]..count);
    }

    /// Primes whose number of marks is large: the loop runs to the end of the block.
    fn many(&self, sieve: &mut [u8], len: usize, range: Range<usize>) {
        assert!(sieve.len() >= len && range.end <= self.p.len());
        for i in range {
            let (p, log) = (self.p[i] as usize, self.logs[i]);
            let (first, second) = (self.first[i] as usize, self.second[i] as usize);
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

    /// Primes with (MARKS − 1)·p ≤ len < MARKS·p: as many marks per root, without a look at the
    /// end.
    fn few<const MARKS: usize>(&self, sieve: &mut [u8], len: usize, range: Range<usize>) {
        for i in range {
            let (p, log) = (self.p[i] as usize, self.logs[i]);
            let (first, second) = (self.first[i] as usize, self.second[i] as usize);
            assert!(first.max(second) < p && MARKS * p <= sieve.len() && p <= len);
            for mark in 0..MARKS {
                for at in [first + mark * p, second + mark * p] {
                    // SAFETY: a root is below p, so this is below MARKS·p, which was compared with
                    // the length.
                    let byte = unsafe { sieve.get_unchecked_mut(at) };
                    *byte = byte.wrapping_add(log);
                }
            }
        }
    }

    /// Primes of at least `len`: one mark per root, or none.
    fn seldom(&self, sieve: &mut [u8], len: usize, range: Range<usize>) {
        for i in range {
            for place in [self.first[i] as usize, self.second[i] as usize] {
                if place < len {
                    sieve[place] = sieve[place].wrapping_add(self.logs[i]);
                }
            }
        }
    }
}
