//! Comments, and lines of kernels, have at most 100 columns. `rustfmt` checks the other lines of
//! Rust, and `clang-format` the kernels' layout. Pages and comments are plain technical English.

use std::fs;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 100;

/// Phrases that a reader has to decode, each with the words to use.
const UNCLEAR: [(&str, &str); 15] = [
    ("anew", "again"),
    ("are told", "name the sender and the message"),
    ("as such", "nothing"),
    ("behind", "after, below"),
    ("comes to its end", "ends"),
    ("done with", "finished"),
    ("in work", "running"),
    ("is said", "is printed, is reported"),
    ("is told", "name the sender and the message"),
    ("looked at", "read, checked"),
    ("none where", "None if"),
    ("so many", "the name of the number, or n"),
    ("taken up", "resumed"),
    ("under way", "in flight, running"),
    ("whoever", "name the owner, the worker or the rank"),
];

/// Sources in which `UNCLEAR` is not checked.
const UNCHECKED: [&str; 7] = [
    "src/cuda/",
    "src/engine/",
    "src/int/",
    "src/kernels.rs",
    "src/lib.rs",
    "src/number/",
    "src/word/",
];

/// A page that is made of results, and this file.
const MADE: [&str; 2] = ["docs/figures.md", "tests/style.rs"];

#[test]
fn lines_have_at_most_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut long = Vec::new();
    for folder in [
        "src", "bench", "capi", "cli", "examples", "gmp", "keyfile", "lab", "python", "tests",
    ] {
        for path in files(&root.join(folder), &SOURCES) {
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

#[test]
fn prose_is_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = vec![root.join("CONTRIBUTING.md"), root.join("CHANGELOG.md")];
    paths.extend(files(&root.join("docs"), &["md"]));
    for folder in ["src", "tests", "examples"] {
        paths.extend(files(&root.join(folder), &SOURCES));
    }
    let mut found = Vec::new();
    for path in paths {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        let name = name.replace('\\', "/");
        if MADE.contains(&&name[..]) || UNCHECKED.iter().any(|path| name.starts_with(path)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let prose = if name.ends_with(".md") {
            prose_of_page(&text)
        } else {
            prose_of_source(&text)
        };
        for (number, phrase, plain) in unclear(&prose) {
            found.push(format!("{name}:{number}: \"{phrase}\", write: {plain}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn phrases_are_found_across_lines_and_as_words() {
    let source = "/// As so\n/// Many as these.\nfn so_many() {}\n// Renewed anew.\n";
    let found = unclear(&prose_of_source(source));
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].0, found[0].1), (1, "so many"));
    assert_eq!((found[1].0, found[1].1), (4, "anew"));
    let page = "Text.\n```\nanew\n```\nso\n\nmany\n";
    assert!(unclear(&prose_of_page(page)).is_empty());
}

/// The lines of a page outside its blocks of code, with their numbers.
fn prose_of_page(text: &str) -> Vec<(usize, &str)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push((number, line));
        }
    }
    lines
}

/// The comments of a source that have lines of their own, with the numbers of the lines.
fn prose_of_source(text: &str) -> Vec<(usize, &str)> {
    let comment = |line: &'_ str| -> Option<usize> {
        let text = line.trim_start().strip_prefix("//")?;
        Some(line.len() - text.strip_prefix(['/', '!']).unwrap_or(text).len())
    };
    let numbered = (1..).zip(text.lines());
    let comments = numbered.filter_map(|(number, line)| Some((number, &line[comment(line)?..])));
    comments.collect()
}

/// The phrases of `UNCLEAR` in these lines, each with the number of the line in which it begins.
fn unclear(prose: &[(usize, &str)]) -> Vec<(usize, &'static str, &'static str)> {
    let mut found = Vec::new();
    for (i, (number, line)) in prose.iter().enumerate() {
        let next = prose.get(i + 1).filter(|(after, _)| *after == number + 1);
        let next = words(next.map_or("", |(_, line)| line));
        let both = format!("{}{}", words(line), next.trim_start());
        for (phrase, plain) in UNCLEAR {
            let wanted = format!(" {phrase} ");
            if both.contains(&wanted) && !next.contains(&wanted) {
                found.push((*number, phrase, plain));
            }
        }
    }
    found
}

/// The words of a line in lower case, with a space before, between and after them.
fn words(line: &str) -> String {
    let lower = line.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
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

/// The kinds of sources.
const SOURCES: [&str; 3] = ["rs", "cu", "cuh"];

/// The files of these kinds in a folder and below it.
fn files(folder: &Path, kinds: &[&str]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_built = path.file_name().is_some_and(|name| name == "target");
        if path.is_dir() && !is_built {
            all.extend(files(&path, kinds));
        } else if path
            .extension()
            .is_some_and(|end| kinds.iter().any(|kind| end == *kind))
        {
            all.push(path);
        }
    }
    all
}
