//! Finished parts of a series in files, each with a checksum.
//!
//! The checkpoint `FILE` says what the digits are of, which is compared with what was asked for. A
//! part of it is the file `FILE.NAME.part`: a line of JSON with what it is a part of, its name, and
//! the signs and lengths of its numbers; their limbs; and the SHA-256 of all bytes before.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use bezout::constant::Storage;
use bezout::{Error, Int};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::args::Constant;
use super::writer::Hashed;
use crate::args::Global;
use crate::failure::Failure;
use crate::lock::Lock;
use crate::output;

const FORMAT: &str = "bezout constant checkpoint";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bits of the shortest numbers that are kept.
const LEAST_BITS: u64 = 1 << 22;

/// Most bytes of the first line of a part.
const LONGEST_LINE: u64 = 1 << 12;

/// Words that are converted to bytes at a time.
const WORDS: usize = 1 << 13;

/// Bytes of the checksum at the end of a part.
const CHECKSUM: u64 = 32;

/// What the digits are of.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Subject {
    format: String,
    version: String,
    constant: String,
    digits: u64,
    radix: u32,
}

/// The first line of a part.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    subject: Subject,
    name: String,
    /// Whether each number is below 0, and its limbs.
    numbers: Vec<(bool, u64)>,
}

/// A checkpoint on the disk.
pub struct Checkpoint {
    path: PathBuf,
    subject: Subject,
    _lock: Option<Lock>,
    /// What went wrong with a file.
    failure: Mutex<Option<Failure>>,
}

impl Checkpoint {
    /// Begins a checkpoint, or takes up one of the same digits.
    pub fn open(path: &Path, options: &Constant, global: &Global) -> Result<Checkpoint, Failure> {
        let checkpoint = Checkpoint {
            path: path.to_path_buf(),
            subject: Subject {
                format: FORMAT.to_string(),
                version: VERSION.to_string(),
                constant: options.name.name().to_string(),
                digits: options.digits,
                radix: options.radix,
            },
            _lock: Lock::take(path)?,
            failure: Mutex::new(None),
        };
        match read_start(path) {
            Ok(text) => {
                checkpoint.compare(&text)?;
                output::remark(global, "going on where the checkpoint ends");
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text = serde_json::to_string(&checkpoint.subject).map_err(io::Error::from);
                text.and_then(|text| output::replace(path, format!("{text}\n").as_bytes()))
                    .map_err(|error| checkpoint.unwritable(path, &error))?;
            }
            Err(error) => return Err(checkpoint.refused(&format!("cannot be read: {error}"))),
        }
        Ok(checkpoint)
    }

    /// Refuses a checkpoint of something else.
    fn compare(&self, text: &str) -> Result<(), Failure> {
        let found: Subject = serde_json::from_str(text)
            .map_err(|_| self.refused("is cut short or damaged, or is no checkpoint"))?;
        let (mine, version) = (&self.subject, &found.version);
        if found.format != mine.format {
            return Err(self.refused("is something else"));
        }
        if *version != mine.version {
            return Err(self.refused(&format!("is of version {version}; this is {VERSION}")));
        }
        if found != *mine {
            let Subject {
                constant,
                digits,
                radix,
                ..
            } = found;
            let reason = format!("belongs to {digits} digits of {constant} in radix {radix}");
            return Err(self.refused(&reason));
        }
        Ok(())
    }

    fn refused(&self, reason: &str) -> Failure {
        Failure::bad_input(format!("the checkpoint '{}' {reason}", self.path.display()))
            .hint("nothing was changed")
    }

    fn unwritable(&self, path: &Path, error: &io::Error) -> Failure {
        let path = path.display();
        Failure::failed(format!("cannot write the checkpoint '{path}': {error}"))
    }

    /// What went wrong with a file, if anything did.
    pub fn failure(&self) -> Option<Failure> {
        self.failure.lock().ok()?.take()
    }

