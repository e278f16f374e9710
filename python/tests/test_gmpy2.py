"""gmpy2's functions against gmpy2 itself: results, their types, and exceptions."""

import math

import pytest
from samples import EDGES, answer, integer, seeded

import bezout

gmpy2 = pytest.importorskip("gmpy2")

# The kinds of arguments of each function: i an integer, n a count, s a small count, p a positive
# integer, b a base of digits.
FUNCTIONS = {
    "add": "ii",
    "sub": "ii",
    "mul": "ii",
    "floor_div": "ii",
    "mod": "ii",
    "cmp": "ii",
    "cmp_abs": "ii",
    "sign": "i",
    "square": "i",
    "numer": "i",
    "denom": "i",
    "is_zero": "i",
    "bit_length": "i",
    "bit_count": "i",
    "bit_clear": "in",
    "bit_set": "in",
    "bit_flip": "in",
    "bit_test": "in",
    "bit_scan0": "in",
    "bit_scan1": "in",
    "bit_mask": "n",
    "popcount": "i",
    "hamdist": "ii",
    "digits": "ib",
    "num_digits": "ib",
    "c_div": "ii",
    "c_mod": "ii",
    "c_divmod": "ii",
    "f_div": "ii",
    "f_mod": "ii",
    "f_divmod": "ii",
    "t_div": "ii",
    "t_mod": "ii",
    "t_divmod": "ii",
    "c_div_2exp": "in",
    "c_mod_2exp": "in",
    "c_divmod_2exp": "in",
    "f_div_2exp": "in",
    "f_mod_2exp": "in",
    "f_divmod_2exp": "in",
    "t_div_2exp": "in",
    "t_mod_2exp": "in",
    "t_divmod_2exp": "in",
    "remove": "ip",
    "is_even": "i",
    "is_odd": "i",
    "is_divisible": "ii",
    "is_congruent": "iii",
    "gcd": "ii",
    "lcm": "ii",
    "gcdext": "ii",
    "invert": "ii",
    "divm": "iii",
    "powmod": "iii",
    "jacobi": "ii",
    "legendre": "ii",
    "kronecker": "ii",
    "is_prime": "i",
    "is_probab_prime": "i",
    "next_prime": "i",
    "prev_prime": "i",
    "isqrt": "i",
    "isqrt_rem": "i",
    "iroot": "is",
    "iroot_rem": "is",
    "is_square": "i",
    "is_power": "i",
    "fac": "s",
    "double_fac": "s",
    "multi_fac": "ss",
    "primorial": "s",
    "fib": "s",
    "fib2": "s",
    "lucas": "s",
    "lucas2": "s",
    "bincoef": "is",
    "comb": "is",
    "lucasu": "iis",
    "lucasv": "iis",
    "lucasu_mod": "iiii",
    "lucasv_mod": "iiii",
    "is_fermat_prp": "ii",
    "is_euler_prp": "ii",
    "is_strong_prp": "ii",
    "is_lucas_prp": "iss",
    "is_fibonacci_prp": "iss",
    "is_strong_lucas_prp": "iss",
    "is_extra_strong_lucas_prp": "is",
    "is_selfridge_prp": "i",
    "is_strong_selfridge_prp": "i",
    "is_bpsw_prp": "i",
    "is_strong_bpsw_prp": "i",
    "to_binary": "i",
    "unpack": "in",
}


def argument(kind, rng):
    if kind == "i":
        return integer(rng, 200) if rng.random() < 0.7 else rng.randrange(-30, 30)
    if kind == "n":
        return rng.choice((0, 1, 2, 63, 64, 65, 200, rng.randrange(300), -1))
    if kind == "s":
        return rng.choice((-1, 0, 1, 2, 3, rng.randrange(40), rng.randrange(300)))
    if kind == "p":
        return rng.choice((rng.randrange(-2, 20), abs(integer(rng, 100))))
    return rng.choice((0, 1, 2, 3, 8, 10, 16, 36, 37, 61, 62, 63, -1, -2, -16, -36, -37))


