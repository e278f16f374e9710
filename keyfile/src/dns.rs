//! Keys in DNS records, as zone files (RFC 1035), `dig` or lists of values have them: DNSKEY and
//! CDNSKEY (RFC 4034, RSA keys as in RFC 3110), and DKIM's TXT records (RFC 6376).

use memchr::memchr_iter;

use crate::base64::{self, STANDARD};
use crate::batch::{Batch, Exponent, Fault, Key, Kind, Parsed};
use crate::der::{self, not_rsa};
use crate::number::{self, Radix};
use crate::text;

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

/// Classes of records, and the types that zones have most often.
const CLASSES_AND_TYPES: [&[u8]; 46] = [
    b"IN",
    b"CH",
    b"HS",
    b"DNSKEY",
    b"CDNSKEY",
    b"TXT",
    b"A",
    b"AAAA",
    b"AFSDB",
    b"ALIAS",
    b"APL",
    b"CAA",
    b"CDS",
    b"CERT",
    b"CNAME",
    b"CSYNC",
    b"DHCID",
    b"DLV",
    b"DNAME",
    b"DS",
    b"HINFO",
    b"HIP",
    b"HTTPS",
    b"IPSECKEY",
    b"KEY",
    b"LOC",
    b"MX",
    b"NAPTR",
    b"NS",
    b"NSEC",
    b"NSEC3",
    b"NSEC3PARAM",
    b"OPENPGPKEY",
    b"PTR",
    b"RP",
    b"RRSIG",
    b"SMIMEA",
    b"SOA",
    b"SPF",
    b"SRV",
    b"SSHFP",
    b"SVCB",
    b"TLSA",
    b"TSIG",
    b"URI",
    b"ZONEMD",
];

