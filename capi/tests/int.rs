//! Every function of integers against the Rust library, with results in new handles and in those of
//! operands.

// Every handle here is valid, which is all that the functions ask for.
#![allow(
    unsafe_code,
    clippy::undocumented_unsafe_blocks,
    clippy::type_complexity
)]

mod handles;

use bezout::{GcdAlgorithm, Int};
use bezout_capi::bezout_status::*;
use bezout_capi::*;
use handles::{Handle, get, new, rng, sample};

type Unary = unsafe extern "C" fn(*mut bezout_int, *const bezout_int) -> bezout_status;
type Binary =
    unsafe extern "C" fn(*mut bezout_int, *const bezout_int, *const bezout_int) -> bezout_status;
type Pair = unsafe extern "C" fn(
    *mut bezout_int,
    *mut bezout_int,
    *const bezout_int,
    *const bezout_int,
) -> bezout_status;
type Word = unsafe extern "C" fn(*mut bezout_int, *const bezout_int, u64) -> bezout_status;
type Change = unsafe extern "C" fn(*mut bezout_int, u64) -> bezout_status;
type Sequence = unsafe extern "C" fn(*mut bezout_int, u64) -> bezout_status;
type Result<T> = bezout::Result<T>;

/// Calls with a result of its own: the value, or none where the call failed and stored nothing.
fn stored(call: impl FnOnce(*mut bezout_int) -> bezout_status) -> Option<Int> {
    let before = Int::from(424_242);
    let out = new(&before);
    match call(out.0) {
        BEZOUT_OK => Some(out.value()),
        _ => {
            assert_eq!(out.value(), before, "a call that fails stores nothing");
            None
        }
    }
}

#[test]
fn one_operand() {
    let table: [(Unary, fn(&Int) -> Result<Int>); 10] = [
        (bezout_int_neg, Int::try_neg),
        (bezout_int_abs, Int::try_abs),
        (bezout_int_square, Int::try_square),
        (bezout_int_not, Int::try_not),
        (bezout_int_sqrt, Int::try_isqrt),
        (bezout_int_next_power_of_two, Int::try_next_power_of_two),
        (bezout_int_next_prime, Int::try_next_prime),
        (bezout_int_prev_prime, Int::try_prev_prime),
        (bezout_int_set, |a| Ok(a.clone())),
        (bezout_int_set, |a| a.try_add(&Int::ZERO)),
    ];
    for a in sample(1) {
        for (at, (call, expected)) in table.iter().enumerate() {
            // A prime search on thousands of bits is not what is tested here.
            if a.bit_length() > 300 && (6..8).contains(&at) {
                continue;
            }
            let expected = expected(&a).ok();
            let handle = new(&a);
            unsafe {
                assert_eq!(stored(|out| call(out, handle.0)), expected, "{at} of {a}");
                let alias = new(&a);
                let status = call(alias.0, alias.0);
                assert_eq!(status == BEZOUT_OK, expected.is_some());
                assert_eq!(alias.value(), expected.unwrap_or(a.clone()), "{at} of {a}");
            }
        }
    }
}

