//! Prepared numbers, trees, factors, shared primes and sorting against the Rust library.

// Every handle here is valid, which is all that the functions ask for.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)]

mod handles;

use std::ffi::{CString, c_int, c_void};
use std::ptr::{null, null_mut};

use bezout::{Int, tree};
use bezout_capi::bezout_factor_kind::*;
use bezout_capi::bezout_status::*;
use bezout_capi::*;
use handles::{Handle, get, message, new, sample, taken};

/// An object that a call makes.
fn made<T>(call: impl FnOnce(*mut *mut T) -> bezout_status) -> *mut T {
    let mut object = null_mut();
    assert_eq!(call(&mut object), BEZOUT_OK, "{}", message());
    object
}

fn pointers(handles: &[Handle]) -> Vec<*const bezout_int> {
    handles.iter().map(|handle| handle.0.cast_const()).collect()
}

#[test]
fn prepared_and_divisor() {
    let out = new(&Int::ZERO);
    let rest = new(&Int::ZERO);
    for a in sample(21) {
        let x = new(&a);
        unsafe {
            let prepared = made(|out| bezout_prepared_new(out, x.0));
            assert_eq!(bezout_prepared_value(out.0, prepared), BEZOUT_OK);
            assert_eq!(out.value(), a);
            let y = new(&Int::from(-12345));
            assert_eq!(bezout_prepared_mul(y.0, prepared, y.0), BEZOUT_OK);
            assert_eq!(y.value(), &a * -12345);
            bezout_prepared_free(prepared);

            let mut divisor = null_mut();
            let status = bezout_divisor_new(&mut divisor, x.0);
            if a.is_zero() {
                assert_eq!(status, BEZOUT_ERROR_DIVISION_BY_ZERO);
                continue;
            }
            let b = Int::from(-7).pow(500);
            let y = new(&b);
            assert_eq!(
                bezout_divisor_div_rem(out.0, rest.0, divisor, y.0),
                BEZOUT_OK
            );
            assert_eq!((out.value(), rest.value()), b.div_rem(&a));
            assert_eq!(bezout_divisor_rem(out.0, divisor, y.0), BEZOUT_OK);
            assert_eq!(out.value(), &b % &a);
            assert_eq!(bezout_divisor_rem_euclid(out.0, divisor, y.0), BEZOUT_OK);
            assert_eq!(out.value(), b.rem_euclid(&a));
            let divides = get(|out| bezout_divisor_divides(out, divisor, y.0));
            assert_eq!(divides, b.is_multiple_of(&a));
            assert_eq!(bezout_divisor_value(out.0, divisor), BEZOUT_OK);
            assert_eq!(out.value(), a);
            bezout_divisor_free(divisor);
        }
    }
}

#[test]
fn trees() {
    let numbers: Vec<Int> = sample(22).into_iter().filter(|n| !n.is_zero()).collect();
    let x = Int::from(10).pow(3000) + 7;
    let handles: Vec<Handle> = numbers.iter().map(new).collect();
    let (x_handle, out) = (new(&x), new(&Int::ZERO));
    let expected = tree::remainders(&x, &numbers).unwrap();
    unsafe {
        let operands = pointers(&handles);
        assert_eq!(
            bezout_int_product(out.0, operands.as_ptr(), operands.len()),
            BEZOUT_OK
        );
        assert_eq!(out.value(), numbers.iter().product::<Int>());
        let tree = made(|out| bezout_tree_new(out, operands.as_ptr(), operands.len()));
        assert_eq!(bezout_tree_product(out.0, tree), BEZOUT_OK);
        assert_eq!(out.value(), numbers.iter().product::<Int>());

        let rests: Vec<Handle> = numbers.iter().map(|_| new(&Int::ZERO)).collect();
        let places: Vec<*mut bezout_int> = rests.iter().map(|handle| handle.0).collect();
        let status = bezout_tree_remainders(places.as_ptr(), places.len() - 1, tree, x_handle.0);
        assert_eq!(status, BEZOUT_ERROR_ARGUMENT);
        let status = bezout_tree_remainders(places.as_ptr(), places.len(), tree, x_handle.0);
        assert_eq!(status, BEZOUT_OK);
        assert!(rests.iter().map(Handle::value).eq(expected.iter().cloned()));
        bezout_tree_free(tree);

        // In the handles of the moduli.
        let places: Vec<*mut bezout_int> = handles.iter().map(|handle| handle.0).collect();
        let count = places.len();
        let status = bezout_int_remainders(places.as_ptr(), x_handle.0, operands.as_ptr(), count);
        assert_eq!(status, BEZOUT_OK);
        assert!(handles.iter().map(Handle::value).eq(expected));

        let none = made(|out| bezout_tree_new(out, null(), 0));
        assert_eq!(
            bezout_tree_remainders(null(), 0, none, x_handle.0),
            BEZOUT_OK
        );
        bezout_tree_free(none);

        let [a, b, c, d] = [2, 3, -5, 7].map(|n| new(&Int::from(n)));
        let (left, right) = ([a.0.cast_const(), c.0], [b.0.cast_const(), d.0]);
        let status = bezout_int_sum_of_products(a.0, left.as_ptr(), right.as_ptr(), 2);
        assert_eq!((status, a.value()), (BEZOUT_OK, Int::from(-29)));
    }
}

