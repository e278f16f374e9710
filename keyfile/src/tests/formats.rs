//! Every format, plain and compressed.

use super::{All, all, attempt, modulus, named, names, with};
use crate::{Error, Format, Kind, Options, Value};

#[test]
fn every_block_of_pem_gives_the_modulus() {
    for (bytes, name) in [
        (&file!("certificate.pem")[..], Some("key.example")),
        (file!("request.pem"), Some("request.example")),
        (file!("public.pem"), None),
        (file!("rsa-public.pem"), None),
        (file!("pkcs1.pem"), None),
        (file!("pkcs8.pem"), None),
        (file!("openssh-private.pem"), None),
    ] {
        for format in [None, Some(Format::Pem)] {
            let options = Options {
                format,
                ..named("")
            };
            let (all, read_as) = with(bytes, &options);
            assert_eq!(read_as, format.unwrap_or(Format::Text));
            assert!(all.skipped.is_empty(), "{:?}", all.skipped);
            assert_eq!(all.keys[0].value, modulus());
            assert_eq!(names(&all), [name]);
        }
    }
    for bytes in [&file!("encrypted.pem")[..], file!("encrypted-pkcs1.pem")] {
        assert_eq!(all(bytes).skipped[0].kind, Kind::Encrypted);
    }
}

/// A file, its column, its format, the lines of its keys, and those of skipped records.
type Expected = (
    &'static [u8],
    &'static str,
    Format,
    &'static [u64],
    &'static [(u64, Kind)],
);

#[test]
fn every_other_format_gives_the_modulus() {
    let kinds = |all: &All| -> Vec<_> { all.skipped.iter().map(|s| (s.line, s.kind)).collect() };
    let expected: [Expected; 6] = [
        (file!("all.der"), "", Format::Der, &[1, 2, 3, 4, 5], &[]),
        (
            file!("keys.pub"),
            "",
            Format::Text,
            &[2, 3, 4, 5],
            &[(6, Kind::NotRsa)],
        ),
        (
            file!("set.jwk"),
            "",
            Format::Jwk,
            &[9, 16],
            &[(3, Kind::NotRsa)],
        ),
        (
            file!("zone.dns"),
            "",
            Format::Dns,
            &[4, 5, 10, 11, 15],
            &[(9, Kind::NotRsa), (13, Kind::Revoked), (16, Kind::NotRsa)],
        ),
        (
            file!("table.csv"),
            "the key",
            Format::Csv,
            &[2, 3, 10, 12, 13],
            &[(11, Kind::Empty), (14, Kind::Cut)],
        ),
        (
            file!("rows.jsonl"),
            "cert.n",
            Format::JsonLines,
            &[1, 2, 4, 5],
            &[(3, Kind::Empty), (6, Kind::Cut)],
        ),
    ];
    for (bytes, column, format, lines, skipped) in expected {
        let (all, read_as) = with(bytes, &named(column));
        assert_eq!(read_as, format);
        assert_eq!(all.lines(), lines, "{format} {:?}", all.skipped);
        assert_eq!(kinds(&all), skipped, "{format}");
        assert!(all.keys.iter().all(|key| key.value == modulus()));
    }
    assert_eq!(
        names(&all(file!("set.jwk"))),
        [Some("first"), None],
        "key ids"
    );
    let ssh = all(file!("keys.pub"));
    assert_eq!(names(&ssh)[..2], [Some("me@here"), Some("with options")]);
    let zone = all(file!("zone.dns"));
    assert_eq!(names(&zone)[0], Some("example."));
    assert_eq!(names(&zone)[3], Some("mail._domainkey.example."));
}

#[test]
fn compressed_files_are_read_and_their_damage_is_told() {
    assert_eq!(all(file!("blocks.pem.gz")).keys.len(), 3);
    assert_eq!(all(file!("zone.dns.zst")).keys.len(), 5);
    for (bytes, name) in [
        (&file!("blocks.pem.gz")[..], "gzip"),
        (file!("zone.dns.zst"), "zstd"),
    ] {
        let twice = [bytes, bytes].concat();
        assert_eq!(all(&twice).keys.len(), 2 * all(bytes).keys.len());
        // Of fewer bytes than the mark of the compression, the compression is not known.
        for end in 4..bytes.len() {
            let error = attempt(&bytes[..end], &named("")).unwrap_err();
            let Error::Damaged {
                compression,
                position,
                ..
            } = error
            else {
                panic!("{error}");
            };
            assert_eq!(compression, name);
            assert!(position <= end as u64, "{position} of {end}");
        }
        for at in 4..bytes.len() {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 0x10;
            // Bits that mean nothing, such as the time in a gzip header, may be anything.
            if let Ok((found, _)) = attempt(&damaged, &named("")) {
                assert_eq!(found.keys, all(bytes).keys, "{name} {at}");
            }
        }
    }
    // A zstd frame without data comes first.
    let skippable = [
        &[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7],
        &file!("zone.dns.zst")[..],
    ];
    assert_eq!(all(&skippable.concat()).keys.len(), 5);
}

