//! Files of a checkpoint that hold text: a line, and below it the SHA-256 of the line and of its
//! place in the set. A file that was cut, changed or exchanged with another is known as such.

use sha2::{Digest, Sha256};

/// The content of a file with this text of one line. The place tells it from all other files that
/// could be taken for it.
pub fn seal(place: &str, body: &str) -> String {
    format!("{body}\n{}\n", digest(place, body))
}

/// The text of a file at this place; none where it is not whole, or belongs elsewhere.
pub fn open<'a>(place: &str, content: &'a [u8]) -> Option<&'a str> {
    let (body, end) = str::from_utf8(content).ok()?.split_once('\n')?;
    (end.strip_suffix('\n')? == digest(place, body)).then_some(body)
}

/// Hexadecimal digits that two bodies, or one at two places, do not share.
pub fn digest(place: &str, body: &str) -> String {
    let mut hash = Sha256::new();
    // The length keeps the border between the two.
    hash.update(format!("{} {place}", place.len()));
    hash.update(body);
    hexadecimal(&hash.finalize())
}

/// The hexadecimal digits of bytes.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_damage_is_seen() {
        let whole = seal("place", "a line of text").into_bytes();
        assert_eq!(open("place", &whole), Some("a line of text"));
        assert_eq!(open("plac", &whole), None);
        for end in 0..whole.len() {
            assert_eq!(open("place", &whole[..end]), None, "cut at {end}");
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                assert_eq!(open("place", &damaged), None, "bit {bit} of byte {at}");
            }
        }
        assert_ne!(digest("a", "bc"), digest("ab", "c"));
    }

    proptest! {
        #[test]
        fn anything_else_is_refused(text in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(open("place", &text), None);
        }
    }
}
