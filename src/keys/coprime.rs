//! Natural coprime bases: numbers split into coprime factors, in essentially linear time.
//!
//! The natural coprime base of a set of numbers is the unique set of pairwise coprime numbers above
//! 1 that gcds and exact divisions can produce and of which every number of the set is a product
//! (Bernstein, *Factoring into coprimes in essentially linear time*, 2005). Two primes are in the
//! same element exactly if their exponents in all numbers of the set are proportional.
//!
//! The base of a set is made of the bases of its two halves:
//!
//! 1. Elements that are in both bases are coprime to all others and stay.
//! 2. Every other element is split into the part whose primes also divide the other base, and the
//!    rest. The rest stays. This takes one remainder tree for each side.
//! 3. The parts of both sides now have the same primes. One side is halved, and every part of the
//!    other side is split between the halves, again by a remainder tree. The recursion ends with
//!    one part on each side: two numbers with the same primes, which are refined by gcds.
//!
//! In step 3 halving one side halves the other too, so the levels below cost no more in total than
//! the one above. With n bits and M(n) for a product, step 3 takes O(M(n) log² n) and the base
//! O(M(n) log³ n), besides the gcds of single numbers with their remainders.

use std::collections::HashMap;

use crate::number::Integer;
use crate::number::Natural;

use super::tree::{self, Node};
use crate::engine::{self, Engine};
use crate::error::Result;
use crate::limbs::Resident;
use crate::product_tree::product_of;
use crate::progress::{self, Stage};

/// An element of a coprime base.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) value: Natural,
    /// The indices of the numbers that it divides, in order. It is coprime to all other numbers.
    pub(super) owners: Vec<usize>,
}

/// A factor of element number `from` of one of two bases.
struct Part {
    from: usize,
    value: Natural,
}

/// The natural coprime base of positive numbers, on the CPU.
pub(super) fn base(numbers: &[&Natural]) -> Result<Vec<Element>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let levels = u64::from(numbers.len().next_power_of_two().ilog2());
    Engine::Cpu.scope(|| {
        progress::stage("coprime factors", numbers.len() as u64 * levels, |stage| {
            base_from(0, numbers, stage)
        })
    })
}

/// The base of the numbers, of which the first has the index `first`.
fn base_from(first: usize, numbers: &[&Natural], stage: &Stage) -> Result<Vec<Element>> {
    match numbers {
        [] => Ok(Vec::new()),
        [n] if **n == Natural::ONE => Ok(Vec::new()),
        [n] => Ok(vec![Element {
            value: (*n).clone(),
            owners: vec![first],
        }]),
        _ => {
            let (left, right) = numbers.split_at(numbers.len() / 2);
            let (left, right) = engine::join(
                || base_from(first, left, stage),
                || base_from(first + left.len(), right, stage),
            );
            let merged = merge(left?, right?)?;
            stage.advance(numbers.len() as u64)?;
            Ok(merged)
        }
    }
}

/// The base of the union of two bases. All owners of the left one come before those of the right
/// one.
fn merge(left: Vec<Element>, right: Vec<Element>) -> Result<Vec<Element>> {
    let (left, mut left_owners) = parts_of(left);
    let (right, mut right_owners) = parts_of(right);
    let (mut pairs, left, right) = equal_ones(left, right);
    let (inner_right, outer_right) = split(right, &left)?;
    let (inner_left, outer_left) = split(left, &inner_right)?;
    pair_up(inner_left, inner_right, &mut pairs)?;

    let mut merged = Vec::new();
    for (left, right) in pairs {
        let owners = [&*left_owners[left.from], &*right_owners[right.from]].concat();
        let values = if left.value == right.value {
            vec![left.value]
        } else {
            refined(left.value, right.value)
        };
        let element = |value| Element {
            value,
            owners: owners.clone(),
        };
        merged.extend(values.into_iter().map(element));
    }
    for (parts, owners) in [
        (outer_left, &mut left_owners),
        (outer_right, &mut right_owners),
    ] {
        // An element has at most one outer part, and its pairs are finished.
        merged.extend(parts.into_iter().map(|part| Element {
            value: part.value,
            owners: std::mem::take(&mut owners[part.from]),
        }));
    }
    Ok(merged)
}

/// Elements as unsplit parts, and their owners.
fn parts_of(elements: Vec<Element>) -> (Vec<Part>, Vec<Vec<usize>>) {
    let numbered = elements.into_iter().enumerate();
    numbered
        .map(|(from, element)| {
            let value = element.value;
            (Part { from, value }, element.owners)
        })
        .unzip()
}

/// The pairs of equal parts of two sides, and the remaining parts of each side.
fn equal_ones(left: Vec<Part>, right: Vec<Part>) -> (Vec<(Part, Part)>, Vec<Part>, Vec<Part>) {
    let mut places: HashMap<Natural, usize> = HashMap::with_capacity(left.len());
    places.extend(left.into_iter().map(|part| (part.value, part.from)));
    let (mut pairs, mut others) = (Vec::new(), Vec::new());
    for right in right {
        match places.remove_entry(&right.value) {
            Some((value, from)) => pairs.push((Part { from, value }, right)),
            None => others.push(right),
        }
    }
    let mut left: Vec<Part> = places
        .into_iter()
        .map(|(value, from)| Part { from, value })
        .collect();
    left.sort_unstable_by_key(|part| part.from);
    (pairs, left, others)
}

