//! Marks of the primes above the interval, gathered for several polynomials at once.
//!
//! Such a prime marks few polynomials. A group of primes goes through all polynomials of a batch
//! while its roots are in registers, and every root that lies in the interval becomes a hit in the
//! bucket of its polynomial.

#![allow(unsafe_code)]

use std::ops::Range;

use super::plan::Plan;

/// Polynomials of one batch.
pub(super) const BATCH: usize = 16;
/// Primes that are processed together: the lanes of a register of 512 bits.
const GROUP: usize = 16;

/// How the roots change from a polynomial to the next: by a part of b, up or down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) part: usize,
    pub(super) lower: bool,
}

/// Primes with one logarithm whose places, from the first of them on, fit a hit beside a place of
/// the interval.
struct Slice {
    /// Places in the factor base.
    places: Range<usize>,
    log: u8,
}

/// The hits of a batch. A hit has the place in the interval in its low bits, and above them the
/// prime's place in its slice.
pub(super) struct Buckets {
    slices: Vec<Slice>,
    /// log2 of the interval.
    shift: u32,
    hits: Vec<u32>,
    /// Hits that a bucket holds; the memory of one bucket is longer by one group.
    capacity: usize,
    /// Where each slice ends in each bucket.
    ends: Vec<[u32; BATCH]>,
}

/// The roots of all primes of the base, and how they change.
pub(super) struct Roots<'a> {
    pub(super) p: &'a [u32],
    pub(super) first: &'a mut [u32],
    pub(super) second: &'a mut [u32],
    pub(super) deltas: &'a [Vec<u32>],
}

impl Buckets {
    /// Buckets for the primes from a place of the base on.
    pub(super) fn new(plan: &Plan) -> Buckets {
        let base = &plan.base;
        let shift = plan.sizes.interval.ilog2();
        let most = 1usize << (32 - shift);
        let (mut slices, mut start) = (Vec::new(), plan.buckets);
        while start < base.p.len() {
            let log = base.log[start];
            let same = base.log[start..].iter().take_while(|l| **l == log).count();
            let end = start + same.min(most);
            slices.push(Slice {
                places: start..end,
                log,
            });
            start = end;
        }
        let expected: f64 = base.real[plan.buckets..]
            .iter()
            .map(|p| 2.0 * plan.sizes.interval as f64 / p)
            .sum();
        // Hits are as good as random: ten standard deviations are never reached.
        let capacity = (expected + 10.0 * expected.sqrt()) as usize + 2 * GROUP;
        Buckets {
            ends: vec![[0; BATCH]; slices.len()],
            slices,
            shift,
            hits: vec![0; BATCH * (capacity + GROUP)],
            capacity,
        }
    }

    /// Gathers the hits of the polynomials of a batch, one more than there are steps before the
    /// last, and leaves the roots as they are after the last step.
    pub(super) fn fill(&mut self, mut roots: Roots<'_>, steps: &[Step]) {
        assert!(steps.len() <= BATCH);
        let mut fills = [0u32; BATCH];
        for (slice, ends) in self.slices.iter().zip(&mut self.ends) {
            let target = Target {
                shift: self.shift,
                capacity: self.capacity as u32,
                hits: &mut self.hits,
                fills: &mut fills,
            };
            gather(target, &mut roots, slice.places.clone(), steps);
            *ends = fills;
        }
    }

    /// The slices of one polynomial's bucket.
    fn parts(&self, polynomial: usize) -> impl Iterator<Item = (&Slice, &[u32])> {
        let bucket = &self.hits[polynomial * (self.capacity + GROUP)..];
        let mut start = 0;
        self.slices
            .iter()
            .zip(&self.ends)
            .map(move |(slice, ends)| {
                let end = ends[polynomial] as usize;
                let part = &bucket[start..end];
                start = end;
                (slice, part)
            })
    }

    /// Adds the logarithms of a polynomial's hits.
    pub(super) fn mark(&self, polynomial: usize, sieve: &mut [u8]) {
        let mask = (1 << self.shift) - 1;
        assert!(sieve.len() > mask);
        for (slice, hits) in self.parts(polynomial) {
            for hit in hits {
                // SAFETY: the place is at most `mask`, which is below the length.
                let byte = unsafe { sieve.get_unchecked_mut(*hit as usize & mask) };
                *byte = byte.wrapping_add(slice.log);
            }
        }
    }

    /// The places in the base of the primes that hit a place of the interval.
    pub(super) fn meets(&self, polynomial: usize, place: u32, found: &mut Vec<usize>) {
        let mask = (1u32 << self.shift) - 1;
        for (slice, hits) in self.parts(polynomial) {
            for chunk in hits.chunks(64) {
                let any = chunk
                    .iter()
                    .fold(false, |any, hit| any | (hit & mask == place));
                if any {
                    let here = chunk.iter().filter(|hit| **hit & mask == place);
                    found.extend(here.map(|hit| slice.places.start + (hit >> self.shift) as usize));
                }
            }
        }
    }
}

