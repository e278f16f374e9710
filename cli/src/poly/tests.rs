//! Every operation on short polynomials, zero and constants above all: results agree with the
//! definition, proofs accept them, and proofs refute a result that is off by one.

use bezout::poly::Modulus;
use bezout::{Engine, Error, Int, Poly};

use super::operand::{Kind, Operand};
use super::operation::{OPERATIONS, Operation, PolyAnswer};

/// Coefficients modulo p by the definitions, constant term first, without zeros at the end.
mod naive {
    pub type Coefficients = Vec<u64>;

    pub fn trim(mut a: Coefficients) -> Coefficients {
        while a.last() == Some(&0) {
            a.pop();
        }
        a
    }

    pub fn add(a: &[u64], b: &[u64], p: u64) -> Coefficients {
        let at = |a: &[u64], i: usize| a.get(i).copied().unwrap_or(0);
        let len = a.len().max(b.len());
        trim((0..len).map(|i| (at(a, i) + at(b, i)) % p).collect())
    }

    pub fn scale(a: &[u64], c: u64, p: u64) -> Coefficients {
        trim(a.iter().map(|x| x * c % p).collect())
    }

    pub fn sub(a: &[u64], b: &[u64], p: u64) -> Coefficients {
        add(a, &scale(b, p - 1, p), p)
    }

    pub fn mul(a: &[u64], b: &[u64], p: u64) -> Coefficients {
        let mut product = vec![0; a.len() + b.len()];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                product[i + j] = (product[i + j] + x * y) % p;
            }
        }
        trim(product)
    }

    pub fn pow(a: &[u64], n: u64, p: u64) -> Coefficients {
        (0..n).fold(vec![1], |power, _| mul(&power, a, p))
    }

    pub fn inverse(c: u64, p: u64) -> u64 {
        (1..p).find(|x| x * c % p == 1).unwrap()
    }

    /// None for b = 0.
    pub fn div_rem(a: &[u64], b: &[u64], p: u64) -> Option<(Coefficients, Coefficients)> {
        let inverse = inverse(*b.last()?, p);
        let (mut q, mut r) = (Vec::new(), a.to_vec());
        while r.len() >= b.len() {
            let mut term = vec![0; r.len() - b.len()];
            term.push(r[r.len() - 1] * inverse % p);
            r = sub(&r, &mul(&term, b, p), p);
            q = add(&q, &term, p);
        }
        Some((q, r))
    }

    pub fn monic(a: &[u64], p: u64) -> Coefficients {
        let top = a.last().map_or(1, |top| inverse(*top, p));
        scale(a, top, p)
    }

    pub fn gcd(a: &[u64], b: &[u64], p: u64) -> Coefficients {
        match div_rem(a, b, p) {
            Some((_, r)) => gcd(b, &r, p),
            None => monic(a, p),
        }
    }

    pub fn value(a: &[u64], x: u64, p: u64) -> u64 {
        let power = |i: usize| (0..i).fold(1, |power, _| power * x % p);
        (0..a.len()).fold(0, |sum, i| (sum + a[i] * power(i)) % p)
    }

    pub fn compose(a: &[u64], b: &[u64], p: u64) -> Coefficients {
        let term = |i: usize| scale(&pow(b, i as u64, p), a[i], p);
        (0..a.len()).fold(Vec::new(), |sum, i| add(&sum, &term(i), p))
    }

    pub fn derivative(a: &[u64], p: u64) -> Coefficients {
        trim((1..a.len()).map(|i| i as u64 % p * a[i] % p).collect())
    }

    /// Lagrange's formula.
    pub fn interpolate(points: &[u64], values: &[u64], p: u64) -> Coefficients {
        let term = |i: usize| {
            let others = (0..points.len()).filter(|j| *j != i);
            others.fold(vec![values[i]], |term, j| {
                let slope = inverse((points[i] + p - points[j]) % p, p);
                let root = [(p - points[j]) * slope % p, slope];
                mul(&term, &root, p)
            })
        };
        (0..points.len()).fold(Vec::new(), |sum, i| add(&sum, &term(i), p))
    }

    /// The determinant of Sylvester's matrix, and 0 for a zero polynomial.
    pub fn resultant(a: &[u64], b: &[u64], p: u64) -> u64 {
        if a.is_empty() || b.is_empty() {
            return 0;
        }
        let size = a.len() + b.len() - 2;
        let row = |of: &[u64], shift: usize| {
            let mut row = vec![0; size];
            for (i, c) in of.iter().rev().enumerate() {
                row[shift + i] = *c;
            }
            row
        };
        let from_a = (0..b.len() - 1).map(|shift| row(a, shift));
        let from_b = (0..a.len() - 1).map(|shift| row(b, shift));
        let mut rows: Vec<Vec<u64>> = from_a.chain(from_b).collect();
        let mut determinant = 1;
        for column in 0..size {
            let Some(pivot) = (column..size).find(|i| rows[*i][column] != 0) else {
                return 0;
            };
            if pivot != column {
                rows.swap(pivot, column);
                determinant = (p - determinant) % p;
            }
            let top = rows[column].clone();
            determinant = determinant * top[column] % p;
            for row in &mut rows[column + 1..] {
                let factor = row[column] * inverse(top[column], p) % p;
                for (c, x) in row.iter_mut().zip(&top) {
                    *c = (*c + (p - factor) * x) % p;
                }
            }
        }
        determinant
    }
}

/// An argument, as the oracle takes it.
#[derive(Debug, Clone)]
struct Given(Vec<u64>);

impl Given {
    fn operand(&self, kind: Kind, p: Modulus) -> Operand {
        match kind {
            Kind::Poly => Operand::Poly(Poly::new(self.0.clone(), p).unwrap()),
            Kind::Residue | Kind::Residues => Operand::Residues(self.0.clone()),
            Kind::Number => Operand::Number(Int::from(self.0[0])),
        }
    }
}

