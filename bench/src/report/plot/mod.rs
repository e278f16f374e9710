//! Pictures as SVG text. Colours are classes of the page's style sheet, so that one picture serves
//! light and dark; legends stand beside the pictures, so that they never cover data. A point's
//! value shows when the pointer rests on it.

mod alone;
mod heat;
mod ticks;

pub use alone::first_alone;
pub use heat::{HeatMap, heat_legend};

use std::fmt::Write;

use super::escape;
use crate::format;

/// A line of a chart.
pub struct Series {
    /// What it shows.
    pub name: String,
    /// Its points, by x.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub style: Style,
}

/// One of eight colours, solid or dashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// 0 to 7.
    pub colour: usize,
    /// Whether it is dashed.
    pub dashed: bool,
}

/// A vertical line at a size.
pub struct Mark {
    /// Where.
    pub x: f64,
    /// What it says above the picture.
    pub label: String,
    /// Whether it is the paper's, not ours.
    pub theirs: bool,
}

/// A chart with logarithmic axes: y in powers of ten, x in what most of its sizes are powers of.
pub struct LineChart {
    /// Its title.
    pub title: String,
    /// What x is, with its unit.
    pub x_label: &'static str,
    /// What y is, with its unit.
    pub y_label: &'static str,
    /// How a value of y is written.
    pub y_text: fn(f64) -> String,
    /// The lines.
    pub series: Vec<Series>,
    /// Vertical lines.
    pub marks: Vec<Mark>,
    /// A horizontal line at 1, where y is a ratio.
    pub ratio: bool,
    /// Width and height in pixels at full size.
    pub extent: (f64, f64),
}

/// Places of an axis, and what is written there.
type Ticks = [(f64, String)];

/// At most the width of a digit, in pixels.
const DIGIT: f64 = 6.4;

/// A value's place between two others, by logarithm.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn place(&self, value: f64) -> f64 {
        let part = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + part * (self.to - self.from)
    }
}

impl LineChart {
    /// The picture with its title, or nothing where no line has a point.
    pub fn figure(&self) -> String {
        let all = || self.series.iter().flat_map(|s| &s.points);
        let (mut low, mut high) = bounds(all().map(|p| p.1));
        let (left, right) = bounds(all().map(|p| p.0).chain(self.marks.iter().map(|m| m.x)));
        if !low.is_finite() {
            return String::new();
        }
        if self.ratio {
            (low, high) = (low.min(1.0), high.max(1.0));
        }
        let (low, high) = ticks::around(low, high);
        let rows: Vec<(f64, String)> = ticks::values(low, high)
            .into_iter()
            .map(|value| (value, whole((self.y_text)(value))))
            .collect();
        let longest = rows.iter().map(|(_, words)| words.chars().count());
        let (width, height) = self.extent;
        let top = if self.marks.is_empty() { 12.0 } else { 40.0 };
        let x = Axis {
            low: left,
            high: right.max(left * 2.0),
            // The axis' title, the longest label and the gap before the axis.
            from: 20.0 + DIGIT * longest.max().unwrap_or(0) as f64 + 7.0,
            to: width - 16.0,
        };
        let y = Axis {
            low,
            high,
            from: height - 42.0,
            to: top,
        };
        let sizes: Vec<f64> = all().map(|p| p.0).collect();
        let columns = ticks::sizes(&sizes, (x.low, x.high));
        let mut svg = open(width, height, &format!("{}: {}", self.title, self.y_label));
        self.axes(&mut svg, &x, &y, (&columns, &rows));
        if self.ratio {
            line(
                &mut svg,
                "rule",
                (x.from, y.place(1.0)),
                (x.to, y.place(1.0)),
            );
        }
        self.draw_marks(&mut svg, &x, &y);
        for series in &self.series {
            draw(&mut svg, series, &x, &y, self.y_text);
        }
        alone::key(&mut svg, &self.series, (x.from, height), width);
        svg += "</svg>";
        figure(&self.title, &svg)
    }

