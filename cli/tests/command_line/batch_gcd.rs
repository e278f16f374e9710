//! `bezout batch-gcd`.

use super::*;

/// A prime of the key in `keys/`, a self-signed certificate that OpenSSL made.
const PRIME: &str = "11481929402646729898950519198092079951066303718779773397199880903210412197022315840400575235895759156396226074672003661707542320614917911474741234375873953";
/// That prime times 2^521 − 1.
const OTHER: &str = "78821122097074120743689556537439731102285838999506075715079134508183187204654119139867355538947160256643696363505528039747064141738379560514053703838918158387875258009830127761885499903061852924243915663041884737408472142564553548197195808143653142126073844045298731460043250770417820938596147761515643167287903";

fn key(name: &str) -> String {
    format!(
        "{}/tests/command_line/keys/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

#[test]
fn shared_primes_are_printed_with_their_keys() {
    let text = "# moduli\n10403\n0x2d77\n1fd7\n10403\n";
    for engine in ["auto", "cpu"] {
        let run = bezout_with_stdin(
            &["batch-gcd", "-", "--engine", engine, "--verify", "-q"],
            text,
        );
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(run.stdout, "103: -:2 -:3 -:5\nduplicates: -:2 -:5\n");
    }
    let run = bezout_with_stdin(&["batch-gcd", "-", "--hex"], "15\n21");
    assert_eq!(run.stdout, "0x3: -:1 -:2\n");
    assert_eq!(run.stderr, "2 of 2 keys share a factor with another\n");
    for none in ["", "15\n", "15\n77\n"] {
        let run = bezout_with_stdin(&["batch-gcd", "-"], none);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    }
}

#[test]
fn keys_are_read() {
    let (pem, several, der) = (
        key("certificate.pem"),
        key("several.pem"),
        key("certificate.der"),
    );
    let run = bezout_with_stdin(
        &["batch-gcd", &pem, &several, &der, "-", "--json", "--verify"],
        OTHER,
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("not an RSA key"), "{}", run.stderr);
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    // A certificate, twice; a public key in two forms, a request, OpenSSH's line; a number.
    assert_eq!(record["keys"], 7);
    assert_eq!(record["shared"][0]["factor"], PRIME);
    assert_eq!(record["shared"][0]["prime"], true);
    assert_eq!(record["shared"][0]["keys"].as_array().unwrap().len(), 7);
    assert_eq!(record["duplicates"][0].as_array().unwrap().len(), 6);
    assert_eq!(record["problems"], serde_json::json!([]));
    assert_eq!(record["shared"][0]["keys"][0]["file"], pem.as_str());
}

#[test]
fn what_cannot_be_read_is_left_out() {
    let text =
        "15\n1x\n0\n1\n-15\n16\n21\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let run = bezout_with_stdin(&["batch-gcd", "-", "-q"], text);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "3: -:1 -:7\n"));
    for line in [2, 3, 4, 5, 6, 8] {
        assert!(
            run.stderr.contains(&format!("line {line}:")),
            "{}",
            run.stderr
        );
    }
    assert!(run.stderr.contains("6 keys could not be read"));
    let run = bezout(&["batch-gcd", "/no/such/file"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("/no/such/file"));
    assert_eq!(bezout(&["batch-gcd"]).code, Some(2));
}
