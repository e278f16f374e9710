//! The pictures of `small`: the speed-up over each library against size, a line for each operation.

use super::Headline;
use super::plot::{self, LineChart, Series, Style};
use crate::format::{seconds, times};
use crate::record::{Measurement, Record};
use crate::table::contenders::operations;

const LIBRARIES: [&str; 2] = ["GMP", "malachite"];

/// Colours that a picture has.
const COLOURS: usize = 8;

/// Title, what a reader wants first, and the pictures.
pub fn parts(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let operations = operations(record);
    let style = |k: usize| Style {
        colour: k % COLOURS,
        dashed: k >= COLOURS,
    };
    let mut html = String::from(
        "<h3>Speed-up against size</h3>\n<p class=\"about\">Both scales are logarithmic. Above the \
         dotted line bezout is faster. All run on one core, and allocate and free their \
         results.</p>\n",
    );
    // Further calls stand in the tables alone.
    let entries = operations.iter().take(2 * COLOURS).enumerate();
    html += &plot::legend(entries.clone().map(|(k, name)| (*name, style(k))));
    html += "<div class=\"panels wide\">\n";
    for library in LIBRARIES {
        let series = entries.clone().map(|(k, operation)| {
            let of = |m: &&Measurement| m.operation == *operation;
            let points = record.measurements.iter().filter(of);
            let points = points.filter_map(|m| Some((m.bits as f64, m.baseline(library)?.ratio)));
            Series {
                name: operation.to_string(),
                points: points.collect(),
                style: style(k),
            }
        });
        html += &LineChart {
            title: format!("bezout over {library}"),
            x_label: "bits",
            y_label: "speed-up",
            y_text: times,
            series: series.filter(|s| !s.points.is_empty()).collect(),
            marks: Vec::new(),
            ratio: true,
            extent: (520.0, 420.0),
        }
        .figure();
    }
    ("Small numbers", headlines(record), html + "</div>\n")
}

/// The smallest size of each operation.
fn headlines(record: &Record) -> Vec<Headline> {
    let card = |operation: &str| {
        let mut list = record.measurements.iter();
        let m = list.find(|m| m.operation == operation)?;
        let against = m.baselines.iter();
        let against = against.map(|b| format!(", {} over {}", times(b.ratio), b.name));
        Some(Headline {
            number: seconds(m.time.median),
            about: format!(
                "{operation} at {} bits{}",
                m.bits,
                against.collect::<String>()
            ),
        })
    };
    let shown = ["add", "mul", "divrem", "gcd"];
    shown.into_iter().filter_map(card).collect()
}
