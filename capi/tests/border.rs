//! The border: NULL, errors with their positions, messages of threads, panics, progress, engines.

// Every handle here is valid or NULL on purpose.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)]

mod handles;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::thread;

use bezout::Int;
use bezout_capi::bezout_status::*;
use bezout_capi::*;
use handles::{Handle, get, message, new, taken};

#[test]
fn null_is_an_error() {
    let a = new(&Int::from(3));
    unsafe {
        assert_eq!(bezout_int_add(null_mut(), a.0, a.0), BEZOUT_ERROR_NULL);
        assert_eq!(message(), "argument out is NULL");
        assert_eq!(bezout_int_add(a.0, null(), a.0), BEZOUT_ERROR_NULL);
        assert_eq!(message(), "argument a is NULL");
        assert_eq!(bezout_int_add(a.0, a.0, null()), BEZOUT_ERROR_NULL);
        assert_eq!(message(), "argument b is NULL");
        assert_eq!(bezout_int_set_str(a.0, null(), 10), BEZOUT_ERROR_NULL);
        assert_eq!(
            bezout_int_set_limbs(a.0, null(), 3, false),
            BEZOUT_ERROR_NULL
        );
        assert_eq!(
            bezout_int_get_limbs(null_mut(), 0, null_mut(), a.0),
            BEZOUT_ERROR_NULL
        );
        assert_eq!(
            bezout_int_div_rem(a.0, null_mut(), a.0, a.0),
            BEZOUT_ERROR_NULL
        );
        assert_eq!(bezout_int_swap(a.0, null_mut()), BEZOUT_ERROR_NULL);
        assert_eq!(bezout_int_set_bit(null_mut(), 3), BEZOUT_ERROR_NULL);
        assert_eq!(
            bezout_engine_with(c"cpu".as_ptr(), None, null_mut()),
            BEZOUT_ERROR_NULL
        );
        let items = [a.0.cast_const(), null()];
        assert_eq!(
            bezout_int_product(a.0, items.as_ptr(), 2),
            BEZOUT_ERROR_NULL
        );
        assert_eq!(message(), "argument numbers[1] is NULL");
        assert_eq!(bezout_factor(null_mut(), a.0, null()), BEZOUT_ERROR_NULL);
        assert!(bezout_int_from_str(null(), 10).is_null());
        assert_eq!(a.value(), 3);
        // No items need no array.
        assert_eq!(bezout_int_product(a.0, null(), 0), BEZOUT_OK);
        assert_eq!(a.value(), 1);
        assert_eq!(bezout_int_set_limbs(a.0, null(), 0, true), BEZOUT_OK);
        assert_eq!(a.value(), 0);
        bezout_string_free(null_mut());
        bezout_poly_free(null_mut());
        bezout_batch_free(null_mut());
    }
}

#[test]
fn arguments_that_cannot_be() {
    let (a, b) = (new(&Int::from(7)), new(&Int::from(2)));
    unsafe {
        assert_eq!(
            bezout_int_div_rem(a.0, a.0, a.0, b.0),
            BEZOUT_ERROR_ARGUMENT
        );
        assert_eq!(
            bezout_int_gcdext(b.0, a.0, b.0, a.0, b.0),
            BEZOUT_ERROR_ARGUMENT
        );
        assert_eq!(message(), "two results cannot be stored in one place");
        let limbs = [1u64, 2, 3];
        let odd = limbs.as_ptr().cast::<u8>().add(1).cast::<u64>();
        assert_eq!(
            bezout_int_set_limbs(a.0, odd, 2, false),
            BEZOUT_ERROR_ARGUMENT
        );
        let endless = bezout_int_set_limbs(a.0, limbs.as_ptr(), usize::MAX / 4, false);
        assert_eq!(endless, BEZOUT_ERROR_ARGUMENT);
        assert_eq!((a.value(), b.value()), (Int::from(7), Int::from(2)));
    }
}

