//! Hands the compiler's and malachite's versions to the records that benchmarks write.

use std::path::Path;
use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let rustc = version.and_then(|out| String::from_utf8(out.stdout).ok());
    set("BEZOUT_RUSTC", rustc.as_deref());

    // The lock file names the version that is really linked. A packaged crate may come without one.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let lock = std::fs::read_to_string(lock).unwrap_or_default();
    let malachite = lock
        .split_once("name = \"malachite-nz\"\nversion = \"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(version, _)| version);
    set("BEZOUT_MALACHITE", malachite);
}

fn set(name: &str, value: Option<&str>) {
    println!(
        "cargo::rustc-env={name}={}",
        value.map_or("unknown", str::trim)
    );
}