#[test]
fn two_operands() {
    let table: [(Binary, fn(&Int, &Int) -> Result<Int>); 18] = [
        (bezout_int_add, Int::try_add),
        (bezout_int_sub, Int::try_sub),
        (bezout_int_mul, Int::try_mul),
        (bezout_int_abs_diff, Int::try_abs_diff),
        (bezout_int_div, Int::try_div),
        (bezout_int_rem, Int::try_rem),
        (bezout_int_div_floor, Int::try_div_floor),
        (bezout_int_rem_floor, Int::try_rem_floor),
        (bezout_int_div_ceil, Int::try_div_ceil),
        (bezout_int_rem_ceil, Int::try_rem_ceil),
        (bezout_int_div_euclid, Int::try_div_euclid),
        (bezout_int_rem_euclid, Int::try_rem_euclid),
        (bezout_int_and, Int::try_and),
        (bezout_int_or, Int::try_or),
        (bezout_int_xor, Int::try_xor),
        (bezout_int_gcd, Int::try_gcd),
        (bezout_int_lcm, Int::try_lcm),
        (bezout_int_mod_inverse, Int::try_mod_inverse),
    ];
    let pairs: [(Pair, fn(&Int, &Int) -> Result<(Int, Int)>); 4] = [
        (bezout_int_div_rem, Int::try_div_rem),
        (bezout_int_div_rem_floor, Int::try_div_rem_floor),
        (bezout_int_div_rem_ceil, Int::try_div_rem_ceil),
        (bezout_int_div_rem_euclid, Int::try_div_rem_euclid),
    ];
    for a in sample(2) {
        for b in sample(3) {
            let (x, y) = (new(&a), new(&b));
            for (at, (call, expected)) in table.iter().enumerate() {
                let expected = expected(&a, &b).ok();
                unsafe {
                    assert_eq!(stored(|out| call(out, x.0, y.0)), expected, "{at}: {a} {b}");
                    let (left, right) = (new(&a), new(&b));
                    call(left.0, left.0, y.0);
                    assert_eq!(left.value(), expected.clone().unwrap_or(a.clone()), "{at}");
                    call(right.0, x.0, right.0);
                    assert_eq!(right.value(), expected.unwrap_or(b.clone()), "{at}");
                }
            }
            for (at, (call, expected)) in pairs.iter().enumerate() {
                let expected = expected(&a, &b).ok();
                let (q, r) = (new(&a), new(&b));
                let status = unsafe { call(q.0, r.0, q.0, r.0) };
                assert_eq!(status == BEZOUT_OK, expected.is_some(), "{at}");
                let stored = (q.value(), r.value());
                assert_eq!(stored, expected.unwrap_or((a.clone(), b.clone())), "{at}");
            }
        }
    }
}

/// Against the machine's own arithmetic, which shares nothing with the library.
#[test]
fn against_machine_integers() {
    let values = [
        -100i128,
        -37,
        -8,
        -1,
        0,
        1,
        2,
        7,
        64,
        99,
        i128::from(i64::MAX),
    ];
    for a in values {
        for b in values {
            let (x, y) = (new(&Int::from(a)), new(&Int::from(b)));
            let call = |call: Binary| {
                stored(|out| unsafe { call(out, x.0, y.0) })
                    .map(|value| i128::try_from(&value).unwrap())
            };
            assert_eq!(call(bezout_int_add), Some(a + b));
            assert_eq!(call(bezout_int_sub), Some(a - b));
            assert_eq!(call(bezout_int_mul), Some(a * b));
            assert_eq!(call(bezout_int_div), a.checked_div(b));
            assert_eq!(call(bezout_int_rem), a.checked_rem(b));
            assert_eq!(call(bezout_int_div_euclid), a.checked_div_euclid(b));
            assert_eq!(call(bezout_int_rem_euclid), a.checked_rem_euclid(b));
            assert_eq!(call(bezout_int_and), Some(a & b));
            assert_eq!(call(bezout_int_or), Some(a | b));
            assert_eq!(call(bezout_int_xor), Some(a ^ b));
            let order = get(|out| unsafe { bezout_int_cmp(out, x.0, y.0) });
            assert_eq!(order, a.cmp(&b) as i32);
            let equal = get(|out| unsafe { bezout_int_equal(out, x.0, y.0) });
            assert_eq!(equal, a == b);
            if let Ok(word) = i64::try_from(b) {
                let order = get(|out| unsafe { bezout_int_cmp_i64(out, x.0, word) });
                assert_eq!(order, a.cmp(&b) as i32);
                let sum = stored(|out| unsafe { bezout_int_add_i64(out, x.0, word) });
                assert_eq!(sum, Some(Int::from(a + b)));
                let product = stored(|out| unsafe { bezout_int_mul_i64(out, x.0, word) });
                assert_eq!(product, Some(Int::from(a * b)));
            }
        }
    }
}

