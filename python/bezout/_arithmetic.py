"""gmpy2's functions that do what operators do."""

from fractions import Fraction
from numbers import Rational

from bezout._native import mpz


def _number(x, name):
    """x as a number that operators work with: an mpz where it is an integer."""
    if isinstance(x, (mpz, float, Fraction)):
        return x
    try:
        return mpz(x.__index__())
    except AttributeError:
        kind = type(x).__name__
        raise TypeError(f"{name}() argument must be a number, not '{kind}'") from None


def add(x, y, /):
    """x + y.

    >>> import bezout
    >>> bezout.add(1, 2)
    mpz(3)
    """
    return _number(x, "add") + _number(y, "add")


def sub(x, y, /):
    """x - y.

    >>> import bezout
    >>> bezout.sub(1, 2)
    mpz(-1)
    """
    return _number(x, "sub") - _number(y, "sub")


def mul(x, y, /):
    """x * y.

    >>> import bezout
    >>> bezout.mul(6, 7)
    mpz(42)
    """
    return _number(x, "mul") * _number(y, "mul")


def div(x, y, /):
    """x / y, a float.

    >>> import bezout
    >>> bezout.div(7, 2)
    3.5
    """
    return _number(x, "div") / _number(y, "div")


def floor_div(x, y, /):
    """x // y, rounded down.

    >>> import bezout
    >>> bezout.floor_div(-7, 2)
    mpz(-4)
    """
    return _number(x, "floor_div") // _number(y, "floor_div")


def mod(x, y, /):
    """x % y, with the sign of y.

    >>> import bezout
    >>> bezout.mod(-7, 2)
    mpz(1)
    """
    return _number(x, "mod") % _number(y, "mod")


def cmp(x, y, /):
    """-1, 0 or 1 as x is less than, equal to or greater than y; 0 beside NaN.

    >>> import bezout
    >>> bezout.cmp(1, 2.5)
    -1
    """
    x, y = _number(x, "cmp"), _number(y, "cmp")
    return (x > y) - (x < y)


def sign(x, /):
    """-1, 0 or 1 as x is negative, zero or positive.

    >>> import bezout
    >>> bezout.sign(-5)
    -1
    """
    x = _number(x, "sign")
    return (x > 0) - (x < 0)


def is_zero(x, /):
    """Whether x is 0.

    >>> import bezout
    >>> bezout.is_zero(0)
    True
    """
    return _number(x, "is_zero") == 0


def numer(x, /):
    """The numerator of an integer or of a fraction.

    >>> import bezout
    >>> bezout.numer(5)
    mpz(5)
    """
    if not isinstance(x, Rational):
        raise TypeError(f"numer() argument must be rational, not '{type(x).__name__}'")
    return mpz(x.numerator)


def denom(x, /):
    """The denominator of an integer or of a fraction.

    >>> import bezout
    >>> bezout.denom(5)
    mpz(1)
    """
    if not isinstance(x, Rational):
        raise TypeError(f"denom() argument must be rational, not '{type(x).__name__}'")
    return mpz(x.denominator)


def qdiv(x, y=1, /):
    """x / y: an mpz where that is whole, and a Fraction where it is not.

    >>> import bezout
    >>> bezout.qdiv(6, 2), bezout.qdiv(7, 2)
    (mpz(3), Fraction(7, 2))
    """
    quotient = Fraction(int(mpz(x)) if isinstance(x, mpz) else x) / Fraction(
        int(y) if isinstance(y, mpz) else y
    )
    return mpz(quotient.numerator) if quotient.denominator == 1 else quotient
