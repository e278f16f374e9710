//! bezout for C and C++: `libbezout.so`, `libbezout.a` and `bezout.h`, which cbindgen makes of this
//! crate.
//!
//! Every function is the library's own behind a border. The border checks pointers for NULL, turns
//! errors into a [`status`](crate::bezout_status) with a message for each thread, and lets no panic
//! out. `docs/c.md` is the chapter for users.
//!
//! # Safety
//!
//! One contract holds for all functions. A pointer is NULL, which is an error where a function does
//! not say that it is allowed, or valid: a handle that one of the `_new` or `_from` functions made
//! and that is not freed yet, a string that ends with NUL, or an array of at least as many items as
//! the count beside it says. Values behind `const` pointers may be read by several threads at once;
//! nobody else may use what a call changes. Results may lie where operands do. Buffers do not
//! overlap handles.

#![warn(missing_docs)]
// The names are those of the header.
#![allow(non_camel_case_types)]
// The contract of all functions is above. It would stand in the header 200 times.
#![allow(clippy::missing_safety_doc)]

// Blank lines keep the order, which is that of the header.
mod border;

mod status;

mod text;

mod scope;

mod int;

mod random;

mod prepared;

mod factor;

mod keys;

mod poly;

mod batch;

mod sort;

use bezout::memory::ReservingAllocator;

/// A program in C is not to be ended for lack of memory.
#[global_allocator]
static ALLOCATOR: ReservingAllocator = ReservingAllocator;

pub use batch::*;
pub use border::{bezout_batch, bezout_int, bezout_poly};
pub use factor::*;
pub use int::*;
pub use keys::*;
pub use poly::*;
pub use prepared::*;
pub use random::*;
pub use scope::*;
pub use sort::*;
pub use status::*;
pub use text::*;

/// Runs `work` as every function for C runs its own, for the test that a panic becomes a code.
#[doc(hidden)]
pub fn run_guarded(work: fn()) -> bezout_status {
    border::guard(|| {
        work();
        Ok(())
    })
}
