//! Keys that other lines of a file must not hide, and lines without a key that must be counted.

use std::fmt::Write;

use super::{All, all, attempt, named, with};
use crate::{Error, Format, Kind, LONGEST_RECORD};

/// An RSA key of OpenSSH.
const SSH: &str = "ssh-rsa AAAAB3NzaC1yc2EAAAABAwAAAAMAwQ0=";

const RECORD: &str = "example. 3600 IN DNSKEY 256 3 8 AwEAAcEN\n";

fn kinds(all: &All) -> Vec<(u64, Kind)> {
    all.skipped.iter().map(|s| (s.line, s.kind)).collect()
}

#[test]
fn marks_of_dns_in_other_lines_do_not_count() {
    for (text, keys) in [
        ("15\n21\n# k=rsa\n".into(), 2),
        ("# moduli of DNSKEY records\n15\n21\n".into(), 2),
        ("# v=DKIM1; k=rsa; p=AA\n15 # k=rsa; p=AA\n21\n".into(), 2),
        (format!("{SSH} me@_domainkey\n"), 1),
        (format!("[host]:22 {SSH}\n"), 1),
        (format!("{SSH} k=rsa; p=AA\n{SSH} DNSKEY\n"), 2),
    ] {
        let (found, format) = with(text.as_bytes(), &named(""));
        assert_eq!((found.keys.len(), format), (keys, Format::Text), "{text}");
        assert!(found.skipped.is_empty(), "{:?}", found.skipped);
    }
    for text in [
        RECORD,
        "; 15\n$TTL 3600\n10 IN PTR x.\nexample. CDNSKEY 256 3 8 (\n  AwEAAcEN )\n",
        "example. SOA ns. me. (\n  15\n21\n  33 )\nexample. IN DNSKEY 256 3 8 AwEAAcEN\n",
        "256 3 8 AwEAAcEN\n",
        "x._domainkey TXT ( \"v=DKIM1; \"\n  \"p=\" )\n",
        "\"v=DKIM1; p=\"\n",
        "k=rsa; p=\n",
    ] {
        let (found, format) = with(text.as_bytes(), &named(""));
        assert_eq!(format, Format::Dns, "{text}");
        assert!(found.problems().is_empty(), "{:?}", found.skipped);
    }
}

#[test]
fn lines_of_other_formats_are_counted() {
    let zone = format!(
        "{RECORD}15\n{SSH}\n# x\n; x\n\n$TTL 5\n  NS ns.\na TXT \"x\"\nb A 1.1.1.1\n\
         c 3600 IN RRSIG DNSKEY 8 2 3600 20260101 20250101 1 c. AA\n"
    );
    let expected = [(2, Kind::Malformed), (3, Kind::Malformed)];
    assert_eq!(kinds(&all(zone.as_bytes())), expected);
    let block = "-----BEGIN DH PARAMETERS-----\nAA==\n-----END DH PARAMETERS-----\n";
    let damaged = "c10dz".repeat(20);
    let mixed = format!("{block}{RECORD}issuer=/CN=x\n{damaged}\n");
    let expected = [(1, Kind::NotRsa), (4, Kind::Unread), (6, Kind::NotNumber)];
    assert_eq!(kinds(&all(mixed.as_bytes())), expected);
}

#[test]
fn json_without_a_column_is_counted() {
    for text in [r#"{"n":"15"}"#, "[15,21]", r#"{"keys":[15,21]}"#] {
        let found = all(format!("{text}\n{text}\n").as_bytes());
        assert_eq!(kinds(&found), [(1, Kind::Unread), (2, Kind::Unread)]);
        assert!(found.skipped[0].reason.contains("--column NAME"));
    }
    let key = r#"{"kty":"RSA","n":"wQ0"}"#;
    let found = all(format!("{key}\n{{\"n\":\"15\"}}\n{key}\n").as_bytes());
    assert_eq!(found.lines(), [1, 3]);
    assert_eq!(kinds(&found), [(2, Kind::Malformed)]);
}

