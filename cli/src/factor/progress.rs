//! What a search is at, in words, on a terminal.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use bezout::factor::{Method, Outlook};
use bezout::progress::{self, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::Global;

/// A line on a terminal that says what a search is at.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    pub fn new(global: &Global) -> Bar {
        let shows = !global.quiet && !global.json && io::stderr().is_terminal();
        Bar(shows.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}{prefix} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        }))
    }

    pub fn show(&self, outlook: Option<&Outlook>) {
        if let (Some(bar), Some(outlook)) = (&self.0, outlook) {
            bar.set_message(words(outlook));
            bar.set_prefix("");
        }
    }

    /// Runs work, and shows how many of the relations that a sieve needs are found.
    pub fn follow<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(bar) = self.0.clone() else {
            return work();
        };
        let mut sieve = Sieve::default();
        let observer = move |progress: Progress| {
            if progress.stage == SIEVING
                && let Some(fraction) = progress.fraction
            {
                bar.set_prefix(sieve.words(fraction, Instant::now()));
            }
            ControlFlow::Continue(())
        };
        progress::scope(observer, work)
    }
}

/// The stage of a sieve that looks for relations.
const SIEVING: &str = "sieving";

/// When the sieve that is followed was at its start.
#[derive(Default)]
struct Sieve {
    start: Option<(f64, Instant)>,
}

impl Sieve {
    /// How far a sieve is and how long it will take, at the pace since it was first heard of.
    fn words(&mut self, fraction: f64, now: Instant) -> String {
        let (first, start) = match self.start {
            Some(start) if start.0 <= fraction => start,
            _ => *self.start.insert((fraction, now)),
        };
        let percent = format!(", {:.0} % of the relations", 100.0 * fraction);
        let pace = (fraction - first) / now.duration_since(start).as_secs_f64();
        if pace > 0.0 {
            format!("{percent}, {} left", duration((1.0 - fraction) / pace))
        } else {
            percent
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
    fn sieves_in_words() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut sieve = Sieve::default();
        assert_eq!(sieve.words(0.0, at(0)), ", 0 % of the relations");
        assert_eq!(
            sieve.words(0.25, at(10)),
            ", 25 % of the relations, 30 s left"
        );
        // The next sieve.
        assert_eq!(sieve.words(0.1, at(20)), ", 10 % of the relations");
    }

    #[test]
    fn times_in_words() {
        assert_eq!(duration(3.2), "3 s");
        assert_eq!(duration(180.0), "3 min");
        assert_eq!(duration(7200.0), "2 h");
        assert_eq!(duration(864_000.0), "10 days");
    }
}
