//! Checkpoints: everything that is known of a run, in a file that is replaced as a whole.
//!
//! A line of JSON, sealed: a file that was cut or changed is known as such. The new file is written
//! beside the old one, brought to the disk and then given its name: a crash leaves one of the two.
//! A file that does not belong to the run is refused and left as it is, and so is one that another
//! run has.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bezout::factor::{Options, Search};
use serde::{Deserialize, Serialize};

use super::input::Entry;
use super::line::Form;
use crate::failure::Failure;
use crate::lock::Lock;
use crate::{output, sealed};

const FORMAT: &str = "bezout factor checkpoint";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Time between the first saves, which doubles up to the second of these: a crash loses at most
/// that and what writing takes.
const FIRST_INTERVAL: Duration = Duration::from_millis(250);
const INTERVAL: Duration = Duration::from_secs(15);

/// What is known of a run.
#[derive(Debug, Serialize, Deserialize)]
struct Content {
    format: String,
    version: String,
    /// The hash of all texts to factor.
    input: String,
    options: Options,
    json: bool,
    #[serde(default)]
    exponents: bool,
    /// What has become of each number so far, in order.
    numbers: Vec<Begun>,
}

/// What has become of a number.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Begun {
    /// What was printed; empty for bad input, and while the search goes on.
    pub line: String,
    /// Whether it is factored completely.
    pub is_factored: bool,
    /// The search, unless it is at its end.
    pub search: Option<Search>,
}

impl Begun {
    /// The whole line; nothing where there is none.
    pub fn printed(&self) -> String {
        if self.line.is_empty() {
            String::new()
        } else {
            format!("{}\n", self.line)
        }
    }
}

/// A checkpoint file of a run.
pub struct Checkpoint {
    path: PathBuf,
    content: Content,
    /// Whether the file is there.
    is_written: bool,
    saved: Instant,
    interval: Duration,
    _lock: Option<Lock>,
}

impl Checkpoint {
    /// A new file, or with `resume` the run that is in it.
    pub fn open(
        path: &Path,
        resume: bool,
        entries: &[Entry],
        options: &Options,
        form: Form,
    ) -> Result<Checkpoint, Failure> {
        let lock = Lock::take(path)?;
        let fresh = Content {
            format: FORMAT.to_string(),
            version: VERSION.to_string(),
            input: hash(entries.iter().map(|entry| entry.text.trim())),
            options: options.clone(),
            json: form.global.json,
            exponents: form.exponents,
            numbers: Vec::new(),
        };
        let mut checkpoint = Checkpoint {
            path: path.to_path_buf(),
            content: fresh,
            is_written: resume,
            saved: Instant::now(),
            interval: FIRST_INTERVAL,
            _lock: lock,
        };
        if resume {
            let content = read(path)?;
            check(path, &content, &checkpoint.content, entries.len())?;
            checkpoint.content = content;
        } else if path.exists() {
            return Err(Failure::bad_input(format!(
                "the checkpoint '{}' is there already",
                path.display()
            ))
            .hint("--resume takes it up; remove it to begin anew"));
        } else {
            // A folder that cannot be written shows now and not after an hour.
            checkpoint.save()?;
        }
        Ok(checkpoint)
    }

    /// How many numbers have been begun.
    pub fn len(&self) -> usize {
        self.content.numbers.len()
    }

    /// What has become of one of them.
    pub fn number(&self, index: usize) -> &Begun {
        &self.content.numbers[index]
    }

    /// Adds the next number, or puts what has become of one in the place of what was known.
    pub fn put(&mut self, index: usize, begun: Begun) {
        match self.content.numbers.get_mut(index) {
            Some(known) => *known = begun,
            None => self.content.numbers.push(begun),
        }
    }

    /// Whether it is time to save.
    pub fn is_due(&self) -> bool {
        self.saved.elapsed() >= self.interval
    }

    /// Saves everything.
    pub fn save(&mut self) -> Result<(), Failure> {
        let failed = |error: io::Error| {
            let path = self.path.display();
            let failure = Failure::failed(format!("cannot write the checkpoint '{path}': {error}"));
            if self.is_written {
                failure.hint("what was saved before is still there: --resume takes it up")
            } else {
                failure
            }
        };
        let body = serde_json::to_string(&self.content).map_err(|e| failed(e.into()))?;
        output::replace(&self.path, sealed::seal(FORMAT, &body).as_bytes()).map_err(failed)?;
        self.is_written = true;
        self.saved = Instant::now();
        self.interval = INTERVAL.min(2 * self.interval);
        Ok(())
    }
}

fn refused(path: &Path, reason: &str) -> Failure {
    Failure::bad_input(format!("the checkpoint '{}' {reason}", path.display()))
        .hint("nothing was changed")
}

fn read(path: &Path) -> Result<Content, Failure> {
    let content =
        fs::read(path).map_err(|error| refused(path, &format!("cannot be read: {error}")))?;
    parse(&content).map_err(|reason| refused(path, &reason))
}

fn parse(content: &[u8]) -> Result<Content, String> {
    let body = sealed::open(FORMAT, content)
        .ok_or("is cut short or damaged, or is no checkpoint of this version")?;
    serde_json::from_str(body).map_err(|error| {
        let version = serde_json::from_str::<serde_json::Value>(body)
            .ok()
            .and_then(|value| Some(value.get("version")?.as_str()?.to_string()));
        match version {
            Some(version) if version != VERSION => format!("is of version {version}"),
            _ => format!("does not make sense: {error}"),
        }
    })
}

fn check(path: &Path, found: &Content, mine: &Content, count: usize) -> Result<(), Failure> {
    let is_wrong = |reason: &str| Err(refused(path, reason));
    if found.format != FORMAT {
        return is_wrong("is something else");
    }
    if found.version != VERSION {
        return is_wrong(&format!(
            "is of version {}; this is {VERSION}",
            found.version
        ));
    }
    if found.input != mine.input || found.numbers.len() > count {
        return is_wrong("belongs to other numbers");
    }
    let form = |content: &Content| (content.json, content.exponents);
    if found.options != mine.options || form(found) != form(mine) {
        return is_wrong("belongs to other options");
    }
    Ok(())
}

/// FNV-1a of texts, each with its end.
fn hash<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> String {
        let options = Options::default();
        let search = Search::new(&((bezout::Int::ONE << 300) + 1), &options).unwrap();
        let content = Content {
            format: FORMAT.to_string(),
            version: VERSION.to_string(),
            input: hash(["12"]),
            options,
            json: false,
            exponents: false,
            numbers: vec![Begun {
                line: "12: 2 2 3".to_string(),
                is_factored: true,
                search: Some(search),
            }],
        };
        sealed::seal(FORMAT, &serde_json::to_string(&content).unwrap())
    }

    #[test]
    fn every_damage_is_seen() {
        let whole = example().into_bytes();
        assert!(parse(&whole).is_ok());
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(parse(&damaged).is_err(), "byte {at}");
            assert!(parse(&whole[..at]).is_err(), "cut at {at}");
        }
    }
}
