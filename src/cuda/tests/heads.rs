//! Declarations of kernels against the heads in their sources.

use std::path::Path;

use super::super::declare::Access;
use super::super::*;
use super::collectives::cu::COLLECTIVES;
use super::{BROKEN, TOY};
use crate::tuning::Tuning;

/// The head of a kernel: its name, and the type and the name of each parameter.
#[derive(Debug, PartialEq)]
struct Head {
    name: String,
    parameters: Vec<(String, String)>,
}

/// Panics unless the kernels that a source declares are those that it has, with the parameters that
/// they have.
pub(crate) fn compare(source: &Source) {
    let declared: Vec<Head> = source.kernels.iter().map(declared_head).collect();
    let heads = heads(source.text);
    for head in &heads {
        let name = &head.name;
        let found = declared.iter().find(|declared| declared.name == *name);
        let found = found.unwrap_or_else(|| panic!("{name} is not declared in {}", source.name));
        assert_eq!(found, head, "declared, and in {}.cu", source.name);
    }
    for declared in &declared {
        let name = &declared.name;
        let count = heads.iter().filter(|head| head.name == *name).count();
        assert_eq!(count, 1, "heads of {name} in {}", source.name);
    }
}

fn declared_head(declaration: &Declaration) -> Head {
    let one = |parameter: &Declared| {
        let element = parameter.element;
        let kind = match parameter.access {
            Access::Value => element.to_string(),
            Access::Read => format!("const {element}*"),
            Access::Write | Access::Update => format!("{element}*"),
        };
        (kind, parameter.name.to_string())
    };
    Head {
        name: declaration.name.to_string(),
        parameters: declaration.parameters.iter().map(one).collect(),
    }
}

/// The heads in a source. Macros that make kernels are expanded; all branches of conditions are
/// taken.
fn heads(text: &str) -> Vec<Head> {
    let text = text.replace("\\\n", " ");
    let without_comment = |line: &str| line.split("//").next().unwrap_or_default().to_string();
    let lines: Vec<String> = text.lines().map(without_comment).collect();
    let makers: Vec<Maker> = lines.iter().filter_map(|line| Maker::read(line)).collect();
    let mut plain = String::new();
    for line in lines
        .iter()
        .filter(|line| !line.trim_start().starts_with('#'))
    {
        let made = makers.iter().find_map(|maker| maker.expand(line));
        plain.push_str(made.as_deref().unwrap_or(line));
        plain.push('\n');
    }
    let mut heads = Vec::new();
    for (macro_name, extra) in [("KERNEL(", 0), ("KERNEL_BOUNDS(", 2)] {
        for (at, _) in plain.match_indices(macro_name) {
            let before = plain[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let inside = arguments(&plain[at + macro_name.len()..]);
            heads.push(Head {
                name: inside[extra].clone(),
                parameters: inside[extra + 1..].iter().map(|p| parameter(p)).collect(),
            });
        }
    }
    heads
}

/// What stands between commas up to the closing parenthesis.
fn arguments(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut all = vec![String::new()];
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        let last = all.len() - 1;
        all[last].push(c);
    }
    all.iter()
        .map(|argument| argument.trim().to_string())
        .collect()
}

/// The type and the name of a parameter.
fn parameter(text: &str) -> (String, String) {
    let text = text.replace("__restrict__", " ").replace('*', " * ");
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let name = words.pop().unwrap_or_default();
    (words.join(" ").replace(" *", "*"), name.to_string())
}

/// A macro of a source whose uses are kernels.
struct Maker {
    name: String,
    parameters: Vec<String>,
    body: String,
}

impl Maker {
    fn read(line: &str) -> Option<Maker> {
        let rest = line.trim_start().strip_prefix("#define ")?;
        let (name, rest) = rest.split_once('(')?;
        let (_, body) = rest.split_once(')')?;
        body.contains("KERNEL").then(|| Maker {
            name: name.to_string(),
            parameters: arguments(rest),
            body: body.to_string(),
        })
    }

    /// What a line that uses the macro stands for.
    fn expand(&self, line: &str) -> Option<String> {
        let rest = line.strip_prefix(&self.name)?.strip_prefix('(')?;
        let given = arguments(rest);
        assert_eq!(given.len(), self.parameters.len(), "{line}");
        let mut made = String::new();
        let mut word = String::new();
        for c in self.body.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            let place = self.parameters.iter().position(|name| *name == word);
            made.push_str(place.map_or(&word, |place| &given[place]));
            word.clear();
            made.push(c);
        }
        Some(made.replace("##", ""))
    }
}

/// Every source of the project.
fn sources() -> Vec<&'static Source> {
    let mut all: Vec<&'static Source> = vec![&TOY, &BROKEN, &COLLECTIVES];
    for unit in crate::kernels::units(&[Tuning::DEFAULT, Tuning::MINIMAL]) {
        if !all.contains(&unit.source) {
            all.push(unit.source);
        }
    }
    all
}

#[test]
fn declarations_are_those_of_the_heads() {
    let sources = sources();
    assert!(sources.len() > 20);
    sources.into_iter().for_each(compare);
}

/// A file of kernels that no source takes in would be declared nowhere.
#[test]
fn every_file_of_kernels_is_in_a_source() {
    fn visit(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                _ if path.is_dir() => visit(&path, files),
                Some(ending) if ending == "cu" => files.push(path),
                _ => {}
            }
        }
    }
    let mut files = Vec::new();
    visit(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    assert!(files.len() > 20);
    let sources = sources();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // Those of a folder's own tests are compared there.
        let is_known = file.ends_with("tests.cu") || sources.iter().any(|s| s.text.contains(&text));
        assert!(is_known, "{}", file.display());
    }
}

#[test]
fn what_differs_is_found() {
    let differs = |text: &'static str| {
        let source = Source {
            name: "other",
            kernels: TOY.kernels,
            constants: &[],
            text,
        };
        std::panic::catch_unwind(|| compare(&source)).is_err()
    };
    assert!(!differs(TOY.text));
    for (from, to) in [
        ("toy_meet", "toy_met"),
        ("const u64* from", "u64* from"),
        ("u32 more", "u64 more"),
        ("i32 less, double scale", "double scale, i32 less"),
        ("u64* counts, u64* sum", "u64* sum, u64* counts"),
        ("u64* to, u64 n", "u64* to"),
        ("u32* state", "const u32* state"),
    ] {
        let changed = TOY.text.replacen(from, to, 1);
        assert_ne!(changed, TOY.text);
        assert!(differs(changed.leak()), "{from} {to}");
    }
    let more = format!("{}\nKERNEL(toy_more, u64* to) {{}}\n", TOY.text);
    assert!(differs(more.leak()));
}
