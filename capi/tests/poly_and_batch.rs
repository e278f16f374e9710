//! Polynomials and batches against the Rust library.

// Every handle here is valid, which is all that the functions ask for.
#![allow(
    unsafe_code,
    clippy::undocumented_unsafe_blocks,
    clippy::type_complexity
)]

mod handles;

use std::ffi::CString;
use std::ptr::{null, null_mut};

use bezout::poly::{Format, Modulus};
use bezout::{Batch, Int, Poly, Rows};
use bezout_capi::bezout_status::*;
use bezout_capi::*;
use handles::{get, message, new, rng, taken};

type Result<T> = bezout::Result<T>;

struct P(*mut bezout_poly);

impl Drop for P {
    fn drop(&mut self) {
        unsafe { bezout_poly_free(self.0) };
    }
}

impl P {
    fn of(poly: &Poly) -> P {
        let handle = P(bezout_poly_new());
        let all = poly.coefficients();
        let p = poly.modulus().get();
        let status = unsafe { bezout_poly_set_coefficients(handle.0, p, all.as_ptr(), all.len()) };
        assert_eq!(status, BEZOUT_OK);
        handle
    }

    fn value(&self) -> Poly {
        let (mut all, mut count) = (null(), 0);
        unsafe {
            assert_eq!(
                bezout_poly_coefficients(&mut all, &mut count, self.0),
                BEZOUT_OK
            );
            let p = get(|out| bezout_poly_modulus(out, self.0));
            let all = std::slice::from_raw_parts(all, count).to_vec();
            Poly::new(all, Modulus::new(p).unwrap()).unwrap()
        }
    }
}

fn zero() -> P {
    P(bezout_poly_new())
}

#[test]
fn polynomials() {
    let unary: [(
        unsafe extern "C" fn(*mut bezout_poly, *const bezout_poly) -> bezout_status,
        fn(&Poly) -> Result<Poly>,
    ); 5] = [
        (bezout_poly_neg, Poly::try_neg),
        (bezout_poly_derivative, Poly::try_derivative),
        (bezout_poly_monic, Poly::try_monic),
        (bezout_poly_square, Poly::try_square),
        (bezout_poly_set, |a| Ok(a.clone())),
    ];
    let binary: [(
        unsafe extern "C" fn(
            *mut bezout_poly,
            *const bezout_poly,
            *const bezout_poly,
        ) -> bezout_status,
        fn(&Poly, &Poly) -> Result<Poly>,
    ); 7] = [
        (bezout_poly_add, Poly::try_add),
        (bezout_poly_sub, Poly::try_sub),
        (bezout_poly_mul, Poly::try_mul),
        (bezout_poly_div, |a, b| Ok(a.try_div_rem(b)?.0)),
        (bezout_poly_rem, Poly::try_rem),
        (bezout_poly_gcd, Poly::try_gcd),
        (bezout_poly_compose, Poly::try_compose),
    ];
    let mut rng = rng(31);
    for p in [2, 7, 101, (1 << 61) - 1] {
        let modulus = Modulus::new(p).unwrap();
        let all: Vec<Poly> = [0, 1, 2, 5, 20]
            .map(|len| Poly::random(len, modulus, &mut rng))
            .into();
        for a in &all {
            let x = P::of(a);
            for (call, expected) in unary {
                let out = zero();
                assert_eq!(unsafe { call(out.0, x.0) }, BEZOUT_OK);
                assert!(out.value() == expected(a).unwrap());
            }
            facts(a, &x);
            for b in &all {
                let y = P::of(b);
                for (at, (call, expected)) in binary.iter().enumerate() {
                    let (out, left) = (zero(), P::of(a));
                    let statuses = unsafe { (call(out.0, x.0, y.0), call(left.0, left.0, y.0)) };
                    match expected(a, b) {
                        Ok(expected) => {
                            assert_eq!(statuses, (BEZOUT_OK, BEZOUT_OK), "{at} {}", message());
                            assert!(out.value() == expected && left.value() == expected, "{at}");
                        }
                        Err(_) => assert_eq!(statuses.0, BEZOUT_ERROR_DIVISION_BY_ZERO, "{at}"),
                    }
                }
                several(a, b, &x, &y);
            }
        }
    }
}

