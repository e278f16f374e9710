//! The results of GMP.

use std::cmp::Ordering;

use bezout::{Error, Int, Result};
use rug::Integer;
use rug::ops::{DivRounding, Pow};

use super::operation::Value;
use super::sample::Sample;

/// GMP's result of an operation; none where GMP has no such operation.
pub fn result(operation: &str, s: &Sample) -> Result<Option<Vec<Value>>> {
    let numbers: Vec<Integer> = s.numbers.iter().map(Integer::from).collect();
    let wide = |count: u64| u32::try_from(count).map_err(|_| too_long(operation));
    let single = |x: Integer| vec![Value::Number(Int::from(x))];
    let values = match (operation, &numbers[..]) {
        ("add", [a, b]) => single(Integer::from(a + b)),
        ("sub", [a, b]) => single(Integer::from(a - b)),
        ("mul", [a, b]) => single(Integer::from(a * b)),
        ("and", [a, b]) => single(Integer::from(a & b)),
        ("or", [a, b]) => single(Integer::from(a | b)),
        ("xor", [a, b]) => single(Integer::from(a ^ b)),
        ("gcd", [a, b]) => single(Integer::from(a.gcd_ref(b))),
        ("exact", [a, b]) => single(Integer::from(a.div_exact_ref(b))),
        ("shl", [a]) => single(Integer::from(a << wide(s.count)?)),
        ("shr", [a]) => single(Integer::from(a).div_floor(Integer::from(1) << wide(s.count)?)),
        ("square", [a]) => single(Integer::from(a.square_ref())),
        ("pow", [a]) => single(Integer::from(a.pow(wide(s.count)?))),
        ("set", []) => {
            let digits = &s.words[0];
            single(Integer::from_digits(digits, rug::integer::Order::Lsf))
        }
        ("popcount", [a]) => vec![a.count_ones().map(u64::from).into()],
        ("compare", [a, b]) => vec![Value::from(a.cmp(b))],
        ("hamming", [a, b]) => vec![hamming(a, b)],
        ("divrem", [a, b]) => pair(a.clone().div_rem(b.clone())),
        ("sqrt", [a]) => pair(a.clone().sqrt_rem(Integer::new())),
        ("root", [a]) => pair(a.clone().root_rem(Integer::new(), wide(s.count)?)),
        ("cofactors", [a, b]) => {
            let (g, x, y) = a.clone().extended_gcd(b.clone(), Integer::new());
            [g, x, y].map(|x| Value::Number(Int::from(x))).into()
        }
        ("invert", [a, m]) => match a.clone().invert(&m.clone().abs()) {
            Ok(x) => single(x),
            Err(_) => vec![Value::Nothing],
        },
        ("powmod", [a, e, m]) => match a.clone().pow_mod(e, m) {
            Ok(x) => single(x),
            Err(_) => return Err(Error::Domain("GMP finds no power".into())),
        },
        ("print", [a]) => vec![Value::Text(a.to_string_radix(wide(s.count)? as i32))],
        ("parse", []) => {
            let parsed = Integer::from_str_radix(&s.text, wide(s.count)? as i32);
            single(parsed.map_err(|error| Error::Domain(format!("GMP: {error}")))?)
        }
        ("rows-mul", []) => rows(s, 2, |row| Integer::from(&row[0] * &row[1])),
        ("rows-gcd", []) => rows(s, 1, |row| Integer::from(row[0].gcd_ref(&row[1]))),
        ("rows-powmod", []) => rows(s, 1, |row| {
            row[0].clone().pow_mod(&row[1], &row[2]).unwrap_or_default()
        }),
        _ => return Ok(None),
    };
    Ok(Some(values))
}

fn too_long(operation: &str) -> Error {
    Error::Domain(format!("GMP takes no {operation} so long"))
}

fn pair((x, y): (Integer, Integer)) -> Vec<Value> {
    vec![Int::from(x).into(), Int::from(y).into()]
}

fn hamming(a: &Integer, b: &Integer) -> Value {
    let is_negative = |x: &Integer| x.cmp0() == Ordering::Less;
    if is_negative(a) != is_negative(b) {
        return Value::Nothing;
    }
    let ones = Integer::from(a ^ b).count_ones();
    ones.map(u64::from).into()
}

/// GMP's results row by row, each in so many times the width.
fn rows(s: &Sample, times: usize, row: impl Fn(&[Integer]) -> Integer) -> Vec<Value> {
    let width = s.count as usize;
    let mut limbs = vec![0; times * s.words[0].len()];
    for (i, out) in limbs.chunks_exact_mut(times * width).enumerate() {
        let operands: Vec<Integer> = s
            .words
            .iter()
            .map(|words| {
                let limbs = &words[i * width..(i + 1) * width];
                Integer::from_digits(limbs, rug::integer::Order::Lsf)
            })
            .collect();
        let digits: Vec<u64> = row(&operands).to_digits(rug::integer::Order::Lsf);
        out[..digits.len()].copy_from_slice(&digits);
    }
    vec![Value::Words(limbs)]
}
