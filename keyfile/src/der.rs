//! The RSA modulus in DER: certificates and requests (RFC 5280, RFC 2986), public keys (RFC 5280's
//! SubjectPublicKeyInfo, RFC 8017's RSAPublicKey) and private keys (RFC 5958's PKCS #8, RFC 8017's
//! RSAPrivateKey).
//!
//! Only what leads to the modulus is read. No length is believed before its bytes are there.

use crate::batch::{Exponent, Fault, Kind, Parsed};

/// An RSA key in a structure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rsa<'a> {
    /// The modulus, big-endian.
    pub(crate) modulus: &'a [u8],
    pub(crate) exponent: Exponent,
    /// The DER of a certificate's or request's subject.
    subject: Option<&'a [u8]>,
}

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
/// A certificate's version, which may be missing.
const VERSION: u8 = 0xa0;

/// pkcs-1, under which rsaEncryption is 1, RSAES-OAEP 7 and RSASSA-PSS 10.
const PKCS_1: [u8; 8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
const RSA_KEYS: [u8; 3] = [1, 7, 10];
/// pkcs-7, under which the content types of PKCS #7 and CMS are.
const PKCS_7: [u8; 8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07];
/// X.520's commonName.
const COMMON_NAME: [u8; 3] = [0x55, 0x04, 0x03];

fn malformed(words: &'static str) -> Fault {
    Fault::new(Kind::Malformed, words)
}

fn cut() -> Fault {
    Fault::new(Kind::Cut, "it ends early")
}

pub(crate) fn not_rsa() -> Fault {
    Fault::new(Kind::NotRsa, "not an RSA key")
}

/// The fault of certificates in PKCS #7.
pub(crate) fn pkcs7() -> Fault {
    let words = "PKCS #7 is not read: convert it with 'openssl pkcs7 -print_certs', \
                 for DER with '-inform DER'";
    Fault::new(Kind::Unread, words)
}

/// The fault of keys and certificates in PKCS #12.
fn pkcs12() -> Fault {
    let words = "PKCS #12 is not read: convert it with 'openssl pkcs12 -in FILE -nokeys | bezout \
                 batch-gcd -'";
    Fault::new(Kind::Unread, words)
}

/// Values one behind another.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Parsed<u8> {
        let (first, rest) = self.0.split_first().ok_or_else(cut)?;
        self.0 = rest;
        Ok(*first)
    }

    /// The tag and the content of the next value.
    fn any(&mut self) -> Parsed<(u8, &'a [u8])> {
        let tag = self.byte()?;
        let length = match self.byte()? {
            short @ 0..=0x7f => usize::from(short),
            long @ 0x81..=0x84 => (0x80..long).try_fold(0, |length, _| {
                Ok::<usize, Fault>(length << 8 | usize::from(self.byte()?))
            })?,
            _ => return Err(malformed("a length is not DER")),
        };
        let (content, rest) = self.0.split_at_checked(length).ok_or_else(cut)?;
        self.0 = rest;
        Ok((tag, content))
    }

    /// The content of the next value, which must have this tag.
    fn value(&mut self, tag: u8, missing: &'static str) -> Parsed<&'a [u8]> {
        if self.0.first().is_some_and(|first| *first != tag) {
            return Err(malformed(missing));
        }
        self.any().map(|(_, content)| content)
    }

    fn sequence(&mut self) -> Parsed<Reader<'a>> {
        self.value(SEQUENCE, "a sequence is missing").map(Reader)
    }
}

/// Bytes of the first value with its tag and length; none while the length is not there. A length
/// of bytes that are no DER is 1, so that a reader of many values gets on.
pub(crate) fn first_length(bytes: &[u8]) -> Option<usize> {
    let head = match *bytes.get(1)? {
        short @ 0..=0x7f => return Some(2 + usize::from(short)),
        long @ 0x81..=0x84 => usize::from(long - 0x80),
        _ => return Some(1),
    };
    let length = bytes.get(2..2 + head)?;
    let length = length
        .iter()
        .fold(0u64, |n, byte| n << 8 | u64::from(*byte));
    usize::try_from(length).ok()?.checked_add(2 + head)
}

/// Whether bytes begin as a structure with a key does, and not as text does: a sequence of an
/// integer, of a sequence, or of PKCS #7's type, with a byte that is not ASCII.
pub(crate) fn is_likely(bytes: &[u8]) -> bool {
    let inner = match bytes {
        [SEQUENCE, 0..=0x7f, inner, ..] => *inner,
        [SEQUENCE, long @ 0x81..=0x84, ..] => match bytes.get(usize::from(*long) - 0x80 + 2) {
            Some(inner) => *inner,
            None => return true,
        },
        _ => return false,
    };
    [INTEGER, SEQUENCE, OBJECT_IDENTIFIER].contains(&inner) && !bytes.is_ascii()
}

