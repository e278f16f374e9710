//! What `poly` can do, and how each of its results is proved.

use bezout::poly::Modulus;
use bezout::{Engine, Poly};

use super::operand::{Kind, Operand};
use crate::failure::Failure;

/// One operation: its name, what it takes, what it gives, and the code.
pub struct Operation {
    pub name: &'static str,
    /// What the arguments are called, and what each of them is.
    pub takes: &'static [(&'static str, Kind)],
    /// Names of the results.
    pub gives: &'static [&'static str],
    pub about: &'static str,
    run: fn(&[Operand], Modulus) -> Result<PolyAnswer, bezout::Error>,
    /// Whether the results are right, found in another way; `Ok(false)` refutes them.
    prove: fn(&[Operand], &PolyAnswer, Modulus) -> Result<bool, bezout::Error>,
}

/// What an operation has found.
#[derive(Debug, Clone, PartialEq)]
pub enum PolyAnswer {
    Polys(Vec<Poly>),
    Values(Vec<u64>),
}

impl PolyAnswer {
    fn poly(&self, i: usize) -> &Poly {
        match self {
            PolyAnswer::Polys(polys) => &polys[i],
            PolyAnswer::Values(_) => unreachable!("the operation gives polynomials"),
        }
    }

    fn values(&self) -> &[u64] {
        match self {
            PolyAnswer::Values(values) => values,
            PolyAnswer::Polys(_) => unreachable!("the operation gives numbers"),
        }
    }
}

fn one(poly: Poly) -> Result<PolyAnswer, bezout::Error> {
    Ok(PolyAnswer::Polys(vec![poly]))
}

impl Operation {
    /// The operation of this name.
    pub fn find(name: &str) -> Result<&'static Operation, Failure> {
        let known = OPERATIONS.iter().find(|operation| operation.name == name);
        known.ok_or_else(|| {
            let names: Vec<_> = OPERATIONS.iter().map(|o| o.name).collect();
            let near = names
                .iter()
                .map(|known| (strsim::damerau_levenshtein(name, known), *known))
                .min();
            let failure = Failure::bad_input(format!("there is no operation '{name}' of poly"));
            match near {
                Some((distance, near)) if distance <= 2 => {
                    failure.hint(format!("did you mean '{near}'?"))
                }
                _ => failure.hint(format!("one of {}", names.join(", "))),
            }
        })
    }

    /// Runs it on as many operands as it takes.
    pub fn run(&self, operands: &[Operand], p: Modulus) -> Result<PolyAnswer, Failure> {
        Ok((self.run)(operands, p)?)
    }

    /// An error unless its results stand an independent check on the CPU.
    pub fn prove(
        &self,
        operands: &[Operand],
        found: &PolyAnswer,
        p: Modulus,
    ) -> Result<(), Failure> {
        if Engine::Cpu.scope(|| (self.prove)(operands, found, p))? {
            Ok(())
        } else {
            Err(Failure::failed(format!(
                "verification failed: the result of {} is wrong",
                self.name
            )))
        }
    }
}

/// Whether g is the gcd of a and b: it is monic and divides both, and s·a + t·b = g.
fn is_gcd(a: &Poly, b: &Poly, g: &Poly, s: &Poly, t: &Poly) -> Result<bool, bezout::Error> {
    let sum = s.try_mul(a)?.try_add(&t.try_mul(b)?)?;
    if g.is_zero() {
        return Ok(a.is_zero() && b.is_zero());
    }
    let divides = a.try_rem(g)?.is_zero() && b.try_rem(g)?.is_zero();
    Ok(divides && g.leading() == 1 && sum == *g)
}

/// Horner's rule, here and not in the library.
fn value(a: &Poly, x: u64, p: Modulus) -> u64 {
    let (x, p) = (u128::from(x), u128::from(p.get()));
    let step = |sum: u128, c: &u64| (sum * x + u128::from(*c)) % p;
    a.coefficients().iter().rev().fold(0, step) as u64
}

/// Points at which long results are compared.
fn some_points(p: Modulus) -> impl Iterator<Item = u64> {
    let p = p.get();
    let count = p.min(64);
    (0..count).map(move |i| (u128::from(i) * u128::from(p) / u128::from(count)) as u64)
}

const A: (&str, Kind) = ("A", Kind::Poly);
const B: (&str, Kind) = ("B", Kind::Poly);

