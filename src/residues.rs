//! Integers as residues modulo many moduli that are coprime in pairs, for computations that stay
//! there: sums, differences, products, exact quotients, and Weber's GCD with its cofactors (Weber,
//! Trevisan and Martins, who name this as the point of a GCD that brings no factors in).
//!
//! A number x is represented by x modulo every modulus, and is the integer of least magnitude with
//! these residues. It is right as long as |x| is below half of the moduli's product M. An overflow
//! is not detected. All work is on the host.
//!
//! ```
//! use bezout::Int;
//! use bezout::residues::{Moduli, Residues};
//!
//! let moduli = Moduli::primes(31, 100)?;
//! let a = Residues::of(&(Int::ones(600) * Int::from(77)), &moduli)?;
//! let b = Residues::of(&(Int::ones(400) * Int::from(-91)), &moduli)?;
//! // gcd(2^600 − 1, 2^400 − 1) = 2^200 − 1, and 13 divides 2^600 − 1 and 91.
//! let g = a.try_gcd(&b, 700)?;
//! assert_eq!(g.to_int(), Int::ones(200) * Int::from(91));
//! assert_eq!(a.try_mul(&b)?.try_div_exact(&g)?.to_int(), Int::ones(600) * Int::from(-77)
//!     * (Int::ones(400) / Int::ones(200)));
//! # Ok::<(), bezout::Error>(())
//! ```

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::int::Int;
use crate::modp::primes;
use crate::number::{Integer, Natural};
use crate::word::residue::{inverse, residue, symmetric};

/// A set of odd moduli, each above 1 and below 2^32, coprime in pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moduli {
    list: Arc<Vec<u64>>,
}

impl Moduli {
    /// The `count` largest primes of `bits` bits, 16 to 32. An error if there are fewer.
    pub fn primes(bits: u32, count: usize) -> Result<Moduli> {
        if !(16..=32).contains(&bits) {
            let reason = format!("moduli of {bits} bits: 16 to 32 are possible");
            return Err(Error::Domain(reason));
        }
        let list = primes::largest(bits, count);
        if list.len() < count || count == 0 {
            let reason = format!("{count} primes of {bits} bits: there are {}", list.len());
            return Err(Error::Domain(reason));
        }
        let list = list[..count].iter().map(|p| u64::from(*p)).collect();
        Ok(Moduli {
            list: Arc::new(list),
        })
    }

