//! Marks of the primes above the interval, gathered for several polynomials at once.
//!
//! Such a prime marks few polynomials. A group of primes is processed for all polynomials of a
//! batch while its roots are in registers. Every root inside the interval becomes a hit in the
//! bucket of its polynomial.

#![allow(unsafe_code)]

use std::ops::Range;

use super::inner_loops;
use super::plan::SievePlan;

/// Polynomials of one batch.
pub(super) const BATCH: usize = 16;
/// Primes that are processed together: the lanes of a register of 512 bits.
const GROUP: usize = 16;
/// Space of a bucket beyond its capacity: the hits of one group, for both roots.
const ROOM: usize = 2 * GROUP;
/// Low bits of a hit that have its place in the interval.
pub(super) const PLACE_BITS: u32 = 16;

/// How the roots change from a polynomial to the next: by a part of b, up or down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) part: usize,
    pub(super) lower: bool,
}

impl Step {
    /// The step to the polynomial of this index: the sign of one part changes (Gray's code).
    pub(super) fn to(index: u32) -> Step {
        let part = index.trailing_zeros();
        Step {
            part: part as usize,
            lower: index >> (part + 1) & 1 == 1,
        }
    }
}

/// Primes with equal logarithms. Their places, counted from the first of them, fit in a hit beside
/// a place of the interval.
struct Slice {
    /// Places in the factor base.
    places: Range<usize>,
    log: u8,
}

/// The hits of a batch. A hit has the place in the interval in its low bits, and above them the
/// prime's place in its slice.
pub(super) struct Buckets {
    slices: Vec<Slice>,
    interval: u32,
    hits: Vec<u32>,
    /// Maximum hits of a bucket. Its memory is longer by ROOM.
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
    pub(super) fn new(plan: &SievePlan) -> Buckets {
        let base = &plan.base;
        let interval = plan.sizes.interval;
        assert!(interval <= 1 << PLACE_BITS);
        let most = 1usize << (32 - PLACE_BITS);
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
            .map(|p| 2.0 * interval as f64 / p)
            .sum();
        // Hits are as good as random: ten standard deviations are never reached.
        let capacity = (expected + 10.0 * expected.sqrt()) as usize + 2 * GROUP;
        Buckets {
            ends: vec![[0; BATCH]; slices.len()],
            slices,
            interval: interval as u32,
            hits: vec![0; BATCH * (capacity + ROOM)],
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
                interval: self.interval,
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
        let bucket = &self.hits[polynomial * (self.capacity + ROOM)..];
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
        assert!(sieve.len() >= self.interval as usize);
        for (slice, hits) in self.parts(polynomial) {
            let mut add = |hit: u32| {
                // SAFETY: `gather` makes hits at places of the interval only, and the sieve has all
                // of them.
                let byte = unsafe { sieve.get_unchecked_mut(usize::from(hit as u16)) };
                *byte = byte.wrapping_add(slice.log);
            };
            let (eights, rest) = hits.as_chunks::<8>();
            for hits in eights {
                hits.iter().for_each(|hit| add(*hit));
            }
            rest.iter().for_each(|hit| add(*hit));
        }
    }

    /// The places in the base of the primes that hit a place of the interval.
    pub(super) fn meets(&self, polynomial: usize, place: u32, found: &mut Vec<usize>) {
        for (slice, hits) in self.parts(polynomial) {
            inner_loops::hits_at(hits, place as u16, slice.places.start, found);
        }
    }
}

/// Where hits go.
struct Target<'a> {
    interval: u32,
    capacity: u32,
    hits: &'a mut [u32],
    fills: &'a mut [u32; BATCH],
}

/// A step of a batch of Gray's code that starts at a multiple of BATCH, for each step of it: both
/// change the same part in the same direction.
const LIKE: [usize; BATCH] = [0, 1, 2, 3, 0, 5, 2, 7, 0, 1, 2, 11, 0, 5, 2, 15];

