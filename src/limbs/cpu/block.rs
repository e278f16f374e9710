//! A block of limbs being worked on: limbs x that become a result, in place or in new memory, in
//! one pass either way.

// New memory is written once, by the operation itself: zeroing it first would be a second pass.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::mem::MaybeUninit;

use super::carry::all_are;

/// Limbs that an inner loop takes at a time.
const GROUP: usize = 8;

/// The result, of `len` limbs, and the limbs x that it is made from. Every method that takes the
/// block by value writes all of it.
pub(super) struct Block<'a>(Storage<'a>);

enum Storage<'a> {
    /// x itself.
    Own(&'a mut [u64]),
    /// New memory; x may be shorter, and is zero past its end. The count is the number of limbs
    /// written.
    New {
        out: &'a mut [MaybeUninit<u64>],
        xs: &'a [u64],
        written: &'a Cell<usize>,
    },
}

/// Lets `work` write a block of new memory, from at most as many limbs `xs`, and returns the
/// written limbs. Panics if `work` did not write all of them.
pub(super) fn write_new<'a, T>(
    out: &'a mut [MaybeUninit<u64>],
    xs: &[u64],
    work: impl FnOnce(Block) -> T,
) -> (T, &'a mut [u64]) {
    assert!(xs.len() <= out.len());
    let written = Cell::new(0);
    let result = work(Block(Storage::New {
        out: &mut *out,
        xs,
        written: &written,
    }));
    assert_eq!(written.get(), out.len());
    // SAFETY: `MaybeUninit<u64>` has the layout of `u64`. Only this module counts, and only limbs
    // that it has just initialised; the parts of a block are disjoint and each is written once,
    // since that takes the part by value, so the count says that all are initialised. The result
    // keeps the exclusive borrow and the length of `out`.
    (result, unsafe { assume_written(out) })
}

/// # Safety
/// All of `out` is initialised.
unsafe fn assume_written(out: &mut [MaybeUninit<u64>]) -> &mut [u64] {
    // SAFETY: the same layout and length, and the content as the caller vouches.
    unsafe { &mut *(std::ptr::from_mut(out) as *mut [u64]) }
}

impl<'a> Block<'a> {
    /// A block that is changed in place.
    pub(super) fn own(limbs: &'a mut [u64]) -> Self {
        Block(Storage::Own(limbs))
    }

    pub(super) fn len(&self) -> usize {
        match &self.0 {
            Storage::Own(xs) => xs.len(),
            Storage::New { out, .. } => out.len(),
        }
    }

    /// Whether every limb of x is `value`.
    pub(super) fn is_all(&self, value: u64) -> bool {
        let xs = match &self.0 {
            Storage::Own(xs) => xs,
            Storage::New { out, xs, .. } if xs.len() == out.len() => *xs,
            Storage::New { .. } => return false,
        };
        all_are(xs, value)
    }

    /// The first `at` limbs, or as many as there are, and the rest.
    pub(super) fn split_at(self, at: usize) -> (Self, Self) {
        let at = at.min(self.len());
        match self.0 {
            Storage::Own(limbs) => {
                let (low, high) = limbs.split_at_mut(at);
                (Block::own(low), Block::own(high))
            }
            Storage::New { out, xs, written } => {
                let (low, high) = out.split_at_mut(at);
                let (low_xs, high_xs) = xs.split_at(at.min(xs.len()));
                let part = |out, xs| Block(Storage::New { out, xs, written });
                (part(low, low_xs), part(high, high_xs))
            }
        }
    }

    /// This block, made from the first of the limbs `xs` where it is of new memory. A block that is
    /// changed in place stays as it is.
    pub(super) fn from(self, xs: &'a [u64]) -> Self {
        match self.0 {
            Storage::Own(_) => self,
            Storage::New { out, written, .. } => {
                let xs = &xs[..xs.len().min(out.len())];
                Block(Storage::New { out, xs, written })
            }
        }
    }