#[test]
fn quotes_inside_fields_of_long_tables_mean_nothing() {
    let mut text = String::from("size,n,note\n");
    let rows = 200_000;
    for row in 0..rows {
        let number = 2 * row + 3;
        let note = if row % 3 == 0 { "\"a,\n\"\"b\"" } else { "x\"" };
        writeln!(text, "10,{number},{note}").unwrap();
        writeln!(text, "10,{number},5\" disk").unwrap();
    }
    let found = with(text.as_bytes(), &named("n")).0;
    assert_eq!((found.keys.len(), found.skipped.len()), (2 * rows, 0));
}

/// A table that ends inside quotes has lost the end of its last value, wherever the value is.
#[test]
fn tables_that_end_inside_quotes_are_cut() {
    for (text, keys) in [
        ("n\n\"15", &[][..]),
        ("n\n15\n\"21\n", &[2]),
        ("n\n15\n\"21\"\"", &[2]),
        ("n\n15\n\"", &[2]),
        ("n,note\n15,\"a\"\n21,\"b", &[2]),
        ("note,n\n\"a,21\n33,35\n", &[]),
    ] {
        let found = with(text.as_bytes(), &named("n")).0;
        assert_eq!(found.lines(), keys, "{text}");
        let line = keys.len() as u64 + 2;
        assert_eq!(kinds(&found), [(line, Kind::Cut)], "{text}");
    }
    let whole = with(b"n\n\"15\"", &named("n")).0;
    assert_eq!((whole.lines(), whole.skipped.len()), (vec![2], 0));
}

/// The lines after a PEM block without its end are read.
#[test]
fn a_cut_block_leaves_the_lines_after_it() {
    let whole = str::from_utf8(file!("public.pem")).unwrap();
    let encrypted = str::from_utf8(file!("encrypted-pkcs1.pem")).unwrap();
    let ssh = format!("{SSH}\n").repeat(50);
    let mut short = String::new();
    (0..1000).for_each(|i| writeln!(short, "{}", 2 * i + 11).unwrap());
    let digits = "7".repeat(64);
    let long = format!("{digits}\n{digits}\n0x{}\n", "d".repeat(40));
    for whole in [whole, encrypted] {
        let lines: Vec<&str> = whole.lines().collect();
        for kept in 1..lines.len() {
            let cut = lines[..kept].join("\n");
            for (rest, count) in [(&ssh, 50), (&short, 1000), (&long, 3)] {
                let found = all(format!("{cut}\n{rest}").as_bytes());
                assert_eq!(found.keys.len(), count, "{cut}");
                assert_eq!(kinds(&found), [(1, Kind::Cut)], "{cut}");
            }
        }
    }
}

#[test]
fn a_cut_block_leaves_a_long_file_after_it() {
    let mut text = b"-----BEGIN PUBLIC KEY-----\nAAAA\n".to_vec();
    let line = [&b"7".repeat(1023)[..], b"\n"].concat();
    let count = LONGEST_RECORD / line.len() + 2000;
    (0..count).for_each(|_| text.extend_from_slice(&line));
    let found = with(&text, &named("")).0;
    assert_eq!(found.keys.len(), count);
    assert_eq!(kinds(&found), [(1, Kind::Cut)]);
}

#[test]
fn a_cut_record_leaves_the_records_after_it() {
    for cut in [
        "cut. IN DNSKEY 257 3 8 (\n  AwEAAcEN\n",
        "cut. IN DNSKEY 257 3 8 (\nAwEAAcEN\n",
        "cut. IN DNSKEY (\n",
        "cut. IN SOA ns. me. ( 1\n",
        "cut. IN TXT \"v=DKIM1; p=AA\n",
    ] {
        let found = all(format!("{cut}{}", RECORD.repeat(50)).as_bytes());
        assert_eq!(found.keys.len(), 50, "{cut}");
        assert_eq!(kinds(&found), [(1, Kind::Cut)], "{cut}");
        let found = all(format!("{RECORD}{cut}").as_bytes());
        assert_eq!(found.keys.len(), 1, "{cut}");
        assert_eq!(kinds(&found), [(2, Kind::Cut)], "{cut}");
    }
    // Lines in parentheses that are not indented, in a file of many blocks.
    let record = "x. IN DNSKEY 256 3 8 (\nAwEA\nAcEN\n)\n";
    let count = (2 << 20) / record.len();
    let found = all(record.repeat(count).as_bytes());
    assert_eq!((found.keys.len(), found.skipped.len()), (count, 0));
}

