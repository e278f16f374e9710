//! bezout for Python: the compiled part of the package.

use bezout::Int;
use pyo3::prelude::*;

/// An integer of any size.
#[pyclass(name = "mpz", module = "bezout", frozen, freelist = 64)]
struct Mpz(Int);

#[pymethods]
impl Mpz {
    #[new]
    fn new(value: i64) -> Mpz {
        Mpz(Int::from(value))
    }
    fn __mul__(&self, other: i64) -> Mpz {
        Mpz(&self.0 * other)
    }
    fn __repr__(&self) -> String {
        format!("mpz({})", self.0)
    }
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::Mpz;
}