#[test]
fn numbers_are_read() {
    let text = "# keys\n15\r\n\n 0x21\nff\nFF01\n1_001\nModulus=11\n";
    let found = all(text.as_bytes());
    assert_eq!(found.lines(), [2, 4, 5, 6, 7, 8]);
    let expected = [15, 33, 255, 65281, 1001, 17].map(|n| Value::Limbs(vec![n]));
    assert!(found.keys.iter().map(|key| &key.value).eq(&expected));
    assert!(found.skipped.is_empty());
    let bad = all(b"15\nx\n0\n1\n-15\n16\n0x\n1 2\nfg\nModulus=");
    assert_eq!(bad.problems(), [2, 3, 4, 5, 6, 7, 8, 8, 9, 10]);
    let words = "8 skipped: 4 not a number, 3 negative, 0 or 1, 1 even";
    assert_eq!(
        all(b"x\n0\n1\n-15\n16\n0x\nfg\nModulus=").tally.to_string(),
        words
    );
    assert!(all(b"").keys.is_empty());
    let as_hex = Options {
        format: Some(Format::Hex),
        min_bits: 8,
        ..Options::default()
    };
    let (hex, _) = with(b"15\n151 0x153\n", &as_hex);
    assert_eq!((hex.keys.len(), hex.skipped[0].kind), (2, Kind::Short));
    assert_eq!(hex.keys[0].value, Value::Limbs(vec![0x151]));
    // Too many digits for the conversion here.
    let long = all(format!("0{}\n{}", "3".repeat(30_000), "2".repeat(30_000)).as_bytes());
    assert_eq!(
        long.keys[0].value,
        Value::Decimal("3".repeat(30_000).into())
    );
    assert_eq!(long.skipped[0].kind, Kind::Even);
}

#[test]
fn lines_hold_several_numbers_and_comments() {
    let text = "15 21,33 # 35\r\n\t0x23,\r\n#55\r\nModulus=37, 39 x";
    let found = all(text.as_bytes());
    let places: Vec<_> = found.keys.iter().map(|k| (k.line, k.column)).collect();
    let expected = [
        (1, Some(1)),
        (1, Some(4)),
        (1, Some(7)),
        (2, None),
        (4, Some(1)),
        (4, Some(13)),
    ];
    assert_eq!(places, expected);
    assert_eq!(found.skipped.len(), 1);
    assert!(found.skipped[0].reason.starts_with("'x': "));
}

#[test]
fn byte_order_marks_do_not_count() {
    let text = "15\r\n21\r\n# 𝒙 and é\n";
    let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
        units.flat_map(unit).collect()
    };
    for bytes in [
        format!("\u{feff}{text}").into_bytes(),
        utf16(u16::to_le_bytes),
        utf16(u16::to_be_bytes),
    ] {
        let found = all(&bytes);
        assert_eq!(found.lines(), [1, 2]);
        assert!(found.skipped.is_empty(), "{:?}", found.skipped);
    }
}

/// What `openssl … -text` prints is said to be that, and its numbers are no keys.
#[test]
fn prose_of_openssl_holds_no_keys() {
    let prose = "Certificate:\n    Data:\n        Version: 3 (0x2)\n        Serial Number: 4097 (0x1001)\n\
                 \x20       Validity\n            Not Before: Nov 19 08:17:59 2026 GMT\n\
                 \x20               Public-Key: (1024 bit)\n                Modulus:\n\
                 \x20                   00:bf:21:29:10:61:ee:16:58:9c:3f:e0:bc:36:fa:\n\
                 \x20                   7f\n                Exponent: 65537 (0x10001)\n";
    let found = all(prose.as_bytes());
    assert!(found.keys.is_empty(), "{:?}", found.keys);
    let [skipped] = &found.skipped[..] else {
        panic!("{:?}", found.skipped);
    };
    assert_eq!((skipped.line, skipped.kind), (7, Kind::Unread));
    assert!(skipped.reason.contains("-modulus"), "{}", skipped.reason);
    for head in [
        "Private-Key: (2048 bit, 2 primes)",
        "RSA Public-Key: (2048 bit)",
    ] {
        let found = all(format!("{head}\nmodulus:\n    00:bf:\n    7f\n").as_bytes());
        assert_eq!((found.keys.len(), found.problems()), (0, vec![1]), "{head}");
    }
    // With the block or the modulus beside it, the key is read once.
    let block = str::from_utf8(file!("certificate.pem")).unwrap();
    let found = all(format!("{prose}{block}").as_bytes());
    assert_eq!((found.keys.len(), found.skipped.len()), (1, 0));
    let modulus = "Modulus=C10D\n";
    let found = all(format!("{prose}{modulus}").as_bytes());
    assert_eq!((found.lines(), found.problems()), (vec![12], vec![7]));
}

