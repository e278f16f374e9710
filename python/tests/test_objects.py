"""Batch, Poly, factoring, shared factors and sorting."""

import copy
import gc
import math
import multiprocessing
import pickle
import random
from fractions import Fraction

import pytest
from samples import seeded

import bezout
from bezout import Batch, Poly, mpz

numpy = pytest.importorskip("numpy")


def rows(rng, count, bits, least=0):
    return [rng.randrange(least, 1 << bits) for _ in range(count)]


@pytest.mark.parametrize("bits", [64, 128, 256, 1024])
def test_batch_operators(bits):
    rng = seeded(f"batch {bits}")
    a, b = rows(rng, 40, bits), rows(rng, 40, bits, 1)
    a[:4], b[:4] = [0, 1, 2**bits - 1, 2**bits - 1], [1, 1, 1, 2**bits - 1]
    x, y, mask = Batch(a, bits), Batch(b, bits), 2**bits - 1
    pairs = list(zip(a, b, strict=True))
    assert x.bits == bits and len(x) == 40 and x.tolist() == a and x[-1] == a[-1]
    assert (x + y).tolist() == [(u + v) & mask for u, v in pairs]
    assert (x - y).tolist() == [(u - v) & mask for u, v in pairs]
    assert (x * y).tolist() == [(u * v) & mask for u, v in pairs]
    assert x.mul_wide(y).tolist() == [u * v for u, v in pairs]
    assert (x // y).tolist() == [u // v for u, v in pairs]
    assert (x % y).tolist() == [u % v for u, v in pairs]
    assert [z.tolist() for z in divmod(x, y)] == [[u // v for u, v in pairs], [u % v for u, v in pairs]]
    assert (x & y).tolist() == [u & v for u, v in pairs]
    assert (x | y).tolist() == [u | v for u, v in pairs]
    assert (x ^ y).tolist() == [u ^ v for u, v in pairs]
    assert (~x).tolist() == [u ^ mask for u in a] and (-x).tolist() == [-u & mask for u in a]
    assert (x << 7).tolist() == [u << 7 & mask for u in a] and (x >> 7).tolist() == [u >> 7 for u in a]
    assert (x + 1).tolist() == (1 + x).tolist() == [(u + 1) & mask for u in a]
    assert (5 - x).tolist() == [(5 - u) & mask for u in a]
    assert x.gcd(y).tolist() == [math.gcd(u, v) for u, v in pairs]
    assert x.isqrt().tolist() == [math.isqrt(u) for u in a]
    assert x.equal(y) == [u == v for u, v in pairs] and x.less(y) == [u < v for u, v in pairs]
    assert x.popcount() == [u.bit_count() for u in a]
    assert x.bit_test(5) == [bool(u >> 5 & 1) for u in a]
    assert x.is_prime() == [bezout.is_prime(u) for u in a]


def test_batch_pickles_copies_and_slices():
    numbers = [0, 1, 2**64 - 1, 2**100, 2**190 + 5, 7, 8]
    batch = Batch(numbers, 192)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(batch, protocol))
        assert again.tolist() == numbers and again.bits == 192
    assert pickle.loads(pickle.dumps(Batch([]))).tolist() == []
    assert copy.copy(batch) is batch and copy.deepcopy({"a": batch})["a"] is batch
    for bounds in ((0, 1), (None, None), (2, 100), (5, 2), (-3, None), (None, None, 2), (None, None, -1), (6, 0, -2)):
        part = batch[slice(*bounds)]
        assert type(part) is Batch and part.tolist() == numbers[slice(*bounds)] and part.bits == 192
    assert list(batch) == numbers and batch[-1] == 8 and batch[mpz(4)] == numbers[4]
    with pytest.raises(TypeError):
        batch["a"]


def squares(batch):
    return batch * batch


def test_batches_go_to_other_processes():
    batches = [Batch([k, k + 1], 128) for k in range(4)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.map(squares, batches)
    assert [r.tolist() for r in results] == [[k * k, (k + 1) ** 2] for k in range(4)]


def test_batch_is_shown():
    short = Batch([1, 2**127], 128)
    assert repr(short) == f"Batch([1, {2**127}], bits=128)" and eval(repr(short)).tolist() == short.tolist()
    assert repr(Batch([])) == "Batch([], bits=64)"
    assert repr(Batch(range(100))) == "<Batch of 100 numbers of 64 bits: 0, 1, 2, ..., 99>"
    assert repr(Batch([2**1000])) == "<Batch of 1 numbers of 1024 bits: 1071508607...5668069376>"


def test_batch_modulo():
    rng = seeded("batch modulo")
    a, e, m = rows(rng, 60, 192), rows(rng, 60, 192), rows(rng, 60, 192, 2)
    x = Batch(a, 192)
    powers = x.powmod(Batch(e, 192), Batch(m, 192)).tolist()
    assert powers == [pow(*three) for three in zip(a, e, m, strict=True)]
    assert x.powmod(65537, 2**127 - 1).tolist() == [pow(u, 65537, 2**127 - 1) for u in a]
    inverses, exist = x.invert(Batch(m, 192))
    for u, v, inverse, exists in zip(a, m, inverses.tolist(), exist, strict=True):
        assert exists == (math.gcd(u, v) == 1)
        assert not exists or u * inverse % v == 1 % v


def test_batch_of_bad_input():
    for bad in ([-1], [2**64]):
        with pytest.raises(ValueError):
            Batch(bad, 64)
    with pytest.raises(TypeError):
        Batch(["a"])
    with pytest.raises(ValueError):
        Batch([1, 2]) + Batch([1, 2, 3])
    with pytest.raises(ZeroDivisionError):
        Batch([1, 2]) // 0
    with pytest.raises(IndexError):
        Batch([1])[1]
    with pytest.raises(ValueError):
        Batch([1]) << -1
    with pytest.raises(TypeError):
        Batch([1]) + "a"
    assert Batch([]).tolist() == [] and Batch([0, 0]).tolist() == [0, 0]


def test_batch_and_numpy():
    limbs = numpy.array([[1, 2], [3, 2**64 - 1]], dtype=numpy.uint64)
    batch = Batch.from_dlpack(limbs)
    limbs[0, 0] = 99
    assert batch.tolist() == [1 + 2 * 2**64, 3 + (2**64 - 1) * 2**64]
    view = numpy.asarray(batch)
    assert view.dtype == numpy.uint64 and view.tolist() == [[1, 2], [3, 2**64 - 1]]
    assert not view.flags.writeable
    exported = numpy.from_dlpack(batch)
    assert exported.tolist() == view.tolist() and not exported.flags.writeable
    assert exported.ctypes.data == view.ctypes.data
    del batch
    assert view.tolist() == exported.tolist() == [[1, 2], [3, 2**64 - 1]]
    # Strides, signs and one dimension.
    words = numpy.arange(24, dtype=numpy.uint64).reshape(4, 6)
    assert Batch.from_dlpack(words[::2, 1::2]).tolist() == [
        sum(int(limb) << 64 * at for at, limb in enumerate(row)) for row in words[::2, 1::2]
    ]
    assert Batch.from_dlpack(words.T).shape == (6, 4)
    assert Batch.from_dlpack(numpy.array([-1, 5])).tolist() == [2**64 - 1, 5]
    frozen = numpy.array([7], dtype=numpy.uint64)
    frozen.flags.writeable = False
    assert Batch.from_dlpack(frozen).tolist() == [7]
    for bad in (numpy.zeros(3), numpy.zeros(3, dtype=numpy.uint8)):
        with pytest.raises((TypeError, BufferError)):
            Batch.from_dlpack(bad)
    with pytest.raises(ValueError):
        Batch.from_dlpack(numpy.zeros((2, 2, 2), dtype=numpy.uint64))
    with pytest.raises(TypeError):
        Batch.from_dlpack([1, 2])


def test_capsules():
    batch = Batch([1, 2, 3])
    assert batch.__dlpack_device__() == (1, 0)
    for arguments in ({}, {"max_version": (1, 0)}, {"copy": True}, {"max_version": (1, 0), "copy": True}):
        capsule = batch.__dlpack__(**arguments)
        name = "dltensor_versioned" if "max_version" in arguments else "dltensor"
        assert name in repr(capsule)
        del capsule

    class Legacy:
        """A library from before DLPack 1.0."""

        def __dlpack__(self):
            return batch.__dlpack__()

    assert Batch.from_dlpack(Legacy()).tolist() == [1, 2, 3]
    for bad in ({"stream": 1}, {"dl_device": (10, 0)}, {"copy": False}, {"stream": 0}):
        with pytest.raises(BufferError):
            batch.__dlpack__(**bad)
    if bezout.device_count() == 0:
        with pytest.raises(bezout.DeviceError):
            batch.__dlpack__(dl_device=(2, 0))
    assert not hasattr(batch, "__cuda_array_interface__")
    array = numpy.arange(6, dtype=numpy.uint64).reshape(3, 2)
    for copy in (None, False, True):
        shared = Batch.from_dlpack(array, copy=copy)
        assert numpy.shares_memory(numpy.asarray(shared), array) == (copy is False)
    with pytest.raises(BufferError, match="shared"):
        Batch.from_dlpack(numpy.zeros((3, 4), dtype=numpy.uint64)[:, ::2], copy=False)
    # The batch keeps the memory of an array that is gone.
    shared = Batch.from_dlpack(array + numpy.uint64(1), copy=False)
    gc.collect()
    assert shared.tolist() == [1 + (2 << 64), 3 + (4 << 64), 5 + (6 << 64)]
    assert (shared + shared).tolist() == [2 * n for n in shared.tolist()]


def test_arrays_on_other_devices():
    class Elsewhere:
        """An array that no code here may read."""

        def __init__(self, *device):
            self.device = device

        def __dlpack_device__(self):
            return self.device

        def __dlpack__(self, **_):
            raise AssertionError("asked for memory that cannot be used")

    for take in (Batch.from_dlpack, bezout.sort, lambda array: Poly(array, 101)):
        with pytest.raises(BufferError, match="device"):
            take(Elsewhere(10, 0))
        if bezout.device_count() == 0:
            with pytest.raises(bezout.DeviceError):
                take(Elsewhere(2, 0))


def test_bad_array_interfaces():
    class Device:
        """An array on a GPU without DLPack."""

        def __init__(self, **interface):
            right = {"shape": (2,), "typestr": "<u8", "data": (256, False), "version": 3}
            self.__cuda_array_interface__ = {**right, **interface}

    for bad, error in (
        ({"typestr": "<f2"}, TypeError),
        ({"mask": 5}, BufferError),
        ({"stream": 0}, BufferError),
        ({"shape": None}, BufferError),
        ({"data": None}, BufferError),
        ({"shape": (1, 1, 1), "data": (0, False)}, (ValueError, bezout.DeviceError)),
    ):
        with pytest.raises(error):
            Batch.from_dlpack(Device(**bad))
    if bezout.device_count() == 0:
        with pytest.raises(bezout.DeviceError):
            Batch.from_dlpack(Device())


def test_arrays_outlive_what_they_come_from():
    limbs = numpy.arange(1000, dtype=numpy.uint64).reshape(500, 2)
    batch = Batch.from_dlpack(limbs)
    del limbs
    assert batch[499] == 998 + 999 * 2**64
    coefficients = numpy.arange(50, dtype=numpy.uint64)
    poly = Poly(coefficients, 101)
    coefficients[:] = 7
    assert poly.coefficients() == list(range(50))
    view, array = numpy.from_dlpack(poly), numpy.asarray(poly)
    del poly
    assert view.tolist() == array.tolist() == list(range(50))
    assert not view.flags.writeable and not array.flags.writeable


def test_batch_of_bytes():
    rng = random.Random(1)
    data = rng.randbytes(12 * 7)
    for order in ("little", "big"):
        batch = Batch.from_bytes(data, 12, order)
        assert batch.tolist() == [
            int.from_bytes(data[at : at + 12], order) for at in range(0, len(data), 12)
        ]
        assert Batch.from_bytes(batch.to_bytes(order), batch.bits // 8, order).tolist() == batch.tolist()
    with pytest.raises(ValueError):
        Batch.from_bytes(b"abc", 2)


def product(a, b, p):
    result = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] = (result[i + j] + x * y) % p
    return result


@pytest.mark.parametrize("p", [2, 3, 101, 10**9 + 7, 2**61 - 1])
def test_poly(p):
    rng = seeded(f"poly {p}")
    for _ in range(20):
        a = [rng.randrange(p) for _ in range(rng.randrange(1, 40))] + [1]
        b = [rng.randrange(p) for _ in range(rng.randrange(1, 30))] + [1]
        f, g = Poly(a, p), Poly(b, p)
        assert (f * g).coefficients() == product(a, b, p)
        quotient, rest = divmod(f * g + f, g)
        assert quotient * g + rest == f * g + f and rest.degree < g.degree
        assert f // g == divmod(f, g)[0] and f % g == divmod(f, g)[1]
        assert f - g + g == f and -f + f == 0 and f + 1 - 1 == f and 1 + f == f + 1
        d, s, t = f.gcdext(g)
        assert s * f + t * g == d == f.gcd(g)
        for x in (0, 1, rng.randrange(p), -1):
            assert f(x) == sum(c * x**i for i, c in enumerate(a)) % p
        assert f([0, 1]) == [f(0), f(1)]
        assert list(f) == f.coefficients() and f[0] == a[0] and f[1000] == 0
        assert f.compose(g)(1) == f(g(1))
        assert Poly("x", p).powmod(p, f) == Poly("x", p).powmod(mpz(p), f)
        assert pickle.loads(pickle.dumps(f)) == f and hash(f) == hash(Poly(a, p))
        assert Poly(str(f), p) == f and eval(repr(f)) == f
        assert f.derivative().coefficients() == Poly([i * c for i, c in enumerate(a)][1:], p).coefficients()
    if p > 50:
        points = list(range(40))
        assert Poly.interpolate(points, f(points), p) == f
    assert Poly(numpy.array([1, -1, 0, 1]), p) == Poly([1, -1, 0, 1], p)
    assert Poly([], p).degree == -1 and not Poly([0], p)


def test_poly_of_bad_input():
    with pytest.raises(ValueError, match="not prime"):
        Poly([1], 91)
    with pytest.raises(ValueError):
        Poly("x +", 101)
    with pytest.raises(ValueError):
        Poly([1], 2**64)
    with pytest.raises(ZeroDivisionError):
        Poly("x", 101) // 0
    with pytest.raises(ValueError):
        Poly("x", 101) + Poly("x", 103)
    with pytest.raises(TypeError):
        Poly("x", 101) + "x"
    with pytest.raises(TypeError):
        Poly(numpy.array([1.5]), 101)


def test_constants():
    assert bezout.constant("pi", 30) == "3.141592653589793238462643383279"
    assert bezout.constant("sqrt2") == f"1.{str(math.isqrt(2 * 10**100))[1:]}"
    assert bezout.constant("e", 10, base=16) == "2.b7e151628a" and bezout.constant("gamma", 0) == "0"
    assert bezout.constant("ln2", 30000)[:10] == "0.69314718"
    for bad in (("tau",), ("pi", 5, 2)):
        with pytest.raises((ValueError, TypeError)):
            bezout.constant(*bad)


def test_totient():
    for n in range(1, 300):
        assert bezout.totient(n) == sum(math.gcd(k, n) == 1 for k in range(1, n + 1))
    with pytest.raises(ValueError):
        bezout.totient(0)


def test_chinese_remainders():
    rng = seeded("crt")
    for _ in range(300):
        x, moduli = rng.randrange(10**6), [rng.randrange(1, 60) for _ in range(rng.randrange(5))]
        found = bezout.crt([x % m for m in moduli], [m if k % 2 else -m for k, m in enumerate(moduli)])
        assert found == x % math.lcm(*moduli) and type(found) is mpz
    with pytest.raises(ValueError, match="modulo 2"):
        bezout.crt([0, 1], [4, 6])
    for bad in (([1], []), ([1], [0])):
        with pytest.raises(ValueError):
            bezout.crt(*bad)


def test_factor():
    rng = seeded("factor")
    numbers = [*range(1, 300), *(rng.getrandbits(60) | 1 for _ in range(50)), 2**128 + 1, 10**30 + 57]
    for n in numbers:
        found = bezout.factor(n)
        assert math.prod(int(p) ** e for p, e in found) == n
        assert all(bezout.is_prime(p) for p, _ in found) and found == sorted(found)
    for bad in (0, -5):
        with pytest.raises(ValueError):
            bezout.factor(bad)
    with pytest.raises(ValueError):
        bezout.factor(15, methods=["magic"])
    assert bezout.factor(2**67 - 1, methods=["rho"])[0][0] == 193707721
    assert bezout.ecm(2**61 - 1, b1=100, curves=2) is None
    lists = bezout.factor_many(numbers[:-2])
    for n, primes in zip(numbers[:-2], lists, strict=True):
        assert math.prod(primes) == n and all(bezout.is_prime(p) for p in primes)
    for bad in ([0], [-1], [2**128]):
        with pytest.raises(ValueError):
            bezout.factor_many(bad)


def test_shared_factors():
    p, q, r, s = (bezout.next_prime(10**20 + k * 10**15) for k in range(4))
    assert bezout.batch_gcd([p * q, r * s, q * r]) == [(q, [0, 2]), (r, [1, 2])]
    assert bezout.batch_gcd([]) == [] == bezout.batch_gcd([15, 77])
    with pytest.raises(ValueError):
        bezout.batch_gcd([0, 1])


def test_sort():
    rng = seeded("sort")
    for count in (0, 1, 2, 1000, 20000):
        ints = [rng.randrange(-(2**63), 2**63) for _ in range(count)]
        floats = [rng.uniform(-1e9, 1e9) for _ in range(count)]
        for keys in (ints, floats, [x * 2**70 for x in ints]):
            assert bezout.sort(keys) == sorted(keys)
            assert bezout.sort(keys, descending=True) == sorted(keys, reverse=True)
        for kind in ("uint32", "uint64", "int32", "int64", "float32", "float64"):
            keys = numpy.array([x % 2**31 for x in ints], dtype=kind)
            before = keys.copy()
            assert (bezout.sort(keys) == numpy.sort(keys)).all() and (keys == before).all()
    long = [mpz(rng.getrandbits(90)) % 1000 * 2**80 for _ in range(100_000)]
    assert bezout.sort(long) == sorted(long)
    assert bezout.sort(long, descending=True) == sorted(long, reverse=True)
    with pytest.raises(TypeError, match="not str"):
        bezout.sort(["b", "a"])
    assert bezout.sort([2, 1.5, mpz(1)]) == [1, 1.5, 2]
    assert bezout.sort(numpy.arange(10)[::-2]).tolist() == [1, 3, 5, 7, 9]
    with pytest.raises(TypeError):
        bezout.sort(numpy.zeros((2, 2)))
    with pytest.raises(TypeError):
        bezout.sort([1, "a"])


def test_number_theory():
    """Beside SymPy and plain loops."""
    theory = pytest.importorskip("sympy")
    from sympy.functions.combinatorial import numbers as names
    from sympy.functions.combinatorial.numbers import stirling
    from sympy.ntheory import discrete_log, is_primitive_root, n_order, primitive_root, sqrt_mod

    for n in [*range(1, 200), 2**61 - 1, 720720 * 1009, 10**24 + 7]:
        assert bezout.divisors(n) == theory.divisors(n), n
        assert bezout.divisor_count(n) == theory.divisor_count(n), n
        for k in range(3):
            assert bezout.divisor_sum(n, k) == theory.divisor_sigma(n, k), (n, k)
        assert bezout.moebius(n) == theory.mobius(n), n
    for n in [0, 1, 2, 3, 100, 10**5, 10**7 + 19]:
        assert bezout.prime_count(n) == theory.primepi(n), n
    assert [bezout.nth_prime(n) for n in range(1, 50)] == [theory.prime(n) for n in range(1, 50)]
    rng = seeded("theory")
    for _ in range(100):
        p = theory.randprime(3, 10**6)
        a = rng.randrange(1, p)
        assert bezout.multiplicative_order(a, p) == n_order(a, p)
        g = int(bezout.primitive_root(p))
        assert is_primitive_root(g, p) and g == primitive_root(p)
        assert bezout.discrete_log(a, g, p) == discrete_log(p, a, g)
        square = a * a % p
        assert bezout.sqrt_mod(square, p) ** 2 % p == square
        if sqrt_mod(a, p) is None:
            with pytest.raises(ValueError):
                bezout.sqrt_mod(a, p)
    for n in range(40):
        expected = -theory.bernoulli(1) if n == 1 else theory.bernoulli(n)
        assert bezout.bernoulli(n) == Fraction(int(expected.p), int(expected.q)), n
        assert bezout.partitions(n) == int(names.partition(n)), n
        assert bezout.bell(n) == int(theory.bell(n)) and bezout.catalan(n) == int(theory.catalan(n))
        assert bezout.digit_sum(7**n) == sum(map(int, str(7**n)))
        for k in range(n + 1):
            assert bezout.stirling(n, k) == int(stirling(n, k))
            assert bezout.stirling(n, k, kind=1) == int(stirling(n, k, kind=1))
    for wrong in (lambda: bezout.divisors(0), lambda: bezout.nth_prime(0), lambda: bezout.stirling(1, 1, kind=3)):
        with pytest.raises(ValueError):
            wrong()