    fn axes(&self, svg: &mut String, x: &Axis, y: &Axis, (columns, rows): (&Ticks, &Ticks)) {
        for (value, words) in rows {
            let at = y.place(*value);
            line(svg, "grid", (x.from, at), (x.to, at));
            text(svg, "end", (x.from - 7.0, at + 4.0), words);
        }
        for (size, words) in columns {
            let at = x.place(*size);
            line(svg, "grid", (at, y.from), (at, y.to));
            text(svg, "middle", (at, y.from + 17.0), words);
        }
        line(svg, "axis", (x.from, y.from), (x.to, y.from));
        line(svg, "axis", (x.from, y.from), (x.from, y.to));
        text(
            svg,
            "middle",
            ((x.from + x.to) / 2.0, y.from + 35.0),
            self.x_label,
        );
        let middle = (y.from + y.to) / 2.0;
        let _ = write!(
            svg,
            "<text text-anchor=\"middle\" transform=\"translate(12 {middle:.1}) \
             rotate(-90)\">{}</text>",
            escape(self.y_label)
        );
    }

    /// Labels go above the picture, ours and theirs in rows of their own and away from each other,
    /// so that they cover neither data nor lines.
    fn draw_marks(&self, svg: &mut String, x: &Axis, y: &Axis) {
        const ROOM: f64 = 90.0;
        let rightmost = self.marks.iter().map(|m| m.x).fold(0.0, f64::max);
        let mut labels = String::new();
        for mark in &self.marks {
            let (class, row) = if mark.theirs {
                ("theirs", y.to - 7.0)
            } else {
                ("ours", y.to - 22.0)
            };
            let at = x.place(mark.x);
            line(svg, class, (at, y.from), (at, row + 3.0));
            let fits = (at - ROOM > x.from, at + ROOM < x.to);
            let to_the_right = fits.1 && (mark.x == rightmost || !fits.0);
            let (anchor, shift) = if to_the_right {
                ("start", 4.0)
            } else {
                ("end", -4.0)
            };
            let _ = write!(
                labels,
                r#"<text class="{class}" text-anchor="{anchor}" x="{:.1}" y="{row:.1}">{}</text>"#,
                at + shift,
                escape(&mark.label)
            );
        }
        *svg += &labels;
    }
}

fn draw(svg: &mut String, series: &Series, x: &Axis, y: &Axis, y_text: fn(f64) -> String) {
    let Style { colour, dashed } = series.style;
    let dash = if dashed { " dashed" } else { "" };
    let points: Vec<String> = series
        .points
        .iter()
        .map(|p| format!("{:.1},{:.1}", x.place(p.0), y.place(p.1)))
        .collect();
    let _ = write!(
        svg,
        r#"<polyline class="line k{colour}{dash}" points="{}"/>"#,
        points.join(" ")
    );
    for p in &series.points {
        let size = format::size_raised(p.0.round() as u64);
        let _ = write!(
            svg,
            "<circle class=\"f{colour}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\"><title>{}, {size}: \
             {}</title></circle>",
            x.place(p.0),
            y.place(p.1),
            escape(&series.name),
            escape(&y_text(p.1)),
        );
    }
}

/// The only chart of a benchmark, of the lines that have points, below the legend of all of them.
/// Nothing where no line has two: a point alone shows less than its number in a table.
pub fn one_chart(
    title: &str,
    (x_label, y_label): (&'static str, &'static str),
    y_text: fn(f64) -> String,
    mut series: Vec<Series>,
) -> String {
    if series.iter().all(|line| line.points.len() < 2) {
        return String::new();
    }
    let mut html = legend(series.iter().map(|line| (line.name.as_str(), line.style)));
    series.retain(|line| !line.points.is_empty());
    html += "<div class=\"panels wide\">\n";
    html += &LineChart {
        title: title.into(),
        x_label,
        y_label,
        y_text,
        series,
        marks: Vec::new(),
        ratio: false,
        extent: (520.0, 330.0),
    }
    .figure();
    html + "</div>\n"
}

