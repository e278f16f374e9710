//! A file in blocks that end between two records, parsed on all threads of the pool. While the
//! blocks of one batch are parsed, those of the next one are read.

use std::io::Read;

use memchr::{memchr, memchr_iter, memmem, memrchr};
use rayon::prelude::*;

use crate::batch::{Batch, Fault, Kind};
use crate::number::{self, Radix};
use crate::table::{self, Column};
use crate::text::{self, Around, Lines, Reading};
use crate::{Error, Format, der, dns, json, source};

/// Bytes of a block. There are four of them for each thread at a time.
const BLOCK: usize = 1 << 18;

/// Bytes at the start of a file by which its format is recognised.
const SNIFFED: usize = 1 << 20;

/// Bytes of the longest record that is read. A longer one is skipped.
pub const LONGEST_RECORD: usize = 64 << 20;

/// How to read a file.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format; recognised by the content if none is given.
    pub format: Option<Format>,
    /// The column of a table that holds the keys. In JSON lines a path of names with dots.
    pub column: Option<String>,
    /// Moduli of fewer bits are skipped.
    pub min_bits: u64,
    /// Whether keys come with their names.
    pub names: bool,
}

/// Reads a source to its end. `take` gets what was found, in the order of the file. Returns the
/// format that was read.
pub fn read<R: Read + Send>(
    source: R,
    options: &Options,
    mut take: impl FnMut(Batch),
) -> Result<Format, Error> {
    let mut blocks = Blocks {
        source: source::open(source)?,
        rest: Vec::new(),
        spare: Vec::new(),
        is_at_end: false,
        format: Format::Text,
        separator: b',',
        around: Around::default(),
    };
    blocks.sniff(options)?;
    let parser = Parser::new(&mut blocks, options)?;
    let size = 2 * rayon::current_num_threads();
    let mut batch = blocks.batch(size)?;
    let mut lines = parser.lines_before;
    while !batch.is_empty() {
        let (parsed, next) = rayon::join(
            || -> Vec<Batch> { batch.par_iter().map(|piece| parser.parse(piece)).collect() },
            || blocks.batch(size),
        );
        for mut found in parsed {
            found.shift(lines);
            lines += found.lines;
            take(found);
        }
        blocks
            .spare
            .extend(batch.into_iter().map(|piece| piece.bytes));
        batch = next?;
    }
    Ok(blocks.format)
}

/// A block, or what is left of a record that is too long.
struct Piece {
    bytes: Vec<u8>,
    /// The number of lines of a record that was passed over.
    passed: Option<u64>,
    /// What was seen up to here, or in the next 64 KiB.
    around: Around,
}

/// The blocks of a source.
struct Blocks<'a> {
    source: Box<dyn Read + Send + 'a>,
    /// Read, and part of no block yet.
    rest: Vec<u8>,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
    is_at_end: bool,
    format: Format,
    /// The character between the columns of CSV.
    separator: u8,
    /// What was seen in text.
    around: Around,
}

