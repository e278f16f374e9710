//! Damaged keys: thousands of mutants of every format, none of which may break the reader.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;

use super::der::{self, Key};
use super::input::{self, Input};

const FILES: [&[u8]; 5] = [
    include_bytes!("../../tests/command_line/keys/certificate.der"),
    include_bytes!("../../tests/command_line/keys/certificate.pem"),
    include_bytes!("../../tests/command_line/keys/several.pem"),
    include_bytes!("../../tests/command_line/keys/kinds.pem"),
    include_bytes!("../../tests/command_line/keys/kinds.pub"),
];

/// Bytes that mean something in DER or in text: tags, lengths, marks and blanks.
const TELLING: &[u8] = b"\x00\x02\x03\x06\x30\x7f\x80\x81\x82\x84\xa0\xff-=+/# \r\n\t:0AZ";

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

/// Checks what must hold of whatever was read.
fn check(bytes: &[u8], input: &Input) {
    // UTF-16 has at least two bytes for every line end, so bytes bound its lines too.
    let lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count();
    let places = input.entries.iter().map(|entry| entry.line);
    let places = places.chain(input.others.iter().copied());
    let places = places.chain(input.problems.iter().map(|(line, _)| *line));
    for line in places {
        assert!((1..=lines).contains(&line), "{line} of {lines}");
    }
    for entry in &input.entries {
        assert!(entry.modulus > 1 && entry.modulus.bit(0));
        assert!(entry.modulus.bit_length() <= 8 * bytes.len() as u64);
    }
    for (_, reason) in &input.problems {
        assert!(!reason.is_empty() && reason.len() < 400, "{reason}");
    }
}

/// The PEM blocks of all files, each with its name.
fn blocks() -> Vec<(String, Vec<u8>)> {
    let text: String = FILES[1..4]
        .iter()
        .map(|file| String::from_utf8_lossy(file))
        .collect();
    let blocks = text.split("-----BEGIN ").skip(1);
    blocks
        .map(|block| {
            let (name, rest) = block.split_once("-----").unwrap();
            let body = rest.split_once("-----").unwrap().0;
            (name.to_string(), der::base64(body).unwrap())
        })
        .collect()
}

fn to_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = bytes.chunks(3).map(|group| {
        let word = (0..3).fold(0, |word, i| {
            word << 8 | u32::from(*group.get(i).unwrap_or(&0))
        });
        let digit = |i: usize| {
            if i <= group.len() {
                char::from(DIGITS[(word >> (18 - 6 * i)) as usize & 63])
            } else {
                '='
            }
        };
        (0..4).map(digit).collect::<String>()
    });
    groups.collect::<Vec<_>>().join("")
}

#[test]
fn damaged_files_do_not_break_the_reader() {
    let mut rng = Rng::seed_from_u64(71);
    for _ in 0..1500 {
        for file in FILES {
            let mut bytes = file.to_vec();
            damage(&mut bytes, &mut rng);
            let input = input::read(&bytes);
            check(&bytes, &input);
        }
    }
}

#[test]
fn damaged_structures_read_alike_in_every_container() {
    let mut rng = Rng::seed_from_u64(72);
    let blocks = blocks();
    assert!(blocks.len() > 8);
    for _ in 0..500 {
        for (name, bytes) in &blocks {
            let mut bytes = bytes.clone();
            damage(&mut bytes, &mut rng);
            let body = to_base64(&bytes);
            assert_eq!(der::base64(&body).as_ref(), Ok(&bytes));
            let text = format!("-----BEGIN {name}-----\n{body}\n-----END {name}-----\n");
            let block = input::read(text.as_bytes());
            check(text.as_bytes(), &block);
            let found = block.entries.len() + block.others.len() + block.problems.len();
            assert_eq!(found, 1, "{text}");
            // What a block gives, its bytes give too.
            if let (Some(Ok(Key::Rsa(modulus))), Ok(key)) =
                (der::named(name, &bytes), der::unnamed(&bytes))
            {
                assert_eq!(key, Key::Rsa(modulus), "{text}");
            }
        }
    }
}

#[test]
fn damaged_openssh_keys_do_not_break_the_reader() {
    let mut rng = Rng::seed_from_u64(73);
    let text = str::from_utf8(FILES[4]).unwrap();
    let keys: Vec<(&str, Vec<u8>)> = text
        .lines()
        .filter_map(input::openssh)
        .map(|(kind, blob)| (kind, der::base64(blob).unwrap()))
        .collect();
    assert_eq!(keys.len(), 9);
    for _ in 0..800 {
        for (kind, blob) in &keys {
            let mut blob = blob.clone();
            damage(&mut blob, &mut rng);
            let line = format!("{kind} {} comment", to_base64(&blob));
            let input = input::read(line.as_bytes());
            check(line.as_bytes(), &input);
            let found = input.entries.len() + input.others.len() + input.problems.len();
            assert_eq!(found, 1, "{line}");
            match der::openssh(kind, &blob) {
                Ok(Key::Rsa(_)) => assert!(input.others.is_empty(), "{line}"),
                Ok(Key::Other) => assert_eq!(input.others, [1], "{line}"),
                Err(_) => assert_eq!(input.problems.len(), 1, "{line}"),
            }
        }
    }
}
