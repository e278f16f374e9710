"""Short arguments, which pass by PyO3: the same answers on either side of every border."""

import inspect
import operator
import pickle
import sys

import pytest
from samples import EDGES, answer, integer, seeded

import bezout

# Around one and two machine words, and around the longest short number.
BORDERS = sorted(
    {
        sign * ((1 << bits) + step)
        for bits in (30, 60, 62, 63, 64, 127, 128, 191, 192, 255, 256, 4095, 4096, 4097, 4160)
        for step in (-1, 0, 1)
        for sign in (-1, 1)
    }
)

# Functions whose quick form takes so many numbers.
QUICK = {
    "gcd": 2,
    "lcm": 2,
    "gcdext": 2,
    "invert": 2,
    "jacobi": 2,
    "legendre": 2,
    "kronecker": 2,
    "isqrt": 1,
    "isqrt_rem": 1,
    "is_square": 1,
    "square": 1,
    "divexact": 2,
    "is_divisible": 2,
    "is_congruent": 3,
    "c_div": 2,
    "c_mod": 2,
    "c_divmod": 2,
    "f_div": 2,
    "f_mod": 2,
    "f_divmod": 2,
    "t_div": 2,
    "t_mod": 2,
    "t_divmod": 2,
    "bit_length": 1,
    "popcount": 1,
    "is_even": 1,
    "is_odd": 1,
}
COUNTED = ["iroot", "remove", "bit_test"]
COUNTS = ["fac", "fib"]
EVERY = [*QUICK, *COUNTED, *COUNTS, "powmod", "comb", "bincoef", "_mpmath_create", "_mpmath_normalize"]


class Slow:
    """A number that no quick function knows."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def same(name, *arguments):
    """A function of mpz and of ints against PyO3's, which serves what is neither."""
    function = getattr(bezout, name)
    expected = answer(function, *map(Slow, arguments))
    for kinds in (bezout.mpz, int):
        got = answer(function, *map(kinds, arguments))
        assert got == expected, (name, arguments)
        assert type(got) is type(expected)
        if isinstance(got, tuple):
            assert list(map(type, got)) == list(map(type, expected))


@pytest.mark.parametrize("name", QUICK)
def test_at_the_borders(name):
    rng = seeded(name)
    count = QUICK[name]
    for first in BORDERS + EDGES:
        for others in range(1 if count == 1 else 6):
            rest = [rng.choice(BORDERS) if others % 2 else integer(rng) for _ in range(count - 1)]
            same(name, first, *rest)


@pytest.mark.parametrize("name", COUNTED)
def test_counts_at_the_borders(name):
    for value in BORDERS + EDGES:
        for number in (-1, 0, 1, 2, 3, 5, 63, 64, 65, 4095, 4096, 2**63 - 1):
            same(name, value, number)


def test_powers():
    rng = seeded("powers")
    for bits in (60, 64, 128, 250, 256, 260):
        for _ in range(60):
            same("powmod", *(integer(rng, bits) for _ in range(3)))


