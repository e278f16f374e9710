//! Lines of text: numbers, PEM blocks and OpenSSH's keys, mixed as they come.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::base64::{self, STANDARD};
use crate::batch::{Batch, Exponent, Fault, Key, Kind, Parsed};
use crate::number::{self, Radix};
use crate::{der, dns, ssh};

/// Characters of the name of a PEM block or of a word that a message shows.
const SHOWN: usize = 40;

/// Characters of a whole line of a PEM block: RFC 7468, OpenSSH, RFC 2045.
const WIDTHS: [usize; 3] = [64, 70, 76];

/// Fewer hexadecimal digits than this may as well be the last line of a PEM block.
const SHORTEST_HEX: usize = 16;

/// Characters of a word that is counted as a damaged number where it stands alone.
const SHORTEST_DAMAGED: usize = 32;

/// The words about a key that `openssl … -text` has printed.
const PROSE: &str = "it is the -text output of openssl, which is not read: give the PEM block, or \
                     what -modulus prints";

/// The words about a word in a row that may be a label.
const LABEL: &str = "it is a label, or hexadecimal without 0x: write 0x before short numbers in a \
                     list with commas, or name the column of a table with --column NAME";

/// What lines of text may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Anything, beside other text.
    Any(Around),
    /// PEM blocks alone.
    Blocks,
    /// OpenSSH's keys alone.
    Ssh,
    /// Numbers alone.
    Numbers(Radix),
}

/// What a file of text has beside lines of keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Around {
    /// PEM blocks: what tools write around the blocks is passed over.
    pub(crate) has_blocks: bool,
    /// What `openssl … -text` prints, in which short numbers are no keys.
    pub(crate) has_prose: bool,
}

/// How to read a block of text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) lines: Lines,
    pub(crate) min_bits: u64,
    pub(crate) names: bool,
}

/// Lines of a block, with their numbers from 1.
#[derive(Clone)]
pub(crate) struct Numbered<'a> {
    rest: &'a [u8],
    pub(crate) line: u64,
}

impl<'a> Numbered<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Numbered<'a> {
        Numbered { rest, line: 0 }
    }
}

impl<'a> Iterator for Numbered<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let end = memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        Some(line)
    }
}

/// Reads a block.
pub(crate) fn parse(block: &[u8], reading: Reading) -> Batch {
    let mut batch = Batch::default();
    let mut lines = Numbered::new(block);
    while let Some(line) = lines.next() {
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() || trimmed[0] == b'#' {
            continue;
        }
        let at = lines.line;
        if let Some(name) = begin(trimmed).filter(|_| reading.reads_blocks()) {
            let key = pem(name, &mut lines, at, reading.names);
            // Parameters are the curve of the key that follows, and no key.
            let is_key = name != "EC PARAMETERS";
            if is_key || key.as_ref().is_err_and(|fault| fault.kind == Kind::Cut) {
                batch.take(key, at, reading.min_bits);
            }
            continue;
        }
        match reading.lines {
            Lines::Blocks => {}
            Lines::Ssh => {
                let key = str::from_utf8(trimmed).map_err(|_| not_text());
                let key = key.and_then(|text| {
                    let found = ssh::line(text).ok_or_else(no_ssh_key)?;
                    ssh::key(&found, at, reading.names)
                });
                batch.take(key, at, reading.min_bits);
            }
            Lines::Any(around) => reading.any(line, at, around, &mut batch),
            Lines::Numbers(radix) => {
                reading.numbers(line, at, radix, Around::default(), &mut batch)
            }
        }
    }
    batch.lines = lines.line;
    batch
}

fn not_text() -> Fault {
    Fault::new(Kind::NotText, "it is not text")
}

fn no_ssh_key() -> Fault {
    Fault::new(Kind::Malformed, "there is no OpenSSH key in the line")
}

/// The name of the block that begins with a line without blanks around it.
pub(crate) fn begin(line: &[u8]) -> Option<&str> {
    let name = line.strip_prefix(b"-----BEGIN ")?.strip_suffix(b"-----")?;
    str::from_utf8(name).ok()
}

/// Whether a PEM block begins in a line of text.
pub(crate) fn has_block(text: &[u8]) -> bool {
    memmem::find_iter(text, b"-----BEGIN ").any(|at| {
        let mut before = text[..at].iter().rev();
        let last = before.find(|c| !b" \t\r".contains(c));
        last.is_none_or(|c| *c == b'\n')
    })
}

/// Whether `openssl … -text` has printed a key in a text, as in `Public-Key: (2048 bit)`.
pub(crate) fn has_prose(text: &[u8]) -> bool {
    memmem::find_iter(text, b"-Key: (").any(|at| {
        let (before, after) = (&text[..at], &text[at + b"-Key: (".len()..]);
        let is_named = before.ends_with(b"Public") || before.ends_with(b"Private");
        is_named && after.first().is_some_and(u8::is_ascii_digit)
    })
}

