//! The schedule of all curves: the chains that multiply by all prime powers up to B1, and the pairs
//! that cover the primes up to B2.

use crate::number::Natural;

use crate::modp::primes::small_primes;

/// Bits of a multiplier. A longer one has its table made less often; the list of all of them is
/// never in memory.
const MULTIPLIER_BITS: f64 = 65536.0;

/// Numbers that are sieved at a time.
const SEGMENT: u64 = 1 << 20;

/// Least bound of stage 1: below it, a prime between the bounds could divide the distance of stage
/// 2's giant steps.
pub(super) const LEAST_B1: u64 = 17;

/// The maximum of B2: the numbers of giant steps fit in 32 bits, and the sieve's primes in memory.
pub(super) const MOST_B2: u64 = 1 << 40;

/// Primes from `from` on and below `to`, given the odd primes up to the root of `to`.
fn primes(from: u64, to: u64, small: &[u32]) -> Vec<u64> {
    let mut found = Vec::new();
    if from <= 2 && to > 2 {
        found.push(2);
    }
    // Position i represents first + 2i.
    let first = from.max(3) | 1;
    if first >= to {
        return found;
    }
    let mut composite = vec![false; ((to - first).div_ceil(2)) as usize];
    for p in small.iter().map(|p| u64::from(*p)) {
        if p * p >= to {
            break;
        }
        let multiple = (p * p).max(first.div_ceil(p) * p);
        let odd = if multiple % 2 == 0 {
            multiple + p
        } else {
            multiple
        };
        for place in ((odd.saturating_sub(first) / 2) as usize..composite.len()).step_by(p as usize)
        {
            composite[place] = true;
        }
    }
    let odd = composite.iter().enumerate().filter(|(_, c)| !**c);
    found.extend(odd.map(|(i, _)| first + 2 * i as u64));
    found
}

/// Products of prime powers whose product is that of the largest powers up to B1 of all primes,
/// less the largest powers up to `done`.
pub(crate) struct Multipliers {
    done: u64,
    b1: u64,
    small: Vec<u32>,
    /// The number at which the sieve continues.
    from: u64,
    pending: std::vec::IntoIter<u64>,
}

impl Multipliers {
    pub(crate) fn new(b1: u64) -> Multipliers {
        Multipliers::after(1, b1)
    }

    /// From a point that was multiplied up to `done`.
    pub(crate) fn after(done: u64, b1: u64) -> Multipliers {
        Multipliers {
            done,
            b1,
            small: small_primes(b1.isqrt() + 1),
            from: 2,
            pending: Vec::new().into_iter(),
        }
    }
}

impl Iterator for Multipliers {
    type Item = Natural;

    fn next(&mut self) -> Option<Natural> {
        let (mut powers, mut bits) = (Vec::new(), 0.0);
        while bits < MULTIPLIER_BITS {
            match self.pending.next() {
                Some(p) => {
                    let done = self.done.max(1).ilog(p);
                    let power = p.pow(self.b1.ilog(p).saturating_sub(done));
                    powers.push(Natural::from(power));
                    bits += (power as f64).log2();
                }
                None if self.from <= self.b1 => {
                    let to = self.from.saturating_add(SEGMENT).min(self.b1 + 1);
                    self.pending = primes(self.from, to, &self.small).into_iter();
                    self.from = to;
                }
                None => break,
            }
        }
        (!powers.is_empty()).then(|| product(&powers))
    }
}

fn product(factors: &[Natural]) -> Natural {
    match factors {
        [] => Natural::ONE,
        [factor] => factor.clone(),
        _ => {
            let (low, high) = factors.split_at(factors.len() / 2);
            product(low) * product(high)
        }
    }
}

/// The steps of a chain that multiplies by k > 0, highest first: `step >> 8` doublings, at least
/// one, then an addition of an odd multiple, the signed low byte, or none. The chain begins at the
/// neutral point. Digits are below 2^(window − 1) in size; 2 ≤ window ≤ 8.
pub(super) fn steps(k: &Natural, window: u32) -> Vec<u32> {
    let limbs = k.to_vec();
    let bit = |i: usize| limbs.get(i / 64).map_or(0, |limb| limb >> (i % 64) & 1);
    let (mut digits, mut at, mut carry) = (Vec::new(), 0, 0);
    while at < 64 * limbs.len() || carry > 0 {
        if bit(at) == carry {
            at += 1;
            continue;
        }
        let value = (0..window as usize).map(|i| bit(at + i) << i).sum::<u64>() + carry;
        carry = value >> (window - 1);
        digits.push((at, value as i64 - ((carry as i64) << window)));
        at += window as usize;
    }
    let mut steps = Vec::with_capacity(digits.len() + 1);
    let mut above = None;
    for (at, digit) in digits.into_iter().rev() {
        let doublings = above.map_or(1, |above| above - at);
        steps.push((doublings as u32) << 8 | u32::from(digit as i8 as u8));
        above = Some(at);
    }
    if let Some(doublings @ 1..) = above {
        steps.push((doublings as u32) << 8);
    }
    steps
}

