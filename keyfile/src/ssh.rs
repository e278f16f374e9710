//! OpenSSH's keys: a line of a public key, of `authorized_keys` or of `known_hosts` (RFC 4253,
//! sshd(8)), and the public part of an OpenSSH private key, which is never encrypted.

use crate::base64::{self, STANDARD};
use crate::batch::{Exponent, Fault, Key, Kind, Parsed};
use crate::der::{Rsa, not_rsa, positive};
use crate::number;

/// Begins a private key, before the names of cipher and key derivation.
const MAGIC: &[u8] = b"openssh-key-v1\0";

/// The key in a line.
pub(crate) struct Line<'a> {
    kind: &'a str,
    blob: &'a str,
    /// Hosts or options before the kind.
    before: &'a str,
    /// The comment after the blob.
    after: &'a str,
}

fn cut() -> Fault {
    Fault::new(Kind::Cut, "it ends early")
}

fn is_kind(word: &str) -> bool {
    let starts = ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-sha2-"];
    starts.iter().any(|start| word.starts_with(start))
}

/// Where the word at the start of a line ends. Blanks in double quotes, as in the options of
/// `authorized_keys`, belong to the word.
fn word_end(text: &str) -> usize {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b' ' | b'\t' if !is_quoted => return at,
            _ => {}
        }
    }
    text.len()
}

/// The key of a line: its kind is the first word, or stands after options, hosts or a marker.
pub(crate) fn line(text: &str) -> Option<Line<'_>> {
    let text = text.trim();
    // Searching is quick, and most lines of a file of numbers hold no kind.
    if !text.contains("ssh-") && !text.contains("ecdsa-sha2-") {
        return None;
    }
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(word_end(rest));
        let is_first = rest.len() == text.len();
        rest = after.trim_start();
        let (blob, comment) = rest.split_at(word_end(rest));
        // The base64 of a key begins with the length of its kind, which is below 256.
        if is_kind(word) && (is_first || blob.starts_with("AAAA")) {
            // `word` is a slice of `text`.
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            return Some(Line {
                kind: word,
                blob,
                before: text[..start].trim(),
                after: comment.trim(),
            });
        }
    }
    None
}

/// The modulus of a line.
pub(crate) fn key(found: &Line<'_>, line: u64, with_name: bool) -> Parsed<Key> {
    let blob = base64::decode(found.blob.as_bytes(), &STANDARD)?;
    let rsa = modulus(&blob, Some(found.kind))?;
    let name = [found.after, found.before]
        .into_iter()
        .find(|name| !name.is_empty());
    Ok(Key {
        value: number::from_be_bytes(rsa.modulus),
        line,
        exponent: rsa.exponent,
        column: None,
        name: name.filter(|_| with_name).map(Box::from),
    })
}

/// The modulus and the exponent of a blob. RSA keys are those of RFC 4253, and OpenSSH's
/// certificates for them, which have a nonce before the exponent.
pub(crate) fn modulus<'a>(blob: &'a [u8], kind: Option<&str>) -> Parsed<Rsa<'a>> {
    let mut rest = blob;
    let name = field(&mut rest)?;
    if kind.is_some_and(|kind| kind.as_bytes() != name) {
        let words = "the key is not of the kind that its line says";
        return Err(Fault::new(Kind::Malformed, words));
    }
    match name {
        b"ssh-rsa" => {}
        b"ssh-rsa-cert-v01@openssh.com" => {
            field(&mut rest)?;
        }
        _ => return Err(not_rsa()),
    }
    let exponent = Exponent::of_signed(field(&mut rest)?);
    positive(field(&mut rest)?, exponent)
}

/// The modulus and the exponent of the block OPENSSH PRIVATE KEY.
pub(crate) fn private(bytes: &[u8]) -> Parsed<Rsa<'_>> {
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else {
        let is_cut = MAGIC.starts_with(bytes);
        let kind = if is_cut { Kind::Cut } else { Kind::Malformed };
        return Err(Fault::new(kind, "it does not begin as OpenSSH's keys do"));
    };
    // Cipher, key derivation and its options.
    for _ in 0..3 {
        field(&mut rest)?;
    }
    let (_, mut rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
    modulus(field(&mut rest)?, None)
}

/// The next field: its length in four bytes, and its bytes.
fn field<'a>(rest: &mut &'a [u8]) -> Parsed<&'a [u8]> {
    let (length, after) = rest.split_first_chunk().ok_or_else(cut)?;
    let length = u32::from_be_bytes(*length) as usize;
    let (field, after) = after.split_at_checked(length).ok_or_else(cut)?;
    *rest = after;
    Ok(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    const BLOB: &str = "AAAAB3NzaC1yc2EAAAABAwAAAAMAwQ0=";

    fn read(text: &str) -> Parsed<Key> {
        key(&line(text).unwrap(), 1, true)
    }

    #[test]
    fn keys_stand_after_options_hosts_and_markers() {
        for (text, name) in [
            (format!("ssh-rsa {BLOB}"), None),
            (format!("ssh-rsa {BLOB} me@here"), Some("me@here")),
            (format!("|1|aa=|bb= ssh-rsa {BLOB}"), Some("|1|aa=|bb=")),
            (
                format!("@revoked h,[i]:22 ssh-rsa {BLOB}\r"),
                Some("@revoked h,[i]:22"),
            ),
            (
                format!(r#"command="echo \" ssh-rsa AAAA x",pty ssh-rsa {BLOB} me"#),
                Some("me"),
            ),
        ] {
            let key = read(&text).unwrap();
            assert_eq!(key.value, Value::Limbs(vec![0xc10d]), "{text}");
            assert_eq!(key.name.as_deref(), name);
        }
        assert!(line("15 # ssh-keys").is_none());
        assert_eq!(read("ssh-rsa").unwrap_err().kind, Kind::Cut);
        let other = read("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAAQk=");
        assert_eq!(other.unwrap_err().kind, Kind::NotRsa);
        let wrong = read(&format!("ssh-dss {BLOB}"));
        assert_eq!(wrong.unwrap_err().kind, Kind::Malformed);
    }

    #[test]
    fn every_cut_of_a_blob_is_told() {
        let blob = base64::decode(BLOB.as_bytes(), &STANDARD).unwrap();
        for end in 0..blob.len() {
            assert_eq!(modulus(&blob[..end], None).unwrap_err().kind, Kind::Cut);
        }
        let head = [MAGIC, &[0; 12], &[0, 0, 0, 1]].concat();
        let whole = [&head[..], &(blob.len() as u32).to_be_bytes(), &blob].concat();
        assert_eq!(private(&whole).unwrap().modulus, [0, 0xc1, 0x0d]);
        assert_eq!(private(&whole).unwrap().exponent, Exponent::Small);
        for end in 0..whole.len() {
            assert_eq!(private(&whole[..end]).unwrap_err().kind, Kind::Cut);
        }
    }
}
