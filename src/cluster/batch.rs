//! Batches of which every rank computes some rows.

use std::ops::Range;

use super::{Cluster, to_bytes, to_words};
use crate::batch::Batch;
use crate::error::{Error, Result};

impl Cluster {
    /// Computes a batch of `count` rows. On each rank, `work` computes the range of rows that it is
    /// given. Collective: every rank gets the whole batch.
    ///
    /// ```
    /// use bezout::{Batch, cluster::Cluster};
    /// let (a, b) = (Batch::fill(3, 10, 2)?, Batch::fill(4, 10, 2)?);
    /// let sum = Cluster::start()?.batch(10, |rows| {
    ///     a.try_rows(rows.clone())?.try_add(&b.try_rows(rows)?)
    /// })?;
    /// assert_eq!(sum.try_limbs()?, [7; 20]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn batch(
        &self,
        count: usize,
        work: impl FnOnce(Range<usize>) -> Result<Batch>,
    ) -> Result<Batch> {
        let rows = part(count, self.rank(), self.size());
        // A rank without rows does no work, except rank 0, which determines the width.
        let own = if !rows.is_empty() || self.is_first() {
            work(rows.clone())
                .and_then(|own| checked(own, rows.len()))
                .map(Some)
        } else {
            Ok(None)
        };
        let own = self.share_error(own)?;
        if let (1, Some(own)) = (self.size(), &own) {
            return Ok(own.clone());
        }
        let limbs = own.as_ref().map_or(Ok(&[][..]), Batch::try_limbs);
        let mut words = vec![own.as_ref().map_or(0, |own| own.width() as u64)];
        words.extend(self.share_error(limbs)?);
        let (mut width, mut limbs) = (0, Vec::new());
        for (rank, bytes) in self.all_gather(&to_bytes(&words)).iter().enumerate() {
            let words = to_words(bytes);
            let (theirs, rows) = words.split_first().unwrap_or((&0, &[]));
            if rank == 0 {
                width = *theirs;
            } else if *theirs != width && !rows.is_empty() {
                return Err(Error::Domain(format!(
                    "rows of {width} limbs from rank 0, and of {theirs} from rank {rank}"
                )));
            }
            limbs.extend_from_slice(rows);
        }
        Batch::from_limbs(limbs, width as usize)
    }
}

/// The batch, or an error if it does not have `count` rows.
fn checked(batch: Batch, count: usize) -> Result<Batch> {
    match batch.count() {
        found if found == count => Ok(batch),
        found => Err(Error::Domain(format!(
            "{found} rows where {count} were expected"
        ))),
    }
}

/// The rows of a rank: an even share, rounded down or up.
fn part(count: usize, rank: usize, ranks: usize) -> Range<usize> {
    let start = |rank: usize| rank * (count / ranks) + rank.min(count % ranks);
    start(rank)..start(rank + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_share_the_rows() {
        let parts =
            |count, ranks| -> Vec<_> { (0..ranks).map(|r| part(count, r, ranks)).collect() };
        assert_eq!(parts(7, 3), [0..3, 3..5, 5..7]);
        assert_eq!(parts(2, 4), [0..1, 1..2, 2..2, 2..2]);
        assert_eq!(parts(0, 2), [0..0, 0..0]);
        assert_eq!(part(5, 0, 1), 0..5);
    }

    #[test]
    fn alone_it_is_the_whole_batch() {
        let a = Batch::from_limbs((0..12).collect(), 3).unwrap();
        let alone = Cluster::alone();
        let twice = |rows: Range<usize>| a.try_rows(rows.clone())?.try_add(&a.try_rows(rows)?);
        let sum = alone.batch(4, twice).unwrap();
        assert_eq!(
            sum.try_limbs(),
            a.all().try_add(&a.all()).unwrap().try_limbs()
        );
        let none = alone.batch(0, twice).unwrap();
        assert_eq!((none.count(), none.width()), (0, 3));
        let wrong = alone.batch(4, |_| twice(0..2));
        assert!(matches!(wrong, Err(Error::Domain(_))));
    }
}