#[test]
fn operand_and_word() {
    let table: [(Word, fn(&Int, u64) -> Result<Int>); 4] = [
        (bezout_int_pow, Int::try_pow),
        (bezout_int_shl, Int::try_shl),
        (bezout_int_shr, Int::try_shr),
        (bezout_int_root, Int::try_root),
    ];
    for a in sample(4) {
        for word in [0, 1, 2, 3, 5, 64, 67] {
            let x = new(&a);
            for (at, (call, expected)) in table.iter().enumerate() {
                if a.bit_length() > 300 && at == 0 && word > 5 {
                    continue;
                }
                let found = stored(|out| unsafe { call(out, x.0, word) });
                assert_eq!(found, expected(&a, word).ok(), "{at} of {a}, {word}");
            }
            let (root, rest) = (new(&Int::ZERO), new(&Int::ZERO));
            unsafe {
                let status = bezout_int_root_rem(root.0, rest.0, x.0, word);
                match a.try_root_rem(word) {
                    Ok(both) => assert_eq!((root.value(), rest.value()), both),
                    Err(_) => assert_eq!(status, BEZOUT_ERROR_DOMAIN),
                }
                let b = new(&Int::from(-0x1234_5678_9abc_i64));
                let low = stored(|out| bezout_int_mul_low(out, x.0, b.0, word));
                assert_eq!(low, a.try_mul_low(&b.value(), word).ok());
                let high = stored(|out| bezout_int_mul_high(out, x.0, b.0, word));
                assert_eq!(high, a.try_mul_high(&b.value(), word).ok());
                assert_eq!(get(|out| bezout_int_bit(out, x.0, word)), a.bit(word));
                let changes: [(Change, fn(&mut Int, u64)); 3] = [
                    (bezout_int_set_bit, Int::set_bit),
                    (bezout_int_clear_bit, Int::clear_bit),
                    (bezout_int_flip_bit, Int::flip_bit),
                ];
                for (call, change) in changes {
                    let (handle, mut expected) = (new(&a), a.clone());
                    assert_eq!(call(handle.0, word), BEZOUT_OK);
                    change(&mut expected, word);
                    assert_eq!(handle.value(), expected);
                }
                let none = |bit: Option<u64>| bit.unwrap_or(u64::MAX);
                let first = get(|out| bezout_int_first_set_bit(out, x.0, word));
                assert_eq!(first, none(a.first_set_bit(word)));
                let first = get(|out| bezout_int_first_clear_bit(out, x.0, word));
                assert_eq!(first, none(a.first_clear_bit(word)));
            }
        }
    }
}

#[test]
fn facts() {
    let none = |bit: Option<u64>| bit.unwrap_or(u64::MAX);
    for a in sample(5) {
        let x = new(&a);
        let b = Int::from(1001);
        let y = new(&b);
        unsafe {
            assert_eq!(get(|out| bezout_int_sign(out, x.0)), a.signum());
            assert_eq!(get(|out| bezout_int_is_zero(out, x.0)), a.is_zero());
            assert_eq!(get(|out| bezout_int_is_negative(out, x.0)), a.is_negative());
            assert_eq!(get(|out| bezout_int_is_positive(out, x.0)), a.is_positive());
            assert_eq!(get(|out| bezout_int_is_even(out, x.0)), a.is_even());
            assert_eq!(get(|out| bezout_int_is_odd(out, x.0)), a.is_odd());
            assert_eq!(get(|out| bezout_int_bit_length(out, x.0)), a.bit_length());
            assert_eq!(get(|out| bezout_int_limb_count(out, x.0)), a.limb_count());
            assert_eq!(
                get(|out| bezout_int_count_ones(out, x.0)),
                none(a.count_ones())
            );
            assert_eq!(
                get(|out| bezout_int_hamming_distance(out, x.0, y.0)),
                none(a.hamming_distance(&b))
            );
            assert_eq!(
                get(|out| bezout_int_trailing_zeros(out, x.0)),
                none(a.trailing_zeros())
            );
            assert_eq!(
                get(|out| bezout_int_trailing_ones(out, x.0)),
                none(a.trailing_ones())
            );
            assert_eq!(
                get(|out| bezout_int_is_power_of_two(out, x.0)),
                a.is_power_of_two()
            );
            assert_eq!(get(|out| bezout_int_is_square(out, x.0)), a.is_square());
            assert_eq!(
                get(|out| bezout_int_is_prime(out, x.0)),
                a.is_probable_prime()
            );
            assert_eq!(
                get(|out| bezout_int_is_multiple_of(out, x.0, y.0)),
                a.is_multiple_of(&b)
            );
            assert_eq!(get(|out| bezout_int_jacobi(out, x.0, y.0)), a.jacobi(&b));
            assert_eq!(
                get(|out| bezout_int_kronecker(out, y.0, x.0)),
                b.kronecker(&a)
            );
            assert_eq!(
                get(|out| bezout_int_is_congruent(out, x.0, y.0, new(&Int::from(7)).0)),
                a.is_congruent(&b, &Int::from(7))
            );
        }
    }
    // Known values.
    unsafe {
        let prime = new(&((Int::ONE << 127) - 1));
        assert!(get(|out| bezout_int_is_prime(out, prime.0)));
        assert_eq!(
            get(|out| bezout_int_jacobi(out, new(&Int::from(2)).0, new(&Int::from(15)).0)),
            1
        );
        assert_eq!(
            get(|out| bezout_int_count_ones(out, new(&Int::from(255)).0)),
            8
        );
    }
}

