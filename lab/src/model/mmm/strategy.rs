//! The paper's strategy to choose a parameter s (end of its section 1).
//!
//! Given the values of s that the local memory allows, and s₀ as the initial algorithm: see that
//! the work W(s₀)/W(s) does not vary much; take the s, called s_min, for which the overhead
//! O(s₀)/O(s) is largest; and check by Corollary 1 that the time of s_min is bounded by less than
//! that of s₀. If it is, s_min is the answer, else s₀.
//!
//! Each of the paper's four algorithms has its costs (`algorithms.rs`), what it keeps in a local
//! memory of Z words, and its equations (`equations.rs`).

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::{Cost, Program, algorithms, equations};
use bezout::{Error, Result};

/// One of the paper's algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Section 3: plain division of n by m coefficients, s steps a kernel.
    Division,
    /// Section 4: radix sort of n numbers, s bits a pass.
    Sort,
    /// Section 5: the plain product of n and m coefficients, s of them a block.
    Multiplication,
    /// Section 6: Euclid's algorithm on n and m coefficients, s steps a kernel.
    Euclid,
}

impl Algorithm {
    /// All of them, in the paper's order.
    pub const ALL: [Algorithm; 4] = [
        Algorithm::Division,
        Algorithm::Sort,
        Algorithm::Multiplication,
        Algorithm::Euclid,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Division => "division",
            Algorithm::Sort => "sort",
            Algorithm::Multiplication => "multiplication",
            Algorithm::Euclid => "euclid",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Algorithm> {
        let found = Algorithm::ALL.into_iter().find(|a| a.name() == text);
        found.ok_or_else(|| {
            let names = Algorithm::ALL.map(Algorithm::name).join(", ");
            Error::Domain(format!(
                "no algorithm is called '{text}': there are {names}"
            ))
        })
    }
}

/// What is to be optimised.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Problem {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Coefficients of the longer polynomial, or numbers to sort.
    pub n: u64,
    /// Coefficients of the shorter polynomial; plays no part in a sort.
    pub m: u64,
    /// Bits of the numbers to sort; plays no part elsewhere.
    pub bits: u64,
    /// Threads ℓ of a block where s does not decide them.
    pub threads: u64,
    /// The machine's U.
    pub u: f64,
    /// The machine's Z.
    pub z: f64,
}

/// One value of s: the initial algorithm over the one with s, by what the paper states. Above 1,
/// the one with s is better.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Candidate {
    /// The parameter.
    pub s: u64,
    /// W(s₀)/W(s).
    pub work: f64,
    /// S(s₀)/S(s).
    pub span: f64,
    /// O(s₀)/O(s).
    pub overhead: f64,
    /// C(s₀)/C(s), of the heaviest blocks.
    pub heaviest: f64,
    /// T(s₀)/T(s), by Corollary 1.
    pub time: f64,
}

/// An equation of the paper with its value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Equation {
    /// Its number, such as `(7)`; `before (10)` and `before (13)` have none.
    pub number: &'static str,
    /// Which algorithm it is about.
    pub algorithm: Algorithm,
    /// What over what.
    pub about: &'static str,
    /// The equation.
    pub formula: &'static str,
    /// Its value.
    pub value: f64,
}

/// What the strategy comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Optimised {
    /// What was asked.
    pub problem: Problem,
    /// Every s that was looked at, s₀ = 1 first.
    pub candidates: Vec<Candidate>,
    /// Whether the work of all of them is within a factor of two of that of s₀.
    pub work_is_steady: bool,
    /// The s of the largest overhead ratio.
    pub s_min: u64,
    /// Whether Corollary 1 bounds the time of s_min by less than that of s₀.
    pub is_accepted: bool,
    /// s_min where it is accepted, else 1.
    pub chosen: u64,
    /// The algorithm's equations, for s_min where they have an s. Those of division and of Euclid's
    /// algorithm have the largest s that fits Z in them instead.
    pub equations: Vec<Equation>,
}

