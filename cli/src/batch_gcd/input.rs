//! Moduli from text and keys: numbers a line, PEM blocks, OpenSSH's lines, or a file that is one key in DER.

use bezout::Int;

use super::der::{self, Key, Reason};

/// A modulus and where it stands.
#[derive(Debug)]
pub struct Entry {
    pub line: usize,
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
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let has_blocks = lines.iter().any(|line| begin(line).is_some());
    let mut at = 0;
    while at < lines.len() {
        let first = at + 1;
        at += 1;
        let Ok(text) = str::from_utf8(lines[first - 1]) else {
            input.refuse(first, "it is not text");
            continue;
        };
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Some(name) = begin(text.as_bytes()) {
            let rest = &lines[at..];
            match rest
                .iter()
                .position(|line| line.trim_ascii().starts_with(b"-----"))
            {
                Some(end) if is_end(rest[end], name) => {
                    input.block(first, name, &rest[..end]);
                    at += end + 1;
                }
                end => {
                    input.refuse(first, &format!("{name} has no end"));
                    at += end.unwrap_or(rest.len());
                }
            }
            continue;
        }
        if let Some(blob) = text.strip_prefix("ssh-rsa ") {
            let blob = blob.split_whitespace().next().unwrap_or_default();
            match der::base64(blob) {
                Ok(blob) => input.take(first, der::openssh(&blob)),
                Err(reason) => input.refuse(first, reason),
            }
            continue;
        }
        match number(text) {
            Ok(modulus) => input.add(first, modulus),
            // What OpenSSL and others write around the blocks of a file.
            Err(_) if has_blocks && !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            }
            Err(reason) => input.refuse(first, &reason),
        }
    }
    input
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

/// A decimal number, a hexadecimal one after 0x or with a letter among its digits, or what `openssl rsa -modulus` prints.
fn number(text: &str) -> Result<Int, String> {
    let (digits, hex) = match text.strip_prefix("Modulus=") {
        Some(digits) => (digits, true),
        None => {
            let only_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let decimal = text.bytes().all(|byte| byte.is_ascii_digit());
            (text, only_hex && !decimal)
        }
    };
    let number = match hex {
        true => Int::from_str_radix(digits, 16),
        false => digits.parse(),
    };
    number.map_err(|error| error.to_string())
}

impl Input {
    fn refuse(&mut self, line: usize, reason: &str) {
        self.problems.push((line, reason.into()));
    }

    fn block(&mut self, line: usize, name: &str, lines: &[&[u8]]) {
        let text = String::from_utf8_lossy(&lines.join(&b'\n')).into_owned();
        // Headers of RFC 1421 end with an empty line.
        let body = match text.contains(':') {
            true => text.split_once("\n\n").map_or("", |(_, body)| body),
            false => &text,
        };
        let bytes = der::base64(body);
        let key = match &bytes {
            Ok(bytes) => der::named(name, bytes),
            Err(reason) => der::named(name, &[]).map(|_| Err(*reason)),
        };
        match key {
            Some(key) => {
                let key = key.map_err(|reason| format!("{name} does not parse: {reason}"));
                self.take(line, key);
            }
            None if name.ends_with("PRIVATE KEY") => {
                self.refuse(line, "a private key is not read: give its public part");
            }
            None => self.others.push(line),
        }
    }

    fn take(&mut self, line: usize, key: Result<Key<'_>, impl Into<String>>) {
        match key {
            Ok(Key::Rsa(bytes)) => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                match Int::from_str_radix(&hex, 16) {
                    Ok(modulus) => self.add(line, modulus),
                    Err(error) => self.refuse(line, &error.to_string()),
                }
            }
            Ok(Key::Other) => self.others.push(line),
            Err(reason) => self.refuse(line, &reason.into()),
        }
    }

    /// Only odd numbers above 1 can be products of two odd primes.
    fn add(&mut self, line: usize, modulus: Int) {
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
            None => self.entries.push(Entry { line, modulus }),
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
            (2..=10).collect::<Vec<_>>()
        );
        assert!(problems("").is_empty());
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
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_reader(bytes: Vec<u8>) {
            read(&bytes);
        }

        #[test]
        fn no_lines_break_it(lines in prop::collection::vec("(-----(BEGIN|END) (CERTIFICATE|PUBLIC KEY)-----|[A-Za-z0-9+/=]{0,40}|ssh-rsa [A-Za-z0-9]{0,20}|\\PC{0,20})", 0..12)) {
            let text = lines.join("\n");
            let input = read(text.as_bytes());
            for line in input.entries.iter().map(|entry| entry.line).chain(input.others) {
                prop_assert!((1..=text.lines().count().max(1)).contains(&line));
            }
        }
    }
}
