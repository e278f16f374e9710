//! `div`: 2n by n bits, n from 2^10 to 2^28, and in products of n by n bits.

use super::work::Work;
use super::{Contest, Reference};
use crate::Error;
use crate::session::Session;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let mut contest = Contest::new(session)?;
    let sizes = contest.sizes(28);
    contest.session.expect(3 * sizes.len());
    for bits in sizes {
        // The unit: no library takes part.
        let job = contest.job(Work::Mul, bits)?;
        contest.engines(&job, Work::Mul, &mut Reference::default())?;
        let job = contest.job(Work::DivRem, bits)?;
        let mut reference = contest.libraries(&job)?;
        contest.engines(&job, Work::DivRem, &mut reference)?;
        contest.engines(&job, Work::DivRemPrepared, &mut reference)?;
        drop((job, reference));
        let job = contest.job(Work::DivExact, bits)?;
        let mut reference = contest.libraries(&job)?;
        contest.engines(&job, Work::DivExact, &mut reference)?;
    }
    contest.lead(Work::DivRem);
    contest.lead(Work::DivExact);
    Ok(())
}
