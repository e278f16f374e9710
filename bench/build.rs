//! Hands the compiler's and malachite's versions, and how FLINT was compiled, to the records that
//! benchmarks write.

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

    // FLINT's tables of flags stay where it was built. They show a FLINT that was built in haste.
    let makefile = std::env::var("DEP_FLINT_INCLUDE_DIR")
        .ok()
        .and_then(|dir| std::fs::read_to_string(Path::new(&dir).join("../flint/Makefile")).ok());
    let flags = makefile.as_deref().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("_CFLAGS"))?;
        let told = line
            .split_whitespace()
            .map(|flag| flag.trim_start_matches("_CFLAGS:="))
            .filter(|flag| flag.starts_with("-O") || flag.starts_with("-march"));
        Some(told.collect::<Vec<_>>().join(" "))
    });
    set("BEZOUT_FLINT_FLAGS", flags.as_deref());
}

fn set(name: &str, value: Option<&str>) {
    println!(
        "cargo::rustc-env={name}={}",
        value.map_or("unknown", str::trim)
    );
}
