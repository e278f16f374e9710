//! Choices as an SVG file that needs nothing else: a bar for each measured time, a mark for the
//! predicted one.

use std::fmt::Write;

use bezout_lab::tune::Explained;

use super::label;
use crate::format::{seconds, significant};
use crate::report::escape;

const STYLE: &str = "\
svg{background:#fff;font:12px system-ui,sans-serif}text{fill:#57606a}.ink{fill:#1c2127}\
.bar{fill:#9cc3ea}.chosen{fill:#0b6bcb}\
.mark{stroke:#d1560a;stroke-width:3}.grid{stroke:#e9edf1}\
@media(prefers-color-scheme:dark){svg{background:#12161b}text{fill:#9aa6b2}.ink{fill:#e4e9ee}\
.bar{fill:#2c4a66}.chosen{fill:#5aa9f5}\
.mark{stroke:#f59150}.grid{stroke:#262e36}}";

/// The picture. Predictions are scaled so that their geometric mean is that of the measurements:
/// their ratios are what they are for.
pub(super) fn svg(explained: &Explained) -> String {
    let choices = &explained.choices;
    let logs = choices.iter().map(|c| (c.measured / c.predicted).ln());
    let scale = (logs.sum::<f64>() / choices.len().max(1) as f64).exp();
    let labels: Vec<String> = choices
        .iter()
        .map(|c| label(explained, &c.values))
        .collect();
    let longest = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let (left, row, top) = (16.0 + 6.6 * longest as f64, 26.0, 58.0);
    let (width, height) = (left + 520.0, top + row * choices.len() as f64 + 40.0);
    let most = choices
        .iter()
        .map(|c| c.measured.max(c.predicted * scale))
        .fold(f64::MIN_POSITIVE, f64::max);
    let place = |time: f64| left + 400.0 * time / most;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\"><style>{STYLE}</style>"
    );
    let title = format!("{}, size {}", explained.kernel, explained.size);
    let about = format!(
        "{} on {}; chosen over best {}",
        explained.about,
        explained.machine.name,
        significant(explained.regret)
    );
    let _ = write!(
        svg,
        "<title>{t}</title><text class=\"ink\" x=\"8\" y=\"20\" \
         font-weight=\"600\">{t}</text><text x=\"8\" y=\"38\">{}</text>",
        escape(&about),
        t = escape(&title),
    );
    for quarter in 0..=4 {
        let time = most * f64::from(quarter) / 4.0;
        let at = place(time);
        let bottom = height - 36.0;
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{top}\" x2=\"{at:.1}\" \
             y2=\"{bottom:.1}\"/><text text-anchor=\"middle\" x=\"{at:.1}\" y=\"{:.1}\">{}</text>",
            bottom + 14.0,
            seconds(time)
        );
    }
    for (i, (choice, label)) in choices.iter().zip(&labels).enumerate() {
        let y = top + row * i as f64;
        let class = if choice.chosen { "chosen" } else { "bar" };
        let (end, mark) = (place(choice.measured), place(choice.predicted * scale));
        let _ = write!(
            svg,
            "<text class=\"ink\" text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text><rect \
             class=\"{class}\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
             rx=\"2\"/><line class=\"mark\" x1=\"{mark:.1}\" y1=\"{:.1}\" x2=\"{mark:.1}\" \
             y2=\"{:.1}\"/><text class=\"ink\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            left - 8.0,
            y + 17.0,
            escape(label),
            y + 5.0,
            end - left,
            row - 10.0,
            y + 2.0,
            y + row - 2.0,
            end.max(mark) + 8.0,
            y + 17.0,
            seconds(choice.measured),
        );
    }
    let _ = write!(
        svg,
        "<text x=\"8\" y=\"{:.1}\">bars: measured, the chosen one dark; marks: predicted, times \
         {}</text></svg>",
        height - 6.0,
        significant(scale)
    );
    svg
}
