//! What the parser of a block gives: moduli, and records that were skipped with the reason.

use std::borrow::Cow;
use std::fmt;

/// A modulus: greater than 1, odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// 64-bit limbs, least significant first; the last is not 0.
    Limbs(Vec<u64>),
    /// Digits of a decimal number that is too long for the quadratic conversion of this crate.
    Decimal(Box<str>),
}

/// What is known of the public exponent of a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Exponent {
    /// The record has none.
    #[default]
    Unknown,
    /// It is odd and at least 65537.
    Usual,
    /// It is odd, greater than 1 and below 65537.
    Small,
    /// It is 1, and encryption changes nothing.
    One,
    /// It is even or not positive, and has no inverse.
    Even,
}

impl Exponent {
    /// The kind of an exponent in two's complement bytes, most significant byte first.
    pub(crate) fn of_signed(bytes: &[u8]) -> Exponent {
        match bytes.first() {
            None => Exponent::Unknown,
            Some(0x80..) => Exponent::Even,
            Some(_) => Exponent::of(bytes),
        }
    }

    /// The kind of an exponent in bytes without a sign, most significant byte first.
    pub(crate) fn of(bytes: &[u8]) -> Exponent {
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        match &bytes[zeros..] {
            _ if bytes.is_empty() => Exponent::Unknown,
            [.., last] if last & 1 == 0 => Exponent::Even,
            [] => Exponent::Even,
            [1] => Exponent::One,
            // 65536 is even: odd numbers of three bytes or more are at least 65537.
            [_] | [_, _] => Exponent::Small,
            _ => Exponent::Usual,
        }
    }
}

/// A modulus and where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The modulus.
    pub value: Value,
    /// The line where its record begins, counted from 1. Records of DER are counted instead.
    pub line: u64,
    /// Characters from the start of the line, counted from 1, where a line has several numbers.
    pub column: Option<u32>,
    /// What the record calls the key: a comment, a host, a subject, a key id, an owner.
    /// Only where names were asked for.
    pub name: Option<Box<str>>,
    /// What is known of its public exponent.
    pub exponent: Exponent,
}

/// Why a record was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A key of another kind, or a block without a key.
    NotRsa,
    /// A key that was taken back: DKIM's empty `p=`.
    Revoked,
    /// A modulus that is shorter than asked for.
    Short,
    /// A table's record that has nothing in the column.
    Empty,
    /// A record that ends too early.
    Cut,
    /// A record of more than [`LONGEST_RECORD`](crate::LONGEST_RECORD) bytes.
    Long,
    /// Base64 with other characters, or of an impossible length.
    NotBase64,
    /// No number, where one should be.
    NotNumber,
    /// Bytes that are not UTF-8.
    NotText,
    /// A private key under a passphrase.
    Encrypted,
    /// A record that must be converted or described before it is read: PKCS #7, JSON without a
    /// column, DNS records among PEM blocks.
    Unread,
    /// A structure that is not what it should be.
    Malformed,
    /// An even modulus.
    Even,
    /// A negative modulus, 0 or 1.
    TooSmall,
}

impl Kind {
    /// Whether the record is good, and left out for what it is.
    pub fn is_left_out(self) -> bool {
        matches!(
            self,
            Kind::NotRsa | Kind::Revoked | Kind::Short | Kind::Empty
        )
    }

    /// The words for a count of such records.
    pub fn label(self) -> &'static str {
        match self {
            Kind::NotRsa => "not RSA",
            Kind::Revoked => "revoked",
            Kind::Short => "too short",
            Kind::Empty => "without a value",
            Kind::Cut => "cut in the middle",
            Kind::Long => "too long",
            Kind::NotBase64 => "not base64",
            Kind::NotNumber => "not a number",
            Kind::NotText => "not text",
            Kind::Encrypted => "encrypted",
            Kind::Unread => "not read as given",
            Kind::Malformed => "malformed",
            Kind::Even => "even",
            Kind::TooSmall => "negative, 0 or 1",
        }
    }
}

/// Why a record has no modulus: the kind to count it by, and the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) words: Cow<'static, str>,
}

