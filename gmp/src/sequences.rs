//! Factorials, binomial coefficients, Fibonacci numbers and primorials. Their size is about that of
//! the result, in limbs.

use bezout::Int;

use crate::abi::{Answer, Out};

/// About the limbs of n!: n·log2(n) bits at most.
fn factorial_limbs(n: u64) -> usize {
    (u128::from(n) * u128::from(n.max(1).ilog2()) / 64 + 1) as usize
}

/// About the limbs of the binomial coefficient: it has at most k·(log2(n/k) + 2) bits, for the
/// shorter side k.
fn binomial_limbs(n: u64, k: u64) -> usize {
    if k > n {
        return 0;
    }
    let k = k.min(n - k);
    if k == 0 {
        return 0;
    }
    (u128::from(k) * u128::from((n / k).ilog2() + 2) / 64 + 1) as usize
}

entries! {
    /// `mpz_fac_ui`.
    FAC: "fac" from 16384 in Gmp;
    fn __gmpz_fac_ui(r: Out, n: u64);
    limbs factorial_limbs(n);
    compute { Answer::new(Int::try_factorial(n)?) }
    deliver |value: Answer| value.store(r);

    /// `mpz_bin_uiui`.
    BIN: "bin" from 32768 in Gmp;
    fn __gmpz_bin_uiui(r: Out, n: u64, k: u64);
    limbs binomial_limbs(n, k);
    compute { Answer::new(Int::try_binomial(n, k)?) }
    deliver |value: Answer| value.store(r);

    /// `mpz_fib_ui`: 0.694 bits for each n.
    FIB: "fib" from 1024 in Gmp;
    fn __gmpz_fib_ui(r: Out, n: u64);
    limbs (n / 92 + 1) as usize;
    compute { Answer::new(Int::try_fibonacci(n)?) }
    deliver |value: Answer| value.store(r);

    /// `mpz_primorial_ui`: about 1.44 bits for each n.
    PRIMORIAL: "primorial" from 16384 in Gmp;
    fn __gmpz_primorial_ui(r: Out, n: u64);
    limbs (n / 44 + 1) as usize;
    compute { Answer::new(Int::try_primorial(n)?) }
    deliver |value: Answer| value.store(r);
}