/// Reads a block of records.
pub(crate) fn parse(block: &[u8], min_bits: u64, names: bool) -> Batch {
    let mut batch = Batch::default();
    let (mut rest, mut line) = (block, 1);
    while !rest.is_empty() {
        let end = line_end(rest);
        let first = rest[..end].trim_ascii();
        let (key, length) = if first.starts_with(b"#") {
            (None, end)
        } else if let Some(tags) = bare_dkim(first) {
            (Some(dkim(tags)), end)
        } else {
            let record = Record::of(rest);
            (record.key(names), record.length)
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

/// Bytes of the first line with its end.
fn line_end(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).map_or(text.len(), |end| end + 1)
}

/// A record: a line, or several with parentheses around them.
struct Record<'a> {
    text: &'a [u8],
    words: Vec<&'a [u8]>,
    /// Bytes with the line's end.
    length: usize,
    /// Whether a parenthesis or a quote is open at the end of the record.
    is_cut: bool,
}

impl<'a> Record<'a> {
    /// The record at the start of text. Open parentheses end at a line that begins a new record.
    fn of(text: &'a [u8]) -> Record<'a> {
        let (mut words, mut depth, mut at, mut has_open_quote) = (Vec::new(), 0u32, 0, false);
        while let Some(byte) = text.get(at) {
            let start = at;
            at += 1;
            match byte {
                b'\n' if depth == 0 || begins_record(&text[at..]) => break,
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                b';' => {
                    let rest = &text[at..];
                    at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                b'"' => {
                    // A string ends with its line, so that a lost quote loses one line alone.
                    while let Some(byte) = text.get(at).filter(|byte| !b"\"\n".contains(byte)) {
                        at += if *byte == b'\\' { 2 } else { 1 };
                    }
                    at = at.min(text.len());
                    words.push(&text[start + 1..at]);
                    if text.get(at) == Some(&b'"') {
                        at += 1;
                    } else {
                        has_open_quote = true;
                    }
                }
                _ => {
                    let is_end = |c: &u8| b" \t\r\n();\"".contains(c);
                    let rest = &text[at..];
                    at += rest.iter().position(is_end).unwrap_or(rest.len());
                    words.push(&text[start..at]);
                }
            }
        }
        Record {
            text: &text[..at],
            words,
            length: at,
            is_cut: depth > 0 || has_open_quote,
        }
    }

    /// The key of the record; none for comments and for good records of other types.
    fn key(&self, names: bool) -> Option<Parsed<Key>> {
        if self.is_cut {
            let words = "the DNS record is cut: its parenthesis or quote is not closed";
            return Some(Err(Fault::new(Kind::Cut, words)));
        }
        let words = &self.words[..];
        let named = |key: Parsed<Key>| {
            let owner = words.first().filter(|_| names);
            let name = owner.map(|owner| String::from_utf8_lossy(owner).into());
            Some(key.map(|key| Key { name, ..key }))
        };
        if let Some((kind, data)) = kind(words) {
            if !kind.eq_ignore_ascii_case(b"TXT") {
                return named(dnskey(data));
            }
            let tags = data.concat();
            return if is_dkim(&tags) {
                named(dkim(&tags))
            } else {
                None
            };
        }
        // What `dig +short` prints: the data alone.
        if words.len() > 3 && words[..3].iter().all(is_digits) {
            return Some(dnskey(words));
        }
        let tags = words.concat();
        if is_dkim(&tags) {
            return Some(dkim(&tags));
        }
        if words.is_empty() || is_other_record(self.text, words) {
            return None;
        }
        if self.text.trim_ascii_start().starts_with(b"\"") {
            return Some(Err(not_rsa()));
        }
        let words = "it is no DNS record: give keys of other formats in another file";
        Some(Err(Fault::new(Kind::Malformed, words)))
    }
}

/// The type of a record that may hold a key, and the words after it. Owner, time to live and class
/// come before the type. Records such as RRSIG name other types after their own.
fn kind<'a, 'b>(words: &'b [&'a [u8]]) -> Option<(&'a [u8], &'b [&'a [u8]])> {
    let kinds = [&b"DNSKEY"[..], b"CDNSKEY", b"TXT"];
    let classes = [&b"IN"[..], b"CH", b"HS"];
    let is_in = |list: &[&[u8]], word: &[u8]| list.iter().any(|w| word.eq_ignore_ascii_case(w));
    let at = words.iter().take(5).position(|word| is_in(&kinds, word))?;
    let mut between = words[..at].iter().skip(1);
    let is_type = between.all(|word| is_time(word) || is_in(&classes, word));
    is_type.then_some((words[at], &words[at + 1..]))
}

/// Whether a word may be a time to live, such as 3600 or 1h.
fn is_time(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_digit)
}

fn is_digits(word: &&[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit)
}

/// Whether an owner is followed by class or type, with times to live before them.
fn is_owned(words: &[&[u8]]) -> bool {
    is_unowned(words.get(1..).unwrap_or_default())
}

fn is_unowned(words: &[&[u8]]) -> bool {
    let known = words.iter().take(3).find(|word| !is_time(word));
    known.is_some_and(|word| {
        let is_generic = word
            .get(..4)
            .is_some_and(|w| w.eq_ignore_ascii_case(b"TYPE"));
        let is_word = |known: &&[u8]| known.eq_ignore_ascii_case(word);
        (is_generic && is_digits(&&word[4..])) || CLASSES_AND_TYPES.iter().any(is_word)
    })
}

/// Whether a record is a directive, or a record of a type that holds no key. Records of the same
/// owner as the one before begin with a blank.
fn is_other_record(text: &[u8], words: &[&[u8]]) -> bool {
    let is_indented = text.first().is_some_and(u8::is_ascii_whitespace);
    text.starts_with(b"$") || is_owned(words) || (is_indented && is_unowned(words))
}

/// Whether these are the words of a record that should hold a key.
fn holds_key(words: &[&[u8]]) -> bool {
    match (kind(words), words) {
        (Some((kind, data)), _) if kind.eq_ignore_ascii_case(b"TXT") => is_dkim(&data.concat()),
        // The protocol of all DNSKEY records is 3.
        (Some((_, [flags, b"3", ..])), _) => is_digits(flags),
        (None, [flags, b"3", algorithm, key @ ..]) => {
            // Three numbers and a fourth one are a line of numbers.
            let is_number = number::parse(&key.concat(), Radix::Guess).is_ok();
            is_digits(flags) && is_digits(algorithm) && !key.is_empty() && !is_number
        }
        (None, _) => is_marked(&words.concat()),
        _ => false,
    }
}

/// Whether a line is a record of a key, or the first line of one.
pub(crate) fn is_key_record(line: &[u8]) -> bool {
    bare_dkim(line).is_some_and(is_marked) || holds_key(&Record::of(line).words)
}

/// Whether a line begins a record, in a place where a record may go on.
fn begins_record(text: &[u8]) -> bool {
    let line = &text[..line_end(text)];
    if line.first().is_none_or(u8::is_ascii_whitespace) {
        return false;
    }
    let words = line.split(u8::is_ascii_whitespace);
    let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).take(5).collect();
    line.starts_with(b"$") || is_owned(&words) || is_key_record(line)
}

/// Whether text holds DNS records of keys. The first line that is one, a number or an OpenSSH key
/// decides. Comments do not count.
pub(crate) fn is_likely(text: &[u8]) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let mut length = line_end(rest);
        let first = rest[..length].trim_ascii();
        if !first.starts_with(b"#") {
            if text::is_ssh_key(first) || text::is_numbers(first) {
                return false;
            }
            let record = Record::of(rest);
            if bare_dkim(first).is_some_and(is_marked) || holds_key(&record.words) {
                return true;
            }
            length = record.length;
        }
        rest = &rest[length..];
    }
    false
}

/// Where a block of records may end: before a line that begins a record. If there is none, before
/// a line that begins with no blank: lines inside parentheses are indented most often.
pub(crate) fn last_boundary(block: &[u8]) -> Option<usize> {
    let is_end = |c: &u8| c.is_ascii_whitespace() || *c == b')';
    let starts = memchr::memrchr_iter(b'\n', block).map(|end| end + 1);
    let mut starts = starts.filter(|at| block.get(*at).is_some_and(|c| !is_end(c)));
    let last = starts.next()?;
    if begins_record(&block[last..]) {
        return Some(last);
    }
    let found = starts.find(|at| begins_record(&block[*at..]));
    Some(found.unwrap_or(last))
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
    let exponent = rest.get(..length).map_or(Exponent::Unknown, Exponent::of);
    let key = text::plain_key(value, 0);
    Ok(Key { exponent, ..key })
}

/// Whether text is a list of DKIM's tags with a key.
pub(crate) fn is_dkim(tags: &[u8]) -> bool {
    let version = tag(tags, b"v");
    version.is_none_or(|version| version == b"DKIM1") && tag(tags, b"p").is_some()
}

/// Whether tags say that they are DKIM's.
fn is_marked(tags: &[u8]) -> bool {
    is_dkim(tags) && (tag(tags, b"v").is_some() || tag(tags, b"k").is_some())
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
    Ok(Key {
        exponent: key.exponent,
        ..text::plain_key(number::from_be_bytes(key.modulus), 0)
    })
}
