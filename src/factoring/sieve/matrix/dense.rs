//! Gauss and Jordan's elimination on rows of bits, for small matrices.

/// Sets of rows whose columns, taken together, all appear an even number of times. The sets are a
/// basis of all such sets. Empty if `keep_going` stops the work.
pub(super) fn dependencies(
    rows: &[Vec<u32>],
    columns: usize,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Vec<Vec<usize>> {
    // One line of bits per column: bit i tells whether row i has it an odd number of times.
    let words = rows.len().div_ceil(64);
    let mut lines = vec![vec![0u64; words]; columns];
    for (i, row) in rows.iter().enumerate() {
        for column in row {
            lines[*column as usize][i / 64] ^= 1 << (i % 64);
        }
    }
    // The row that each finished line determines.
    let mut pivots: Vec<usize> = Vec::new();
    let mut free = Vec::new();
    for i in 0..rows.len() {
        let (word, bit) = (i / 64, 1 << (i % 64));
        if i % 64 == 0 && !keep_going() {
            return Vec::new();
        }
        let done = pivots.len();
        let Some(found) = (done..columns).find(|line| lines[*line][word] & bit != 0) else {
            free.push(i);
            continue;
        };
        lines.swap(done, found);
        let pivot = std::mem::take(&mut lines[done]);
        for line in lines.iter_mut().filter(|line| !line.is_empty()) {
            if line[word] & bit != 0 {
                line.iter_mut().zip(&pivot).for_each(|(a, b)| *a ^= b);
            }
        }
        lines[done] = pivot;
        pivots.push(i);
    }
    let set = |i: &usize| {
        let (word, bit) = (i / 64, 1 << (i % 64));
        let determined = pivots.iter().zip(&lines);
        determined
            .filter(|(_, line)| line[word] & bit != 0)
            .map(|(pivot, _)| *pivot)
            .chain([*i])
            .collect()
    };
    free.iter().map(set).collect()
}