/// Whether a line without blanks around it may be of such a text. OpenSSH's keys and the line of
/// `-modulus` are not.
fn is_prose(line: &[u8]) -> bool {
    let is_modulus = line.starts_with(b"Modulus=");
    let is_long = line.len() >= SHORTEST_DAMAGED && line.iter().all(u8::is_ascii_alphanumeric);
    !is_modulus && !is_long && !is_ssh_key(line)
}

/// Whether a line holds an OpenSSH key.
pub(crate) fn is_ssh_key(line: &[u8]) -> bool {
    str::from_utf8(line).is_ok_and(|text| ssh::line(text).is_some())
}

/// Whether a line holds numbers and nothing else but a comment.
pub(crate) fn is_numbers(line: &[u8]) -> bool {
    let content = line.split(|c| *c == b'#').next().unwrap_or_default();
    let words = content.split(|c| c.is_ascii_whitespace() || *c == b',');
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| number::parse(word, Radix::Guess).is_ok())
}

impl Reading {
    fn reads_blocks(&self) -> bool {
        matches!(self.lines, Lines::Any(_) | Lines::Blocks)
    }

    fn any(&self, line: &[u8], at: u64, around: Around, batch: &mut Batch) {
        let trimmed = line.trim_ascii();
        if around.has_prose && is_prose(trimmed) {
            if !around.has_blocks && has_prose(trimmed) {
                batch.skip(at, Fault::new(Kind::Unread, PROSE));
            }
            return;
        }
        // Most lines of long files are one number: a digit comes first, or the M of "Modulus=".
        let may_be_number = trimmed[0].is_ascii_hexdigit() || trimmed[0] == b'M';
        if may_be_number && let Ok(value) = number::parse(trimmed, Radix::Guess) {
            let key = plain_key(value, at);
            return batch.take(Ok(key), at, self.min_bits);
        }
        let Ok(text) = str::from_utf8(line) else {
            return batch.skip(at, not_text());
        };
        if let Some(found) = ssh::line(text) {
            return batch.take(ssh::key(&found, at, self.names), at, self.min_bits);
        }
        self.numbers(line, at, Radix::Guess, around, batch);
    }

    /// Takes the numbers of a line, between blanks or commas, up to a '#'.
    fn numbers(&self, line: &[u8], at: u64, radix: Radix, around: Around, batch: &mut Batch) {
        let Ok(text) = str::from_utf8(line) else {
            return batch.skip(at, not_text());
        };
        let content = text.split('#').next().unwrap_or_default();
        let words = content.split(|c: char| c.is_whitespace() || c == ',');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let is_row = words.len() > 1 && content.contains(',') && radix == Radix::Guess;
        let value_of = |word: &&str| match number::parse(word.as_bytes(), radix) {
            Ok(_) if is_row && is_label(word) => Err(Fault::new(Kind::NotNumber, LABEL)),
            parsed => parsed,
        };
        let values: Vec<_> = words.iter().map(value_of).collect();
        // What OpenSSL and others write around the blocks of a file.
        let is_remark = !content
            .trim_start()
            .starts_with(|c: char| c.is_ascii_digit() || c == '-')
            || content.contains(':');
        let is_wrong = |fault: &Fault| fault.kind != Kind::TooSmall;
        let has_wrong = values.iter().any(|v| v.as_ref().is_err_and(is_wrong));
        // One long word is a damaged number rather than a remark.
        let is_number = words.len() == 1
            && words[0].len() >= SHORTEST_DAMAGED
            && words[0].bytes().all(|c| c.is_ascii_alphanumeric());
        if around.has_blocks && is_remark && has_wrong && !is_number {
            if dns::is_key_record(line) {
                let words = "DNS records are not read among PEM blocks: give them in another file";
                batch.skip(at, Fault::new(Kind::Unread, words));
            }
            return;
        }
        let is_alone = words.len() == 1;
        // The bytes of the line before a word, and the characters in them.
        let (mut counted, mut characters) = (0, 0);
        for (word, value) in words.into_iter().zip(values) {
            // Words are slices of the line.
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            characters += text[counted..start].chars().count() as u32;
            counted = start;
            let column = (!is_alone).then_some(characters + 1);
            let key = value.map(|value| Key {
                column,
                ..plain_key(value, at)
            });
            let key = key.map_err(|fault| {
                if is_alone {
                    return fault;
                }
                let words = format!("'{}': {}", excerpt(word), fault.words);
                Fault::new(fault.kind, words)
            });
            batch.take(key, at, self.min_bits);
        }
    }
}

/// Whether a word that is a hexadecimal number may as well be the label of a table's row, such as
/// `b`: it has a letter, no prefix, and few digits.
fn is_label(word: &str) -> bool {
    let has_letter = word.bytes().any(|c| c.is_ascii_alphabetic());
    let has_prefix = word.contains(['x', 'X', '=']);
    has_letter && !has_prefix && word.len() < SHORTEST_HEX
}

/// A key without a name.
pub(crate) fn plain_key(value: crate::Value, line: u64) -> Key {
    Key {
        value,
        line,
        column: None,
        name: None,
        exponent: Exponent::Unknown,
    }
}