/// Splits each part into two coprime factors: the first has the primes that divide a number of
/// `by`, the second the other primes. Factors that are 1 are left out.
fn split(parts: Vec<Part>, by: &[Part]) -> Result<(Vec<Part>, Vec<Part>)> {
    if parts.is_empty() || by.is_empty() {
        return Ok((Vec::new(), parts));
    }
    let remainders = remainders(&product(by)?, &parts)?;
    let work: Vec<(Part, Natural)> = parts.into_iter().zip(remainders).collect();
    let factors = engine::map(&work, &|(part, remainder)| {
        progress::check()?;
        Ok(split_number(&part.value, remainder))
    })?;
    let (mut inner, mut outer) = (Vec::new(), Vec::new());
    for ((part, _), factors) in work.iter().zip(factors) {
        let from = part.from;
        for (side, value) in [(&mut inner, factors.0), (&mut outer, factors.1)] {
            if value != Natural::ONE {
                side.push(Part { from, value });
            }
        }
    }
    Ok((inner, outer))
}

/// Splits x into a factor whose primes all divide `other`, and one that is coprime to `other`.
fn split_number(x: &Natural, other: &Natural) -> (Natural, Natural) {
    let mut inner = x.gcd(other);
    let mut outer = x.div_exact(&inner);
    // Every iteration doubles the exponents in `inner`, or exhausts them in `outer`.
    while inner != Natural::ONE && outer != Natural::ONE {
        let both = inner.gcd(&outer);
        if both == Natural::ONE {
            break;
        }
        outer = outer.div_exact(&both);
        inner *= both;
    }
    (inner, outer)
}

/// The product of parts.
fn product(parts: &[Part]) -> Result<Resident> {
    let values = parts.iter().map(|part| Integer::from(&part.value).into());
    product_of(&values.collect::<Vec<Resident>>())
}

/// x modulo each of the parts, or the part itself if it divides x.
fn remainders(x: &Resident, parts: &[Part]) -> Result<Vec<Natural>> {
    let integers: Vec<Integer> = parts.iter().map(|p| Integer::from(&p.value)).collect();
    let mut root = Node::over(integers.iter().map(Node::divisor).collect())?;
    root.sum = x.clone();
    let fractions = root.fractions(root.fraction()?)?;
    let leaves: Vec<_> = fractions.iter().zip(&integers).collect();
    engine::map(&leaves, &|(fraction, n)| {
        let remainder = tree::remainder(fraction, n.bit_length() + tree::GUARD, n)?;
        Ok(remainder.into_magnitude())
    })
}

/// Appends pairs of factors of both sides. The factors of a pair have the same primes, and are
/// coprime to all other pairs. The numbers of one side must be coprime, and both sides must have
/// the same primes.
fn pair_up(left: Vec<Part>, right: Vec<Part>, pairs: &mut Vec<(Part, Part)>) -> Result<()> {
    let (equal, mut left, mut right) = equal_ones(left, right);
    pairs.extend(equal);
    if left.len() <= 1 && right.len() <= 1 {
        pairs.extend(left.into_iter().zip(right));
        return Ok(());
    }
    let (other_left, other_right) = if left.len() >= right.len() {
        let other_left = left.split_off(left.len() / 2);
        let (inner, outer) = split(right, &left)?;
        right = inner;
        (other_left, outer)
    } else {
        let other_right = right.split_off(right.len() / 2);
        let (inner, outer) = split(left, &right)?;
        left = inner;
        (outer, other_right)
    };
    let mut others = Vec::new();
    let (first, second) = engine::join(
        || pair_up(left, right, pairs),
        || pair_up(other_left, other_right, &mut others),
    );
    first.and(second)?;
    pairs.append(&mut others);
    Ok(())
}

/// The natural coprime base of two numbers.
fn refined(a: Natural, b: Natural) -> Vec<Natural> {
    let mut base: Vec<Natural> = Vec::new();
    let mut rest = vec![a, b];
    while let Some(x) = rest.pop() {
        if x == Natural::ONE {
            continue;
        }
        let meets = |(at, b): (usize, &Natural)| {
            let g = x.gcd(b);
            (g != Natural::ONE).then_some((at, g))
        };
        match base.iter().enumerate().find_map(meets) {
            None => base.push(x),
            Some((at, g)) => {
                // Exponents shrink as in Euclid's algorithm.
                let b = base.swap_remove(at);
                rest.extend([without(b, &g), without(x, &g), g]);
            }
        }
    }
    base
}

/// x divided by g as often as g divides it, g > 1.
fn without(x: Natural, g: &Natural) -> Natural {
    let (quotient, remainder) = x.div_rem(g);
    if remainder != Natural::ZERO {
        return x;
    }
    let x = without(quotient, &(g * g));
    // One more factor g is left if their number was even.
    let (quotient, remainder) = x.div_rem(g);
    if remainder == Natural::ZERO {
        quotient
    } else {
        x
    }
}