#[test]
fn errors_of_the_library() {
    let (a, zero) = (new(&Int::from(7)), new(&Int::ZERO));
    unsafe {
        assert_eq!(
            bezout_int_div(a.0, a.0, zero.0),
            BEZOUT_ERROR_DIVISION_BY_ZERO
        );
        assert_eq!(bezout_last_error_status(), BEZOUT_ERROR_DIVISION_BY_ZERO);
        assert_eq!(
            (message().as_str(), bezout_last_error_position()),
            ("division by zero", usize::MAX)
        );
        assert_eq!(
            bezout_int_set_str(a.0, c"12x4".as_ptr(), 10),
            BEZOUT_ERROR_PARSE
        );
        assert_eq!(
            (bezout_last_error_position(), bezout_last_error_line()),
            (2, usize::MAX)
        );
        assert!(message().contains("'x' is not a decimal digit"));
        // A call that succeeds keeps the message.
        assert_eq!(bezout_int_set_str(a.0, c"-0xff".as_ptr(), 0), BEZOUT_OK);
        assert_eq!(a.value(), -255);
        assert_eq!(bezout_last_error_status(), BEZOUT_ERROR_PARSE);
        assert_eq!(
            bezout_int_set_str(a.0, c"1\xff".as_ptr(), 10),
            BEZOUT_ERROR_PARSE
        );
        assert_eq!(bezout_last_error_position(), 1);
        assert_eq!(
            bezout_int_set_str(a.0, c"1".as_ptr(), 37),
            BEZOUT_ERROR_RADIX
        );
        assert_eq!(bezout_int_set_f64(a.0, f64::NAN), BEZOUT_ERROR_DOMAIN);
        assert_eq!(bezout_int_shl(a.0, a.0, u64::MAX), BEZOUT_ERROR_TOO_LARGE);
        assert_eq!(
            bezout_int_set_gmp_raw(a.0, &mut 0, [0].as_ptr(), 1),
            BEZOUT_ERROR_FORMAT
        );
        let poly = bezout_poly_new();
        let status = bezout_poly_set_str(poly, 91, c"x".as_ptr(), false);
        assert_eq!(status, BEZOUT_ERROR_NOT_PRIME);
        assert!(message().contains("7 divides it"));
        let status = bezout_poly_set_str(poly, 7, c"x +\n x y".as_ptr(), false);
        assert_eq!(status, BEZOUT_ERROR_POLYNOMIAL);
        assert_eq!(
            (bezout_last_error_line(), bezout_last_error_position()),
            (2, 4)
        );
        bezout_poly_free(poly);
        assert_eq!(a.value(), -255, "nothing was stored");
    }
}

#[test]
fn names_of_codes() {
    let name = |code| {
        unsafe { CStr::from_ptr(bezout_status_name(code)) }
            .to_str()
            .unwrap()
    };
    assert_eq!(name(0), "ok");
    assert_eq!(name(BEZOUT_ERROR_CANCELLED as c_int), "cancelled");
    assert_eq!(name(BEZOUT_ERROR_BUG as c_int), "bug in bezout");
    assert_eq!(name(-1), "unknown status");
    assert_eq!(name(c_int::MAX), "unknown status");
    let version = unsafe { CStr::from_ptr(bezout_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_panic_is_a_code() {
    assert_eq!(run_guarded(|| panic!("broken {}", 17)), BEZOUT_ERROR_BUG);
    assert!(
        message().ends_with("please report it: broken 17"),
        "{}",
        message()
    );
    assert_eq!(run_guarded(|| panic!("with a \0 inside")), BEZOUT_ERROR_BUG);
    assert!(message().ends_with("with a \\0 inside"));
    assert_eq!(run_guarded(|| std::panic::panic_any(42)), BEZOUT_ERROR_BUG);
    assert_eq!(run_guarded(|| ()), BEZOUT_OK);
}

#[test]
fn each_thread_has_its_message() {
    let zero = new(&Int::ZERO);
    unsafe {
        assert_eq!(
            bezout_int_div(zero.0, zero.0, zero.0),
            BEZOUT_ERROR_DIVISION_BY_ZERO
        );
        let other = thread::spawn(|| {
            assert_eq!(
                (message().as_str(), bezout_last_error_status()),
                ("", BEZOUT_OK)
            );
            assert!(bezout_int_from_str(c"?".as_ptr(), 10).is_null());
            message()
        });
        assert!(
            other
                .join()
                .unwrap()
                .starts_with("not a number at position 0")
        );
        assert_eq!(message(), "division by zero");
    }
}

#[test]
fn a_value_is_read_by_many_threads() {
    let a = new(&((Int::ONE << 100_000) - 1));
    let address = a.0.addr();
    let expected = a.value().square();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let shared = std::ptr::with_exposed_provenance::<bezout_int>(address);
                let out = new(&Int::ZERO);
                for _ in 0..5 {
                    assert_eq!(unsafe { bezout_int_mul(out.0, shared, shared) }, BEZOUT_OK);
                    assert_eq!(out.value(), expected);
                }
            });
        }
        a.0.expose_provenance();
    });
}

