//! Greatest common divisors by all ranks of a cluster.
//!
//! `Lattice` and `Weber` spread their moduli over the ranks. The others run on rank 0 alone, whose
//! answer all ranks get: half-GCD takes a hundredth of the operations of either at a million bits,
//! so `Auto` is one of these.

use super::{Algorithm, Ordered, Stats, gcd_by, lattice, ordered, weber};
use crate::cluster::{Cluster, to_bytes, to_words};
use crate::div::magnitude;
use crate::engine::{self, Engine, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::number::Integer;
use crate::number::Natural;

/// gcd(a, b) ≥ 0 of numbers that all ranks have, and what was done, on every rank.
pub(crate) fn gcd_over(
    a: &Resident,
    b: &Resident,
    algorithm: Algorithm,
    cluster: &Cluster,
) -> Result<(Resident, Stats)> {
    if cluster.size() == 1 {
        return gcd_by(a, b, algorithm);
    }
    if !matches!(algorithm, Algorithm::Lattice | Algorithm::Weber) {
        return by_first(a, b, algorithm, cluster);
    }
    let ((sign_a, m), (sign_b, n)) = (limbs::size(a)?, limbs::size(b)?);
    let engine = match algorithm {
        Algorithm::Lattice => engine::of_rank(Work::gcd(m.max(n))),
        _ => engine::of_rank(Work::IN_PLACE),
    };
    if let (Algorithm::Weber, Engine::Cuda(_)) = (algorithm, engine) {
        return Err(Error::Unsupported {
            operation: "gcd by Weber's algorithm over ranks",
            engine: engine.to_string(),
        });
    }
    let work = || {
        let (a, b) = (magnitude(a, sign_a, m)?, magnitude(b, sign_b, n)?);
        match (ordered((a, m), (b, n))?, algorithm) {
            (Ordered::Known(gcd), _) => Ok((gcd, Stats::of_shortcut(algorithm))),
            (Ordered::Pair(a, b, _), Algorithm::Weber) => weber::gcd_over(&a, &b, cluster),
            (Ordered::Pair(a, b, _), _) => lattice::ranks::gcd(&a, &b, cluster),
        }
    };
    let done = engine.scope(|| match engine {
        // Among the threads of the pool, so that what is shared with them costs no change of
        // threads.
        Engine::Cpu => engine::join(work, || ()).0,
        _ => work(),
    });
    engine.note_used();
    done
}

/// The same by rank 0 alone.
fn by_first(
    a: &Resident,
    b: &Resident,
    algorithm: Algorithm,
    cluster: &Cluster,
) -> Result<(Resident, Stats)> {
    let own = cluster.is_first().then(|| gcd_by(a, b, algorithm));
    let own = cluster.settle(own.transpose())?;
    let mut bytes = match &own {
        Some((gcd, _)) => to_bytes(gcd.host()?.magnitude().limbs()),
        None => Vec::new(),
    };
    cluster.broadcast(0, &mut bytes);
    Ok(own.unwrap_or_else(|| {
        let gcd = Natural::from_vec(to_words(&bytes));
        (Integer::from(gcd).into(), Stats::of_shortcut(algorithm))
    }))
}
