//! Stands in for `mod.rs` where there is no assembly.

use std::cmp::Ordering;

/// There is none.
#[derive(Clone, Copy)]
pub(super) enum Leaves {}

#[inline]
pub(super) fn leaves() -> Option<Leaves> {
    None
}

#[inline]
pub(super) fn leaves_from(_least: usize, _len: usize) -> Option<Leaves> {
    None
}

/// The order of two numbers of one length.
pub(super) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

macro_rules! missing {
    ($($name:ident($($argument:ty),+) -> $result:ty;)+) => {
        impl Leaves {
            $(pub(super) fn $name(self, $(_: $argument),+) -> $result {
                match self {}
            })+
        }
    };
}

missing! {
    add(&mut [u64], &[u64], &[u64]) -> bool;
    add_assign(&mut [u64], &[u64]) -> bool;
    sub(&mut [u64], &[u64], &[u64]) -> bool;
    sub_assign(&mut [u64], &[u64]) -> bool;
    sub_from(&mut [u64], &[u64]) -> bool;
    mul_word(&mut [u64], &[u64], u64) -> u64;
    mul_word_assign(&mut [u64], u64, u64) -> u64;
    addmul_word(&mut [u64], &[u64], u64) -> u64;
    submul_word(&mut [u64], &[u64], u64) -> u64;
    divide_exactly(&mut [u64], u64) -> ();
    mul(&mut [u64], &[u64], &[u64]) -> ();
    square(&mut [u64], &[u64]) -> ();
    gcd_odd_words(u64, u64) -> u64;
    gcd_odd_pairs(u128, u128) -> u128;
    reduce(&mut [u64], &[u64], u64) -> ();
    reduce_short(&mut [u64], &mut [u64], &[u64], u64) -> ();
    mul_low(&mut [u64], &[u64], &[u64]) -> ();
    shl(&mut [u64], &[u64], u32) -> ();
    shl_assign(&mut [u64], u32) -> ();
    shr(&mut [u64], &[u64], u32) -> ();
    shr_assign(&mut [u64], u32) -> ();
}