/// The key of a structure by the name that stands after BEGIN.
pub(crate) fn named<'a>(name: &str, bytes: &'a [u8]) -> Parsed<Rsa<'a>> {
    match name {
        "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE" => certificate(bytes),
        "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST" => request(bytes),
        "PUBLIC KEY" => public_key_info(bytes),
        "RSA PUBLIC KEY" => rsa_key(bytes),
        "PRIVATE KEY" => private_key(bytes),
        "RSA PRIVATE KEY" => rsa_private_key(bytes),
        _ => Err(not_rsa()),
    }
}

/// A reader of one structure.
type Structure = fn(&[u8]) -> Parsed<Rsa<'_>>;

/// The key of bytes that are one of the structures above.
pub(crate) fn unnamed(bytes: &[u8]) -> Parsed<Rsa<'_>> {
    let readers: [Structure; 6] = [
        certificate,
        request,
        public_key_info,
        rsa_key,
        private_key,
        rsa_private_key,
    ];
    let is_answer = |found: &Parsed<Rsa<'_>>| match found {
        Ok(_) => true,
        Err(fault) => fault.kind == Kind::NotRsa,
    };
    let answer = readers.iter().map(|read| read(bytes)).find(is_answer);
    answer.unwrap_or_else(|| {
        // Some programs write PKCS #12 without lengths.
        if bytes.get(1) == Some(&0x80) && is_pkcs12(bytes) {
            return Err(pkcs12());
        }
        if first_length(bytes).is_none_or(|length| length > bytes.len()) {
            return Err(cut());
        }
        if is_pkcs7(bytes) {
            return Err(pkcs7());
        }
        if is_pkcs12(bytes) {
            return Err(pkcs12());
        }
        Err(malformed("it is no certificate, request or key in DER"))
    })
}

/// Whether bytes begin as a store of PKCS #12 does: version 3, and content with a type of PKCS #7.
fn is_pkcs12(bytes: &[u8]) -> bool {
    const VERSION_3: [u8; 4] = [INTEGER, 1, 3, SEQUENCE];
    let start = &bytes[..bytes.len().min(32)];
    let at = start.windows(4).position(|window| window == VERSION_3);
    let kind = at.map(|at| &start[at + 4..]);
    kind.is_some_and(|rest| {
        (2..=6).contains(&at.unwrap_or(0)) && rest.windows(8).any(|window| window == PKCS_7)
    })
}

/// Whether a structure says that it is one of PKCS #7.
fn is_pkcs7(bytes: &[u8]) -> bool {
    let kind = Reader(bytes).sequence();
    let kind = kind.and_then(|mut kind| kind.value(OBJECT_IDENTIFIER, ""));
    kind.is_ok_and(|kind| kind.starts_with(&PKCS_7))
}

fn certificate(bytes: &[u8]) -> Parsed<Rsa<'_>> {
    let mut signed = Reader(bytes).sequence()?.sequence()?;
    if signed.0.first() == Some(&VERSION) {
        signed.value(VERSION, "the version is missing")?;
    }
    signed.value(INTEGER, "the serial number is missing")?;
    // Signature algorithm, issuer, validity.
    for _ in 0..3 {
        signed.sequence()?;
    }
    let subject = Some(signed.sequence()?.0);
    let key = public_key(signed.sequence()?)?;
    Ok(Rsa { subject, ..key })
}

fn request(bytes: &[u8]) -> Parsed<Rsa<'_>> {
    let mut signed = Reader(bytes).sequence()?.sequence()?;
    signed.value(INTEGER, "the version is missing")?;
    let subject = Some(signed.sequence()?.0);
    let key = public_key(signed.sequence()?)?;
    Ok(Rsa { subject, ..key })
}

/// Whether an AlgorithmIdentifier names a kind of RSA keys.
fn is_rsa(mut algorithm: Reader<'_>) -> Parsed<bool> {
    let oid = algorithm.value(OBJECT_IDENTIFIER, "the algorithm is missing")?;
    let parts = oid.split_last();
    Ok(parts.is_some_and(|(last, first)| first == PKCS_1 && RSA_KEYS.contains(last)))
}

fn public_key_info(bytes: &[u8]) -> Parsed<Rsa<'_>> {
    Reader(bytes).sequence().and_then(public_key)
}

