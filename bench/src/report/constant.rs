//! The picture of `constant`: time against digits.

use bezout::constant::Constant;

use super::Headline;
use super::plot::{self, Series, Style};
use crate::constant::operation;
use crate::format::{count, seconds};
use crate::record::Record;

/// Title, what a reader wants first, and the picture.
pub fn parts(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let mut lines = Vec::new();
    for (colour, constant) in Constant::ALL.into_iter().enumerate() {
        for on_device in [true, false] {
            let name = operation(constant);
            let all = record.measurements.iter().filter(|m| m.operation == name);
            let all = all.filter(|m| m.engine.starts_with("cuda") == on_device);
            let place = if on_device { "GPU" } else { "CPU" };
            lines.push(Series {
                name: format!("{constant}, {place}"),
                points: all.map(|m| (m.bits as f64, m.time.median)).collect(),
                style: Style {
                    colour,
                    dashed: !on_device,
                },
            });
        }
    }
    lines.retain(|line| !line.points.is_empty());
    let longest = lines
        .first()
        .and_then(|line| Some((line, line.points.last()?)));
    let cards = longest.map(|(line, (digits, time))| Headline {
        number: seconds(*time),
        about: format!("{} decimal digits of {}", count(*digits as u64), line.name),
    });
    let html = plot::one_chart(
        "Decimal digits of constants",
        ("digits", "time to text in memory"),
        seconds,
        lines,
    );
    let cards = cards.into_iter().collect();
    ("Digits of constants", cards, html)
}
