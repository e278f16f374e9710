//! The book: `docs/SUMMARY.md` lists every page once, links lead somewhere, and what the pages name
//! of the repository is there. `mdbook build` makes the book; this test needs no mdBook.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Pages beside those under `docs/`.
const FRONT: [&str; 5] = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "RELEASING.md",
    "SECURITY.md",
];

/// Folders whose files the pages name in `code`.
const FOLDERS: [&str; 12] = [
    ".ci/",
    "bench/",
    "capi/",
    "cli/",
    "docs/",
    "examples/",
    "gmp/",
    "keyfile/",
    "lab/",
    "python/",
    "src/",
    "tests/",
];

#[test]
fn the_summary_lists_every_page_once() {
    let text = read("docs/SUMMARY.md");
    let listed: Vec<String> = links(&text).collect();
    let once: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), once.len(), "a page is listed twice");
    let mut pages: BTreeSet<String> = pages_of_the_book().into_iter().collect();
    pages.remove("SUMMARY.md");
    assert_eq!(once, pages);
}

/// A page of the book links to files below `docs/` alone, so that its links hold in the book too.
#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    for page in all_pages() {
        let folder = Path::new(&page).parent().unwrap().to_path_buf();
        for link in links(&prose(&read(&page))) {
            if link.contains("://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => PathBuf::from(&page),
                path => folder.join(path),
            };
            let leaves = page.starts_with("docs/") && path.contains("..");
            let exists = root().join(&target).exists();
            let found = exists && (anchor.is_empty() || has_anchor(&target, anchor));
            if leaves || !found {
                wrong.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `src/…` in code is a file or a folder, and what stands in parentheses after it is a name in it.
#[test]
fn every_path_and_name_is_there() {
    let mut wrong = Vec::new();
    for page in all_pages() {
        let text = prose(&read(&page));
        let parts: Vec<&str> = text.split('`').collect();
        for at in (1..parts.len()).step_by(2) {
            let path = parts[at];
            if !FOLDERS.iter().any(|folder| path.starts_with(folder))
                || path.contains([' ', '*', '…', '<', '{'])
            {
                continue;
            }
            if !root().join(path).exists() {
                wrong.push(format!("{page}: {path}"));
                continue;
            }
            let mut name_at = at + 2;
            let mut between = " (";
            while parts.get(name_at - 1) == Some(&between) {
                let name = parts.get(name_at).copied().unwrap_or_default();
                let last = name.rsplit("::").next().unwrap_or_default();
                if is_identifier(last) && !text_below(&root().join(path)).contains(last) {
                    wrong.push(format!("{page}: {path} has no {name}"));
                }
                (name_at, between) = (name_at + 2, ", ");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a page calls a test is a function of the sources.
#[test]
fn every_test_that_a_page_names_is_there() {
    let folders = FOLDERS.iter().filter(|folder| **folder != "docs/");
    let sources: String = folders.map(|name| text_below(&root().join(name))).collect();
    let mut wrong = Vec::new();
    for page in all_pages() {
        for mention in prose(&read(&page)).split("test `").skip(1) {
            let name = mention.split('`').next().unwrap();
            let functions = [format!("fn {name}("), format!("def {name}(")];
            if is_identifier(name) && !functions.iter().any(|head| sources.contains(head)) {
                wrong.push(format!("{page}: {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readme_is_short_and_names_every_example() {
    let (readme, tour) = (read("README.md"), read("docs/tour.md"));
    assert!(readme.lines().count() <= 100);
    let mut count = 0;
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(readme.contains(&format!("(examples/{name})")), "{name}");
        assert!(tour.contains(&format!("`examples/{name}`")), "{name}");
        count += 1;
    }
    assert!(count >= 6);
}

#[test]
fn anchors_are_made_of_headings() {
    assert_eq!(
        anchor_of("1.4 Finding the short basis"),
        "14-finding-the-short-basis"
    );
    assert_eq!(
        anchor_of("2. `weber`: as published"),
        "2-weber-as-published"
    );
    let text = "[a](b.md) and ![c](d.svg), `[no](x.md)`\n```\n[no](y.md)\n```\n[e](#f)\n";
    let found: Vec<String> = links(&prose(text)).collect();
    assert_eq!(found, ["b.md", "d.svg", "#f"]);
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The names of the pages under `docs/`.
fn pages_of_the_book() -> Vec<String> {
    let entries = fs::read_dir(root().join("docs")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".md")).collect()
}

fn all_pages() -> Vec<String> {
    let front = FRONT.iter().map(|page| page.to_string());
    let book = pages_of_the_book().into_iter();
    front
        .chain(book.map(|page| format!("docs/{page}")))
        .collect()
}

/// A page without its fenced blocks.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Where the links and pictures of a text lead, other than those in `code`.
fn links(text: &str) -> impl Iterator<Item = String> {
    let outside: String = text
        .lines()
        .map(|line| {
            let parts = line.split('`').enumerate();
            let kept = parts.map(|(i, part)| if i % 2 == 0 { part } else { "code" });
            kept.collect::<String>() + "\n"
        })
        .collect();
    let targets = outside.split("](").skip(1);
    let targets: Vec<String> = targets
        .map(|rest| rest.split(')').next().unwrap().to_string())
        .collect();
    targets.into_iter()
}

fn has_anchor(page: &Path, anchor: &str) -> bool {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let text = prose(&text);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor_of(line.trim_start_matches('#').trim()))
        .any(|found| found == anchor)
}

/// The anchor of a heading: lower case, with hyphens for spaces, and letters, digits, `-` and `_`
/// alone.
fn anchor_of(heading: &str) -> String {
    let lower = heading.to_lowercase().replace(' ', "-");
    let kept = lower.chars();
    kept.filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        .collect()
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The text of a file, or of all sources below a folder.
fn text_below(path: &Path) -> String {
    if path.is_file() {
        return fs::read_to_string(path).unwrap_or_default();
    }
    let Ok(entries) = fs::read_dir(path) else {
        return String::new();
    };
    let mut text = String::new();
    for entry in entries {
        let path = entry.unwrap().path();
        let is_source = path.extension().is_some_and(|end| {
            ["rs", "cu", "cuh", "py"]
                .iter()
                .any(|source| end == *source)
        });
        if path.is_dir() || is_source {
            text += &text_below(&path);
        }
    }
    text
}