/// Where hits go.
struct Target<'a> {
    shift: u32,
    capacity: u32,
    hits: &'a mut [u32],
    fills: &'a mut [u32; BATCH],
}

/// Gathers the hits of one slice.
fn gather(target: Target<'_>, roots: &mut Roots<'_>, places: Range<usize>, steps: &[Step]) {
    let end = places.end;
    let stride = target.capacity as usize + GROUP;
    assert!(target.hits.len() >= BATCH * stride && steps.len() <= BATCH);
    assert!(places.start <= end && end <= roots.p.len());
    assert!(roots.first.len() >= end && roots.second.len() >= end);
    assert!(
        steps
            .iter()
            .all(|step| roots.deltas[step.part].len() >= end)
    );
    assert!(target.fills.iter().all(|fill| *fill <= target.capacity));
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has these instructions, and the lengths are asserted above.
            return unsafe { x86::gather(target, roots, places, steps) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions.
            return unsafe { x86::gather_avx2(target, roots, places, steps) };
        }
    }
    plain(target, roots, places, steps);
}

/// One number for each prime of a group, and 0 beyond the last group.
type Lanes = [u32; GROUP];

#[inline(always)]
fn plain(target: Target<'_>, roots: &mut Roots<'_>, places: Range<usize>, steps: &[Step]) {
    let stride = target.capacity as usize + GROUP;
    let interval = 1u32 << target.shift;
    for group in places.clone().step_by(GROUP) {
        let count = GROUP.min(places.end - group);
        let lanes = |from: &[u32]| -> Lanes {
            let from = &from[group..group + count];
            std::array::from_fn(|i| from.get(i).copied().unwrap_or(0))
        };
        let p = lanes(roots.p);
        let (mut first, mut second) = (lanes(roots.first), lanes(roots.second));
        let index = ((group - places.start) as u32) << target.shift;
        for (polynomial, step) in steps.iter().enumerate() {
            let fill = &mut target.fills[polynomial];
            let bucket = &mut target.hits[polynomial * stride..][..stride];
            for roots in [&first, &second] {
                let inside = |mask: u32, i: usize| mask | u32::from(roots[i] < interval) << i;
                let mut mask = (0..GROUP).fold(0, inside) & ((1 << count) - 1);
                while mask != 0 {
                    let i = mask.trailing_zeros();
                    mask &= mask - 1;
                    bucket[*fill as usize] = index + (i << target.shift) | roots[i as usize];
                    *fill = (*fill + 1).min(target.capacity);
                }
            }
            let delta = lanes(&roots.deltas[step.part]);
            for i in 0..GROUP {
                for root in [&mut first[i], &mut second[i]] {
                    // A difference below 0 is a large number.
                    *root = if step.lower {
                        let low = root.wrapping_sub(delta[i]);
                        low.min(low.wrapping_add(p[i]))
                    } else {
                        let high = *root + delta[i];
                        high.min(high.wrapping_sub(p[i]))
                    };
                }
            }
        }
        roots.first[group..group + count].copy_from_slice(&first[..count]);
        roots.second[group..group + count].copy_from_slice(&second[..count]);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::ops::Range;

    use super::{GROUP, Roots, Step, Target};

    #[target_feature(enable = "avx2")]
    pub(super) fn gather_avx2(
        target: Target<'_>,
        roots: &mut Roots<'_>,
        places: Range<usize>,
        steps: &[Step],
    ) {
        super::plain(target, roots, places, steps);
    }

    /// # Safety
    /// The places end within all arrays of `roots`. There are at most BATCH steps. The hits are BATCH
    /// buckets of `capacity` + GROUP, and no bucket is filled beyond `capacity`.
    #[target_feature(enable = "avx512f,popcnt")]
    pub(super) unsafe fn gather(
        target: Target<'_>,
        roots: &mut Roots<'_>,
        places: Range<usize>,
        steps: &[Step],
    ) {
        let Target {
            shift,
            capacity,
            hits,
            fills,
        } = target;
        let stride = capacity as usize + GROUP;
        let count = _mm_cvtsi32_si128(shift as i32);
        let interval = _mm512_set1_epi32(1 << shift);
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let hits = hits.as_mut_ptr();
        for group in places.clone().step_by(GROUP) {
            // The primes of the last group may be fewer.
            let own = (u32::MAX >> (32 - GROUP.min(places.end - group))) as u16;
            let load = |from: &[u32]| {
                // SAFETY: the elements of `own` from `group` on are within the array.
                unsafe { _mm512_maskz_loadu_epi32(own, from.as_ptr().add(group).cast()) }
            };
            let p = load(roots.p);
            let (mut first, mut second) = (load(roots.first), load(roots.second));
            let index = _mm512_set1_epi32((group - places.start) as i32);
            let index = _mm512_sll_epi32(_mm512_add_epi32(index, lanes), count);
            for (polynomial, step) in steps.iter().enumerate() {
                let mut fill = fills[polynomial];
                for root in [first, second] {
                    let inside = _mm512_mask_cmplt_epu32_mask(own, root, interval);
                    let found = _mm512_maskz_compress_epi32(inside, _mm512_or_si512(root, index));
                    // SAFETY: a bucket has room for a group beyond `capacity`, which bounds `fill`.
                    unsafe {
                        let end = hits.add(polynomial * stride + fill as usize);
                        _mm512_storeu_si512(end.cast(), found);
                    }
                    fill = (fill + inside.count_ones()).min(capacity);
                }
                fills[polynomial] = fill;
                let delta = load(&roots.deltas[step.part]);
                let step = |root| {
                    // A difference below 0 is a large number.
                    if step.lower {
                        let low = _mm512_sub_epi32(root, delta);
                        _mm512_min_epu32(low, _mm512_add_epi32(low, p))
                    } else {
                        let high = _mm512_add_epi32(root, delta);
                        _mm512_min_epu32(high, _mm512_sub_epi32(high, p))
                    }
                };
                (first, second) = (step(first), step(second));
            }
            // SAFETY: the elements of `own` from `group` on are within the arrays.
            unsafe {
                let store = |to: &mut [u32], roots| {
                    _mm512_mask_storeu_epi32(to.as_mut_ptr().add(group).cast(), own, roots)
                };
                store(roots.first, first);
                store(roots.second, second);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIFT: u32 = 12;
    const STEPS: [Step; 4] = [
        Step {
            part: 0,
            lower: false,
        },
        Step {
            part: 1,
            lower: false,
        },
        Step {
            part: 0,
            lower: true,
        },
        Step {
            part: 1,
            lower: true,
        },
    ];

    type Gather = fn(Target<'_>, &mut Roots<'_>, Range<usize>, &[Step]);

    /// The hits of every bucket and the last roots, for primes (here: odd numbers) of a range.
    fn hits(places: Range<usize>, capacity: u32, gather: Gather) -> (Vec<Vec<u32>>, Vec<u32>) {
        let p: Vec<u32> = (0..places.end as u32 + 3).map(|i| 4099 + 2 * i).collect();
        let spread = |by: u32| -> Vec<u32> { p.iter().map(|p| (p * by) % 65_537 % p).collect() };
        let (mut first, mut second) = (spread(31), spread(77));
        let deltas = [spread(5), spread(1001)];
        let stride = capacity as usize + GROUP;
        let mut all = vec![0; BATCH * stride];
        let mut fills = [0; BATCH];
        let target = Target {
            shift: SHIFT,
            capacity,
            hits: &mut all,
            fills: &mut fills,
        };
        let mut roots = Roots {
            p: &p,
            first: &mut first,
            second: &mut second,
            deltas: &deltas,
        };
        gather(target, &mut roots, places, &STEPS);
        let bucket = |i: usize| {
            let mut bucket = all[i * stride..][..fills[i] as usize].to_vec();
            bucket.sort_unstable();
            bucket
        };
        first.extend(second);
        ((0..STEPS.len()).map(bucket).collect(), first)
    }

    /// One root at a time, by remainders.
    fn one_by_one(target: Target<'_>, roots: &mut Roots<'_>, places: Range<usize>, steps: &[Step]) {
        let stride = target.capacity as usize + GROUP;
        for place in places.clone() {
            let p = roots.p[place];
            for (polynomial, step) in steps.iter().enumerate() {
                for root in [&mut roots.first[place], &mut roots.second[place]] {
                    if *root < 1 << target.shift {
                        let fill = &mut target.fills[polynomial];
                        let index = ((place - places.start) as u32) << target.shift;
                        target.hits[polynomial * stride + *fill as usize] = index | *root;
                        *fill += 1;
                    }
                    let delta = roots.deltas[step.part][place];
                    let delta = if step.lower { p - delta } else { delta };
                    *root = (*root + delta) % p;
                }
            }
        }
    }

    #[test]
    fn every_level_gathers_the_same_hits() {
        for places in [0..0, 0..1, 0..15, 0..16, 3..20, 7..71, 0..1000] {
            let expected = hits(places.clone(), 4000, one_by_one);
            assert_eq!(hits(places.clone(), 4000, gather), expected, "{places:?}");
            assert_eq!(hits(places.clone(), 4000, plain), expected, "{places:?}");
        }
    }

    /// A full bucket loses hits and nothing else.
    #[test]
    fn a_bucket_is_never_overfilled() {
        for gather in [gather as Gather, plain] {
            let (buckets, roots) = hits(0..1000, 40, gather);
            assert!(buckets.iter().all(|bucket| bucket.len() == 40));
            assert_eq!(roots, hits(0..1000, 4000, one_by_one).1);
        }
    }
}
