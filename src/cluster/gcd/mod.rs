//! Greatest common divisors by all ranks.
//!
//! `Lattice` and `Weber` spread their moduli over the ranks. The others run on rank 0 alone, whose
//! answer all ranks get: half-GCD takes a hundredth of the operations of either at a million bits,
//! so `Auto` is one of these.

mod lattice;
mod speed;

pub(super) use lattice::FAN;
pub(super) use speed::MOST;

use super::{Cluster, to_bytes, to_words};
use crate::engine::{self, Engine, Work};
use crate::error::Result;
use crate::gcd::{self, Algorithm, Stats, weber};
use crate::int::Int;
use crate::limbs::{self, Resident};
use crate::number::Integer;
use crate::number::Natural;

impl Cluster {
    /// [`Int::try_gcd_by`] by all ranks. Every rank has to call this with the same numbers, and
    /// gets the answer. `Lattice` and `Weber` spread over the ranks, the others run on the first.
    ///
    /// An error on one rank alone leaves the others waiting: [`Cluster::abort`] is the way out.
    ///
    /// ```
    /// use bezout::{GcdAlgorithm, Int, cluster::Cluster};
    /// let (a, b) = (Int::from(-12), Int::from(18));
    /// let (g, _) = Cluster::start()?.gcd(&a, &b, GcdAlgorithm::Lattice)?;
    /// assert_eq!(g, 6);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn gcd(&self, a: &Int, b: &Int, algorithm: Algorithm) -> Result<(Int, Stats)> {
        if self.size() == 1 {
            return a.try_gcd_by(b, algorithm);
        }
        let (gcd, stats) = match algorithm {
            Algorithm::Lattice | Algorithm::Weber => {
                self.gcd_by_moduli(a.as_limbs(), b.as_limbs(), algorithm)?
            }
            _ => self.gcd_by_first(a.as_limbs(), b.as_limbs(), algorithm)?,
        };
        Ok((gcd.into(), stats))
    }

    /// The gcd by ranks that each hold a part of the moduli.
    fn gcd_by_moduli(
        &self,
        a: &Resident,
        b: &Resident,
        algorithm: Algorithm,
    ) -> Result<(Resident, Stats)> {
        let sizes = [limbs::size(a)?, limbs::size(b)?];
        let engine = match algorithm {
            Algorithm::Lattice => engine::for_part(Work::gcd(sizes[0].1.max(sizes[1].1))),
            _ => engine::for_part(Work::IN_PLACE),
        };
        let ranks = Some(self.size() as u64);
        let work = || {
            gcd::of_ordered_pair([a, b], sizes, algorithm, |a, b, _| {
                let (gcd, stats) = match algorithm {
                    Algorithm::Weber => weber::gcd_shared(&a, &b, self)?,
                    _ => lattice::gcd(&a, &b, self)?,
                };
                Ok((gcd, Stats { ranks, ..stats }))
            })
        };
        let done = engine.scope(|| match engine {
            // Enter the pool, so that sharing work with its threads needs no switch of threads.
            Engine::Cpu => engine::join(work, || ()).0,
            _ => work(),
        });
        engine.note_used();
        done
    }

    /// The gcd by rank 0 alone.
    fn gcd_by_first(
        &self,
        a: &Resident,
        b: &Resident,
        algorithm: Algorithm,
    ) -> Result<(Resident, Stats)> {
        let own = self.is_first().then(|| gcd::gcd_by(a, b, algorithm));
        let own = self.share_error(own.transpose())?;
        let mut bytes = match &own {
            Some((gcd, _)) => to_bytes(gcd.host()?.magnitude().limbs()),
            None => Vec::new(),
        };
        self.broadcast(0, &mut bytes);
        Ok(own.unwrap_or_else(|| {
            let gcd = Natural::from_vec(to_words(&bytes));
            (Integer::from(gcd).into(), Stats::of_shortcut(algorithm))
        }))
    }
}

/// Every rank holds a part of the moduli of Weber's algorithm.
impl weber::Holders for Cluster {
    fn count(&self) -> usize {
        self.size()
    }

    fn place(&self) -> usize {
        self.rank()
    }

    fn least(&self, word: u64) -> u64 {
        self.all_min(word)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::tuning::Tuning;

    /// The work of every rank, on the only rank.
    #[test]
    fn a_rank_alone_leads_and_follows_itself() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(71);
        let g = Int::random_bits(100, &mut rng);
        let [a, b] = [900, 800].map(|bits| Int::random_bits(bits, &mut rng) * &g);
        let expected = a.gcd(&b);
        let cluster = Cluster::alone();
        for engine in Engine::usable() {
            for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
                let by_lattices = || lattice::gcd(a.as_limbs(), b.as_limbs(), &cluster);
                let (found, stats) = tuning.scope(|| engine.scope(by_lattices)).unwrap();
                assert_eq!(Int::from(found), expected, "{engine}");
                assert_eq!(stats.retries, Some(0), "{engine}");
                let by_weber = || weber::gcd_shared(a.as_limbs(), b.as_limbs(), &cluster);
                let (found, _) = tuning.scope(|| engine.scope(by_weber)).unwrap();
                assert_eq!(Int::from(found), expected, "{engine}");
            }
        }
    }
}
