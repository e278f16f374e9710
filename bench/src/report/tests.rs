use super::*;
use crate::record::tests::{folder, sample};

/// Checks that every tag is closed in order, and that attributes are quoted; gives the text between
/// tags.
fn text_of(html: &str) -> String {
    const VOID: [&str; 1] = ["meta"];
    let mut open: Vec<&str> = Vec::new();
    let mut text = String::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>").unwrap();
    while let Some(start) = rest.find('<') {
        text += &rest[..start];
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        assert_eq!(tag.matches('"').count() % 2, 0, "<{tag}>");
        let name = tag.trim_matches('/').split_whitespace().next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}> closes another");
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
    text + rest
}

#[test]
fn a_page_is_well_formed_and_has_the_numbers() {
    let records = [
        "linear",
        "liu-tong",
        "small",
        "mul",
        "sort",
        "mmm-sort",
        "poly",
        "mmm-table1",
        "ecm",
        "batch",
        "wtm",
        "weber-brew",
        "other",
    ]
    .map(|name| (name.to_string(), sample(name)));
    let html = page(&records);
    let text = text_of(&html);
    for number in [
        "4.25 TB/s",
        "625×",
        "105.0%",
        "97.1%",
        "0 bytes between host and device",
        "120\u{202f}000",
        "65\u{202f}536 in the paper",
        "256 × 12000",
        "37.5% of the arithmetic limit; 3.50 products",
        "2¹⁹",
        "mul on cuda:0, transfers is faster than all CPU code (FLINT, all threads there)",
        "GPU memory / operands",
        "+1.07%",
        "257.5",
        "260.250 (257.500)",
        "modular GCD of 32 Kibit",
        "2¹⁴",
        "0123456789ab with changes",
        "2026-11-15T09:30:00Z",
        "Some GPU",
        "580.65",
        "2³⁰",
        "A &lt;fast&gt; &amp; &quot;wide&quot; CPU",
        "A note with &lt;tags&gt;",
    ] {
        assert!(text.contains(number), "{number} is missing");
    }
    // Self-contained: nothing is fetched and nothing runs.
    for word in [
        "http", "<script", "<img", "<link", "@import", "url(", "NaN", "inf",
    ] {
        assert!(!html.contains(word), "{word}");
    }
}

#[test]
fn every_section_has_a_heading_of_its_own_and_a_link() {
    let mut host = sample("mul");
    host.device = None;
    let records = [
        ("h200-mul".to_string(), sample("mul")),
        ("h200-mul-short".to_string(), sample("mul")),
        ("two-cores-mul".to_string(), host),
        ("h200-programs".to_string(), sample("programs")),
    ];
    let cores = records[0].1.machine.cores;
    assert_eq!(
        headings(&records),
        [
            "Products, Some GPU",
            "Products, Some GPU (short)",
            &format!("Products, {cores} CPU cores"),
            "Whole programs, Some GPU",
        ]
    );
    let html = page(&records);
    for (stem, _) in &records {
        assert_eq!(html.matches(&format!("<a href=\"#{stem}\">")).count(), 1);
        assert_eq!(html.matches(&format!("<section id=\"{stem}\">")).count(), 1);
    }
    let place = |text: &str| html.find(text).unwrap();
    assert!(place("<h2>Results</h2>") < place("<h2>Products, Some GPU</h2>"));
    assert!(place("<h2>Whole programs") < place("<h2>Machines and commits</h2>"));
    // A word and a sentence for each result.
    assert!(
        html.contains("<li><a href=\"#h200-mul\">Products</a>: <b>"),
        "{html}"
    );
}

#[test]
fn auto_is_compared_with_the_better_engine() {
    let mut record = sample("programs");
    assert!(engines::choice("", &record).1.is_empty());
    let (times, devices): (Vec<_>, Vec<_>) = record
        .measurements
        .drain(..)
        .filter(|m| m.shape.is_none())
        .partition(|m| m.engine == "cpu");
    // The device is the faster one, and `auto` takes half as long again.
    let auto = devices.iter().cloned().map(|mut m| {
        m.engine = "auto".into();
        m.time.median *= 1.5;
        m
    });
    let auto: Vec<_> = auto.collect();
    record.measurements = [times, devices, auto].concat();
    let (_, cards, _) = engines::choice("", &record);
    assert_eq!((cards.len(), cards[0].number.as_str()), (1, "1.50×"));
    assert!(
        cards[0]
            .about
            .contains("median of 9 measurements; 1.50× at most")
    );
}

