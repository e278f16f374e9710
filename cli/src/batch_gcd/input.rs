//! Moduli from text and keys: lines of numbers, PEM blocks, OpenSSH's lines, or a file that is one
//! key in DER.

use std::borrow::Cow;

use bezout::Int;

use super::der::{self, Key, Reason};

/// Characters of the name of a PEM block or of a word that a message shows.
const SHOWN: usize = 40;

/// A modulus and where it stands.
#[derive(Debug)]
pub struct Entry {
    pub line: usize,
    /// Characters from the start of the line, counted from 1, where the line has several numbers.
    pub column: Option<usize>,
    pub modulus: Int,
}

/// What a file holds; lines are counted from 1.
#[derive(Debug, Default)]
pub struct Input {
    pub entries: Vec<Entry>,
    /// What could not be read, and why.
    pub problems: Vec<(usize, String)>,
    /// Lines with keys of other kinds than RSA.
    pub others: Vec<usize>,
}

/// Reads the bytes of a file.
pub fn read(bytes: &[u8]) -> Input {
    let mut input = Input::default();
    if bytes.first() == Some(&0x30) && !bytes.is_ascii() {
        input.take(1, der::unnamed(bytes));
        return input;
    }
    let bytes = without_byte_order_mark(bytes);
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let has_blocks = lines.iter().any(|line| begin(line).is_some());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let Ok(text) = str::from_utf8(line) else {
            input.refuse(at, "it is not text");
            continue;
        };
        if text.trim_start().starts_with('#') {
            continue;
        }
        if let Some(name) = begin(line) {
            at += input.block(at, name, &lines[at..]);
        } else if let Some((kind, blob)) = openssh(text) {
            match der::base64(blob) {
                Ok(blob) => input.take(at, der::openssh(kind, &blob)),
                Err(reason) => input.refuse(at, reason),
            }
        } else {
            input.numbers(at, text, has_blocks);
        }
    }
    input
}

/// Text in UTF-8 without a byte-order mark. Text in UTF-16 must have one, and becomes UTF-8.
fn without_byte_order_mark(bytes: &[u8]) -> Cow<'_, [u8]> {
    let from_utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.as_chunks().0.iter().map(|bytes| unit(*bytes));
        let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        Cow::Owned(text.collect::<String>().into_bytes())
    };
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(rest),
        [0xff, 0xfe, rest @ ..] => from_utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => from_utf16(rest, u16::from_be_bytes),
        _ => Cow::Borrowed(bytes),
    }
}

/// The name of the block that begins with a line.
fn begin(line: &[u8]) -> Option<&str> {
    let line = str::from_utf8(line).ok()?.trim();
    line.strip_prefix("-----BEGIN ")?.strip_suffix("-----")
}

fn is_end(line: &[u8], name: &str) -> bool {
    let end = str::from_utf8(line).ok().map(str::trim);
    let end = end.and_then(|line| line.strip_prefix("-----END ")?.strip_suffix("-----"));
    end == Some(name)
}

/// The kind and the base64 of the key in a line of OpenSSH: of a public key, where the kind is the
/// first word, or of authorized_keys or known_hosts, where options or hosts come before it.
pub fn openssh(line: &str) -> Option<(&str, &str)> {
    let is_kind = |word: &str| {
        let starts = ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-sha2-"];
        starts.iter().any(|start| word.starts_with(start))
    };
    let (mut words, mut is_first) = (line.split_whitespace().peekable(), true);
    while let Some(word) = words.next() {
        let next = words.peek().copied().unwrap_or_default();
        // The base64 of a key begins with the length of its kind, which is below 256.
        if is_kind(word) && (is_first || next.starts_with("AAAA")) {
            return Some((word, next));
        }
        is_first = false;
    }
    None
}

/// A decimal number, a hexadecimal one after 0x or with a letter among its digits, or what
/// `openssl rsa -modulus` prints.
fn number(text: &str) -> Result<Int, String> {
    let (digits, hex) = match text.strip_prefix("Modulus=") {
        Some(digits) => (digits, true),
        None => {
            let only_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let decimal = text.bytes().all(|byte| byte.is_ascii_digit());
            (text, only_hex && !decimal)
        }
    };
    let number = if hex {
        Int::from_str_radix(digits, 16)
    } else {
        digits.parse()
    };
    number.map_err(|error| error.to_string())
}

/// Text that is not echoed whole where it is long.
fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

impl Input {
    fn refuse(&mut self, line: usize, reason: &str) {
        self.problems.push((line, reason.into()));
    }

