//! Sizes that no machine holds, and limits of memory: a code, and the process goes on.

#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
// Every handle here is valid, which is all that the functions ask for.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)]

mod handles;

use std::env;
use std::process::Command;
use std::ptr::null;

use bezout::Int;
use bezout_capi::bezout_status::*;
use bezout_capi::*;
use handles::{Handle, message, new};

/// More sizes and limits, for `.ci/full`.
fn is_long() -> bool {
    env::var_os("BEZOUT_LONG_TESTS").is_some()
}

/// Sizes of arguments that need more than the memory of a process.
const SIZES: [usize; 9] = [
    1 << 50,
    1 << 57,
    1 << 58,
    1 << 60,
    1 << 61,
    (1 << 61) + 1,
    1 << 63,
    usize::MAX - 1,
    usize::MAX,
];

#[test]
fn sizes_that_no_machine_holds() {
    let (five, x) = (new(&Int::from(5)), Handle(bezout_int_new()));
    let five_in = [five.0.cast_const()];
    let (batch, poly) = (bezout_batch_new(), bezout_poly_new());
    let random = bezout_random_new(1);
    for n in SIZES {
        let bits = n as u64;
        let too_large = |what: &str, status: bezout_status| {
            let is_refused = matches!(status, BEZOUT_ERROR_TOO_LARGE | BEZOUT_ERROR_MEMORY);
            assert!(is_refused, "{what} {n}: {status:?}, {}", message());
        };
        unsafe {
            let numbers = five_in.as_ptr();
            too_large("set_ints", bezout_batch_set_ints(batch, numbers, 1, n));
            too_large(
                "set_ints of none",
                bezout_batch_set_ints(batch, null(), 0, n),
            );
            too_large("set_limbs", bezout_batch_set_limbs(batch, null(), 0, n));
            too_large(
                "set_limbs of many",
                bezout_batch_set_limbs(batch, null(), n, n),
            );
            too_large("set_limbs of one", bezout_batch_set_limbs(batch, &7, n, 1));
            too_large(
                "set_le_bytes",
                bezout_batch_set_le_bytes(batch, null(), 0, n),
            );
            too_large(
                "set_be_bytes",
                bezout_batch_set_be_bytes(batch, null(), 0, n),
            );
            too_large("fill", bezout_batch_fill(batch, 1, n, 1));
            too_large("fill a row", bezout_batch_fill(batch, 1, 1, n));
            too_large("fill much", bezout_batch_fill(batch, 1, n, n));
            too_large("random", bezout_poly_set_random(poly, 7, n, random));
            too_large("random bits", bezout_int_random_bits(x.0, bits, random));
            too_large("shl", bezout_int_shl(x.0, five.0, bits));
            too_large("set_bit", bezout_int_set_bit(x.0, bits));
        }
        assert_eq!(x.value(), 0);
    }
    unsafe {
        // What fits in the address space and in no machine's memory.
        let numbers = five_in.as_ptr();
        let status = bezout_batch_set_ints(batch, numbers, 1, 1 << 40);
        assert_eq!(status, BEZOUT_ERROR_MEMORY);
        let status = bezout_poly_set_random(poly, 7, 1 << 40, random);
        assert_eq!(status, BEZOUT_ERROR_MEMORY);
        bezout_batch_free(batch);
        bezout_poly_free(poly);
        bezout_random_free(random);
    }
}

/// `RLIMIT_AS` and `RLIM_INFINITY` of 64-bit Linux.
const ADDRESS_SPACE: i32 = 9;
const NO_LIMIT: u64 = u64::MAX;

unsafe extern "C" {
    /// The soft limit and the hard one.
    fn setrlimit(resource: i32, limits: *const [u64; 2]) -> i32;
}

/// Sets the limit of the address space to what is in use and so many bytes more.
fn limit_to(extra: u64) {
    let used = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = used.split(' ').next().unwrap().parse().unwrap();
    set_limit(4096 * pages + extra);
}

fn set_limit(bytes: u64) {
    assert_eq!(unsafe { setrlimit(ADDRESS_SPACE, &[bytes, NO_LIMIT]) }, 0);
}

