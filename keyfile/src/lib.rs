//! RSA moduli from the files people have.
//!
//! [`read`] streams a file: PEM, DER, OpenSSH's keys, JSON Web Keys, DNS records, CSV, JSON lines
//! or plain numbers, each of them plain or compressed. The format is recognised from the first
//! block of the content, unless [`Options`] name it.
//!
//! ```text
//!   source   decompression, byte-order marks             bytes
//!   stream   blocks that end between two records         one thread, one batch ahead of the parser
//!   text, dns, table, json, der …                        parsers, one block per rayon task
//!   batch    moduli and skipped records, in file order   handed to the caller
//! ```
//!
//! Memory: two batches of blocks, whatever the length of the file. A block is 256 KiB, or as long
//! as the longest record, of which [`LONGEST_RECORD`] bytes are read at most.
//!
//! ```
//! use bezout_keyfile::{Options, Value, read};
//!
//! let mut moduli = Vec::new();
//! let text = "# two numbers\n15\n0xff\n";
//! read(text.as_bytes(), &Options::default(), |batch| {
//!     moduli.extend(batch.keys.into_iter().map(|key| (key.line, key.value)));
//! })?;
//! assert_eq!(moduli, [(2, Value::Limbs(vec![15])), (3, Value::Limbs(vec![255]))]);
//! # Ok::<(), bezout_keyfile::Error>(())
//! ```

mod base64;
mod batch;
mod cell;
mod der;
mod dns;
mod format;
mod json;
mod number;
mod source;
mod ssh;
pub mod store;
mod stream;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use batch::{Batch, Exponent, Key, Kind, Skipped, Tally, Value};
pub use format::Format;
pub use stream::{LONGEST_RECORD, Options, read};

/// Why a file could not be read to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system's error.
    #[error("{0}")]
    Read(std::io::Error),
    /// Compressed data that does not decompress.
    #[error("the {compression} data is damaged or cut at byte {position}: {reason}")]
    Damaged {
        /// "gzip" or "zstd".
        compression: &'static str,
        /// How many bytes of the compressed file were read.
        position: u64,
        /// What the decompressor says.
        reason: String,
    },
    /// The column that was asked for is not there, or none was asked for.
    #[error("{0}")]
    Column(String),
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        match error.downcast::<Error>() {
            Ok(error) => error,
            Err(error) => Error::Read(error),
        }
    }
}
