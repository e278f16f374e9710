//! JSON as far as keys need it: the members of an object, and JSON Web Keys (RFC 7517) wherever
//! they stand in a document.

use std::borrow::Cow;

use memchr::memchr_iter;

use crate::base64::{self, URL};
use crate::batch::{Batch, Exponent, Fault, Key, Kind, Parsed};
use crate::der::not_rsa;
use crate::{number, text};

/// Objects inside one another that are told apart; deeper ones hold no key.
const DEPTH: usize = 64;

fn malformed(words: &'static str) -> Fault {
    Fault::new(Kind::Malformed, words)
}

fn cut() -> Fault {
    Fault::new(Kind::Cut, "the JSON ends early")
}

/// Where the string ends that begins with the quote at `at`: after its closing quote.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        let step = memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        at += step;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

fn blanks_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_ascii_start().len()
}

/// Where the value ends that begins at `at`.
fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    let (mut at, mut depth) = (at, 0usize);
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if depth > 0 => {
                at += 1;
                continue;
            }
            b',' | b':' => return None,
            _ => {
                let is_end = |c: &u8| b",:{}[]\" \t\r\n".contains(c);
                let rest = &bytes[at..];
                at += rest.iter().position(is_end).unwrap_or(rest.len());
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The members of an object, names and values as they are written. `bytes` begins with its brace.
fn members(bytes: &[u8], mut take: impl FnMut(&[u8], &[u8])) -> Parsed<()> {
    let mut at = blanks_end(bytes, 0);
    if bytes.get(at).ok_or_else(cut)? != &b'{' {
        return Err(malformed("it is not a JSON object"));
    }
    at = blanks_end(bytes, at + 1);
    if bytes.get(at) == Some(&b'}') {
        return Ok(());
    }
    loop {
        if bytes.get(at).ok_or_else(cut)? != &b'"' {
            return Err(malformed("a member of the JSON object has no name"));
        }
        let end = string_end(bytes, at).ok_or_else(cut)?;
        let name = &bytes[at + 1..end - 1];
        at = blanks_end(bytes, end);
        if bytes.get(at).ok_or_else(cut)? != &b':' {
            return Err(malformed("a member of the JSON object has no value"));
        }
        at = blanks_end(bytes, at + 1);
        let end = value_end(bytes, at).ok_or_else(cut)?;
        take(name, &bytes[at..end]);
        at = blanks_end(bytes, end);
        match bytes.get(at).ok_or_else(cut)? {
            b',' => at = blanks_end(bytes, at + 1),
            b'}' => return Ok(()),
            _ => return Err(malformed("a comma is missing in the JSON object")),
        }
    }
}

/// The value at a path of names with dots between them, as it is written.
pub(crate) fn lookup<'a>(object: &'a [u8], path: &str) -> Parsed<Option<&'a [u8]>> {
    // A name may have dots itself: the whole path comes first.
    let mut heads: Vec<usize> = path.match_indices('.').map(|(at, _)| at).collect();
    heads.push(path.len());
    let mut found: Option<(usize, &'a [u8])> = None;
    let start = object.as_ptr().addr();
    members(object, |name, value| {
        let name = String::from_utf8_lossy(name);
        let fits = heads.iter().any(|end| path[..*end] == *name);
        if fits && found.is_none_or(|(length, _)| name.len() > length) {
            // `value` is a slice of `object`.
            let at = value.as_ptr().addr() - start;
            found = Some((name.len(), &object[at..at + value.len()]));
        }
    })?;
    match found {
        Some((length, value)) if length < path.len() => {
            if value.starts_with(b"{") {
                lookup(value, &path[length + 1..])
            } else {
                Ok(None)
            }
        }
        Some((_, value)) => Ok(Some(value)),
        None => Ok(None),
    }
}

