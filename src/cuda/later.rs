//! Kernels that are missing, compiled in the background.
//!
//! Who must not wait for the compiler asks first what is missing of the kernels that it will need
//! ([`Device::missing`]), and has that loaded for later work ([`load_later`]). Threads of low
//! priority compile and load one kernel after the other. A kernel that does not compile is said
//! once and stays missing.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::Device;
use super::kernel::{Module, Unit};
use crate::background::{self, Priority};
use crate::fork::PerProcess;
use crate::tuning::Tuning;
use crate::{notice, threads};

/// A kernel that would have to be compiled before it runs.
pub(crate) struct Missing {
    module: Arc<Module>,
    place: usize,
}

/// What was done about a kernel.
const NOTHING: u8 = 0;
const ASKED: u8 = 1;

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Missing>,
    /// Threads that work on it.
    workers: usize,
}

static QUEUE: PerProcess<Mutex<Option<Queue>>> = PerProcess::new(Mutex::new(None));

/// Most threads that compile at once: they take from the others the caches and the memory, if not
/// the cores.
const MOST_WORKERS: usize = 8;

/// Lists of kernels, the sizes they were made for, and the addresses of tunings.
pub(super) type Seen = HashSet<(usize, (u64, u64), usize)>;
/// Most of them that are remembered.
const MOST_SEEN: usize = 1 << 12;

impl Device {
    /// [`Device::missing`] of a list under the tuning in force. That nothing is missing is
    /// remembered: operations ask each time.
    pub(crate) fn missing_of(
        self: &Arc<Self>,
        list: fn((u64, u64), &Tuning) -> Vec<Unit>,
        sizes: (u64, u64),
    ) -> Vec<Missing> {
        let tuning = Tuning::in_force();
        // Tunings in force live as long as the process.
        let place = (list as usize, sizes, std::ptr::from_ref(tuning).addr());
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        if seen.contains(&place) {
            return Vec::new();
        }
        drop(seen);
        let missing = self.missing(&list(sizes, tuning));
        if missing.is_empty() {
            let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
            if seen.len() >= MOST_SEEN {
                seen.clear();
            }
            seen.insert(place);
        }
        missing
    }

    /// Those of these kernels that would have to be compiled before they run.
    pub(crate) fn missing(self: &Arc<Self>, units: &[Unit]) -> Vec<Missing> {
        let mut missing = Vec::new();
        for unit in units {
            let module = self.entry_of(unit.source, &unit.defines);
            let places = unit.kernels.iter().map(|kernel| module.place_of(kernel));
            let places = places.filter(|place| !module.is_ready(*place));
            missing.extend(places.map(|place| Missing {
                module: module.clone(),
                place,
            }));
        }
        missing
    }
}

/// Compiles and loads kernels in the background, each once. False, and nothing happens, where there
/// can be no work in the background.
pub(crate) fn load_later(missing: Vec<Missing>) -> bool {
    let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
    let queue = queue.get_or_insert_default();
    let is_new = |one: &Missing| {
        let later = &one.module.kernel_at(one.place).later;
        let asked = later.compare_exchange(NOTHING, ASKED, Ordering::Relaxed, Ordering::Relaxed);
        asked.is_ok()
    };
    queue.waiting.extend(missing.into_iter().filter(is_new));
    let most = (threads::count() / 4).clamp(1, MOST_WORKERS);
    while queue.workers < most.min(queue.waiting.len()) {
        if !background::spawn("bezout-compile", Priority::Low, work) {
            break;
        }
        queue.workers += 1;
    }
    if queue.workers == 0 && !queue.waiting.is_empty() {
        let refused = queue.waiting.drain(..);
        refused.for_each(|one| {
            let later = &one.module.kernel_at(one.place).later;
            later.store(NOTHING, Ordering::Relaxed);
        });
        return false;
    }
    true
}

/// What a thread does: one kernel after the other, until there is none left.
fn work() {
    loop {
        let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
        let queue_of = queue.get_or_insert_default();
        let next = queue_of.waiting.pop_front();
        let Some(Missing { module, place }) = next.filter(|_| !background::is_ending()) else {
            queue_of.workers -= 1;
            return;
        };
        drop(queue);
        match module.make_ready(place) {
            Err(error) if !background::is_ending() => notice::say_once(&format!(
                "using the CPU in place of the GPU where {} is needed: {error}",
                module.name_at(place)
            )),
            _ => {}
        }
    }
}