fn facts(a: &Poly, x: &P) {
    let out = zero();
    unsafe {
        let degree = get(|out| bezout_poly_degree(out, x.0));
        assert_eq!(degree, a.degree().map_or(u64::MAX, |degree| degree as u64));
        for i in 0..3 {
            let c = get(|out| bezout_poly_coefficient(out, x.0, i));
            assert_eq!(c, a.coefficient(i));
        }
        assert_eq!(bezout_poly_scale(out.0, x.0, 5), BEZOUT_OK);
        assert!(out.value() == a.try_scale(5).unwrap());
        let count = get(|needed| bezout_poly_get_coefficients(null_mut(), 0, needed, x.0));
        let mut copy = vec![0; count];
        let status = bezout_poly_get_coefficients(copy.as_mut_ptr(), count, &mut 0, x.0);
        assert_eq!((status, copy.as_slice()), (BEZOUT_OK, a.coefficients()));
        for (lines, format) in [(false, Format::Expression), (true, Format::Lines)] {
            let mut text = null_mut();
            assert_eq!(bezout_poly_to_string(&mut text, x.0, lines), BEZOUT_OK);
            let text = taken(text);
            assert_eq!(text, a.try_to_text(format).unwrap());
            let text = CString::new(text).unwrap();
            let p = a.modulus().get();
            assert_eq!(
                bezout_poly_set_str(out.0, p, text.as_ptr(), lines),
                BEZOUT_OK
            );
            assert!(out.value() == *a);
        }
        let points = [0, 1, 2];
        let mut values = points;
        let status = bezout_poly_evaluate(values.as_mut_ptr(), x.0, values.as_ptr(), 3);
        assert_eq!(
            (status, values.to_vec()),
            (BEZOUT_OK, a.try_evaluate(&points).unwrap())
        );
        assert!(get(|out| bezout_poly_is_on_host(out, x.0)));
        assert!(!get(|out| bezout_poly_is_on_device(out, x.0)));
        assert_eq!(bezout_poly_fetch(x.0), BEZOUT_OK);
        assert_eq!(bezout_poly_drop_device(x.0), BEZOUT_OK);
        assert_eq!(bezout_poly_to_device(x.0, 77), BEZOUT_ERROR_NO_DEVICE);
    }
}

fn several(a: &Poly, b: &Poly, x: &P, y: &P) {
    let [q, r, s] = [zero(), zero(), zero()];
    unsafe {
        assert_eq!(get(|out| bezout_poly_equal(out, x.0, y.0)), a == b);
        if let Ok(both) = a.try_div_rem(b) {
            assert_eq!(bezout_poly_div_rem(q.0, r.0, x.0, y.0), BEZOUT_OK);
            assert!((q.value(), r.value()) == both);
        }
        assert_eq!(bezout_poly_gcdext(q.0, r.0, s.0, x.0, y.0), BEZOUT_OK);
        let (g, u, v) = (q.value(), r.value(), s.value());
        assert!(&u * a + &v * b == g && g == a.try_gcd(b).unwrap());
        let resultant = get(|out| bezout_poly_resultant(out, x.0, y.0));
        assert_eq!(resultant, a.try_resultant(b).unwrap());
        let exponent = new(&Int::from(12345));
        let status = bezout_poly_pow_mod(q.0, x.0, exponent.0, y.0);
        match a.try_pow_mod(&Int::from(12345), b) {
            Ok(power) => assert!(status == BEZOUT_OK && q.value() == power),
            Err(_) => assert_eq!(status, BEZOUT_ERROR_DIVISION_BY_ZERO),
        }
        let (left, right) = ([x.0.cast_const(), y.0], [y.0.cast_const(), y.0]);
        let places = [q.0, r.0];
        let many = bezout_poly_mul_many(places.as_ptr(), left.as_ptr(), right.as_ptr(), 2);
        assert_eq!(many, BEZOUT_OK);
        assert!(q.value() == a * b && r.value() == b * b);
        let many = bezout_poly_gcd_many(places.as_ptr(), left.as_ptr(), right.as_ptr(), 2);
        assert_eq!(many, BEZOUT_OK);
        assert!(q.value() == g && r.value() == b.try_monic().unwrap());
    }
}

