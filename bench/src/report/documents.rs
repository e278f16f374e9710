//! The pages under `docs/` say what the files in `bench/results/` say. Every generated section,
//! page and picture is made anew and compared.
//!
//! `BEZOUT_WRITE_DOCS=1 cargo test --release -p bezout-bench --lib documents` writes them instead.

use std::fs;
use std::path::{Path, PathBuf};

use bezout_lab::model::Machine;
use bezout_lab::tune::Explained;

use super::{markdown_of, page, pictures, prose};
use crate::batch::CGBN;
use crate::format::{per_second, seconds, size, times};
use crate::model::{Form, machine_table, paper_tables, regret_table};
use crate::record::Record;
use crate::table::Table;

/// A row of a summary: what it is, the file, operation and engine, bits, and the rival if there is
/// one.
type Row = (&'static str, [&'static str; 3], u64, &'static str);

const GPU: &str = "cuda:0";
const SENT: &str = "cuda:0, transfers";
const ONE: &str = "cpu, 1 thread";
const CPU: &str = "cpu";
const FLINT: &str = "FLINT, all threads";
/// No rival.
const NONE: &str = "";

/// What the README shows.
#[rustfmt::skip]
const FRONT: [Row; 10] = [
    ("H200: add, 2^30 bits", ["h200-linear", "add", GPU], 1 << 30, "GMP"),
    ("H200, sent: product, 2^26 bits", ["h200-mul", "mul", SENT], 1 << 26, FLINT),
    ("One core: product, 2^11 bits", ["two-cores-mul", "mul", ONE], 1 << 11, "FLINT"),
    ("H200, sent: gcd, 2^24 bits", ["h200-gcd", "gcd", SENT], 1 << 24, "GMP"),
    ("H200: polynomials, product, 10^6 terms", ["h200-poly", "mul", GPU], 64_000_000, FLINT),
    ("H200: sort 2^10 u32", ["h200-sort", "u32", GPU], 32 << 10, "CUB"),
    ("Two cores: product, 2^24 bits", ["two-cores-mul", "mul", CPU], 1 << 24, FLINT),
    ("Two cores: gcd, 2^20 bits", ["two-cores-gcd", "gcd", CPU], 1 << 20, "GMP"),
    ("H200: pi, 10^10 digits of text",
        ["h200-constant-counts", "pi, digits", GPU], 10_000_000_000, NONE),
    ("H200: shared primes of 10^6 moduli, 2048 bits",
        ["h200-batch-gcd", "shared factors", GPU], 2048 * 1_000_000, NONE),
];

