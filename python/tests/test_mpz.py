"""mpz against Python's int."""

import copy
import json
import math
import numbers
import operator
import pickle
import random
import sys
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import EDGES, answer, integer, seeded

from bezout import mpz

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.truediv,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    divmod,
]
UNARY = [
    operator.neg,
    operator.pos,
    operator.abs,
    operator.invert,
    operator.index,
    bool,
    hash,
    int,
    float,
    str,
    hex,
    oct,
    bin,
    math.trunc,
    math.floor,
    math.ceil,
    round,
    int.bit_length,
]
LARGE = [sign * (7**k + 1) for k in (1000, 20000, 60000) for sign in (1, -1)]


@pytest.fixture(autouse=True)
def no_limit_on_digits():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    yield
    sys.set_int_max_str_digits(before)


def check(op, a, b):
    expected = answer(op, a, b)
    for x, y in ((mpz(a), mpz(b)), (mpz(a), b), (a, mpz(b))):
        got = answer(op, x, y)
        assert got == expected, (op, a, b)
        if type(expected) is int:
            assert type(got) is mpz


@pytest.mark.parametrize("op", BINARY)
def test_operators_at_edges(op):
    for a in EDGES:
        for b in EDGES:
            check(op, a, b)


@pytest.mark.parametrize("op", BINARY)
def test_operators_at_random(op):
    rng = seeded(str(op))
    for _ in range(700):
        check(op, integer(rng), integer(rng))


@pytest.mark.parametrize("op", BINARY)
def test_operators_on_large_numbers(op):
    for a in LARGE:
        for b in [*LARGE, 0, 1, -1, 2**64, -(2**64)]:
            check(op, a, b)


@given(st.integers(), st.integers())
def test_operators_by_hypothesis(a, b):
    for op in BINARY:
        check(op, a, b)


@given(st.integers(), st.floats())
def test_operators_with_floats(a, b):
    for op in (operator.add, operator.mul, operator.sub, operator.truediv, operator.lt, operator.eq):
        for x, y in ((a, b), (b, a)):
            expected = answer(op, x, y)
            got = answer(op, *(mpz(v) if type(v) is int else v for v in (x, y)))
            same = got == expected or (got != got and expected != expected)
            assert same, (op, x, y)


@pytest.mark.parametrize("op", [operator.lt, operator.le, operator.eq, operator.ne, operator.gt])
def test_comparison_with_floats(op):
    floats = [0.0, -0.0, 0.5, -0.5, 1e300, -1e300, math.inf, -math.inf, math.nan, 2.0**53, 2.0**1023]
    for a in [*EDGES, 10**400, -(10**400), 2**1024, int(1e300), int(1e300) + 1]:
        for b in [*floats, float(a) if abs(a) < 2**1000 else 0.0]:
            assert op(mpz(a), b) == op(a, b), (a, b)
            assert op(b, mpz(a)) == op(b, a), (a, b)


@pytest.mark.parametrize("op", UNARY)
def test_unary(op):
    rng = seeded(str(op))
    for a in [*EDGES, *(integer(rng) for _ in range(500)), *LARGE]:
        if op is int.bit_length:
            assert mpz(a).bit_length() == a.bit_length()
            continue
        assert answer(op, mpz(a)) == answer(op, a), a


def test_shifts():
    rng = seeded("shifts")
    for a in [*EDGES, *(integer(rng) for _ in range(200))]:
        for count in (0, 1, 3, 63, 64, 65, 127, 128, 1000, 70000):
            for op in (operator.lshift, operator.rshift):
                assert op(mpz(a), count) == op(a, mpz(count)) == op(mpz(a), mpz(count)) == op(a, count)
    for a in (-5, 0, 5):
        assert mpz(a) >> 2**70 == a >> 2**70
        assert mpz(0) << 2**70 == 0
    for op in (operator.lshift, operator.rshift):
        with pytest.raises(ValueError):
            op(mpz(1), -1)
        with pytest.raises(TypeError):
            op(mpz(1), 1.0)
    with pytest.raises((OverflowError, MemoryError)):
        mpz(1) << 2**70
    with pytest.raises((OverflowError, MemoryError)):
        mpz(1) << 2**62


