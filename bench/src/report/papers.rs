//! The pictures of `wtm` and `weber-brew`: the papers' figures with ours drawn in.

use super::Headline;
use super::plot::{self, LineChart, Series, Style};
use crate::format::significant;
use crate::record::{Record, Reproduced};
use crate::table::papers::values;
use crate::weber_brew::{GPUS, LINEAR, fit};

const HERE: Style = line(0, false);
const PAPER: Style = line(1, false);
const GUIDE: Style = line(2, true);

const fn line(colour: usize, dashed: bool) -> Style {
    Style { colour, dashed }
}

/// `wtm`: title, what a reader wants first, and the pictures.
pub fn wtm(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let mut cards = Vec::new();
    for figure in ["Fig. 3", "Fig. 4", "Fig. 5"] {
        let worst = |quantity, apart: fn(f64, f64) -> f64| {
            let all = values(record, figure, quantity);
            all.filter_map(|r| Some(apart(r.here?, r.paper?).abs()))
                .reduce(f64::max)
        };
        let steps = worst("iterations", |here, paper| 100.0 * (here / paper - 1.0));
        let bits = worst("bits of b", |here, paper| here - paper);
        if let (Some(steps), Some(bits)) = (steps, bits) {
            cards.push(Headline {
                number: format!("{steps:.2}%"),
                about: format!(
                    "{figure}: the farthest that mean iterations are from the paper’s; \
                    mean bits of b, {bits:.2}"
                ),
            });
        }
    }
    let mut html = String::from(
        "<h3>Iterations</h3>\n<p class=\"about\">The dashed line is 2n/w, or the ratio 1.</p>\n",
    );
    html += &plot::legend([("here", HERE), ("paper", PAPER), ("2n/w", GUIDE)]);
    html += "<div class=\"panels\">\n";
    html += &steps(record, "Fig. 3", "size in bits", |n| 2.0 * n / 32.0);
    html += &steps(record, "Fig. 4", "bits of a modulus", |w| 2.0 * 4096.0 / w);
    html += &steps(record, "Fig. 5", "moduli", |_| 2.0 * 4096.0 / 32.0);
    html += &chart(
        "Fig. 6: accelerated over modular".into(),
        "size in bits",
        "ratio",
        vec![
            series("here", HERE, here(record, "Fig. 6", "ratio")),
            series("paper", PAPER, paper(record, "Fig. 6", "ratio")),
        ],
        true,
    );
    (
        "Weber, Trevisan and Martins’ experiments",
        cards,
        html + "</div>\n",
    )
}

/// `weber-brew`, the same.
pub fn weber_brew(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let last = values(record, "Table 2", "weber").last();
    let card = |r: &Reproduced| {
        let mut about = format!("modular GCD of {} Kibit", r.x);
        if let Some(paper) = r.paper {
            about += &format!("; {} ms on the paper’s V100", significant(paper));
        }
        Some(Headline {
            number: format!("{} ms", significant(r.here?)),
            about,
        })
    };
    let mut cards: Vec<Headline> = last.and_then(card).into_iter().collect();
    let far = record
        .reproduced
        .iter()
        .filter(|r| r.quantity.contains("projected"));
    cards.extend(far.filter_map(|r| {
        Some(Headline {
            number: format!("{} s", significant(r.here?)),
            about:
                "50 million bits with enough GPUs, by the line through 16 to 160 Kibit; 17 s in \
                the paper"
                    .into(),
        })
    }));
    let mut html = String::from("<h3>Time against size</h3>\n");
    let old = GPUS.iter().take(3).enumerate();
    let others: Vec<(&str, Style)> = old.map(|(i, name)| (*name, line(4 + i, false))).collect();
    let mut legend = vec![("modular, here", HERE), ("modular, V100", PAPER)];
    legend.extend(others.iter().copied());
    legend.extend([
        ("GMP, here", line(2, true)),
        ("GMP, paper", line(3, true)),
        ("least squares", line(0, true)),
    ]);
    html += &plot::legend(legend);
    html += "<div class=\"panels wide\">\n";
    let mut all = vec![
        series("modular, here", HERE, here(record, "Table 2", "weber")),
        series("modular, V100", PAPER, paper(record, "Table 2", "weber")),
        series("GMP, here", line(2, true), here(record, "Table 2", "GMP")),
        series("GMP, paper", line(3, true), paper(record, "Table 2", "GMP")),
    ];
    for (name, style) in &others {
        all.push(series(name, *style, paper(record, "Table 2", name)));
    }
    html += &chart(
        "Fig. 3: modular GCD and GMP".into(),
        "Kibit",
        "ms",
        all,
        false,
    );
    let times = here(record, "Table 2", "weber");
    let linear: Vec<_> = times
        .iter()
        .copied()
        .filter(|(x, _)| *x <= LINEAR as f64)
        .collect();
    let mut shown = vec![
        series("modular, here", HERE, times.clone()),
        series("modular, V100", PAPER, paper(record, "Table 2", "weber")),
    ];
    if let Some((slope, start)) = fit(&linear) {
        let on_line = |(x, _): &(f64, f64)| (*x, slope * x + start);
        let points = times.iter().map(on_line).filter(|p| p.1 > 0.0).collect();
        shown.push(series("least squares", line(0, true), points));
    }
    html += &chart(
        "Fig. 4: the modular GCD and its line".into(),
        "Kibit",
        "ms",
        shown,
        false,
    );
    ("Weber and Brew’s modular GCD", cards, html + "</div>\n")
}

fn steps(record: &Record, figure: &str, x_label: &'static str, guide: fn(f64) -> f64) -> String {
    let ours = here(record, figure, "iterations");
    let guide = ours.iter().map(|(x, _)| (*x, guide(*x))).collect();
    let all = vec![
        series("2n/w", GUIDE, guide),
        series("paper", PAPER, paper(record, figure, "iterations")),
        series("here", HERE, ours),
    ];
    chart(
        format!("{figure}: iterations"),
        x_label,
        "iterations",
        all,
        false,
    )
}

fn here(record: &Record, figure: &str, quantity: &str) -> Vec<(f64, f64)> {
    let all = values(record, figure, quantity);
    all.filter_map(|r| Some((r.x, r.here?))).collect()
}

fn paper(record: &Record, figure: &str, quantity: &str) -> Vec<(f64, f64)> {
    let all = values(record, figure, quantity);
    all.filter_map(|r| Some((r.x, r.paper?))).collect()
}

fn series(name: &str, style: Style, points: Vec<(f64, f64)>) -> Series {
    Series {
        name: name.to_string(),
        points,
        style,
    }
}

fn chart(
    title: String,
    x_label: &'static str,
    y_label: &'static str,
    series: Vec<Series>,
    ratio: bool,
) -> String {
    LineChart {
        title,
        x_label,
        y_label,
        y_text: significant,
        series,
        marks: Vec::new(),
        ratio,
        extent: (420.0, 310.0),
    }
    .figure()
}
