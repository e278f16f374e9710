//! The keys of all files, with their places and with what could not be read.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use bezout::{Error, Int};
use bezout_keyfile::{Batch, Exponent, Kind, Options, Tally, Value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::args::Global;
use crate::failure::Failure;
use crate::{interrupt, output};

/// Lines that a note about keys of other kinds names at most.
const LINES_NAMED: usize = 8;
/// Problems of a file that are printed; all are counted.
const PROBLEMS_PRINTED: usize = 20;
/// Problems that the JSON object lists; all are counted.
const PROBLEMS_LISTED: usize = 10_000;
/// Bytes that are read from a pipe at a time.
const CHUNK: usize = 1 << 18;
/// How often a source without new bytes asks whether work must stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// Where a key stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeyPlace {
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    pub file: Arc<str>,
    pub line: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Box<str>>,
    /// What is known of the key's public exponent.
    #[serde(skip)]
    pub exponent: Exponent,
}

/// The name of a file with its control characters escaped, so that a name with line ends does not
/// look like other lines.
pub fn shown(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_control() {
            text.extend(c.escape_debug());
        } else {
            text.push(c);
        }
    }
    text
}

fn from_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(deserializer).map(Arc::from)
}

fn as_text<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

impl fmt::Display for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", shown(&self.file), self.line)?;
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        // A name with line ends would look like other lines of the answer.
        match &self.name {
            Some(name) => write!(f, " ({})", name.escape_debug()),
            None => Ok(()),
        }
    }
}

/// A key that could not be read, or without a line a whole file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Problem {
    file: String,
    line: Option<u64>,
    reason: String,
}

/// What could not be read, and what was left out.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// The first of the problems.
    pub problems: Vec<Problem>,
    /// Records without a modulus, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// How many keys are of other kinds than RSA.
    pub left_out: usize,
    unread_files: usize,
    unread_keys: usize,
}

/// Keys, and what else was in their files.
#[derive(Default)]
pub struct Keys {
    pub moduli: Vec<Int>,
    pub places: Vec<KeyPlace>,
    pub report: Report,
}

/// A file to read.
#[derive(Debug, Clone)]
pub struct Source {
    pub path: PathBuf,
    /// Whether it was named. One that was found in a folder may hold no keys.
    is_named: bool,
}

/// The files that were named, and those in folders and below that were.
pub fn sources(files: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    if files.iter().filter(|file| is_stdin(file)).count() > 1 {
        return Err(Failure::bad_input(
            "'-' is given twice: standard input can be read once",
        ));
    }
    let mut found = Vec::new();
    for file in files {
        if is_stdin(file) || !file.is_dir() {
            let path = file.clone();
            found.push(Source {
                path,
                is_named: true,
            });
            continue;
        }
        let before = found.len();
        search(file, &mut found).map_err(|error| {
            let name = shown(&file.to_string_lossy());
            Failure::bad_input(format!("cannot search '{name}': {error}"))
        })?;
        if found.len() == before {
            let name = shown(&file.to_string_lossy());
            return Err(Failure::bad_input(format!("there is no file in '{name}'")));
        }
    }
    Ok(found)
}

/// The files in a folder and below, in the order of their names. Links to folders are not followed,
/// as they may lead in circles.
fn search(folder: &Path, found: &mut Vec<Source>) -> io::Result<()> {
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        check_time()?;
        let is_folder = path == folder || path.symlink_metadata()?.is_dir();
        if is_folder {
            let inner = fs::read_dir(&path)?.map(|inner| Ok(inner?.path()));
            let mut inner = inner.collect::<io::Result<Vec<PathBuf>>>()?;
            inner.sort_unstable_by(|a, b| b.cmp(a));
            open.extend(inner);
        } else if path.is_file() {
            found.push(Source {
                path,
                is_named: false,
            });
        }
    }
    Ok(())
}