/// Wins and losses, of each operation at least one of both where there is one.
#[rustfmt::skip]
const SUMMARY: [Row; 32] = [
    ("H200: add, 2^30 bits", ["h200-linear", "add", GPU], 1 << 30, "GMP"),
    ("H200: add, 2^30 bits", ["h200-linear", "add", GPU], 1 << 30, "GMP in place"),
    ("H200: Hamming distance, 2^30 bits", ["h200-linear", "hamming", GPU], 1 << 30, "GMP"),
    ("H200: compare, 2^30 bits", ["h200-linear", "compare", GPU], 1 << 30, "GMP"),
    ("Two cores: add, 2^30 bits", ["two-cores-linear", "add", CPU], 1 << 30, "GMP in place"),
    ("H200: product, 2^26 bits", ["h200-mul", "mul", GPU], 1 << 26, "GMP"),
    ("H200: product, 2^26 bits", ["h200-mul", "mul", GPU], 1 << 26, FLINT),
    ("H200, sent: product, 2^26 bits", ["h200-mul", "mul", SENT], 1 << 26, FLINT),
    ("H200, sent: product, 2^17 bits", ["h200-mul", "mul", SENT], 1 << 17, FLINT),
    ("Two cores: product, 2^24 bits", ["two-cores-mul", "mul", CPU], 1 << 24, FLINT),
    ("One core: product, 2^11 bits", ["two-cores-mul", "mul", ONE], 1 << 11, "FLINT"),
    ("H200: division, 2n by n, 2^26 bits", ["h200-div", "divrem", GPU], 1 << 26, FLINT),
    ("One core: division, 2n by n, 2^12 bits", ["two-cores-div", "divrem", ONE], 1 << 12, "GMP"),
    ("H200, sent: to decimal, 2^24 bits", ["h200-radix", "to decimal", SENT], 1 << 24, FLINT),
    ("H200, sent: from decimal, 2^22 bits", ["h200-radix", "from decimal", SENT], 1 << 22, FLINT),
    ("Two cores: to decimal, 2^24 bits", ["two-cores-radix", "to decimal", CPU], 1 << 24, FLINT),
    ("H200, sent: gcd, 2^24 bits", ["h200-gcd", "gcd", SENT], 1 << 24, "GMP"),
    ("H200, sent: gcd by Weber, 2^18 bits", ["h200-gcd", "gcd by weber", SENT], 1 << 18, "GMP"),
    ("Two cores: gcd, 2^20 bits", ["two-cores-gcd", "gcd", CPU], 1 << 20, "GMP"),
    ("One core: gcd, 2^10 bits", ["two-cores-gcd", "gcd", ONE], 1 << 10, "malachite"),
    ("H200: polynomials, product, 10^6 terms", ["h200-poly", "mul", GPU], 64_000_000, FLINT),
    ("H200: polynomials, gcd, 10^6 terms", ["h200-poly", "gcd", GPU], 64_000_000, "FLINT"),
    ("Host core: polynomials, division, 10^5 terms",
        ["h200-poly", "divrem, 2n by n", ONE], 6_400_000, "FLINT"),
    ("H200: sort 2^28 u32", ["h200-sort", "u32", GPU], 32 << 28, "CUB"),
    ("H200: sort 2^10 u32", ["h200-sort", "u32", GPU], 32 << 10, "CUB"),
    ("H200: sort 2^28 u64", ["h200-sort", "u64", GPU], 64 << 28, "CUB"),
    ("H200: sort 2^28 u32 with u32", ["h200-sort", "u32+u32", GPU], 32 << 28, "CUB"),
    ("H200: sort 2^28 u64 with u64", ["h200-sort", "u64+u64", GPU], 64 << 28, "CUB"),
    ("16 cores: sort 2^16 u64 with u64", ["h200-sort", "u64+u64", CPU], 64 << 16, "std"),
    ("H200: rows of 2^15 bits, roots", ["h200-batch", "sqrt", GPU], 1 << 15, "GMP"),
    ("16 cores: rows of 2^11 bits, powers", ["h200-batch", "powmod", CPU], 1 << 11, "GMP"),
    ("16 cores: rows of 2^10 bits, gcd", ["h200-batch", "gcd", CPU], 1 << 10, "GMP"),
];

/// A table of rows, and of the ratios to CGBN where they are wanted.
fn summary(all: &[(String, Record)], rows: &[Row], with_cgbn: bool) -> String {
    let record = |stem: &str| &all.iter().find(|(name, _)| name == stem).expect(stem).1;
    let row = |(about, [stem, operation, engine], bits, rival): &Row| {
        let found = record(stem).measurements.iter().find(|m| {
            (m.operation.as_str(), m.engine.as_str(), m.bits) == (operation, engine, *bits)
        });
        let found = found.expect(about);
        let mut cells = vec![about.to_string(), seconds(found.time.median)];
        if *rival == NONE {
            cells.extend(["–"; 3].map(String::from));
            return cells;
        }
        let theirs = found.baseline(rival).expect(about);
        cells.extend([
            rival.to_string(),
            seconds(theirs.time.median),
            times(theirs.ratio),
        ]);
        cells
    };
    let reproduced = record("h200-batch").reproduced.iter();
    let cgbn = reproduced
        .filter(|r| with_cgbn && r.figure == CGBN)
        .map(|r| {
            let (here, theirs) = (r.here.unwrap(), r.paper.unwrap());
            vec![
                format!("H200: rows of {} bits, {}", size(r.x as u64), r.quantity),
                per_second(here),
                "CGBN".into(),
                per_second(theirs),
                times(here / theirs),
            ]
        });
    let table = Table {
        title: "Wins and losses: below 1.00×, the other is faster".into(),
        headers: vec!["what", "bezout", "against", "theirs", "times as fast"],
        rows: rows.iter().map(row).chain(cgbn).collect(),
    };
    table.markdown()
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn records() -> Vec<(String, Record)> {
    Record::read_all(&root().join("bench/results")).unwrap()
}

/// The machines that `bezout model probe --json` measured, in the order of their files.
fn machines() -> Vec<Machine> {
    let Ok(folder) = fs::read_dir(root().join("bench/results/machines")) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = folder.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        serde_json::from_value(value["machine"].take()).unwrap()
    };
    paths.iter().map(read).collect()
}