/// What the lines are, for one or many charts.
pub fn legend<'a>(entries: impl IntoIterator<Item = (&'a str, Style)>) -> String {
    let mut html = String::from("<ul class=\"legend\">");
    for (name, style) in entries {
        let dash = if style.dashed { " dashed" } else { "" };
        let _ = write!(
            html,
            "<li><svg viewBox=\"0 0 26 12\" aria-hidden=\"true\"><path class=\"line k{c}{dash}\" \
             d=\"M1 6H25\"/><circle class=\"f{c}\" cx=\"13\" cy=\"6\" r=\"3\"/></svg>{}</li>",
            escape(name),
            c = style.colour,
        );
    }
    html + "</ul>\n"
}

/// Horizontal bars of shares, against a line at 100%.
pub fn bars(title: &str, x_label: &str, rows: &[(String, f64, String)]) -> String {
    let (row, left, width) = (24.0, 128.0, 520.0);
    let longest = rows.iter().map(|r| r.1).fold(1.0, f64::max);
    // Up to the next 20%; the values have a column of their own, off the lines.
    let (end, ticks) = (width - 112.0, (longest * 5.0).ceil() as usize);
    let place = |share: f64| left + share / (ticks as f64 / 5.0) * (end - left);
    let bottom = 10.0 + row * rows.len() as f64;
    let mut svg = open(width, bottom + 44.0, title);
    for tick in 0..=ticks {
        let at = place(tick as f64 / 5.0);
        let class = if tick == 5 { "rule" } else { "grid" };
        line(&mut svg, class, (at, 6.0), (at, bottom));
        text(
            &mut svg,
            "middle",
            (at, bottom + 16.0),
            &format!("{}%", 20 * tick),
        );
    }
    for (i, (name, share, value)) in rows.iter().enumerate() {
        let top = 10.0 + row * i as f64;
        let _ = write!(
            svg,
            r#"<rect class="f0" x="{left}" y="{:.1}" width="{:.1}" height="{:.1}" rx="2"/>"#,
            top + 3.0,
            (place(*share) - left).max(1.0),
            row - 8.0,
        );
        text(&mut svg, "end", (left - 8.0, top + 15.0), name);
        let _ = write!(
            svg,
            r#"<text class="value" x="{:.1}" y="{:.1}">{}</text>"#,
            end + 8.0,
            top + 15.0,
            escape(value)
        );
    }
    line(&mut svg, "axis", (left, 6.0), (left, bottom));
    text(
        &mut svg,
        "middle",
        ((left + end) / 2.0, bottom + 34.0),
        x_label,
    );
    figure(title, &(svg + "</svg>"))
}

/// `10.0 µs` as `10 µs`: a power of ten needs no zeros after its point.
fn whole(words: String) -> String {
    match words.find(|c: char| !c.is_ascii_digit() && c != '.') {
        Some(at) if words[..at].contains('.') => {
            let (number, unit) = words.split_at(at);
            let number = number.trim_end_matches('0').trim_end_matches('.');
            format!("{number}{unit}")
        }
        _ => words,
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), v| {
        (low.min(v), high.max(v))
    })
}

fn figure(title: &str, svg: &str) -> String {
    let title = escape(title);
    format!("<figure><figcaption>{title}</figcaption>{svg}</figure>\n")
}

fn open(width: f64, height: f64, label: &str) -> String {
    let label = escape(label);
    format!(r#"<svg viewBox="0 0 {width} {height}" role="img" aria-label="{label}">"#)
}

fn line(svg: &mut String, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = write!(
        svg,
        r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#
    );
}

fn text(svg: &mut String, anchor: &str, (x, y): (f64, f64), words: &str) {
    let words = escape(words);
    let _ = write!(
        svg,
        r#"<text text-anchor="{anchor}" x="{x:.1}" y="{y:.1}">{words}</text>"#
    );
}