/// Every operation, in the order of the help.
pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "add",
        takes: &[A, B],
        gives: &["sum"],
        about: "A + B",
        run: |x, _| one(x[0].poly().try_add(x[1].poly())?),
        prove: |x, found, _| Ok(found.poly(0).try_sub(x[1].poly())? == *x[0].poly()),
    },
    Operation {
        name: "sub",
        takes: &[A, B],
        gives: &["difference"],
        about: "A - B",
        run: |x, _| one(x[0].poly().try_sub(x[1].poly())?),
        prove: |x, found, _| Ok(found.poly(0).try_add(x[1].poly())? == *x[0].poly()),
    },
    Operation {
        name: "neg",
        takes: &[A],
        gives: &["negative"],
        about: "-A",
        run: |x, _| one(x[0].poly().try_neg()?),
        prove: |x, found, _| Ok(found.poly(0).try_add(x[0].poly())?.is_zero()),
    },
    Operation {
        name: "scale",
        takes: &[A, ("C", Kind::Residue)],
        gives: &["multiple"],
        about: "A times the number C",
        run: |x, _| one(x[0].poly().try_scale(x[1].residue())?),
        prove: |x, found, p| {
            let c = Poly::constant(x[1].residue(), p);
            Ok(x[0].poly().try_mul(&c)? == *found.poly(0))
        },
    },
    Operation {
        name: "mul",
        takes: &[A, B],
        gives: &["product"],
        about: "A * B",
        run: |x, _| one(x[0].poly().try_mul(x[1].poly())?),
        prove: |x, found, _| Ok(x[1].poly().try_mul(x[0].poly())? == *found.poly(0)),
    },
    Operation {
        name: "square",
        takes: &[A],
        gives: &["square"],
        about: "A * A",
        run: |x, _| one(x[0].poly().try_square()?),
        prove: |x, found, p| {
            // A product of two different polynomials: (a + 1)·a − a.
            let more = x[0].poly().try_add(&Poly::one(p))?;
            Ok(more.try_mul(x[0].poly())?.try_sub(x[0].poly())? == *found.poly(0))
        },
    },
    Operation {
        name: "div",
        takes: &[A, B],
        gives: &["quotient", "remainder"],
        about: "quotient and remainder of A by B",
        run: |x, _| {
            let (q, r) = x[0].poly().try_div_rem(x[1].poly())?;
            Ok(PolyAnswer::Polys(vec![q, r]))
        },
        prove: |x, found, _| {
            let (q, r) = (found.poly(0), found.poly(1));
            let back = q.try_mul(x[1].poly())?.try_add(r)?;
            Ok(r.len() < x[1].poly().len() && back == *x[0].poly())
        },
    },
    Operation {
        name: "rem",
        takes: &[A, B],
        gives: &["remainder"],
        about: "the remainder of A by B alone",
        run: |x, _| one(x[0].poly().try_rem(x[1].poly())?),
        prove: |x, found, _| {
            let (b, r) = (x[1].poly(), found.poly(0));
            let multiple = x[0].poly().try_sub(r)?;
            Ok(r.len() < b.len() && multiple.try_rem(b)?.is_zero())
        },
    },
    Operation {
        name: "gcd",
        takes: &[A, B],
        gives: &["gcd"],
        about: "the greatest common divisor, monic",
        run: |x, _| one(x[0].poly().try_gcd(x[1].poly())?),
        prove: |x, found, _| {
            let (a, b) = (x[0].poly(), x[1].poly());
            let (_, s, t) = a.try_extended_gcd(b)?;
            is_gcd(a, b, found.poly(0), &s, &t)
        },
    },
    Operation {
        name: "xgcd",
        takes: &[A, B],
        gives: &["gcd", "s", "t"],
        about: "the gcd and cofactors: S*A + T*B = G",
        run: |x, _| {
            let (g, s, t) = x[0].poly().try_extended_gcd(x[1].poly())?;
            Ok(PolyAnswer::Polys(vec![g, s, t]))
        },
        prove: |x, found, _| {
            let [g, s, t] = [0, 1, 2].map(|i| found.poly(i));
            is_gcd(x[0].poly(), x[1].poly(), g, s, t)
        },
    },
    Operation {
        name: "monic",
        takes: &[A],
        gives: &["monic"],
        about: "A divided by its leading coefficient",
        run: |x, _| one(x[0].poly().try_monic()?),
        prove: |x, found, _| {
            let (a, monic) = (x[0].poly(), found.poly(0));
            let same_degree = monic.len() == a.len();
            Ok(same_degree && monic.leading() <= 1 && monic.try_scale(a.leading())? == *a)
        },
    },
    Operation {
        name: "derivative",
        takes: &[A],
        gives: &["derivative"],
        about: "the derivative of A",
        run: |x, _| one(x[0].poly().try_derivative()?),
        prove: |x, found, p| {
            // (x·a)' = a + x·a'.
            let (a, factor) = (x[0].poly(), Poly::x(p));
            let left = factor.try_mul(a)?.try_derivative()?;
            Ok(left == factor.try_mul(found.poly(0))?.try_add(a)?)
        },
    },
    Operation {
        name: "eval",
        takes: &[A, ("POINTS", Kind::Residues)],
        gives: &["values"],
        about: "the values of A at POINTS, a list such as 1,2,3",
        run: |x, _| {
            Ok(PolyAnswer::Values(
                x[0].poly().try_evaluate(x[1].residues())?,
            ))
        },
        prove: |x, found, p| {
            let points = x[1].residues();
            // All of them where that is quick, else 64 of them.
            let work = points.len().saturating_mul(x[0].poly().len());
            let step = if work < 1 << 26 {
                1
            } else {
                points.len().div_ceil(64)
            };
            let same = |(at, y): (&u64, &u64)| value(x[0].poly(), at % p.get(), p) == *y;
            let pairs = points.iter().zip(found.values()).step_by(step);
            Ok(points.len() == found.values().len() && pairs.into_iter().all(same))
        },
    },
    Operation {
        name: "interpolate",
        takes: &[("POINTS", Kind::Residues), ("VALUES", Kind::Residues)],
        gives: &["polynomial"],
        about: "the polynomial of least degree with VALUES at POINTS",
        run: |x, p| one(Poly::try_interpolate(x[0].residues(), x[1].residues(), p)?),
        prove: |x, found, _| {
            let short = found.poly(0).len() <= x[0].residues().len();
            Ok(short && found.poly(0).try_evaluate(x[0].residues())? == x[1].residues())
        },
    },
    Operation {
        name: "compose",
        takes: &[A, B],
        gives: &["composition"],
        about: "A(B(x))",
        run: |x, _| one(x[0].poly().try_compose(x[1].poly())?),
        prove: |x, found, p| {
            let (a, b) = (x[0].poly(), x[1].poly());
            let same = |at| value(a, value(b, at, p), p) == value(found.poly(0), at, p);
            Ok(some_points(p).all(same))
        },
    },
    Operation {
        name: "powmod",
        takes: &[A, ("N", Kind::Number), ("M", Kind::Poly)],
        gives: &["power"],
        about: "A^N modulo M",
        run: |x, _| one(x[0].poly().try_pow_mod(x[1].number(), x[2].poly())?),
        prove: |x, found, _| {
            // From the lowest bit of the exponent: (a^2)^(n / 2), times a for an odd n.
            let (a, n, m) = (x[0].poly(), x[1].number(), x[2].poly());
            let square = a.try_square()?.try_rem(m)?;
            let mut power = square.try_pow_mod(&n.try_shr(1)?, m)?;
            if n.bit(0) {
                power = power.try_mul(a)?.try_rem(m)?;
            }
            Ok(*found.poly(0) == power)
        },
    },
    Operation {
        name: "resultant",
        takes: &[A, B],
        gives: &["resultant"],
        about: "the resultant of A and B, a number",
        run: |x, _| {
            Ok(PolyAnswer::Values(vec![
                x[0].poly().try_resultant(x[1].poly())?,
            ]))
        },
        prove: |x, found, p| {
            // From the other side, and 0 exactly where there is a common factor or one of both is
            // 0.
            let (a, b) = (x[0].poly(), x[1].poly());
            let swapped = b.try_resultant(a)?;
            let odd = a.len().is_multiple_of(2) && b.len().is_multiple_of(2);
            let expected = if odd && swapped > 0 {
                p.get() - swapped
            } else {
                swapped
            };
            let common = a.is_zero() || b.is_zero() || a.try_gcd(b)?.len() > 1;
            Ok(found.values() == [expected] && (expected == 0) == common)
        },
    },
    Operation {
        name: "show",
        takes: &[A],
        gives: &["polynomial"],
        about: "A itself, to convert between formats",
        run: |x, _| one(x[0].poly().clone()),
        prove: |x, found, _| Ok(found.poly(0) == x[0].poly()),
    },
];
