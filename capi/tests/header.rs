//! `include/bezout.h` is what cbindgen makes of this crate. `BEZOUT_WRITE_HEADER=1` writes it.

use std::path::Path;
use std::{env, fs};

#[test]
fn header_is_what_the_sources_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let made = cbindgen::Builder::new()
        .with_config(config)
        .with_src(root.join("src/lib.rs"))
        .generate()
        .expect("the sources parse");
    let mut text = Vec::new();
    made.write(&mut text);
    let text = String::from_utf8(text).expect("text");
    let path = root.join("include/bezout.h");
    if env::var_os("BEZOUT_WRITE_HEADER").is_some() {
        fs::write(&path, &text).expect("writable");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "include/bezout.h is not what the sources say: \
         BEZOUT_WRITE_HEADER=1 cargo test -p bezout-capi --test header writes it"
    );
}

#[test]
fn version_is_that_of_the_crate() {
    let header = include_str!("../include/bezout.h");
    let version = env!("CARGO_PKG_VERSION");
    assert!(header.contains(&format!("#define BEZOUT_VERSION \"{version}\"\n")));
    let parts = ["MAJOR", "MINOR", "PATCH"]
        .into_iter()
        .zip(version.split('.'));
    for (name, part) in parts {
        assert!(header.contains(&format!("#define BEZOUT_VERSION_{name} {part}\n")));
    }
}
