//! Times in the text of a page are those of the files that the text names.
//!
//! A passage (a row of a table, an item of a list, a paragraph) that names files of
//! `bench/results/` may state a time or a bandwidth only if one of these files has that number,
//! rounded as stated. Text with numbers of another origin, such as a paper's, has to stand in
//! another passage or, in `docs/papers.md`, in another column than the last.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Units, and how many of a file's seconds or bytes per second they are.
const UNITS: [(&str, f64); 6] = [
    ("ns", 1e-9),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("GB/s", 1e9),
    ("TB/s", 1e12),
];

/// The numbers of each file, by its path below `bench/results/`.
pub type Numbers = BTreeMap<String, Vec<f64>>;

/// The numbers of all files below a folder.
pub fn numbers_of(folder: &Path, prefix: &str, all: &mut Numbers) {
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            numbers_of(&path, &format!("{name}/"), all);
        } else if name.ends_with(".json") {
            let value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let mut numbers = Vec::new();
            collect(&value, &mut numbers);
            all.insert(name, numbers);
        }
    }
}

fn collect(value: &Value, numbers: &mut Vec<f64>) {
    match value {
        Value::Number(number) => numbers.extend(number.as_f64()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, numbers)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, numbers)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Rows, list items and paragraphs of a page, with the lines they begin in. Parts that are made
/// from files are left out.
fn passages(page: &str) -> Vec<(usize, String)> {
    let (mut all, mut open, mut made) = (Vec::new(), false, false);
    for (i, line) in page.lines().enumerate() {
        if line.starts_with("<!-- ") {
            made = line.contains(": made ") && !line.contains("<!-- end");
        }
        if made || line.starts_with("<!-- ") || line.is_empty() {
            open = false;
        } else if open && !line.starts_with('|') && !line.starts_with("- ") {
            let (_, text): &mut (usize, String) = all.last_mut().unwrap();
            *text = format!("{text} {line}");
        } else {
            all.push((i + 1, line.to_string()));
            open = true;
        }
    }
    all
}

/// The files that a passage names.
fn named<'a>(passage: &str, numbers: &'a Numbers) -> Vec<&'a [f64]> {
    let quoted = passage.split('`').skip(1).step_by(2);
    let file = |name: &str| numbers.get(name.trim_start_matches("bench/results/"));
    quoted.filter_map(file).map(Vec::as_slice).collect()
}

/// Times and bandwidths that a text states: the number's text, and the unit. Numbers of a list,
/// such as `2, 3 and 4 ms`, have the unit of the last.
fn stated(text: &str) -> Vec<(&str, &'static str)> {
    let words: Vec<&str> = text.split([' ', '(', ')', ';', ':', '|']).collect();
    let is_number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
    };
    let mut found = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let word = word.trim_end_matches([',', '.']);
        let Some((unit, _)) = UNITS.iter().find(|(name, _)| *name == word) else {
            continue;
        };
        let mut is_linked = true;
        for word in words[..i].iter().rev() {
            if is_number(word) && (is_linked || word.ends_with(',')) {
                found.push((word.trim_end_matches(','), *unit));
                is_linked = false;
            } else if ["to", "and", "or"].contains(word) && !is_linked {
                is_linked = true;
            } else {
                break;
            }
        }
    }
    found
}

/// Whether a number, in a unit and rounded as its text is, is one of these numbers. Files have
/// seconds and bytes per second, or the unit itself.
fn is_of(numbers: &[f64], text: &str, unit: &str) -> bool {
    let text = text.replace(',', "");
    let places = text.split_once('.').map_or(0, |(_, places)| places.len());
    let wanted: f64 = text.parse().unwrap();
    // Half of the last place, and a little for the rounding of binary fractions.
    let half = 0.5001 * 0.1f64.powi(places as i32);
    let scale = UNITS.iter().find(|(name, _)| *name == unit).unwrap().1;
    let is_near = |number: &f64| (number.abs() - wanted).abs() <= half;
    numbers
        .iter()
        .any(|number| is_near(&(number / scale)) || is_near(number))
}

/// The statements of a page that no file has, each with its line.
pub fn unfounded(page: &str, numbers: &Numbers, is_last_column: bool) -> Vec<String> {
    let mut all = Vec::new();
    for (line, passage) in passages(page) {
        let files = named(&passage, numbers);
        if files.is_empty() {
            continue;
        }
        let row = passage.trim_end_matches([' ', '|']);
        let text = match row.rsplit_once(" | ") {
            Some((_, last)) if is_last_column => last,
            _ => row,
        };
        for (number, unit) in stated(text) {
            if !files.iter().any(|file| is_of(file, number, unit)) {
                all.push(format!("line {line}: {number} {unit}"));
            }
        }
    }
    all
}

#[test]
fn statements_without_a_file_are_found() {
    let numbers = Numbers::from([("a.json".to_string(), vec![0.06145, 2.5e9])]);
    let wrong = |page: &str| unfounded(page, &numbers, true);
    assert_eq!(
        wrong("- It takes 61.45 ms,\n  or 61 ms (`a.json`)."),
        [""; 0]
    );
    assert_eq!(wrong("- 2.5 GB/s (`bench/results/a.json`)"), [""; 0]);
    assert_eq!(
        wrong("a\n\n- It takes\n  62 ms (`a.json`)."),
        ["line 3: 62 ms"]
    );
    assert_eq!(
        wrong("60, 61 and 62 ms (`a.json`)"),
        ["line 1: 62 ms", "line 1: 60 ms"]
    );
    assert_eq!(wrong("| 7 ms | 61 ms, `a.json` |"), [""; 0]);
    assert_eq!(wrong("| 61 ms | 7 ms, `a.json` |"), ["line 1: 7 ms"]);
    assert_eq!(wrong("It takes 7 ms.\n\n`a.json`"), [""; 0]);
    assert_eq!(wrong("<!-- x: made -->\n7 ms, `a.json`\n"), [""; 0]);
}
