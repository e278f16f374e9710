//! Random and structured matrices against elimination.

use super::*;

/// A splitmix64 generator.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * most as u128) >> 64) as usize
    }

    /// A row of a matrix as sieves have it: column c has about 1/c of the entries.
    fn row(&mut self, columns: usize, entries: usize) -> Vec<u32> {
        let column = |_| {
            let below = 1 + self.below(columns);
            self.below(below) as u32
        };
        (0..entries).map(column).collect()
    }
}

fn always() -> bool {
    true
}

/// The rank of rows, by elimination on rows instead of on columns.
fn rank(rows: &[Vec<u32>], columns: usize) -> usize {
    let words = columns.div_ceil(64);
    let mut pivots: Vec<Option<Vec<u64>>> = vec![None; columns];
    for row in rows {
        let mut bits = vec![0u64; words];
        row.iter()
            .for_each(|c| bits[*c as usize / 64] ^= 1 << (c % 64));
        for column in 0..columns {
            if bits[column / 64] >> (column % 64) & 1 == 0 {
                continue;
            }
            match &pivots[column] {
                Some(pivot) => bits.iter_mut().zip(pivot).for_each(|(a, b)| *a ^= b),
                None => {
                    pivots[column] = Some(bits);
                    break;
                }
            }
        }
    }
    pivots.iter().flatten().count()
}

/// Every set adds up to 0 and they are independent. Gives how many they are.
fn check(rows: &[Vec<u32>], columns: usize, sets: &[Vec<usize>]) -> usize {
    for set in sets {
        let mut sums = vec![0u32; columns];
        set.iter()
            .flat_map(|i| &rows[*i])
            .for_each(|c| sums[*c as usize] += 1);
        assert!(!set.is_empty() && sums.iter().all(|sum| sum % 2 == 0));
    }
    let as_rows: Vec<Vec<u32>> = sets
        .iter()
        .map(|set| set.iter().map(|i| *i as u32).collect())
        .collect();
    assert_eq!(rank(&as_rows, rows.len()), sets.len(), "not independent");
    sets.len()
}

#[test]
fn small_matrices_give_all_dependencies() {
    let mut random = Random(1);
    for (count, columns) in [
        (1, 1),
        (30, 20),
        (70, 64),
        (150, 130),
        (20, 40),
        (300, 290),
        (64, 64),
    ] {
        for entries in [1, 2, 6, 20] {
            let rows: Vec<Vec<u32>> = (0..count).map(|_| random.row(columns, entries)).collect();
            let found = check(&rows, columns, &dependencies(&rows, columns, &always));
            assert_eq!(
                found,
                count - rank(&rows, columns),
                "{count} {columns} {entries}"
            );
        }
    }
}

#[test]
fn nothing_at_all() {
    assert!(dependencies(&[], 0, &always).is_empty());
    assert!(dependencies(&[], 10, &always).is_empty());
    // Rows without an entry, or with every entry twice, are dependencies by themselves.
    assert_eq!(dependencies(&[vec![], vec![]], 0, &always), [[0], [1]]);
    assert_eq!(dependencies(&[vec![3, 1, 3, 1]], 4, &always), [[0]]);
    assert!(dependencies(&[vec![3], vec![1]], 4, &always).is_empty());
}

/// What block Lanczos alone finds, without a fallback.
fn by_lanczos(rows: &[Vec<u32>], columns: usize) -> Vec<Vec<usize>> {
    let matrix = Matrix::new(rows, columns);
    let attempts = (0..ATTEMPTS).map(|seed| lanczos::kernel(&matrix, seed, &always));
    attempts.max_by_key(|sets| sets.len()).unwrap_or_default()
}

#[test]
fn lanczos_finds_few_dependencies_and_many() {
    let mut random = Random(2);
    for (columns, surplus) in [(1500, 1), (1500, 5), (1700, 40), (2500, 64), (2000, 300)] {
        // Every column is in at least one row, so that the rank is near the number of columns.
        let rows: Vec<Vec<u32>> = (0..columns + surplus)
            .map(|i| {
                let mut row = random.row(columns, 15);
                row.push((i % columns) as u32);
                odd_columns(row)
            })
            .collect();
        let found = check(&rows, columns, &by_lanczos(&rows, columns));
        let all = rows.len() - rank(&rows, columns);
        assert!(
            found >= all.min(32),
            "{columns} {surplus}: {found} of {all}"
        );
    }
}

#[test]
fn lanczos_takes_odd_shapes() {
    let mut random = Random(3);
    let columns = 1600;
    let mut rows: Vec<Vec<u32>> = (0..columns + 20)
        .map(|_| {
            random
                .row(columns / 2, 12)
                .into_iter()
                .map(|c| 2 * c)
                .collect()
        })
        .collect();
    // Copies, rows of one entry, empty rows, and a column that is in every row.
    rows.extend_from_within(0..50);
    rows.extend((0..40).map(|i| vec![2 * i]));
    rows.extend(vec![Vec::new(); 3]);
    rows.iter_mut().for_each(|row| row.push(1));
    let sets = dependencies(&rows, columns, &always);
    assert!(check(&rows, columns, &sets) >= 32);
}

#[test]
fn matrices_without_dependencies() {
    // Row i has column i and smaller ones: a triangle.
    let mut random = Random(4);
    let rows: Vec<Vec<u32>> = (0..1500u32)
        .map(|i| {
            let mut row = random.row(i.max(1) as usize, 8);
            row.retain(|column| *column != i);
            row.push(i);
            odd_columns(row)
        })
        .collect();
    assert!(dependencies(&rows, 1500, &always).is_empty());
    assert!(by_lanczos(&rows, 1500).is_empty());
}

#[test]
fn a_large_matrix() {
    let mut random = Random(5);
    let columns = 9000;
    let rows: Vec<Vec<u32>> = (0..columns + 150)
        .map(|_| random.row(columns, 25))
        .collect();
    assert!(check(&rows, columns, &dependencies(&rows, columns, &always)) >= 20);
}

#[test]
fn it_stops_when_told() {
    let mut random = Random(6);
    for columns in [500, 3000] {
        let rows: Vec<Vec<u32>> = (0..columns + 90).map(|_| random.row(columns, 20)).collect();
        assert!(dependencies(&rows, columns, &|| false).is_empty());
    }
}