#[test]
fn polynomials_from_values() {
    let (points, values) = ([1, 2, 3], [1, 4, 9]);
    let out = zero();
    unsafe {
        let call = bezout_poly_interpolate;
        assert_eq!(
            call(out.0, 101, points.as_ptr(), values.as_ptr(), 3),
            BEZOUT_OK
        );
        assert_eq!(out.value().to_string(), "x^2");
        let twice = [1, 1];
        let status = call(out.0, 101, twice.as_ptr(), values.as_ptr(), 2);
        assert_eq!(status, BEZOUT_ERROR_DOMAIN);
        let random = bezout_random_new(9);
        assert_eq!(bezout_poly_set_random(out.0, 101, 8, random), BEZOUT_OK);
        bezout_random_free(random);
        let expected = Poly::random(8, Modulus::new(101).unwrap(), &mut rng(9));
        assert!(out.value() == expected);
        let other = zero();
        assert_eq!(
            bezout_poly_add(other.0, other.0, out.0),
            BEZOUT_ERROR_DOMAIN
        );
    }
}

struct B(*mut bezout_batch);

impl Drop for B {
    fn drop(&mut self) {
        unsafe { bezout_batch_free(self.0) };
    }
}

impl B {
    fn of(batch: &Batch) -> B {
        let handle = B(bezout_batch_new());
        let (limbs, width) = (batch.try_limbs().unwrap(), batch.width());
        let rows = limbs.len() / width;
        let status = unsafe { bezout_batch_set_limbs(handle.0, limbs.as_ptr(), rows, width) };
        assert_eq!(status, BEZOUT_OK);
        handle
    }

    /// The limbs, and the shape.
    fn value(&self) -> (Vec<u64>, usize) {
        let (mut limbs, mut count, mut rows, mut width) = (null(), 0, 0, 0);
        unsafe {
            assert_eq!(
                bezout_batch_limbs(&mut limbs, &mut count, self.0),
                BEZOUT_OK
            );
            assert_eq!(bezout_batch_shape(&mut rows, &mut width, self.0), BEZOUT_OK);
            assert_eq!(rows * width, count);
            (std::slice::from_raw_parts(limbs, count).to_vec(), width)
        }
    }
}

fn none() -> B {
    B(bezout_batch_new())
}

fn parts(batch: Batch) -> (Vec<u64>, usize) {
    (batch.try_limbs().unwrap().to_vec(), batch.width())
}

