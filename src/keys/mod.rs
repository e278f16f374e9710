//! Keys that share a prime: among many RSA moduli, those that have a factor in common.
//!
//! ```text
//!   engine    distinct moduli   2 ...... keys_pairwise ........................................ all of memory
//!   Cpu       | every pair      | product tree and scaled remainder tree on all threads                |
//!   Cuda      | every pair, on the device up to keys_device_pairwise | trees of a few on the CPU, levels of equal rows and the top on the device |
//!   Auto      on a device from keys_auto_device_limbs limbs in all on, where there is one; else on the CPU
//! ```
//!
//! The common part of a modulus is its gcd with the product of all other moduli. A tree finds the
//! common parts first (`tree`). The common parts other than 1 are then split into coprime factors
//! (`coprime`), on the CPU. If a tree has only a part of the moduli, `OtherTrees` represents the
//! trees of the others.
//!
//! ```
//! use bezout::{Int, keys};
//!
//! let moduli = [101 * 103, 107 * 109, 113 * 103, 101 * 103].map(Int::from);
//! let shared = keys::shared_factors(&moduli)?;
//! assert_eq!(shared.len(), 1);
//! assert_eq!(shared[0].factor, 103);
//! assert_eq!(shared[0].moduli, [0, 2, 3]);
//! assert_eq!(keys::duplicates(&moduli)?, [vec![0, 3]]);
//! # Ok::<(), bezout::Error>(())
//! ```

mod coprime;
mod pairs;
mod rows;
#[cfg(test)]
mod tests;
mod tree;
mod weak;

pub use weak::{close_primes, has_roca_fingerprint};

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use rayon::slice::ParallelSliceMut;

use crate::number::Integer;
use crate::number::Natural;

use crate::cuda::Device;
use crate::div::Divisor;
use crate::engine::{self, Engine, Residence, Work};
use crate::error::{Error, Result};
use crate::int::Int;
use crate::limbs::Resident;
use crate::mul::{self, mul};
use crate::tuning::Tuning;
use crate::{memory, progress, threads};
use tree::{Node, remainder};

/// Moduli that one thread hashes per task.
const HASHED: usize = 1 << 10;

/// A factor that several moduli have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shared {
    /// The factor: a prime, unless the same primes are always shared together.
    pub factor: Int,
    /// The indices of all moduli that it divides, in order. At least two of these moduli are
    /// different.
    pub moduli: Vec<usize>,
}

/// Returns the factors that different moduli have in common, each with the indices of the moduli
/// that it divides. Any two of the factors are coprime. Equal moduli count as one: [`duplicates`]
/// lists them. An error if a modulus is not positive.
pub fn shared_factors(moduli: &[Int]) -> Result<Vec<Shared>> {
    let places = Places::of(moduli)?;
    let distinct: Vec<&Natural> = places.distinct().collect();
    let common = common_parts(&distinct, None)?;
    from_common_parts(&places, common)
}

/// The shared factors of the distinct moduli at these indices, from their common parts.
pub(crate) fn from_common_parts(places: &Places<'_>, common: Vec<Natural>) -> Result<Vec<Shared>> {
    let searched_by = Engine::last_used();
    let mut all_of: HashMap<&Natural, &[usize]> = HashMap::new();
    let mut hits: Vec<(&Natural, Natural)> = Vec::new();
    for ((n, part), all) in places.distinct().zip(common).zip(places.all()) {
        if part != Natural::ONE {
            hits.push((n, part));
            all_of.insert(n, all);
        }
    }
    let sorted_out = sort_out(&hits)?;
    // The engine of the search is the one to report, not that of the few common parts.
    if let Some(engine) = searched_by {
        engine.note_used();
    }
    let mut shared: Vec<Shared> = sorted_out
        .into_iter()
        .map(|(factor, owners)| {
            let mut moduli: Vec<usize> = owners.iter().flat_map(|n| all_of[n]).copied().collect();
            moduli.sort_unstable();
            let factor = Int::from(factor);
            Shared { factor, moduli }
        })
        .collect();
    shared.sort_by(|a, b| {
        a.moduli
            .cmp(&b.moduli)
            .then_with(|| a.factor.cmp(&b.factor))
    });
    Ok(shared)
}

/// Returns the indices of moduli that occur more than once: one list for each such modulus, in the
/// order of first occurrence.
pub fn duplicates(moduli: &[Int]) -> Result<Vec<Vec<usize>>> {
    let places = Places::of(moduli)?;
    let several = places.all().filter(|all| all.len() > 1);
    Ok(several.map(<[usize]>::to_vec).collect())
}