/// Gathers the hits of one slice.
fn gather(target: Target<'_>, roots: &mut Roots<'_>, places: Range<usize>, steps: &[Step]) {
    let end = places.end;
    let stride = target.capacity as usize + ROOM;
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
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("popcnt")
            && let Ok(steps) = <&[Step; BATCH]>::try_from(steps)
            && steps
                .iter()
                .zip(LIKE)
                .all(|(step, like)| *step == steps[like])
        {
            // SAFETY: the processor has these instructions; the lengths are asserted above.
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
    let stride = target.capacity as usize + ROOM;
    let interval = target.interval;
    for group in places.clone().step_by(GROUP) {
        let count = GROUP.min(places.end - group);
        let lanes = |from: &[u32]| -> Lanes {
            let from = &from[group..group + count];
            std::array::from_fn(|i| from.get(i).copied().unwrap_or(0))
        };
        let p = lanes(roots.p);
        let (mut first, mut second) = (lanes(roots.first), lanes(roots.second));
        let index = ((group - places.start) as u32) << PLACE_BITS;
        for (polynomial, step) in steps.iter().enumerate() {
            let fill = &mut target.fills[polynomial];
            let bucket = &mut target.hits[polynomial * stride..][..stride];
            for roots in [&first, &second] {
                let inside = |mask: u32, i: usize| mask | u32::from(roots[i] < interval) << i;
                let mut mask = (0..GROUP).fold(0, inside) & ((1 << count) - 1);
                while mask != 0 {
                    let i = mask.trailing_zeros();
                    mask &= mask - 1;
                    bucket[*fill as usize] = (index + (i << PLACE_BITS)) | roots[i as usize];
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

    use super::{BATCH, GROUP, PLACE_BITS, ROOM, Roots, Step, Target};

    #[target_feature(enable = "avx2")]
    pub(super) fn gather_avx2(
        target: Target<'_>,
        roots: &mut Roots<'_>,
        places: Range<usize>,
        steps: &[Step],
    ) {
        super::plain(target, roots, places, steps);
    }

    /// Primes between those that are processed and those that are fetched.
    const AHEAD: usize = 4 * GROUP;

    /// All that a group needs stays in registers while it goes through a batch: loads between the
    /// stores to the buckets would wait for those with the same low twelve bits in their address.
    ///
    /// # Safety
    /// The places end within all arrays of `roots`, and the steps are like those of `LIKE`. The
    /// hits are BATCH buckets of `capacity` + ROOM, and no bucket is filled beyond `capacity`.
    #[target_feature(enable = "avx512f,popcnt")]
    pub(super) unsafe fn gather(
        target: Target<'_>,
        roots: &mut Roots<'_>,
        places: Range<usize>,
        steps: &[Step; BATCH],
    ) {
        let Target {
            interval,
            capacity,
            hits,
            fills,
        } = target;
        let stride = capacity as usize + ROOM;
        let interval = _mm512_set1_epi32(interval as i32);
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let hits = hits.as_mut_ptr();
        for group in places.clone().step_by(GROUP) {
            // The primes of the last group may be fewer.
            let own = (u32::MAX >> (32 - GROUP.min(places.end - group))) as u16;
            let load = |from: &[u32]| {
                _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().wrapping_add(group + AHEAD).cast());
                // SAFETY: the elements of `own` from `group` on are within the array.
                unsafe { _mm512_maskz_loadu_epi32(own, from.as_ptr().add(group).cast()) }
            };
            let p = load(roots.p);
            let (mut first, mut second) = (load(roots.first), load(roots.second));
            let index = _mm512_set1_epi32((group - places.start) as i32);
            let index = _mm512_slli_epi32::<PLACE_BITS>(_mm512_add_epi32(index, lanes));
            // The change of a step.
            let turn = |step: usize| {
                let delta = load(&roots.deltas[steps[step].part]);
                if steps[step].lower {
                    _mm512_sub_epi32(p, delta)
                } else {
                    delta
                }
            };
            let add = |root, turn| {
                // A difference below 0 is a large number.
                let high = _mm512_add_epi32(root, turn);
                _mm512_min_epu32(high, _mm512_sub_epi32(high, p))
            };
            let gather = |root, polynomial: usize, fill: u32| {
                let inside = _mm512_mask_cmplt_epu32_mask(own, root, interval);
                let found = _mm512_maskz_compress_epi32(inside, _mm512_or_si512(root, index));
                // SAFETY: a bucket has room for two groups beyond `capacity`, which bounds `fill`
                // before the first root.
                unsafe {
                    let end = hits.add(polynomial * stride + fill as usize);
                    _mm512_storeu_si512(end.cast(), found);
                }
                fill + inside.count_ones()
            };
            macro_rules! polynomials {
                ($($polynomial:literal $turn:ident),*) => {$(
                    let fill = gather(first, $polynomial, fills[$polynomial]);
                    let fill = gather(second, $polynomial, fill);
                    fills[$polynomial] = fill.min(capacity);
                    (first, second) = (add(first, $turn), add(second, $turn));
                )*};
            }
            let (t0, t1, t2, t3) = (turn(0), turn(1), turn(2), turn(3));
            let (t5, t7, t11, t15) = (turn(5), turn(7), turn(11), turn(15));
            polynomials!(
                0 t0, 1 t1, 2 t2, 3 t3, 4 t0, 5 t5, 6 t2, 7 t7,
                8 t0, 9 t1, 10 t2, 11 t11, 12 t0, 13 t5, 14 t2, 15 t15
            );
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

    const INTERVAL: u32 = 1 << 12;
    type Gather = fn(Target<'_>, &mut Roots<'_>, Range<usize>, &[Step]);

    /// The hits of every bucket and the last roots, for primes (here: odd numbers) of a range and
    /// the steps to some polynomials.
    fn hits(
        places: Range<usize>,
        to: Range<u32>,
        capacity: u32,
        gather: Gather,
    ) -> (Vec<Vec<u32>>, Vec<u32>) {
        let steps: Vec<Step> = to.map(Step::to).collect();
        let p: Vec<u32> = (0..places.end as u32 + 3).map(|i| 4099 + 2 * i).collect();
        let spread = |by: u32| -> Vec<u32> { p.iter().map(|p| (p * by) % 65_537 % p).collect() };
        let (mut first, mut second) = (spread(31), spread(77));
        let deltas = [5, 1001, 33, 400, 0, 77].map(spread);
        let stride = capacity as usize + ROOM;
        let mut all = vec![0; BATCH * stride];
        let mut fills = [0; BATCH];
        let target = Target {
            interval: INTERVAL,
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
        gather(target, &mut roots, places, &steps);
        let bucket = |i: usize| {
            let mut bucket = all[i * stride..][..fills[i] as usize].to_vec();
            bucket.sort_unstable();
            bucket
        };
        first.extend(second);
        ((0..steps.len()).map(bucket).collect(), first)
    }

    /// One root at a time, by remainders.
    fn one_by_one(target: Target<'_>, roots: &mut Roots<'_>, places: Range<usize>, steps: &[Step]) {
        let stride = target.capacity as usize + ROOM;
        for place in places.clone() {
            let p = roots.p[place];
            for (polynomial, step) in steps.iter().enumerate() {
                for root in [&mut roots.first[place], &mut roots.second[place]] {
                    if *root < target.interval {
                        let fill = &mut target.fills[polynomial];
                        let index = ((place - places.start) as u32) << PLACE_BITS;
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
        for to in [1..5, 1..17, 17..33] {
            for places in [0..0, 0..1, 0..15, 0..16, 3..20, 7..71, 0..1000] {
                let of = |gather| hits(places.clone(), to.clone(), 4000, gather);
                let expected = of(one_by_one);
                assert_eq!(of(gather), expected, "{places:?}, {to:?}");
                assert_eq!(of(plain), expected, "{places:?}, {to:?}");
            }
        }
    }

    /// A full bucket loses hits and nothing else.
    #[test]
    fn a_bucket_is_never_overfilled() {
        for gather in [gather as Gather, plain] {
            let (buckets, roots) = hits(0..1000, 1..17, 40, gather);
            assert!(buckets.iter().all(|bucket| bucket.len() == 40));
            assert_eq!(roots, hits(0..1000, 1..17, 4000, one_by_one).1);
        }
    }
}
