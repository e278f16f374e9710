//! Curves b·y² = x³ + a·x² + x in Montgomery's form, on the host: those that GMP-ECM names by a
//! parametrisation and sigma. Points are x = X/Z alone (Montgomery, *Speeding the Pollard and
//! elliptic curve methods of factorization*, Math. Comp. 48 (1987)).

use super::cpu::over_one_denominator;
use super::plan::Round;
use super::residues::Residues;
use super::{Group, KeepGoing, Stage2, on_each};
use crate::error::Result;
use crate::number::Natural;

/// x = X/Z; Z is 0 at the neutral point.
#[derive(Clone)]
pub(super) struct Point<E> {
    pub(super) x: E,
    pub(super) z: E,
}

/// A curve, by (a + 2)/4, and a point of it.
pub(super) struct Curve<E> {
    pub(super) quarter: E,
    pub(super) point: Point<E>,
}

pub(super) struct Curves<'a, R: Residues> {
    ring: &'a R,
    all: Vec<One<R::Element>>,
}

struct One<E> {
    curve: Curve<E>,
    second: Option<Second<E>>,
}

/// Stage 2: the babies' x over one denominator, the next two giant steps, their distance, and the
/// product.
struct Second<E> {
    /// The first giant step is the neutral point, which has no x. It comes before `giant`.
    is_neutral: bool,
    babies: Vec<E>,
    common: E,
    giant: Point<E>,
    next: Point<E>,
    step: Point<E>,
    product: E,
}

impl<'a, R: Residues> Curves<'a, R> {
    pub(super) fn new(ring: &'a R, curves: Vec<Curve<R::Element>>) -> Self {
        let one = |curve| One {
            curve,
            second: None,
        };
        let all = curves.into_iter().map(one).collect();
        Curves { ring, all }
    }

    /// The points, in the order of the curves.
    pub(super) fn points(&self) -> impl Iterator<Item = &Point<R::Element>> {
        self.all.iter().map(|one| &one.curve.point)
    }

    /// `work` on every curve, unless it is to stop.
    fn each(
        &mut self,
        keep_going: KeepGoing,
        work: impl Fn(&R, &mut One<R::Element>) + Sync,
    ) -> Result<bool> {
        let ring = self.ring;
        Ok(on_each(&mut self.all, keep_going, |one| work(ring, one)))
    }
}

impl<R: Residues> Group for Curves<'_, R> {
    fn multiply(&mut self, by: &Natural, keep_going: KeepGoing) -> Result<bool> {
        self.each(keep_going, |ring, one| {
            one.curve.point = multiple(ring, &one.curve, by);
        })
    }

    fn begin(&mut self, stage: &Stage2) -> Result<()> {
        self.each(&|| true, |ring, one| {
            one.second = Some(Second::new(ring, &one.curve, stage));
        })?;
        Ok(())
    }

    fn round(&mut self, _: &Stage2, round: &Round, keep_going: KeepGoing) -> Result<bool> {
        self.each(keep_going, |ring, one| {
            if let Some(second) = &mut one.second {
                second.round(ring, round);
            }
        })
    }

    fn residues(&self, stage: u8) -> Result<(usize, Vec<u64>)> {
        let residue = |one: &One<R::Element>| match (&one.second, stage) {
            (Some(second), 2) => self.ring.limbs(&second.product).to_vec(),
            _ => self.ring.limbs(&one.curve.point.z).to_vec(),
        };
        let limbs = self.ring.limbs(&self.ring.zero()).len();
        Ok((limbs, self.all.iter().flat_map(residue).collect()))
    }
}

fn twice<R: Residues>(ring: &R, quarter: &R::Element, p: &Point<R::Element>) -> Point<R::Element> {
    let sum = ring.sqr(&ring.add(&p.x, &p.z));
    let difference = ring.sqr(&ring.sub(&p.x, &p.z));
    let product = ring.sub(&sum, &difference);
    let z = ring.add(&difference, &ring.mul(quarter, &product));
    Point {
        x: ring.mul(&sum, &difference),
        z: ring.mul(&product, &z),
    }
}

