//! Gives the shared library the name that programs look for at run time, and its functions alone.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if system == "linux" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libbezout.so.0");
        // A dependency may have functions for C of its own, which are not part of this library.
        // zig's linker, which `.ci/release` takes, does not know the flag: there the names are
        // checked.
        let linker = std::env::var("RUSTC_LINKER").unwrap_or_default();
        if !linker.contains("zigcc") {
            println!("cargo::rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
        }
    }
}
