"""Number theory that is a few calls of the compiled part."""

from bezout._native import factor, gcdext, mpz


def totient(n, /):
    """Euler's phi: how many of 1, 2, ..., n have no divisor in common with n. Factors n.

    >>> import bezout
    >>> bezout.totient(36), bezout.totient(2**61 - 1) == 2**61 - 2
    (mpz(12), True)
    """
    result = mpz(1)
    for prime, exponent in factor(n):
        result *= prime ** (exponent - 1) * (prime - 1)
    return result


def crt(remainders, moduli, /):
    """The least x >= 0 with x = r modulo m for every pair of a remainder r and a modulus m.

    Moduli may have common divisors. ValueError if no number has these remainders.

    >>> import bezout
    >>> bezout.crt([2, 3, 2], [3, 5, 7])
    mpz(23)
    """
    remainders, moduli = list(remainders), list(moduli)
    if len(remainders) != len(moduli):
        raise ValueError(f"crt() got {len(remainders)} remainders and {len(moduli)} moduli")
    result, product = mpz(0), mpz(1)
    for remainder, modulus in zip(remainders, moduli, strict=True):
        modulus = abs(mpz(modulus.__index__()))
        if not modulus:
            raise ValueError("crt() moduli must not be 0")
        common, inverse, _ = gcdext(product, modulus)
        steps, rest = divmod(remainder - result, common)
        if rest:
            raise ValueError(f"no number has these remainders: they disagree modulo {common}")
        modulus //= common
        result += product * (steps * inverse % modulus)
        product *= modulus
    return result
