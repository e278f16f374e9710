//! The check of an answer by another algorithm.

use bezout::tree::{self, ProductTree};
use bezout::{Int, keys};

use crate::failure::Failure;

/// Checks by the algorithm of Heninger and others (*Mining your Ps and Qs*, 2012): with P = Π n,
/// what n and (P mod n²)/n have in common.
pub fn verify(moduli: &[Int], shared: &[keys::Shared]) -> Result<(), Failure> {
    let refuse = |what: String| Err(Failure::failed(format!("verification failed: {what}")));
    let mut distinct: Vec<&Int> = moduli.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut weak = vec![false; moduli.len()];
    for shared in shared {
        for &i in &shared.moduli {
            weak[i] = true;
            if shared.factor <= 1 || !moduli[i].try_div_rem(&shared.factor)?.1.is_zero() {
                return refuse(format!("{} does not divide key {}", shared.factor, i + 1));
            }
        }
    }
    let all: Vec<Int> = distinct.iter().map(|n| (*n).clone()).collect();
    let common = common_parts(&all, &tree::product(&all)?)?;
    for (i, n) in moduli.iter().enumerate() {
        let place = distinct.binary_search(&n);
        if place.map(|at| common[at] != 1) != Ok(weak[i]) {
            return refuse(format!("key {} is on the wrong side", i + 1));
        }
    }
    Ok(())
}

/// gcd(n, product/n) of each n. Each n divides the product.
pub fn common_parts(numbers: &[Int], product: &Int) -> Result<Vec<Int>, Failure> {
    let squares = numbers.iter().map(|n| n.try_square());
    let tree = ProductTree::new(&squares.collect::<Result<Vec<_>, _>>()?)?;
    let rests = tree.try_remainders(product)?;
    let common = |(n, rest): (&Int, Int)| Ok(rest.try_div_rem(n)?.0.try_gcd(n)?);
    numbers.iter().zip(rests).map(common).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_refuses_wrong_answers() {
        let moduli = [15, 21, 77, 13 * 17].map(Int::from);
        let right = keys::shared_factors(&moduli).unwrap();
        assert_eq!(right.len(), 2);
        assert!(verify(&moduli, &right).is_ok());
        assert!(verify(&moduli, &right[..1]).is_err());
        assert!(verify(&moduli, &[]).is_err());
        let mut wrong = right.clone();
        wrong[0].factor = Int::from(5);
        assert!(verify(&moduli, &wrong).is_err());
        wrong[0] = right[0].clone();
        wrong[1].moduli.push(3);
        assert!(verify(&moduli, &wrong).is_err());
    }
}