    /// The limbs x as they are.
    pub(super) fn keep(self) -> &'a mut [u64] {
        match self.0 {
            Storage::Own(limbs) => limbs,
            Storage::New { out, xs, written } => {
                let (head, tail) = out.split_at_mut(xs.len());
                for (limb, &x) in head.iter_mut().zip(xs) {
                    limb.write(x);
                }
                tail.fill(MaybeUninit::new(0));
                written.set(written.get() + out.len());
                // SAFETY: `head` and `tail` make up `out`, and all of both is written.
                unsafe { assume_written(out) }
            }
        }
    }

    /// `value` in every limb.
    pub(super) fn fill(self, value: u64) {
        match self.0 {
            Storage::Own(limbs) => limbs.fill(value),
            Storage::New { out, written, .. } => {
                out.fill(MaybeUninit::new(value));
                written.set(written.get() + out.len());
            }
        }
    }

    /// step(x) in every limb.
    #[inline(always)]
    pub(super) fn map(self, step: impl Fn(u64) -> u64) {
        match self.0 {
            Storage::Own(limbs) => limbs.iter_mut().for_each(|x| *x = step(*x)),
            Storage::New { out, xs, written } => {
                let (head, tail) = out.split_at_mut(xs.len());
                for (limb, &x) in head.iter_mut().zip(xs) {
                    limb.write(step(x));
                }
                for limb in tail {
                    limb.write(step(0));
                }
                written.set(written.get() + out.len());
            }
        }
    }

    /// step(x, y) in every limb, for as many limbs y.
    #[inline(always)]
    pub(super) fn map_with(self, ys: &[u64], step: impl Fn(u64, u64) -> u64) {
        assert_eq!(self.len(), ys.len());
        match self.0 {
            Storage::Own(xs) => {
                for (x, &y) in xs.iter_mut().zip(ys) {
                    *x = step(*x, y);
                }
            }
            Storage::New { out, xs, written } => {
                let (head, tail) = out.split_at_mut(xs.len());
                for ((limb, &x), &y) in head.iter_mut().zip(xs).zip(ys) {
                    limb.write(step(x, y));
                }
                for (limb, &y) in tail.iter_mut().zip(&ys[xs.len()..]) {
                    limb.write(step(0, y));
                }
                written.set(written.get() + out.len());
            }
        }
    }

    /// step(x, y, carry) in every limb, with a carry that goes from limb to limb, upwards; the last
    /// carry. There are as many limbs x as limbs y.
    #[inline(always)]
    pub(super) fn carry_with(
        self,
        ys: &[u64],
        step: impl Fn(u64, u64, bool) -> (u64, bool),
    ) -> bool {
        let mut carry = false;
        // In groups, so that the carry stays in the processor's flag.
        match self.0 {
            Storage::Own(xs) => {
                assert_eq!(xs.len(), ys.len());
                let (x_groups, x_rest) = xs.as_chunks_mut::<GROUP>();
                let (y_groups, y_rest) = ys.as_chunks::<GROUP>();
                for (xs, ys) in x_groups.iter_mut().zip(y_groups) {
                    for (x, &y) in xs.iter_mut().zip(ys) {
                        (*x, carry) = step(*x, y, carry);
                    }
                }
                for (x, &y) in x_rest.iter_mut().zip(y_rest) {
                    (*x, carry) = step(*x, y, carry);
                }
            }
            Storage::New { out, xs, written } => {
                assert!(out.len() == ys.len() && xs.len() == ys.len());
                let (groups, rest) = out.as_chunks_mut::<GROUP>();
                let (x_groups, x_rest) = xs.as_chunks::<GROUP>();
                let (y_groups, y_rest) = ys.as_chunks::<GROUP>();
                let mut set = |limb: &mut MaybeUninit<u64>, x, y| {
                    let value;
                    (value, carry) = step(x, y, carry);
                    limb.write(value);
                };
                for ((limbs, xs), ys) in groups.iter_mut().zip(x_groups).zip(y_groups) {
                    for ((limb, &x), &y) in limbs.iter_mut().zip(xs).zip(ys) {
                        set(limb, x, y);
                    }
                }
                for ((limb, &x), &y) in rest.iter_mut().zip(x_rest).zip(y_rest) {
                    set(limb, x, y);
                }
                written.set(written.get() + out.len());
            }
        }
        carry
    }
}