#[test]
fn keys_of_other_kinds_are_left_out() {
    let kinds = all(cli_file!("kinds.pub"));
    assert!(kinds.problems().is_empty(), "{:?}", kinds.skipped);
    // RSA keys: after a host, after options, and in a certificate.
    assert_eq!(kinds.lines(), [8, 9, 10]);
    let others: Vec<u64> = kinds.skipped.iter().map(|s| s.line).collect();
    assert_eq!(others, [2, 3, 4, 5, 6, 7]);
    assert!(
        kinds
            .keys
            .iter()
            .all(|key| key.value == kinds.keys[0].value)
    );
    let blocks = all(cli_file!("kinds.pem"));
    assert!(blocks.problems().is_empty(), "{:?}", blocks.skipped);
    // The parameters of a curve are no key.
    assert_eq!((blocks.keys.len(), blocks.skipped.len()), (0, 4));
    for bad in [
        "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAAQE= me",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE! me",
        "ssh-ed25519",
    ] {
        assert_eq!(all(bad.as_bytes()).problems(), [1], "{bad}");
    }
}

#[test]
fn windows_line_ends_and_headers_in_blocks() {
    let pem = str::from_utf8(cli_file!("several.pem")).unwrap();
    let (begin, rest) = pem.split_once('\n').unwrap();
    let with_header = format!("{begin}\nComment: x\n\n{rest}");
    for text in [pem.replace('\n', "\r\n"), with_header.replace('\n', "\r\n")] {
        let found = all(text.as_bytes());
        assert_eq!((found.keys.len(), found.problems().len()), (4, 0));
    }
}

#[test]
fn blocks_that_do_not_parse_leave_the_rest() {
    let problems = |text: &str| all(text.as_bytes()).problems();
    let block = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n";
    assert_eq!(problems(block), [1]);
    let text = format!("15\n{block}21\nissuer=/CN=x\n-----BEGIN CERTIFICATE-----\nAA\n{block}33\n");
    assert_eq!(problems(&text), [2, 7, 9]);
    assert_eq!(all(text.as_bytes()).keys.len(), 3);
    assert_eq!(problems("-----BEGIN CERTIFICATE-----\nAAAA"), [1]);
    let bad = "-----BEGIN PUBLIC KEY-----\n!!\n-----END PUBLIC KEY-----";
    assert_eq!(problems(bad), [1]);
    let bad = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----";
    assert_eq!(problems(bad), [1]);
    let other = all(b"-----BEGIN DH PARAMETERS-----\nAA==\n-----END DH PARAMETERS-----");
    assert_eq!(
        (other.skipped[0].kind, other.skipped.len()),
        (Kind::NotRsa, 1)
    );
    assert_eq!(problems("ssh-rsa AAAAB3NzaC1yc2E= me"), [1]);
    // A dump of bytes between blocks is no number.
    let dump = format!("{block}    00:c1:0d:\n    Serial 1:\n");
    assert_eq!(problems(&dump), [1]);
}

#[test]
fn tables_without_the_column_are_refused() {
    for (bytes, column, words) in [
        (
            &file!("table.csv")[..],
            "no such",
            "'no such': the columns are id, the key, note",
        ),
        (b"id;n\n1;15\n", "", "the columns are id, n"),
    ] {
        let options = Options {
            format: Some(Format::Csv),
            ..named(column)
        };
        let error = attempt(bytes, &options).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let options = Options {
        format: Some(Format::JsonLines),
        ..named("")
    };
    assert!(matches!(attempt(b"{}", &options), Err(Error::Column(_))));
    let (tabs, _) = with(b"id\tn\n1\t15\n2\t21\n", &named("n"));
    assert_eq!(tabs.lines(), [2, 3]);
}

/// The label of a table's row is no key, also where it has the digits of a hexadecimal number.
#[test]
fn labels_of_rows_are_no_numbers() {
    let found = |text: &str| {
        let (mut keys, mut skipped) = (Vec::new(), Vec::new());
        crate::read(text.as_bytes(), &crate::Options::default(), |batch| {
            keys.extend(batch.keys.into_iter().map(|key| (key.line, key.value)));
            skipped.extend(batch.skipped.into_iter().map(|skip| (skip.line, skip.kind)));
        })
        .unwrap();
        (keys, skipped)
    };
    let limbs = |n| crate::Value::Limbs(vec![n]);
    let (keys, skipped) = found("a,15\nb, 21\n");
    assert_eq!(keys, [(1, limbs(15)), (2, limbs(21))]);
    let wrong = crate::Kind::NotNumber;
    assert_eq!(skipped, [(1, wrong), (2, wrong)]);
    let text = "c10d\nc10d 15\n0xb,123456789abcdef1\n";
    let (keys, skipped) = found(text);
    assert_eq!((keys.len(), skipped.len()), (5, 0));
}
