//! Bytes of a file: decompressed, and without a byte-order mark. Compression is known by the first
//! bytes and not by the file's name.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::Error;

const GZIP: [u8; 3] = [0x1f, 0x8b, 8];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Frames that hold no data have one of 16 marks.
const ZSTD_SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

/// Bytes read at a time from a compressed file.
const BUFFER: usize = 1 << 18;

/// Opens a source of bytes that may be compressed text.
pub(crate) fn open<'a>(mut source: impl Read + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    let head = head(&mut source)?;
    let source = Cursor::new(head.clone()).chain(source);
    let plain: Box<dyn Read + Send + 'a> = if head.starts_with(&GZIP) {
        let source = Counted::new(source);
        Box::new(Gzip(MultiGzDecoder::new(source)))
    } else if head.starts_with(&ZSTD) || is_skippable(&head) {
        Box::new(Zstd::new(Counted::new(source)))
    } else {
        Box::new(source)
    };
    without_mark(plain)
}

fn is_skippable(head: &[u8]) -> bool {
    head.first().is_some_and(|first| first & 0xf0 == 0x50)
        && head.get(1..4) == Some(&ZSTD_SKIPPABLE)
}

/// The first four bytes, or as many as there are.
fn head(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(4);
    source.take(4).read_to_end(&mut head)?;
    Ok(head)
}

/// Text in UTF-8 without a byte-order mark. Text in UTF-16 must have one, and becomes UTF-8.
fn without_mark<'a>(
    mut source: Box<dyn Read + Send + 'a>,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let head = head(&mut source)?;
    let marks: [(&[u8], Option<Unit>); 3] = [
        (&[0xef, 0xbb, 0xbf], None),
        (&[0xff, 0xfe], Some(u16::from_le_bytes)),
        (&[0xfe, 0xff], Some(u16::from_be_bytes)),
    ];
    let found = marks.iter().find(|(mark, _)| head.starts_with(mark));
    let (length, unit) = found.map_or((0, None), |(mark, unit)| (mark.len(), *unit));
    let mut head = Cursor::new(head);
    head.set_position(length as u64);
    let source = head.chain(source);
    Ok(match unit {
        Some(unit) => Box::new(Utf16 {
            source: BufReader::new(source),
            unit,
            pending: Vec::new(),
        }),
        None => Box::new(source),
    })
}

/// A unit of UTF-16 from its bytes.
type Unit = fn([u8; 2]) -> u16;

/// UTF-16 as UTF-8; what is no character becomes U+FFFD.
struct Utf16<R> {
    source: BufReader<R>,
    unit: Unit,
    /// Bytes of UTF-8 that were not asked for yet.
    pending: Vec<u8>,
}

impl<R: Read> Utf16<R> {
    /// The next unit; none at the end, where half a unit does not count.
    fn unit(&mut self) -> io::Result<Option<u16>> {
        let mut bytes = [0; 2];
        match self.source.read_exact(&mut bytes) {
            Ok(()) => Ok(Some((self.unit)(bytes))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.pending.len() < buffer.len() {
            let Some(first) = self.unit()? else {
                break;
            };
            let is_pair = (0xd800..0xdc00).contains(&first);
            let second = if is_pair { self.unit()? } else { None };
            let units = [Some(first), second].into_iter().flatten();
            for c in char::decode_utf16(units) {
                let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
                self.pending
                    .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        let count = buffer.len().min(self.pending.len());
        buffer[..count].copy_from_slice(&self.pending[..count]);
        self.pending.drain(..count);
        Ok(count)
    }
}

/// A buffered source that counts what was taken from it.
struct Counted<R> {
    source: BufReader<R>,
    position: u64,
}

impl<R: Read> Counted<R> {
    fn new(source: R) -> Counted<R> {
        Counted {
            source: BufReader::with_capacity(BUFFER, source),
            position: 0,
        }
    }

    /// The error of a decompressor that failed here. An error of the system stays as it is.
    fn damaged(&self, compression: &'static str, error: io::Error) -> io::Error {
        let is_data = matches!(
            error.kind(),
            io::ErrorKind::InvalidData
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::UnexpectedEof
                | io::ErrorKind::Other
        );
        if !is_data {
            return error;
        }
        io::Error::other(Error::Damaged {
            compression,
            position: self.position,
            reason: error.to_string(),
        })
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl<R: Read> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.position += amount as u64;
        self.source.consume(amount);
    }
}

/// One gzip member or several.
struct Gzip<R>(MultiGzDecoder<Counted<R>>);

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer);
        read.map_err(|error| self.0.get_ref().damaged("gzip", error))
    }
}

/// One zstd frame or several.
struct Zstd<R> {
    source: Counted<R>,
    decoder: FrameDecoder,
    is_in_frame: bool,
    /// Bytes that the frame gave so far.
    decoded: u64,
}

impl<R: Read> Zstd<R> {
    fn new(source: Counted<R>) -> Zstd<R> {
        Zstd {
            source,
            decoder: FrameDecoder::new(),
            is_in_frame: false,
            decoded: 0,
        }
    }

    /// Enters the next frame with data; none at the end of the file.
    fn enter(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    (self.is_in_frame, self.decoded) = (true, 0);
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let mut frame = self.source.by_ref().take(length);
                    if io::copy(&mut frame, &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }

    fn decode(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_in_frame && !self.enter()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let blocks = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.source, blocks);
                decoded.map_err(io::Error::other)?;
            }
            let count = self.decoder.read(buffer)?;
            self.decoded += count as u64;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            // A length of 0 is one that the frame does not say.
            let length = self.decoder.content_size();
            if length > 0 && length != self.decoded {
                return Err(io::Error::other("the content is not as long as it says"));
            }
            let stored = self.decoder.get_checksum_from_data();
            if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
                return Err(io::Error::other("the checksum of the content is wrong"));
            }
            self.is_in_frame = false;
        }
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decode(buffer);
        read.map_err(|error| self.source.damaged("zstd", error))
    }
}