/// Text that is not echoed whole where it is long.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The key of the block of this name, of which the lines after the first are next. Lines up to the
/// block's end are taken. Of a block that is cut, the lines of its body are taken.
pub(crate) fn pem(name: &str, lines: &mut Numbered<'_>, at: u64, names: bool) -> Parsed<Key> {
    let body = body(name, lines)?;
    let has_headers = body.contains(&b':');
    let (headers, body) = if has_headers {
        split_headers(body)
    } else {
        (&body[..0], body)
    };
    if name == "ENCRYPTED PRIVATE KEY" || memchr::memmem::find(headers, b"ENCRYPTED").is_some() {
        let words = "the private key is encrypted: give its public part";
        return Err(Fault::new(Kind::Encrypted, words));
    }
    if matches!(name, "PKCS7" | "PKCS #7 SIGNED DATA" | "CMS") {
        return Err(der::pkcs7());
    }
    if !may_hold_rsa(name) {
        return Err(der::not_rsa());
    }
    let key = base64::decode(body, &STANDARD).and_then(|bytes| {
        let key = if name == "OPENSSH PRIVATE KEY" {
            ssh::private(&bytes)?
        } else {
            der::named(name, &bytes)?
        };
        Ok(Key {
            name: if names { key.name() } else { None },
            exponent: key.exponent,
            ..plain_key(number::from_be_bytes(key.modulus), at)
        })
    });
    key.map_err(|fault| fault.in_source(name))
}

/// The lines between the marks of a block. If the next mark is not the block's end, the block is
/// cut, and `lines` goes on after its body.
fn body<'a>(name: &str, lines: &mut Numbered<'a>) -> Parsed<&'a [u8]> {
    let start = lines.clone();
    let mut before = lines.rest;
    while let Some(line) = lines.next().map(<[u8]>::trim_ascii) {
        if line.starts_with(b"-----") {
            let end = line.strip_prefix(b"-----END ");
            if end.and_then(|end| end.strip_suffix(b"-----")) == Some(name.as_bytes()) {
                // `before` is the end of `start.rest`.
                return Ok(&start.rest[..start.rest.len() - before.len()]);
            }
            break;
        }
        before = lines.rest;
    }
    *lines = after_cut(start);
    let words = format!("{} has no end", excerpt(name));
    Err(Fault::new(Kind::Cut, words))
}

/// The lines after headers and body of a block that is cut. The lines of a body are equally long,
/// except that the last one may be shorter.
fn after_cut(mut lines: Numbered<'_>) -> Numbered<'_> {
    let (mut width, mut has_headers) = (None, false);
    loop {
        let before = lines.clone();
        let Some(line) = lines.next().map(<[u8]>::trim_ascii) else {
            return before;
        };
        if width.is_none() && is_header(line) {
            has_headers = true;
            continue;
        }
        if line.is_empty() && std::mem::take(&mut has_headers) {
            continue;
        }
        if !is_body(line) || width.is_some_and(|width| line.len() > width) {
            return before;
        }
        if !WIDTHS.contains(&line.len()) || width.is_some_and(|width| line.len() < width) {
            return lines;
        }
        width = Some(line.len());
    }
}

/// Whether a line is a header of RFC 1421, such as `Proc-Type: 4,ENCRYPTED`.
fn is_header(line: &[u8]) -> bool {
    let name = memchr(b':', line).map(|end| &line[..end]);
    name.is_some_and(|name| name.iter().all(|c| c.is_ascii_alphabetic() || *c == b'-'))
}

/// Whether a line may stand in the body of a block: it is base64. Decimal and long hexadecimal
/// numbers are base64 too, but base64 of a key does not look like them.
fn is_body(line: &[u8]) -> bool {
    let radix = if line.len() < SHORTEST_HEX {
        Radix::Decimal
    } else {
        Radix::Guess
    };
    let is_base64 = |c: &u8| c.is_ascii_alphanumeric() || b"+/=".contains(c);
    !line.is_empty() && line.iter().all(is_base64) && number::parse(line, radix).is_err()
}

fn may_hold_rsa(name: &str) -> bool {
    matches!(
        name,
        "CERTIFICATE"
            | "X509 CERTIFICATE"
            | "TRUSTED CERTIFICATE"
            | "CERTIFICATE REQUEST"
            | "NEW CERTIFICATE REQUEST"
            | "PUBLIC KEY"
            | "RSA PUBLIC KEY"
            | "PRIVATE KEY"
            | "RSA PRIVATE KEY"
            | "OPENSSH PRIVATE KEY"
    )
}

/// Headers of RFC 1421 end with an empty line.
fn split_headers(body: &[u8]) -> (&[u8], &[u8]) {
    let mut lines = Numbered::new(body);
    while let Some(line) = lines.next() {
        if line.trim_ascii().is_empty() {
            return body.split_at(body.len() - lines.rest.len());
        }
    }
    (body, &[])
}
