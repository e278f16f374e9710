//! Files that are cut, damaged or in the wrong format.

use std::io::Write;

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;

use super::{All, FILES, all, attempt, named, with};
use crate::{Format, Key, Options, Value};

/// Cut at every byte: no key that is not in the whole file, and no fault.
#[test]
fn every_cut_of_every_file_is_read() {
    for (bytes, column) in FILES {
        let whole = with(bytes, &named(column)).0;
        for end in 0..bytes.len() {
            let Ok((part, format)) = attempt(&bytes[..end], &named(column)) else {
                // The header of a table is cut.
                assert_eq!(column, "the key");
                continue;
            };
            // Numbers, among them those of DNSKEY, do not say how long they are.
            let is_number = end < 260 || !column.is_empty() || format == Format::Dns;
            // What is left of a word may be a short number, such as ecd of ecdsa.
            let is_short = |key: &&Key| matches!(&key.value, Value::Limbs(n) if n.len() == 1);
            for key in part.keys.iter().filter(|key| !is_number && !is_short(key)) {
                let is_known = whole.keys.iter().any(|k| k.value == key.value);
                assert!(is_known, "{format} {end}");
            }
        }
    }
}

/// Bytes that mean something in DER or in text: tags, lengths, marks and blanks.
const TELLING: &[u8] =
    b"\x00\x02\x03\x06\x30\x7f\x80\x81\x82\x84\xa0\xff-=+/# \r\n\t:0AZ\"{}[](),;\\";

/// Lengths that are longer than any file, in DER and in OpenSSH's form.
const ABSURD: [&[u8]; 5] = [
    &[0x84, 0xff, 0xff, 0xff, 0xff],
    &[0x84, 0x7f, 0xff, 0xff, 0xff],
    &[0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0x80],
    &[0xff, 0xff, 0xff, 0xff],
];

/// Damages bytes in one to four places.
fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..rng.random_range(1..=4) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.random_range(0..bytes.len());
        let end = (at + rng.random_range(1..=64)).min(bytes.len());
        match rng.random_range(0..8) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = rng.random(),
            2 | 3 => bytes[at] = *TELLING.choose(rng).unwrap(),
            4 => bytes.truncate(at),
            5 => drop(bytes.drain(at..end)),
            6 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => {
                let length = ABSURD.choose(rng).unwrap().iter().copied();
                bytes.splice(at..(at + 1).min(end), length);
            }
        }
    }
}

/// What must hold of whatever was read.
fn check(bytes: &[u8], found: &All) {
    // UTF-16 has at least two bytes for every line end, so bytes bound its lines too. Structures of
    // DER have at least one byte.
    let lines = 1 + bytes.len() as u64;
    let places = found.keys.iter().map(|key| key.line);
    for line in places.chain(found.skipped.iter().map(|s| s.line)) {
        assert!((1..=lines).contains(&line), "{line} of {lines}");
    }
    for key in &found.keys {
        let Value::Limbs(limbs) = &key.value else {
            continue;
        };
        assert!(limbs[0] & 1 == 1 && limbs[..] != [1] && limbs.last() != Some(&0));
        assert!(8 * limbs.len() <= bytes.len() + 7);
    }
    for skipped in &found.skipped {
        assert!(!skipped.reason.is_empty() && skipped.reason.len() < 400);
    }
}

#[test]
fn damaged_files_do_not_break_the_reader() {
    let mut rng = Rng::seed_from_u64(71);
    for _ in 0..700 {
        for (file, column) in FILES {
            let mut bytes = file.to_vec();
            damage(&mut bytes, &mut rng);
            let Ok((found, _)) = attempt(&bytes, &named(column)) else {
                continue;
            };
            check(&bytes, &found);
        }
    }
}

/// Every format reads any bytes.
#[test]
fn files_in_the_wrong_format_do_not_break_the_reader() {
    let mut rng = Rng::seed_from_u64(72);
    for name in Format::names() {
        let options = Options {
            format: Some(name.parse().unwrap()),
            ..named("n")
        };
        for (file, _) in FILES {
            for _ in 0..20 {
                let mut bytes = file.to_vec();
                damage(&mut bytes, &mut rng);
                if let Ok((found, _)) = attempt(&bytes, &options) {
                    check(&bytes, &found);
                }
            }
        }
    }
}

#[test]
fn damaged_compressed_files_do_not_break_the_reader() {
    let mut rng = Rng::seed_from_u64(73);
    for _ in 0..1500 {
        for file in [&file!("blocks.pem.gz")[..], file!("zone.dns.zst")] {
            let mut bytes = file.to_vec();
            damage(&mut bytes, &mut rng);
            let _ = attempt(&bytes, &named(""));
        }
    }
    // A bomb: its content is not held in memory.
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..100 {
        bomb.write_all(&[b'\n'; 1 << 20]).unwrap();
    }
    let found = all(&bomb.finish().unwrap());
    assert!(found.keys.is_empty() && found.skipped.is_empty());
}

proptest! {
    #[test]
    fn no_bytes_break_the_reader(bytes: Vec<u8>) {
        check(&bytes, &all(&bytes));
    }

    #[test]
    fn no_lines_break_it(lines in prop::collection::vec(
        "(-----(BEGIN|END) (CERTIFICATE|PUBLIC KEY)-----|[A-Za-z0-9+/=]{0,40}\
         |ssh-rsa [A-Za-z0-9]{0,20}|x. IN (DNSKEY|TXT) [(\"a-z0-9 ]{0,20}|\\PC{0,20})",
        0..12,
    )) {
        let text = lines.join("\n");
        let found = all(text.as_bytes());
        let count = text.lines().count().max(1) as u64;
        for line in found.lines().into_iter().chain(found.skipped.iter().map(|s| s.line)) {
            prop_assert!((1..=count).contains(&line));
        }
    }
}