struct Heard {
    calls: u32,
    last: f64,
    stage: String,
    stop_at: f64,
}

unsafe extern "C" fn hear(stage: *const c_char, fraction: f64, user: *mut c_void) -> c_int {
    let heard = unsafe { &mut *user.cast::<Heard>() };
    heard.calls += 1;
    heard.last = fraction;
    heard.stage = unsafe { CStr::from_ptr(stage) }.to_str().unwrap().into();
    // What the callback does itself is not observed, and does not cancel it.
    let own = Handle(bezout_int_from_i64(3));
    assert_eq!(unsafe { bezout_int_pow(own.0, own.0, 1000) }, BEZOUT_OK);
    c_int::from(fraction > heard.stop_at)
}

#[test]
fn progress_and_cancelling() {
    let a = new(&((Int::ONE << (1 << 20)) - 1));
    let mut heard = Heard {
        calls: 0,
        last: 0.0,
        stage: String::new(),
        stop_at: 0.5,
    };
    let mut text = null_mut();
    unsafe {
        bezout_progress_set(Some(hear), (&raw mut heard).cast());
        assert_eq!(
            bezout_int_to_string(&mut text, a.0, 10),
            BEZOUT_ERROR_CANCELLED
        );
        assert_eq!(message(), "cancelled");
        assert!(text.is_null() && heard.calls > 0 && heard.last > 0.5 && !heard.stage.is_empty());
        // The next call begins anew.
        heard.stop_at = 2.0;
        assert_eq!(bezout_int_to_string(&mut text, a.0, 10), BEZOUT_OK);
        assert_eq!(heard.last, 1.0);
        assert_eq!(taken(text), a.value().to_string());
        // Another thread has no callback.
        let calls = heard.calls;
        thread::spawn(|| {
            let b = Handle(bezout_int_new());
            assert_eq!(bezout_int_factorial(b.0, 20_000), BEZOUT_OK);
        })
        .join()
        .unwrap();
        bezout_progress_set(None, null_mut());
        assert_eq!(bezout_int_factorial(a.0, 20_000), BEZOUT_OK);
        assert_eq!(heard.calls, calls);
    }
}

fn current() -> String {
    taken(get_text(|out| unsafe { bezout_engine_current(out) }))
}

fn get_text(call: impl FnOnce(*mut *mut c_char) -> bezout_status) -> *mut c_char {
    let mut text = null_mut();
    assert_eq!(call(&mut text), BEZOUT_OK);
    text
}

unsafe extern "C" fn note_engine(user: *mut c_void) {
    unsafe { user.cast::<String>().write(current()) };
}

#[test]
fn engines() {
    unsafe {
        assert_eq!(current(), "auto");
        assert_eq!(bezout_engine_set(c"cpu".as_ptr()), BEZOUT_OK);
        assert_eq!(current(), "cpu");
        thread::spawn(|| assert_eq!(current(), "auto"))
            .join()
            .unwrap();
        let mut inside = String::new();
        let user = (&raw mut inside).cast();
        assert_eq!(
            bezout_engine_with(c"auto".as_ptr(), Some(note_engine), user),
            BEZOUT_OK
        );
        assert_eq!((inside.as_str(), current().as_str()), ("auto", "cpu"));
        assert_eq!(bezout_engine_set(c"gpu".as_ptr()), BEZOUT_ERROR_DOMAIN);
        assert_eq!(
            bezout_engine_set(c"cuda:77".as_ptr()),
            BEZOUT_ERROR_NO_DEVICE
        );
        assert!(message().starts_with("no CUDA device"), "{}", message());
        assert_eq!(
            bezout_engine_set_default(c"cuda:77".as_ptr()),
            BEZOUT_ERROR_NO_DEVICE
        );
        assert_eq!(current(), "cpu");
        assert_eq!(bezout_engine_set(null()), BEZOUT_OK);
        assert_eq!(current(), "auto");
        assert_eq!(bezout_engine_set_default(null()), BEZOUT_ERROR_NULL);
        assert_eq!(bezout_engine_set_default(c"auto".as_ptr()), BEZOUT_OK);
        let a = new(&(Int::ONE << 1000));
        assert_eq!(bezout_int_to_device(a.0, 77), BEZOUT_ERROR_NO_DEVICE);
        assert_eq!(
            bezout_device_memory(&mut 0, &mut 0, 77),
            BEZOUT_ERROR_NO_DEVICE
        );
        assert_eq!(bezout_device_synchronize(77), BEZOUT_ERROR_NO_DEVICE);
        assert_eq!(
            bezout_device_name(&mut null_mut(), 77),
            BEZOUT_ERROR_NO_DEVICE
        );
        get(|out| bezout_device_count(out));
    }
}