/// p + q, given p − q.
fn plus<R: Residues>(
    ring: &R,
    p: &Point<R::Element>,
    q: &Point<R::Element>,
    difference: &Point<R::Element>,
) -> Point<R::Element> {
    let u = ring.mul(&ring.sub(&p.x, &p.z), &ring.add(&q.x, &q.z));
    let v = ring.mul(&ring.add(&p.x, &p.z), &ring.sub(&q.x, &q.z));
    Point {
        x: ring.mul(&difference.z, &ring.sqr(&ring.add(&u, &v))),
        z: ring.mul(&difference.x, &ring.sqr(&ring.sub(&u, &v))),
    }
}

/// k times the point of a curve and k + 1 times it, by Montgomery's ladder; k > 0.
fn ladder<R: Residues>(
    ring: &R,
    curve: &Curve<R::Element>,
    k: &Natural,
) -> (Point<R::Element>, Point<R::Element>) {
    let (start, quarter) = (&curve.point, &curve.quarter);
    let (mut low, mut high) = (start.clone(), twice(ring, quarter, start));
    for bit in (0..k.bit_length() - 1).rev() {
        let sum = plus(ring, &high, &low, start);
        if k.bit(bit) {
            (low, high) = (sum, twice(ring, quarter, &high));
        } else {
            (high, low) = (sum, twice(ring, quarter, &low));
        }
    }
    (low, high)
}

fn multiple<R: Residues>(ring: &R, curve: &Curve<R::Element>, k: &Natural) -> Point<R::Element> {
    ladder(ring, curve, k).0
}

impl<E: Clone> Second<E> {
    fn new<R: Residues<Element = E>>(ring: &R, curve: &Curve<E>, stage: &Stage2) -> Second<E> {
        // Odd multiples of the point, of which the babies are some.
        let two = twice(ring, &curve.quarter, &curve.point);
        let (mut last, mut p) = (curve.point.clone(), curve.point.clone());
        let (mut xs, mut zs) = (Vec::new(), Vec::new());
        let mut k = 1;
        for j in &stage.babies {
            while k < *j {
                // (k + 2)Q = kQ + 2Q, and their difference is (k − 2)Q, where (−1)Q has Q's x.
                let next = plus(ring, &p, &two, &last);
                (last, p) = (p, next);
                k += 2;
            }
            xs.push(p.x.clone());
            zs.push(p.z.clone());
        }
        let common = over_one_denominator(ring, &mut xs, &zs, ring.one());
        let giant = Curve {
            quarter: curve.quarter.clone(),
            point: multiple(ring, curve, &Natural::from(stage.d)),
        };
        // The neutral point meets the babies whose Z is 0.
        let is_neutral = stage.first == 0;
        let (first, next) = ladder(ring, &giant, &Natural::from(stage.first.max(1)));
        Second {
            is_neutral,
            babies: xs,
            product: if is_neutral {
                common.clone()
            } else {
                ring.one()
            },
            common,
            giant: first,
            next,
            step: giant.point,
        }
    }

    fn round<R: Residues<Element = E>>(&mut self, ring: &R, round: &Round) {
        let (mut xs, mut zs) = (Vec::new(), Vec::new());
        let is_neutral = std::mem::take(&mut self.is_neutral);
        if is_neutral {
            xs.push(ring.zero());
            zs.push(ring.one());
        }
        while xs.len() < round.giants as usize {
            xs.push(self.giant.x.clone());
            zs.push(self.giant.z.clone());
            let after = plus(ring, &self.next, &self.step, &self.giant);
            self.giant = std::mem::replace(&mut self.next, after);
        }
        let denominator = over_one_denominator(ring, &mut xs, &zs, self.common.clone());
        for baby in &mut self.babies {
            *baby = ring.mul(baby, &denominator);
        }
        self.common = ring.mul(&self.common, &denominator);
        let steps = xs.iter().zip(round.starts.windows(2));
        for (x, ends) in steps.skip(usize::from(is_neutral)) {
            for place in &round.pairs[ends[0] as usize..ends[1] as usize] {
                let difference = ring.sub(x, &self.babies[*place as usize]);
                self.product = ring.mul(&self.product, &difference);
            }
        }
    }
}
