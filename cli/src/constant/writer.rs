//! Digits to a file or to stdout, in groups where asked for.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::failure::Failure;
use crate::fresh_file::FreshFile;
use crate::sealed::hexadecimal;
use crate::{interrupt, output};

/// Groups on a line.
const GROUPS: u64 = 10;

/// Bytes that are written between two looks at interrupts.
const PIECE: usize = 1 << 20;

/// What to do where a file is there already.
const HINT: &str = "remove it, or choose another name";

/// Where the digits go.
pub struct Target(FreshFile);

impl Target {
    /// Refuses a file that is there already. A partial file is refused too, unless a run goes on
    /// whose file it is.
    pub fn new(path: &Path, goes_on: bool) -> Result<Target, Failure> {
        let file = FreshFile::new(path, HINT)?;
        if !goes_on {
            file.refuse_partial(HINT)?;
        }
        Ok(Target(file))
    }

    /// The file's name.
    pub fn name(&self) -> String {
        self.0.path().display().to_string()
    }

    /// Whether a path is that of this file, or of its part.
    pub fn is(&self, path: &Path) -> bool {
        self.0.is(path)
    }

    /// An error where the disk has no room for so many bytes.
    pub fn check_room(&self, bytes: u64) -> Result<(), Failure> {
        match room(output::folder_of(self.0.path())) {
            Some(room) if room < bytes => {
                let name = self.name();
                let message = format!("'{name}' needs {bytes} bytes, and its disk has {room}");
                Err(Failure::failed(message).hint("choose a file on another disk"))
            }
            _ => Ok(()),
        }
    }

    /// Begins to write the file.
    pub fn begin(&self, group: Option<u64>) -> Result<Writing<'_>, Failure> {
        Ok(Writing {
            target: &self.0,
            file: BufWriter::with_capacity(1 << 20, self.0.create()?),
            hash: Sha256::new(),
            layout: Layout::new(group),
        })
    }
}

/// A file in the making. Its partial file is removed unless it is complete.
pub struct Writing<'a> {
    target: &'a FreshFile,
    file: BufWriter<File>,
    /// Of all that was written.
    hash: Sha256,
    layout: Layout,
}

/// A writer whose bytes are hashed.
pub struct Hashed<'a, W>(pub &'a mut W, pub &'a mut Sha256);

impl<W: Write> Write for Hashed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Writing<'_> {
    /// Begins again.
    pub fn restart(&mut self) -> Result<(), Failure> {
        let restarted = self
            .file
            .rewind()
            .and_then(|()| self.file.get_ref().set_len(0));
        self.layout = Layout::new(self.layout.group);
        self.hash = Sha256::new();
        restarted.map_err(|error| self.target.failed(&error))
    }

    /// Writes the next part of the text.
    pub fn write(&mut self, part: &str) -> Result<(), Failure> {
        let out = &mut Hashed(&mut self.file, &mut self.hash);
        let written = self.layout.write(out, part);
        written.map_err(|error| self.target.failed(&error))
    }

    /// Ends the text and gives the file its name, once it is on the disk. Gives the SHA-256 of the
    /// file.
    pub fn finish(mut self) -> Result<String, Failure> {
        let written = writeln!(Hashed(&mut self.file, &mut self.hash))
            .and_then(|()| self.file.flush())
            .and_then(|()| self.file.get_ref().sync_all());
        written.map_err(|error| self.target.failed(&error))?;
        self.target.publish()?;
        Ok(hexadecimal(&self.hash.finalize_reset()))
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.target.discard();
    }
}

/// Prints the text to stdout.
pub fn print(text: &str, group: Option<u64>) -> Result<(), Failure> {
    output::written(|out| {
        Layout::new(group).write(out, text)?;
        writeln!(out)
    })
}

/// The SHA-256 of what [`print`] prints.
pub fn hash_of_print(text: &str, group: Option<u64>) -> Result<String, Failure> {
    let mut hash = Sha256::new();
    let out = &mut Hashed(&mut io::sink(), &mut hash);
    let written = Layout::new(group)
        .write(out, text)
        .and_then(|()| writeln!(out));
    written.map_err(|error| Failure::failed(error.to_string()))?;
    Ok(hexadecimal(&hash.finalize()))
}

/// Where the next digit goes.
struct Layout {
    group: Option<u64>,
    /// Digits behind the point that are written; none before the point.
    digits: Option<u64>,
}

impl Layout {
    fn new(group: Option<u64>) -> Layout {
        let digits = None;
        Layout { group, digits }
    }

    /// Writes the next part of the text. An error after an interrupt.
    fn write(&mut self, out: &mut dyn Write, part: &str) -> io::Result<()> {
        let mut rest = part;
        if self.digits.is_none() {
            let Some((whole, digits)) = part.split_once('.') else {
                return out.write_all(part.as_bytes());
            };
            write!(out, "{whole}.")?;
            if self.group.is_some() {
                writeln!(out)?;
            }
            self.digits = Some(0);
            rest = digits;
        }
        for piece in rest.as_bytes().chunks(PIECE) {
            if interrupt::verdict().is_break() {
                return Err(io::Error::other("interrupted"));
            }
            self.digits(out, piece)?;
        }
        Ok(())
    }

    fn digits(&mut self, out: &mut dyn Write, mut digits: &[u8]) -> io::Result<()> {
        let (Some(group), Some(written)) = (self.group, &mut self.digits) else {
            return out.write_all(digits);
        };
        while !digits.is_empty() {
            let inside = *written % group;
            if inside == 0 && *written > 0 {
                let is_line_full = *written % group.saturating_mul(GROUPS) == 0;
                out.write_all(if is_line_full { b"\n" } else { b" " })?;
            }
            let count = (group - inside).min(digits.len() as u64);
            let (now, rest) = digits.split_at(count as usize);
            out.write_all(now)?;
            *written += count;
            digits = rest;
        }
        Ok(())
    }
}

/// Bytes that are free on the disk of a folder, where that is known.
#[cfg(unix)]
fn room(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

#[cfg(not(unix))]
fn room(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(text: &str, group: Option<u64>) -> String {
        let mut out = Vec::new();
        Layout::new(group).write(&mut out, text).unwrap();
        // Parts of any length are written as the whole is.
        let mut parts = (Layout::new(group), Vec::new());
        for at in 0..text.len() {
            // The point comes with the first part.
            if at > 0 || !text.contains('.') {
                let from = if at == 1 { 0 } else { at };
                parts.0.write(&mut parts.1, &text[from..=at]).unwrap();
            }
        }
        assert_eq!(parts.1, out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn groups() {
        assert_eq!(grouped("3", Some(5)), "3");
        assert_eq!(grouped("3.14159", None), "3.14159");
        assert_eq!(grouped("3.14159", Some(3)), "3.\n141 59");
        assert_eq!(grouped("3.14159", Some(1)), "3.\n1 4 1 5 9");
        assert_eq!(
            grouped("1.01010101010", Some(1)),
            "1.\n0 1 0 1 0 1 0 1 0 1\n0"
        );
        assert_eq!(grouped("3.14159", Some(u64::MAX)), "3.\n14159");
    }
}