/// Stage 2: a prime q between the bounds is m·d ± j for a giant step m and a baby step j < d/2
/// coprime to d, and k·Q is neutral for k = q if the points m·d·Q and j·Q have the same y.
pub(crate) struct Stage2 {
    pub(crate) d: u32,
    /// The j, ascending: 1 is the first.
    pub(crate) babies: Vec<u32>,
    /// The least m.
    pub(crate) first: u32,
    pub(crate) giants: u32,
    b1: u64,
    b2: u64,
    small: Vec<u32>,
    /// The place of each j among the babies.
    place: Vec<u32>,
}

/// Some giant steps, and the baby steps that go with each.
pub(crate) struct Round {
    pub(crate) giants: u32,
    /// Where the pairs of each giant step begin, and where those of the last end.
    pub(crate) starts: Vec<u32>,
    /// Places among the babies; one more than there are pairs.
    pub(crate) pairs: Vec<u32>,
}

/// Products that a baby step and a giant step cost, about; a pair costs one.
const BABY_COST: u64 = 12;
const GIANT_COST: u64 = 13;

impl Stage2 {
    /// None if there is no prime to find. LEAST_B1 ≤ b1, b2 ≤ MOST_B2.
    pub(crate) fn new(b1: u64, b2: u64) -> Option<Stage2> {
        if b2 <= b1 {
            return None;
        }
        // Each with half the numbers below it that are coprime to it.
        const DISTANCES: [(u32, u64); 9] = [
            (30, 4),
            (210, 24),
            (420, 48),
            (2310, 240),
            (4620, 480),
            (9240, 960),
            (30030, 2880),
            (60060, 5760),
            (120_120, 11520),
        ];
        let cost =
            |(d, babies): &(u32, u64)| babies * BABY_COST + (b2 - b1) / u64::from(*d) * GIANT_COST;
        let d = DISTANCES.iter().min_by_key(|choice| cost(choice))?.0;
        let factors = [2, 3, 5, 7, 11, 13].map(|p| if d % p == 0 { p } else { d });
        let babies: Vec<u32> = (1..d / 2)
            .filter(|j| factors.iter().all(|p| !j.is_multiple_of(*p)))
            .collect();
        let mut place = vec![u32::MAX; d as usize / 2 + 1];
        for (i, j) in babies.iter().enumerate() {
            place[*j as usize] = i as u32;
        }
        let giant = |q: u64| ((q + u64::from(d) / 2) / u64::from(d)) as u32;
        Some(Stage2 {
            d,
            first: giant(b1 + 1),
            giants: giant(b2) - giant(b1 + 1) + 1,
            babies,
            b1,
            b2,
            small: small_primes(b2.isqrt() + 1),
            place,
        })
    }

    /// Maximum giant steps of a round: about as many as there are baby steps, so that both take
    /// similar memory.
    pub(crate) fn round_giants(&self) -> u32 {
        (self.babies.len() as u32).max(64).min(self.giants)
    }

    pub(crate) fn rounds(&self) -> impl Iterator<Item = Round> {
        (0..self.giants)
            .step_by(self.round_giants() as usize)
            .map(|start| self.round(start, self.round_giants().min(self.giants - start)))
    }

    fn round(&self, start: u32, giants: u32) -> Round {
        let (d, first) = (u64::from(self.d), u64::from(self.first + start));
        let from = (first * d).saturating_sub(d / 2).max(self.b1 + 1);
        let to = ((first + u64::from(giants)) * d - d / 2).min(self.b2 + 1);
        let babies = self.babies.len();
        let mut wanted = vec![false; babies * giants as usize];
        for q in primes(from, to, &self.small) {
            let m = (q + d / 2) / d;
            let place = self.place[q.abs_diff(m * d) as usize] as usize;
            wanted[(m - first) as usize * babies + place] = true;
        }
        let (mut starts, mut pairs) = (vec![0], Vec::new());
        for giant in wanted.chunks(babies) {
            let of_giant = giant.iter().enumerate().filter(|(_, wanted)| **wanted);
            pairs.extend(of_giant.map(|(place, _)| place as u32));
            starts.push(pairs.len() as u32);
        }
        pairs.push(0);
        Round {
            giants,
            starts,
            pairs,
        }
    }
}
