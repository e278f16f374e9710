//! The oracle: polynomials as plain lists of u128, with the remainder operator of the language.

pub(super) fn trim(mut a: Vec<u64>) -> Vec<u64> {
    while a.last() == Some(&0) {
        a.pop();
    }
    a
}

pub(super) fn add(a: &[u64], b: &[u64], p: u64) -> Vec<u64> {
    let at = |x: &[u64], i: usize| u128::from(*x.get(i).unwrap_or(&0));
    let len = a.len().max(b.len());
    let sum = (0..len).map(|i| ((at(a, i) + at(b, i)) % u128::from(p)) as u64);
    trim(sum.collect())
}

pub(super) fn neg(a: &[u64], p: u64) -> Vec<u64> {
    a.iter().map(|c| (p - c) % p).collect()
}

pub(super) fn mul(a: &[u64], b: &[u64], p: u64) -> Vec<u64> {
    let mut product = vec![0u128; a.len() + b.len()];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let term = u128::from(*x) * u128::from(*y) % u128::from(p);
            product[i + j] = (product[i + j] + term) % u128::from(p);
        }
    }
    trim(product.into_iter().map(|c| c as u64).collect())
}

pub(super) fn pow(x: u64, mut e: u64, p: u64) -> u64 {
    let (mut power, mut square) = (1 % u128::from(p), u128::from(x));
    while e > 0 {
        if e % 2 == 1 {
            power = power * square % u128::from(p);
        }
        square = square * square % u128::from(p);
        e /= 2;
    }
    power as u64
}

pub(super) fn rem(a: &[u64], b: &[u64], p: u64) -> Vec<u64> {
    let mut rest = a.to_vec();
    let inverse = pow(b[b.len() - 1], p - 2, p);
    while rest.len() >= b.len() {
        let top = u128::from(rest[rest.len() - 1]) * u128::from(inverse) % u128::from(p);
        let shift = rest.len() - b.len();
        let mut multiple = vec![0; shift];
        multiple.extend(mul(b, &[top as u64], p));
        rest = add(&rest, &neg(&multiple, p), p);
    }
    rest
}

pub(super) fn gcd(a: &[u64], b: &[u64], p: u64) -> Vec<u64> {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    while !b.is_empty() {
        (a, b) = (b.clone(), rem(&a, &b, p));
    }
    match a.last() {
        Some(top) => mul(&a, &[pow(*top, p - 2, p)], p),
        None => a,
    }
}

pub(super) fn at(a: &[u64], x: u64, p: u64) -> u64 {
    let step = |sum: u128, c: &u64| (sum * u128::from(x) + u128::from(*c)) % u128::from(p);
    a.iter().rev().fold(0, step) as u64
}

/// The determinant of Sylvester's matrix.
pub(super) fn resultant(a: &[u64], b: &[u64], p: u64) -> u64 {
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    let (m, n) = (a.len() - 1, b.len() - 1);
    let mut rows = vec![vec![0u64; m + n]; m + n];
    for i in 0..n {
        for (j, c) in a.iter().rev().enumerate() {
            rows[i][i + j] = *c;
        }
    }
    for i in 0..m {
        for (j, c) in b.iter().rev().enumerate() {
            rows[n + i][i + j] = *c;
        }
    }
    let wide = u128::from(p);
    let mut found = 1u64;
    for i in 0..m + n {
        let Some(pivot) = (i..m + n).find(|r| rows[*r][i] != 0) else {
            return 0;
        };
        if pivot != i {
            rows.swap(pivot, i);
            found = (p - found) % p;
        }
        found = (u128::from(found) * u128::from(rows[i][i]) % wide) as u64;
        let inverse = u128::from(pow(rows[i][i], p - 2, p));
        let row = rows[i].clone();
        for other in &mut rows[i + 1..] {
            let factor = u128::from(other[i]) * inverse % wide;
            for (x, y) in other.iter_mut().zip(&row) {
                let product = factor * u128::from(*y) % wide;
                *x = ((u128::from(*x) + wide - product) % wide) as u64;
            }
        }
    }
    found
}