impl Blocks<'_> {
    /// Reads the start into `rest`, and recognises the format.
    fn sniff(&mut self, options: &Options) -> Result<(), Error> {
        let mut first = Vec::with_capacity(SNIFFED);
        self.fill(&mut first, SNIFFED)?;
        self.format = match options.format {
            Some(format) => format,
            None => Format::of(&first, options.column.as_deref()),
        };
        self.look_around(&first);
        self.rest = first;
        Ok(())
    }

    /// Reads until the buffer has `length` bytes or the source ends.
    fn fill(&mut self, buffer: &mut Vec<u8>, length: usize) -> Result<(), Error> {
        let missing = length.saturating_sub(buffer.len()) as u64;
        buffer.reserve(missing as usize);
        let count = self.source.by_ref().take(missing).read_to_end(buffer)?;
        self.is_at_end = (count as u64) < missing;
        Ok(())
    }

    /// Notes what text has beside lines of keys.
    fn look_around(&mut self, block: &[u8]) {
        if !matches!(self.format, Format::Text | Format::Pem) {
            return;
        }
        let around = &mut self.around;
        around.has_blocks = around.has_blocks || text::has_block(block);
        around.has_prose = around.has_prose || text::has_prose(block);
    }

    /// At most `size` blocks; none at the end.
    fn batch(&mut self, size: usize) -> Result<Vec<Piece>, Error> {
        let mut batch = Vec::with_capacity(size);
        while batch.len() < size
            && let Some(piece) = self.next()?
        {
            batch.push(piece);
        }
        Ok(batch)
    }

    fn piece(&self, bytes: Vec<u8>) -> Piece {
        Piece {
            bytes,
            passed: None,
            around: self.around,
        }
    }

    fn next(&mut self) -> Result<Option<Piece>, Error> {
        let mut bytes = self.spare.pop().unwrap_or_default();
        std::mem::swap(&mut bytes, &mut self.rest);
        self.rest.clear();
        let mut length = BLOCK;
        loop {
            if !self.is_at_end {
                self.fill(&mut bytes, length)?;
            }
            if self.is_at_end {
                self.look_around(&bytes);
                let is_last = bytes.is_empty();
                return Ok((!is_last).then(|| self.piece(bytes)));
            }
            if let Some(end) = self.boundary(&bytes).filter(|end| *end > 0) {
                self.rest.extend_from_slice(&bytes[end..]);
                bytes.truncate(end);
                return Ok(Some(self.piece(bytes)));
            }
            if bytes.len() >= LONGEST_RECORD {
                return self.pass_over(bytes).map(Some);
            }
            length = LONGEST_RECORD.min(2 * bytes.len());
        }
    }

    /// The last place between two records.
    fn boundary(&mut self, block: &[u8]) -> Option<usize> {
        match self.format {
            Format::Jwk => json::last_boundary(block),
            Format::Dns => dns::last_boundary(block),
            Format::Csv => table::last_boundary(block, self.separator),
            Format::Der => der_boundary(block),
            Format::Text | Format::Pem => {
                self.look_around(block);
                if self.around.has_blocks {
                    pem_boundary(block)
                } else {
                    // What tools write before a PEM block is no number. The last quarter of the
                    // block goes to the next one, to see a PEM block that follows closely.
                    let end = line_start(block, block.len() - block.len() / 4);
                    end.or_else(|| line_start(block, block.len()))
                }
            }
            Format::Openssh | Format::JsonLines | Format::Decimal | Format::Hex => {
                line_start(block, block.len())
            }
        }
    }

    /// Drops a record that is too long, up to the end of its line.
    fn pass_over(&mut self, mut bytes: Vec<u8>) -> Result<Piece, Error> {
        let mut lines = memchr_iter(b'\n', &bytes).count() as u64;
        loop {
            bytes.clear();
            self.fill(&mut bytes, BLOCK)?;
            if let Some(end) = memchr(b'\n', &bytes) {
                lines += 1;
                self.rest.extend_from_slice(&bytes[end + 1..]);
                break;
            }
            if self.is_at_end {
                break;
            }
        }
        bytes.clear();
        Ok(Piece {
            passed: Some(lines),
            ..self.piece(bytes)
        })
    }
}

/// Where the line begins that the place `at` is in; none where it is the first line.
fn line_start(block: &[u8], at: usize) -> Option<usize> {
    memrchr(b'\n', &block[..at]).map(|end| end + 1)
}

/// The last start of a line that is not inside a PEM block. A block that is longer than the longest
/// record has no end, and its lines are read one by one.
fn pem_boundary(block: &[u8]) -> Option<usize> {
    let end = line_start(block, block.len())?;
    let Some(begin) = memmem::rfind(&block[..end], b"-----BEGIN ") else {
        return Some(end);
    };
    let has_end = memmem::find(&block[begin..end], b"-----END ").is_some();
    let start = line_start(block, begin);
    if has_end || (start.is_none_or(|start| start == 0) && block.len() >= LONGEST_RECORD) {
        Some(end)
    } else {
        start
    }
}