def test_powers():
    for a in (-3, -2, -1, 0, 1, 2, 3, 10, 2**64 - 1):
        for n in (0, 1, 2, 3, 10, 63, 64, 65, 200):
            assert mpz(a) ** n == a ** mpz(n) == a**n
        for n in (-1, -2, -7):
            assert answer(operator.pow, mpz(a), n) == answer(operator.pow, a, n)
            assert answer(operator.pow, a, mpz(n)) == answer(operator.pow, a, n)
        assert answer(operator.pow, mpz(a), 0.5) == answer(operator.pow, a, 0.5)
    assert mpz(-1) ** 2**70 == 1
    assert mpz(-1) ** (2**70 + 1) == -1
    assert mpz(0) ** 2**70 == 0
    with pytest.raises((OverflowError, MemoryError)):
        mpz(3) ** 2**70
    with pytest.raises((OverflowError, MemoryError)):
        mpz(3) ** 2**62
    assert 0.5 ** mpz(3) == 0.125


def test_powers_modulo():
    rng = seeded("powers modulo")
    for _ in range(1500):
        a, e, m = integer(rng, 200), integer(rng, 200), integer(rng, 200)
        expected = answer(pow, a, e, m)
        assert answer(pow, mpz(a), e, m) == expected, (a, e, m)
        assert answer(pow, mpz(a), mpz(e), mpz(m)) == expected, (a, e, m)
        assert answer(pow, a, mpz(e), m) == expected, (a, e, m)
        assert answer(pow, a, e, mpz(m)) == expected, (a, e, m)
        assert answer(pow, a, mpz(e), mpz(m)) == expected, (a, e, m)


def test_the_modulus_alone_is_an_mpz():
    for result in (pow(2, 5, mpz(7)), pow(-2, 5, mpz(-7)), pow(True, 5, mpz(7)), pow(3, -1, mpz(7))):
        assert type(result) is mpz
    assert pow(2, 5, mpz(7)) == 4 and pow(3, -1, mpz(7)) == 5 and pow(2, 5, mpz(1)) == 0
    assert pow(3, 2**4000, mpz(2**4001 + 1)) == pow(3, 2**4000, 2**4001 + 1)
    for base, exponent, modulus in ((2, -1, 4), (2, 5, 0), (2, -1, 0)):
        assert answer(pow, base, exponent, mpz(modulus)) == answer(pow, base, exponent, modulus)
    for base, exponent in ((2.0, 5), (2, 5.0), ("2", 5), (2, None), (Fraction(2), 5), (2, Fraction(5))):
        with pytest.raises(TypeError):
            pow(base, exponent, mpz(7))
    for wrong in (1.5, "7", Fraction(7)):
        with pytest.raises(TypeError):
            pow(2, mpz(5), wrong)
    # Without a modulus nothing changes.
    assert pow(2, mpz(5), None) == pow(mpz(2), 5, None) == 32 and pow(2, mpz(-1)) == 0.5
    assert pow(Fraction(1, 2), mpz(2)) == Fraction(1, 4) and mpz(2).__pow__(5, mpz(7)) == 4
    assert mpz(7).__rpow__(2, None) == 128

    class Base:
        def __pow__(self, exponent, modulus=None):
            return (exponent, modulus)

    assert pow(Base(), 5, mpz(7)) == (5, 7)


def test_complex_and_other_numbers():
    assert mpz(3) + 2j == 3 + 2j
    assert 2j * mpz(3) == 6j
    assert mpz(3) == 3 + 0j and mpz(3) != 3 + 1j
    half = Fraction(1, 2)
    assert mpz(3) + half == half + mpz(3) == Fraction(7, 2)
    assert mpz(3) > half and half < mpz(3) and mpz(3) == Fraction(3)
    assert Fraction(mpz(6), mpz(4)) == Fraction(3, 2)
    assert half ** mpz(2) == Fraction(1, 4) and divmod(mpz(7), half) == divmod(7, half)
    assert mpz(3) + Decimal("0.5") == Decimal("0.5") + mpz(3) == Decimal("3.5")
    assert mpz(3) < Decimal("3.5") and mpz(3) == Decimal(3)
    assert mpz(Fraction(-7, 2)) == -3 and mpz(Decimal("7.9")) == 7
    assert True + mpz(1) == 2 and mpz(True) == 1