#[test]
fn several_results() {
    for a in sample(6) {
        for b in sample(7).into_iter().take(6) {
            let (x, y) = (new(&a), new(&b));
            let [g, s, t] = [0, 0, 0].map(|zero| new(&Int::from(zero)));
            unsafe {
                assert_eq!(bezout_int_gcdext(g.0, s.0, t.0, x.0, y.0), BEZOUT_OK);
                assert_eq!((g.value(), s.value(), t.value()), a.extended_gcd(&b));
                assert_eq!(&s.value() * &a + &t.value() * &b, g.value());
                assert_eq!(bezout_int_verify_gcd(x.0, y.0, g.0, s.0, t.0), BEZOUT_OK);
                let wrong = new(&(s.value() + 1));
                let status = bezout_int_verify_gcd(x.0, y.0, g.0, wrong.0, t.0);
                if !a.is_zero() {
                    assert_eq!(status, BEZOUT_ERROR_VERIFICATION);
                }
                for algorithm in GcdAlgorithm::ALL {
                    let name = std::ffi::CString::new(algorithm.name()).unwrap();
                    let found = stored(|out| bezout_int_gcd_by(out, x.0, y.0, name.as_ptr()));
                    assert_eq!(found, Some(a.gcd(&b)), "{algorithm}");
                }
                let status = bezout_int_gcd_by(g.0, x.0, y.0, c"euclid".as_ptr());
                assert_eq!(status, BEZOUT_ERROR_DOMAIN);
            }
        }
        let x = new(&a);
        let (p, q) = (new(&Int::ZERO), new(&Int::ZERO));
        let mut count = 0;
        unsafe {
            let status = bezout_int_sqrt_rem(p.0, q.0, x.0);
            match a.try_sqrt_rem() {
                Ok(both) => assert_eq!((p.value(), q.value()), both),
                Err(_) => assert_eq!(status, BEZOUT_ERROR_DOMAIN),
            }
            let six = new(&Int::from(6));
            let product = new(&(&a * 216));
            assert_eq!(
                bezout_int_remove(p.0, &mut count, product.0, six.0),
                BEZOUT_OK
            );
            assert_eq!((p.value(), count), (&a * 216).remove(&Int::from(6)));
            let cube = new(&a.pow(3));
            let (mut found, mut exponent) = (false, 0);
            let status = bezout_int_perfect_power(&mut found, p.0, &mut exponent, cube.0);
            assert_eq!(status, BEZOUT_OK);
            let expected = a.pow(3).perfect_power();
            assert_eq!(found.then(|| (p.value(), exponent)), expected);
        }
    }
    let modulus = Int::from(1009);
    let third = Int::from(3).mod_inverse(&modulus) * -2;
    let [m, a, bound] = [&modulus, &third, &Int::from(20)].map(new);
    let (r, t, mut found) = (new(&Int::ZERO), new(&Int::ZERO), false);
    unsafe {
        let reconstruct = bezout_int_rational_reconstruction;
        let status = reconstruct(&mut found, r.0, t.0, a.0, m.0, bound.0, bound.0);
        assert_eq!((status, found), (BEZOUT_OK, true));
        assert_eq!((r.value(), t.value()), (Int::from(-2), Int::from(3)));
        let status = reconstruct(&mut found, r.0, t.0, a.0, m.0, m.0, bound.0);
        assert_eq!(status, BEZOUT_ERROR_DOMAIN);
        let [x, e, m] = [3, -5, 1009].map(|value| new(&Int::from(value)));
        let power = stored(|out| bezout_int_pow_mod(out, x.0, e.0, m.0));
        assert_eq!(
            power,
            Some(Int::from(3).pow_mod(&Int::from(-5), &Int::from(1009)))
        );
        let exact =
            stored(|out| bezout_int_div_exact(out, new(&Int::from(-91)).0, new(&Int::from(7)).0));
        assert_eq!(exact, Some(Int::from(-13)));
    }
}