/// The text of a string as it is written, or of another value.
pub(crate) fn plain(value: &[u8]) -> Parsed<Cow<'_, [u8]>> {
    let Some(inner) = value.strip_prefix(b"\"") else {
        return Ok(Cow::Borrowed(value));
    };
    let inner = inner.strip_suffix(b"\"").ok_or_else(cut)?;
    if !inner.contains(&b'\\') {
        return Ok(Cow::Borrowed(inner));
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(inner.len()), inner);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let (escape, after) = rest.split_first().ok_or_else(cut)?;
        rest = after;
        match escape {
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'b' => bytes.push(8),
            b'f' => bytes.push(12),
            b'u' => {
                let (digits, after) = rest.split_at_checked(4).ok_or_else(cut)?;
                rest = after;
                let limbs = number::hexadecimal(digits);
                let limbs = limbs.ok_or_else(|| malformed("a JSON escape is wrong"))?;
                let code = limbs.first().map_or(0, |limb| *limb as u32);
                // Halves of a surrogate pair stand for no character of a key.
                let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            b'"' | b'\\' | b'/' => bytes.push(*escape),
            _ => return Err(malformed("a JSON escape is wrong")),
        }
    }
    Ok(Cow::Owned(bytes))
}

/// The key of an object; none where it is no JSON Web Key.
pub(crate) fn web_key(object: &[u8], line: u64, names: bool) -> Option<Parsed<Key>> {
    let (mut kind, mut modulus, mut exponent, mut name) = (None, None, None, None);
    let start = object.as_ptr().addr();
    let whole = members(object, |member, value| {
        // `value` is a slice of `object`.
        let at = value.as_ptr().addr() - start;
        let value = &object[at..at + value.len()];
        match member {
            b"kty" => kind = Some(value),
            b"n" => modulus = Some(value),
            b"e" => exponent = Some(value),
            b"kid" => name = Some(value),
            _ => {}
        }
    });
    let kind = kind?;
    let key = || {
        whole?;
        if *plain(kind)? != *b"RSA" {
            return Err(not_rsa());
        }
        let modulus = modulus.ok_or_else(|| malformed("the JSON Web Key has no n"))?;
        let bytes = base64::decode(&plain(modulus)?, &URL)?;
        let name = name.filter(|_| names).and_then(|name| plain(name).ok());
        let exponent = exponent.and_then(|e| plain(e).ok());
        let exponent = exponent.and_then(|e| base64::decode(&e, &URL).ok());
        Ok(Key {
            exponent: exponent.map_or(Exponent::Unknown, |bytes| Exponent::of(&bytes)),
            name: name.map(|name| String::from_utf8_lossy(&name).into()),
            ..text::plain_key(number::from_be_bytes(&bytes), line)
        })
    };
    Some(key())
}

/// Calls `take` for every brace and bracket outside strings, and says whether a string is open at
/// the end.
fn braces(bytes: &[u8], mut take: impl FnMut(usize, u8)) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'"' {
            match string_end(bytes, at) {
                Some(end) => at = end,
                None => return Some(at),
            }
            continue;
        }
        if matches!(byte, b'{' | b'}' | b'[' | b']') {
            take(at, *byte);
        }
        at += 1;
    }
    None
}

/// Where a block may end: after an object that another object follows, at the least depth of all
/// such places. In a list of keys this is between two keys, and not inside of one.
pub(crate) fn last_boundary(block: &[u8]) -> Option<usize> {
    let (mut depth, mut closed): (i64, Option<usize>) = (0, None);
    let mut best: Option<(i64, usize)> = None;
    braces(block, |at, byte| match byte {
        b'{' => {
            if let Some(end) = closed.take()
                && best.is_none_or(|(least, _)| depth <= least)
            {
                best = Some((depth, end));
            }
            depth += 1;
        }
        b'}' => {
            depth -= 1;
            closed = Some(at + 1);
        }
        b'[' => {
            (depth, closed) = (depth + 1, None);
        }
        _ => {
            (depth, closed) = (depth - 1, None);
        }
    });
    best.map(|(_, end)| end)
}

/// Whether the bytes from `start` to `end` begin and end with a line, as JSON lines do. Members of
/// a list have commas between them.
fn is_whole_line(block: &[u8], start: usize, end: usize) -> bool {
    let is_start = start == 0 || block[start - 1] == b'\n';
    is_start && matches!(block.get(end), None | Some(b'\n' | b'\r'))
}

