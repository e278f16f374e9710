//! Integers from text, limbs and bytes and back.

// Every handle and buffer here is valid, which is all that the functions ask for.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)]

mod handles;

use std::ffi::CString;
use std::ptr::null_mut;

use bezout::Int;
use bezout_capi::bezout_status::*;
use bezout_capi::*;
use handles::{Handle, get, new, sample, taken};

type Export = unsafe extern "C" fn(*mut u8, usize, *mut usize, *const bezout_int) -> bezout_status;
type Import = unsafe extern "C" fn(*mut bezout_int, *const u8, usize) -> bezout_status;

/// All bytes that a function exports, by asking for their number first.
fn exported(call: Export, a: &Handle) -> Vec<u8> {
    let needed = get(|needed| unsafe { call(null_mut(), 0, needed, a.0) });
    let mut bytes = vec![0xa5; needed + 1];
    let mut again = 0;
    unsafe {
        if needed > 0 {
            let status = call(bytes.as_mut_ptr(), needed - 1, &mut again, a.0);
            assert_eq!((status, again), (BEZOUT_ERROR_BUFFER, needed));
            assert!(bytes.iter().all(|byte| *byte == 0xa5));
        }
        assert_eq!(call(bytes.as_mut_ptr(), needed, &mut again, a.0), BEZOUT_OK);
    }
    assert_eq!((bytes.pop(), again), (Some(0xa5), needed));
    bytes
}

#[test]
fn bytes() {
    for a in sample(11) {
        let x = new(&a);
        let back = new(&Int::from(99));
        let table: [(Export, Vec<u8>, Import, Int); 4] = [
            (
                bezout_int_get_le_bytes,
                a.to_le_bytes(),
                bezout_int_set_le_bytes,
                a.abs(),
            ),
            (
                bezout_int_get_be_bytes,
                a.to_be_bytes(),
                bezout_int_set_be_bytes,
                a.abs(),
            ),
            (
                bezout_int_get_signed_le_bytes,
                a.to_signed_le_bytes(),
                bezout_int_set_signed_le_bytes,
                a.clone(),
            ),
            (
                bezout_int_get_signed_be_bytes,
                a.to_signed_be_bytes(),
                bezout_int_set_signed_be_bytes,
                a.clone(),
            ),
        ];
        for (export, expected, import, value) in table {
            let bytes = exported(export, &x);
            assert_eq!(bytes, expected);
            assert_eq!(
                unsafe { import(back.0, bytes.as_ptr(), bytes.len()) },
                BEZOUT_OK
            );
            assert_eq!(back.value(), value);
        }
        let mut raw = exported(bezout_int_get_gmp_raw, &x);
        let length = raw.len();
        raw.extend([1, 2, 3]);
        let mut used = 0;
        let status = unsafe { bezout_int_set_gmp_raw(back.0, &mut used, raw.as_ptr(), raw.len()) };
        assert_eq!((status, used, back.value()), (BEZOUT_OK, length, a));
    }
    assert_eq!(
        exported(bezout_int_get_gmp_raw, &new(&Int::from(-258))),
        [255, 255, 255, 254, 1, 2]
    );
}

#[test]
fn limbs() {
    for a in sample(12) {
        let x = new(&a);
        let count = get(|needed| unsafe { bezout_int_get_limbs(null_mut(), 0, needed, x.0) });
        let mut limbs = vec![0; count];
        let again =
            get(|needed| unsafe { bezout_int_get_limbs(limbs.as_mut_ptr(), count, needed, x.0) });
        assert_eq!((limbs.as_slice(), again), (a.limbs(), count));
    }
}

#[test]
fn text() {
    let out = new(&Int::ZERO);
    for a in sample(13) {
        let x = new(&a);
        for radix in [2, 3, 10, 16, 36] {
            let mut text = null_mut();
            let status = unsafe { bezout_int_to_string(&mut text, x.0, radix) };
            assert_eq!(status, BEZOUT_OK);
            let text = taken(text);
            assert_eq!(text, a.to_string_radix(radix));

            let ended = CString::new(text.as_str()).unwrap();
            assert_eq!(
                unsafe { bezout_int_set_str(out.0, ended.as_ptr(), radix) },
                BEZOUT_OK
            );
            assert_eq!(out.value(), a);
            let made = Handle(unsafe { bezout_int_from_str(ended.as_ptr(), radix) });
            assert_eq!(made.value(), a);

            let longer = format!("{text}?");
            let status =
                unsafe { bezout_int_set_text(out.0, longer.as_ptr().cast(), text.len(), radix) };
            assert_eq!((status, out.value()), (BEZOUT_OK, a.clone()));

            let get_str = |buffer: *mut u8, capacity, needed| unsafe {
                bezout_int_get_str(buffer.cast(), capacity, needed, x.0, radix)
            };
            let mut buffer = vec![1u8; text.len() + 1];
            let needed = get(|needed| get_str(null_mut(), 0, needed));
            assert_eq!(needed, text.len() + 1);
            let short = get_str(buffer.as_mut_ptr(), text.len(), &mut 0);
            assert_eq!(short, BEZOUT_ERROR_BUFFER);
            assert_eq!(get_str(buffer.as_mut_ptr(), needed, &mut 0), BEZOUT_OK);
            assert_eq!(buffer, ended.to_bytes_with_nul());
        }
    }
}

#[test]
fn machine_numbers() {
    for a in sample(14) {
        let x = new(&a);
        unsafe {
            assert_eq!(get(|out| bezout_int_get_f64(out, x.0)), a.to_f64());
            assert_eq!(get(|out| bezout_int_get_f32(out, x.0)), a.to_f32());
            let (mut signed, mut unsigned) = (5, 5);
            let status = bezout_int_get_i64(&mut signed, x.0);
            match i64::try_from(&a) {
                Ok(value) => assert_eq!((status, signed), (BEZOUT_OK, value)),
                Err(_) => assert_eq!((status, signed), (BEZOUT_ERROR_DOMAIN, 5)),
            }
            let status = bezout_int_get_u64(&mut unsigned, x.0);
            match u64::try_from(&a) {
                Ok(value) => assert_eq!((status, unsigned), (BEZOUT_OK, value)),
                Err(_) => assert_eq!((status, unsigned), (BEZOUT_ERROR_DOMAIN, 5)),
            }
        }
    }
    let out = new(&Int::ZERO);
    unsafe {
        assert_eq!(bezout_int_set_f64(out.0, -2.9), BEZOUT_OK);
        assert_eq!(out.value(), -2);
        assert_eq!(bezout_int_set_i64(out.0, i64::MIN), BEZOUT_OK);
        assert_eq!(out.value(), i64::MIN);
    }
}
