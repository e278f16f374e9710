use std::io::{self, ErrorKind, Read, Write};

use proptest::prelude::*;

use super::{boundaries, integers, tunings};
use crate::int::Int;

fn round_trips(x: &Int) {
    let magnitude = x.abs();
    let le = x.to_le_bytes();
    assert_eq!(le.len() as u64, x.bit_length().div_ceil(8));
    assert_eq!(Int::from_le_bytes(&le), magnitude);
    assert_eq!(Int::from_be_bytes(&x.to_be_bytes()), magnitude);
    assert_eq!(
        le.iter().rev().copied().collect::<Vec<u8>>(),
        x.to_be_bytes()
    );

    let signed = x.to_signed_le_bytes();
    assert_eq!(Int::from_signed_le_bytes(&signed), *x);
    assert_eq!(Int::from_signed_be_bytes(&x.to_signed_be_bytes()), *x);
    // The shortest: bits of x, or of −x − 1, and a sign bit.
    let bits = if x.is_negative() {
        (!x).bit_length()
    } else {
        x.bit_length()
    };
    assert_eq!(signed.len() as u64, bits / 8 + 1);
    if let Ok(small) = i128::try_from(x) {
        assert_eq!(signed, small.to_le_bytes()[..signed.len()]);
    }

    // Padding says nothing new.
    let pad = |bytes: &[u8], with: u8| [bytes, &[with; 11]].concat();
    assert_eq!(Int::from_le_bytes(&pad(&le, 0)), magnitude);
    let sign = if x.is_negative() { 0xff } else { 0 };
    assert_eq!(Int::from_signed_le_bytes(&pad(&signed, sign)), *x);

    assert_eq!(Int::from_limbs_slice(x.limbs()), magnitude);
    assert_eq!(
        Int::from_sign_limbs(x.is_negative(), x.clone().into_limbs()),
        *x
    );
    assert_eq!(Int::from_limbs([x.limbs(), &[0, 0]].concat()), magnitude);

    let mut raw = Vec::new();
    x.write_gmp_raw(&mut raw).unwrap();
    let length = le.len() as i32;
    assert_eq!(
        raw[..4],
        (if x.is_negative() { -length } else { length }).to_be_bytes()
    );
    assert_eq!(raw[4..], x.to_be_bytes());
    let mut rest = &[&raw[..], b"next"].concat()[..];
    assert_eq!(Int::read_gmp_raw(&mut rest).unwrap(), *x);
    assert_eq!(rest, b"next", "it read on");
    for end in 0..raw.len() {
        let error = Int::read_gmp_raw(&raw[..end]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    }

    let json = serde_json::to_string(x).unwrap();
    assert_eq!(json, format!("\"{x:#x}\""));
    assert_eq!(serde_json::from_str::<Int>(&json).unwrap(), *x);
    assert_eq!(
        serde_json::from_str::<Int>(&format!("\"{x}\"")).unwrap(),
        *x
    );
    let packed = postcard::to_allocvec(x).unwrap();
    assert_eq!(postcard::from_bytes::<Int>(&packed).unwrap(), *x);
    for end in 0..packed.len() {
        assert!(postcard::from_bytes::<Int>(&packed[..end]).is_err());
    }
}

#[test]
fn at_boundaries() {
    tunings(|| {
        for a in boundaries() {
            round_trips(&Int::from(a));
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn everywhere(a in integers(20)) {
        tunings(|| round_trips(&Int::from(&a)));
    }

    #[test]
    fn any_bytes_are_a_number(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let little = Int::from_le_bytes(&bytes);
        let signed = Int::from_signed_le_bytes(&bytes);
        let wrap = Int::ONE << (bytes.len() * 8);
        let expected = if signed.is_negative() { wrap } else { Int::ZERO };
        prop_assert_eq!(little.clone() - signed.clone(), expected);
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        prop_assert_eq!(Int::from_be_bytes(&reversed), little);
        prop_assert_eq!(Int::from_signed_be_bytes(&reversed), signed);
    }

    #[test]
    fn no_raw_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
        if let Ok(x) = Int::read_gmp_raw(&bytes[..]) {
            prop_assert!(x.bit_length() <= 64);
        }
    }
}

#[test]
fn zero_is_empty_or_one_signed_byte() {
    let zero = Int::ZERO;
    assert!(zero.to_le_bytes().is_empty());
    assert!(zero.limbs().is_empty());
    assert_eq!(zero.to_signed_le_bytes(), [0]);
    assert_eq!(Int::from_signed_le_bytes(&[]), 0);
    assert_eq!(Int::from_signed_be_bytes(&[]), 0);
    assert_eq!(Int::from_sign_limbs(true, vec![0, 0]), 0);
}

#[test]
fn limbs_are_moved_not_copied() {
    let limbs = vec![7u64; 5000];
    let address = limbs.as_ptr();
    let x = Int::from_limbs(limbs);
    assert_eq!(x.limbs().as_ptr(), address);
    let limbs = x.into_limbs();
    assert_eq!(limbs.as_ptr(), address);
}

/// Bytes as `mpz_out_raw` writes them, and the leading zeros that `mpz_inp_raw` also takes.
#[test]
fn gmp_raw_examples() {
    for (value, bytes) in [
        (0, &[0, 0, 0, 0][..]),
        (1, &[0, 0, 0, 1, 1]),
        (-1, &[0xff, 0xff, 0xff, 0xff, 1]),
        (0x1234, &[0, 0, 0, 2, 0x12, 0x34]),
        (1i128 << 64, &[0, 0, 0, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        (-256, &[0xff, 0xff, 0xff, 0xfe, 1, 0]),
    ] {
        let x = Int::from(value);
        let mut raw = Vec::new();
        x.write_gmp_raw(&mut raw).unwrap();
        assert_eq!(raw, bytes);
        assert_eq!(Int::read_gmp_raw(bytes).unwrap(), x);
    }
    assert_eq!(Int::read_gmp_raw(&[0, 0, 0, 3, 0, 0, 5][..]).unwrap(), 5);
    assert_eq!(
        Int::read_gmp_raw(&[0xff, 0xff, 0xff, 0xff, 0][..]).unwrap(),
        0
    );
}

/// A length of two billion bytes with three of them there must not take two billion bytes of memory
/// to refuse.
#[test]
fn gmp_raw_lies_and_faults() {
    for head in [[0x7f, 0xff, 0xff, 0xff], [0x80, 0, 0, 0], [0x80, 0, 0, 1]] {
        let bytes = [&head[..], &[1, 2, 3]].concat();
        let error = Int::read_gmp_raw(&bytes[..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        assert!(error.to_string().contains("ends after 3 of"), "{error}");
    }

    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::ConnectionReset.into())
        }
    }
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    assert_eq!(
        Int::read_gmp_raw(Broken).unwrap_err().kind(),
        ErrorKind::ConnectionReset
    );
    assert_eq!(
        Int::ONE.write_gmp_raw(Broken).unwrap_err().kind(),
        ErrorKind::BrokenPipe
    );
}

#[test]
fn json_numbers_and_refusals() {
    for (json, value) in [("5", 5), ("-7", -7), ("\"1_000\"", 1000), ("\"-0b11\"", -3)] {
        assert_eq!(serde_json::from_str::<Int>(json).unwrap(), value);
    }
    assert_eq!(
        serde_json::from_str::<Int>(&u64::MAX.to_string()).unwrap(),
        u64::MAX
    );
    for bad in [
        "1.5", "1e400", "1e30", "\"\"", "\"12z\"", "null", "true", "[1]",
    ] {
        assert!(serde_json::from_str::<Int>(bad).is_err(), "{bad}");
    }
    let error = serde_json::from_str::<Int>("\"12z\"")
        .unwrap_err()
        .to_string();
    assert!(error.contains("position 2"), "{error}");
}