impl Problem {
    /// Whether the local memory holds what a block needs for s, the input is long enough, and the
    /// stated costs hold for s.
    ///
    /// The work W_s of Euclid's algorithm holds for s well below m only: its term −345s²/16 makes
    /// it negative from about s = 0.87·m on, for n = m. Up to s = m/2 the terms 87sm/8 and 23m/2
    /// outweigh −345s²/16 and −77s/4, so that W_s is above (9m²/4 + 9nm/2).
    fn allows(&self, s: u64) -> bool {
        let (x, l) = (s as f64, self.threads as f64);
        let (words, most) = match self.algorithm {
            Algorithm::Division => (7.0 * x, self.n - self.m + 1),
            Algorithm::Sort => (8.0 * l + x.exp2(), self.bits),
            Algorithm::Multiplication => (2.0 * x * l + 2.0 * x - 1.0, self.m),
            Algorithm::Euclid => (6.0 * x, self.m / 2),
        };
        words <= self.z && s <= most && self.cost(s).is_positive()
    }

    /// The values of s after s₀: every number of bits of a sort, else powers of two, and the
    /// largest that is allowed. Where the local memory is what limits s, the largest is what the
    /// paper puts into its equations.
    fn range(&self) -> Vec<u64> {
        if self.algorithm == Algorithm::Sort {
            return (2..=self.bits).take_while(|s| self.allows(*s)).collect();
        }
        let mut values: Vec<u64> = (1..40)
            .map(|log| 1 << log)
            .take_while(|s| self.allows(*s))
            .collect();
        let last = values.last().copied().unwrap_or(1);
        // The largest is between this power of two and the next.
        let (mut low, mut high) = (last, 2 * last);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if self.allows(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        if low > last {
            values.push(low);
        }
        values
    }

    /// What the paper states of the algorithm with s; s = 1 is its initial algorithm. The formulas
    /// are no bounds: work and overhead may come out below 0 where s is not small for the input.
    pub fn cost(&self, s: u64) -> Cost {
        let (n, m) = (self.n as f64, self.m as f64);
        let (x, l) = (s as f64, self.threads as f64);
        match (self.algorithm, s) {
            (Algorithm::Division, 1) => algorithms::naive_division_cost(n, m, l),
            (Algorithm::Division, _) => algorithms::division_cost(n, m, x),
            (Algorithm::Sort, _) => algorithms::sort_cost(n, self.bits as f64, x, l),
            (Algorithm::Multiplication, _) => algorithms::multiplication_cost(n, m, x, l),
            (Algorithm::Euclid, 1) => algorithms::naive_euclid_cost(n, m, l),
            (Algorithm::Euclid, _) => algorithms::euclid_cost(n, m, x),
        }
    }

    /// The algorithm with s as a program, for a calibrated prediction.
    pub fn program(&self, s: u64) -> Program {
        let Problem { n, m, threads, .. } = *self;
        match (self.algorithm, s) {
            (Algorithm::Division, 1) => algorithms::naive_division(n, m, threads),
            (Algorithm::Division, s) => algorithms::division(n, m, s),
            (Algorithm::Sort, s) => algorithms::sort(n, self.bits, s, threads),
            (Algorithm::Multiplication, s) => algorithms::multiplication(n, m, s, threads),
            (Algorithm::Euclid, 1) => algorithms::naive_euclid(n, m, threads),
            (Algorithm::Euclid, s) => algorithms::euclid(n, m, s),
        }
    }

    /// The paper's equations about this algorithm, with this s where they have one. Those of
    /// division and of Euclid's algorithm have s = Z/7 and s = Z/6 in them, whatever s is here.
    pub fn equations(&self, s: u64) -> Vec<Equation> {
        let Problem { u, z, .. } = *self;
        let (n, x, l) = (self.n as f64, s as f64, self.threads as f64);
        let of = |number, about, formula, value| Equation {
            number,
            algorithm: self.algorithm,
            about,
            formula,
            value,
        };
        match self.algorithm {
            Algorithm::Division => vec![
                of(
                    "(5)",
                    "W₁/W_s",
                    "8(Z + 1)/(9Z + 7), for s = Z/7",
                    equations::division_work(z),
                ),
                of(
                    "(6)",
                    "O₁/O_s",
                    "20Z/441, for s = Z/7",
                    equations::division_overhead(z),
                ),
                of(
                    "(7)",
                    "T₁/T_s",
                    "(3 + 5U)Z/3(Z + 21U), for s = Z/7",
                    equations::division_time(u, z),
                ),
            ],
            Algorithm::Sort => vec![
                of(
                    "(8)",
                    "W₁/W_s, n → ∞",
                    "(104sℓ² + 92sℓ + 2s)/(88sℓ² + 16ℓ² + 20·2^s·ℓ + 4sℓ + 48ℓ + 2^s)",
                    equations::sort_work(x, l),
                ),
                of(
                    "(9)",
                    "O₁/O_s, n → ∞",
                    "s(72ℓ + 34)/(72ℓ + 17·2^s)",
                    equations::sort_overhead(x, l),
                ),
                of(
                    "before (10)",
                    "T₁/T_s",
                    "(14ℓ + 2)(53 + 8·log ℓ + 9U)s/(14ℓ + 2^s)(41s + 8s·log ℓ + 12 + 9U)",
                    equations::sort_time(x, l, u),
                ),
                of(
                    "(10)",
                    "leading terms of T₁/T_s, s = log ℓ",
                    "7ℓ·log ℓ·(8·log ℓ + 9U)/60ℓ·log² ℓ",
                    equations::sort_time_leading(l, u),
                ),
            ],
            Algorithm::Multiplication => vec![
                of(
                    "(11)",
                    "O₁/O_s, m = n",
                    "ns²(7n − 3)/(n + s − 1)(5ns + 2n − 3s²)",
                    equations::multiplication_overhead(n, x),
                ),
                of(
                    "(12)",
                    "T₁/T_s, m = n",
                    "(n·log n + 3n − 1)(1 + 4U)/(n·log(n/s) + 3n − s)(2Us + 2U + 2s² − s)",
                    equations::multiplication_time(n, x, u),
                ),
            ],
            Algorithm::Euclid => vec![
                of(
                    "before (13)",
                    "W₁/W_s, m = n → ∞",
                    "8(Z + 1)/3(9Z + 52), for s = Z/6; W_s holds up to s = m/2",
                    equations::euclid_work(z),
                ),
                of(
                    "(13)",
                    "O₁/O_s, m = n",
                    "5Z(2n + 2 + Z)/48(6n + Z), for s = Z/6",
                    equations::euclid_overhead(n, z),
                ),
                of(
                    "(14)",
                    "T₁/T_s, m = n",
                    "(6n − 2 + Z)(3 + 5U)Z/(18n + Z)(Z + 16U), for s = Z/6",
                    equations::euclid_time(n, u, z),
                ),
                of(
                    "(15)",
                    "T₁/T_s, m = n → ∞",
                    "(3 + 5U)Z/3(Z + 16U), for s = Z/6",
                    equations::euclid_time_limit(u, z),
                ),
            ],
        }
    }

    /// Runs the strategy.
    pub fn optimise(&self) -> Result<Optimised> {
        self.check()?;
        let first = self.cost(1);
        let candidate = |s: u64| {
            let cost = self.cost(s);
            Candidate {
                s,
                work: first.work / cost.work,
                span: first.span / cost.span,
                overhead: first.words / cost.words,
                heaviest: first.heaviest(self.u) / cost.heaviest(self.u),
                time: first.ratio(&cost, self.u),
            }
        };
        let values = [1].into_iter().chain(self.range());
        let candidates: Vec<Candidate> = values.map(candidate).collect();
        let best = candidates
            .iter()
            .fold(candidates[0], |best, candidate| match candidate {
                better if better.overhead > best.overhead => *better,
                _ => best,
            });
        let is_accepted = best.s > 1 && best.time > 1.0;
        Ok(Optimised {
            problem: *self,
            work_is_steady: candidates.iter().all(|c| (0.5..=2.0).contains(&c.work)),
            s_min: best.s,
            is_accepted,
            chosen: if is_accepted { best.s } else { 1 },
            equations: self.equations(best.s),
            candidates,
        })
    }

    /// An error where the sizes make no sense, or are too small for what the paper states.
    fn check(&self) -> Result<()> {
        let Problem {
            n, m, bits, u, z, ..
        } = *self;
        let is_sort = self.algorithm == Algorithm::Sort;
        let refused = if n == 0 || self.threads == 0 {
            Some("sizes must be at least 1".to_string())
        } else if is_sort && !(1..=64).contains(&bits) {
            Some(format!("numbers of {bits} bits: 1 to 64"))
        } else if !is_sort && !(1..=n).contains(&m) {
            Some(format!("m is {m}: it must be from 1 to n = {n}"))
        } else if !(u > 1.0 && u.is_finite() && z >= 1.0 && z.is_finite()) {
            Some(format!(
                "U = {u} and Z = {z}: U must be above 1, Z at least 1"
            ))
        } else if !self.cost(1).is_positive() {
            Some(format!(
                "the paper's work or overhead of {} is not above 0 for so short an input",
                self.algorithm
            ))
        } else {
            None
        };
        refused.map_or(Ok(()), |what| Err(Error::Domain(what)))
    }
}