def test_hash_and_sets():
    rng = seeded("hash")
    for _ in range(2000):
        a = integer(rng, 3000)
        assert hash(mpz(a)) == hash(a)
    for a in (2**61 - 1, 2**61 - 2, 1 - 2**61, 2**61, -1, -2, 2**122, 2**64 - 1):
        assert hash(mpz(a)) == hash(a)
    assert {mpz(5): "a"}[5] == "a" and 5 in {mpz(5)}


def test_conversion_of_ints():
    rng = seeded("conversion")
    for size in list(range(1, 300)) + [1000, 4096, 10000, 100000]:
        for value in (rng.getrandbits(size), 1 << size, (1 << size) - 1, (1 << size - 1) + 1):
            for a in (value, -value):
                assert int(mpz(a)) == a and type(int(mpz(a))) is int


def test_constructor():
    assert mpz() == 0
    assert mpz(-7.9) == -7 and mpz(1e30) == int(1e30)
    assert mpz("12", 7) == 9 and mpz(" -0x_1F ") == -31 and mpz("0b101") == 5 and mpz("0o17") == 15
    assert mpz("1_000") == 1000 and mpz("010") == 10 and mpz(b"12") == 12
    assert mpz("ff", base=16) == 255 and mpz("0xff", 16) == 255 and mpz("zZ", 62) == 3817
    assert mpz("٣٤") == 34
    for bad in ("", " ", "1__0", "_1", "1_", "abc", "1.5", "1e5", "0x", "- 5", "1 2", "--1", "12a", "0x_"):
        with pytest.raises(ValueError):
            mpz(bad)
    for bad in (0, 2, 10, 36, 37, 62):
        with pytest.raises(ValueError):
            mpz("!", bad)
    for base in (1, 63, 100):
        with pytest.raises(ValueError):
            mpz("1", base)
    for bad in (None, [1], {}, object(), 1j):
        with pytest.raises(TypeError):
            mpz(bad)
    with pytest.raises(TypeError):
        mpz(5, 10)
    with pytest.raises(ValueError):
        mpz(math.nan)
    with pytest.raises(OverflowError):
        mpz(math.inf)


@given(st.text(alphabet="0123456789abcxob_-+ .\n", max_size=12))
def test_text_as_int_reads_it(text):
    for base in (10, 16, 2):
        assert answer(mpz, text, base) == answer(int, text, base), text


def test_text_round_trip():
    rng = seeded("text")
    for base in range(2, 63):
        for size in (1, 5, 63, 64, 65, 500, 5000):
            a = rng.choice((1, -1)) * rng.getrandbits(size)
            text = mpz(a).digits(base)
            assert mpz(text, base) == a
            if base <= 36:
                assert int(text, base) == a
    for a in LARGE:
        assert str(mpz(a)) == str(a) and mpz(str(a)) == a
    assert mpz(0).digits(62) == "0" and mpz(-61).digits(62) == "-z"


SPECS = """ d x X o b n c e f g % s , _ 10 <10 >10 ^11 =10 010 +d - #x #b #o #X #010x _x ,d _d _b 020,
    021, 022, 023, 08, 016_x 017_x 018_x 019_x *^30 *=+30,d +020,d #020_x x^9 .3 .2f ,x ,b 5c zd 0<10
    =+10 é<8 1 0 00 =0 0=8, <020, >020, ^020, 10n""".split() + [""]


def test_format():
    values = [0, 1, -1, 7, 65, 1234567, -1234567, 10**20, -(10**20), 2**64, 10**30]
    for spec in SPECS:
        for a in values:
            assert answer(format, mpz(a), spec) == answer(format, a, spec), (spec, a)
    for spec in (",", "_x", "+d", "#x", "050000,"):
        for a in LARGE[:4]:
            assert format(mpz(a), spec) == format(a, spec)


def test_rounding():
    rng = seeded("rounding")
    values = [*range(-60, 60), *EDGES, *(integer(rng) for _ in range(200))]
    for a in values:
        for places in (-1, -2, -5, -30, -400, 0, 3, None):
            got = round(mpz(a), places)
            assert got == round(a, places) and type(got) is mpz
    assert round(mpz(5), -(10**6)) == round(mpz(5), -(2**70)) == 0