/// A column is for tables and JSON lines; the other files of a command are read without it.
#[test]
fn a_column_leaves_files_of_other_formats() {
    for (bytes, format, keys) in [
        (&file!("certificate.pem")[..], Format::Text, 1),
        (file!("blocks.pem.gz"), Format::Text, 3),
        (file!("all.der"), Format::Der, 5),
        (file!("keys.pub"), Format::Text, 4),
        (file!("set.jwk"), Format::Jwk, 2),
        (file!("zone.dns"), Format::Dns, 5),
        (file!("modulus.hex"), Format::Text, 1),
        (b"15\n21\n", Format::Text, 2),
        (br#"{"kty":"RSA","n":"wQ0"}"#, Format::Jwk, 1),
        (br#"{"keys":[{"kty":"RSA","n":"wQ0"}]}"#, Format::Jwk, 1),
        (b"{\"a\":1}\n{\"n\":\"15\"}\n", Format::JsonLines, 1),
        (b"n\n15\n", Format::Csv, 1),
        (b"n\n-----BEGIN X-----\n15\n", Format::Csv, 1),
        (b"", Format::Csv, 0),
    ] {
        let (found, read_as) = with(bytes, &named("n"));
        assert_eq!((read_as, found.keys.len()), (format, keys));
    }
    for bytes in [&file!("table.csv")[..], b"id\n15\n", b"1,15\n2,21\n"] {
        let error = attempt(bytes, &named("n")).unwrap_err();
        assert!(matches!(error, Error::Column(_)));
    }
}

/// What a tool writes before a certificate is no number, wherever the certificate stands.
#[test]
fn remarks_are_passed_over_in_every_order() {
    let block = str::from_utf8(file!("certificate.pem")).unwrap();
    let mut dump = String::from("Certificate:\n    Data:\n        Version: 3 (0x2)\n");
    (0..300).for_each(|_| dump.push_str("    00:c1:0d:\n  05 is a part\nsubject=CN = x\n"));
    let certificate = format!("{dump}{block}");
    let digits = "7".repeat(308);
    // The certificate begins in the next block, at its start, or well inside a block.
    for count in [0, 500, 830, 840, 3387, 3390, 3395, 10_000] {
        let numbers = format!("{digits}\n").repeat(count);
        let before = all(format!("{certificate}{numbers}").as_bytes());
        let after = all(format!("{numbers}{certificate}").as_bytes());
        assert_eq!(before.keys.len(), after.keys.len(), "{count}");
        assert_eq!(before.tally, after.tally, "{count}");
    }
}

#[test]
fn values_and_bundles_that_are_not_read_say_so() {
    let table = with(b"n\njunk\nju!nk\n", &named("n")).0;
    assert_eq!(table.problems(), [2, 3]);
    for skipped in &table.skipped {
        assert!(skipped.reason.contains("no number, PEM block"));
    }
    // A PKCS #7 structure of signed data without its content.
    let bundle = "MAsGCSqGSIb3DQEHAg==";
    let block = format!("-----BEGIN PKCS7-----\n{bundle}\n-----END PKCS7-----\n");
    let der = b"\x30\x0b\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
    for found in [
        all(der),
        all(block.as_bytes()),
        with(format!("n\n{bundle}\n").as_bytes(), &named("n")).0,
    ] {
        assert_eq!(found.skipped[0].kind, Kind::Unread);
        assert!(
            found.skipped[0]
                .reason
                .contains("openssl pkcs7 -print_certs")
        );
    }
}
