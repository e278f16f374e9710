//! The RSA modulus in DER: certificates and requests (RFC 5280, RFC 2986), public keys (RFC 5280's SubjectPublicKeyInfo, RFC 8017's RSAPublicKey), and
//! OpenSSH's keys (RFC 4253). Only what leads to the modulus is read; nothing is believed of a length before the bytes are there.

/// What a structure holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Key<'a> {
    /// An RSA modulus, big-endian.
    Rsa(&'a [u8]),
    /// A key of another kind.
    Other,
}

/// Why there is no key.
pub type Reason = &'static str;

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
/// A certificate's version, which may be missing.
const VERSION: u8 = 0xa0;

/// pkcs-1, under which rsaEncryption is 1, RSAES-OAEP 7 and RSASSA-PSS 10.
const PKCS_1: [u8; 8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
const RSA_KEYS: [u8; 3] = [1, 7, 10];

/// Values one behind another.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8, Reason> {
        let (first, rest) = self.0.split_first().ok_or("it ends early")?;
        self.0 = rest;
        Ok(*first)
    }

    /// The content of the next value, which must have this tag.
    fn value(&mut self, tag: u8, missing: Reason) -> Result<&'a [u8], Reason> {
        if self.byte()? != tag {
            return Err(missing);
        }
        let length = match self.byte()? {
            short @ 0..=0x7f => usize::from(short),
            long @ 0x81..=0x84 => (0x80..long).try_fold(0, |length, _| {
                Ok::<usize, Reason>(length << 8 | usize::from(self.byte()?))
            })?,
            _ => return Err("a length is not DER"),
        };
        let (content, rest) = self.0.split_at_checked(length).ok_or("it ends early")?;
        self.0 = rest;
        Ok(content)
    }

    fn sequence(&mut self) -> Result<Reader<'a>, Reason> {
        self.value(SEQUENCE, "a sequence is missing").map(Reader)
    }
}

/// The key of a structure by the name that stands after BEGIN; none for names that hold no public key.
pub fn named<'a>(name: &str, bytes: &'a [u8]) -> Option<Result<Key<'a>, Reason>> {
    Some(match name {
        "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE" => certificate(bytes),
        "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST" => request(bytes),
        "PUBLIC KEY" => Reader(bytes).sequence().and_then(public_key),
        "RSA PUBLIC KEY" => rsa_key(bytes),
        _ => return None,
    })
}

/// The key of bytes that are a certificate, a request or a public key.
pub fn unnamed(bytes: &[u8]) -> Result<Key<'_>, Reason> {
    certificate(bytes)
        .or_else(|_| request(bytes))
        .or_else(|_| Reader(bytes).sequence().and_then(public_key))
        .or_else(|_| rsa_key(bytes))
        .map_err(|_| "it is no certificate, request or public key in DER")
}

fn certificate(bytes: &[u8]) -> Result<Key<'_>, Reason> {
    let mut signed = Reader(bytes).sequence()?.sequence()?;
    if signed.0.first() == Some(&VERSION) {
        signed.value(VERSION, "the version is missing")?;
    }
    signed.value(INTEGER, "the serial number is missing")?;
    // Signature algorithm, issuer, validity, subject.
    for _ in 0..4 {
        signed.sequence()?;
    }
    public_key(signed.sequence()?)
}

fn request(bytes: &[u8]) -> Result<Key<'_>, Reason> {
    let mut signed = Reader(bytes).sequence()?.sequence()?;
    signed.value(INTEGER, "the version is missing")?;
    signed.sequence()?;
    public_key(signed.sequence()?)
}

fn public_key(mut info: Reader<'_>) -> Result<Key<'_>, Reason> {
    let algorithm = info
        .sequence()?
        .value(OBJECT_IDENTIFIER, "the algorithm is missing")?;
    let key = info.value(BIT_STRING, "the key is missing")?;
    let is_rsa = algorithm
        .split_last()
        .is_some_and(|(last, first)| first == PKCS_1 && RSA_KEYS.contains(last));
    match key.split_first() {
        _ if !is_rsa => Ok(Key::Other),
        Some((0, key)) => rsa_key(key),
        _ => Err("the key is not whole bytes"),
    }
}

fn rsa_key(bytes: &[u8]) -> Result<Key<'_>, Reason> {
    let mut key = Reader(bytes).sequence()?;
    let modulus = key.value(INTEGER, "the modulus is missing")?;
    key.value(INTEGER, "the exponent is missing")?;
    if !key.0.is_empty() {
        return Err("something follows the exponent");
    }
    positive(modulus)
}

/// A modulus of two's complement bytes.
fn positive(modulus: &[u8]) -> Result<Key<'_>, Reason> {
    match modulus.first() {
        None => Err("the modulus is empty"),
        Some(0x80..) => Err("the modulus is negative"),
        Some(_) => Ok(Key::Rsa(modulus)),
    }
}

