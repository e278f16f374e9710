"""mpz beside the numbers of SymPy, gmpy2, mpmath, python-flint and NumPy, and bezout in gmpy2's place."""

import os
import subprocess
import sys
import textwrap
from fractions import Fraction

import pytest
from samples import EDGES

import bezout
from bezout import mpz

BIG = 2**100 + 1


def in_a_process(code, **variables):
    """What a program prints."""
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **variables},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_sympy():
    sympy = pytest.importorskip("sympy")
    x, big = sympy.Symbol("x"), mpz(BIG)
    for a in (*EDGES, BIG):
        assert sympy.sympify(mpz(a)) == sympy.Integer(a) and sympy.sympify(mpz(a)).is_Integer
    assert str(x * mpz(5)) == "5*x" and str(mpz(5) * x) == "5*x" and str(x ** mpz(2)) == "x**2"
    assert sympy.gcd(big, 3) == sympy.gcd(BIG, 3) and sympy.binomial(big, 1) == BIG
    assert sympy.solve(x - big) == [BIG] and sympy.Matrix([[big]])[0].is_Integer
    assert sympy.Poly(big * x + 1, x).domain == sympy.ZZ
    assert sympy.Rational(big, 3) == sympy.Rational(BIG, 3)
    assert sympy.Integer(BIG) == big and big == sympy.Integer(BIG) and sympy.Integer(BIG) <= big
    for a, b in ((sympy.Integer(5), mpz(3)), (mpz(5), sympy.Integer(3))):
        assert a + b == 8 and a / b == sympy.Rational(5, 3) and a**b == 125 and a // b == 1
        assert all(isinstance(r, sympy.Basic) for r in (a + b, a - b, a * b, a / b, a**b))
    assert mpz(sympy.Integer(BIG)) == BIG and bezout.gcd(sympy.Integer(12), 18) == 6


def test_gmpy2():
    gmpy2 = pytest.importorskip("gmpy2")
    five = mpz(5)
    assert gmpy2.mpz(five) == 5 and gmpy2.mpfr(five) == 5 and gmpy2.mpq(five, 3) == gmpy2.mpq(5, 3)
    assert gmpy2.mpc(five) == 5 and gmpy2.gcd(five, 10) == 5 and gmpy2.is_prime(five)
    assert gmpy2.powmod(five, mpz(2), mpz(7)) == 4
    assert gmpy2.mpfr(1.5) * five == five * gmpy2.mpfr(1.5) == 7.5
    assert five + gmpy2.mpq(1, 3) == gmpy2.mpq(1, 3) + five == gmpy2.mpq(16, 3)
    assert gmpy2.mpz(1) + five == five + gmpy2.mpz(1) == 6
    assert gmpy2.mpfr(1) < five and gmpy2.mpq(5) == five
    for a in EDGES:
        assert gmpy2.mpz(mpz(a)) == a and mpz(gmpy2.mpz(a)) == a


def test_mpmath():
    mpmath = pytest.importorskip("mpmath")
    assert mpmath.mpf(mpz(5)) == 5 and mpmath.mpc(mpz(5)) == 5 and mpmath.mpf(1) * mpz(5) == 5
    assert mpz(5) * mpmath.mpf(2) == 10 and mpmath.mpf(2) < mpz(5) and mpmath.sqrt(mpz(49)) == 7
    with mpmath.workprec(53):
        # To the precision in force, and to the nearest.
        assert int(mpmath.mpf(mpz(2**60 + 1))) == 2**60
    with mpmath.workprec(200):
        assert int(mpmath.mpf(mpz(BIG))) == BIG


def test_flint():
    flint = pytest.importorskip("flint")
    for a in (*EDGES, BIG):
        assert type(mpz(flint.fmpz(a))) is mpz and mpz(flint.fmpz(a)) == a
        assert flint.fmpz(int(mpz(a))) == a and mpz(a) == int(flint.fmpz(a))
        # fmpz itself takes ints alone.
        with pytest.raises(TypeError):
            flint.fmpz(mpz(a))
        assert mpz(a) != flint.fmpz(a) and flint.fmpz(a) != mpz(a)
    assert bezout.gcd(flint.fmpz(12), 18) == 6
    with pytest.raises(TypeError):
        mpz(3) + flint.fmpz(3)
    with pytest.raises(TypeError):
        flint.fmpz(3) + mpz(3)


def test_numpy():
    numpy = pytest.importorskip("numpy")
    gmpy2 = pytest.importorskip("gmpy2")
    for values in ([1, 2], [1, 2**63], [2**64], [-1, 2**70], [[1, 2], [3, 4]], 5, 2**63, -(2**63)):

        def made(kind, values=values):
            if isinstance(values, int):
                return numpy.array(kind(values))
            rows = [[kind(v) for v in row] if isinstance(row, list) else kind(row) for row in values]
            return numpy.array(rows)

        ours, theirs = made(mpz), made(gmpy2.mpz)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, values
        assert (ours == theirs).all()
    assert numpy.asarray(mpz(3), dtype=numpy.float32).dtype == numpy.float32
    objects = numpy.array([mpz(1), mpz(2**70)], dtype=object)
    assert type(objects[0]) is mpz and (objects * 2).tolist() == [2, 2**71]
    product = mpz(3) * numpy.arange(3)
    assert product.dtype == numpy.arange(3).dtype and product.tolist() == [0, 3, 6]
    # An operator with one number of NumPy's on the right is exact, where gmpy2's may overflow.
    for a in (mpz(2**62) * numpy.int64(4), mpz(2**63) + numpy.uint64(2**63), mpz(2**65) - numpy.int8(-0)):
        assert type(a) is mpz
    assert mpz(2**62) * numpy.int64(4) == 2**64 and mpz(2**63) + numpy.uint64(2**63) == 2**64
    # With one on the left NumPy computes, as beside gmpy2's.
    for left in (numpy.int64(2**62), numpy.uint64(5), numpy.int8(100), numpy.float32(2.5)):
        ours, theirs = left * mpz(4), left * gmpy2.mpz(4)
        assert type(ours) is type(theirs) and ours == theirs
    assert numpy.int64(2**62) * mpz(4) == 0 and mpz(numpy.int64(2**62)) * 4 == 2**64