def plain(value):
    """A result without the library that it is of: gmpy2's and bezout's must be equal."""
    if isinstance(value, (tuple, list)):
        return type(value)(plain(item) for item in value)
    kind = type(value).__name__
    return (kind, int(value)) if kind == "mpz" else (kind, value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    ours, theirs = getattr(bezout, name), getattr(gmpy2, name)
    rng = seeded(name)
    for turn in range(1200):
        values = [argument(kind, rng) for kind in FUNCTIONS[name]]
        # gmpy2 aborts the process.
        if (name == "unpack" and values[1] == 0) or (name == "divm" and values[2] == 0):
            continue
        given = [bezout.mpz(v) if turn % 2 else v for v in values]
        # gmpy2 takes a count that is a negative mpz for a huge one, and may abort the process.
        kinds = zip(values, FUNCTIONS[name])
        known = [gmpy2.mpz(v) if turn % 2 and k in "ip" else v for v, k in kinds]
        expected, got = answer(theirs, *known), answer(ours, *given)
        assert plain(got) == plain(expected), (name, values)


ALL_EDGES = ["gcd", "lcm", "gcdext", "invert", "f_divmod", "c_divmod", "t_divmod", "kronecker", "hamdist"]


@pytest.mark.parametrize("name", ALL_EDGES)
def test_pairs_of_edges(name):
    ours, theirs = getattr(bezout, name), getattr(gmpy2, name)
    for a in EDGES:
        for b in EDGES:
            assert plain(answer(ours, a, b)) == plain(answer(theirs, a, b)), (name, a, b)


def test_small_numbers_one_by_one():
    for name in ("is_prime", "is_probab_prime", "is_square", "is_power", "is_selfridge_prp", "isqrt_rem"):
        for n in range(1, 3000):
            assert plain(getattr(bezout, name)(n)) == plain(getattr(gmpy2, name)(n)), (name, n)
    for name in ("is_strong_lucas_prp", "is_lucas_prp", "is_fibonacci_prp"):
        for n in range(1, 1200):
            for p, q in ((1, -1), (3, -1), (5, 7), (4, 1)):
                # Beyond its condition gmpy2 may loop for ever.
                if math.gcd(n, 2 * q * (p * p - 4 * q)) > 1:
                    continue
                ours = answer(getattr(bezout, name), n, p, q)
                assert plain(ours) == plain(answer(getattr(gmpy2, name), n, p, q)), (name, n, p, q)
    for n in range(1, 3000):
        for p in (3, 4, 5, 6, 7):
            if math.gcd(n, 2 * (p * p - 4)) > 1:
                continue
            ours = answer(bezout.is_extra_strong_lucas_prp, n, p)
            assert plain(ours) == plain(answer(gmpy2.is_extra_strong_lucas_prp, n, p)), (n, p)


def test_known_pseudoprimes():
    for n in (2047, 5459, 323, 341, 561, 3215031751, 3825123056546413051, 318665857834031151167461):
        for name in ("is_prime", "is_strong_bpsw_prp", "is_bpsw_prp", "is_selfridge_prp"):
            assert getattr(bezout, name)(n) == getattr(gmpy2, name)(n), (name, n)


@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_any_number_of_arguments(name):
    rng = seeded(name)
    for count in range(6):
        values = [integer(rng, 100) for _ in range(count)]
        assert plain(getattr(bezout, name)(*values)) == plain(getattr(gmpy2, name)(*values))


def test_lists_of_powers():
    rng = seeded("lists")
    for _ in range(200):
        values, one = [integer(rng, 150) for _ in range(5)], integer(rng, 150)
        m = rng.choice((integer(rng, 150), 10**9 + 7, 2**89 - 1))
        bases, exponents = bezout.powmod_base_list, bezout.powmod_exp_list
        if m <= 0:
            assert answer(bases, values, one, m) is answer(exponents, one, values, m) is ValueError
            continue
        # Where there is no inverse, gmpy2 itself may abort the process.
        assert answer(bases, values, one, m) == answer(lambda: [pow(x, one, m) for x in values])
        assert answer(exponents, one, values, m) == answer(lambda: [pow(one, y, m) for y in values])
    many = [rng.getrandbits(500) for _ in range(3000)]
    m = (1 << 521) - 1
    assert bezout.powmod_base_list(many, 65537, m) == [pow(x, 65537, m) for x in many]
    for bad in (5, None):
        with pytest.raises(TypeError):
            bezout.powmod_base_list(bad, 2, 3)
    with pytest.raises(TypeError):
        bezout.powmod_exp_list(2, ["a"], 3)


def test_no_power_takes_constant_time():
    with pytest.raises(NotImplementedError, match="constant time"):
        bezout.powmod_sec(2, 3, 7)


def test_pack():
    rng = seeded("pack")
    for _ in range(300):
        n = rng.choice((1, 7, 8, 64, 65, 200))
        values = [rng.getrandbits(rng.randrange(n + 1)) for _ in range(rng.randrange(20))]
        packed = bezout.pack(values, n)
        assert packed == gmpy2.pack(values, n)
        assert bezout.unpack(packed, n) == gmpy2.unpack(gmpy2.mpz(int(packed)), n)
    for bad in (([300], 8), ([-1], 8), ([1], 0), ((1, 2), 8), (["a"], 8)):
        with pytest.raises(TypeError):
            bezout.pack(*bad)
    with pytest.raises(ValueError):
        bezout.unpack(5, 0)


def test_binary():
    for a in EDGES:
        data = gmpy2.to_binary(gmpy2.mpz(a))
        assert bezout.to_binary(bezout.mpz(a)) == data and bezout.from_binary(data) == a
    for bad in (b"", b"\x01", b"\x02\x01\x01", b"\x01\x03\x01"):
        with pytest.raises(ValueError):
            bezout.from_binary(bad)
    with pytest.raises(TypeError):
        bezout.to_binary(5)


def test_large_operands():
    a, b = 3**30000, 7**20000 * 3**100
    assert bezout.gcd(a, b) == gmpy2.gcd(a, b) == 3**100
    assert bezout.isqrt(a * a + 1) == a and bezout.iroot(a**3, 3) == (a, True)
    assert bezout.fac(3000) == math.factorial(3000) and bezout.fib(50000) == gmpy2.fib(50000)
    assert bezout.comb(3000, 1234) == math.comb(3000, 1234)
    assert bezout.bincoef(2**100, 50) == gmpy2.bincoef(2**100, 50)
    g, s, t = bezout.gcdext(a, b)
    assert g == a * s + b * t
    assert bezout.product([a, b, 5]) == a * b * 5 and bezout.product([]) == 1
    assert bezout.remainders(-a, [7, -11, 13, 2**64]) == [-a % m for m in (7, -11, 13, 2**64)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_types(name):
    arguments = len(FUNCTIONS[name])
    for bad in ("a", None, 1.5j, object()):
        with pytest.raises(TypeError):
            getattr(bezout, name)(*[bad] * arguments)
    with pytest.raises(TypeError):
        getattr(bezout, name)(*[1] * 9 if name not in ("gcd", "lcm") else "a")


def test_random_numbers():
    state, other = bezout.random_state(42), bezout.random_state(42)
    for _ in range(200):
        assert bezout.mpz_random(state, 10**30) == bezout.mpz_random(other, 10**30) < 10**30
        assert 0 <= bezout.mpz_urandomb(state, 100) == bezout.mpz_urandomb(other, 100) < 2**100
        assert bezout.mpz_rrandomb(state, 100).bit_length() == 100
        bezout.mpz_rrandomb(other, 100)
    assert {int(bezout.mpz_random(state, 3)) for _ in range(100)} == {0, 1, 2}
    assert bezout.mpz_urandomb(state, 0) == 0 == bezout.mpz_rrandomb(state, 0)
    for bad in (0, -5):
        with pytest.raises(ValueError):
            bezout.mpz_random(state, bad)
    with pytest.raises(TypeError):
        bezout.random_state("a")
    with pytest.raises(TypeError):
        bezout.mpz_random(1, 100)


def test_names():
    """Every integer function of gmpy2's is here."""
    integer_functions = set(FUNCTIONS) | {
        "mpz", "random_state", "mpz_random", "mpz_rrandomb", "mpz_urandomb", "pack", "from_binary",
        "powmod_base_list", "powmod_exp_list", "powmod_sec", "divexact", "div", "qdiv", "version", "mp_version",
        "mp_limbsize", "license", "xbit_mask", "mpz_from_old_binary", "free_cache", "f2q",
    }
    missing = [name for name in integer_functions if not hasattr(bezout, name)]
    assert not missing and all(hasattr(gmpy2, name) for name in integer_functions)


def test_every_other_name_says_what_to_use():
    for name in dir(gmpy2):
        if name.startswith("__") or name in ("gmpy2", "_mpmath_create", "_mpmath_normalize"):
            continue
        if not hasattr(bezout, name):
            with pytest.raises(AttributeError, match=f"'{name}': .*use|'{name}': bezout has"):
                getattr(bezout, name)
    with pytest.raises(AttributeError, match="^module 'bezout' has no attribute 'nonsense'$"):
        bezout.nonsense  # noqa: B018


def test_old_binary():
    for data in (b"\x01", b"\x00", b"\x2c\x01", b"\x2c\x01\xff", b"\xfe\x00", b"\x05\xff"):
        assert bezout.mpz_from_old_binary(data) == gmpy2.mpz_from_old_binary(data)
    with pytest.raises(TypeError):
        bezout.mpz_from_old_binary("a")


def test_fractions_of_floats():
    for x in (0.1, -0.1, 0.3333, 1 / 3, 2.0, -7.0, 3.141592653589793, 1e-5, 12345.678):
        for arguments in ((x,), (x, 0.01), (x, -10)):
            ours, theirs = bezout.f2q(*arguments), gmpy2.f2q(*arguments)
            assert ours == theirs and (type(ours) is bezout.mpz) == (type(theirs) is gmpy2.mpz), arguments
    assert bezout.xbit_mask(70) == gmpy2.xbit_mask(70) and bezout.free_cache() is None


def test_integers_of_gmpy2():
    x, y = bezout.mpz(2**70), gmpy2.mpz(2**70)
    assert x == y and x + y == 2**71 and bezout.mpz(y) == x and gmpy2.mpz(x) == y
    assert bezout.gcd(y, 6) == 2 and hash(x) == hash(y)


def test_numpy_integers():
    numpy = pytest.importorskip("numpy")
    assert bezout.gcd(numpy.int64(12), numpy.uint8(18)) == 6
    assert bezout.mpz(3) + numpy.int64(4) == 7 and bezout.mpz(3) < numpy.int64(4)
    assert bezout.mpz(numpy.int64(-5)) == -5 and bezout.mpz(numpy.float32(2.5)) == 2
    array = numpy.array([bezout.mpz(1), bezout.mpz(2**70)], dtype=object)
    assert (array * 2).tolist() == [2, 2**71] and (bezout.mpz(2) * array).tolist() == [2, 2**71]
