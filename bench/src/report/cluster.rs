//! The picture of `cluster`: how much faster more ranks are.

use super::Headline;
use super::plot::{self, LineChart, Series, Style};
use crate::format::{percent, size_raised, times};
use crate::record::{Measurement, Record};
use crate::table::cluster::{efficiency, speed_up};

/// Title, what a reader wants first, and the picture.
pub fn parts(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let mut works: Vec<(&str, u64)> = Vec::new();
    for m in &record.measurements {
        if !works.contains(&(m.operation.as_str(), m.bits)) {
            works.push((&m.operation, m.bits));
        }
    }
    let (mut lines, mut cards) = (Vec::new(), Vec::new());
    for (i, (operation, bits)) in works.iter().enumerate() {
        let own = || {
            let all = record.measurements.iter();
            all.filter(|m| m.operation == *operation && m.bits == *bits)
        };
        let point = |m: &Measurement| Some((m.ranks? as f64, speed_up(record, m)?));
        let name = format!("{operation}, {}", size_raised(*bits));
        if let Some((m, share)) = own()
            .next_back()
            .and_then(|m| Some((m, efficiency(record, m)?)))
        {
            cards.push(Headline {
                number: percent(share),
                about: format!("efficiency of {} ranks: {name}", m.ranks.unwrap_or(1)),
            });
        }
        lines.push(Series {
            name,
            points: own().filter_map(point).collect(),
            style: Style {
                colour: i,
                dashed: false,
            },
        });
    }
    let most = lines.iter().flat_map(|line| &line.points);
    let most = most.map(|(ranks, _)| *ranks).fold(1.0, f64::max);
    lines.push(Series {
        name: "all ranks of use".into(),
        points: vec![(1.0, 1.0), (most, most)],
        style: Style {
            colour: works.len(),
            dashed: true,
        },
    });
    let mut html = plot::legend(lines.iter().map(|line| (line.name.as_str(), line.style)));
    html += "<div class=\"panels wide\">\n";
    html += &LineChart {
        title: "Speed-up over one rank".into(),
        x_label: "ranks",
        y_label: "times as fast",
        y_text: times,
        series: lines,
        marks: Vec::new(),
        ratio: false,
        extent: (520.0, 330.0),
    }
    .figure();
    ("Ranks", cards, html + "</div>\n")
}