#[test]
fn words_are_aligned_on_the_left() {
    let row = |cells: [&str; 4]| cells.map(String::from).to_vec();
    let table = Table {
        title: String::new(),
        headers: vec!["operation", "time", "engine", "of copy"],
        rows: vec![
            row(["add", "1 ms", "cpu", "–"]),
            row(["sub", "none", "cuda:0", "97%"]),
        ],
    };
    assert!(rows(&table).contains("<table class=\"numbers w3\">"));
}

#[test]
fn a_page_without_a_device_or_without_points() {
    let mut record = sample("linear");
    record.device = None;
    record.copy.device = None;
    record.measurements.retain(|m| m.engine == "cpu");
    record.chains.clear();
    let mut empty = sample("liu-tong");
    empty.measurements.clear();
    empty.crossovers[0].limbs = None;
    let html = page(&[("linear".into(), record), ("empty".into(), empty)]);
    let text = text_of(&html);
    assert!(text.contains("200 GB/s") && text.contains("not reached"));
    assert!(!html.contains("NaN") && !html.contains("inf"));
}

#[test]
fn files_in_and_out() {
    let dir = folder("report");
    sample("linear").write(&dir).unwrap();
    let out = dir.join("page.html");
    report(&dir, &out).unwrap();
    text_of(&std::fs::read_to_string(&out).unwrap());
    assert!(report(&dir, &dir.join("missing/page.html")).is_err());

    let text = markdown(&dir).unwrap();
    assert!(text.contains(
        "| 100 mixed operations | cuda:0 | 2^30 | 10.5 ms | 10.0 ms | 105.0% | 0 bytes |"
    ));
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"));

    let heavy = dir.join("heavy");
    sample("div").write(&heavy).unwrap();
    let text = markdown(&heavy).unwrap();
    assert!(
        text.contains("| bits | GPU | CPU | malachite | GMP |"),
        "{text}"
    );
    assert!(text.contains("| mul | cuda:0, transfers | 2^19 | FLINT, all threads |"));
    // Every second power of two is enough for a README.
    assert!(text.contains("| 2^20 |") && !text.contains("| 2^25 |"));

    std::fs::write(dir.join("bad.json"), "{}").unwrap();
    assert!(
        report(&dir, &out)
            .unwrap_err()
            .to_string()
            .contains("bad.json")
    );
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_quick_run_without_a_device_becomes_a_page() {
    let record = bezout::Engine::Cpu.scope(|| {
        let mut session = crate::session::Session::begin("liu-tong", true, true).unwrap();
        crate::liu_tong::run(&mut session).unwrap();
        session.finish()
    });
    assert!(record.notes[0].starts_with("The GPU part was not run"));
    assert!(record.device.is_none() && record.sweeps.is_empty());
    // One for each operation and each library that is built in.
    let libraries = [cfg!(feature = "malachite"), cfg!(feature = "gmp")];
    let libraries = libraries.into_iter().filter(|built| *built).count();
    assert_eq!(record.crossovers.len(), 6 * libraries);
    let dir = folder("quick");
    record.write(&dir).unwrap();
    let out = dir.join("page.html");
    report(&dir, &out).unwrap();
    text_of(&std::fs::read_to_string(&out).unwrap());
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_picture_alone_has_its_style_and_its_key() {
    let (_, _, figures) = parts(&sample("mul"));
    let svg = plot::first_alone("Products, a <GPU>", &figures, include_str!("style.css")).unwrap();
    text_of(&format!("<!DOCTYPE html>{svg}"));
    for part in [
        "xmlns=",
        "--s0:",
        "<g class=\"key\"",
        ">GPU<",
        ">Products, a &lt;GPU&gt;<",
        "<rect class=\"back\"",
    ] {
        assert!(svg.contains(part), "{part} is missing in {svg}");
    }
    assert_eq!(plot::first_alone("", "<figure></figure>", ""), None);
}