impl Keys {
    /// Reads all files and says what it could not read. A file that cannot be read leaves the
    /// others, unless it is the only one.
    pub fn of(files: &[Source], options: &Options, global: &Global) -> Result<Keys, Failure> {
        let mut keys = Keys::default();
        for file in files {
            let before = keys.moduli.len();
            let (moduli, places) = (&mut keys.moduli, &mut keys.places);
            let mut take = |modulus, place| {
                moduli.push(modulus);
                places.push(place);
                Ok(())
            };
            let Err(failure) = keys.report.read(file, options, global, &mut take) else {
                continue;
            };
            if files.len() == 1 || interrupt::verdict().is_break() {
                return Err(failure);
            }
            // What stood before damage is as doubtful as the rest.
            keys.moduli.truncate(before);
            keys.places.truncate(before);
            if !file.is_named {
                output::remark(global, &format!("bezout: note: {}", failure.message()));
                continue;
            }
            failure.print();
            keys.report.unread_files += 1;
            keys.report.problems.push(Problem {
                file: file.path.to_string_lossy().into(),
                line: None,
                reason: failure.message().into(),
            });
        }
        Ok(keys)
    }
}

impl Report {
    /// Reads a file, hands over its keys in order, and notes and says what it could not read. A
    /// file that was found in a folder and has no keys is passed over.
    pub fn read(
        &mut self,
        file: &Source,
        options: &Options,
        global: &Global,
        take: &mut (dyn FnMut(Int, KeyPlace) -> Result<(), Failure> + Send),
    ) -> Result<(), Failure> {
        let (name, source) = open(&file.path)?;
        let label: Arc<str> = file.path.to_string_lossy().into();
        let (mut others, mut tally, mut count) = (Vec::new(), Tally::default(), 0);
        let (mut problems, mut keys) = (Vec::new(), 0);
        let room = PROBLEMS_LISTED.saturating_sub(self.problems.len());
        // The first failure to hand a key over.
        let mut refused = Ok(());
        let mut take_batch = |batch: Batch| {
            for skipped in batch.skipped {
                tally.count(skipped.kind);
                if skipped.kind == Kind::NotRsa {
                    others.push(skipped.line);
                }
                if skipped.kind.is_left_out() {
                    continue;
                }
                count += 1;
                let (line, reason) = (skipped.line, skipped.reason.into_owned());
                if file.is_named && count <= PROBLEMS_PRINTED {
                    output::report(&format!("bezout: error: {name}, line {line}: {reason}"));
                }
                if problems.len() < room {
                    problems.push(Problem {
                        file: label.to_string(),
                        line: Some(line),
                        reason,
                    });
                }
            }
            for key in batch.keys {
                keys += 1;
                if refused.is_err() {
                    return;
                }
                let place = KeyPlace {
                    file: label.clone(),
                    line: key.line,
                    column: key.column,
                    name: key.name,
                    exponent: key.exponent,
                };
                refused = modulus(key.value).and_then(|modulus| take(modulus, place));
            }
        };
        let read = output::watch(global, "reading", || {
            bezout_keyfile::read(source, options, &mut take_batch)
        });
        if !file.is_named && keys == 0 {
            read.map_err(|error| unreadable(&name, error))?;
            output::remark(
                global,
                &format!("bezout: note: {name}: no keys, passed over"),
            );
            return Ok(());
        }
        if !file.is_named {
            for Problem { line, reason, .. } in problems.iter().take(PROBLEMS_PRINTED) {
                let line = line.unwrap_or(0);
                output::report(&format!("bezout: error: {name}, line {line}: {reason}"));
            }
        }
        self.problems.append(&mut problems);
        self.unread_keys += count;
        self.left_out += others.len();
        for (kind, count) in tally.iter() {
            *self.skipped.entry(kind.label().into()).or_default() += count;
        }
        read.map_err(|error| unreadable(&name, error))?;
        refused?;
        if count > PROBLEMS_PRINTED {
            let more = count - PROBLEMS_PRINTED;
            output::report(&format!("bezout: error: {name}: and {more} more"));
        }
        if let Some(note) = left_out(&name, &others) {
            output::remark(global, &note);
        }
        // Keys of other kinds have been named.
        if tally.total() > others.len() as u64 {
            output::remark(global, &format!("bezout: note: {name}: {tally}"));
        }
        Ok(())
    }

    /// A failure if something could not be read: bad input where a whole file is missing.
    pub fn outcome(&self) -> Result<(), Failure> {
        let count = |count: usize, what: &str| match count {
            1 => format!("a {what} could not be read"),
            _ => format!("{count} {what}s could not be read"),
        };
        match (self.unread_files, self.unread_keys) {
            (0, 0) => Ok(()),
            (0, keys) => Err(Failure::failed(count(keys, "key"))),
            (files, 0) => Err(Failure::bad_input(count(files, "file"))),
            (files, keys) => Err(Failure::bad_input(format!(
                "{}, {}",
                count(files, "file"),
                count(keys, "key")
            ))),
        }
    }
}

