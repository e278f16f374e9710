//! What a search is at, in words, on a terminal.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bezout::factor::{Method, Outlook};
use bezout::progress::{self, Progress};
use indicatif::ProgressBar;

use crate::args::Global;
use crate::output;

/// A line on a terminal that says what a search is at.
pub struct Bar(Option<Shown>);

/// What the line says, after the time since the start.
#[derive(Clone)]
struct Shown {
    bar: ProgressBar,
    search: Arc<Mutex<String>>,
}

impl Shown {
    fn set_search(&self, words: String) {
        self.bar.set_message(words.clone());
        *self.search.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }

    fn add(&self, words: &str) {
        let search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        self.bar.set_message(format!("{search}{words}"));
    }
}

impl Bar {
    pub fn new(global: &Global) -> Bar {
        let shows = !global.quiet && !global.json && io::stderr().is_terminal();
        Bar(shows.then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(output::style(output::SPINNER));
            bar.enable_steady_tick(Duration::from_millis(200));
            let search = Arc::default();
            Shown { bar, search }
        }))
    }

    pub fn show(&self, outlook: Option<&Outlook>) {
        if let (Some(shown), Some(outlook)) = (&self.0, outlook) {
            shown.set_search(words(outlook));
        }
    }

    /// Runs work, and shows how many of the relations that a sieve needs are found.
    pub fn follow<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(shown) = self.0.clone() else {
            return work();
        };
        let mut sieve = Sieve::default();
        let observer = move |progress: Progress| {
            if progress.stage == SIEVING
                && let Some(fraction) = progress.fraction
            {
                shown.add(&sieve.words(fraction, Instant::now()));
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
    /// The last fraction: a smaller one is of another sieve.
    last: f64,
}

impl Sieve {
    /// How far a sieve is and how long it will take, at the pace since it was first heard of.
    fn words(&mut self, fraction: f64, now: Instant) -> String {
        let (first, start) = match self.start {
            Some(start) if self.last <= fraction => start,
            _ => *self.start.insert((fraction, now)),
        };
        self.last = fraction;
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
        if let Some(Shown { bar, .. }) = &self.0 {
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