/// What [`operations_under_limits`] runs in a process of its own: with so many MiB left.
#[test]
fn child() {
    let Ok(extra) = env::var("BEZOUT_TEST_EXTRA_MIB") else {
        return;
    };
    let extra = extra.parse::<u64>().unwrap() << 20;
    let scale = if is_long() { 4 } else { 1 };
    let a = new(&Int::from(3).pow(5_000_000 * scale));
    let b = new(&Int::from(7).pow(2_700_000 * scale));
    let short: Vec<Handle> = (1..20_000 * scale)
        .map(|i| new(&Int::from(i).pow(40)))
        .collect();
    let pointers: Vec<*const bezout_int> = short.iter().map(|x| x.0.cast_const()).collect();
    let limbs = a.value().try_limbs().unwrap().to_vec();
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    let (x, y) = (Handle(bezout_int_new()), Handle(bezout_int_new()));
    let (rows, out) = (bezout_batch_new(), bezout_batch_new());
    let (p, q) = (bezout_poly_new(), bezout_poly_new());
    let random = bezout_random_new(1);
    let mut keys: Vec<u64> = limbs.clone();
    let mut places = vec![0u64; keys.len()];
    let mut text = std::ptr::null_mut();
    let mut shared = std::ptr::null_mut();
    unsafe {
        let status = bezout_batch_set_ints(rows, pointers.as_ptr(), pointers.len(), 16);
        assert_eq!(status, BEZOUT_OK);
        assert_eq!(
            bezout_poly_set_random(p, 1_000_003, 50_000, random),
            BEZOUT_OK
        );
    }
    let (mut done, mut refused) = (0, 0);
    let mut tried = |what: &str, call: &mut dyn FnMut() -> bezout_status| {
        eprintln!("{what}");
        limit_to(extra);
        let status = call();
        set_limit(NO_LIMIT);
        match status {
            BEZOUT_OK => done += 1,
            BEZOUT_ERROR_MEMORY => refused += 1,
            other => panic!("{what}: {other:?}, {}", message()),
        }
    };
    unsafe {
        tried("or", &mut || bezout_int_or(x.0, a.0, b.0));
        tried("add", &mut || bezout_int_add(x.0, a.0, b.0));
        tried("sub", &mut || bezout_int_sub(x.0, a.0, b.0));
        tried("mul", &mut || bezout_int_mul(x.0, a.0, b.0));
        tried("shl", &mut || bezout_int_shl(x.0, a.0, 12_345));
        tried("set_bit", &mut || bezout_int_set_bit(y.0, 160 << 20));
        tried("limbs", &mut || {
            bezout_int_set_limbs(x.0, limbs.as_ptr(), limbs.len(), false)
        });
        tried("bytes", &mut || {
            bezout_int_set_be_bytes(x.0, bytes.as_ptr(), bytes.len())
        });
        tried("signed", &mut || {
            bezout_int_set_signed_le_bytes(x.0, bytes.as_ptr(), bytes.len())
        });
        tried("sqrt", &mut || bezout_int_sqrt(x.0, a.0));
        tried("text", &mut || bezout_int_to_string(&mut text, a.0, 16));
        tried("quotient", &mut || bezout_int_div_rem(x.0, y.0, a.0, b.0));
        tried("product", &mut || {
            bezout_int_product(x.0, pointers.as_ptr(), pointers.len())
        });
        tried("shared factors", &mut || {
            bezout_shared_factors(&mut shared, pointers.as_ptr(), 300)
        });
        tried("batch", &mut || {
            bezout_batch_set_ints(out, pointers.as_ptr(), pointers.len(), 16)
        });
        tried("rows of bytes", &mut || {
            bezout_batch_set_le_bytes(out, bytes.as_ptr(), bytes.len() / 128 * 128, 128)
        });
        tried("rows or", &mut || bezout_batch_or(out, rows, rows));
        tried("rows mul", &mut || bezout_batch_mul(out, rows, rows));
        tried("rows mul wide", &mut || {
            bezout_batch_mul_wide(out, rows, rows)
        });
        tried("fill", &mut || bezout_batch_fill(out, 7, 50_000, 16));
        tried("poly", &mut || {
            bezout_poly_set_random(q, 1_000_003, 500_000, random)
        });
        tried("poly mul", &mut || bezout_poly_mul(q, p, p));
        tried("permutation", &mut || {
            bezout_sort_permutation_u64(places.as_mut_ptr(), keys.as_ptr(), keys.len(), false)
        });
        tried("sort", &mut || {
            bezout_sort_u64(keys.as_mut_ptr(), keys.len(), true)
        });
        // Small values until nothing is left: NULL, and all can be freed.
        let mut small = Vec::with_capacity(4_000_000);
        limit_to(extra.min(8 << 20));
        while small.len() < small.capacity() {
            match bezout_int_new() {
                x if x.is_null() => break,
                x => small.push(x),
            }
        }
        let small_count = small.len();
        for x in small {
            bezout_int_free(x);
        }
        set_limit(NO_LIMIT);
        assert!(small_count < 4_000_000, "memory ran out");
        bezout_string_free(text);
        bezout_shared_free(shared);
        bezout_batch_free(rows);
        bezout_batch_free(out);
        bezout_poly_free(p);
        bezout_poly_free(q);
        bezout_random_free(random);
    }
    eprintln!("all done: {done} done, {refused} refused");
}

#[test]
fn operations_under_limits() {
    let limits: Vec<u64> = if is_long() {
        (0..200).step_by(7).collect()
    } else {
        vec![0, 4, 25, 4000]
    };
    for extra in limits {
        let run = Command::new(env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env("BEZOUT_TEST_EXTRA_MIB", extra.to_string())
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&run.stderr);
        assert!(
            run.status.success(),
            "{extra} MiB: {:?}: {words}",
            run.status
        );
        assert!(words.contains("all done"), "{words}");
        assert!(extra < 4000 || words.contains(" 0 refused"), "{words}");
    }
}
