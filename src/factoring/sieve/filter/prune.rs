//! Rows of a sparse matrix over GF(2) that no dependency needs.

/// How many of the active rows have each column.
pub(in super::super) fn weights(rows: &[Vec<u32>], active: &[usize], columns: usize) -> Vec<u32> {
    let mut weights = vec![0; columns];
    for column in active.iter().flat_map(|i| &rows[*i]) {
        weights[*column as usize] += 1;
    }
    weights
}

/// Drops rows with the only entry of some column, until there are no such rows. No dependency has
/// such a row.
pub(in super::super) fn drop_singletons(
    rows: &[Vec<u32>],
    active: &mut Vec<usize>,
    columns: usize,
) {
    let mut weights = weights(rows, active, columns);
    loop {
        let before = active.len();
        active.retain(|i| {
            let is_usable = rows[*i].iter().all(|column| weights[*column as usize] > 1);
            if !is_usable {
                rows[*i]
                    .iter()
                    .for_each(|column| weights[*column as usize] -= 1);
            }
            is_usable
        });
        if active.len() == before {
            return;
        }
    }
}

/// Drops the heaviest rows and singletons until at most `surplus` more rows than columns are left.
pub(in super::super) fn drop_heaviest(
    rows: &[Vec<u32>],
    active: &mut Vec<usize>,
    columns: usize,
    surplus: usize,
) {
    loop {
        let weights = weights(rows, active, columns);
        let most = weights.iter().filter(|weight| **weight > 0).count() + surplus;
        if active.len() <= most {
            return;
        }
        active.sort_by_key(|i| rows[*i].len());
        active.truncate(most);
        drop_singletons(rows, active, columns);
    }
}