/// The key of the blob in a line `KIND BLOB comment`. RSA keys are those of RFC 4253 and OpenSSH's
/// certificates for them, which have a nonce before the exponent.
pub fn openssh<'a>(kind: &str, blob: &'a [u8]) -> Result<Key<'a>, Reason> {
    let mut rest = blob;
    let mut field = || {
        let (length, after) = rest.split_first_chunk().ok_or("it ends early")?;
        let length = u32::from_be_bytes(*length) as usize;
        let (field, after) = after.split_at_checked(length).ok_or("it ends early")?;
        rest = after;
        Ok::<_, Reason>(field)
    };
    if field()? != kind.as_bytes() {
        return Err("the key is not of the kind that its line says");
    }
    match kind {
        "ssh-rsa" => {}
        "ssh-rsa-cert-v01@openssh.com" => {
            field()?;
        }
        _ => return Ok(Key::Other),
    }
    field()?;
    positive(field()?)
}

/// Bytes from base64 (RFC 4648); blanks do not count.
pub fn base64(text: &str) -> Result<Vec<u8>, Reason> {
    let digits = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let (mut bytes, mut bits, mut held, mut padding) = (Vec::with_capacity(text.len()), 0u32, 0, 0);
    for digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding += 1;
                continue;
            }
            _ => return Err("it is not base64"),
        };
        if padding > 0 {
            return Err("it is not base64: it goes on after its end");
        }
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    // 0, 2 or 4 bits are left over, which with padding makes whole groups of four.
    match held == 6 || padding > 2 {
        true => Err("it is not base64: its end is missing"),
        false => Ok(bytes),
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

    fn info(kind: u8) -> Vec<u8> {
        let oid = value(OBJECT_IDENTIFIER, &[&PKCS_1[..], &[kind]].concat());
        let key = value(BIT_STRING, &[&[0][..], &rsa_public_key()].concat());
        sequence(&[&sequence(&[&oid, &[5, 0]]), &key])
    }

    fn x509(with_version: bool) -> Vec<u8> {
        let version = value(VERSION, &value(INTEGER, &[2]));
        let (serial, name) = (value(INTEGER, &[0; 200]), sequence(&[]));
        let version: &[u8] = if with_version { &version } else { &[] };
        let signed = sequence(&[version, &serial, &name, &name, &name, &name, &info(1)]);
        sequence(&[&signed, &name, &value(BIT_STRING, &[0, 1])])
    }

    #[test]
    fn moduli_are_found() {
        let rsa = || Ok(Key::Rsa(&MODULUS[..]));
        for with_version in [true, false] {
            let bytes = x509(with_version);
            assert_eq!(named("CERTIFICATE", &bytes), Some(rsa()));
            assert_eq!(unnamed(&bytes), rsa());
        }
        assert_eq!(named("PUBLIC KEY", &info(10)), Some(rsa()));
        assert_eq!(named("PUBLIC KEY", &info(2)), Some(Ok(Key::Other)));
        assert_eq!(named("RSA PUBLIC KEY", &rsa_public_key()), Some(rsa()));
        assert_eq!(unnamed(&rsa_public_key()), rsa());
        let (zero, one) = (value(INTEGER, &[0]), value(INTEGER, &[1]));
        let private = sequence(&[&zero, &value(INTEGER, &MODULUS), &one, &one]);
        assert!(unnamed(&private).is_err());
        assert_eq!(named("RSA PRIVATE KEY", &rsa_public_key()), None);
        let blob = [
            &[0, 0, 0, 7][..],
            b"ssh-rsa",
            &[0, 0, 0, 1, 3, 0, 0, 0, 3],
            &MODULUS,
        ]
        .concat();
        assert_eq!(openssh("ssh-rsa", &blob), rsa());
        assert!(openssh("ssh-rsa", &blob[..blob.len() - 1]).is_err());
        assert!(openssh("ssh-ed25519", &blob).is_err());
        let other = [&[0, 0, 0, 11][..], b"ssh-ed25519", &[0, 0, 0, 1, 9]].concat();
        assert_eq!(openssh("ssh-ed25519", &other), Ok(Key::Other));
        assert!(openssh("ssh-rsa", &other).is_err());
    }

    #[test]
    fn base64_is_read() {
        assert_eq!(
            base64("TWFu TWE=\nTQ"),
            Err("it is not base64: it goes on after its end")
        );
        assert_eq!(base64("TWFu\nTWE=").unwrap(), b"ManMa");
        assert_eq!(base64("TQ").unwrap(), b"M");
        assert_eq!(base64("").unwrap(), b"");
        for bad in ["T", "TWFuT", "TW-u", "TWFu====", "é"] {
            assert!(base64(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_reader(bytes: Vec<u8>, name in "(CERTIFICATE|PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE REQUEST)") {
            let _ = named(&name, &bytes);
            let _ = (unnamed(&bytes).is_ok(), openssh("ssh-rsa", &bytes).is_ok());
            let _ = base64(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn damaged_certificates_do_not_break_it(at in 0usize..300, byte: u8, cut in 0usize..300) {
            let mut bytes = x509(true);
            let len = bytes.len();
            bytes[at % len] = byte;
            bytes.truncate(len - cut % len);
            let _ = unnamed(&bytes);
        }
    }
}
