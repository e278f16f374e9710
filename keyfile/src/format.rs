//! Formats, and how they are recognised.

use std::fmt;
use std::str::FromStr;

use memchr::memmem;

use crate::der;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Numbers, PEM blocks and OpenSSH's keys, mixed.
    Text,
    /// PEM blocks, whatever stands around them.
    Pem,
    /// Structures in DER, one behind another.
    Der,
    /// OpenSSH's lines: public keys, `authorized_keys`, `known_hosts`.
    Openssh,
    /// JSON Web Keys, alone or in sets.
    Jwk,
    /// DNSKEY and DKIM records.
    Dns,
    /// A table with a header.
    Csv,
    /// A JSON object per line.
    JsonLines,
    /// Decimal numbers.
    Decimal,
    /// Hexadecimal numbers, with 0x or without.
    Hex,
}

/// Names of formats, those that [`Format`] prints first.
const NAMES: [(&str, Format); 15] = [
    ("text", Format::Text),
    ("pem", Format::Pem),
    ("der", Format::Der),
    ("openssh", Format::Openssh),
    ("jwk", Format::Jwk),
    ("dns", Format::Dns),
    ("csv", Format::Csv),
    ("jsonl", Format::JsonLines),
    ("decimal", Format::Decimal),
    ("hex", Format::Hex),
    ("known_hosts", Format::Openssh),
    ("authorized_keys", Format::Openssh),
    ("dnskey", Format::Dns),
    ("dkim", Format::Dns),
    ("json-lines", Format::JsonLines),
];

impl Format {
    /// The names that parse.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The format of a file that begins with these bytes. A column is asked of tables alone.
    pub(crate) fn of(bytes: &[u8], has_column: bool) -> Format {
        let has = |text: &[u8]| memmem::find(bytes, text).is_some();
        if let Some(b'{' | b'[') = bytes.trim_ascii_start().first() {
            return if has_column {
                Format::JsonLines
            } else {
                Format::Jwk
            };
        }
        if has_column {
            return Format::Csv;
        }
        if der::is_likely(bytes) {
            return Format::Der;
        }
        if has(b"-----BEGIN ") {
            return Format::Text;
        }
        let is_dns = [&b"DNSKEY"[..], b"v=DKIM1", b"k=rsa", b"_domainkey"];
        if is_dns.iter().any(|text| has(text)) {
            return Format::Dns;
        }
        Format::Text
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, format)| format == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let found = NAMES.iter().find(|(name, _)| *name == text);
        let names = || Format::names().collect::<Vec<_>>().join(", ");
        let found = found.map(|(_, format)| *format);
        found.ok_or_else(|| format!("'{text}' is no format: the formats are {}", names()))
    }
}