def test_bytes():
    rng = seeded("bytes")
    for _ in range(2000):
        a, order, signed = integer(rng, 200), rng.choice(("big", "little")), rng.random() < 0.5
        length = rng.choice(((a.bit_length() + 7) // 8, a.bit_length() // 8 + 1, 40))
        expected = answer(lambda: a.to_bytes(length, order, signed=signed))
        assert answer(lambda: mpz(a).to_bytes(length, order, signed=signed)) == expected
        if isinstance(expected, bytes):
            assert mpz.from_bytes(expected, order, signed=signed) == a
        data = rng.randbytes(rng.randrange(20))
        assert mpz.from_bytes(data, order, signed=signed) == int.from_bytes(data, order, signed=signed)
    assert mpz.from_bytes([1, 2]) == 258 and mpz.from_bytes(bytearray(b"ab")) == 24930
    assert mpz(0).to_bytes(0) == b"" and mpz(5).to_bytes() == b"\x05"
    with pytest.raises(TypeError):
        mpz.from_bytes(5)
    with pytest.raises(ValueError):
        mpz(5).to_bytes(1, "middle")
    with pytest.raises(ValueError):
        mpz(5).to_bytes(-1)


def test_pickle_and_copy():
    for a in [*EDGES, *LARGE]:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(mpz(a), protocol)) == a
    x = mpz(5)
    assert copy.copy(x) is x and copy.deepcopy(x) is x
    assert b"_native" not in pickle.dumps(x)


def test_numeric_tower():
    x = mpz(-12)
    assert isinstance(x, numbers.Integral) and isinstance(x, numbers.Rational)
    assert x.numerator == -12 and x.denominator == 1 and x.real == -12 and x.imag == 0
    assert x.conjugate() == -12 and x.as_integer_ratio() == (-12, 1) and x.is_integer()
    assert [10, 20, 30][mpz(1)] == 20 and range(mpz(5))[mpz(2)] == 2
    assert json.dumps({"x": int(x)}) == '{"x": -12}'
    assert math.gcd(mpz(12), 18) == 6 and math.isqrt(mpz(99)) == 9
    assert sum([mpz(1), mpz(2)]) == 3 and max(mpz(1), 2) == 2
    assert sorted([mpz(3), 1, mpz(2), 2.5]) == [1, 2, 2.5, 3]


def test_wrong_types():
    assert mpz(2) * "ab" == "abab" and [1] * mpz(2) == [1, 1]
    for other in ("a", None, [], object()):
        for op in (operator.add, operator.sub, operator.mod, operator.lt, operator.and_, divmod):
            with pytest.raises(TypeError, match="mpz"):
                op(mpz(1), other)
        assert mpz(1) != other
    with pytest.raises(TypeError):
        pow(mpz(1), 2, 1.5)
    with pytest.raises(TypeError):
        mpz(1) & 1.0
    with pytest.raises(TypeError):
        mpz(1) @ 2
    for op in (operator.floordiv, operator.mod, operator.truediv, divmod):
        for zero in (0, mpz(0), 0.0):
            with pytest.raises(ZeroDivisionError):
                op(mpz(1), zero)


def test_bits_by_index():
    x = mpz(0b1011001)
    assert [x[i] for i in range(9)] == [1, 0, 0, 1, 1, 0, 1, 0, 0]
    assert x[-1] == 1 and x[1:5] == 0b1100 and len(x) == 7 and len(mpz(0)) == 1
    with pytest.raises(IndexError):
        x[-100]


def test_true_quotient_of_long_numbers():
    rng = random.Random(5)
    for _ in range(500):
        a, b = integer(rng, 3000), integer(rng, 3000)
        assert answer(operator.truediv, mpz(a), b) == answer(operator.truediv, a, b)


def test_text_has_no_limit():
    sys.set_int_max_str_digits(640)
    assert len(str(mpz(10) ** 5000)) == 5001 and len(repr(mpz(10) ** 5000)) == 5006
    assert mpz("1" + "0" * 5000) == mpz(10) ** 5000


def test_device():
    x = mpz(5)
    assert x.device == "cpu" and x.to("cpu") is x
    with pytest.raises(ValueError):
        x.to("gpu")
