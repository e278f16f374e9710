//! Handles that free themselves, and values to try functions on.

#![allow(dead_code)]

use bezout::Int;
use bezout_capi::bezout_status::BEZOUT_OK;
use bezout_capi::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// An integer's handle.
pub struct Handle(pub *mut bezout_int);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle is this one's own.
        unsafe { bezout_int_free(self.0) };
    }
}

impl Handle {
    /// The value behind it, by its limbs and its sign.
    pub fn value(&self) -> Int {
        let (mut limbs, mut count, mut sign) = (std::ptr::null(), 0, 0);
        // SAFETY: the handle is valid, and the limbs are used before anything changes it.
        unsafe {
            assert_eq!(bezout_int_limbs(&mut limbs, &mut count, self.0), BEZOUT_OK);
            assert_eq!(bezout_int_sign(&mut sign, self.0), BEZOUT_OK);
            let limbs = std::slice::from_raw_parts(limbs, count);
            Int::from_sign_limbs(sign < 0, limbs.to_vec())
        }
    }
}

/// A handle of this value.
pub fn new(value: &Int) -> Handle {
    let handle = Handle(bezout_int_new());
    let limbs = value.limbs();
    // SAFETY: the handle is valid.
    let status =
        unsafe { bezout_int_set_limbs(handle.0, limbs.as_ptr(), limbs.len(), value.is_negative()) };
    assert_eq!(status, BEZOUT_OK);
    handle
}

/// What a call stores in a variable.
pub fn get<T: Default>(call: impl FnOnce(*mut T) -> bezout_status) -> T {
    let mut value = T::default();
    assert_eq!(call(&mut value), BEZOUT_OK, "{}", message());
    value
}

/// This thread's message.
pub fn message() -> String {
    // SAFETY: it is always a string.
    let message = unsafe { std::ffi::CStr::from_ptr(bezout_last_error()) };
    message.to_str().unwrap().to_string()
}

/// A string that the library made.
pub fn taken(text: *mut std::ffi::c_char) -> String {
    // SAFETY: the library made it, and it is freed once.
    unsafe {
        let copy = std::ffi::CStr::from_ptr(text).to_str().unwrap().to_string();
        bezout_string_free(text);
        copy
    }
}

pub fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Numbers of every sign and of lengths around the limb's.
pub fn sample(seed: u64) -> Vec<Int> {
    let mut rng = rng(seed);
    let mut all: Vec<Int> = [0, 1, -1, 2, 3, -17, i64::MAX, i64::MIN]
        .map(Int::from)
        .into();
    for bits in [63, 64, 65, 128, 200, 1000, 5000] {
        all.push(Int::random_bits(bits, &mut rng));
        all.push(-Int::random_bits(bits, &mut rng));
    }
    all
}