/// The factors that the library found, with exponents and kinds.
fn listed(factors: *const bezout_factors) -> Vec<(Int, u64, bezout_factor_kind)> {
    unsafe {
        let count = get(|out| bezout_factors_count(out, factors));
        let one = |index| {
            let (value, mut exponent, mut kind) = (new(&Int::ZERO), 0, BEZOUT_FACTOR_UNKNOWN);
            let status = bezout_factors_get(value.0, &mut exponent, factors, index);
            assert_eq!(status, BEZOUT_OK);
            assert_eq!(bezout_factors_kind(&mut kind, factors, index), BEZOUT_OK);
            (value.value(), exponent, kind)
        };
        let all = (0..count).map(one).collect();
        let status = bezout_factors_get(new(&Int::ZERO).0, &mut 0, factors, count);
        assert_eq!(status, BEZOUT_ERROR_ARGUMENT);
        all
    }
}

unsafe extern "C" fn at_once(_: *mut c_void) -> c_int {
    1
}

#[test]
fn factoring() {
    let n = Int::from(360) * ((Int::ONE << 127) - 1);
    let x = new(&n);
    unsafe {
        let found = made(|out| bezout_factor(out, x.0, null()));
        let expected = [
            (Int::from(2), 3, BEZOUT_FACTOR_PROVED),
            (Int::from(3), 2, BEZOUT_FACTOR_PROVED),
            (Int::from(5), 1, BEZOUT_FACTOR_PROVED),
            ((Int::ONE << 127) - 1, 1, BEZOUT_FACTOR_PROBABLE),
        ];
        assert_eq!(listed(found), expected);
        assert!(get(|out| bezout_factors_is_complete(out, found)));
        bezout_factors_free(found);

        let mut none = null_mut();
        let status = bezout_factor(&mut none, new(&Int::from(-1)).0, null());
        assert_eq!((status, none.is_null()), (BEZOUT_ERROR_DOMAIN, true));

        // No curve may be tried, so a product of two large primes stays composite.
        let hard = Int::from(10).pow(60).next_prime() * Int::from(10).pow(62).next_prime();
        let y = new(&hard);
        let options = bezout_factor_options_new();
        assert_eq!(
            bezout_factor_options_methods(options, c"ecm".as_ptr()),
            BEZOUT_OK
        );
        assert_eq!(
            bezout_factor_options_methods(options, c"luck".as_ptr()),
            BEZOUT_ERROR_DOMAIN
        );
        assert_eq!(bezout_factor_options_curves(options, 0), BEZOUT_OK);
        assert_eq!(bezout_factor_options_seed(options, 3), BEZOUT_OK);
        assert_eq!(bezout_factor_options_bounds(options, 100, 1000), BEZOUT_OK);
        assert_eq!(bezout_factor_options_longest_step(options, 10.0), BEZOUT_OK);
        assert_eq!(
            bezout_factor_options_longest_step(options, -1.0),
            BEZOUT_ERROR_ARGUMENT
        );
        let found = made(|out| bezout_factor(out, y.0, options));
        assert_eq!(listed(found), [(hard.clone(), 1, BEZOUT_FACTOR_COMPOSITE)]);
        assert!(!get(|out| bezout_factors_is_complete(out, found)));
        bezout_factors_free(found);
        assert_eq!(bezout_factor_options_bounds(options, 0, 1000), BEZOUT_OK);
        assert_eq!(bezout_factor(&mut none, y.0, options), BEZOUT_ERROR_DOMAIN);
        bezout_factor_options_free(options);

        // Stopped before it begins, written down, taken up again.
        let search = made(|out| bezout_search_new(out, x.0, null()));
        let run = |search, stop| get(|done| bezout_search_run(done, search, stop, null_mut()));
        run(search, Some(at_once));
        let saved = made(|out| bezout_search_save(out, search));
        bezout_search_free(search);
        let json = CString::new(taken(saved)).unwrap();
        let search = made(|out| bezout_search_load(out, json.as_ptr()));
        assert!(run(search, None));
        let found = made(|out| bezout_search_result(out, search));
        assert_eq!(listed(found), expected);
        bezout_factors_free(found);
        bezout_search_free(search);
        let mut wrong = null_mut();
        let status = bezout_search_load(&mut wrong, c"{}".as_ptr());
        assert_eq!((status, wrong.is_null()), (BEZOUT_ERROR_FORMAT, true));

        let search = made(|out| bezout_search_new(out, y.0, null()));
        assert!(!run(search, Some(at_once)));
        bezout_search_free(search);
    }
}

