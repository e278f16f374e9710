//! The ranks that the command runs on: all that the launcher started, or the first of them alone.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use bezout::cluster::Cluster;

use crate::args::Command;
#[cfg(feature = "bench")]
use crate::args::{Measure, ModelAction};
use crate::failure::Failure;

static CURRENT: OnceLock<Cluster> = OnceLock::new();
static WORKING_FOR_FIRST: OnceLock<Cluster> = OnceLock::new();

/// All ranks, for a command that spreads over them; this one alone for others.
pub fn current() -> Cluster {
    CURRENT.get().copied().unwrap_or_else(Cluster::alone)
}

/// All ranks, for a command of which only the first reads what is asked, and the others work for
/// it; this one alone for others.
pub fn working_for_first() -> Cluster {
    WORKING_FOR_FIRST
        .get()
        .copied()
        .unwrap_or_else(Cluster::alone)
}

/// Whether this rank has anything to do: the first has, and the others where the command spreads
/// over them.
pub fn enter(cluster: &Cluster, command: &Command) -> bool {
    let spreads = match command {
        Command::Gcd(gcd) => !gcd.cofactors,
        #[cfg(feature = "bench")]
        Command::Measure(Measure::Bench(bench)) => bezout_bench::is_of_ranks(&bench.names),
        #[cfg(feature = "bench")]
        Command::Measure(Measure::Model(model)) => matches!(model.action, ModelAction::Probe(_)),
        _ => false,
    };
    if spreads {
        CURRENT.get_or_init(|| *cluster);
    }
    let is_led = matches!(command, Command::Factor(_) | Command::BatchGcd(_));
    if is_led {
        WORKING_FOR_FIRST.get_or_init(|| *cluster);
    }
    spreads || is_led || cluster.is_first()
}

/// An error unless every rank was given the same.
pub fn agree(what: &str, input: &impl Hash) -> Result<(), Failure> {
    let mut hash = DefaultHasher::new();
    input.hash(&mut hash);
    let digest = format!("{:016x}", hash.finish());
    Ok(current().agree(what, &digest)?)
}

/// What `choose` gives on the first rank, on all of them.
pub fn shared(choose: impl FnOnce() -> Result<u64, Failure>) -> Result<u64, Failure> {
    let cluster = current();
    let mut word = [if cluster.is_first() { choose()? } else { 0 }];
    cluster.broadcast_words(0, &mut word);
    Ok(word[0])
}