    /// Removes everything: the digits are there. Files that are no parts of these digits stay,
    /// whatever their names.
    pub fn finish(&self) {
        let name = self.path.file_name().unwrap_or_default();
        let prefix = format!("{}.", name.to_string_lossy());
        let folder = self
            .path
            .parent()
            .filter(|path| !path.as_os_str().is_empty());
        let entries = fs::read_dir(folder.unwrap_or(Path::new(".")));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name();
            let part = name.to_str().and_then(|name| name.strip_prefix(&prefix));
            if part.is_some_and(|part| part.ends_with(".part")) && self.is_part(&entry.path()) {
                let _ = fs::remove_file(entry.path());
            }
        }
        let _ = fs::remove_file(&self.path);
    }

    /// Whether a file is a part of these digits, complete or not.
    fn is_part(&self, path: &Path) -> bool {
        let head = || -> io::Result<Head> {
            let mut line = Vec::new();
            let file = BufReader::new(File::open(path)?);
            file.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            Ok(serde_json::from_slice(&line)?)
        };
        path.symlink_metadata().is_ok_and(|data| data.is_file())
            && head().is_ok_and(|head| head.subject == self.subject)
    }

    fn part(&self, name: &str) -> PathBuf {
        let mut path = self.path.as_os_str().to_os_string();
        path.push(format!(".{name}.part"));
        path.into()
    }

    /// Stops the work with this failure.
    fn stop(&self, failure: Failure) -> Error {
        let message = failure.message().to_string();
        if let Ok(mut place) = self.failure.lock() {
            *place = Some(failure);
        }
        Error::Domain(message)
    }

    fn write(&self, path: &Path, name: &str, numbers: &[&Int]) -> io::Result<()> {
        let limbs = numbers.iter().map(|x| x.try_limbs());
        let limbs = limbs
            .collect::<Result<Vec<&[u64]>, Error>>()
            .map_err(io::Error::other)?;
        let head = Head {
            subject: self.subject.clone(),
            name: name.to_string(),
            numbers: numbers
                .iter()
                .zip(&limbs)
                .map(|(x, limbs)| (x.is_negative(), limbs.len() as u64))
                .collect(),
        };
        // A link that somebody has put there is not followed.
        let _ = fs::remove_file(path);
        let mut file = BufWriter::new(File::create_new(path)?);
        let mut hash = Sha256::new();
        let out = &mut Hashed(&mut file, &mut hash);
        serde_json::to_writer(&mut *out, &head)?;
        out.write_all(b"\n")?;
        for limbs in &limbs {
            bytes(limbs, |bytes| out.write_all(bytes))?;
        }
        file.write_all(&hash.finalize())?;
        file.into_inner()
            .map_err(|error| error.into_error())?
            .sync_all()
    }

    /// The numbers of a part; none where there is no such file, and a reason where it is damaged.
    fn read(&self, path: &Path, name: &str) -> Result<Option<Vec<Int>>, String> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot be read: {error}")),
        };
        let damaged = "is cut short or damaged";
        let size = file.metadata().map_or(0, |data| data.len());
        let mut file = BufReader::new(file);
        let mut line = Vec::new();
        (&mut file)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|_| damaged)?;
        let head: Head = serde_json::from_slice(&line).map_err(|_| damaged)?;
        if head.subject != self.subject || head.name != name {
            return Err("belongs to other digits".to_string());
        }
        let lengths = head.numbers.iter().map(|(_, limbs)| *limbs);
        let limbs = lengths.fold(0, u64::saturating_add);
        let expected = limbs.saturating_mul(8).saturating_add(CHECKSUM);
        if expected != size.saturating_sub(line.len() as u64) {
            return Err(damaged.to_string());
        }
        let mut hash = Sha256::new();
        hash.update(&line);
        let mut numbers = Vec::new();
        for (is_negative, count) in head.numbers {
            let mut limbs = Vec::with_capacity(count as usize);
            let mut buffer = vec![0; 8 * WORDS];
            while limbs.len() < count as usize {
                let words = WORDS.min(count as usize - limbs.len());
                let bytes = &mut buffer[..8 * words];
                file.read_exact(bytes).map_err(|_| damaged)?;
                hash.update(&*bytes);
                let words = bytes.as_chunks().0.iter();
                limbs.extend(words.map(|word| u64::from_le_bytes(*word)));
            }
            numbers.push(Int::from_sign_limbs(is_negative, limbs));
        }
        let mut checksum = Vec::new();
        file.read_to_end(&mut checksum).map_err(|_| damaged)?;
        if checksum != hash.finalize().as_slice() {
            return Err(damaged.to_string());
        }
        Ok(Some(numbers))
    }
}