fn modulus(value: Value) -> Result<Int, Failure> {
    match value {
        Value::Limbs(limbs) => Ok(Int::from_limbs(limbs)),
        Value::Decimal(digits) => digits
            .parse()
            .map_err(|error| Failure::failed(format!("a number of a file: {error}"))),
    }
}

/// The name of a file for messages, and its bytes to come.
fn open(file: &Path) -> Result<(String, Box<dyn Read + Send>), Failure> {
    if is_stdin(file) {
        let name = "standard input".to_string();
        let refuse = |error| unreadable(&name, bezout_keyfile::Error::Read(error));
        let source = Pipe::start(io::stdin()).map_err(refuse)?;
        return Ok((name, Box::new(source)));
    }
    let name = format!("'{}'", shown(&file.to_string_lossy()));
    let refuse = |error| unreadable(&name, bezout_keyfile::Error::Read(error));
    let source = File::open(file).map_err(refuse)?;
    let kind = source.metadata().map_err(refuse)?.file_type();
    // Opening a directory succeeds; reading it does not.
    if kind.is_dir() {
        return Err(refuse(ErrorKind::IsADirectory.into()));
    }
    let source: Box<dyn Read + Send> = if kind.is_file() {
        Box::new(Stoppable(source))
    } else {
        Box::new(Pipe::start(source).map_err(refuse)?)
    };
    Ok((name, source))
}

fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// An error once work must stop.
fn check_time() -> io::Result<()> {
    if interrupt::verdict().is_break() {
        Err(io::Error::other(Error::Cancelled))
    } else {
        Ok(())
    }
}

/// A source that cannot be read once work must stop.
struct Stoppable<R>(R);

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        check_time()?;
        self.0.read(buffer)
    }
}

/// A pipe or a terminal, which a thread of its own reads. Work that must stop does not wait for the
/// next bytes: the thread is left behind.
struct Pipe {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Cursor<Vec<u8>>,
}

impl Pipe {
    fn start(mut source: impl Read + Send + 'static) -> io::Result<Pipe> {
        let (sender, chunks) = mpsc::sync_channel(1);
        let read_all = move || loop {
            let mut chunk = Vec::with_capacity(CHUNK);
            let read = source.by_ref().take(CHUNK as u64).read_to_end(&mut chunk);
            // A terminal that has said once that it ends is not asked again.
            let is_last = !matches!(read, Ok(CHUNK));
            if sender.send(read.map(|_| chunk)).is_err() || is_last {
                return;
            }
        };
        thread::Builder::new().spawn(read_all)?;
        let chunk = Cursor::default();
        Ok(Pipe { chunks, chunk })
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            check_time()?;
            let count = self.chunk.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(chunk) => self.chunk = Cursor::new(chunk?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
    }
}

fn unreadable(name: &str, error: bezout_keyfile::Error) -> Failure {
    let reason = match &error {
        bezout_keyfile::Error::Read(error) => match error.kind() {
            ErrorKind::NotFound => "there is no such file".into(),
            ErrorKind::IsADirectory => "it is a directory".into(),
            ErrorKind::PermissionDenied => "permission denied".into(),
            _ => error.to_string(),
        },
        _ => error.to_string(),
    };
    let failure = Failure::bad_input(format!("cannot read {name}: {reason}"));
    match error {
        bezout_keyfile::Error::Column(_) => failure.hint("name the column with --column NAME"),
        _ => failure,
    }
}

/// The note about the keys of other kinds on these lines of a file; none where there are none.
fn left_out(name: &str, lines: &[u64]) -> Option<String> {
    let words = match lines {
        [] => return None,
        [line] => format!("{name}, line {line}: not an RSA key, left out"),
        _ => {
            let first = lines.iter().take(LINES_NAMED).map(u64::to_string);
            let first = first.collect::<Vec<_>>().join(", ");
            let more = if lines.len() > LINES_NAMED {
                ", …"
            } else {
                ""
            };
            let count = lines.len();
            format!("{name}: {count} keys are not RSA keys, left out: lines {first}{more}")
        }
    };
    Some(format!("bezout: note: {words}"))
}