/// The end of the last structure that is there as a whole.
fn der_boundary(block: &[u8]) -> Option<usize> {
    let mut end = 0;
    while let Some(length) = der::first_length(&block[end..])
        && end + length <= block.len()
    {
        end += length;
    }
    (end > 0).then_some(end)
}

/// How blocks of a file are parsed.
struct Parser<'a> {
    options: &'a Options,
    format: Format,
    column: Option<Column>,
    /// Lines of the header.
    lines_before: u64,
}

impl<'a> Parser<'a> {
    fn new(blocks: &mut Blocks<'_>, options: &'a Options) -> Result<Self, Error> {
        let (mut column, mut lines_before) = (None, 0);
        if blocks.format == Format::Csv && !blocks.rest.is_empty() {
            let (found, length) = table::header(&blocks.rest, options.column.as_deref())?;
            lines_before = memchr_iter(b'\n', &blocks.rest[..length]).count() as u64;
            blocks.rest.drain(..length);
            blocks.separator = found.separator;
            column = Some(found);
        }
        if options.format == Some(Format::JsonLines) && options.column.is_none() {
            let words = "which member of the JSON objects holds the keys is not said";
            return Err(Error::Column(words.into()));
        }
        Ok(Parser {
            options,
            format: blocks.format,
            column,
            lines_before,
        })
    }

    fn parse(&self, piece: &Piece) -> Batch {
        if let Some(lines) = piece.passed {
            let mut batch = Batch {
                lines,
                ..Batch::default()
            };
            let longest = LONGEST_RECORD >> 20;
            let words = format!("the record is longer than {longest} MiB");
            batch.skip(1, Fault::new(Kind::Long, words));
            return batch;
        }
        let (min_bits, names) = (self.options.min_bits, self.options.names);
        let lines = match (self.format, self.column) {
            (Format::Text, _) => Lines::Any(piece.around),
            (Format::Pem, _) => Lines::Blocks,
            (Format::Openssh, _) => Lines::Ssh,
            (Format::Decimal, _) => Lines::Numbers(Radix::Decimal),
            (Format::Hex, _) => Lines::Numbers(Radix::Hex),
            (Format::Der, _) => return structures(&piece.bytes, self.options),
            (Format::Jwk, _) => return json::parse(&piece.bytes, min_bits, names),
            (Format::Dns, _) => return dns::parse(&piece.bytes, min_bits, names),
            (Format::Csv, Some(column)) => {
                return table::csv(&piece.bytes, column, min_bits, names);
            }
            (Format::Csv | Format::JsonLines, _) => {
                let column = self.options.column.as_deref();
                return table::json_lines(&piece.bytes, column, min_bits, names);
            }
        };
        let reading = Reading {
            lines,
            min_bits,
            names,
        };
        text::parse(&piece.bytes, reading)
    }
}

/// The keys of structures in DER, one behind another. "Lines" are their places.
fn structures(block: &[u8], options: &Options) -> Batch {
    let mut batch = Batch::default();
    let mut rest = block;
    while !rest.is_empty() {
        batch.lines += 1;
        let length = der::first_length(rest).unwrap_or(rest.len());
        let (structure, after) = rest.split_at(length.min(rest.len()));
        let key = der::unnamed(structure).map(|key| crate::Key {
            name: if options.names { key.name() } else { None },
            exponent: key.exponent,
            ..text::plain_key(number::from_be_bytes(key.modulus), batch.lines)
        });
        // Bytes that are no DER cannot be divided: what follows them is lost with them.
        let is_lost = key
            .as_ref()
            .is_err_and(|fault| fault.kind == Kind::Malformed);
        batch.take(key, batch.lines, options.min_bits);
        rest = if is_lost && structure[0] != 0x30 {
            &[]
        } else {
            after
        };
    }
    batch
}
