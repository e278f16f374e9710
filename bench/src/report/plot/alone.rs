//! A picture as a file of its own: the style sheet goes into it, and what its lines are goes below
//! it. On a page, the legend beside the pictures says that, and a picture's own is hidden.

use std::fmt::Write;

use super::{Series, text};
use crate::report::escape;

/// Height of a line of the key, and of the two lines above the picture.
const ROW: f64 = 17.0;
const TITLE: f64 = 40.0;
/// Width of an entry's line with its gaps, and at most of a letter of its name.
const SAMPLE: f64 = 46.0;
const LETTER: f64 = 6.0;
/// Begins the key; its height follows.
const KEY: &str = "<g class=\"key\" data-height=\"";

/// Writes what the lines are below a picture that ends at `bottom`, in as many columns as fit.
pub(super) fn key(svg: &mut String, series: &[Series], (left, bottom): (f64, f64), width: f64) {
    let shown: Vec<&Series> = series.iter().filter(|s| !s.points.is_empty()).collect();
    let longest = shown.iter().map(|series| series.name.chars().count());
    let wide = SAMPLE + LETTER * longest.max().unwrap_or(0) as f64;
    let columns = ((width - left) / wide).floor().max(1.0) as usize;
    let rows = shown.len().div_ceil(columns);
    let _ = write!(svg, "{KEY}{}\">", ROW * rows as f64 + 8.0);
    for (place, series) in shown.iter().enumerate() {
        let start = left + wide * (place / rows) as f64;
        let y = bottom + ROW * ((place % rows) as f64 + 0.5);
        let (c, end) = (series.style.colour, start + 24.0);
        let dash = if series.style.dashed { " dashed" } else { "" };
        let _ = write!(
            svg,
            "<path class=\"line k{c}{dash}\" d=\"M{start:.1} {y}H{end:.1}\"/><circle \
             class=\"f{c}\" cx=\"{:.1}\" cy=\"{y}\" r=\"2.6\"/>",
            start + 12.0
        );
        text(svg, "start", (end + 7.0, y + 4.0), &series.name);
    }
    svg.push_str("</g>");
}

/// The first line chart of these figures, as a document with this title; none where there is none.
/// Its background is part of the picture, so that a page of another colour leaves it readable.
pub fn first_alone(title: &str, figures: &str, style: &str) -> Option<String> {
    let (before, from_key) = figures.split_once(KEY)?;
    let start = before.rfind("<svg ")?;
    let (key_height, _) = from_key.split_once('"')?;
    let end = figures[start..].find("</svg>")? + start;
    let (head, body) = figures[start..end].split_once('>')?;
    let attribute = |name: &str| {
        head.split_once(name)?
            .1
            .split_once('"')
            .map(|(value, _)| value)
    };
    let mut extent = attribute("viewBox=\"")?
        .split(' ')
        .filter_map(|x| x.parse::<f64>().ok());
    let (width, height) = (extent.nth(2)?, extent.next()?);
    let label = attribute("aria-label=\"")?;
    let height = height + key_height.parse::<f64>().ok()? + TITLE;
    let title = escape(title);
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {top} {width} {height}\" \
         width=\"{width}\" height=\"{height}\">\n\
         <title>{title}: {label}</title>\n<style>\n{style}svg .key {{ display: inline; }}\n\
         svg {{ font-family: system-ui, sans-serif; }}\n.back {{ fill: var(--page); }}\n\
         svg .title {{ fill: var(--ink); font-size: 14px; font-weight: 600; }}\n</style>\n\
         <rect class=\"back\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"12\" y=\"-21\">{title}</text>\n\
         <text x=\"12\" y=\"-5\">{label}</text>\n{body}</svg>\n",
        top = -TITLE,
    ))
}
