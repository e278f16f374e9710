//! Whole files: every format, plain and compressed, cut and damaged.

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../tests/keys/", $name))
    };
}

macro_rules! cli_file {
    ($name:literal) => {
        include_bytes!(concat!("../../../cli/tests/command_line/keys/", $name))
    };
}

mod damage;
mod formats;
mod long;
mod lost;

use crate::{Batch, Error, Format, Key, Options, Skipped, Tally, Value, read};

/// Files that hold RSA keys, with what `--column` must say.
const FILES: [(&[u8], &str); 14] = [
    (file!("certificate.pem"), ""),
    (file!("request.pem"), ""),
    (file!("pkcs1.pem"), ""),
    (file!("openssh-private.pem"), ""),
    (file!("all.der"), ""),
    (file!("keys.pub"), ""),
    (file!("set.jwk"), ""),
    (file!("zone.dns"), ""),
    (file!("table.csv"), "the key"),
    (file!("rows.jsonl"), "cert.n"),
    (file!("modulus.hex"), ""),
    (cli_file!("several.pem"), ""),
    (cli_file!("kinds.pem"), ""),
    (cli_file!("kinds.pub"), ""),
];

#[derive(Debug, Default)]
struct All {
    keys: Vec<Key>,
    skipped: Vec<Skipped>,
    tally: Tally,
}

impl All {
    fn take(&mut self, batch: Batch) {
        batch.skipped.iter().for_each(|s| self.tally.count(s.kind));
        self.keys.extend(batch.keys);
        self.skipped.extend(batch.skipped);
    }

    fn lines(&self) -> Vec<u64> {
        self.keys.iter().map(|key| key.line).collect()
    }

    /// Lines of records that are neither read nor left out.
    fn problems(&self) -> Vec<u64> {
        let bad = self.skipped.iter().filter(|s| !s.kind.is_left_out());
        bad.map(|s| s.line).collect()
    }
}

fn attempt(bytes: &[u8], options: &Options) -> Result<(All, Format), Error> {
    let mut all = All::default();
    let format = read(bytes, options, |batch| all.take(batch))?;
    Ok((all, format))
}

fn with(bytes: &[u8], options: &Options) -> (All, Format) {
    attempt(bytes, options).unwrap()
}

fn named(column: &str) -> Options {
    Options {
        column: (!column.is_empty()).then(|| column.into()),
        names: true,
        ..Options::default()
    }
}

fn all(bytes: &[u8]) -> All {
    with(bytes, &named("")).0
}

/// The modulus that all of this crate's files hold.
fn modulus() -> Value {
    all(file!("modulus.hex")).keys[0].value.clone()
}

fn names(all: &All) -> Vec<Option<&str>> {
    all.keys.iter().map(|key| key.name.as_deref()).collect()
}
