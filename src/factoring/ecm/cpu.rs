//! Curves on the host, shared out over its threads.

use crate::number::Natural;

use super::curve::{Addend, Curve, Point};
use super::plan::{Round, steps};
use super::residues::Residues;
use super::{Group, KeepGoing, Stage2, on_each};
use crate::error::Result;
use crate::progress;
use crate::threads;

/// Digits of chains: tables of 2^(WINDOW − 2) points.
const WINDOW: u32 = 7;

pub(super) struct Curves<'a, R: Residues> {
    ring: &'a R,
    all: Vec<One<'a, R>>,
}

struct One<'a, R: Residues> {
    curve: Curve<'a, R>,
    point: Point<R::Element>,
    second: Option<Second<R::Element>>,
}

/// The state of stage 2: the y of the baby steps over one denominator, the next giant step with its
/// t, the addend for the giant step after it, and the product.
struct Second<E> {
    babies: Vec<E>,
    common: E,
    giant: Point<E>,
    step: Addend<E>,
    product: E,
}

impl<'a, R: Residues> Curves<'a, R> {
    pub(super) fn new(ring: &'a R, sigma: u64, count: usize) -> Self {
        let place = progress::shared();
        let all = threads::map(count, 1, |i| {
            let sigma = sigma + i as u64;
            let (curve, point) = progress::inherit(place.clone(), || Curve::new(ring, sigma));
            One {
                curve,
                point,
                second: None,
            }
        });
        Curves { ring, all }
    }

    /// `work` on every curve, unless it is to stop.
    fn each(
        &mut self,
        keep_going: KeepGoing,
        work: impl Fn(&R, &mut One<'a, R>) + Sync,
    ) -> Result<bool> {
        let ring = self.ring;
        Ok(on_each(&mut self.all, keep_going, |one| work(ring, one)))
    }
}

impl<R: Residues> Group for Curves<'_, R> {
    fn multiply(&mut self, by: &Natural, keep_going: KeepGoing) -> Result<bool> {
        let steps = steps(by, WINDOW);
        self.each(keep_going, |_, one| one.multiply(&steps))
    }

    fn begin(&mut self, stage: &Stage2) -> Result<()> {
        self.each(&|| true, |ring, one| one.begin(ring, stage))?;
        Ok(())
    }

    fn round(&mut self, _: &Stage2, round: &Round, keep_going: KeepGoing) -> Result<bool> {
        self.each(keep_going, |ring, one| {
            if let Some(second) = &mut one.second {
                second.round(ring, &one.curve, round);
            }
        })
    }

    fn residues(&self, stage: u8) -> Result<(usize, Vec<u64>)> {
        let residue = |one: &One<R>| match (&one.second, stage) {
            (Some(second), 2) => self.ring.limbs(&second.product).to_vec(),
            _ => self.ring.limbs(&one.point.x).to_vec(),
        };
        let limbs = self.ring.limbs(&self.ring.zero()).len();
        Ok((limbs, self.all.iter().flat_map(residue).collect()))
    }
}

impl<R: Residues> One<'_, R> {
    fn multiply(&mut self, steps: &[u32]) {
        let curve = &self.curve;
        let two = curve.addend(&curve.twice(&self.point, true));
        let mut odd = curve.extend(&self.point);
        let mut table = vec![curve.addend(&odd)];
        while table.len() < 1 << (WINDOW - 2) {
            odd = curve.plus(&odd, &two, false, true);
            table.push(curve.addend(&odd));
        }
        let mut p = curve.neutral();
        for step in steps {
            let digit = (step & 0xff) as u8 as i8;
            for left in (0..step >> 8).rev() {
                p = curve.twice(&p, left == 0 && digit != 0);
            }
            if digit != 0 {
                let addend = &table[usize::from(digit.unsigned_abs() / 2)];
                p = curve.plus(&p, addend, digit < 0, false);
            }
        }
        self.point = p;
    }

    fn begin(&mut self, ring: &R, stage: &Stage2) {
        let curve = &self.curve;
        let q = curve.extend(&self.point);
        let single = curve.addend(&q);
        let mut even = curve.multiple(&single, 2);
        let mut gaps = vec![curve.addend(&even)];
        let longest = stage.babies.windows(2).map(|j| (j[1] - j[0]) / 2).max();
        while gaps.len() < longest.unwrap_or(1) as usize {
            even = curve.plus(&even, &gaps[0], false, true);
            gaps.push(curve.addend(&even));
        }
        let mut p = q;
        let (mut ys, mut zs) = (vec![p.y.clone()], vec![p.z.clone()]);
        for j in stage.babies.windows(2) {
            let gap = &gaps[((j[1] - j[0]) / 2 - 1) as usize];
            p = curve.plus(&p, gap, false, true);
            ys.push(p.y.clone());
            zs.push(p.z.clone());
        }
        let common = over_one_denominator(ring, &mut ys, &zs, ring.one());
        let step = curve.addend(&curve.multiple(&single, stage.d));
        self.second = Some(Second {
            babies: ys,
            common,
            giant: curve.multiple(&step, stage.first),
            step,
            product: ring.one(),
        });
    }
}

impl<E: Clone> Second<E> {
    fn round<R: Residues<Element = E>>(&mut self, ring: &R, curve: &Curve<R>, round: &Round) {
        let (mut ys, mut zs) = (Vec::new(), Vec::new());
        for _ in 0..round.giants {
            ys.push(self.giant.y.clone());
            zs.push(self.giant.z.clone());
            self.giant = curve.plus(&self.giant, &self.step, false, true);
        }
        let denominator = over_one_denominator(ring, &mut ys, &zs, self.common.clone());
        for baby in &mut self.babies {
            *baby = ring.mul(baby, &denominator);
        }
        self.common = ring.mul(&self.common, &denominator);
        for (y, ends) in ys.iter().zip(round.starts.windows(2)) {
            for place in &round.pairs[ends[0] as usize..ends[1] as usize] {
                let difference = ring.sub(y, &self.babies[*place as usize]);
                self.product = ring.mul(&self.product, &difference);
            }
        }
    }
}

/// Makes each y of y/z that times `extra` and all the other z, and returns the product of the z.
pub(super) fn over_one_denominator<R: Residues>(
    ring: &R,
    ys: &mut [R::Element],
    zs: &[R::Element],
    extra: R::Element,
) -> R::Element {
    let mut before = ring.one();
    for (y, z) in ys.iter_mut().zip(zs) {
        *y = ring.mul(y, &before);
        before = ring.mul(&before, z);
    }
    let mut after = extra;
    for (y, z) in ys.iter_mut().zip(zs).rev() {
        *y = ring.mul(y, &after);
        after = ring.mul(&after, z);
    }
    before
}
