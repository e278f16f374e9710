//! The environment variables that bezout reads.
//!
//! A variable that is empty or blank counts as not set. The command line refuses to start with a
//! value that is not one of those allowed ([`check`]).
//!
//! | variable | allowed |
//! |---|---|
//! | `BEZOUT_DEVICE_MEMORY` | bytes, a unit (8GiB, 500MB) or a percentage (90%) |
//! | `BEZOUT_CACHE` | a folder, or a path at which one can be made |
//! | `BEZOUT_NVRTC` | the path of an NVRTC library, or a name that the loader finds |
//! | `BEZOUT_KERNELS` | the path of a pack of `bezout kernels pack`, or of a folder of packs |
//! | `BEZOUT_TUNING` | `default` or `minimal`, and values after it |
//! | `BEZOUT_EXECUTOR_FLAGS` | flags of a C++ compiler |
//! | `BEZOUT_EXECUTOR_SEED` | a number from 0 to 2^64 − 1, decimal or 0x… |
//! | `BEZOUT_COMMIT` | 7 to 64 hexadecimal digits, and `-dirty` after them for changes |

use std::path::Path;

use crate::error::{Error, Result};
use crate::memory::parse_device_limit;
use crate::tuning::Tuning;
pub use crate::variables::text;

/// A variable, and the values that it may have.
struct Variable {
    name: &'static str,
    /// The words of an error for another value.
    allowed: &'static str,
    is_allowed: fn(&str) -> bool,
}

/// A card of this many bytes, to read `BEZOUT_DEVICE_MEMORY` where there is none.
const SOME_CARD: u64 = 1 << 40;

const VARIABLES: &[Variable] = &[
    Variable {
        name: "BEZOUT_DEVICE_MEMORY",
        allowed: "bytes, a unit (8GiB, 500MB) or a percentage (90%)",
        is_allowed: |text| parse_device_limit(text, SOME_CARD).is_ok(),
    },
    Variable {
        name: "BEZOUT_CACHE",
        allowed: "a folder, or a path at which one can be made",
        is_allowed: |text| {
            let mut existing = Path::new(text).ancestors().filter(|path| path.exists());
            existing.next().is_none_or(Path::is_dir)
        },
    },
    Variable {
        name: "BEZOUT_NVRTC",
        allowed: "the path of an NVRTC library, such as /usr/lib/libnvrtc.so.12",
        // The loader searches for a bare name in its own folders.
        is_allowed: |text| {
            let path = Path::new(text);
            path.file_name() == Some(path.as_os_str()) || path.is_file()
        },
    },
    Variable {
        name: "BEZOUT_KERNELS",
        allowed: "the path of a pack that 'bezout kernels pack' wrote, or of a folder of packs",
        is_allowed: |text| Path::new(text).exists(),
    },
    Variable {
        name: "BEZOUT_TUNING",
        allowed: "default or minimal, and values after it, such as default,linear_block=256",
        is_allowed: |text| Tuning::parse(text).is_ok(),
    },
    Variable {
        name: "BEZOUT_EXECUTOR_FLAGS",
        allowed: "flags of a C++ compiler, such as -fsanitize=address",
        is_allowed: |text| text.trim_start().starts_with('-'),
    },
    Variable {
        name: "BEZOUT_EXECUTOR_SEED",
        allowed: "a number from 0 to 2^64 - 1, decimal or 0x...",
        is_allowed: |text| match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).is_ok(),
            None => text.parse::<u64>().is_ok(),
        },
    },
    Variable {
        name: "BEZOUT_COMMIT",
        allowed: "7 to 64 hexadecimal digits, and -dirty behind them for changes",
        is_allowed: |text| {
            let digits = text.strip_suffix("-dirty").unwrap_or(text);
            (7..=64).contains(&digits.len()) && digits.bytes().all(|c| c.is_ascii_hexdigit())
        },
    },
];

/// Returns an error that names the first variable whose value is not allowed, and lists the allowed
/// values.
pub fn check() -> Result<()> {
    for variable in VARIABLES {
        if let Some(text) = text(variable.name)
            && !(variable.is_allowed)(&text)
        {
            return Err(Error::Domain(variable.refusal(&text)));
        }
    }
    Ok(())
}

impl Variable {
    fn refusal(&self, text: &str) -> String {
        let reason = match (self.name, Tuning::parse(text)) {
            ("BEZOUT_TUNING", Err(error)) => format!(" ({error})"),
            _ => String::new(),
        };
        let Variable { name, allowed, .. } = self;
        format!("{name}='{text}' is not allowed{reason}: it may be {allowed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let here = std::env::current_exe().unwrap();
        let here = here.to_str().unwrap();
        let below = format!("{here}/below");
        let table: &[(&str, &[&str], &[&str])] = &[
            (
                "BEZOUT_DEVICE_MEMORY",
                &["8GiB", "500MB", "60%", "123456"],
                &["much", "-1", "0", "101%", "8 cows"],
            ),
            ("BEZOUT_CACHE", &["/", ".", "new/folder"], &[here, &below]),
            (
                "BEZOUT_NVRTC",
                &[here, "libnvrtc.so.12"],
                &["/no/such/library", "/"],
            ),
            ("BEZOUT_KERNELS", &[here, "/"], &["/no/such/file"]),
            (
                "BEZOUT_TUNING",
                &["default", "minimal", "default,linear_block=256"],
                &["rubbish", "default,rubbish", "default,no_such_name=1"],
            ),
            ("BEZOUT_EXECUTOR_FLAGS", &["-O2 -g", " -O0"], &["rubbish"]),
            (
                "BEZOUT_EXECUTOR_SEED",
                &["0", "18446744073709551615", "0xff"],
                &["rubbish", "-1", "18446744073709551616", "0x", "1.5"],
            ),
            (
                "BEZOUT_COMMIT",
                &["d8fe1eb", "d8fe1eb-dirty"],
                &["rubbish", "123", "d8fe1eb-dirt", "-dirty"],
            ),
        ];
        assert_eq!(table.len(), VARIABLES.len());
        for ((name, good, bad), variable) in table.iter().zip(VARIABLES) {
            assert_eq!(*name, variable.name);
            for text in *good {
                assert!((variable.is_allowed)(text), "{name}={text}");
            }
            for text in *bad {
                assert!(!(variable.is_allowed)(text), "{name}={text}");
                let refusal = variable.refusal(text);
                assert!(refusal.contains(name) && refusal.contains(variable.allowed));
            }
        }
    }
}
