//! Random graphs of large primes: their cycles, and what elimination leaves of them.

use super::super::matrix::dependencies;
use super::*;
use crate::number::Natural;

/// A splitmix64 generator.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(most)) >> 64) as u64
    }

    /// A relation with none, one or two of `primes` large primes, small ones more often.
    fn relation(&mut self, x: u64, primes: u64, columns: u64) -> Relation {
        let mut large = [0; 2].map(|_| {
            let below = 1 + self.below(primes);
            1 + self.below(below)
        });
        large.sort_unstable();
        let mut column = || {
            let below = 1 + self.below(columns);
            self.below(below) as u32
        };
        Relation {
            x: Natural::from(x),
            factors: (0..12).map(|_| column()).collect(),
            large,
        }
    }
}

fn collection(count: u64, primes: u64, columns: u64, seed: u64) -> Collection {
    let mut random = Random(seed);
    let mut collection = Collection::default();
    for x in 0..count {
        collection.extend(vec![random.relation(x, primes, columns)]);
    }
    collection
}

/// Whether every large prime is squared in the product of a set.
fn is_even(collection: &Collection, set: &[u32]) -> bool {
    let mut sums: HashMap<u64, u32> = HashMap::new();
    for prime in set
        .iter()
        .flat_map(|i| collection.relations[*i as usize].large)
    {
        *sums.entry(prime).or_default() += u32::from(prime > 1);
    }
    !set.is_empty() && sums.values().all(|sum| sum % 2 == 0)
}

/// The rank of the matrix of all large primes, which `cycles` must agree with.
fn kernel_of_large_primes(collection: &Collection) -> usize {
    let columns = collection.vertices.len();
    let row = |relation: &Relation| {
        let primes = relation.large.iter().filter(|prime| **prime > 1);
        primes.map(|prime| collection.vertices[prime]).collect()
    };
    let rows: Vec<Vec<u32>> = collection.relations.iter().map(row).collect();
    // Few enough for elimination, which finds all.
    assert!(rows.len() <= 1000);
    dependencies(&rows, columns, None, &|| true).unwrap().len()
}

#[test]
fn cycles_are_counted_and_found() {
    for (seed, (count, primes)) in [(0, 5), (1, 1), (5, 3), (100, 400), (500, 300), (900, 2000)]
        .into_iter()
        .enumerate()
    {
        let collection = collection(count, primes, 50, seed as u64);
        let sets = collection.basis();
        assert_eq!(sets.len(), collection.cycles());
        assert_eq!(
            sets.len(),
            kernel_of_large_primes(&collection),
            "{count} {primes}"
        );
        assert!(sets.iter().all(|set| is_even(&collection, set)));
        // Each set is independent of the others.
        let rows: Vec<Vec<u32>> = sets;
        assert!(
            dependencies(&rows, count as usize, None, &|| true)
                .unwrap()
                .is_empty()
        );
    }
}

#[test]
fn duplicates_go_out_and_equal_primes_are_a_set() {
    let relation = |x: u32, large| Relation {
        x: Natural::from(x),
        factors: vec![1],
        large,
    };
    let mut collection = Collection::default();
    collection.extend(vec![
        relation(5, [1, 1]),
        relation(5, [1, 1]),
        relation(6, [101, 101]),
        relation(7, [1, 101]),
        relation(8, [103, 107]),
        relation(9, [103, 107]),
        relation(6, [101, 101]),
    ]);
    assert_eq!(collection.relations().len(), 5);
    assert_eq!(collection.cycles(), 3);
    assert_eq!(collection.basis(), [vec![0], vec![1], vec![3, 4]]);
}

/// Elimination keeps as many dependencies as there were, up to the surplus, and makes no wrong
/// ones.
#[test]
fn elimination_keeps_dependencies() {
    for (count, primes, columns) in [(400, 100, 150), (900, 300, 250), (1700, 1500, 400)] {
        let collection = collection(count, primes, columns, count);
        let columns = columns as usize;
        let before = collection.basis();
        // Few enough for elimination, which finds all.
        assert!(before.len() > columns && before.len() <= 1000);
        let all = dependencies(&collection.rows(&before), columns, None, &|| true)
            .unwrap()
            .len();
        let sets = merge::merge(before.clone(), collection.rows(&before), columns);
        assert!(sets.iter().all(|set| is_even(&collection, set)));
        let rows = collection.rows(&sets);
        let mut used: Vec<u32> = rows.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        assert!(used.len() < columns, "no column was eliminated");
        let kept = dependencies(&rows, columns, None, &|| true).unwrap().len();
        assert!(kept <= all && kept >= all.min(100), "{kept} of {all}");
    }
}

#[test]
fn nothing_to_filter() {
    let collection = Collection::default();
    assert_eq!(collection.cycles(), 0);
    assert!(collection.sets(10).is_empty());
}