    /// Any odd moduli that are coprime in pairs, primes or not.
    pub fn new(moduli: &[u64]) -> Result<Moduli> {
        let mut product = Natural::from(1u32);
        for &q in moduli {
            if q < 3 || q >> 32 != 0 || q % 2 == 0 {
                let reason = format!("modulus {q}: an odd number from 3 to 2^32 − 1");
                return Err(Error::Domain(reason));
            }
            let q = Natural::from(q);
            if product.gcd(&q) != 1 {
                let reason = format!("modulus {q} has a factor in common with one before it");
                return Err(Error::Domain(reason));
            }
            product *= &q;
        }
        if moduli.is_empty() {
            return Err(Error::Domain("no moduli".into()));
        }
        Ok(Moduli {
            list: Arc::new(moduli.to_vec()),
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// The moduli.
    pub fn list(&self) -> &[u64] {
        &self.list
    }

    /// The number with these mixed-radix digits, the lowest first, or what makes 0 with it.
    fn of_digits(&self, digits: &[(u64, i64)], negated: bool) -> Residues {
        let values = self.list.iter().map(|&q| {
            let value = digits.iter().rev().fold(0, |value, (p, digit)| {
                (mul(value, p % q, q) + residue(*digit, q)) % q
            });
            if negated { sub(0, value, q) } else { value }
        });
        Residues {
            values: values.collect(),
            moduli: self.clone(),
        }
    }
}

/// An integer by its residues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Residues {
    moduli: Moduli,
    values: Vec<u64>,
}

fn mul(x: u64, y: u64, q: u64) -> u64 {
    // Both are below 2^32.
    x * y % q
}

fn sub(x: u64, y: u64, q: u64) -> u64 {
    if x >= y { x - y } else { x + q - y }
}

/// Symmetric mixed-radix digits of the number with these residues, the lowest first, up to the last
/// that is not 0. `set` has moduli with their residues.
fn digits(mut set: Vec<(u64, u64)>) -> Vec<(u64, i64)> {
    let mut digits = Vec::new();
    while set.iter().any(|(_, x)| *x != 0) {
        let (p, x) = set.remove(0);
        let digit = symmetric(x, p);
        for (q, x) in &mut set {
            // p is coprime to q.
            let by = inverse(p % *q, *q).unwrap_or(0);
            *x = mul(sub(*x, residue(digit, *q), *q), by, *q);
        }
        digits.push((p, digit));
    }
    digits
}

/// The state of U and V modulo one modulus.
struct Row {
    q: u64,
    a: u64,
    b: u64,
    u: u64,
    v: u64,
    /// x and y with U = a·x + b·y.
    of_u: (u64, u64),
    /// x and y with V = a·x + b·y.
    of_v: (u64, u64),
}

/// The moduli that are left when V = 0.
struct Reduced {
    rows: Vec<Row>,
}

impl Reduced {
    /// Weber's steps on two numbers of at most `bits` bits each, with cofactors where they are
    /// asked for. An error if the moduli that are left do not determine U and its cofactors.
    fn of(a: &Residues, b: &Residues, bits: u64, cofactors: bool) -> Result<Reduced> {
        // Both must have the same moduli.
        a.with(b, |x, _, _| x)?;
        let too_few = || {
            let count = a.moduli.count();
            Error::Domain(format!("gcd: {count} moduli are too few for {bits} bits"))
        };
        let pairs = a.values.iter().zip(&b.values);
        let row = |(q, (a, b)): (&u64, (&u64, &u64))| Row {
            q: *q,
            a: *a,
            b: *b,
            u: *a,
            v: *b,
            of_u: (1, 0),
            of_v: (0, 1),
        };
        let mut rows: Vec<Row> = a.moduli.list.iter().zip(pairs).map(row).collect();
        let [mut u_bits, mut v_bits] = [bits as f64; 2];
        while rows.iter().any(|row| row.v != 0) {
            let quotients = rows.iter().enumerate().filter_map(|(i, row)| {
                let b = symmetric(mul(row.u, inverse(row.v, row.q)?, row.q), row.q);
                Some((b.unsigned_abs(), i, b))
            });
            let (_, place, b) = quotients.min().ok_or_else(too_few)?;
            let chosen = rows.swap_remove(place);
            let p = chosen.q;
            let k = if cofactors {
                chosen.multiple(b).ok_or_else(too_few)?
            } else {
                0
            };
            for row in &mut rows {
                row.step(p, b, cofactors.then_some(k));
            }
            // |V'| <= (|U| + |b|·|V|)/p, with a little to spare for roundings.
            let top = u_bits.max(v_bits);
            let sum = (u_bits - top).exp2() + b.unsigned_abs() as f64 * (v_bits - top).exp2();
            let next = top + sum.log2() - (p as f64).log2() + 1e-9;
            (u_bits, v_bits) = (v_bits, next.max(-1000.0));
        }
        let left: f64 = rows.iter().map(|row| (row.q as f64).log2() - 1e-9).sum();
        let most = if cofactors {
            u_bits.max(bits as f64)
        } else {
            u_bits
        };
        if rows.is_empty() || v_bits >= left || most + 1.0 >= left {
            return Err(too_few());
        }
        Ok(Reduced { rows })
    }

    /// The mixed-radix digits of one of the numbers, and whether it is negative: the sign of a
    /// number is that of its highest digit.
    fn digits(&self, of: impl Fn(&Row) -> u64) -> (Vec<(u64, i64)>, bool) {
        let digits = digits(self.rows.iter().map(|row| (row.q, of(row))).collect());
        let negative = digits.last().is_some_and(|(_, digit)| *digit < 0);
        (digits, negative)
    }
}

impl Row {
    /// U − bV of numbers that are u and v modulo q.
    fn less(&self, u: u64, v: u64, b: i64) -> u64 {
        sub(u, mul(residue(b, self.q), v, self.q), self.q)
    }

    /// A step by p and b; with cofactors where there is a k.
    fn step(&mut self, p: u64, b: i64, k: Option<i64>) {
        let q = self.q;
        // p is coprime to q.
        let by = inverse(p % q, q).unwrap_or(0);
        if let Some(k) = k {
            let k = residue(k, q);
            let x = self.less(self.of_u.0, self.of_v.0, b);
            let y = self.less(self.of_u.1, self.of_v.1, b);
            let x = (x + mul(k, self.b, q)) % q;
            let y = sub(y, mul(k, self.a, q), q);
            (self.of_u, self.of_v) = (self.of_v, (mul(x, by, q), mul(y, by, q)));
        }
        let next = mul(self.less(self.u, self.v, b), by, q);
        (self.u, self.v) = (self.v, next);
    }

    /// The k of a step by this modulus and b, symmetric. None if a and b have a factor in common
    /// with the modulus, which V then has too.
    fn multiple(&self, b: i64) -> Option<i64> {
        let q = self.q;
        let x = self.less(self.of_u.0, self.of_v.0, b);
        let y = self.less(self.of_u.1, self.of_v.1, b);
        let (divisor, r, s) = cofactors_of_words(self.a, self.b);
        let by = inverse(divisor % q, q)?;
        let k = sub(mul(residue(r, q), y, q), mul(residue(s, q), x, q), q);
        Some(symmetric(mul(k, by, q), q))
    }
}

/// g, r and s with g = gcd(a, b) = r·a + s·b, for a and b below 2^32.
fn cofactors_of_words(a: u64, b: u64) -> (u64, i64, i64) {
    let (mut old, mut new) = ((a as i64, 1i64, 0i64), (b as i64, 0i64, 1i64));
    while new.0 != 0 {
        let k = old.0 / new.0;
        (old, new) = (
            new,
            (old.0 - k * new.0, old.1 - k * new.1, old.2 - k * new.2),
        );
    }
    (old.0 as u64, old.1, old.2)
}

impl Residues {
    /// Of an integer.
    pub fn of(x: &Int, moduli: &Moduli) -> Result<Residues> {
        let x = x.try_host()?;
        let values = moduli.list.iter().map(|&q| {
            let rest = x.magnitude().rem_word(q);
            if x.is_negative() {
                sub(0, rest, q)
            } else {
                rest
            }
        });
        Ok(Residues {
            values: values.collect(),
            moduli: moduli.clone(),
        })
    }

    /// The moduli.
    pub fn moduli(&self) -> &Moduli {
        &self.moduli
    }

    /// The residues, from 0 to one below the modulus, in the order of the moduli.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    fn with(&self, other: &Residues, op: impl Fn(u64, u64, u64) -> u64) -> Result<Residues> {
        if self.moduli != other.moduli {
            return Err(Error::Domain("residues modulo different moduli".into()));
        }
        let pairs = self.values.iter().zip(&other.values);
        let all = pairs.zip(self.moduli.list.iter());
        Ok(Residues {
            moduli: self.moduli.clone(),
            values: all.map(|((x, y), q)| op(*x, *y, *q)).collect(),
        })
    }

    /// The sum. An error if the moduli differ, as with all operations of two.
    pub fn try_add(&self, other: &Residues) -> Result<Residues> {
        self.with(other, |x, y, q| (x + y) % q)
    }

    /// The difference.
    pub fn try_sub(&self, other: &Residues) -> Result<Residues> {
        self.with(other, sub)
    }

    /// The product.
    pub fn try_mul(&self, other: &Residues) -> Result<Residues> {
        self.with(other, mul)
    }

    /// The quotient by a divisor that divides this number. An error if a modulus has a factor in
    /// common with the divisor: there the quotient is not known.
    pub fn try_div_exact(&self, divisor: &Residues) -> Result<Residues> {
        for (y, q) in divisor.values.iter().zip(divisor.moduli.list.iter()) {
            if inverse(*y, *q).is_none() {
                let reason = format!("exact division: the divisor is not coprime to modulus {q}");
                return Err(Error::Domain(reason));
            }
        }
        self.with(divisor, |x, y, q| mul(x, inverse(y, q).unwrap_or(0), q))
    }

    /// gcd of two numbers of at most `bits` bits each, by Weber's algorithm, without leaving the
    /// residues: all moduli know the answer. An error if the moduli are too few to prove it.
    ///
    /// A step takes the modulus p, coprime to V, with the smallest |b|, where b = U/V mod p, and
    /// replaces (U, V) by (V, (U − bV)/p). The residues modulo p are lost in this step. They are
    /// recomputed at the end, when the digits of U are reduced modulo all moduli. Every step
    /// records a bound of |V|, in bits.
    pub fn try_gcd(&self, other: &Residues, bits: u64) -> Result<Residues> {
        let reduced = Reduced::of(self, other, bits, false)?;
        let (digits, negative) = reduced.digits(|row| row.u);
        Ok(self.moduli.of_digits(&digits, negative))
    }

    /// g, x and y with g = gcd(a, b) and a·x + b·y = g, for this number a and the other b, of at
    /// most `bits` bits each, without leaving the residues. |x| ≤ max(|b|, 1) and |y| ≤ max(|a|,
    /// 1). An error if the moduli are too few to prove it.
    ///
    /// U = a·x + b·y and V = a·x' + b·y' hold before every step. The next V is (U − βV)/p, and its
    /// cofactors are (x − βx' + k·b)/p and (y − βy' − k·a)/p. The summand k·b in one and −k·a in
    /// the other leaves their sum as it is, and k modulo p is what makes both divisible: p is
    /// coprime to V, and so to gcd(a, b), so there are r and s with r·a + s·b ≡ 1 modulo p, and k ≡
    /// r·(y − βy') − s·(x − βx').
    ///
    /// **Sizes.** |β| and |k| are at most (p − 1)/2. Where |x| and |x'| are at most C ≥ |b|, the
    /// next is at most C/p + (C + |b|)·(p − 1)/(2p) ≤ C. They begin as 1 and 0.
    ///
    /// ```
    /// use bezout::Int;
    /// use bezout::residues::{Moduli, Residues};
    ///
    /// let moduli = Moduli::primes(31, 40)?;
    /// let [a, b] = [240, -46].map(|n| Residues::of(&Int::from(n), &moduli));
    /// let (g, x, y) = a?.try_gcd_extended(&b?, 8)?;
    /// let [g, x, y] = [g, x, y].map(|n| n.to_int());
    /// assert_eq!(g, 2);
    /// assert_eq!(Int::from(240) * x + Int::from(-46) * y, g);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_gcd_extended(
        &self,
        other: &Residues,
        bits: u64,
    ) -> Result<(Residues, Residues, Residues)> {
        let reduced = Reduced::of(self, other, bits, true)?;
        let (digits, negative) = reduced.digits(|row| row.u);
        // −U = a·(−x) + b·(−y).
        let turned =
            |(digits, _): (Vec<(u64, i64)>, bool)| self.moduli.of_digits(&digits, negative);
        Ok((
            self.moduli.of_digits(&digits, negative),
            turned(reduced.digits(|row| row.of_u.0)),
            turned(reduced.digits(|row| row.of_u.1)),
        ))
    }

