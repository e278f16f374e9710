//! Keys in DNS records, as zone files (RFC 1035), `dig` or lists of values have them: DNSKEY and
//! CDNSKEY (RFC 4034, RSA keys as in RFC 3110), and DKIM's TXT records (RFC 6376).

use memchr::memchr_iter;

use crate::base64::{self, STANDARD};
use crate::batch::{Batch, Fault, Key, Kind, Parsed};
use crate::der::{self, not_rsa};
use crate::{number, text};

/// RSA's algorithms: MD5, SHA-1, SHA-1 with NSEC3, SHA-256, SHA-512.
const RSA_ALGORITHMS: [&[u8]; 9] = [
    b"1",
    b"5",
    b"7",
    b"8",
    b"10",
    b"RSASHA1",
    b"RSASHA1-NSEC3-SHA1",
    b"RSASHA256",
    b"RSASHA512",
];

/// Reads a block of records.
pub(crate) fn parse(block: &[u8], min_bits: u64, names: bool) -> Batch {
    let mut batch = Batch::default();
    let (mut rest, mut line) = (block, 1);
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let first = rest[..end].trim_ascii();
        let (key, length) = match bare_dkim(first) {
            Some(tags) => (Some(dkim(tags)), end),
            None => {
                let (words, length) = record(rest);
                (key(&words, names), length)
            }
        };
        let at = line;
        if let Some(key) = key {
            let key = key.map(|key| Key { line: at, ..key });
            batch.take(key, at, min_bits);
        }
        line += memchr_iter(b'\n', &rest[..length]).count() as u64;
        rest = &rest[length..];
    }
    batch.lines = line - 1;
    batch
}

/// The words of the record at the start of text, and its length with the line's end. A record is a
/// line, or several with parentheses around them.
fn record(text: &[u8]) -> (Vec<&[u8]>, usize) {
    let (mut words, mut depth, mut at) = (Vec::new(), 0u32, 0);
    while let Some(byte) = text.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'\n' if depth == 0 => break,
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b';' => {
                let rest = &text[at..];
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            }
            b'"' => {
                while let Some(byte) = text.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                at = at.min(text.len());
                words.push(&text[start + 1..at]);
                at = (at + 1).min(text.len());
            }
            _ => {
                let is_end = |c: &u8| b" \t\r\n();\"".contains(c);
                let rest = &text[at..];
                at += rest.iter().position(is_end).unwrap_or(rest.len());
                words.push(&text[start..at]);
            }
        }
    }
    (words, at)
}

/// Where a block of records may end: before a line that begins with no blank. Lines inside
/// parentheses are indented.
pub(crate) fn last_boundary(block: &[u8]) -> Option<usize> {
    let mut ends = memchr::memrchr_iter(b'\n', block);
    ends.find(|end| block.get(end + 1).is_some_and(|c| !c.is_ascii_whitespace()))
        .map(|end| end + 1)
}

/// The key of a record; none for records that hold no key.
fn key(words: &[&[u8]], names: bool) -> Option<Parsed<Key>> {
    let is = |word: &[u8], kind: &[u8]| word.eq_ignore_ascii_case(kind);
    let named = |key: Parsed<Key>| {
        let owner = words.first().filter(|_| names);
        let name = owner.map(|owner| String::from_utf8_lossy(owner).into());
        Some(key.map(|key| Key { name, ..key }))
    };
    // Owner, time to live and class come before the kind.
    for (i, word) in words.iter().enumerate().take(5) {
        if is(word, b"DNSKEY") || is(word, b"CDNSKEY") {
            return named(dnskey(&words[i + 1..]));
        }
        if is(word, b"TXT") {
            let tags = words[i + 1..].concat();
            return if is_dkim(&tags) {
                named(dkim(&tags))
            } else {
                None
            };
        }
    }
    // What `dig +short` prints: the data alone.
    let is_number = |word: &&[u8]| word.iter().all(u8::is_ascii_digit);
    if words.len() > 3 && words[..3].iter().all(is_number) {
        return Some(dnskey(words));
    }
    let tags = words.concat();
    is_dkim(&tags).then(|| dkim(&tags))
}

/// Flags, protocol, algorithm, and base64 in any number of words.
fn dnskey(words: &[&[u8]]) -> Parsed<Key> {
    let [_, _, algorithm, key @ ..] = words else {
        return Err(Fault::new(Kind::Cut, "the DNSKEY record ends early"));
    };
    let is_rsa = |rsa: &&[u8]| rsa.eq_ignore_ascii_case(algorithm);
    if !RSA_ALGORITHMS.iter().any(is_rsa) {
        return Err(not_rsa());
    }
    let bytes = base64::decode(&key.concat(), &STANDARD)?;
    let cut = || Fault::new(Kind::Cut, "the DNSKEY record ends early");
    // The exponent's length is a byte, or 0 and two bytes.
    let (length, rest) = match &bytes[..] {
        [0, high, low, rest @ ..] => (usize::from(u16::from_be_bytes([*high, *low])), rest),
        [length, rest @ ..] if *length > 0 => (usize::from(*length), rest),
        _ => return Err(cut()),
    };
    let modulus = rest.get(length..).filter(|modulus| !modulus.is_empty());
    let value = number::from_be_bytes(modulus.ok_or_else(cut)?);
    Ok(text::plain_key(value, 0))
}

/// Whether text is a list of DKIM's tags with a key.
pub(crate) fn is_dkim(tags: &[u8]) -> bool {
    let version = tag(tags, b"v");
    version.is_none_or(|version| version == b"DKIM1") && tag(tags, b"p").is_some()
}

/// DKIM's tags in a line without quotes, in which a ';' begins no comment.
fn bare_dkim(line: &[u8]) -> Option<&[u8]> {
    if line.contains(&b'"') {
        return None;
    }
    let starts = [&b"v=DKIM1"[..], b"k=", b"p="];
    let is_start = |at: usize| at == 0 || line[at - 1].is_ascii_whitespace();
    let found = starts.iter().filter_map(|start| {
        let at = memchr::memmem::find(line, start)?;
        is_start(at).then_some(at)
    });
    let tags = &line[found.min()?..];
    is_dkim(tags).then_some(tags)
}

/// The value of a tag, without blanks around it.
fn tag<'a>(tags: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    tags.split(|c| *c == b';').find_map(|tag| {
        let at = memchr::memchr(b'=', tag)?;
        (tag[..at].trim_ascii() == name).then(|| tag[at + 1..].trim_ascii())
    })
}

/// The key of DKIM's tags.
pub(crate) fn dkim(tags: &[u8]) -> Parsed<Key> {
    if tag(tags, b"k").is_some_and(|kind| !kind.eq_ignore_ascii_case(b"rsa")) {
        return Err(not_rsa());
    }
    let key = tag(tags, b"p").unwrap_or_default();
    if key.is_empty() {
        return Err(Fault::new(Kind::Revoked, "the DKIM key is revoked"));
    }
    let bytes = base64::decode(key, &STANDARD)?;
    let key = der::unnamed(&bytes).map_err(|fault| fault.in_source("the DKIM key"))?;
    Ok(text::plain_key(number::from_be_bytes(key.modulus), 0))
}