    /// Takes the numbers of a line, between blanks or commas, up to a '#'.
    fn numbers(&mut self, line: usize, text: &str, has_blocks: bool) {
        let content = text.split('#').next().unwrap_or_default();
        let words = content.split(|c: char| c.is_whitespace() || c == ',');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let numbers: Vec<_> = words.iter().map(|word| number(word)).collect();
        // What OpenSSL and others write around the blocks of a file.
        let is_remark = !content
            .trim_start()
            .starts_with(|c: char| c.is_ascii_digit() || c == '-')
            || content.contains(':');
        if has_blocks && is_remark && numbers.iter().any(Result::is_err) {
            return;
        }
        let is_alone = words.len() == 1;
        for (word, number) in words.into_iter().zip(numbers) {
            // Words are slices of the line.
            let before = &text[..word.as_ptr().addr() - text.as_ptr().addr()];
            let column = (!is_alone).then(|| before.chars().count() + 1);
            match number {
                Ok(modulus) => self.add(line, column, modulus),
                Err(reason) if is_alone => self.refuse(line, &reason),
                Err(reason) => self.refuse(line, &format!("'{}': {reason}", excerpt(word))),
            }
        }
    }

    /// Takes the block of this name, of which the lines after the first are given. Returns how many
    /// of them belong to it.
    fn block(&mut self, line: usize, name: &str, lines: &[&[u8]]) -> usize {
        let is_mark = |line: &&[u8]| line.trim_ascii().starts_with(b"-----");
        let end = lines.iter().position(is_mark);
        let Some(end) = end.filter(|end| is_end(lines[*end], name)) else {
            self.refuse(line, &format!("{} has no end", excerpt(name)));
            return end.unwrap_or(lines.len());
        };
        let has_headers = lines[..end].iter().any(|line| line.contains(&b':'));
        let lines = lines[..end].iter().map(|line| line.trim_ascii());
        let body: Vec<&[u8]> = if has_headers {
            // Headers of RFC 1421 end with an empty line.
            lines.skip_while(|line| !line.is_empty()).collect()
        } else {
            lines.collect()
        };
        let bytes = der::base64(&String::from_utf8_lossy(&body.concat()));
        let key = match &bytes {
            Ok(bytes) => der::named(name, bytes),
            Err(reason) => der::named(name, &[]).map(|_| Err(*reason)),
        };
        match (key, name) {
            (Some(key), _) => {
                let key = key.map_err(|reason| format!("{name} does not parse: {reason}"));
                self.take(line, key);
            }
            (None, "EC PRIVATE KEY" | "DSA PRIVATE KEY") => self.others.push(line),
            (None, _) if name.ends_with("PRIVATE KEY") => {
                self.refuse(line, "a private key is not read: give its public part");
            }
            (None, _) => self.others.push(line),
        }
        end + 1
    }

    fn take(&mut self, line: usize, key: Result<Key<'_>, impl Into<String>>) {
        match key {
            Ok(Key::Rsa(bytes)) => self.add(line, None, Int::from_be_bytes(bytes)),
            Ok(Key::Other) => self.others.push(line),
            Err(reason) => self.refuse(line, &reason.into()),
        }
    }