/// Returns the indices, in order, of the moduli of a group that occur more than once, or share a
/// factor with another modulus of the group or with one of the products `others` of other groups.
/// An error if a modulus is not positive.
///
/// This compares the moduli of many groups with the memory of one group: all suspects of all groups
/// together have the shared factors and duplicates of all moduli. Products are requested one at a
/// time.
///
/// ```
/// use bezout::{Int, keys, tree};
///
/// let groups = [[101 * 103, 107 * 109], [113 * 103, 127 * 131]];
/// let [first, second] = groups.map(|group| group.map(Int::from));
/// let mut others = [tree::product(&second)?].into_iter();
/// assert_eq!(keys::suspects(&first, &mut others)?, [0]);
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn suspects(moduli: &[Int], others: &mut dyn Iterator<Item = Int>) -> Result<Vec<usize>> {
    let places = Places::of(moduli)?;
    let distinct: Vec<&Natural> = places.distinct().collect();
    if distinct.is_empty() {
        return Ok(Vec::new());
    }
    let common = common_parts(&distinct, Some(&OtherGroups(RefCell::new(others))))?;
    let suspected = places.all().zip(common);
    let suspected = suspected.filter(|(all, part)| all.len() > 1 || *part != Natural::ONE);
    let mut suspects: Vec<usize> = suspected.flat_map(|(all, _)| all).copied().collect();
    suspects.sort_unstable();
    Ok(suspects)
}

/// The indices of each distinct modulus.
pub(crate) struct Places<'a> {
    numbers: Vec<&'a Natural>,
    /// The indices of all moduli, with equal moduli next to each other and in order.
    order: Vec<usize>,
    /// The range in `order` of each distinct modulus, in the order of first occurrence.
    runs: Vec<(usize, usize)>,
}

impl<'a> Places<'a> {
    /// An error if a modulus is not positive.
    pub(crate) fn of(moduli: &'a [Int]) -> Result<Places<'a>> {
        let bits: u128 = moduli
            .iter()
            .map(|n| u128::from(n.as_limbs().bits_bound()))
            .sum();
        memory::check_copies("shared factors", bits, 4)?;
        let mut numbers = memory::room("shared factors", moduli.len())?;
        for (i, n) in moduli.iter().enumerate() {
            let host = n.try_host()?;
            if *host <= 0 {
                let what = format!("modulus {} is {}: it must be positive", i + 1, short(host));
                return Err(Error::Domain(what));
            }
            numbers.push(host.magnitude());
        }
        // Numbers are sorted by value if their hashes are equal, so that no choice of moduli makes
        // this slow.
        let mut hashed = threads::map(numbers.len(), HASHED, |i| (hash(numbers[i].limbs()), i));
        let compare = |a: &(u64, usize), b: &(u64, usize)| {
            let by_value = || numbers[a.1].cmp(numbers[b.1]);
            a.0.cmp(&b.0).then_with(by_value).then(a.1.cmp(&b.1))
        };
        if !threads::in_pool(&mut || hashed.par_sort_unstable_by(compare)) {
            hashed.sort_unstable_by(compare);
        }
        let (mut runs, mut start) = (Vec::with_capacity(moduli.len()), 0);
        for end in 1..=hashed.len() {
            let is_last = end == hashed.len()
                || hashed[end].0 != hashed[start].0
                || numbers[hashed[end].1] != numbers[hashed[start].1];
            if is_last {
                runs.push((start, end));
                start = end;
            }
        }
        let order: Vec<usize> = hashed.into_iter().map(|(_, i)| i).collect();
        if !threads::in_pool(&mut || runs.par_sort_unstable_by_key(|(start, _)| order[*start])) {
            runs.sort_unstable_by_key(|(start, _)| order[*start]);
        }
        Ok(Places {
            numbers,
            order,
            runs,
        })
    }

    /// Every modulus once.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = &'a Natural> + '_ {
        self.all().map(|all| self.numbers[all[0]])
    }

    /// All indices of each distinct modulus.
    fn all(&self) -> impl Iterator<Item = &[usize]> {
        self.runs
            .iter()
            .map(|(start, end)| &self.order[*start..*end])
    }
}

/// A hash of limbs: a product by an odd number and a rotation for each.
fn hash(limbs: &[u64]) -> u64 {
    limbs.iter().fold(limbs.len() as u64, |hash, limb| {
        (hash ^ limb)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    })
}

fn short(x: &Integer) -> &'static str {
    if *x == 0 { "0" } else { "negative" }
}

/// The trees of other moduli, as seen by this tree. Each tree is computed by [`common_parts`] of
/// another process.
pub(crate) trait OtherTrees {
    /// Returns the sum at this tree's root within the tree over all numbers, modulo the root's
    /// product: `sum` times the products of all other roots. Called once for each tree.
    fn joined_sum(&self, product: &Resident, sum: &Resident) -> Result<Resident>;
}

/// Groups of moduli, of which only the products are known.
struct OtherGroups<'a>(RefCell<&'a mut dyn Iterator<Item = Int>>);

impl OtherTrees for OtherGroups<'_> {
    fn joined_sum(&self, product: &Resident, sum: &Resident) -> Result<Resident> {
        let mut groups = self.0.borrow_mut();
        let products = std::iter::from_fn(|| groups.next());
        sum_times(product, sum, products.map(|other| other.as_limbs().clone()))
    }
}

