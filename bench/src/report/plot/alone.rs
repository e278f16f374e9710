//! A picture as a file of its own: the style sheet goes into it, and what its lines are goes below
//! it. On a page, the legend beside the pictures says that, and a picture's own is hidden.

use std::fmt::Write;

use super::{Series, text};

/// Height of a line of the key, and of the title above the picture.
const ROW: f64 = 17.0;
const TITLE: f64 = 26.0;
/// Begins the key; its height follows.
const KEY: &str = "<g class=\"key\" data-height=\"";

/// Writes what the lines are below a picture that ends at `bottom`.
pub(super) fn key(svg: &mut String, series: &[Series], (left, bottom): (f64, f64)) {
    let shown: Vec<&Series> = series.iter().filter(|s| !s.points.is_empty()).collect();
    let _ = write!(svg, "{KEY}{}\">", ROW * shown.len() as f64 + 8.0);
    for (row, series) in shown.iter().enumerate() {
        let y = bottom + ROW * (row as f64 + 0.5);
        let (c, end) = (series.style.colour, left + 24.0);
        let dash = if series.style.dashed { " dashed" } else { "" };
        let _ = write!(
            svg,
            "<path class=\"line k{c}{dash}\" d=\"M{left} {y}H{end}\"/><circle class=\"f{c}\" \
             cx=\"{:.1}\" cy=\"{y}\" r=\"2.6\"/>",
            left + 12.0
        );
        text(svg, "start", (end + 7.0, y + 4.0), &series.name);
    }
    svg.push_str("</g>");
}

/// The first line chart of these figures, as a document; none where there is none.
pub fn first_alone(figures: &str, style: &str) -> Option<String> {
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
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {} {width} {height}\" \
         width=\"{width}\" height=\"{height}\">\n\
         <title>{label}</title>\n<style>\n{style}svg .key {{ display: inline; }}\n\
         svg {{ background: var(--page); font-family: system-ui, sans-serif; }}\n</style>\n\
         <text class=\"value\" x=\"12\" y=\"-8\">{label}</text>\n{body}</svg>\n",
        -TITLE,
    ))
}
