//! Tables: CSV (RFC 4180, also with tabs or semicolons) and JSON lines, of which one column holds
//! the keys.

use memchr::memchr_iter;

use crate::batch::{Batch, Fault, Kind, Parsed};
use crate::text::Numbered;
use crate::{Error, cell, json};

/// Characters of the list of columns that a message shows.
const SHOWN: usize = 200;

/// Where the keys of a CSV file stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    index: usize,
    pub(crate) separator: u8,
}

/// The record at the start of a text.
struct Record {
    fields: Vec<Vec<u8>>,
    /// Bytes, with the line's end.
    length: usize,
    /// Whether the text ends inside the quotes of the last field.
    is_cut: bool,
}

fn record(text: &[u8], separator: u8) -> Record {
    let (mut fields, mut field, mut at) = (Vec::new(), Vec::new(), 0);
    let mut is_cut = false;
    loop {
        match text.get(at) {
            Some(b'"') if field.is_empty() => {
                at = quoted(text, at + 1, &mut field);
                is_cut = at == text.len();
            }
            Some(b'\n') | None => break,
            Some(c) if *c == separator => fields.push(std::mem::take(&mut field)),
            Some(c) => field.push(*c),
        }
        at += 1;
    }
    if field.last() == Some(&b'\r') {
        field.pop();
    }
    fields.push(field);
    Record {
        fields,
        length: (at + 1).min(text.len()),
        is_cut,
    }
}

/// Takes what stands in quotes, where two quotes are one. Returns the place of the last quote.
fn quoted(text: &[u8], start: usize, field: &mut Vec<u8>) -> usize {
    let end = quoted_end(text, start);
    let mut rest = &text[start..end];
    while let Some(at) = memchr::memchr(b'"', rest) {
        field.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    field.extend_from_slice(rest);
    end
}

/// The place of the quote that closes a field, of which the text in quotes begins at `start`; the
/// end of the text if there is none.
fn quoted_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        let Some(step) = memchr::memchr(b'"', &text[at..]) else {
            return text.len();
        };
        at += step;
        if text.get(at + 1) != Some(&b'"') {
            return at;
        }
        at += 2;
    }
}

/// Finds the column by the first record of a file, and returns where the others begin.
pub(crate) fn header(text: &[u8], column: Option<&str>) -> Result<(Column, usize), Error> {
    let first = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    let count = |c: u8| memchr_iter(c, first).count();
    let separators = [b',', b'\t', b';'];
    let separator = separators.into_iter().rev().max_by_key(|c| count(*c));
    let separator = separator.unwrap_or(b',');
    let Record { fields, length, .. } = record(text, separator);
    let names: Vec<_> = fields.iter().map(|name| name.trim_ascii()).collect();
    let index = match column {
        Some(column) => names.iter().position(|name| *name == column.as_bytes()),
        None if names.len() == 1 => Some(0),
        None => None,
    };
    if let Some(index) = index {
        return Ok((Column { index, separator }, length));
    }
    let list: Vec<_> = names
        .iter()
        .map(|name| String::from_utf8_lossy(name))
        .collect();
    let list: String = list.join(", ").chars().take(SHOWN).collect();
    Err(Error::Column(match column {
        Some(column) => format!("there is no column '{column}': the columns are {list}"),
        None => format!("which column holds the keys is not said: the columns are {list}"),
    }))
}

/// Where a block of CSV may end: after a line's end that is not in quotes. The block begins with a
/// record. As in `fields`, a quote opens a quoted field only at the field's start.
pub(crate) fn last_boundary(block: &[u8], separator: u8) -> Option<usize> {
    if memchr::memchr(b'"', block).is_none() {
        return memchr::memrchr(b'\n', block).map(|end| end + 1);
    }
    let (mut at, mut last) = (0, None);
    while at < block.len() {
        if block[at] == b'"' {
            at = quoted_end(block, at + 1);
        }
        let Some(step) = memchr::memchr2(separator, b'\n', &block[at..]) else {
            break;
        };
        at += step + 1;
        if block[at - 1] == b'\n' {
            last = Some(at);
        }
    }
    last
}

/// Reads a block of CSV.
pub(crate) fn csv(block: &[u8], column: Column, min_bits: u64, names: bool) -> Batch {
    let mut batch = Batch::default();
    let (mut rest, mut line) = (block, 1);
    while !rest.is_empty() {
        let Record {
            fields,
            length,
            is_cut,
        } = record(rest, column.separator);
        let is_blank = fields.len() == 1 && fields[0].trim_ascii().is_empty() && !is_cut;
        if !is_blank {
            let cut = |words| Fault::new(Kind::Cut, words);
            let field = match fields.get(column.index) {
                _ if is_cut => Err(cut("the file ends inside a quoted value")),
                None => Err(cut("the record has too few columns")),
                Some(field) => Ok(field),
            };
            let key = field.and_then(|field| cell::key(field, line, names));
            batch.take(key, line, min_bits);
        }
        line += memchr_iter(b'\n', &rest[..length]).count() as u64;
        rest = &rest[length..];
    }
    batch.lines = line - 1;
    batch
}

/// Reads a block of JSON lines. Without a column every line is skipped.
pub(crate) fn json_lines(block: &[u8], column: Option<&str>, min_bits: u64, names: bool) -> Batch {
    let mut batch = Batch::default();
    let mut lines = Numbered::new(block);
    while let Some(text) = lines.next() {
        let text = text.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let at = lines.line;
        let key = || -> Parsed<crate::Key> {
            let column = column.ok_or_else(no_column)?;
            let value = json::lookup(text, column)?.filter(|value| *value != b"null");
            let missing = || Fault::new(Kind::Empty, "the line has no such member");
            cell::key(&json::plain(value.ok_or_else(missing)?)?, at, names)
        };
        batch.take(key(), at, min_bits);
    }
    batch.lines = lines.line;
    batch
}

fn no_column() -> Fault {
    let words = "it is JSON without a JSON Web Key: name the member that holds the key of each \
                 line with --column NAME";
    Fault::new(Kind::Unread, words)
}
