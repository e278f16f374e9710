//! The layers of CONTRIBUTING.md: what a file of `src/` names of the crate lies in its own layer or
//! in one below, and no folders of a layer name each other in a circle. Tests may name anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn calls_go_down_only() {
    let layers = layers();
    let up = references()
        .into_iter()
        .filter(|arrow| layers[&arrow.to] < layers[&arrow.from]);
    let up: BTreeSet<_> = up.map(|arrow| (arrow.file, arrow.to)).collect();
    assert!(
        up.is_empty(),
        "these name a module of a higher layer: {up:?}"
    );
}

#[test]
fn no_modules_of_a_layer_name_each_other_in_a_circle() {
    let layers = layers();
    let arrows = references().into_iter();
    let arrows = arrows.map(|arrow| (arrow.from, arrow.to));
    let mut arrows: BTreeSet<_> = arrows.filter(|(a, b)| layers[a] == layers[b]).collect();
    // An arrow to a module without arrows of its own is in no circle.
    loop {
        let named: BTreeSet<_> = arrows.iter().map(|(from, _)| from.clone()).collect();
        let before = arrows.len();
        arrows.retain(|(_, to)| named.contains(to));
        if arrows.len() == before {
            break;
        }
    }
    assert!(
        arrows.is_empty(),
        "arrows in circles, or on the way to one: {arrows:?}"
    );
}

/// The table lists every folder and every file of `src/` once.
#[test]
fn the_table_is_complete() {
    let listed: BTreeSet<String> = layers().into_keys().collect();
    let entries = fs::read_dir(root().join("src")).unwrap();
    let found: BTreeSet<String> = entries
        .map(|entry| module_of(&entry.unwrap().path()))
        .filter(|name| !["lib", "tests"].contains(&name.as_str()))
        .collect();
    assert_eq!(listed, found);
}

#[test]
fn names_are_found_in_all_their_forms() {
    let text = "use crate::a::B;\nuse crate::{b, c::{D, e}, f as g};\n// crate::no\n\
                fn x() -> crate::h { $crate::i::j!() }\n#[cfg(test)]\nmod tests { use crate::k; }";
    let expected = ["a", "b", "c", "f", "h", "i"].map(String::from);
    assert_eq!(named(text), BTreeSet::from(expected));
}

/// A module that a file of another module names.
struct Reference {
    file: String,
    from: String,
    to: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The layer of each module, counted from the top, as the table of CONTRIBUTING.md has it.
fn layers() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let (_, section) = text.split_once("## Layers").unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("|---"));
    let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
    let mut layers = BTreeMap::new();
    for (layer, row) in rows.enumerate() {
        let place = row.split('|').nth(2).unwrap();
        for path in place.split('`').filter(|path| path.starts_with("src/")) {
            let twice = layers.insert(module_of(Path::new(path)), layer);
            assert_eq!(twice, None, "{path} is listed twice");
        }
    }
    layers
}

/// `mul` for `src/mul/` and for `src/mul.rs`.
fn module_of(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

fn references() -> Vec<Reference> {
    let exported = exported();
    let mut references = Vec::new();
    for path in sources(&root().join("src")) {
        let inside = path.strip_prefix(root()).unwrap();
        let from = inside.components().nth(1).unwrap();
        let from = module_of(Path::new(from.as_os_str()));
        if from == "lib" {
            continue;
        }
        let file = inside.to_string_lossy().replace('\\', "/");
        for to in named(&fs::read_to_string(&path).unwrap()) {
            assert!(
                !exported.contains(&to),
                "{file} names {to} by the export of the root, which stands above it"
            );
            if to != from {
                references.push(Reference {
                    file: file.clone(),
                    from: from.clone(),
                    to,
                });
            }
        }
    }
    references
}

/// All sources but those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = module_of(&path);
        if name == "tests" || name.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// What the crate's root exports under a name of its own, such as `Int`.
fn exported() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let mut exported = BTreeSet::new();
    for statement in text.split("pub use ").skip(1) {
        let (statement, _) = statement.split_once(';').unwrap();
        let (_, names) = statement.split_once("::").unwrap();
        for name in names.trim_matches(['{', '}']).split(',') {
            let name = name.split(" as ").last().unwrap().trim();
            exported.insert(name.to_string());
        }
    }
    exported
}

/// What a text names directly below `crate::`, outside comments and the tests at its end.
fn named(text: &str) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut names = BTreeSet::new();
    for path in code.split("crate::").skip(1) {
        if path.starts_with('{') {
            names.extend(group(path));
        } else {
            names.insert(word(path));
        }
    }
    names
}

/// The first name of each path of a group in braces.
fn group(text: &str) -> Vec<String> {
    let (mut depth, mut start, mut names) = (0, 1, Vec::new());
    for (i, c) in text.char_indices() {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        if (c == ',' && depth == 1) || depth == 0 {
            names.push(word(text[start..i].trim_start()));
            start = i + 1;
        }
        if depth == 0 {
            break;
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The identifier that a text starts with.
fn word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}