fn public_key(mut info: Reader<'_>) -> Parsed<Rsa<'_>> {
    let is_rsa = is_rsa(info.sequence()?)?;
    let key = info.value(BIT_STRING, "the key is missing")?;
    match key.split_first() {
        _ if !is_rsa => Err(not_rsa()),
        Some((0, key)) => rsa_key(key),
        _ => Err(malformed("the key is not whole bytes")),
    }
}

fn rsa_key(bytes: &[u8]) -> Parsed<Rsa<'_>> {
    let mut key = Reader(bytes).sequence()?;
    let modulus = key.value(INTEGER, "the modulus is missing")?;
    let exponent = key.value(INTEGER, "the exponent is missing")?;
    if !key.0.is_empty() {
        return Err(malformed("something follows the exponent"));
    }
    positive(modulus, Exponent::of_signed(exponent))
}

fn private_key(bytes: &[u8]) -> Parsed<Rsa<'_>> {
    let mut info = Reader(bytes).sequence()?;
    info.value(INTEGER, "the version is missing")?;
    let is_rsa = is_rsa(info.sequence()?)?;
    let key = info.value(OCTET_STRING, "the key is missing")?;
    if is_rsa {
        rsa_private_key(key)
    } else {
        Err(not_rsa())
    }
}

fn rsa_private_key(bytes: &[u8]) -> Parsed<Rsa<'_>> {
    let mut key = Reader(bytes).sequence()?;
    key.value(INTEGER, "the version is missing")?;
    let modulus = key.value(INTEGER, "the modulus is missing")?;
    let missing = "a part of the private key is missing";
    let exponent = key.value(INTEGER, missing)?;
    // The private exponent, two primes, their two exponents, a coefficient.
    for _ in 0..6 {
        key.value(INTEGER, missing)?;
    }
    positive(modulus, Exponent::of_signed(exponent))
}

/// A modulus of two's complement bytes.
pub(crate) fn positive(modulus: &[u8], exponent: Exponent) -> Parsed<Rsa<'_>> {
    match modulus.first() {
        None => Err(malformed("the modulus is empty")),
        Some(0x80..) => Err(Fault::new(Kind::TooSmall, "the modulus is negative")),
        Some(_) => Ok(Rsa {
            modulus,
            exponent,
            subject: None,
        }),
    }
}

