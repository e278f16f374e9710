//! The picture of `sieve`: the time to factor a product of two primes against its digits.

use super::Headline;
use super::plot::{self, Series, Style};
use crate::format::seconds;
use crate::record::Record;

/// Engines of the measurements and what they are called here.
const ENGINES: [(&str, &str); 2] = [("auto", "with a GPU"), ("cpu", "CPU, all threads")];

/// Title, what a reader wants first, and the picture.
pub fn parts(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let measured = ENGINES.into_iter().map(|(engine, name)| {
        let all = record.measurements.iter().filter(|m| m.engine == engine);
        let points = all.map(|m| (m.bits as f64, m.time.median)).collect();
        (name.to_string(), points, false)
    });
    let published = || record.reproduced.iter().filter(|v| v.paper.is_some());
    let mut machines: Vec<&str> = published().map(|v| v.figure.as_str()).collect();
    machines.dedup();
    let published = machines.into_iter().map(|machine| {
        let all = published().filter(|v| v.figure == machine);
        let points = all.filter_map(|v| Some((v.x, v.paper?))).collect();
        (machine.to_string(), points, true)
    });
    let lines = measured.chain(published).enumerate();
    let lines = lines.map(|(colour, (name, points, dashed))| Series {
        name,
        points,
        style: Style { colour, dashed },
    });
    let lines: Vec<Series> = lines.filter(|line| !line.points.is_empty()).collect();
    let longest = lines.first().and_then(|line| line.points.last());
    let cards = longest.map(|(digits, time)| Headline {
        number: seconds(*time),
        about: format!("to factor a product of two primes with {digits} digits"),
    });
    let html = plot::one_chart(
        "Products of two primes of the same size",
        ("digits", "time of the whole process"),
        seconds,
        lines,
    );
    ("Quadratic sieve", cards.into_iter().collect(), html)
}
