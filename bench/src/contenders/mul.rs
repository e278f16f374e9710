//! `mul`: products and squares from 2^10 to 2^32 bits.

use super::work::Work;
use super::{Contest, Reference};
use crate::Error;
use crate::session::Session;

/// Numerators over 8 of the sizes between two powers of two.
const BETWEEN: [u64; 4] = [9, 10, 12, 14];

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let mut contest = Contest::new(session)?;
    let between = if contest.session.record.quick { 18 } else { 26 };
    let mut sizes = contest.sizes(32);
    let steps = BETWEEN.map(|eighths| eighths << (between - 3));
    sizes.extend(steps.into_iter().filter(|bits| contest.admits(*bits)));
    sizes.sort_unstable();
    let squares = |bits: u64| bits.is_power_of_two() && bits.ilog2().is_multiple_of(2);
    let more = sizes.iter().filter(|bits| squares(**bits)).count();
    contest.session.expect(sizes.len() + more);
    for bits in sizes {
        let job = contest.job(Work::Mul, bits)?;
        let mut reference = contest.libraries_up_to(&job, 30)?;
        contest.engines(&job, Work::Mul, &mut reference)?;
        if squares(bits) {
            contest.engines(&job, Work::MulPrepared, &mut reference)?;
            drop((job, reference));
            let job = contest.job(Work::Square, bits)?;
            // A square of the largest sizes would take the libraries as long again, for the same
            // picture.
            let mut reference: Reference = contest.libraries_up_to(&job, 28)?;
            contest.engines(&job, Work::Square, &mut reference)?;
        }
    }
    contest.lead(Work::Mul);
    Ok(())
}
