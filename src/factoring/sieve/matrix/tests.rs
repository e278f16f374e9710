//! Random and structured matrices against elimination, and devices against the host.

use super::block::Block;
use super::*;
use crate::engine::EXECUTOR;
use crate::factoring::sieve::tests::devices;

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

/// What the host finds.
fn found(rows: &[Vec<u32>], columns: usize) -> Vec<Vec<usize>> {
    dependencies(rows, columns, None, &always).unwrap()
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
            let all = check(&rows, columns, &found(&rows, columns));
            assert_eq!(
                all,
                count - rank(&rows, columns),
                "{count} {columns} {entries}"
            );
        }
    }
}

#[test]
fn nothing_at_all() {
    assert!(found(&[], 0).is_empty());
    assert!(found(&[], 10).is_empty());
    // Rows without an entry, or with every entry twice, are dependencies by themselves.
    assert_eq!(found(&[vec![], vec![]], 0), [[0], [1]]);
    assert_eq!(found(&[vec![3, 1, 3, 1]], 4), [[0]]);
    assert!(found(&[vec![3], vec![1]], 4).is_empty());
}

/// What block Lanczos alone finds, without a fallback.
fn by_lanczos(rows: &[Vec<u32>], columns: usize) -> Vec<Vec<usize>> {
    let matrix = Matrix::new(rows, columns);
    let attempts = (0..ATTEMPTS).map(|seed| lanczos::kernel(&matrix, seed, &always).unwrap());
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
    let sets = found(&rows, columns);
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
    assert!(found(&rows, 1500).is_empty());
    assert!(by_lanczos(&rows, 1500).is_empty());
}

#[test]
fn a_large_matrix() {
    let mut random = Random(5);
    let columns = 9000;
    let rows: Vec<Vec<u32>> = (0..columns + 150)
        .map(|_| random.row(columns, 25))
        .collect();
    assert!(check(&rows, columns, &found(&rows, columns)) >= 20);
}

#[test]
fn it_stops_when_told() {
    let mut random = Random(6);
    for columns in [500, 3000] {
        let rows: Vec<Vec<u32>> = (0..columns + 90).map(|_| random.row(columns, 20)).collect();
        assert!(
            dependencies(&rows, columns, None, &|| false)
                .unwrap()
                .is_empty()
        );
    }
}

/// Matrices of every shape: columns of B as lists of their rows, and the number of rows.
fn shapes() -> Vec<(Vec<Vec<u32>>, usize)> {
    let mut random = Random(7);
    let mut all: Vec<(Vec<Vec<u32>>, usize)> = Vec::new();
    let mut sparse = |count: usize, rows: usize, entries: usize| -> (Vec<Vec<u32>>, usize) {
        let column = |_| odd_columns(random.row(rows, entries));
        ((0..count).map(column).collect(), rows)
    };
    // Around the numbers of lists and of words that a block of threads has.
    for count in [1, 31, 32, 33, 64, 65, 255, 256, 257, 700] {
        all.push(sparse(count, count.max(8) - 7, 9));
    }
    // Few dependencies and many.
    all.push(sparse(1300, 1295, 15));
    all.push(sparse(900, 500, 12));
    // Several blocks of dense rows: with sparse ones after them, and without.
    all.push(sparse(500, 200, 90));
    all.push(sparse(500, 128, 90));
    // Columns with one entry, and without any.
    all.push(((0..400).map(|i| vec![i / 3]).collect(), 134));
    all.push((vec![Vec::new(); 300], 5));
    all.push((vec![Vec::new(); 300], 0));
    // One row with an entry in every column, which is too long for a few threads.
    let (mut long, rows) = sparse(1500, 1480, 6);
    long.iter_mut().for_each(|column| column.push(rows as u32));
    all.push((long, rows + 1));
    // Every column twice: half of the rank.
    let (mut twice, rows) = sparse(600, 590, 10);
    twice.extend_from_within(..);
    all.push((twice, rows));
    all
}

#[test]
fn devices_multiply_as_the_host_does() {
    let mut random = Random(8);
    let mut word = || random.below(usize::MAX) as u64 ^ (random.below(2) as u64) << 63;
    let mut is_seen = [false; 3];
    for (columns, rows) in shapes() {
        let matrix = Matrix::new(&columns, rows);
        is_seen[0] |= matrix.dense.len() > 1;
        is_seen[1] |= matrix.by_row.starts.get(1).is_some_and(|end| *end > 1024);
        is_seen[2] |= matrix.by_row.len() == 0 && !matrix.dense.is_empty();
        let n = columns.len();
        let vectors: [Vec<u64>; 5] = std::array::from_fn(|_| (0..n).map(|_| word()).collect());
        let by: [Block; 4] = std::array::from_fn(|_| std::array::from_fn(|_| word()));
        let mask = word();
        let expected = products(&matrix, &vectors, mask, &by);
        for device in devices() {
            let there = DeviceMatrix::new(&device, &matrix).unwrap();
            let got = products(&there, &vectors, mask, &by);
            assert_eq!(got, expected, "{n} columns, {rows} rows");
        }
    }
    assert_eq!(
        is_seen, [true; 3],
        "dense rows, a long row, dense rows alone"
    );
}

/// One of each operation on vectors.
fn products<V: Vectors>(
    on: &V,
    vectors: &[Vec<u64>; 5],
    mask: u64,
    by: &[Block; 4],
) -> (Vec<Vec<u64>>, Vec<Block>) {
    let [mut x, mut next, v, v1, v2] = vectors.each_ref().map(|words| on.put(words).unwrap());
    let twice = on.times_twice(&v).unwrap();
    let pairs = [(&v, &twice), (&twice, &twice), (&v1, &v2)];
    let inner = on.inner_products(&pairs).unwrap();
    on.advance(&mut x, &mut next, mask, [&v, &v1, &v2], by)
        .unwrap();
    let all = [x, next, v, v1, v2, twice];
    (all.map(|v| on.get(v).unwrap()).to_vec(), inner)
}

#[test]
fn devices_find_what_the_host_finds() {
    for (columns, rows) in shapes() {
        let matrix = Matrix::new(&columns, rows);
        for device in devices() {
            let there = DeviceMatrix::new(&device, &matrix).unwrap();
            for seed in 0..2 {
                let sets = lanczos::kernel(&there, seed, &always).unwrap();
                let expected = lanczos::kernel(&matrix, seed, &always).unwrap();
                assert_eq!(sets, expected, "{} columns, {rows} rows", columns.len());
                check(&columns, rows, &sets);
            }
            let sets = lanczos::kernel(&there, 0, &|| false).unwrap();
            assert!(sets.is_empty(), "it was told to stop");
        }
    }
}

/// Large matrices go to the device, which says how it failed. Small ones do not.
#[test]
fn lost_devices_are_errors_for_large_matrices() {
    let Ok(device) = Device::private(EXECUTOR, 1 << 28) else {
        return;
    };
    device.lose();
    for columns in [2000, LEAST_ON_DEVICE as u32] {
        let row = |i: u32| vec![i % columns, (i + 1) % columns, (7 * i + 3) % columns];
        let rows: Vec<Vec<u32>> = (0..columns + 200).map(row).collect();
        let sets = dependencies(&rows, columns as usize, Some(&device), &always);
        assert_eq!(sets.is_err(), columns as usize == LEAST_ON_DEVICE);
    }
}
