//! Whole commands that read moduli from files: hexadecimal lines, PEM, and in groups on disk.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::process::Command;

use bezout::Int;
use rayon::prelude::*;

use super::{BITS, OPERATION, Planted};
use crate::Error;
use crate::commands::{Folder, own_program};
use crate::format::memory;
use crate::measure;
use crate::process::run_to_end;
use crate::record::{ClockKind, Measurement};
use crate::session::{Session, refuted};

/// Turns of each; the best time stands, and the first fills the caches of files and kernels.
const TURNS: usize = 2;

/// Moduli that are turned into text at a time.
const AT_ONCE: usize = 1 << 14;

/// What moduli are read from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Hexadecimal,
    Pem,
    /// Hexadecimal lines, in groups of so many keys on disk, with at most so many bytes of a
    /// device's memory.
    Groups(usize, u64),
}

impl Form {
    /// What stands in the place of the engine.
    pub fn name(self) -> String {
        match self {
            Form::Hexadecimal => "auto, from hexadecimal lines".into(),
            Form::Pem => "auto, from PEM".into(),
            Form::Groups(keys, _) => format!("auto, from hexadecimal lines, in groups of {keys}"),
        }
    }

    fn text(self, modulus: &Int) -> String {
        match self {
            Form::Pem => pem(modulus),
            Form::Hexadecimal | Form::Groups(..) => format!("{modulus:x}\n"),
        }
    }
}

/// Times the commands over files of these moduli.
pub fn run(session: &mut Session, planted: &Planted, forms: &[Form]) -> Result<(), Error> {
    let (program, folder) = (own_program()?, Folder::new("keys")?);
    for form in forms {
        let path = write(&folder, planted, *form)?;
        let (mut best, mut peak_bytes) = (f64::INFINITY, 0);
        for _ in 0..TURNS {
            let checkpoint = folder.0.join("checkpoint");
            let _ = std::fs::remove_dir_all(&checkpoint);
            let mut command = Command::new(&program);
            command.arg("batch-gcd").arg(&path).arg("-q");
            if let Form::Groups(keys, bytes) = form {
                command.args(["--group-keys", &keys.to_string()]);
                command.arg("--checkpoint").arg(&checkpoint);
                command.env("BEZOUT_DEVICE_MEMORY", bytes.to_string());
            }
            let ended = run_to_end(&mut command)?;
            if !is_right(&ended.printed, planted) {
                let oracle = "the pairs that were planted";
                let bits = BITS * planted.numbers.len() as u64;
                return Err(refuted(OPERATION, &form.name(), bits, oracle));
            }
            best = best.min(ended.seconds);
            peak_bytes = peak_bytes.max(ended.peak_bytes.unwrap_or(0));
        }
        let bits = BITS * planted.numbers.len() as u64;
        let time = measure::summary(ClockKind::Host, vec![best]);
        let measured = Measurement::alone(OPERATION, form.name(), bits, time, &[]);
        session.record.measurements.push(measured);
        let limit = match form {
            Form::Groups(_, bytes) => format!("at most {} of device memory, and ", memory(*bytes)),
            _ => String::new(),
        };
        session.record.notes.push(format!(
            "{} moduli, {}: {limit}{} of the host's memory at most.",
            planted.numbers.len(),
            form.name(),
            memory(peak_bytes)
        ));
    }
    Ok(())
}

/// Writes all moduli to a file.
fn write(folder: &Folder, planted: &Planted, form: Form) -> Result<PathBuf, Error> {
    let path = folder.0.join("moduli");
    let failed = |error| Error::io("write", &path, error);
    let mut file = BufWriter::new(File::create(&path).map_err(failed)?);
    for some in planted.numbers.chunks(AT_ONCE) {
        let texts: Vec<String> = some.par_iter().map(|n| form.text(n)).collect();
        for text in texts {
            file.write_all(text.as_bytes()).map_err(failed)?;
        }
    }
    file.flush().map_err(failed)?;
    Ok(path)
}

/// Whether the lines name the factors that were planted, and no others.
fn is_right(printed: &[u8], planted: &Planted) -> bool {
    let text = String::from_utf8_lossy(printed);
    let named = text
        .lines()
        .map(|line| line.split(':').next().unwrap_or(""));
    let mut named: Vec<Option<Int>> = named.map(|factor| factor.parse().ok()).collect();
    let mut factors: Vec<Option<Int>> = planted.factors().cloned().map(Some).collect();
    named.sort();
    factors.sort();
    named == factors
}

/// A PEM block of a public key: PKCS #1's sequence of the modulus and 65537.
fn pem(modulus: &Int) -> String {
    let integer = |limbs: &[u64]| {
        let mut bytes: Vec<u8> = limbs.iter().rev().flat_map(|x| x.to_be_bytes()).collect();
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        bytes.drain(..zeros);
        if bytes[0] >= 0x80 {
            bytes.insert(0, 0);
        }
        tagged(2, &bytes)
    };
    let content = [integer(modulus.limbs()), integer(&[65537])].concat();
    let mut text = String::from("-----BEGIN RSA PUBLIC KEY-----\n");
    for line in base64(&tagged(0x30, &content)).as_bytes().chunks(64) {
        // Base64 is ASCII.
        let _ = writeln!(text, "{}", String::from_utf8_lossy(line));
    }
    text + "-----END RSA PUBLIC KEY-----\n"
}

/// A value of DER: tag, length, contents.
fn tagged(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = contents.len();
    let head = match length {
        0..0x80 => vec![tag, length as u8],
        0x80..0x100 => vec![tag, 0x81, length as u8],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    [head, contents.to_vec()].concat()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let word = (0..3).fold(0, |word, i| {
            word << 8 | usize::from(three.get(i).copied().unwrap_or(0))
        });
        let digit = move |i: usize| char::from(DIGITS[word >> (18 - 6 * i) & 63]);
        let digits = three.len() + 1;
        (0..4).map(move |i| if i < digits { digit(i) } else { '=' })
    };
    bytes.chunks(3).flat_map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_a_key() {
        let text = pem(&Int::from(0x8000_0001u32));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "MAwCBQCAAAABAgMBAAE=");
        assert_eq!(base64(b"ab"), "YWI=");
        assert_eq!(base64(b"a"), "YQ==");
        assert_eq!(tagged(4, &[0; 300])[..4], [4, 0x82, 1, 44]);
    }

    #[test]
    fn lines_of_an_answer() {
        let planted = Planted::new(100);
        let factor = planted.factors().next().cloned().unwrap();
        let right = format!("{factor}: a:1 a:2\n");
        assert!(is_right(right.as_bytes(), &planted));
        assert!(!is_right(b"", &planted));
        assert!(!is_right(
            format!("{right}3: a:1 a:5\n").as_bytes(),
            &planted
        ));
    }
}
