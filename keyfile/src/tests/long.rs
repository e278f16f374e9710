//! Files of many blocks, and long records and names.

use std::time::{Duration, Instant};

use super::{FILES, all, named, with};
use crate::{Format, Kind, Options};

/// Files of many blocks, of every format, have the keys and the lines of their parts.
#[test]
fn long_files_are_read_in_blocks() {
    for (bytes, column) in FILES {
        let has_header = column == "the key";
        let whole = if has_header {
            &bytes[bytes.iter().position(|c| *c == b'\n').unwrap() + 1..]
        } else {
            bytes
        };
        let mut once = with(bytes, &named(column)).0;
        let copies = (5 << 20) / whole.len();
        let mut text = bytes.to_vec();
        (1..copies).for_each(|_| text.extend_from_slice(whole));
        if bytes.starts_with(b"{") && column.is_empty() {
            // A set that is one line would be one record a copy.
            text = [b"[", &vec![bytes; copies].join(&b",\n"[..])[..], b"]"].concat();
        }
        let (many, format) = with(&text, &named(column));
        assert_eq!(many.keys.len(), copies * once.keys.len(), "{format}");
        assert_eq!(many.skipped.len(), copies * once.skipped.len(), "{format}");
        let lines = match format {
            Format::Der => 5,
            Format::Jwk => 1 + whole.iter().filter(|c| **c == b'\n').count() as u64,
            _ => whole.iter().filter(|c| **c == b'\n').count() as u64,
        };
        let per_copy = once.keys.len().max(1);
        for (i, key) in many.keys.iter().enumerate() {
            let first = &mut once.keys[i % per_copy];
            assert_eq!(
                key.line,
                first.line + lines * (i / per_copy) as u64,
                "{format}"
            );
            assert_eq!(key.value, first.value);
        }
    }
}

#[test]
fn records_that_are_too_long_are_skipped() {
    let mut text = b"15\n".to_vec();
    text.resize(crate::LONGEST_RECORD + (3 << 20), b'7');
    text.extend_from_slice(b"\n21\n");
    let found = all(&text);
    assert_eq!(found.lines(), [1, 3]);
    assert_eq!(found.skipped[0].kind, Kind::Long);
    assert_eq!(found.skipped[0].line, 2);
}

/// The time for the numbers of one line grows as their count does.
#[test]
fn long_lines_of_numbers_take_linear_time() {
    let time = |count: usize| {
        let text = "15 ".repeat(count);
        let start = Instant::now();
        let found = all(text.as_bytes());
        let last = found.keys.last().and_then(|key| key.column);
        assert_eq!(last, Some(3 * count as u32 - 2));
        start.elapsed()
    };
    let (short, long) = (time(40_000), time(160_000));
    // Quadratic work would take 16 times as long.
    assert!(
        long < 9 * short + Duration::from_millis(200),
        "{short:?} {long:?}"
    );
}

#[test]
fn long_names_are_cut() {
    let name = "é".repeat(1 << 20);
    let block = all(format!("-----BEGIN {name}-----\n15 {name}").as_bytes());
    let word = all(format!("15 {name}").as_bytes());
    // The line after the mark is read, as the block is cut.
    assert_eq!((block.skipped.len(), word.skipped.len()), (2, 1));
    for skipped in block.skipped.iter().chain(&word.skipped) {
        assert!(skipped.reason.len() < 300, "{}", skipped.reason.len());
    }
}

/// The format is recognised by a line far behind the first block.
#[test]
fn a_long_head_hides_no_format() {
    let mut zone = "; nothing yet\n".repeat(60_000);
    zone.push_str("example. 3600 IN DNSKEY 256 3 8 AwEAAcEN\n");
    assert_eq!(with(zone.as_bytes(), &Options::default()).1, Format::Dns);
}
