//! Exact arithmetic at GPU speed: huge integers that live on the GPU, or on the CPU where there is
//! none.
//!
//! # A short tour
//!
//! [`Int`] is a signed integer of any size. It has the operators of Rust's own integers, by value
//! and by reference, with [`Int`]s and with machine integers on either side.
//!
//! ```
//! use bezout::Int;
//!
//! let p = Int::ONE << 4423;
//! let mersenne = p - 1;
//! let a: Int = "0xdead_beef".parse()?;
//! let (g, s, t) = mersenne.extended_gcd(&a);
//! assert_eq!(s * &mersenne + t * &a, g);
//! assert_eq!(Int::fibonacci(300).to_string().len(), 63);
//! assert_eq!(format!("{:#x}", a * -2), "-0x1bd5b7dde");
//! # Ok::<(), bezout::Error>(())
//! ```
//!
//! Every operation that can fail has two forms. An operator or a plain name, such as `/` or
//! [`isqrt`](Int::isqrt), panics as Rust's own integers do; `try_` before the name, such as
//! [`try_div`](Int::try_div) or [`try_isqrt`](Int::try_isqrt), returns an [`Error`] instead.
//!
//! ```
//! use bezout::{Error, Int};
//!
//! assert_eq!(Int::from(7) / 2, 3);
//! assert_eq!(Int::from(7).try_div(&Int::ZERO), Err(Error::DivisionByZero));
//! assert_eq!(Int::from(99).isqrt(), 9);
//! assert!(Int::from(-99).try_isqrt().is_err());
//! ```
//!
//! The other types, such as [`Poly`] and [`Batch`], have operators where these are natural and
//! `try_` methods for everything else. Constructors that check what they are given, and functions
//! of modules, such as [`tree::product`] and [`keys::shared_factors`], return a [`Result`] under
//! their plain name: they have no panicking form. Nor have the methods of a
//! [`Cluster`](cluster::Cluster).
//!
//! An [`Engine`] says where operations run. Under `Auto`, the default, they run where their
//! operands are: put values on a device with [`Int::to_device`], and everything computed from them
//! stays there until you look at it.
//!
//! ```
//! use bezout::{Engine, Int};
//!
//! let a = Int::ones(1 << 20);
//! if bezout::cuda::device_count() > 0 {
//!     a.to_device(0);
//! }
//! let b = &a ^ (&a << 1);
//! println!("computed on {:?}", Engine::last_used());
//! assert_eq!(b.count_ones(), Some(2));
//!
//! let c = Engine::Cpu.scope(|| &a + &a);
//! assert_eq!(c, a << 1);
//! ```
//!
//! Values convert to and from machine integers, [limbs](Int::limbs), [bytes](Int::to_le_bytes),
//! text in [any radix](Int::from_str_radix), [GMP's raw format](Int::read_gmp_raw) and serde; with
//! the features `gmp`, `malachite` and `num-bigint`, to and from the integers of `rug`, `malachite`
//! and `num-bigint` too.
//!
//! # What there is
//!
//! | to | see |
//! |---|---|
//! | compute with integers | [`Int`]; [`Prepared`] and [`Divisor`] for an operand of many operations |
//! | find greatest common divisors | [`Int::gcd`], [`Int::extended_gcd`], [`GcdAlgorithm`] |
//! | find primes and factors | [`Int::is_probable_prime`], [`Int::factor`], [`factor`] |
//! | compute with many numbers at once | [`Batch`], [`Rows`], [`Moduli`] |
//! | compute with polynomials over Z_p | [`Poly`], [`poly`] |
//! | multiply many numbers, or divide by many | [`tree`] |
//! | find primes that RSA keys share | [`keys`] |
//! | print digits of pi, e and others | [`constant`] |
//! | sort | [`mod@sort`] |
//! | keep numbers as residues | [`residues`] |
//! | choose where operations run | [`Engine`], [`engine`], [`cuda`] |
//! | follow long work, or stop it | [`progress`] |
//! | check results | [`verify`], [`Int::verify_gcd`] |
//! | use many processes | [`cluster`] |
//! | set limits, and prepare a machine | [`environment`], [`memory`], [`kernels`], [`notice`] |
//!
//! Nothing here takes constant time: how long an operation takes tells about its operands. Use a
//! library of cryptography for computations with secrets.
//!
//! The machine model, the tuner and the algorithms as papers published them are in the crate
//! `bezout-lab`.

#[doc(hidden)]
pub mod background;
mod batch;
mod cache;
mod checks;
pub mod cluster;
pub mod constant;
pub mod cuda;
mod device;
mod div;
pub mod engine;
pub mod environment;
pub mod error;
pub mod factor;
mod factoring;
mod fork;
mod gcd;
mod int;
pub mod kernels;
pub mod keys;
mod limbs;
// The interface that `bezout-lab` and the benchmarks stand on; its head says what it has.
#[doc(hidden)]
pub mod measure;
pub mod memory;
mod model;
mod modp;
mod modular;
mod mul;
pub mod notice;
mod ntt;
mod number;
pub mod poly;
mod primality;
mod product_tree;
pub mod progress;
mod radix;
pub mod residues;
mod root;
mod sequences;
pub mod sort;
#[cfg(test)]
mod tests;
pub mod theory;
mod threads;
pub mod tree;
mod tuning;
mod variables;
mod vectorised;
pub mod verify;
mod word;

pub use batch::{Batch, Moduli, Rows};
pub use cache::folder as cache_folder;
pub use engine::Engine;
pub use error::{Error, Result};
pub use gcd::{Algorithm as GcdAlgorithm, Stats as GcdStats, WeberCount, WeberOptions};
pub use int::{Divisor, Int, Operand, Prepared};
pub use mul::mul_slices;
pub use poly::Poly;

/// The program of `README.md`, which the documentation tests run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The programs of pages under `docs/`, which the documentation tests run.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../docs/batches.md")]
    struct Batches;
    #[doc = include_str!("../docs/engines.md")]
    struct Engines;
    #[doc = include_str!("../docs/polynomials.md")]
    struct Polynomials;
    #[doc = include_str!("../docs/rug.md")]
    struct Rug;
    #[doc = include_str!("../docs/tour.md")]
    struct Tour;
}
