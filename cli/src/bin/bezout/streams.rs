//! Closed standard streams are opened before the standard library's start opens them. What it opens
//! takes everything that is written, and a result that nobody gets would be no failure.

// Reason: a function that is to run before `main` is named by a section of the binary.
#![allow(unsafe_code)]

#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
#[used]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    bezout_cli::occupy_standard_streams();
}
