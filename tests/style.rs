//! Comments, and lines of kernels, have at most 100 columns. `rustfmt` holds the other lines of
//! Rust, and `clang-format` the kernels' layout.

use std::fs;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 100;

#[test]
fn lines_have_at_most_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut long = Vec::new();
    for folder in [
        "src", "bench", "capi", "cli", "examples", "gmp", "keyfile", "lab", "python", "tests",
    ] {
        for path in files(&root.join(folder)) {
            let text = fs::read_to_string(&path).unwrap();
            let is_kernel = path.extension().is_some_and(|name| name != "rs");
            for (number, line) in (1..).zip(text.lines()) {
                let is_held = (is_kernel && !line.contains('"')) || is_prose(line);
                if is_held && line.chars().count() > COLUMNS {
                    long.push(format!("{}:{number}", path.display()));
                }
            }
        }
    }
    assert!(long.is_empty(), "more than {COLUMNS} columns: {long:#?}");
}

/// Whether a line is a comment, and neither a row of a table, nor a formula or a drawing, which are
/// indented, nor code.
fn is_prose(line: &str) -> bool {
    let Some(text) = line.trim_start().strip_prefix("//") else {
        return false;
    };
    let text = text.strip_prefix(['/', '!']).unwrap_or(text);
    let is_code = text.trim_end().ends_with([';', '{']);
    !text.starts_with("  ") && !text.starts_with(" |") && !text.contains("://") && !is_code
}

/// The sources in a folder and below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_built = path.file_name().is_some_and(|name| name == "target");
        if path.is_dir() && !is_built {
            all.extend(files(&path));
        } else if ["rs", "cu", "cuh"]
            .map(Some)
            .contains(&path.extension().and_then(|e| e.to_str()))
        {
            all.push(path);
        }
    }
    all
}