/// Two batches of rows, the second with odd rows.
fn two_batches() -> (Batch, Batch) {
    let limbs: Vec<u64> = (1..=12u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let odd = limbs.iter().map(|limb| (limb >> 3) | 1).collect();
    (
        Batch::from_limbs(limbs, 3).unwrap(),
        Batch::from_limbs(odd, 3).unwrap(),
    )
}

#[test]
fn batches() {
    let binary: [(
        unsafe extern "C" fn(
            *mut bezout_batch,
            *const bezout_batch,
            *const bezout_batch,
        ) -> bezout_status,
        fn(&Rows, &Rows) -> Result<Batch>,
    ); 10] = [
        (bezout_batch_add, |a, b| a.try_add(b)),
        (bezout_batch_sub, |a, b| a.try_sub(b)),
        (bezout_batch_and, |a, b| a.try_and(b)),
        (bezout_batch_or, |a, b| a.try_or(b)),
        (bezout_batch_xor, |a, b| a.try_xor(b)),
        (bezout_batch_mul, |a, b| a.try_mul(b)),
        (bezout_batch_mul_wide, |a, b| a.try_mul_wide(b)),
        (bezout_batch_div, |a, b| a.try_div(b)),
        (bezout_batch_rem, |a, b| a.try_rem(b)),
        (bezout_batch_gcd, |a, b| a.try_gcd(b)),
    ];
    let unary: [(
        unsafe extern "C" fn(*mut bezout_batch, *const bezout_batch) -> bezout_status,
        fn(&Rows) -> Result<Batch>,
    ); 6] = [
        (bezout_batch_not, |a| a.try_not()),
        (bezout_batch_neg, |a| a.try_neg()),
        (bezout_batch_square, |a| a.try_square()),
        (bezout_batch_square_wide, |a| a.try_square_wide()),
        (bezout_batch_sqrt, |a| a.try_sqrt()),
        (bezout_batch_set, |a| a.try_shl(0)),
    ];
    let word: [(
        unsafe extern "C" fn(*mut bezout_batch, *const bezout_batch, u64) -> bezout_status,
        fn(&Rows, u64) -> Result<Batch>,
    ); 5] = [
        (bezout_batch_shl, |a, n| a.try_shl(n)),
        (bezout_batch_shr, |a, n| a.try_shr(n)),
        (bezout_batch_set_bit, |a, n| a.try_set_bit(n)),
        (bezout_batch_clear_bit, |a, n| a.try_clear_bit(n)),
        (bezout_batch_flip_bit, |a, n| a.try_flip_bit(n)),
    ];
    let (a, b) = two_batches();
    let (x, y) = (B::of(&a), B::of(&b));
    for (at, (call, expected)) in binary.iter().enumerate() {
        let (out, left) = (none(), B::of(&a));
        unsafe {
            assert_eq!(call(out.0, x.0, y.0), BEZOUT_OK, "{at}");
            assert_eq!(call(left.0, left.0, y.0), BEZOUT_OK, "{at}");
        }
        let expected = parts(expected(&a.all(), &b.all()).unwrap());
        assert_eq!(
            (out.value(), left.value()),
            (expected.clone(), expected),
            "{at}"
        );
    }
    for (call, expected) in unary {
        let out = none();
        assert_eq!(unsafe { call(out.0, x.0) }, BEZOUT_OK);
        assert_eq!(out.value(), parts(expected(&a.all()).unwrap()));
    }
    for (call, expected) in word {
        for n in [0, 1, 64, 100] {
            let out = none();
            assert_eq!(unsafe { call(out.0, x.0, n) }, BEZOUT_OK);
            assert_eq!(out.value(), parts(expected(&a.all(), n).unwrap()));
        }
    }
    let (q, r) = (none(), none());
    unsafe {
        assert_eq!(bezout_batch_div_rem(q.0, r.0, x.0, y.0), BEZOUT_OK);
        let (quotient, remainder) = a.all().try_div_rem(&b.all()).unwrap();
        assert_eq!((q.value(), r.value()), (parts(quotient), parts(remainder)));
        assert_eq!(bezout_batch_add_i64(q.0, x.0, -3), BEZOUT_OK);
        assert_eq!(q.value(), parts(a.all().try_add_small(-3).unwrap()));
        assert_eq!(bezout_batch_pow_mod(q.0, x.0, x.0, y.0), BEZOUT_OK);
        assert_eq!(
            q.value(),
            parts(a.all().try_pow_mod(&a.all(), &b.all()).unwrap())
        );
        assert_eq!(bezout_batch_add(q.0, x.0, none().0), BEZOUT_ERROR_DOMAIN);
        assert_eq!(bezout_batch_slice(q.0, x.0, 1, 2), BEZOUT_OK);
        assert_eq!(q.value().0, a.try_limbs().unwrap()[3..9]);
        assert_eq!(bezout_batch_slice(q.0, x.0, 3, 2), BEZOUT_ERROR_DOMAIN);
        assert_eq!(
            bezout_batch_slice(q.0, x.0, 3, usize::MAX),
            BEZOUT_ERROR_DOMAIN
        );
    }
}

#[test]
fn words_of_rows() {
    let (a, b) = two_batches();
    let (x, y) = (B::of(&a), B::of(&b));
    let (rows, others) = (a.all(), b.all());
    let none = |all: Vec<Option<u64>>| -> Vec<u64> {
        all.into_iter().map(|bit| bit.unwrap_or(u64::MAX)).collect()
    };
    let (mut words, mut flags, mut orders) = ([0u64; 4], [false; 4], [0i32; 4]);
    unsafe {
        assert_eq!(
            bezout_batch_count_ones(words.as_mut_ptr(), 3, x.0),
            BEZOUT_ERROR_BUFFER
        );
        assert_eq!(
            bezout_batch_count_ones(null_mut(), 4, x.0),
            BEZOUT_ERROR_NULL
        );
        assert_eq!(
            bezout_batch_count_ones(words.as_mut_ptr(), 4, x.0),
            BEZOUT_OK
        );
        assert_eq!(words.to_vec(), rows.try_count_ones().unwrap());
        assert_eq!(
            bezout_batch_hamming_distance(words.as_mut_ptr(), 4, x.0, y.0),
            BEZOUT_OK
        );
        assert_eq!(words.to_vec(), rows.try_hamming_distance(&others).unwrap());
        assert_eq!(
            bezout_batch_first_set_bit(words.as_mut_ptr(), 4, x.0, 190),
            BEZOUT_OK
        );
        assert_eq!(words.to_vec(), none(rows.try_first_set_bit(190).unwrap()));
        assert_eq!(
            bezout_batch_first_clear_bit(words.as_mut_ptr(), 4, x.0, 5),
            BEZOUT_OK
        );
        assert_eq!(words.to_vec(), none(rows.try_first_clear_bit(5).unwrap()));
        assert_eq!(
            bezout_batch_smallest_factor(words.as_mut_ptr(), 4, x.0, 1000),
            BEZOUT_OK
        );
        assert_eq!(
            words.to_vec(),
            none(rows.try_smallest_factor(1000).unwrap())
        );
        assert_eq!(bezout_batch_bit(flags.as_mut_ptr(), 4, x.0, 65), BEZOUT_OK);
        assert_eq!(flags.to_vec(), rows.try_bit(65).unwrap());
        assert_eq!(bezout_batch_is_prime(flags.as_mut_ptr(), 4, x.0), BEZOUT_OK);
        assert_eq!(flags.to_vec(), rows.try_is_probable_prime().unwrap());
        assert_eq!(
            bezout_batch_compare(orders.as_mut_ptr(), 4, x.0, y.0),
            BEZOUT_OK
        );
        let expected = rows.try_compare(&others).unwrap();
        assert!(
            orders
                .iter()
                .copied()
                .eq(expected.into_iter().map(|order| order as i32))
        );
        let out = B(bezout_batch_new());
        let status = bezout_batch_mod_inverse(out.0, flags.as_mut_ptr(), 4, x.0, y.0);
        assert_eq!(status, BEZOUT_OK);
        let (inverse, exists) = rows.try_mod_inverse(&others).unwrap();
        assert_eq!((out.value(), flags.to_vec()), (parts(inverse), exists));
    }
}

#[test]
fn batches_in_and_out() {
    let (a, b) = two_batches();
    let (x, out) = (B::of(&a), none());
    unsafe {
        let number = new(&Int::ZERO);
        assert_eq!(bezout_batch_get(number.0, x.0, 2), BEZOUT_OK);
        assert_eq!(number.value(), a.try_get(2).unwrap());
        assert_eq!(bezout_batch_get(number.0, x.0, 4), BEZOUT_ERROR_DOMAIN);
        let items = [number.0.cast_const(), number.0];
        assert_eq!(
            bezout_batch_set_ints(out.0, items.as_ptr(), 2, 4),
            BEZOUT_OK
        );
        assert_eq!(
            out.value(),
            parts(Batch::from_ints(&[number.value(), number.value()], 4).unwrap())
        );
        assert_eq!(bezout_batch_fill(out.0, 7, 2, 3), BEZOUT_OK);
        assert_eq!(out.value(), (vec![7; 6], 3));
        assert_eq!(bezout_batch_fill(out.0, 7, 2, 0), BEZOUT_ERROR_DOMAIN);
        let bytes = [1u8, 2, 3, 4];
        assert_eq!(
            bezout_batch_set_le_bytes(out.0, bytes.as_ptr(), 4, 2),
            BEZOUT_OK
        );
        assert_eq!(out.value(), (vec![0x0201, 0x0403], 1));
        let mut back = [0u8; 16];
        let needed = get(|n| bezout_batch_get_le_bytes(back.as_mut_ptr(), 16, n, out.0));
        assert_eq!((needed, &back[..3]), (16, &[1, 2, 0][..]));
        assert_eq!(
            bezout_batch_set_be_bytes(out.0, bytes.as_ptr(), 4, 2),
            BEZOUT_OK
        );
        assert_eq!(out.value(), (vec![0x0102, 0x0304], 1));
        get(|n| bezout_batch_get_be_bytes(back.as_mut_ptr(), 16, n, out.0));
        assert_eq!(&back[6..8], [1, 2]);
        let count = get(|n| bezout_batch_get_limbs(null_mut(), 0, n, out.0));
        assert_eq!(count, 2);
        assert!(!get(|flag| bezout_batch_is_on_device(flag, x.0)));
        assert_eq!(bezout_batch_fetch(x.0), BEZOUT_OK);
        assert_eq!(bezout_batch_to_device(x.0, 77), BEZOUT_ERROR_NO_DEVICE);

        // (a^2 + a) mod n by Montgomery's forms.
        let n = B::of(&b);
        let mut moduli = null_mut();
        assert_eq!(bezout_moduli_new(&mut moduli, n.0), BEZOUT_OK);
        let (form, square) = (none(), none());
        assert_eq!(bezout_moduli_to_form(form.0, moduli, x.0), BEZOUT_OK);
        assert_eq!(bezout_moduli_square(square.0, moduli, form.0), BEZOUT_OK);
        assert_eq!(bezout_moduli_mul(out.0, moduli, form.0, form.0), BEZOUT_OK);
        assert_eq!(out.value(), square.value());
        assert_eq!(
            bezout_moduli_add(square.0, moduli, square.0, form.0),
            BEZOUT_OK
        );
        assert_eq!(bezout_moduli_from_form(out.0, moduli, square.0), BEZOUT_OK);
        for row in 0..4 {
            let (value, modulus) = (a.try_get(row).unwrap(), b.try_get(row).unwrap());
            assert_eq!(bezout_batch_get(number.0, out.0, row), BEZOUT_OK);
            assert_eq!(number.value(), (value.square() + value) % modulus);
        }
        assert_eq!(
            bezout_moduli_sub(out.0, moduli, square.0, square.0),
            BEZOUT_OK
        );
        assert_eq!(out.value(), (vec![0; 12], 3));
        assert_eq!(bezout_moduli_one(out.0, moduli), BEZOUT_OK);
        assert_eq!(bezout_moduli_from_form(out.0, moduli, out.0), BEZOUT_OK);
        assert_eq!(out.value().0[..3], [1, 0, 0]);
        bezout_moduli_free(moduli);
        let even = bezout_moduli_new(&mut moduli, x.0);
        assert_eq!(even, BEZOUT_ERROR_DOMAIN);
    }
}
