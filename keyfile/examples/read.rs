//! Reads files of keys, and says how many moduli they hold and how long reading took:
//! `cargo run --release -p bezout-keyfile --example read -- FILE...`

use std::fs::File;
use std::time::Instant;

use bezout_keyfile::{Options, Tally, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let (mut count, mut skipped) = (0, Tally::default());
        let start = Instant::now();
        let format = read(File::open(&path)?, &Options::default(), |batch| {
            count += batch.keys.len();
            batch.skipped.iter().for_each(|s| skipped.count(s.kind));
        })?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{path}: {format}, {count} moduli, {skipped}, {seconds:.3} s");
    }
    Ok(())
}
