//! bezout for Python: the compiled part of the package.
//!
//! | file | what |
//! |---|---|
//! | `border.rs` | how work is run: without the GIL, with Ctrl-C, errors as exceptions |
//! | `scope.rs` | the engine and the progress callback in force |
//! | `convert.rs`, `digits.rs`, `text.rs` | ints, floats and text in and out |
//! | `mpz/` | the type `mpz` |
//! | `functions/` | gmpy2's functions of integers |
//! | `batch.rs`, `poly.rs`, `search.rs`, `sorting.rs` | `Batch`, `Poly`; factors; sorted keys |
//! | `array.rs`, `dlpack.rs` | arrays of other libraries, as they come in and as they go out |
//! | `command.rs` | the command `bezout` |

mod array;
mod batch;
mod border;
mod command;
mod convert;
mod digits;
mod dlpack;
mod functions;
mod mpz;
mod poly;
mod scope;
mod search;
mod sorting;
mod text;

use bezout::memory::ReservingAllocator;
use pyo3::prelude::*;

/// A program in Python is not to be ended for lack of memory.
#[global_allocator]
static ALLOCATOR: ReservingAllocator = ReservingAllocator;

/// The compiled part of bezout.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::border::{
        _check_size, _end_background, _panic, Cancelled, DeviceError, InternalError,
    };
    #[pymodule_export]
    use crate::command::{_run_command, _version};
    #[pymodule_export]
    use crate::functions::bits::{
        bit_clear, bit_count, bit_flip, bit_length, bit_mask, bit_scan0, bit_scan1, bit_set,
        bit_test, cmp_abs, digits, from_binary, hamdist, is_even, is_odd, num_digits, pack,
        popcount, to_binary, unpack,
    };
    #[pymodule_export]
    use crate::functions::constant::constant;
    #[pymodule_export]
    use crate::functions::division::{
        c_div, c_div_2exp, c_divmod, c_divmod_2exp, c_mod, c_mod_2exp, divexact, f_div, f_div_2exp,
        f_divmod, f_divmod_2exp, f_mod, f_mod_2exp, is_congruent, is_divisible, remove, t_div,
        t_div_2exp, t_divmod, t_divmod_2exp, t_mod, t_mod_2exp,
    };
    #[pymodule_export]
    use crate::functions::mpmath::{_mpmath_create, _mpmath_normalize};
    #[pymodule_export]
    use crate::functions::numbers::{
        bell, bernoulli, catalan, crt, digit_sum, discrete_log, divisor_count, divisor_sum,
        divisors, moebius, multiplicative_order, nth_prime, partitions, prime_count,
        primitive_root, sqrt_mod, stirling, totient,
    };
    #[pymodule_export]
    use crate::functions::powers::{
        iroot, iroot_rem, is_power, is_square, isqrt, isqrt_rem, powmod, powmod_base_list,
        powmod_exp_list, powmod_sec, square,
    };
    #[pymodule_export]
    use crate::functions::random::{RandomState, mpz_random, mpz_rrandomb, mpz_urandomb};
    #[pymodule_export]
    use crate::functions::sequences::{
        bincoef, comb, double_fac, fac, fib, fib2, lucas, lucas2, multi_fac, primorial,
    };
    #[pymodule_export]
    use crate::functions::theory::{
        divm, gcd, gcdext, invert, is_prime, is_probab_prime, jacobi, kronecker, lcm, legendre,
        next_prime, prev_prime, product_of, remainders,
    };
    #[pymodule_export]
    use crate::mpz::Mpz;
    #[pymodule_export]
    use crate::poly::Poly;
    #[pymodule_export]
    use crate::scope::{
        EngineScope, ProgressScope, current_engine, device_count, last_engine, set_engine,
    };
    #[pymodule_export]
    use crate::search::{batch_gcd, ecm, factor, factor_many};
    #[pymodule_export]
    use crate::sorting::sort;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // A refused interpreter must not be left with a function that it calls at its end.
        crate::border::check_interpreter()?;
        bezout::memory::set_up().map_err(crate::border::exception)?;
        crate::border::end_background_at_exit(module)?;
        crate::mpz::install(module)
    }
}