/// What an argument of this kind is tried with.
fn tried(kind: Kind, p: u64) -> Vec<Given> {
    let lists: &[&[u64]] = match kind {
        Kind::Poly => &[
            &[],
            &[1],
            &[5],
            &[0, 1],
            &[1, 1],
            &[0, 0, 1],
            &[4, 0, 1],
            &[6, 5, 1],
            &[0, 3, 0, 2],
            &[1, 2, 3, 4, 5],
        ],
        Kind::Residue => &[&[0], &[1], &[5]],
        Kind::Residues => &[&[0], &[1], &[0, 1], &[1, 0]],
        Kind::Number => &[&[0], &[1], &[2], &[5], &[8]],
    };
    let reduced = |list: &&[u64]| match kind {
        Kind::Number => Given(list.to_vec()),
        Kind::Poly => Given(naive::trim(list.iter().map(|c| c % p).collect())),
        _ => Given(list.iter().map(|c| c % p).collect()),
    };
    lists.iter().map(reduced).collect()
}

/// The results by definition; none where there are none, because of a division by zero.
fn expected(name: &str, given: &[Given], p: u64) -> Option<Vec<Vec<u64>>> {
    let a = &given[0].0[..];
    let b = given.get(1).map_or(&[][..], |b| &b.0);
    Some(match name {
        "add" => vec![naive::add(a, b, p)],
        "sub" => vec![naive::sub(a, b, p)],
        "neg" => vec![naive::sub(&[], a, p)],
        "scale" => vec![naive::scale(a, b[0], p)],
        "mul" => vec![naive::mul(a, b, p)],
        "square" => vec![naive::mul(a, a, p)],
        "div" => naive::div_rem(a, b, p).map(|(q, r)| vec![q, r])?,
        "rem" => vec![naive::div_rem(a, b, p)?.1],
        // The cofactors are looked at apart from this.
        "gcd" | "xgcd" => vec![naive::gcd(a, b, p)],
        "monic" => vec![naive::monic(a, p)],
        "derivative" => vec![naive::derivative(a, p)],
        "eval" => vec![b.iter().map(|x| naive::value(a, *x, p)).collect()],
        "interpolate" => vec![naive::interpolate(a, b, p)],
        "compose" => vec![naive::compose(a, b, p)],
        "powmod" => vec![naive::div_rem(&naive::pow(a, b[0], p), &given[2].0, p)?.1],
        "resultant" => vec![vec![naive::resultant(a, b, p)]],
        "show" => vec![a.to_vec()],
        other => panic!("the operation {other} has no oracle"),
    })
}

fn lists(found: &PolyAnswer) -> Vec<Vec<u64>> {
    match found {
        PolyAnswer::Polys(polys) => polys.iter().map(|a| a.coefficients().to_vec()).collect(),
        PolyAnswer::Values(values) => vec![values.clone()],
    }
}

/// The result with 1 added to the first of it.
fn off_by_one(found: &PolyAnswer, p: Modulus) -> PolyAnswer {
    match found {
        PolyAnswer::Polys(polys) => {
            let mut polys = polys.clone();
            polys[0] = &polys[0] + &Poly::one(p);
            PolyAnswer::Polys(polys)
        }
        PolyAnswer::Values(values) => {
            let mut values = values.clone();
            values[0] = (values[0] + 1) % p.get();
            PolyAnswer::Values(values)
        }
    }
}

fn check(operation: &Operation, given: &[Given], modulus: Modulus) {
    let p = modulus.get();
    let what = format!("{} {given:?} modulo {p}", operation.name);
    let kinds = operation.takes.iter().map(|(_, kind)| *kind);
    let operands: Vec<Operand> = given
        .iter()
        .zip(kinds)
        .map(|(given, kind)| given.operand(kind, modulus))
        .collect();
    let Some(expected) = expected(operation.name, given, p) else {
        let failure = operation.run(&operands, modulus).unwrap_err();
        assert_eq!(
            failure.message(),
            Error::DivisionByZero.to_string(),
            "{what}"
        );
        return;
    };
    let found = operation.run(&operands, modulus);
    let found = found.unwrap_or_else(|failure| panic!("{what}: {}", failure.message()));
    let results = lists(&found);
    assert_eq!(results[..expected.len()], expected, "{what}");
    if operation.name == "xgcd" {
        let [a, b] = [0, 1].map(|i| naive::mul(&results[1 + i], &given[i].0, p));
        assert_eq!(naive::add(&a, &b, p), results[0], "{what}");
    }
    if let Err(failure) = operation.prove(&operands, &found, modulus) {
        panic!("{what}: {}", failure.message());
    }
    let wrong = operation.prove(&operands, &off_by_one(&found, modulus), modulus);
    assert!(wrong.is_err(), "{what}: a wrong result passes");
}

#[test]
fn short_polynomials() {
    bezout::verify::set(true);
    for p in [2, 3, 5, 7, 101] {
        let modulus = Modulus::new(p).unwrap();
        for operation in OPERATIONS {
            // Every choice of an argument of each kind.
            let mut all = vec![Vec::new()];
            for (_, kind) in operation.takes {
                let more = |given: &Vec<Given>| -> Vec<Vec<Given>> {
                    let next = tried(*kind, p).into_iter();
                    next.map(|next| [&given[..], &[next]].concat()).collect()
                };
                all = all.iter().flat_map(more).collect();
            }
            if operation.name == "interpolate" {
                all.retain(|given| given[0].0.len() == given[1].0.len());
            }
            for given in all {
                Engine::Cpu.scope(|| check(operation, &given, modulus));
            }
        }
    }
}