    /// Only odd numbers above 1 can be products of two odd primes.
    fn add(&mut self, line: usize, column: Option<usize>, modulus: Int) {
        let reason: Option<Reason> = if modulus.is_negative() {
            Some("a modulus is not negative")
        } else if modulus <= 1 {
            Some("0 and 1 are no moduli")
        } else if !modulus.bit(0) {
            Some("the modulus is even")
        } else {
            None
        };
        match reason {
            Some(reason) => self.refuse(line, reason),
            None => self.entries.push(Entry {
                line,
                column,
                modulus,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moduli(text: &str) -> Vec<(usize, String)> {
        let entries = read(text.as_bytes()).entries.into_iter();
        entries
            .map(|entry| (entry.line, entry.modulus.to_string()))
            .collect()
    }

    fn problems(text: &str) -> Vec<usize> {
        let problems = read(text.as_bytes()).problems.into_iter();
        problems.map(|(line, _)| line).collect()
    }

    #[test]
    fn numbers_are_read() {
        let text = "# keys\n15\r\n\n 0x21\nff\nFF01\n1_001\nModulus=11\n";
        let expected = [
            (2, "15"),
            (4, "33"),
            (5, "255"),
            (6, "65281"),
            (7, "1001"),
            (8, "17"),
        ];
        assert_eq!(
            moduli(text),
            expected.map(|(line, n)| (line, n.to_string()))
        );
        assert!(problems(text).is_empty());
        assert_eq!(
            problems("15\nx\n0\n1\n-15\n16\n0x\n1 2\nfg\nModulus="),
            [2, 3, 4, 5, 6, 7, 8, 8, 9, 10]
        );
        assert!(problems("").is_empty());
    }

    #[test]
    fn lines_hold_several_numbers_and_comments() {
        let text = "15 21,33 # 35\r\n\t0x23,\r\n#55\r\nModulus=37, 39 x";
        let input = read(text.as_bytes());
        let places = input.entries.iter();
        let places: Vec<_> = places.map(|e| (e.line, e.column)).collect();
        let columns = |line, columns: [usize; 2]| columns.map(|c| (line, Some(c)));
        let first = [(1, Some(1)), (1, Some(4)), (1, Some(7)), (2, None)];
        assert_eq!(places, [&first[..], &columns(4, [1, 13])].concat());
        let moduli: Vec<_> = input.entries.iter().map(|e| e.modulus.clone()).collect();
        assert_eq!(moduli, [15, 21, 33, 35, 55, 39].map(Int::from));
        assert_eq!(input.problems.len(), 1);
        assert!(
            input.problems[0].1.starts_with("'x': "),
            "{:?}",
            input.problems
        );
    }

    #[test]
    fn byte_order_marks_do_not_count() {
        let text = "15\r\n21\r\n";
        let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
            units.flat_map(unit).collect()
        };
        for bytes in [
            format!("\u{feff}{text}").into_bytes(),
            utf16(u16::to_le_bytes),
            utf16(u16::to_be_bytes),
        ] {
            let input = read(&bytes);
            let moduli: Vec<_> = input.entries.iter().map(|e| e.modulus.clone()).collect();
            assert_eq!(moduli, [15, 21].map(Int::from));
            assert!(input.problems.is_empty(), "{:?}", input.problems);
        }
    }

    #[test]
    fn keys_of_other_kinds_are_left_out() {
        let kinds = read(include_bytes!("../../tests/command_line/keys/kinds.pub"));
        assert!(kinds.problems.is_empty(), "{:?}", kinds.problems);
        // RSA keys: after a host, after options, and in a certificate.
        let lines: Vec<_> = kinds.entries.iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [8, 9, 10]);
        assert_eq!(kinds.others, [2, 3, 4, 5, 6, 7]);
        assert!(
            kinds
                .entries
                .iter()
                .all(|e| e.modulus == kinds.entries[0].modulus)
        );
        let blocks = read(include_bytes!("../../tests/command_line/keys/kinds.pem"));
        assert!(blocks.problems.is_empty(), "{:?}", blocks.problems);
        assert!(blocks.entries.is_empty());
        assert_eq!(blocks.others.len(), 5);
        // A key is of the kind that its line says.
        assert_eq!(problems("ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAAQE= me"), [1]);
        assert_eq!(problems("ssh-ed25519 AAAAC3NzaC1lZDI1NTE! me"), [1]);
        assert_eq!(problems("ssh-ed25519"), [1]);
    }

    #[test]
    fn windows_line_ends_and_headers_in_blocks() {
        let pem = include_str!("../../tests/command_line/keys/several.pem");
        let (begin, rest) = pem.split_once('\n').unwrap();
        let with_header = format!("{begin}\nComment: x\n\n{rest}");
        for text in [pem.replace('\n', "\r\n"), with_header.replace('\n', "\r\n")] {
            let input = read(text.as_bytes());
            assert_eq!((input.entries.len(), input.problems.len()), (4, 0));
        }
    }

    #[test]
    fn long_names_are_cut() {
        let name = "é".repeat(1 << 20);
        let input = read(format!("-----BEGIN {name}-----\n15 {name}").as_bytes());
        assert_eq!(input.problems.len(), 1);
        let word = read(format!("15 {name}").as_bytes());
        for (_, reason) in input.problems.iter().chain(&word.problems) {
            assert!(reason.len() < 300, "{}", reason.len());
        }
    }

    #[test]
    fn blocks_that_do_not_parse_leave_the_rest() {
        let block = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n";
        assert_eq!(problems(block), [1]);
        let text =
            format!("15\n{block}21\nissuer=/CN=x\n-----BEGIN CERTIFICATE-----\nAA\n{block}33\n");
        assert_eq!(problems(&text), [2, 7, 9]);
        assert_eq!(moduli(&text).len(), 3);
        assert_eq!(problems("-----BEGIN CERTIFICATE-----\nAAAA"), [1]);
        assert_eq!(
            problems("-----BEGIN PUBLIC KEY-----\n!!\n-----END PUBLIC KEY-----"),
            [1]
        );
        assert_eq!(
            problems("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----"),
            [1]
        );
        let other = read(b"-----BEGIN DH PARAMETERS-----\nAA==\n-----END DH PARAMETERS-----");
        assert_eq!((other.others, other.problems.len()), (vec![1], 0));
        assert_eq!(problems("ssh-rsa AAAAB3NzaC1yc2E= me"), [1]);
        // A dump of bytes between blocks is no number.
        let dump = format!("{block}    00:c1:0d:\n    Serial 1:\n");
        assert_eq!(problems(&dump), [1]);
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_reader(bytes: Vec<u8>) {
            read(&bytes);
        }

        #[test]
        fn no_lines_break_it(lines in prop::collection::vec(
            "(-----(BEGIN|END) (CERTIFICATE|PUBLIC KEY)-----|[A-Za-z0-9+/=]{0,40}\
             |ssh-rsa [A-Za-z0-9]{0,20}|\\PC{0,20})",
            0..12,
        )) {
            let text = lines.join("\n");
            let input = read(text.as_bytes());
            for line in input.entries.iter().map(|entry| entry.line).chain(input.others) {
                prop_assert!((1..=text.lines().count().max(1)).contains(&line));
            }
        }
    }
}