#[test]
fn sequences() {
    let table: [(Sequence, fn(u64) -> Result<Int>); 7] = [
        (bezout_int_factorial, Int::try_factorial),
        (bezout_int_double_factorial, Int::try_double_factorial),
        (bezout_int_primorial, Int::try_primorial),
        (bezout_int_fibonacci, Int::try_fibonacci),
        (bezout_int_lucas, Int::try_lucas),
        (bezout_int_ones, Int::try_ones),
        (bezout_int_set_u64, |n| Ok(Int::from(n))),
    ];
    unsafe {
        for n in [0, 1, 2, 10, 97, 300] {
            for (at, (call, expected)) in table.iter().enumerate() {
                assert_eq!(stored(|out| call(out, n)), expected(n).ok(), "{at} of {n}");
            }
            let multi = stored(|out| bezout_int_multi_factorial(out, n, 3));
            assert_eq!(multi, Int::try_multi_factorial(n, 3).ok());
            let binomial = stored(|out| bezout_int_binomial(out, n, 3));
            assert_eq!(binomial, Some(Int::binomial(n, 3)));
            let fill = stored(|out| bezout_int_fill(out, 7, n as usize));
            assert_eq!(fill, Some(Int::fill(7, n as usize)));
        }
        assert_eq!(
            stored(|out| bezout_int_factorial(out, 10)),
            Some(Int::from(3_628_800))
        );
        assert_eq!(
            stored(|out| bezout_int_fibonacci(out, 10)),
            Some(Int::from(55))
        );
        assert_eq!(
            stored(|out| bezout_int_primorial(out, 10)),
            Some(Int::from(210))
        );
        let huge = bezout_int_factorial(new(&Int::ZERO).0, u64::MAX);
        assert!(matches!(huge, BEZOUT_ERROR_TOO_LARGE | BEZOUT_ERROR_MEMORY));
    }
}

#[test]
fn random_numbers() {
    unsafe {
        let random = bezout_random_new(7);
        let a = stored(|out| bezout_int_random_bits(out, 1000, random)).unwrap();
        let below = stored(|out| bezout_int_random_below(out, new(&a).0, random)).unwrap();
        let mut generator = rng(7);
        assert_eq!(a, Int::random_bits(1000, &mut generator));
        assert_eq!(below, Int::random_below(&a, &mut generator));
        assert_eq!(
            bezout_int_random_bits(new(&a).0, 1, std::ptr::null_mut()),
            BEZOUT_ERROR_NULL
        );
        let status = bezout_int_random_below(new(&a).0, new(&Int::ZERO).0, random);
        assert_eq!(status, BEZOUT_ERROR_DOMAIN);
        bezout_random_free(random);
    }
}

#[test]
fn handles_of_their_own() {
    unsafe {
        let (a, b) = (
            new(&Int::from(3)),
            Handle(bezout_int_clone(new(&Int::from(5)).0)),
        );
        assert_eq!(bezout_int_swap(a.0, b.0), BEZOUT_OK);
        assert_eq!((a.value(), b.value()), (Int::from(5), Int::from(3)));
        assert_eq!(bezout_int_swap(a.0, a.0), BEZOUT_OK);
        assert_eq!(a.value(), 5);
        assert!(bezout_int_clone(std::ptr::null()).is_null());
        assert_eq!(Handle(bezout_int_new()).value(), 0);
        assert_eq!(Handle(bezout_int_from_u64(u64::MAX)).value(), u64::MAX);
        assert_eq!(Handle(bezout_int_from_i64(i64::MIN)).value(), i64::MIN);
        bezout_int_free(std::ptr::null_mut());
    }
}