#[test]
fn many_factors() {
    let split = |n: u128| bezout_u128 {
        low: n as u64,
        high: (n >> 64) as u64,
    };
    let numbers = [12, 1, (1 << 64) - 59, (1u128 << 89) - 1].map(split);
    let expected: [&[u128]; 4] = [&[2, 2, 3], &[], &[(1 << 64) - 59], &[(1 << 89) - 1]];
    unsafe {
        let lists = made(|out| bezout_factor_many(out, numbers.as_ptr(), numbers.len()));
        for (index, expected) in expected.iter().enumerate() {
            let ask =
                |buffer, room, needed| bezout_factor_lists_get(buffer, room, needed, lists, index);
            let count = get(|needed| ask(null_mut(), 0, needed));
            let mut primes = vec![split(0); count];
            assert_eq!(ask(primes.as_mut_ptr(), count, &mut 0), BEZOUT_OK);
            assert!(
                primes
                    .into_iter()
                    .eq(expected.iter().map(|prime| split(*prime)))
            );
        }
        let status = bezout_factor_lists_get(null_mut(), 0, &mut 0, lists, 4);
        assert_eq!(status, BEZOUT_ERROR_ARGUMENT);
        bezout_factor_lists_free(lists);
    }
}

#[test]
fn shared_primes() {
    let moduli = [101 * 103, 107 * 109, 113 * 103, 101 * 103].map(|n| new(&Int::from(n)));
    let operands = pointers(&moduli);
    let groups = |shared: *mut bezout_shared| unsafe {
        let count = get(|out| bezout_shared_count(out, shared));
        let one = |index| {
            let (factor, mut places, mut count) = (new(&Int::ZERO), null(), 0);
            assert_eq!(bezout_shared_factor(factor.0, shared, index), BEZOUT_OK);
            let status = bezout_shared_moduli(&mut places, &mut count, shared, index);
            assert_eq!(status, BEZOUT_OK);
            (
                factor.value(),
                std::slice::from_raw_parts(places, count).to_vec(),
            )
        };
        let all: Vec<(Int, Vec<usize>)> = (0..count).map(one).collect();
        let past = bezout_shared_factor(new(&Int::ZERO).0, shared, count);
        assert_eq!(past, BEZOUT_ERROR_ARGUMENT);
        bezout_shared_free(shared);
        all
    };
    unsafe {
        let shared = made(|out| bezout_shared_factors(out, operands.as_ptr(), 4));
        assert_eq!(groups(shared), [(Int::from(103), vec![0, 2, 3])]);
        let equal = made(|out| bezout_duplicates(out, operands.as_ptr(), 4));
        assert_eq!(groups(equal), [(Int::from(101 * 103), vec![0, 3])]);
        let bad = [new(&Int::ZERO)];
        let status = bezout_shared_factors(&mut null_mut(), pointers(&bad).as_ptr(), 1);
        assert_eq!(status, BEZOUT_ERROR_DOMAIN);
    }
}

