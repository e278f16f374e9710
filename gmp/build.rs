//! Flags of the linker. Functions of other crates that have C names are kept inside: a preloaded
//! library would put them before those of the program. zig's linker, which `.ci/release` takes,
//! does not know that flag: there the names are checked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        let linker = std::env::var("RUSTC_LINKER").unwrap_or_default();
        if !linker.contains("zigcc") {
            println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
        }
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libbezout_gmp.so");
    }
}
