"""gmpy2's names of integers that need no code of their own, and what to use for the others."""

from fractions import Fraction

from bezout._native import bit_mask, mpz


def xbit_mask(n, /):
    """2**n - 1. The result is an mpz: bezout has no integers that change.

    >>> import bezout
    >>> bezout.xbit_mask(10)
    mpz(1023)
    """
    return bit_mask(n)


def mpz_from_old_binary(s, /):
    """The mpz that GMPY 1 wrote these bytes for.

    >>> import bezout
    >>> bezout.mpz_from_old_binary(bytes([44, 1])), bezout.mpz_from_old_binary(bytes([44, 1, 255]))
    (mpz(300), mpz(-300))
    """
    if not isinstance(s, bytes):
        raise TypeError("mpz_from_old_binary() requires bytes argument")
    # A byte of 255 at the end is the sign of a negative number.
    if s.endswith(b"\xff"):
        return -mpz.from_bytes(s[:-1], "little")
    return mpz.from_bytes(s, "little")


def free_cache():
    """Does nothing: the memory that bezout keeps for new numbers is some kilobytes."""


def f2q(x, err=0, /):
    """The fraction of the least denominator within a relative error of x; an mpz if it is whole.

    Without an error, that is 2**-53, the precision of a float. A negative one stands for 2**err.

    >>> import bezout
    >>> bezout.f2q(0.1), bezout.f2q(3.141592653589793, 0.01), bezout.f2q(2.0)
    (Fraction(1, 10), Fraction(22, 7), mpz(2))
    """
    exact = Fraction(x)
    bound = Fraction(1, 2**53) if err == 0 else Fraction(err)
    bound = abs(exact) * (bound if bound > 0 else Fraction(1, 2 ** int(-bound)))
    rest, (before, last) = abs(exact), ((0, 1), (1, 0))
    while True:
        whole = rest.numerator // rest.denominator
        before, last = last, (whole * last[0] + before[0], whole * last[1] + before[1])
        found = Fraction(*last)
        if abs(abs(exact) - found) <= bound:
            break
        rest = 1 / (rest - whole)
    found = found if exact >= 0 else -found
    return mpz(found.numerator) if found.denominator == 1 else found


_CONTEXTS = """Default DivisionByZeroError InexactResultError InvalidOperationError OverflowResultError
    RangeError RoundAwayZero RoundDown RoundToNearest RoundToZero RoundUp UnderflowResultError context
    get_context ieee local_context set_context get_emax_max get_emin_min get_max_precision"""

_FLOATS = """acos acosh agm ai asin asinh atan atan2 atanh can_round cbrt ceil check_range const_catalan
    const_euler const_log2 const_pi copy_sign cos cosh cot coth csc csch degrees digamma div_2exp eint erf
    erfc exp exp10 exp2 expm1 factorial floor fma fmma fmms fmod fms frac frexp fsum gamma gamma_inc get_exp
    hypot inf is_finite is_infinite is_integer is_lessgreater is_nan is_regular is_signed is_unordered j0 j1 jn
    lgamma li2 lngamma log log10 log1p log2 maxnum minnum modf mpfr mpfr_from_old_binary mpfr_grandom
    mpfr_nrandom mpfr_random mpfr_version mul_2exp nan next_above next_below next_toward radians rec_sqrt
    reldiff remainder remquo rint rint_ceil rint_floor rint_round rint_trunc root rootn round2 round_away sec
    sech set_exp set_sign sin sin_cos sinh sinh_cosh sqrt tan tanh trunc y0 y1 yn zero zeta"""

_COMPLEX = "mpc mpc_random mpc_version norm phase polar proj rect root_of_unity"

_HINTS = {
    **dict.fromkeys(
        [*_CONTEXTS.split(), *_FLOATS.split(), *_COMPLEX.split()],
        "bezout has integers alone: use mpmath or gmpy2 beside it",
    ),
    "sqrt": "use isqrt for whole roots, and mpmath or gmpy2 for others",
    "root": "use iroot for whole roots, and mpmath or gmpy2 for others",
    "factorial": "use fac for n! as an integer, and mpmath or gmpy2 for a float",
    "const_pi": 'use constant("pi", digits) for its digits',
    "const_log2": 'use constant("ln2", digits) for its digits',
    "const_catalan": 'use constant("catalan", digits) for its digits',
    "const_euler": 'use constant("gamma", digits) for its digits',
    "mpq": "use fractions.Fraction, which bezout.gmpy2 has as mpq",
    "mpq_from_old_binary": "use fractions.Fraction",
    "xmpz": "use mpz: bezout has no integers that change",
    "_C_API": "bezout has no interface for Cython: its C interface is another library",
}


def missing(name):
    """The error for a name that the package has not."""
    hint = _HINTS.get(name)
    words = f"module 'bezout' has no attribute '{name}'"
    return AttributeError(f"{words}: {hint}" if hint else words, name=name)