    /// The integer of least magnitude with these residues.
    pub fn to_int(&self) -> Int {
        let set = self.moduli.list.iter().zip(&self.values);
        let digits = digits(set.map(|(q, x)| (*q, *x)).collect());
        let value = digits
            .iter()
            .rev()
            .fold(Integer::ZERO, |value, (p, digit)| {
                value * Integer::from(*p) + Integer::from(*digit)
            });
        value.into()
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn random(bits: u64, rng: &mut Xoshiro256PlusPlus) -> Int {
        Int::try_random_bits(bits, rng).unwrap()
    }

    /// Moduli that are squares and products of primes, coprime in pairs.
    fn composite() -> Moduli {
        let list = primes::largest(16, 400);
        let pairs = list[..400].chunks(2).map(|pair| match pair {
            [p, _] if p % 8 == 1 => u64::from(*p) * u64::from(*p),
            [p, q] => u64::from(*p) * u64::from(*q),
            _ => u64::from(pair[0]),
        });
        Moduli::new(&pairs.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn arithmetic_is_that_of_integers() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(71);
        for moduli in [Moduli::primes(32, 60).unwrap(), composite()] {
            for bits in [1, 31, 64, 300, 900] {
                let (a, b) = (random(bits, &mut rng), -random(bits / 2 + 1, &mut rng));
                let [x, y] = [&a, &b].map(|n| Residues::of(n, &moduli).unwrap());
                assert_eq!(x.to_int(), a);
                assert_eq!(y.to_int(), b);
                assert_eq!(x.try_add(&y).unwrap().to_int(), &a + &b);
                assert_eq!(x.try_sub(&y).unwrap().to_int(), &a - &b);
                let product = x.try_mul(&y).unwrap();
                assert_eq!(product.to_int(), &a * &b);
                match product.try_div_exact(&x) {
                    Ok(quotient) => assert_eq!(quotient, y),
                    // A modulus shares a factor with a.
                    Err(_) => assert!(x.values().contains(&0)),
                }
            }
        }
    }

    #[test]
    fn gcds_are_those_of_integers() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(72);
        for moduli in [Moduli::primes(31, 150).unwrap(), composite()] {
            for bits in [1, 30, 64, 200, 400] {
                let g = random(bits / 2 + 1, &mut rng);
                let (a, b) = (random(bits, &mut rng) * &g, -random(bits, &mut rng) * &g);
                for (a, b) in [(&a, &b), (&b, &a), (&a, &a), (&a, &g), (&a, &Int::ZERO)] {
                    let [x, y] = [a, b].map(|n| Residues::of(n, &moduli).unwrap());
                    let found = x.try_gcd(&y, 2 * bits + 2).unwrap();
                    assert_eq!(found.to_int(), a.gcd(b), "{a} {b}");
                    assert_eq!(found, Residues::of(&a.gcd(b), &moduli).unwrap());
                }
            }
            // A computation that stays in residues: gcd(a·g + c·g, b·g) over g.
            let [a, b, c, g] = [200, 210, 190, 150].map(|bits| random(bits, &mut rng));
            let expected = (&a + &c).gcd(&b);
            let [a, b, c, g] = [a, b, c, g].map(|n| Residues::of(&n, &moduli).unwrap());
            let sum = a.try_mul(&g).unwrap().try_add(&c.try_mul(&g).unwrap());
            let found = sum.unwrap().try_gcd(&b.try_mul(&g).unwrap(), 370).unwrap();
            let over = g.try_mul(&Residues::of(&expected, &moduli).unwrap());
            assert_eq!(found, over.unwrap());
        }
    }

    #[test]
    fn cofactors_make_the_gcd() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(73);
        let one = Int::ONE;
        for moduli in [Moduli::primes(31, 200).unwrap(), composite()] {
            // Factors of the numbers that are moduli, which divide one of them or both.
            let [p, q] = [moduli.list()[3], moduli.list()[7]].map(Int::from);
            for bits in [1, 30, 64, 200, 400] {
                let g = random(bits / 2 + 1, &mut rng);
                let (a, b) = (random(bits, &mut rng) * &g, -random(bits, &mut rng) * &g);
                for (a, b) in [
                    (&a, &b),
                    (&b, &a),
                    (&a, &a),
                    (&a, &g),
                    (&a, &Int::ZERO),
                    (&Int::ZERO, &b),
                    (&Int::ZERO, &Int::ZERO),
                    (&one, &b),
                    (&(&a * &p), &(&b * &q)),
                    (&(&a * &p), &(&b * &p)),
                ] {
                    let [u, v] = [a, b].map(|n| Residues::of(n, &moduli).unwrap());
                    let (g, x, y) = u.try_gcd_extended(&v, 2 * bits + 34).unwrap();
                    let sum = u.try_mul(&x).unwrap().try_add(&v.try_mul(&y).unwrap());
                    assert_eq!(sum.unwrap(), g, "{a} {b}");
                    let [g, x, y] = [g, x, y].map(|n| n.to_int());
                    assert_eq!(g, a.gcd(b), "{a} {b}");
                    assert_eq!(a * &x + b * &y, g, "{a} {b}");
                    assert!(x.abs() <= b.abs().max(one.clone()), "{a} {b}: {x}");
                    assert!(y.abs() <= a.abs().max(one.clone()), "{a} {b}: {y}");
                }
            }
        }
        // The cofactors of a gcd of 1 need moduli for 400 bits more.
        let [a, b] = [400, 399].map(|bits| random(bits, &mut rng));
        let least = |is_enough: &dyn Fn(&Residues, &Residues) -> bool| {
            (20..).find(|count| {
                let moduli = Moduli::primes(31, *count).unwrap();
                let [u, v] = [&a, &b].map(|n| Residues::of(n, &moduli).unwrap());
                is_enough(&u, &v)
            })
        };
        let of_gcd = least(&|u, v| u.try_gcd(v, 400).is_ok());
        let of_cofactors = least(&|u, v| u.try_gcd_extended(v, 400).is_ok());
        assert!(of_gcd < of_cofactors, "{of_gcd:?} {of_cofactors:?}");
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        assert!(Moduli::new(&[]).is_err());
        assert!(Moduli::new(&[15, 49, 21]).is_err());
        assert!(Moduli::new(&[1]).is_err());
        assert!(Moduli::new(&[9, 16]).is_err());
        assert!(Moduli::new(&[1 << 32]).is_err());
        assert!(Moduli::primes(33, 5).is_err());
        assert!(Moduli::primes(16, 4000).is_err());
        let (few, more) = (Moduli::primes(31, 5), Moduli::primes(31, 6));
        let (few, more) = (few.unwrap(), more.unwrap());
        let x = Residues::of(&Int::ones(300), &few).unwrap();
        let y = Residues::of(&Int::ones(299), &few).unwrap();
        assert!(x.try_gcd(&y, 300).is_err());
        assert!(x.try_add(&Residues::of(&Int::ONE, &more).unwrap()).is_err());
        assert!(x.try_div_exact(&x.try_sub(&x).unwrap()).is_err());
    }
}
