//! The paper's equations (5) to (15): an initial algorithm over the one with the parameter s, for a
//! machine of the parameters U and Z. Above 1, the one with s is better.
//!
//! The threads ℓ of a block, or s, take what fits the local memory of Z words: division 2ℓ = 7s =
//! Z, Euclid's algorithm 2ℓ = 6s = Z.

/// (5): the work of plain division.
pub fn division_work(z: f64) -> f64 {
    8.0 * (z + 1.0) / (9.0 * z + 7.0)
}

/// (6): the overhead of plain division.
pub fn division_overhead(z: f64) -> f64 {
    20.0 / 441.0 * z
}

/// (7): the time of plain division; above 1 from Z = 12.6 on, whatever U.
pub fn division_time(u: f64, z: f64) -> f64 {
    (3.0 + 5.0 * u) * z / (3.0 * (z + 21.0 * u))
}

/// (8): the work of radix sort, for n without bound.
pub fn sort_work(s: f64, l: f64) -> f64 {
    let digits = s.exp2();
    (104.0 * s * l * l + 92.0 * s * l + 2.0 * s)
        / (88.0 * s * l * l + 16.0 * l * l + 20.0 * digits * l + 4.0 * s * l + 48.0 * l + digits)
}

/// (9): the overhead of radix sort, for n without bound.
pub fn sort_overhead(s: f64, l: f64) -> f64 {
    s * (72.0 * l + 34.0) / (72.0 * l + 17.0 * s.exp2())
}

/// The unnumbered ratio before (10): the time of radix sort.
pub fn sort_time(s: f64, l: f64, u: f64) -> f64 {
    let log = l.log2();
    (14.0 * l + 2.0) * (53.0 + 8.0 * log + 9.0 * u) * s
        / ((14.0 * l + s.exp2()) * (41.0 * s + 8.0 * s * log + 12.0 + 9.0 * u))
}

/// (10): the leading terms of that for s = log2 ℓ; above 1 below ℓ = 2^(15.75·U).
pub fn sort_time_leading(l: f64, u: f64) -> f64 {
    let log = l.log2();
    7.0 * l * log * (8.0 * log + 9.0 * u) / (60.0 * l * log * log)
}

/// (11): the overhead of plain multiplication of n by n coefficients.
pub fn multiplication_overhead(n: f64, s: f64) -> f64 {
    n * s * s * (7.0 * n - 3.0) / ((n + s - 1.0) * (5.0 * n * s + 2.0 * n - 3.0 * s * s))
}

/// (12): the time of plain multiplication of n by n coefficients.
pub fn multiplication_time(n: f64, s: f64, u: f64) -> f64 {
    (n * n.log2() + 3.0 * n - 1.0) * (1.0 + 4.0 * u)
        / ((n * (n / s).log2() + 3.0 * n - s) * (2.0 * u * s + 2.0 * u + 2.0 * s * s - s))
}

/// The unnumbered ratio before (13): the work of Euclid's algorithm on n and n coefficients, for n
/// without bound.
pub fn euclid_work(z: f64) -> f64 {
    8.0 * (z + 1.0) / (3.0 * (9.0 * z + 52.0))
}

/// (13): the overhead of Euclid's algorithm on n and n coefficients.
pub fn euclid_overhead(n: f64, z: f64) -> f64 {
    5.0 / 48.0 * z * (2.0 * n + 2.0 + z) / (6.0 * n + z)
}

/// (14): the time of Euclid's algorithm on n and n coefficients.
pub fn euclid_time(n: f64, u: f64, z: f64) -> f64 {
    (6.0 * n - 2.0 + z) * (3.0 + 5.0 * u) * z / ((18.0 * n + z) * (z + 16.0 * u))
}

/// (15): the same for n without bound; above 1 from Z = 9.6 on, whatever U.
pub fn euclid_time_limit(u: f64, z: f64) -> f64 {
    (3.0 + 5.0 * u) * z / (3.0 * (z + 16.0 * u))
}
