//! `libbezout_gmp.so`: takes GMP's heavy calls and serves them by bezout. It is preloaded, or
//! linked before `-lgmp`. Calls that are short go on to the GMP that the program would have used.
//!
//! | file | what |
//! |---|---|
//! | `function.rs` | one static per function: the gate that every call passes, and the original |
//! | `entry.rs` | the macro that declares an exported function |
//! | `mpn.rs`, `mpz.rs`, `division.rs`, `text.rs`, `sequences.rs`, `flint.rs` | the functions |
//! | `serve.rs` | computes one call by bezout: signals blocked, panics caught, forks minded |
//! | `abi.rs` | GMP's types, and numbers on their way between GMP and bezout |
//! | `start.rs` | what the first call does: settings, GMP, thresholds |
//! | `loader.rs` | finds GMP and FLINT among the loaded libraries |
//! | `settings.rs`, `log.rs`, `trace.rs` | variables, messages, and the table at exit |
//!
//! The settings follow NVBLAS, which does the same for BLAS.
//!
//! Elsewhere than on Linux with glibc and 64-bit words the library is empty.

#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
// Reason: the whole crate is a C interface. Every exported function takes raw pointers under the
// contract of the GMP function whose name it has; each block states what that contract gives.
#![allow(unsafe_code)]

#[macro_use]
mod entry;

mod abi;
mod division;
mod flint;
mod function;
mod loader;
mod log;
mod mpn;
mod mpz;
mod sequences;
mod serve;
mod settings;
mod start;
mod text;
mod trace;