/// What `bezout model regret --json` measured.
fn regrets() -> Vec<Explained> {
    let text = fs::read_to_string(root().join("bench/results/tuning/h200-regret.json")).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    serde_json::from_value(value["explained"].take()).unwrap()
}

/// Compares a file with what it is to be, or writes it.
fn expect(path: &str, wanted: &str) {
    let path = root().join(path);
    if std::env::var_os("BEZOUT_WRITE_DOCS").is_some() {
        fs::write(&path, wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let at = found.lines().zip(wanted.lines()).position(|(a, b)| a != b);
    assert!(
        found == wanted,
        "{} differs from bench/results, first in line {:?}; BEZOUT_WRITE_DOCS=1 writes it anew",
        path.display(),
        at.map(|line| line + 1)
    );
}

/// Replaces what is between `<!-- name: … -->` and `<!-- end of name -->`.
fn replace(page: &str, name: &str, section: &str) -> String {
    let start = page.find(&format!("<!-- {name}:")).expect(name);
    let start = start + page[start..].find("-->\n").unwrap() + 4;
    let end = page.find(&format!("<!-- end of {name} -->")).expect(name);
    format!("{}{section}{}", &page[..start], &page[end..])
}

fn expect_sections(path: &str, sections: &[(&str, String)]) {
    let page = fs::read_to_string(root().join(path)).unwrap();
    let wanted = sections
        .iter()
        .fold(page, |page, (name, text)| replace(&page, name, text));
    expect(path, &wanted);
}

#[test]
fn tables_are_those_of_the_results() {
    let all = records();
    let some = |wanted: &[&str]| {
        let find = |stem: &&str| all.iter().find(|(name, _)| name == stem).unwrap().clone();
        markdown_of(&wanted.iter().map(find).collect::<Vec<_>>())
    };
    expect_sections("README.md", &[("summary", summary(&all, &FRONT, false))]);
    expect_sections(
        "docs/speed.md",
        &[("summary", summary(&all, &SUMMARY, true))],
    );
    expect_sections("docs/figures.md", &[("figures", markdown_of(&all))]);
    let runs = ["sixteen-cores-cluster", "sixteen-bound-cores-cluster"];
    expect_sections("docs/cluster.md", &[("cluster", some(&runs))]);
    let paper = ["division", "sort", "table1", "table2"].map(|name| format!("h200-mmm-{name}"));
    let machines = machines();
    let table = |machine: &Machine| machine_table(machine, Form::Markdown);
    let mut tables: Vec<String> = machines.iter().map(table).collect();
    let mut beside: Vec<String> = machines
        .iter()
        .filter(|machine| machine.is_device())
        .map(|machine| paper_tables(machine, Form::Markdown))
        .collect();
    for list in [&mut tables, &mut beside] {
        if list.is_empty() {
            list.push("No machine has been measured by this version of the probe.\n".into());
        }
    }
    expect_sections(
        "docs/model.md",
        &[
            ("machine", tables.join("\n")),
            ("paper", beside.join("\n")),
            ("regret", regret_table(&regrets(), Form::Markdown)),
            ("measured", some(&paper.each_ref().map(String::as_str))),
        ],
    );
}

#[test]
fn the_page_and_its_pictures_are_those_of_the_results() {
    expect("docs/report.html", &page(&records()));
    let folder = std::env::temp_dir().join(format!("bezout-pictures-{}", std::process::id()));
    for picture in pictures(&root().join("bench/results"), &folder).unwrap() {
        let name = picture.file_name().unwrap().to_string_lossy().into_owned();
        let wanted = fs::read_to_string(&picture).unwrap();
        expect(&format!("docs/pictures/{name}"), &wanted);
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn times_in_the_text_are_those_of_the_files_it_names() {
    let mut numbers = prose::Numbers::new();
    prose::numbers_of(&root().join("bench/results"), "", &mut numbers);
    let mut pages = vec![root().join("README.md")];
    let pages_of_docs = fs::read_dir(root().join("docs")).unwrap();
    pages.extend(pages_of_docs.map(|file| file.unwrap().path()));
    pages.retain(|path| path.extension().is_some_and(|kind| kind == "md"));
    let mut wrong = Vec::new();
    for path in pages {
        let name = path.file_name().unwrap().to_string_lossy();
        let page = fs::read_to_string(&path).unwrap();
        let found = prose::unfounded(&page, &numbers, name == "papers.md");
        wrong.extend(found.iter().map(|line| format!("{name}, {line}")));
    }
    assert!(wrong.is_empty(), "no named file has:\n{}", wrong.join("\n"));
}
