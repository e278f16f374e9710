//! `gcd`: two numbers of n bits, n from 2^10 to 2^24 and the sizes of Weber and Brew; with
//! cofactors; by Weber's algorithm.

use super::Contest;
use super::work::Work;
use crate::Error;
use crate::session::Session;

/// Sizes between the powers of two: Weber and Brew's largest, and the one they look ahead to.
const MORE: [u64; 2] = [352 << 10, 50_000_000];
/// Weber's algorithm takes time with the square of the size.
const WEBER_LOG: u32 = 19;
/// GMP's cofactors of longer numbers take half a minute.
const COFACTOR_LOG: u32 = 24;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let mut contest = Contest::new(session)?;
    let mut sizes = contest.sizes(24);
    sizes.retain(|bits| bits.ilog2() % 2 == 0);
    if !contest.session.record.quick {
        let more = MORE.into_iter().filter(|bits| contest.admits(*bits));
        sizes.extend(more.collect::<Vec<_>>());
    }
    sizes.sort_unstable();
    contest.session.expect(2 * sizes.len());
    for bits in sizes {
        let job = contest.job(Work::Gcd, bits)?;
        let mut reference = contest.libraries(&job)?;
        contest.engines(&job, Work::Gcd, &mut reference)?;
        // On the host it is an experiment, and slow.
        if contest.session.target.is_some() && bits <= 1 << WEBER_LOG {
            contest.on_device(&job, Work::Weber, &mut reference)?;
        }
        drop((job, reference));
        if bits > 1 << COFACTOR_LOG {
            continue;
        }
        let job = contest.job(Work::Cofactors, bits)?;
        let mut reference = contest.libraries(&job)?;
        contest.engines(&job, Work::Cofactors, &mut reference)?;
    }
    contest.lead(Work::Gcd);
    contest.lead(Work::Cofactors);
    Ok(())
}
