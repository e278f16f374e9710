"""Lucas sequences, and gmpy2's tests for probable primes of named kinds.

Each test follows its definition. ``bezout.is_prime`` is what decides whether a number is prime; these
are for those who study the tests themselves.
"""

from operator import index

from bezout._native import _check_size, gcd, is_square, isqrt, jacobi, mpz, powmod


def _integer(x):
    return x if isinstance(x, mpz) else mpz(index(x))


def _positive(n, name):
    n = _integer(n)
    if n <= 0:
        raise ValueError(f"{name}() requires 'n' be greater than 0")
    return n


def _pair(p, q, k, n=None):
    """(U(k), U(k+1)) of the sequence with parameters p and q, modulo n where one is given."""
    if n is None and k > 1 << 20:
        # Terms grow as the powers of the larger root, (|p| + √(p² - 4q))/2, by at least so many
        # half bits each. Half of that is a size that some of the last ones reach.
        discriminant = p * p - 4 * q
        if discriminant > 0:
            double = abs(p) + isqrt(discriminant)
            growth = max(2 * double.bit_length() - 4, 1) if double > 2 else 0
        else:
            growth = abs(q).bit_length() - 1
        _check_size(k * growth // 4)
    low, high = mpz(0), mpz(1)
    for bit in bin(k)[2:]:
        # (U(m), U(m+1)) to (U(2m), U(2m+1)), and for a bit that is set one further.
        low, high = low * (2 * high - p * low), high * high - q * low * low
        if bit == "1":
            low, high = high, p * high - q * low
        if n is not None:
            low, high = low % n, high % n
    return low, high


def _parameters(p, q, name):
    p, q = _integer(p), _integer(q)
    discriminant = p * p - 4 * q
    if discriminant == 0:
        raise ValueError(f"invalid values for p,q in {name}()")
    return p, q, discriminant


def _sequence(p, q, k, name):
    p, q, _ = _parameters(p, q, name)
    k = _integer(k)
    if k < 0:
        raise ValueError(f"invalid value for k in {name}()")
    return p, q, k


def _modulus(n, name):
    n = _integer(n)
    if n <= 0:
        raise ValueError(f"invalid value for n in {name}()")
    return n


def lucasu(p, q, k, /):
    """U(k) of the Lucas sequence with parameters p and q.

    >>> import bezout
    >>> bezout.lucasu(1, -1, 10)
    mpz(55)
    """
    p, q, k = _sequence(p, q, k, "lucasu")
    return _pair(p, q, k)[0]


def lucasv(p, q, k, /):
    """V(k) of the Lucas sequence with parameters p and q.

    >>> import bezout
    >>> bezout.lucasv(1, -1, 10)
    mpz(123)
    """
    p, q, k = _sequence(p, q, k, "lucasv")
    low, high = _pair(p, q, k)
    return 2 * high - p * low


def lucasu_mod(p, q, k, n, /):
    """U(k) modulo n of the Lucas sequence with parameters p and q.

    >>> import bezout
    >>> bezout.lucasu_mod(1, -1, 10, 7)
    mpz(6)
    """
    p, q, k = _sequence(p, q, k, "lucasu_mod")
    n = _modulus(n, "lucasu_mod")
    return _pair(p, q, k, n)[0] % n


def lucasv_mod(p, q, k, n, /):
    """V(k) modulo n of the Lucas sequence with parameters p and q.

    >>> import bezout
    >>> bezout.lucasv_mod(1, -1, 10, 7)
    mpz(4)
    """
    p, q, k = _sequence(p, q, k, "lucasv_mod")
    n = _modulus(n, "lucasv_mod")
    low, high = _pair(p, q, k, n)
    return (2 * high - p * low) % n


def _based(n, a, name):
    """The arguments of a test to a base, and the answer where it needs no test."""
    a = _integer(a)
    if a < 2:
        raise ValueError(f"{name}() requires 'a' greater than or equal to 2")
    n = _positive(n, name)
    if n == 1 or n.is_even():
        return n, a, n == 2
    if gcd(n, a) > 1:
        raise ValueError(f"{name}() requires gcd(n,a) == 1")
    return n, a, None


def is_fermat_prp(n, a, /):
    """Whether n is a Fermat probable prime to base a: a**(n-1) is 1 modulo n.

    >>> import bezout
    >>> bezout.is_fermat_prp(341, 2), bezout.is_fermat_prp(341, 3)
    (True, False)
    """
    n, a, answer = _based(n, a, "is_fermat_prp")
    return powmod(a, n - 1, n) == 1 if answer is None else answer


def is_euler_prp(n, a, /):
    """Whether n is an Euler probable prime to base a: a**((n-1)/2) is Jacobi's symbol (a|n).

    >>> import bezout
    >>> bezout.is_euler_prp(561, 2), bezout.is_euler_prp(341, 2)
    (True, False)
    """
    n, a, answer = _based(n, a, "is_euler_prp")
    return powmod(a, n >> 1, n) == jacobi(a, n) % n if answer is None else answer


def is_strong_prp(n, a, /):
    """Whether n is a strong probable prime to base a, by the test of Miller and Rabin.

    >>> import bezout
    >>> bezout.is_strong_prp(2047, 2), bezout.is_strong_prp(2047, 3)
    (True, False)
    """
    n, a, answer = _based(n, a, "is_strong_prp")
    if answer is not None:
        return answer
    halvings = (n - 1).bit_scan1()
    power = powmod(a, n >> halvings, n)
    if power == 1 or power == n - 1:
        return True
    for _ in range(halvings - 1):
        power = power * power % n
        if power == n - 1:
            return True
    return False


def is_fibonacci_prp(n, p, q, /):
    """Whether n is a Fibonacci probable prime with parameters p and q: V(n) is p modulo n.

    >>> import bezout
    >>> bezout.is_fibonacci_prp(705, 1, -1), bezout.is_fibonacci_prp(707, 1, -1)
    (True, False)
    """
    p, q, _ = _parameters(p, q, "is_fibonacci_prp")
    if abs(q) != 1 or p <= 0:
        raise ValueError("invalid values for p,q in is_fibonacci_prp()")
    n = _positive(n, "is_fibonacci_prp")
    if n == 1 or n.is_even():
        return n == 2
    low, high = _pair(p, q, n, n)
    return (2 * high - p * low - p) % n == 0


def _lucas_arguments(n, p, q, name, common):
    """n, the index n - (D|n) of a Lucas test, and the answer where it needs no test."""
    discriminant = p * p - 4 * q
    n = _positive(n, name)
    if n == 1 or n.is_even():
        return n, None, n == 2
    if 1 < gcd(n, common * discriminant) < n:
        raise ValueError(f"{name}() requires gcd(n,2*q*D) == 1")
    return n, n - jacobi(discriminant, n), None


def is_lucas_prp(n, p, q, /):
    """Whether n is a Lucas probable prime with parameters p and q.

    >>> import bezout
    >>> bezout.is_lucas_prp(323, 1, -1), bezout.is_lucas_prp(321, 1, -1)
    (True, False)
    """
    p, q, _ = _parameters(p, q, "is_lucas_prp")
    n, at, answer = _lucas_arguments(n, p, q, "is_lucas_prp", 2 * q)
    return _pair(p, q, at, n)[0] % n == 0 if answer is None else answer


def _strong_values(n, p, q, at):
    """U(s), and V(s), V(2s), V(4s), … as far as at = s * 2**r with an odd s goes, modulo n."""
    halvings = at.bit_scan1() if at else 0
    odd = at >> halvings
    low, high = _pair(p, q, odd, n)
    value, power = (2 * high - p * low) % n, powmod(q, odd, n)
    values = [value]
    for _ in range(halvings - 1):
        value, power = (value * value - 2 * power) % n, power * power % n
        values.append(value)
    return low % n, values


def is_strong_lucas_prp(n, p, q, /):
    """Whether n is a strong Lucas probable prime with parameters p and q.

    >>> import bezout
    >>> bezout.is_strong_lucas_prp(4181, 1, -1), bezout.is_strong_lucas_prp(323, 1, -1)
    (True, False)
    """
    p, q, _ = _parameters(p, q, "is_strong_lucas_prp")
    n, at, answer = _lucas_arguments(n, p, q, "is_strong_lucas_prp", 2 * q)
    if answer is not None:
        return answer
    first, values = _strong_values(n, p, q, at)
    return first == 0 or 0 in values


def is_extra_strong_lucas_prp(n, p, /):
    """Whether n is an extra strong Lucas probable prime with parameter p.

    >>> import bezout
    >>> bezout.is_extra_strong_lucas_prp(4181, 3), bezout.is_extra_strong_lucas_prp(991 * 7, 3)
    (True, False)
    """
    p = _integer(p)
    if p * p == 4:
        raise ValueError("invalid value for p in is_extra_strong_lucas_prp()")
    n, at, answer = _lucas_arguments(n, p, mpz(1), "is_extra_strong_lucas_prp", 2)
    if answer is not None:
        return answer
    first, values = _strong_values(n, p, mpz(1), at)
    return (first == 0 and values[0] in (2, n - 2)) or 0 in values


def _selfridge(n):
    """Selfridge's parameter q for n, or the answer where looking for it decides."""
    candidate = 5
    while True:
        symbol = jacobi(candidate, n)
        if symbol == 0:
            return None, abs(candidate) == n and candidate != 9
        if symbol == -1:
            return (1 - candidate) // 4, None
        # No symbol of a square is -1.
        if candidate == 13 and is_square(n):
            return None, False
        candidate = -candidate - 2 if candidate > 0 else -candidate + 2


def is_selfridge_prp(n, /):
    """Whether n is a Lucas probable prime with Selfridge's parameters.

    >>> import bezout
    >>> bezout.is_selfridge_prp(323), bezout.is_selfridge_prp(321)
    (True, False)
    """
    n = _positive(n, "is_selfridge_prp")
    if n == 1 or n.is_even():
        return n == 2
    q, answer = _selfridge(n)
    return is_lucas_prp(n, 1, q) if answer is None else answer


def is_strong_selfridge_prp(n, /):
    """Whether n is a strong Lucas probable prime with Selfridge's parameters.

    >>> import bezout
    >>> bezout.is_strong_selfridge_prp(5459), bezout.is_strong_selfridge_prp(323)
    (True, False)
    """
    n = _positive(n, "is_strong_selfridge_prp")
    if n == 1 or n.is_even():
        return n == 2
    q, answer = _selfridge(n)
    return is_strong_lucas_prp(n, 1, q) if answer is None else answer


def is_bpsw_prp(n, /):
    """Whether n passes is_strong_prp to base 2 and is_selfridge_prp.

    >>> import bezout
    >>> bezout.is_bpsw_prp(2**61 - 1), bezout.is_bpsw_prp(2047)
    (True, False)
    """
    n = _positive(n, "is_bpsw_prp")
    if n == 1 or n.is_even():
        return n == 2
    return is_strong_prp(n, 2) and is_selfridge_prp(n)


def is_strong_bpsw_prp(n, /):
    """Whether n passes is_strong_prp to base 2 and is_strong_selfridge_prp.

    >>> import bezout
    >>> bezout.is_strong_bpsw_prp(2**61 - 1), bezout.is_strong_bpsw_prp(2047)
    (True, False)
    """
    n = _positive(n, "is_strong_bpsw_prp")
    if n == 1 or n.is_even():
        return n == 2
    return is_strong_prp(n, 2) and is_strong_selfridge_prp(n)
