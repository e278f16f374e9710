//! The pictures of `mmm-table1`, `mmm-table2` and `mmm-division`: times against s, and how many
//! times faster each s is than the first.

use super::Headline;
use super::plot::{self, LineChart, Series, Style};
use crate::format::{significant, times};
use crate::poly::mmm::{BOUND, CALIBRATED, RATIO, TIME};
use crate::record::{Record, Reproduced};
use crate::table::mmm::sizes;
use crate::table::papers::values;

/// What is drawn: name, quantity, whether the paper's, style.
type Line = (&'static str, &'static str, bool, Style);

const TIMES: [Line; 2] = [
    ("here", TIME, false, line(0, false)),
    ("paper", TIME, true, line(1, false)),
];

const RATIOS: [Line; 4] = [
    ("here", RATIO, false, line(0, false)),
    ("paper", RATIO, true, line(1, false)),
    ("Corollary 1", BOUND, false, line(2, true)),
    ("calibrated model", CALIBRATED, false, line(3, true)),
];

const fn line(colour: usize, dashed: bool) -> Style {
    Style { colour, dashed }
}

/// Title, what a reader wants first, and the pictures.
pub fn parts(title: &'static str, record: &Record) -> (&'static str, Vec<Headline>, String) {
    let mut html = String::new();
    for (about, y_label, lines, ratio) in [
        ("Time against s", "ms", &TIMES[..], false),
        ("The first s over s", "ratio", &RATIOS[..], true),
    ] {
        html += &format!("<h3>{about}</h3>\n");
        let drawn = lines.iter().filter(|(_, quantity, paper, _)| {
            let some = |size: &&str| !points(record, size, quantity, *paper).is_empty();
            sizes(record).iter().any(some)
        });
        html += &plot::legend(drawn.map(|(name, .., style)| (*name, *style)));
        html += "<div class=\"panels\">\n";
        for size in sizes(record) {
            let series = lines.iter().map(|(name, quantity, paper, style)| Series {
                name: name.to_string(),
                points: points(record, size, quantity, *paper),
                style: *style,
            });
            html += &LineChart {
                title: size.to_string(),
                x_label: "s",
                y_label,
                y_text: significant,
                series: series.filter(|s| !s.points.is_empty()).collect(),
                marks: Vec::new(),
                ratio,
                extent: (420.0, 310.0),
            }
            .figure();
        }
        html += "</div>\n";
    }
    (title, headline(record).into_iter().collect(), html)
}

fn points(record: &Record, size: &str, quantity: &str, paper: bool) -> Vec<(f64, f64)> {
    let value = |r: &Reproduced| if paper { r.paper } else { r.here };
    let all = values(record, size, quantity);
    all.filter_map(|r| Some((r.x, value(r)?))).collect()
}

/// The fastest s at the last size.
fn headline(record: &Record) -> Option<Headline> {
    let size = *sizes(record).last()?;
    let best = |paper| {
        let all = points(record, size, TIME, paper).into_iter();
        all.min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let (s, here) = best(false)?;
    let mut about = format!("{size} coefficients with s = {s}");
    if let Some((s, paper)) = best(true) {
        about += &format!("; {} over the paper’s best, s = {s}", times(paper / here));
    }
    Some(Headline {
        number: format!("{} ms", significant(here)),
        about,
    })
}
