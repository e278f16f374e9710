//! Heat maps: times by block and grid size.

use std::fmt::Write;

use super::{figure, open, text};
use crate::format;
use crate::report::escape;

/// Times by row and column: the faster, the stronger the colour.
pub struct HeatMap {
    /// Its title.
    pub title: String,
    /// What the columns are.
    pub x_label: &'static str,
    /// What the rows are.
    pub y_label: &'static str,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Seconds, by row and column.
    pub cells: Vec<Vec<Option<f64>>>,
    /// The cell that the paper found best.
    pub paper: Option<(usize, usize)>,
}

impl HeatMap {
    /// The picture with its title.
    pub fn figure(&self) -> String {
        let (width, left, top, high) = (520.0, 66.0, 8.0, 30.0);
        let wide = (width - left - 8.0) / self.columns.len().max(1) as f64;
        let bottom = top + high * self.rows.len() as f64;
        let known = || self.cells.iter().flatten().flatten().copied();
        let best = known().fold(f64::INFINITY, f64::min);
        let mut svg = open(width, bottom + 42.0, &self.title);
        let mut frames = String::new();
        for (r, row) in self.cells.iter().enumerate() {
            let y = top + high * r as f64;
            text(&mut svg, "end", (left - 8.0, y + 19.0), &self.rows[r]);
            for (c, cell) in row.iter().enumerate() {
                let Some(time) = *cell else { continue };
                let x = left + wide * c as f64;
                let place = format!(
                    r#"x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="3""#,
                    x + 1.5,
                    y + 1.5,
                    wide - 3.0,
                    high - 3.0
                );
                // Text stays readable on at most 60% of the colour.
                let strength = 0.04 + 0.56 * (best / time).powi(2);
                let _ = write!(
                    svg,
                    r#"<rect class="heat" fill-opacity="{strength:.3}" {place}/>"#
                );
                let _ = write!(
                    svg,
                    r#"<text class="value" text-anchor="middle" x="{:.1}" y="{:.1}">{}</text>"#,
                    x + wide / 2.0,
                    y + 19.0,
                    format::seconds(time)
                );
                if time == best {
                    let _ = write!(frames, r#"<rect class="best" {place}/>"#);
                }
                if self.paper == Some((r, c)) {
                    let _ = write!(frames, r#"<rect class="paper" {place}/>"#);
                }
            }
        }
        for (c, name) in self.columns.iter().enumerate() {
            let x = left + wide * (c as f64 + 0.5);
            text(&mut svg, "middle", (x, bottom + 16.0), name);
        }
        text(
            &mut svg,
            "middle",
            ((left + width) / 2.0, bottom + 35.0),
            self.x_label,
        );
        let middle = (top + bottom) / 2.0;
        let _ = write!(
            svg,
            "<text text-anchor=\"middle\" transform=\"translate(12 {middle:.1}) \
             rotate(-90)\">{}</text>",
            escape(self.y_label)
        );
        figure(&self.title, &(svg + &frames + "</svg>"))
    }
}

/// What the frames of a heat map mean.
pub fn heat_legend() -> String {
    let entry = |class: &str, name: &str| {
        format!(
            "<li><svg viewBox=\"0 0 26 12\" aria-hidden=\"true\"><rect class=\"{class}\" x=\"2\" \
             y=\"1\" width=\"22\" height=\"10\" rx=\"2\"/></svg>{name}</li>"
        )
    };
    let names = entry("best", "fastest here") + &entry("paper", "fastest in the paper");
    format!("<ul class=\"legend\">{names}</ul>\n")
}
