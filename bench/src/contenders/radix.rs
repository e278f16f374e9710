//! `radix`: numbers of 2^10 to 2^28 bits to decimal digits and back.

use super::Contest;
use super::work::Work;
use crate::Error;
use crate::session::Session;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let mut contest = Contest::new(session)?;
    let works = [Work::ToDecimal, Work::FromDecimal];
    let sizes = contest.sizes(28);
    contest.session.expect(works.len() * sizes.len());
    for bits in sizes {
        for work in works {
            let job = contest.job(work, bits)?;
            let mut reference = contest.libraries(&job)?;
            contest.engines(&job, work, &mut reference)?;
        }
    }
    works.into_iter().for_each(|work| contest.lead(work));
    Ok(())
}
