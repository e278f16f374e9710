//! Flags of the linker. Functions of other crates that have C names are kept inside: a preloaded
//! library would put them before those of the program.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libbezout_gmp.so");
    }
}