impl Rsa<'_> {
    /// The subject's common name.
    pub(crate) fn name(&self) -> Option<Box<str>> {
        let mut subject = Reader(self.subject?);
        while let Ok((SET, content)) = subject.any() {
            let mut parts = Reader(content);
            while let Ok(mut part) = parts.sequence() {
                let is_name = part.value(OBJECT_IDENTIFIER, "").ok()? == COMMON_NAME;
                let (_, text) = part.any().ok()?;
                if is_name {
                    return Some(String::from_utf8_lossy(text).into());
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MODULUS: [u8; 3] = [0, 0xc1, 0x0d];

    fn value(tag: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![tag];
        match content.len() {
            short @ 0..0x80 => bytes.push(short as u8),
            long => bytes.extend([0x82, (long >> 8) as u8, long as u8]),
        }
        bytes.extend(content);
        bytes
    }

    fn sequence(parts: &[&[u8]]) -> Vec<u8> {
        value(SEQUENCE, &parts.concat())
    }

    fn rsa_public_key() -> Vec<u8> {
        sequence(&[&value(INTEGER, &MODULUS), &value(INTEGER, &[3])])
    }

    fn algorithm(kind: u8) -> Vec<u8> {
        let oid = value(OBJECT_IDENTIFIER, &[&PKCS_1[..], &[kind]].concat());
        sequence(&[&oid, &[5, 0]])
    }

    fn info(kind: u8) -> Vec<u8> {
        let key = value(BIT_STRING, &[&[0][..], &rsa_public_key()].concat());
        sequence(&[&algorithm(kind), &key])
    }

    fn pkcs1() -> Vec<u8> {
        let one = value(INTEGER, &[1]);
        let rest = one.repeat(7);
        sequence(&[&value(INTEGER, &[0]), &value(INTEGER, &MODULUS), &rest])
    }

    fn pkcs8(kind: u8) -> Vec<u8> {
        let (version, key) = (value(INTEGER, &[0]), value(OCTET_STRING, &pkcs1()));
        sequence(&[&version, &algorithm(kind), &key])
    }

    fn x509(with_version: bool) -> Vec<u8> {
        let version = value(VERSION, &value(INTEGER, &[2]));
        let (serial, name) = (value(INTEGER, &[0; 200]), sequence(&[]));
        let part = sequence(&[&value(OBJECT_IDENTIFIER, &COMMON_NAME), &value(0x0c, b"me")]);
        let subject = sequence(&[&value(SET, &part)]);
        let version: &[u8] = if with_version { &version } else { &[] };
        let parts = [version, &serial, &name, &name, &name, &subject, &info(1)];
        let signed = sequence(&parts);
        sequence(&[&signed, &name, &value(BIT_STRING, &[0, 1])])
    }

    fn modulus(found: Parsed<Rsa<'_>>) -> &[u8] {
        found.unwrap().modulus
    }

    #[test]
    fn moduli_are_found() {
        for with_version in [true, false] {
            let bytes = x509(with_version);
            assert_eq!(modulus(named("CERTIFICATE", &bytes)), MODULUS);
            assert_eq!(modulus(unnamed(&bytes)), MODULUS);
            assert_eq!(unnamed(&bytes).unwrap().name().as_deref(), Some("me"));
        }
        for (name, bytes) in [
            ("PUBLIC KEY", info(10)),
            ("RSA PUBLIC KEY", rsa_public_key()),
            ("PRIVATE KEY", pkcs8(1)),
            ("RSA PRIVATE KEY", pkcs1()),
        ] {
            assert_eq!(modulus(named(name, &bytes)), MODULUS);
            assert_eq!(modulus(unnamed(&bytes)), MODULUS);
            assert_eq!(unnamed(&bytes).unwrap().name(), None);
            assert!(is_likely(&bytes));
        }
        for bytes in [info(2), pkcs8(2)] {
            assert_eq!(unnamed(&bytes), Err(not_rsa()));
        }
        let (zero, one) = (value(INTEGER, &[0]), value(INTEGER, &[1]));
        let private = sequence(&[&zero, &value(INTEGER, &MODULUS), &one, &one]);
        assert!(unnamed(&private).is_err());
        assert!(named("RSA PRIVATE KEY", &rsa_public_key()).is_err());
    }

    #[test]
    fn exponents_are_told_apart() {
        for (bytes, expected) in [
            (&[3][..], Exponent::Small),
            (&[0xff, 0xff], Exponent::Even),
            (&[0, 0xff, 0xff], Exponent::Small),
            (&[1, 0, 1], Exponent::Usual),
            (&[1, 0, 0], Exponent::Even),
            (&[1], Exponent::One),
            (&[0], Exponent::Even),
            (&[0x80, 1], Exponent::Even),
        ] {
            let key = sequence(&[&value(INTEGER, &MODULUS), &value(INTEGER, bytes)]);
            assert_eq!(unnamed(&key).unwrap().exponent, expected, "{bytes:?}");
            let rest = value(INTEGER, &[1]).repeat(6);
            let (version, exponent) = (value(INTEGER, &[0]), value(INTEGER, bytes));
            let private = [&version, &value(INTEGER, &MODULUS), &exponent, &rest];
            let private = sequence(&private.map(|part| &part[..]));
            assert_eq!(unnamed(&private).unwrap().exponent, expected, "{bytes:?}");
        }
        assert_eq!(Exponent::of(&[]), Exponent::Unknown);
        assert_eq!(Exponent::of(&[0x80, 1]), Exponent::Small);
    }

    #[test]
    fn pkcs12_names_the_command_that_converts_it() {
        let oid = value(OBJECT_IDENTIFIER, &[&PKCS_7[..], &[1]].concat());
        let content = sequence(&[&oid, &value(0xa0, &[4, 0])]);
        let version = value(INTEGER, &[3]);
        let store = sequence(&[&version, &content]);
        let endless = [&[SEQUENCE, 0x80][..], &version, &content, &[0, 0]].concat();
        for bytes in [store, endless] {
            let fault = unnamed(&bytes).unwrap_err();
            assert_eq!(fault.kind, Kind::Unread);
            assert!(fault.words.contains("openssl pkcs12 -in FILE -nokeys"));
        }
    }

    #[test]
    fn every_cut_is_told() {
        for whole in [x509(true), info(1), rsa_public_key(), pkcs8(1), pkcs1()] {
            for end in 0..whole.len() {
                let fault = unnamed(&whole[..end]).unwrap_err();
                assert_eq!(fault.kind, Kind::Cut, "{end} of {}", whole.len());
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_reader(
            bytes: Vec<u8>,
            name in "(CERTIFICATE|PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE REQUEST|PRIVATE KEY)",
        ) {
            let _ = named(&name, &bytes);
            let _ = (unnamed(&bytes).is_ok(), first_length(&bytes), is_likely(&bytes));
        }

        #[test]
        fn damaged_certificates_do_not_break_it(at in 0usize..300, byte: u8, cut in 0usize..300) {
            let mut bytes = x509(true);
            let len = bytes.len();
            bytes[at % len] = byte;
            bytes.truncate(len - cut % len);
            if let Ok(key) = unnamed(&bytes) {
                let _ = key.name();
            }
        }
    }
}