def test_numbers_with_names():
    for n in [*range(-2, 140), 1023, 1024, 1025, 2**64, 2**70]:
        if n <= 1025:
            same("fib", n)
            same("fac", n)
        for k in (-1, 0, 1, 2, 3, n // 2, n - 1, n, n + 1, 2**70):
            if n <= 140 or k <= 3:
                same("comb", n, k)
                same("bincoef", n, k)


def test_operators_of_ints_and_numbers():
    rng = seeded("operators")
    operators = ("add", "sub", "mul", "and_", "or_", "xor", "eq", "ne", "lt", "le", "gt", "ge")
    for a in BORDERS:
        for b in rng.sample(BORDERS, 12):
            for name in operators:
                operate = getattr(operator, name)
                expected = operate(a, b)
                for x, y in ((bezout.mpz(a), bezout.mpz(b)), (bezout.mpz(a), b), (a, bezout.mpz(b))):
                    got = operate(x, y)
                    assert got == expected, (name, a, b)
                    assert type(got) is (bool if isinstance(expected, bool) else bezout.mpz)


def test_shifts():
    for a in BORDERS:
        for count in (0, 1, 7, 63, 64, 65, 127, 4095, 4096, 4097, 5000):
            assert bezout.mpz(a) >> count == a >> count
            assert bezout.mpz(a) << count == a << count
            assert bezout.mpz(a) >> bezout.mpz(count) == a >> count
        assert bezout.mpz(a) >> 2**64 == (-1 if a < 0 else 0)
        for count in (-1, bezout.mpz(-1), -(2**70)):
            with pytest.raises(ValueError, match="negative shift count"):
                bezout.mpz(a) >> count
            with pytest.raises(ValueError, match="negative shift count"):
                bezout.mpz(a) << count
        with pytest.raises(OverflowError):
            bezout.mpz(a) << 2**70


def test_hash_and_conversion_at_every_length():
    rng = seeded("lengths")
    prime = sys.hash_info.modulus
    values = BORDERS + EDGES + [prime * k + d for k in (1, 2, 2**70, 2**4000) for d in (-1, 0, 1)]
    values += [rng.getrandbits(bits) | 1 << bits for bits in range(4300)]
    values += [(1 << bits) - 1 for bits in range(4300)]
    for value in values:
        for signed in (value, -value):
            number = bezout.mpz(signed)
            assert int(number) == signed
            assert type(int(number)) is int
            assert number == signed
            assert hash(number) == hash(signed)
            assert -number == -signed


def test_the_constructor():
    x = bezout.mpz(2**300)
    assert bezout.mpz(x) is x
    assert bezout.mpz() == 0
    assert bezout.mpz(True) == 1
    assert bezout.mpz("ff", base=16) == bezout.mpz("ff", 16) == 255
    assert bezout.mpz(2.5) == 2
    for arguments, names in (((1, 2, 3), {}), ((), {"base": 2}), ((5, 10), {}), ((5,), {"x": 1}), ((None,), {})):
        with pytest.raises(TypeError):
            bezout.mpz(*arguments, **names)
    with pytest.raises(ValueError, match="invalid|digit"):
        bezout.mpz("12", 2)


@pytest.mark.parametrize("name", EVERY)
def test_they_look_like_functions(name):
    function = getattr(bezout._native, name)
    assert function.__name__ == name
    assert function.__doc__
    assert inspect.signature(function)
    if not name.startswith("_"):
        assert pickle.loads(pickle.dumps(function)) is function
    with pytest.raises(TypeError):
        function(nothing=1)
    with pytest.raises(TypeError):
        function(*[1] * 9, nothing=1)


@pytest.mark.parametrize("name", ["bit_length", "bit_test", "is_even", "is_odd"])
def test_methods(name):
    method = getattr(bezout.mpz, name)
    assert method.__doc__
    assert inspect.signature(method)
    counts = (0, 1, 63, 64, 4096, -1, "1", 2**70) if name == "bit_test" else [None]
    for value in BORDERS:
        for count in counts:
            given = () if count is None else (count,)
            got = answer(getattr(bezout.mpz(value), name), *given)
            assert got == answer(getattr(bezout, name), value, *given), (value, count)
    with pytest.raises(TypeError):
        getattr(bezout.mpz(5), name)(nothing=1)
    with pytest.raises(TypeError):
        method(5)


def test_floats_of_mpmath():
    gmpy2 = pytest.importorskip("gmpy2")
    create, normalize = bezout._native._mpmath_create, bezout._native._mpmath_normalize
    rng = seeded("floats")
    for _ in range(4000):
        man, exponent = integer(rng, 300), integer(rng, 70)
        precision, letter = rng.choice((0, 1, 2, 53, 64, 100, 299, 5000)), rng.choice("nudfc")
        expected = gmpy2._mpmath_create(gmpy2.mpz(man), exponent, precision, letter)
        got = create(bezout.mpz(man), exponent, precision, letter)
        assert got == expected, (man, exponent, precision, letter)
        sign, size = rng.randrange(2), abs(man)
        precision = precision or 1
        arguments = (exponent, size.bit_length(), precision, letter)
        expected = gmpy2._mpmath_normalize(sign, gmpy2.mpz(size), *arguments)
        assert normalize(sign, bezout.mpz(size), *arguments) == expected
    for letter in ("x", "", "nn", 5, None, "\u00e9"):
        assert issubclass(answer(create, 3, 1, 5, letter), (TypeError, ValueError))
