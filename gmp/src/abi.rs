//! GMP's own types, and numbers on their way between GMP and bezout.

use std::mem::{ManuallyDrop, MaybeUninit};

use bezout::Int;

use crate::serve::Decline;
use crate::start;

/// `mpz_t`'s structure.
#[repr(C)]
pub(crate) struct Mpz {
    alloc: i32,
    size: i32,
    limbs: *mut u64,
}

/// `mpz_ptr`.
pub(crate) type Out = *mut Mpz;
/// `mpz_srcptr`.
pub(crate) type In = *const Mpz;

/// Limbs of an operand.
///
/// # Safety
/// `x` must be an initialised `mpz_t`.
#[inline(always)]
pub(crate) unsafe fn len(x: In) -> usize {
    // SAFETY: the caller's `x` is initialised.
    unsafe { (*x).size.unsigned_abs() as usize }
}

/// An operand as a sign and limbs that stay where they are.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub(crate) negative: bool,
    pub(crate) limbs: &'a [u64],
}

impl Operand<'_> {
    /// # Safety
    /// `x` must be an initialised `mpz_t` that nobody changes while the operand is in use.
    pub(crate) unsafe fn new<'a>(x: In) -> Operand<'a> {
        // SAFETY: an initialised `mpz_t` has |size| limbs at its pointer.
        unsafe {
            Operand {
                negative: (*x).size < 0,
                limbs: slice((*x).limbs, len(x)),
            }
        }
    }

    /// A copy for bezout.
    pub(crate) fn int(self) -> Int {
        if self.negative {
            Int::from_sign_limbs(true, self.limbs.to_vec())
        } else {
            Int::from_limbs_slice(self.limbs)
        }
    }

    /// A copy of the magnitude.
    pub(crate) fn magnitude(self) -> Int {
        Int::from_limbs_slice(self.limbs)
    }
}

/// The limbs of an `mpn` operand.
///
/// # Safety
/// `limbs` must point to `len` limbs that nobody changes while the slice is in use.
pub(crate) unsafe fn slice<'a>(limbs: *const u64, len: usize) -> &'a [u64] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller's `limbs` has `len` limbs.
    unsafe { std::slice::from_raw_parts(limbs, len) }
}

/// The place of an `mpn` result, which may not have been written to yet.
///
/// # Safety
/// `limbs` must have room for `len` limbs that nobody else uses while the slice is in use.
pub(crate) unsafe fn room<'a>(limbs: *mut u64, len: usize) -> &'a mut [MaybeUninit<u64>] {
    if len == 0 {
        return &mut [];
    }
    // SAFETY: the caller's `limbs` has room for `len` limbs.
    unsafe { std::slice::from_raw_parts_mut(limbs.cast(), len) }
}

/// Whether a result lies where an operand does: programs also hand over copies of the structure,
/// and GMP compares these pointers too.
///
/// # Safety
/// Both must be initialised.
pub(crate) unsafe fn shares_limbs(r: Out, x: In) -> bool {
    // SAFETY: both are initialised.
    unsafe { std::ptr::eq((*r).limbs, (*x).limbs) }
}

/// The place of a result of `len` limbs in an `mpz_t`, grown by the program's own GMP if it is too
/// short.
///
/// # Safety
/// `r` must be an initialised `mpz_t` that nobody else uses while the slice is in use.
pub(crate) unsafe fn room_in<'a>(r: Out, len: usize) -> &'a mut [MaybeUninit<u64>] {
    // SAFETY: `r` is initialised; GMP's own function grows it, after which it has room for `len`
    // limbs.
    unsafe {
        if ((*r).alloc.max(0) as usize) < len {
            start::grow(r, len as i64);
        }
        room((*r).limbs, len)
    }
}

/// Says that the first `len` limbs of an `mpz_t` are the magnitude of its value, with zeros above
/// it or without.
///
/// # Safety
/// `r` must have so many limbs, and they must have been written.
pub(crate) unsafe fn set_size(r: Out, len: usize, negative: bool) {
    // SAFETY: the caller's `r` has `len` limbs.
    unsafe {
        let limbs = slice((*r).limbs, len);
        let len = limbs
            .iter()
            .rposition(|limb| *limb != 0)
            .map_or(0, |top| top + 1);
        (*r).size = if negative { -(len as i32) } else { len as i32 };
    }
}

/// A result that waits to be stored. It has no destructor: the program's allocator may leave by
/// `longjmp` while the result is stored, which may only pass frames without pending destructors.
/// The limbs then leak.
pub(crate) struct Answer {
    negative: bool,
    limbs: ManuallyDrop<Vec<u64>>,
}

impl Answer {
    /// Fetches a result from wherever it was computed. Declines what no `mpz_t` can hold.
    pub(crate) fn new(value: Int) -> Result<Answer, Decline> {
        let negative = value.try_is_negative()?;
        let limbs = value.try_into_limbs()?;
        if i32::try_from(limbs.len()).is_err() {
            return Err(Decline::Case);
        }
        Ok(Answer {
            negative,
            limbs: ManuallyDrop::new(limbs),
        })
    }

    /// The result with this sign.
    pub(crate) fn signed(mut self, negative: bool) -> Answer {
        self.negative = negative;
        self
    }

    pub(crate) fn discard(self) {
        drop(ManuallyDrop::into_inner(self.limbs));
    }

    pub(crate) fn len(&self) -> usize {
        self.limbs.len()
    }

    /// Stores the result in an `mpz_t`, grown by the program's own GMP if it is too short.
    ///
    /// # Safety
    /// `r` must be an initialised `mpz_t`.
    pub(crate) unsafe fn store(mut self, r: Out) {
        let len = self.limbs.len();
        // SAFETY: `r` is initialised; GMP's own function grows it, after which it has room for
        // `len` limbs. The limbs are dropped once, and not used after that.
        unsafe {
            if len > 0 {
                room_in(r, len).write_copy_of_slice(&self.limbs);
            }
            (*r).size = if self.negative {
                -(len as i32)
            } else {
                len as i32
            };
            ManuallyDrop::drop(&mut self.limbs);
        }
    }

    /// Writes the limbs and zeros above them. Returns the highest limb written.
    ///
    /// # Safety
    /// `to` must have room for `room` limbs, at least as many as the result has and at least one.
    pub(crate) unsafe fn fill(mut self, to: *mut u64, room: usize) -> u64 {
        let len = self.limbs.len();
        assert!(0 < room && len <= room);
        // SAFETY: `to` has room for `room` limbs. The limbs are dropped once, and not used after.
        unsafe {
            to.copy_from_nonoverlapping(self.limbs.as_ptr(), len);
            to.add(len).write_bytes(0, room - len);
            ManuallyDrop::drop(&mut self.limbs);
            *to.add(room - 1)
        }
    }
}
