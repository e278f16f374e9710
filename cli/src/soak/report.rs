//! What came out: counts by operation, and a line that replays each case that is not right.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bezout::measure::{Identity, Stored};
use bezout::{Engine, cuda, environment};
use bezout_bench::model as tables;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::json;

use crate::args::Global;
use crate::failure::Failure;
use crate::output;

use super::judge::{Against, Verdict};
use super::operation::{self, Case};
use super::{Each, End};

/// The variable that sets the tuning.
const TUNING: &str = "BEZOUT_TUNING";

/// So many cases that are not right are printed and listed; the others are counted.
const MOST_LISTED: usize = 100;

/// A case that is not right.
#[derive(Debug, Serialize)]
struct Fault {
    case: String,
    reason: String,
    replay: String,
}

/// The cases of one operation.
#[derive(Debug)]
struct Count {
    name: &'static str,
    cases: AtomicU64,
    wrong: AtomicU64,
    failed: AtomicU64,
    largest: AtomicU64,
}

/// The cases so far.
#[derive(Debug)]
pub struct Report {
    pub engine: Engine,
    pub against: Against,
    /// How many cases were asked for.
    pub(super) each: Each,
    is_planted: bool,
    counts: Vec<Count>,
    wrong: AtomicU64,
    failed: AtomicU64,
    wrong_list: Mutex<Vec<Fault>>,
    failed_list: Mutex<Vec<Fault>>,
}

impl Report {
    /// No case yet.
    pub(super) fn new(engine: Engine, against: Against, is_planted: bool, each: Each) -> Report {
        let counts = operation::all().map(|operation| Count {
            name: operation.name,
            cases: AtomicU64::new(0),
            wrong: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            largest: AtomicU64::new(0),
        });
        Report {
            engine,
            against,
            each,
            is_planted,
            counts: counts.collect(),
            wrong: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            wrong_list: Mutex::default(),
            failed_list: Mutex::default(),
        }
    }

    /// Counts a case, and says at once how to replay one that is not right.
    pub fn record(&self, case: &Case, verdict: Verdict) {
        if let Some(count) = (self.counts.iter()).find(|c| c.name == case.operation.name) {
            let of_kind = match &verdict {
                Verdict::Stopped => return,
                Verdict::Right => &count.cases,
                Verdict::Wrong(_) => &count.wrong,
                Verdict::Failed(_) => &count.failed,
            };
            of_kind.fetch_add(1, Ordering::Relaxed);
            count.largest.fetch_max(case.bits, Ordering::Relaxed);
        }
        let (what, reason, total, list) = match verdict {
            Verdict::Stopped | Verdict::Right => return,
            Verdict::Wrong(reason) => ("wrong", reason, &self.wrong, &self.wrong_list),
            Verdict::Failed(reason) => ("failed", reason, &self.failed, &self.failed_list),
        };
        total.fetch_add(1, Ordering::Relaxed);
        let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() >= MOST_LISTED {
            return;
        }
        let (engine, against) = (self.engine, self.against);
        let plant = if self.is_planted { " --plant" } else { "" };
        // Another tuning takes other algorithms for the same case.
        let tuning = environment::text(TUNING).map_or(String::new(), |t| format!("{TUNING}={t} "));
        let replay = format!(
            "{tuning}bezout soak --replay {case} --engine {engine} --against {against}{plant}"
        );
        output::report(&format!("bezout: {what}: {case}: {reason}\n  {replay}"));
        list.push(Fault {
            case: case.to_string(),
            reason,
            replay,
        });
    }

    /// Cases that were right.
    fn right(&self) -> u64 {
        let counts = self.counts.iter();
        counts
            .map(|count| count.cases.load(Ordering::Relaxed))
            .sum()
    }

    /// Cases that have a verdict.
    pub(super) fn judged(&self) -> u64 {
        let [wrong, failed] = [&self.wrong, &self.failed].map(|n| n.load(Ordering::Relaxed));
        self.right() + wrong + failed
    }