#[test]
fn values_on_a_device() {
    // The kernels run on the CPU, where a C++ compiler is found.
    if bezout::cuda::device(bezout::engine::EXECUTOR).is_err() {
        return;
    }
    let value = Int::fill(0x0123_4567_89ab_cdef, 2000);
    let a = new(&value);
    unsafe {
        assert!(!get(|out| bezout_int_is_on_device(out, a.0)));
        assert_eq!(bezout_int_to_device(a.0, u32::MAX), BEZOUT_OK);
        assert!(get(|out| bezout_int_is_on_device(out, a.0)));
        assert_eq!(bezout_engine_set(c"cuda:executor".as_ptr()), BEZOUT_OK);
        assert_eq!(bezout_int_add(a.0, a.0, a.0), BEZOUT_OK);
        assert!(get(|out| bezout_int_is_on_device(out, a.0)));
        assert!(!get(|out| bezout_int_is_on_host(out, a.0)));
        let used = taken(get_text(|out| bezout_engine_last_used(out)));
        assert_eq!(used, "cuda:executor");
        assert_eq!(bezout_int_fetch(a.0), BEZOUT_OK);
        assert!(get(|out| bezout_int_is_on_host(out, a.0)));
        assert_eq!(bezout_int_drop_device(a.0), BEZOUT_OK);
        assert!(!get(|out| bezout_int_is_on_device(out, a.0)));
        assert_eq!(a.value(), value << 1);
        let (mut bytes, mut in_use) = (0, 0);
        assert_eq!(
            bezout_device_memory(&mut bytes, &mut in_use, u32::MAX),
            BEZOUT_OK
        );
        assert!(!taken(get_text(|out| bezout_device_name(out, u32::MAX))).is_empty());
        assert_eq!(bezout_device_synchronize(u32::MAX), BEZOUT_OK);

        let batch = bezout_batch_new();
        assert_eq!(bezout_batch_fill(batch, 7, 100, 2), BEZOUT_OK);
        assert_eq!(bezout_batch_to_device(batch, u32::MAX), BEZOUT_OK);
        assert_eq!(bezout_batch_add(batch, batch, batch), BEZOUT_OK);
        assert!(get(|out| bezout_batch_is_on_device(out, batch)));
        assert_eq!(bezout_batch_get(a.0, batch, 99), BEZOUT_OK);
        assert_eq!(a.value(), (Int::from(14) << 64) + 14);
        bezout_batch_free(batch);

        let poly = bezout_poly_new();
        let coefficients = [3, 1, 4, 1, 5, 9, 2, 6];
        let status = bezout_poly_set_coefficients(poly, 101, coefficients.as_ptr(), 8);
        assert_eq!(status, BEZOUT_OK);
        assert_eq!(bezout_poly_to_device(poly, u32::MAX), BEZOUT_OK);
        assert!(get(|out| bezout_poly_is_on_device(out, poly)));
        assert_eq!(bezout_poly_neg(poly, poly), BEZOUT_OK);
        assert_eq!(get(|out| bezout_poly_degree(out, poly)), 7);
        assert_eq!(get(|out| bezout_poly_coefficient(out, poly, 7)), 95);
        bezout_poly_free(poly);
        assert_eq!(bezout_engine_set(null()), BEZOUT_OK);
    }
}