/// A root's sum times the products of other roots, modulo the root's product.
pub(crate) fn sum_times(
    product: &Resident,
    sum: &Resident,
    mut others: impl Iterator<Item = Resident>,
) -> Result<Resident> {
    let modulus = Divisor::of(product)?;
    let sum = modulus.rem_euclid(sum)?;
    others.try_fold(sum, |sum, other| {
        progress::check()?;
        modulus.rem_euclid(&mul(&sum, &other)?)
    })
}

/// The gcd of each of the distinct numbers with the product of all others, including those of other
/// trees. Without other trees, these are all numbers.
pub(crate) fn common_parts(
    numbers: &[&Natural],
    others: Option<&dyn OtherTrees>,
) -> Result<Vec<Natural>> {
    let (tuning, is_alone) = (Tuning::in_force(), others.is_none());
    if is_alone && numbers.len() <= tuning.keys_pairwise {
        Engine::Cpu.note_used();
        return Ok(by_pairs(numbers));
    }
    let limbs = numbers.iter().map(|n| n.limb_count() as u64).sum();
    let work = Work::keys(limbs).needing(mul::cuda::of_rows, (limbs, 0));
    if is_alone {
        return engine::run(
            work,
            [Residence::Host],
            || on_cpu(numbers, others),
            |device| on_device(device, numbers, others),
        );
    }
    // No second try on the CPU if there are other trees: their communication cannot be repeated.
    match engine::device_for(work)? {
        Some(device) => on_device(&device, numbers, others),
        None => on_cpu(numbers, others),
    }
}

fn on_device(
    device: &Arc<Device>,
    numbers: &[&Natural],
    others: Option<&dyn OtherTrees>,
) -> Result<Vec<Natural>> {
    let few = others.is_none() && numbers.len() <= Tuning::current().keys_device_pairwise;
    let pairs = if few {
        pairs::not_coprime(device, numbers)?
    } else {
        None
    };
    match pairs {
        Some(pairs) => Ok(pairs::common_parts(numbers, &pairs)),
        None => rows::common_parts(device, numbers, others),
    }
}

fn on_cpu(numbers: &[&Natural], others: Option<&dyn OtherTrees>) -> Result<Vec<Natural>> {
    Engine::Cpu.scope(|| {
        Engine::Cpu.note_used();
        by_tree(numbers, others)
    })
}

/// Finds the common parts from the product of the other numbers modulo each.
fn by_pairs(numbers: &[&Natural]) -> Vec<Natural> {
    let common = |(i, n): (usize, &&Natural)| {
        let others = numbers.iter().enumerate().filter(|(j, _)| *j != i);
        let product = others.fold(Natural::ONE, |product, (_, other)| product * *other % *n);
        product.gcd(n)
    };
    numbers.iter().enumerate().map(common).collect()
}

fn by_tree(numbers: &[&Natural], others: Option<&dyn OtherTrees>) -> Result<Vec<Natural>> {
    progress::stage("shared factors", 10, |stage| {
        let integers: Vec<Integer> = numbers.iter().copied().map(Integer::from).collect();
        let leaves = integers.iter().map(Node::number).collect();
        let mut root = stage.step(4, || Node::over(leaves))?;
        let fraction = stage.step(1, || {
            root.join(others)?;
            root.fraction()
        })?;
        let fractions = stage.step(4, || root.fractions(fraction))?;
        let leaves: Vec<_> = fractions.iter().zip(&integers).collect();
        stage.step(1, || {
            engine::map(&leaves, &|(fraction, n)| common_part(fraction, n))
        })
    })
}

/// The gcd of n with the product of the other numbers, from the fraction of its leaf.
fn common_part(fraction: &Resident, n: &Integer) -> Result<Natural> {
    let rest = remainder(fraction, n.bit_length() + tree::GUARD, n)?;
    Ok(rest.magnitude().gcd(n.magnitude()))
}

/// Coprime factors of the moduli's common parts, and the moduli that each divides.
///
/// Every prime of a common part divides another modulus, and therefore its common part too. A
/// common part that is coprime to all other common parts is therefore that of several moduli, and
/// final. The factors of the others are the elements of their coprime base. The same argument
/// applies there: a prime of an element is in two common parts, which are products of elements.
fn sort_out<'a>(hits: &[(&'a Natural, Natural)]) -> Result<Vec<(Natural, Vec<&'a Natural>)>> {
    let mut owners: HashMap<&Natural, Vec<&'a Natural>> = HashMap::new();
    for (n, part) in hits {
        owners.entry(part).or_default().push(n);
    }
    let mut parts: Vec<&Natural> = owners.keys().copied().collect();
    parts.sort_unstable();
    let common = common_parts(&parts, None)?;
    let (mut found, mut entangled) = (Vec::new(), Vec::new());
    for (part, common) in parts.into_iter().zip(common) {
        if common == Natural::ONE {
            found.push((part.clone(), owners[part].clone()));
        } else {
            entangled.push(part);
        }
    }
    for element in coprime::base(&entangled)? {
        let divided = element.owners.iter().flat_map(|i| &owners[entangled[*i]]);
        found.push((element.value, divided.copied().collect()));
    }
    Ok(found)
}