/// The text of a checkpoint, or as much of another file as is longer than any.
fn read_start(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    if path.metadata()?.is_file() {
        File::open(path)?
            .take(LONGEST_LINE)
            .read_to_string(&mut text)?;
    }
    Ok(text)
}

/// The bytes of limbs, a piece at a time.
fn bytes(limbs: &[u64], mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(8 * WORDS);
    for words in limbs.chunks(WORDS) {
        buffer.clear();
        buffer.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        take(&buffer)?;
    }
    Ok(())
}

impl Storage for Checkpoint {
    fn load(&self, name: &str) -> Result<Option<Vec<Int>>, Error> {
        let path = self.part(name);
        self.read(&path, name).map_err(|reason| {
            let message = format!("the part '{}' of the checkpoint {reason}", path.display());
            let failure = Failure::bad_input(message);
            self.stop(failure.hint("remove it: the others are still of use"))
        })
    }

    fn save(&self, name: &str, numbers: &[&Int]) -> Result<(), Error> {
        let path = self.part(name);
        let temporary = self.part(&format!("{name}.{}", std::process::id()));
        let written = self
            .write(&temporary, name, numbers)
            .and_then(|()| fs::rename(&temporary, &path));
        written.map_err(|error| {
            let _ = fs::remove_file(&temporary);
            self.stop(self.unwritable(&path, &error))
        })
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        let _ = fs::remove_file(self.part(name));
        Ok(())
    }

    fn least_bits(&self) -> u64 {
        LEAST_BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(folder: &Path) -> Checkpoint {
        Checkpoint {
            path: folder.join("pi"),
            subject: Subject {
                format: FORMAT.to_string(),
                version: VERSION.to_string(),
                constant: "pi".to_string(),
                digits: 1000,
                radix: 10,
            },
            _lock: None,
            failure: Mutex::new(None),
        }
    }

    /// Every bit of a part, every cut, more behind it, and the part of another name.
    #[test]
    fn damaged_parts_are_refused() {
        let name = format!("bezout-parts-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let checkpoint = checkpoint(&folder);
        let numbers = [Int::from(3).pow(90), -Int::from(7).pow(90), Int::ZERO];
        let references: Vec<&Int> = numbers.iter().collect();
        checkpoint.save("0-9", &references).unwrap();
        let path = checkpoint.part("0-9");
        let whole = fs::read(&path).unwrap();
        let load = |content: &[u8]| {
            fs::write(&path, content).unwrap();
            checkpoint.load("0-9")
        };
        assert_eq!(load(&whole), Ok(Some(numbers.to_vec())));
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                assert!(load(&damaged).is_err(), "bit {bit} of byte {at}");
            }
            assert!(load(&whole[..at]).is_err(), "cut at {at}");
        }
        assert!(load(&[&whole[..], b"x"].concat()).is_err());
        checkpoint.save("9-18", &references).unwrap();
        let other = fs::read(checkpoint.part("9-18")).unwrap();
        assert!(load(&other).is_err());
        let failure = checkpoint.failure().unwrap();
        assert!(
            failure.message().contains("pi.0-9.part"),
            "{}",
            failure.message()
        );
        fs::remove_dir_all(&folder).unwrap();
    }
}
