//! What a search is at, in words, on a terminal.

use std::io::{self, IsTerminal};
use std::time::Duration;

use bezout::factor::{Method, Outlook};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::Global;

/// A line on a terminal that says what a search is at.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    pub fn new(global: &Global) -> Bar {
        let shows = !global.quiet && !global.json && io::stderr().is_terminal();
        Bar(shows.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        }))
    }

    pub fn show(&self, outlook: Option<&Outlook>) {
        if let (Some(bar), Some(outlook)) = (&self.0, outlook) {
            bar.set_message(words(outlook));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// What a search is at, in words.
fn words(outlook: &Outlook) -> String {
    let what = format!("{} digits left: {}", outlook.digits, outlook.method);
    if outlook.method != Method::Ecm {
        return what;
    }
    let size = match outlook.factor_digits {
        Some(digits) => format!(" for {digits} digits"),
        None => String::new(),
    };
    let wanted = match outlook.curves_wanted {
        Some(wanted) => format!(" of {wanted}"),
        None => String::new(),
    };
    let left = match outlook.seconds_left {
        Some(seconds) => format!(", {} left", duration(seconds)),
        None => String::new(),
    };
    let next = match outlook.next {
        Some((digits, seconds)) => format!("; {digits} digits take {}", duration(seconds)),
        None => String::new(),
    };
    format!(
        "{what}{size}, B1 = {}, curve {}{wanted}{left}{next}",
        outlook.b1, outlook.curves
    )
}

/// A time as people say it.
fn duration(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        ..360_000.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_words() {
        assert_eq!(duration(3.2), "3 s");
        assert_eq!(duration(180.0), "3 min");
        assert_eq!(duration(7200.0), "2 h");
        assert_eq!(duration(864_000.0), "10 days");
    }
}