def test_display():
    class Printer:
        def text(self, text):
            self.shown = text

    printer = Printer()
    for a, shown in (
        (-5, "mpz(-5)"),
        (10**999, f"mpz({10**999})"),
        (10**1000, "<mpz of 1001 digits: 10000000000000000000...00000000000000000000>"),
        (-(10**1000), "<mpz of 1001 digits: -1000000000000000000...00000000000000000000>"),
    ):
        mpz(a)._repr_pretty_(printer, False)
        assert printer.shown == shown


def test_module_of_gmpy2():
    from bezout import gmpy2

    assert gmpy2.mpz is mpz and gmpy2.mpq is Fraction and gmpy2.version() >= "2.1"
    for name in bezout.__all__:
        assert name == "version" or getattr(gmpy2, name) is getattr(bezout, name)
    with pytest.raises(AttributeError, match="integers alone"):
        gmpy2.mpfr(1)


FLOATS = """
    import bezout, mpmath
    assert {backend}
    from mpmath.libmp import from_man_exp, mpf_pos, to_man_exp
    mpmath.mp.dps = 30
    print(mpmath.pi, mpmath.exp(1), mpmath.zeta(3), mpmath.quad(mpmath.sin, [0, 1]), mpmath.mpf(1) / 3)
    mpmath.mp.prec = 5000
    print(mpmath.log(3), mpmath.gamma(mpmath.mpf(1) / 3))
    """


def test_mpmath_on_bezout():
    pytest.importorskip("mpmath")
    ours = "type(mpmath.mpf(3)._mpf_[1]) is bezout.mpz and mpmath.libmp.BACKEND == 'gmpy'"
    expected = in_a_process(FLOATS.format(backend="mpmath.libmp.BACKEND == 'python'"), MPMATH_NOGMPY="1")
    assert in_a_process("    import bezout; bezout.as_gmpy2()" + FLOATS.format(backend=ours)) == expected


def test_sympy_on_bezout():
    pytest.importorskip("sympy")
    out = in_a_process(
        """
        import bezout
        bezout.as_gmpy2()
        import sympy
        from sympy.external.gmpy import GROUND_TYPES, MPZ
        assert GROUND_TYPES == "gmpy" and MPZ is bezout.mpz
        x = sympy.Symbol("x")
        print(sympy.factor(x**12 - 1), sympy.factorint(2**64 + 1), sympy.Rational(6, 4) + 1)
        print(sympy.Matrix([[1, 2], [3, 5]]).inv(), sympy.integrate(x**5 / 7, (x, 0, 1)))
        """,
        SYMPY_GROUND_TYPES="gmpy",
    )
    assert out.splitlines() == [
        "(x - 1)*(x + 1)*(x**2 + 1)*(x**2 - x + 1)*(x**2 + x + 1)*(x**4 - x**2 + 1)"
        " {274177: 1, 67280421310721: 1} 5/2",
        "Matrix([[-5, 2], [3, -1]]) 1/42",
    ]


def test_gmpy2_is_taken_before_others_choose():
    pytest.importorskip("mpmath")
    out = in_a_process(
        """
        import bezout, mpmath
        try:
            bezout.as_gmpy2()
        except RuntimeError as error:
            print(error)
        """
    )
    assert "mpmath has chosen" in out


def test_helpers_of_mpmath():
    gmpy2 = pytest.importorskip("gmpy2")
    ours = bezout._native
    mantissas = [0, 1, 2, 3, 5, 12, 1023, 1024, 2**53 - 1, 2**53 + 1, 3 * 2**80, 2**200 - 1, 2**64 - 2**11]
    mantissas += [2**300 + 2**k for k in (0, 199, 200, 201)]
    for man in mantissas:
        for prec in (1, 2, 5, 53, 100, 101, 4000):
            for rnd in "nudfc":
                for exp in (0, -7, 2**70):
                    for sign in (0, 1):
                        arguments = (sign, exp, man.bit_length(), prec, rnd)
                        pair = []
                        for library, kind in ((ours, mpz), (gmpy2, gmpy2.mpz)):
                            s, e, bc, p, r = arguments
                            normal = library._mpmath_normalize(s, kind(man), e, bc, p, r)
                            made = library._mpmath_create(kind(-man if s else man), e, p, r)
                            assert normal == made
                            pair.append(tuple(map(int, normal)))
                        assert pair[0] == pair[1], arguments
                assert ours._mpmath_create(mpz(man), 3) == tuple(map(int, gmpy2._mpmath_create(gmpy2.mpz(man), 3)))
    with pytest.raises(ValueError):
        ours._mpmath_create(mpz(5), 1, 2, "x")
    with pytest.raises(TypeError):
        ours._mpmath_create(5.0, 1)