    /// Prints all; a failure where a case was not right.
    pub(super) fn print(
        self,
        seed: Option<u64>,
        time: Duration,
        end: End,
        global: &Global,
    ) -> Result<(), Failure> {
        let (right, wrong, failed) = (
            self.right(),
            self.wrong.into_inner(),
            self.failed.into_inner(),
        );
        let cases = right + wrong + failed;
        let (engine, against) = (self.engine.to_string(), self.against.to_string());
        let seconds = time.as_secs_f64();
        // Text, as many readers of JSON keep 53 bits of a number.
        let seed = seed.map(|seed| format!("{seed:#x}"));
        let counts: Vec<(&str, [u64; 3], u64)> = self
            .counts
            .into_iter()
            .map(|count| {
                let cases = [count.cases, count.wrong, count.failed].map(AtomicU64::into_inner);
                (count.name, cases, count.largest.into_inner())
            })
            .filter(|(_, cases, _)| cases.iter().sum::<u64>() > 0)
            .collect();
        if global.json {
            let lists = [self.wrong_list, self.failed_list];
            let [wrong_list, failed_list] =
                lists.map(|list| list.into_inner().unwrap_or_else(PoisonError::into_inner));
            let operations: Vec<_> = counts
                .iter()
                .map(|(name, [right, wrong, failed], largest)| {
                    json!({
                        "name": name, "right": right, "wrong": wrong, "failed": failed,
                        "largest_bits": largest,
                    })
                })
                .collect();
            let object = json!({
                "command": "soak", "engine": engine, "against": against,
                "tuning": tuning_name(self.engine), "seed": seed, "complete": end.is_complete,
                "cases": cases, "right": right, "wrong": wrong, "failed": failed,
                "cases_each": self.each.cases, "sizes": self.each.sizes,
                "operations": operations, "wrong_cases": wrong_list,
                "failed_cases": failed_list, "seconds": seconds,
            });
            output::json(&tables::stamped(self.engine, object))?;
        } else {
            let mut text = format!(
                "{:<12} {:>12} {:>14}\n",
                "operation", "right", "largest (bits)"
            );
            for (name, [right, ..], largest) in counts {
                text += &format!("{name:<12} {right:>12} {largest:>14}\n");
            }
            let tuning = environment::text(TUNING);
            let tuning = tuning.map_or(String::new(), |text| format!(", tuning {text}"));
            let seed = seed.map_or(String::new(), |seed| format!(", seed {seed}"));
            text += &format!(
                "{cases} cases in {seconds:.1} s, engine {engine} against {against}{tuning}{seed}: \
                 {wrong} wrong, {failed} failed"
            );
            text += &match end {
                End {
                    is_complete: true, ..
                } => String::new(),
                End {
                    asked: Some(asked), ..
                } => format!("\nCut short: {asked} cases were asked for"),
                End { asked: None, .. } => "\nCut short: the time was not up".into(),
            };
            output::text(&text)?;
        }
        if wrong + failed > 0 {
            return Err(Failure::said(1));
        }
        Ok(())
    }
}

/// The tuning in force: what BEZOUT_TUNING says, or else `measured` where 'bezout tune' has kept
/// values of this host or of the device, or else `shipped`.
fn tuning_name(engine: Engine) -> String {
    if let Some(text) = environment::text(TUNING) {
        return text;
    }
    let device = match engine {
        Engine::Cpu => None,
        Engine::Auto => (cuda::device_count() > 0).then_some(0),
        Engine::Cuda(ordinal) => Some(ordinal),
    };
    let device = device.and_then(|ordinal| cuda::device(ordinal).ok());
    let device = device.map(|device| Identity::of_device(device.info()));
    let mut files = [Some(Identity::of_host()), device].into_iter().flatten();
    let is_measured =
        files.any(|machine| Stored::load(machine).is_some_and(|file| !file.kernels.is_empty()));
    if is_measured { "measured" } else { "shipped" }.into()
}

/// A bar on a terminal: how much of the time is gone or of the cases is done, and how many cases
/// there were.
#[derive(Debug)]
pub struct Bar {
    bar: Option<ProgressBar>,
    counts_cases: bool,
}

impl Bar {
    /// The bar of so many cases, or else of so long a time; none where nobody would see it.
    pub fn new(time: Duration, cases: Option<u64>, global: &Global) -> Bar {
        let counts_cases = cases.is_some();
        let is_hidden = global.quiet || global.json || !io::stderr().is_terminal();
        let bar = (!is_hidden).then(|| {
            let style = output::style("{elapsed} soak [{wide_bar}] {percent}% {msg}");
            let bar = ProgressBar::new(cases.unwrap_or(time.as_millis() as u64));
            bar.with_style(style)
        });
        Bar { bar, counts_cases }
    }

    /// Draws the bar as it is now.
    pub fn draw(&self, report: &Report) {
        if let Some(bar) = &self.bar {
            let (wrong, failed) = (&report.wrong, &report.failed);
            let [wrong, failed] = [wrong, failed].map(|count| count.load(Ordering::Relaxed));
            let right = report.right();
            bar.set_message(format!("{right} right, {wrong} wrong, {failed} failed"));
            bar.set_position(if self.counts_cases {
                right + wrong + failed
            } else {
                bar.elapsed().as_millis() as u64
            });
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