/// Sorts keys of one type, both ways, and compares with the standard library.
macro_rules! sorts {
    ($($key:ty: $sort:ident, $permutation:ident, $compare:expr;)*) => {$(
        let keys: Vec<$key> = [5, 3, 9, 3, 0, 120, 77]
            .map(|n| n as $key - 40 as $key * (n % 2) as $key)
            .into();
        for descending in [false, true] {
            let mut expected: Vec<usize> = (0..keys.len()).collect();
            expected.sort_by(|i, j| {
                let order = $compare(&keys[*i], &keys[*j]);
                if descending { order.reverse() } else { order }
            });
            let (mut sorted, mut places) = (keys.clone(), vec![0; keys.len()]);
            unsafe {
                assert_eq!($sort(sorted.as_mut_ptr(), keys.len(), descending), BEZOUT_OK);
                let status =
                    $permutation(places.as_mut_ptr(), keys.as_ptr(), keys.len(), descending);
                assert_eq!(status, BEZOUT_OK);
            }
            assert!(places.iter().map(|place| *place as usize).eq(expected.iter().copied()));
            assert!(sorted.iter().eq(expected.iter().map(|place| &keys[*place])));
        }
    )*};
}

#[test]
fn sorting() {
    sorts! {
        i32: bezout_sort_i32, bezout_sort_permutation_i32, i32::cmp;
        i64: bezout_sort_i64, bezout_sort_permutation_i64, i64::cmp;
        f32: bezout_sort_f32, bezout_sort_permutation_f32, f32::total_cmp;
        f64: bezout_sort_f64, bezout_sort_permutation_f64, f64::total_cmp;
    }
    let keys: Vec<u32> = (0..1000)
        .map(|i: u32| i.wrapping_mul(2_654_435_761) % 97)
        .collect();
    let wide: Vec<u64> = keys.iter().map(|key| u64::from(*key) << 30).collect();
    let mut order: Vec<u64> = (0..1000).collect();
    order.sort_by_key(|place| keys[*place as usize]);
    unsafe {
        let (mut narrow, mut values) = (keys.clone(), (0..1000u64).collect::<Vec<_>>());
        let pairs = bezout_sort_pairs_u32(narrow.as_mut_ptr(), values.as_mut_ptr(), 1000, false);
        assert_eq!((pairs, &values), (BEZOUT_OK, &order));
        assert!(narrow.is_sorted());
        let (mut sorted, mut values) = (wide.clone(), (0..1000u64).collect::<Vec<_>>());
        let pairs = bezout_sort_pairs_u64(sorted.as_mut_ptr(), values.as_mut_ptr(), 1000, false);
        assert_eq!((pairs, &values), (BEZOUT_OK, &order));
        let array = sorted.as_mut_ptr();
        assert_eq!(
            bezout_sort_pairs_u64(array, array, 2, false),
            BEZOUT_ERROR_ARGUMENT
        );
        assert_eq!(
            bezout_sort_pairs_u64(array, array.add(1), 2, false),
            BEZOUT_ERROR_ARGUMENT
        );
        assert_eq!(bezout_sort_u32(null_mut(), 3, false), BEZOUT_ERROR_NULL);
        let (mut a, mut b) = (keys.clone(), wide.clone());
        assert_eq!(bezout_sort_u32(a.as_mut_ptr(), 1000, false), BEZOUT_OK);
        assert_eq!(bezout_sort_u64(b.as_mut_ptr(), 1000, true), BEZOUT_OK);
        assert!(a.is_sorted() && b.is_sorted_by(|x, y| x >= y));
        let (mut p, mut q) = (vec![0; 1000], vec![0; 1000]);
        let status = bezout_sort_permutation_u32(p.as_mut_ptr(), keys.as_ptr(), 1000, false);
        assert_eq!((status, &p), (BEZOUT_OK, &order));
        let status = bezout_sort_permutation_u64(q.as_mut_ptr(), wide.as_ptr(), 1000, false);
        assert_eq!((status, &q), (BEZOUT_OK, &order));
    }
}
