//! A value of a table: a number, or any key that fits a text.

use crate::base64::{self, STANDARD};
use crate::batch::{Fault, Key, Kind, Parsed};
use crate::number::{self, Radix};
use crate::text::{self, Numbered};
use crate::{der, dns, json, ssh};

/// Bytes in base64 that are no DER are a modulus from this many bytes on.
const SHORTEST_MODULUS: usize = 32;

/// The words about a value that is none of what is read.
const NO_KEY: &str = "the value is no number, PEM block, OpenSSH key, JSON Web Key, DKIM tags or \
                      base64 of a key or modulus";

/// The key of a value.
pub(crate) fn key(value: &[u8], line: u64, names: bool) -> Parsed<Key> {
    let value = value.trim_ascii();
    if value.is_empty() {
        return Err(Fault::new(Kind::Empty, "the column is empty"));
    }
    if value[0] == b'{' {
        let key = json::web_key(value, line, names);
        let none = || Fault::new(Kind::Malformed, "the object is no JSON Web Key");
        return key.unwrap_or_else(|| Err(none()));
    }
    if value.starts_with(b"-----BEGIN ") {
        return pem(value, line, names);
    }
    let number = number::parse(value, Radix::Guess);
    let no_number = match number {
        Ok(value) => return Ok(text::plain_key(value, line)),
        Err(fault) if fault.kind != Kind::NotNumber => return Err(fault),
        Err(fault) => Fault::new(fault.kind, NO_KEY),
    };
    if value.contains(&b':') {
        // Bytes as OpenSSL prints them.
        let digits: Vec<u8> = value.iter().filter(|c| **c != b':').copied().collect();
        let limbs = number::hexadecimal(&digits).ok_or(no_number)?;
        return Ok(text::plain_key(crate::Value::Limbs(limbs), line));
    }
    if dns::is_dkim(value) {
        return dns::dkim(value).map(|key| Key { line, ..key });
    }
    if let Some(found) = str::from_utf8(value).ok().and_then(ssh::line) {
        return ssh::key(&found, line, names);
    }
    let bytes = base64::decode(value, &STANDARD).map_err(|_| no_number.clone())?;
    match der::unnamed(&bytes) {
        Ok(key) => Ok(Key {
            name: if names { key.name() } else { None },
            exponent: key.exponent,
            ..text::plain_key(number::from_be_bytes(key.modulus), line)
        }),
        Err(fault) if matches!(fault.kind, Kind::NotRsa | Kind::Unread) => Err(fault),
        Err(fault) if der::is_likely(&bytes) => Err(fault),
        Err(_) if bytes.len() >= SHORTEST_MODULUS => {
            Ok(text::plain_key(number::from_be_bytes(&bytes), line))
        }
        Err(_) => Err(no_number),
    }
}

/// The key of a PEM block. Line ends may be written as \n.
fn pem(value: &[u8], line: u64, names: bool) -> Parsed<Key> {
    let text = String::from_utf8_lossy(value)
        .replace("\\r", "")
        .replace("\\n", "\n");
    let mut lines = Numbered::new(text.as_bytes());
    let first = lines.next().unwrap_or_default();
    let name = text::begin(first.trim_ascii());
    let name = name.ok_or_else(|| Fault::new(Kind::Cut, "the PEM block has no end"))?;
    text::pem(name, &mut lines, line, names)
}
