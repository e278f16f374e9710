//! Formats, and how they are recognised.

use std::fmt;
use std::str::FromStr;

use memchr::memmem;

use crate::text::Numbered;
use crate::{der, dns, json, table, text};

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

    /// The format of a file that begins with these bytes. A column is looked for in tables and in
    /// JSON lines; files of other formats do not need it.
    pub(crate) fn of(bytes: &[u8], column: Option<&str>) -> Format {
        // A host with a port in known_hosts begins as JSON does.
        let first = Numbered::new(bytes.trim_ascii_start())
            .next()
            .unwrap_or_default();
        if matches!(first.first(), Some(b'{' | b'[')) && !text::is_ssh_key(first) {
            return Format::of_json(bytes, column);
        }
        // A table may hold keys of all other formats, so its header comes first.
        if column.is_some() && table::header(bytes, column).is_ok() {
            return Format::Csv;
        }
        if der::is_likely(bytes) {
            return Format::Der;
        }
        if text::has_block(bytes) {
            return Format::Text;
        }
        if dns::is_likely(bytes) {
            return Format::Dns;
        }
        // A table without the column is refused later, with the names of its columns.
        if column.is_some() && is_table(bytes) {
            return Format::Csv;
        }
        Format::Text
    }

    /// The format of a file that begins as JSON does. The first line that is a JSON Web Key, or
    /// that has the column, decides.
    fn of_json(bytes: &[u8], column: Option<&str>) -> Format {
        let has = |line: &[u8], path: &str| matches!(json::lookup(line, path), Ok(Some(_)));
        for line in Numbered::new(bytes) {
            let Some(column) = column else {
                break;
            };
            if has(line, "kty") && has(line, "n") {
                return Format::Jwk;
            }
            if has(line, column) {
                return Format::JsonLines;
            }
        }
        if memmem::find(bytes, b"\"kty\"").is_some() {
            Format::Jwk
        } else {
            Format::JsonLines
        }
    }
}

/// Whether the first line that is no comment may be a table's header: it is no OpenSSH key, and no
/// number without a separator.
fn is_table(bytes: &[u8]) -> bool {
    let is_comment = |line: &&[u8]| matches!(line.first(), None | Some(b'#' | b';'));
    let mut lines = Numbered::new(bytes).map(<[u8]>::trim_ascii);
    let Some(first) = lines.find(|line| !is_comment(line)) else {
        return true;
    };
    let has_separator = first.iter().any(|c| b",;\t".contains(c));
    !text::is_ssh_key(first) && (has_separator || !text::is_numbers(first))
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