impl Fault {
    pub(crate) fn new(kind: Kind, words: impl Into<Cow<'static, str>>) -> Fault {
        let words = words.into();
        Fault { kind, words }
    }

    /// Names the structure that the fault is in.
    pub(crate) fn in_source(self, name: &str) -> Fault {
        let words = match self.kind {
            Kind::NotRsa => self.words,
            _ => format!("{name} does not parse: {}", self.words).into(),
        };
        Fault { words, ..self }
    }
}

pub(crate) type Parsed<T> = Result<T, Fault>;

/// A record that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The line where it begins, counted from 1.
    pub line: u64,
    /// What to count it by.
    pub kind: Kind,
    /// What was wrong with it.
    pub reason: Cow<'static, str>,
}

/// What one block gave, in the order of the file.
#[derive(Debug, Default)]
pub struct Batch {
    /// The moduli.
    pub keys: Vec<Key>,
    /// The records without one.
    pub skipped: Vec<Skipped>,
    /// Lines, or records of DER, in the block.
    pub(crate) lines: u64,
}

impl Batch {
    /// Moves all lines, for a block that begins after so many.
    pub(crate) fn shift(&mut self, lines: u64) {
        self.keys.iter_mut().for_each(|key| key.line += lines);
        self.skipped.iter_mut().for_each(|skip| skip.line += lines);
    }

    pub(crate) fn skip(&mut self, line: u64, fault: Fault) {
        let (kind, reason) = (fault.kind, fault.words);
        self.skipped.push(Skipped { line, kind, reason });
    }

    /// Adds a modulus, or the reason why there is none.
    pub(crate) fn take(&mut self, key: Parsed<Key>, line: u64, min_bits: u64) {
        match key.and_then(|key| check(key, min_bits)) {
            Ok(key) => self.keys.push(key),
            Err(fault) => self.skip(line, fault),
        }
    }
}

/// Only odd numbers above 1 can be products of two odd primes.
fn check(key: Key, min_bits: u64) -> Parsed<Key> {
    let (is_odd, is_small, bits) = match &key.value {
        Value::Limbs(limbs) => {
            let top = limbs.last().map_or(64, |top| top.leading_zeros());
            let bits = 64 * limbs.len() as u64 - u64::from(top).min(64 * limbs.len() as u64);
            let low = limbs.first().copied().unwrap_or(0);
            (low & 1 == 1, bits <= 1, bits)
        }
        Value::Decimal(digits) => {
            let last = digits.bytes().next_back().unwrap_or(b'0');
            // A decimal digit is more than 3 bits.
            (last & 1 == 1, false, 3 * digits.len() as u64)
        }
    };
    if is_small {
        return Err(Fault::new(Kind::TooSmall, "0 and 1 are no moduli"));
    }
    if !is_odd {
        return Err(Fault::new(Kind::Even, "the modulus is even"));
    }
    if bits < min_bits {
        let words = format!("the modulus has {bits} bits, fewer than {min_bits}");
        return Err(Fault::new(Kind::Short, words));
    }
    Ok(key)
}

/// How many records were skipped, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally(std::collections::BTreeMap<Kind, u64>);

impl Tally {
    /// Counts one record.
    pub fn count(&mut self, kind: Kind) {
        *self.0.entry(kind).or_default() += 1;
    }

    /// Adds the counts of another tally.
    pub fn add(&mut self, other: &Tally) {
        for (kind, count) in &other.0 {
            *self.0.entry(*kind).or_default() += count;
        }
    }

    /// All records.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The reasons that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, u64)> {
        self.0.iter().map(|(kind, count)| (*kind, *count))
    }
}

/// "3 skipped: 2 not RSA, 1 cut in the middle".
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} skipped", self.total())?;
        let mut counts: Vec<_> = self.iter().collect();
        counts.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
        for (i, (kind, count)) in counts.into_iter().enumerate() {
            let mark = if i == 0 { ":" } else { "," };
            write!(f, "{mark} {count} {}", kind.label())?;
        }
        Ok(())
    }
}