/// The JSON Web Keys of a block, which may begin and end inside lists and objects.
pub(crate) fn parse(block: &[u8], min_bits: u64, names: bool) -> Batch {
    let mut batch = Batch::default();
    // Of every open object its start, and whether a key was found in it.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let (mut counted, mut lines, mut surplus) = (0, 1, 0u64);
    let cut_string = braces(block, |at, byte| match byte {
        b'{' if open.len() < DEPTH => open.push((at, false)),
        b'{' => surplus += 1,
        b'}' if surplus > 0 => surplus -= 1,
        b'}' => {
            let Some((start, has_key)) = open.pop() else {
                return;
            };
            lines += memchr_iter(b'\n', block.get(counted..start).unwrap_or_default()).count();
            counted = counted.max(start);
            let object = &block[start..=at];
            let key = if has_key {
                None
            } else {
                web_key(object, lines as u64, names)
            };
            let is_key = key.is_some();
            let is_outermost = open.is_empty() && surplus == 0;
            if !is_key && !has_key && is_outermost && is_whole_line(block, start, at + 1) {
                let words = "the JSON object holds no JSON Web Key";
                batch.skip(lines as u64, malformed(words));
            }
            if let Some(key) = key {
                batch.take(key, lines as u64, min_bits);
            }
            if let Some((_, has_key_inside)) = open.last_mut() {
                *has_key_inside |= is_key || has_key;
            }
        }
        _ => {}
    });
    // A key whose object or string does not end is cut.
    let last = open.last().filter(|(_, has_key)| !has_key);
    let tail = last.map(|(start, _)| &block[*start..]);
    if tail.is_some_and(|tail| cut_string.is_some() || memchr::memmem::find(tail, b"kty").is_some())
    {
        let start = last.map_or(0, |(start, _)| *start);
        lines += memchr_iter(b'\n', block.get(counted..start).unwrap_or_default()).count();
        batch.skip(lines as u64, cut());
    }
    batch.lines = memchr_iter(b'\n', block).count() as u64;
    batch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    const SET: &str = r#"{"a": {"b": [1, {"kty": "x\"}"}]}, "keys": [
        {"kty":"RSA", "n":"wQ0", "e":"AQAB", "kid":"o\u006ee"},
        {"kty":"EC", "crv":"P-256", "x":"{"},
        {"kid":"two", "n":"wQ\/", "kty":"RSA"},
        {"n":"_wE","kty":"RSA","oth":[{"r":"AQ","d":"AQ"},{"r":"AQ"}]}, {"kty":"RSA"}
    ]}"#;

    #[test]
    fn sets_are_read() {
        let batch = parse(SET.as_bytes(), 0, true);
        let keys: Vec<_> = batch
            .keys
            .iter()
            .map(|k| (k.line, k.name.as_deref()))
            .collect();
        assert_eq!(keys, [(2, Some("one")), (5, None)]);
        assert_eq!(batch.keys[0].value, Value::Limbs(vec![0xc10d]));
        assert_eq!(batch.keys[1].value, Value::Limbs(vec![0xff01]));
        let skipped: Vec<_> = batch.skipped.iter().map(|s| (s.line, s.kind)).collect();
        let expected = [
            (1, Kind::NotRsa),
            (3, Kind::NotRsa),
            (4, Kind::NotBase64),
            (5, Kind::Malformed),
        ];
        assert_eq!(skipped, expected);
    }

    #[test]
    fn blocks_end_between_keys() {
        let end = last_boundary(SET.as_bytes()).unwrap();
        assert!(SET[end..].starts_with(r#", {"kty":"RSA"}"#));
        for at in 0..=SET.len() {
            let bytes = SET.as_bytes();
            parse(&bytes[..at], 0, false);
            parse(&bytes[at..], 0, false);
            let Some(end) = last_boundary(&bytes[..at]) else {
                continue;
            };
            let both = parse(&bytes[..end], 0, false).keys.len()
                + parse(&bytes[end..], 0, false).keys.len();
            assert_eq!(both, 2, "cut at {end}");
        }
    }

    #[test]
    fn paths_are_followed() {
        let object = br#"{"a":{"b":"x\n"},"a.c":5,"d":[1,2],"e":{}}"#;
        let at = |path| lookup(object, path).unwrap();
        assert_eq!(plain(at("a.b").unwrap()).unwrap(), &b"x\n"[..]);
        assert_eq!(at("a.c"), Some(&b"5"[..]));
        assert_eq!(at("d"), Some(&b"[1,2]"[..]));
        assert_eq!((at("e.x"), at("x"), at("d.x")), (None, None, None));
        assert_eq!(lookup(br#"{"a":"#, "a").unwrap_err().kind, Kind::Cut);
        assert_eq!(lookup(b"15", "a").unwrap_err().kind, Kind::Malformed);
    }
}
