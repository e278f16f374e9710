"""Sizes that no machine holds, and limits of memory: an exception, and the interpreter goes on."""

import os
import subprocess
import sys

import pytest

import bezout
from bezout import Batch, Poly, mpz

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")

LONG = "BEZOUT_LONG_TESTS" in os.environ

SIZES = [2**40, 2**48, 2**57, 2**61, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70]
if LONG:
    SIZES += [2**k + d for k in range(41, 65) for d in (-1, 0, 1)]

# What takes a size, a count or a place.
SIZED = {
    "Batch": lambda n: Batch([1], bits=n),
    "Batch of none": lambda n: Batch([], bits=n),
    "Batch.from_bytes": lambda n: Batch.from_bytes(b"", n),
    "Batch.from_bytes of one": lambda n: Batch.from_bytes(b"1", n),
    "Batch.__lshift__": lambda n: Batch([1]) << n,
    "Batch.bit_test": lambda n: Batch([1]).bit_test(n),
    "format": lambda n: format(mpz(5), f"{n}d"),
    "format of words": lambda n: format(mpz(5), f"_>{n}x"),
    "mpz.__lshift__": lambda n: mpz(1) << n,
    "mpz.__pow__": lambda n: mpz(3) ** n,
    "mpz.bit_set": lambda n: mpz(1).bit_set(n),
    "mpz.bit_flip": lambda n: mpz(1).bit_flip(n),
    "mpz.to_bytes": lambda n: mpz(1).to_bytes(n),
    "bit_mask": bezout.bit_mask,
    "xbit_mask": bezout.xbit_mask,
    "bit_set": lambda n: bezout.bit_set(1, n),
    "bit_flip": lambda n: bezout.bit_flip(1, n),
    "fac": bezout.fac,
    "double_fac": bezout.double_fac,
    "multi_fac": lambda n: bezout.multi_fac(n, 3),
    "multi_fac of a long step": lambda n: bezout.multi_fac(n, max(n // 5, 1)),
    "primorial": bezout.primorial,
    "fib": bezout.fib,
    "fib2": bezout.fib2,
    "lucas": bezout.lucas,
    "lucas2": bezout.lucas2,
    "lucasu": lambda n: bezout.lucasu(3, -1, n),
    "lucasv": lambda n: bezout.lucasv(3, -1, n),
    "bincoef": lambda n: bezout.bincoef(n, n // 2),
    "comb": lambda n: bezout.comb(2 * n, n),
    "constant": lambda n: bezout.constant("pi", n),
    "mpz_urandomb": lambda n: bezout.mpz_urandomb(bezout.random_state(1), n),
    "mpz_rrandomb": lambda n: bezout.mpz_rrandomb(bezout.random_state(1), n),
    "pack": lambda n: bezout.pack([1, 2, 3], n),
    "unpack": lambda n: bezout.unpack(5, n),
    "f_mod_2exp": lambda n: bezout.f_mod_2exp(-5, n),
    "c_mod_2exp": lambda n: bezout.c_mod_2exp(5, n),
    "f_div_2exp": lambda n: bezout.f_div_2exp(-5, n),
    "Poly": lambda n: Poly(f"x^{n}+1", 7),
    "Poly.powmod": lambda n: Poly("x+1", 7).powmod(n, Poly("x^5+1", 7)),
    "iroot": lambda n: bezout.iroot(mpz(3) ** 100, n),
    "mpz_random": lambda n: bezout.mpz_random(bezout.random_state(1), n),
    "int.from_bytes": lambda n: mpz.from_bytes(b"7").to_bytes(n, "little"),
    "remove": lambda n: bezout.remove(n, 2),
}

REFUSALS = (MemoryError, OverflowError, ValueError)


@pytest.mark.parametrize("name", SIZED)
def test_sizes_that_no_machine_holds(name):
    for size in SIZES:
        try:
            SIZED[name](size)
        except MemoryError:
            pass
        except REFUSALS as error:
            assert str(error), f"{name} {size}"
        assert bezout.gcd(12, 18) == 6


def test_rows_without_bits_are_refused():
    with pytest.raises(ValueError):
        Batch([1], bits=0)
    with pytest.raises((ValueError, OverflowError)):
        Batch([1], bits=-1)


# A program under a limit of memory: each operation gives a result or a MemoryError.
CHILD = """
import resource, sys
import bezout
from bezout import Batch, Poly, mpz

extra, scale = int(sys.argv[1]) << 20, int(sys.argv[2])
state = bezout.random_state(7)
a = bezout.mpz_urandomb(state, scale << 24) | 1
b = bezout.mpz_urandomb(state, scale << 23) | 1
words = [bezout.mpz_urandomb(state, 64) for _ in range(scale << 14)]
long = [bezout.mpz_urandomb(state, 2048) | 1 for _ in range(scale << 10)]
batch = Batch(long)
poly = Poly([int(x) for x in words], 2**61 - 1)
text = "7" * (scale * 500_000)
operations = {
    "or": lambda: a | b,
    "sum": lambda: a + b,
    "sums of a list": lambda: [a + i for i in range(40)],
    "product": lambda: a * b,
    "square": lambda: a * a,
    "divmod": lambda: divmod(a, b),
    "shift": lambda: a << (scale << 26),
    "power": lambda: b**5,
    "powmod": lambda: bezout.powmod(3, 12345, b),
    "isqrt": lambda: bezout.isqrt(a),
    "gcd": lambda: bezout.gcd(a >> (scale << 23), b >> (scale << 22)),
    "str": lambda: str(b),
    "mpz": lambda: mpz(text),
    "format": lambda: format(mpz(5), f"{scale * 100_000_000}d"),
    "int": lambda: int(a),
    "bytes": lambda: a.to_bytes(scale << 25),
    "pack": lambda: bezout.pack(words, 1000),
    "unpack": lambda: bezout.unpack(b, 3),
    "product of a list": lambda: bezout.product(long),
    "remainders": lambda: bezout.remainders(a, long),
    "batch_gcd": lambda: bezout.batch_gcd(long),
    "fac": lambda: bezout.fac(scale * 1_000_000),
    "primorial": lambda: bezout.primorial(scale * 10_000_000),
    "bincoef": lambda: bezout.bincoef(scale * 10_000_000, scale * 3_000_000),
    "fib": lambda: bezout.fib(scale * 20_000_000),
    "constant": lambda: bezout.constant("e", scale * 300_000),
    "Batch": lambda: Batch(long, bits=scale << 16),
    "Batch.__mul__": lambda: [batch * batch for _ in range(40)],
    "Batch.mul_wide": lambda: [batch.mul_wide(batch) for _ in range(40)],
    "Batch.powmod": lambda: batch.powmod(65537, batch),
    "Batch.tolist": lambda: [batch.tolist() for _ in range(40)],
    "Poly.__mul__": lambda: poly * poly,
    "Poly.__divmod__": lambda: divmod(poly * poly, poly),
    "Poly.gcd": lambda: (poly * Poly("x+3", 2**61 - 1)).gcd(poly),
    "sort": lambda: bezout.sort(words),
    "factor_many": lambda: bezout.factor_many([int(x) or 1 for x in words[:2000]]),
}
# Threads that are started later would want stacks.
a * b
names = sys.argv[3].split(",") if len(sys.argv) > 3 else list(operations)
refused = 0
for name in names:
    with open("/proc/self/statm") as statm:
        used = 4096 * int(statm.read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, resource.RLIM_INFINITY))
    try:
        operations[name]()
    except MemoryError:
        refused += 1
    except RuntimeError as error:
        # Of threads, which need memory too.
        assert "cannot start a thread" in str(error), error
        refused += 1
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert bezout.gcd(a, a) == a
print("went on", refused)
"""

LIMITS = [(8, 1), (64, 1), (16, 4)]
if LONG:
    LIMITS += [(extra, 4) for extra in (1, 4, 10, 12, 17, 20, 22, 24, 32, 64, 96, 128, 192, 256, 512)]


@pytest.mark.parametrize(("extra", "scale"), LIMITS)
def test_limits_of_memory(extra, scale):
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(extra), str(scale)], capture_output=True, text=True, timeout=1200
    )
    assert child.returncode == 0, child.stderr
    assert child.stdout.startswith("went on "), child.stdout


@pytest.mark.parametrize(
    "change",
    [
        "bezout.bit_set(1, n)",
        "bezout.bit_flip(1, n)",
        "bezout.bit_clear(-1, n)",
        "mpz(1).bit_set(n)",
        "mpz(-1).bit_flip(n)",
        "bezout.bit_set(long, n)",
    ],
)
def test_bits_for_which_there_is_no_memory(change):
    """A bit in the last of 256 MiB, beside limits below, near and above what that takes."""
    code = f"""
import resource, bezout
from bezout import mpz

n, long = 2**31, mpz(3) ** 100_000
for extra in (100, 250, 257, 270, 300, 400, 520, 600, 1000):
    with open("/proc/self/statm") as statm:
        used = 4096 * int(statm.read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (used + (extra << 20), resource.RLIM_INFINITY))
    try:
        result = {change}
        assert result.bit_length() == n + 1
        del result
        answer = "done"
    except MemoryError:
        answer = "refused"
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(answer)
"""
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert child.returncode == 0, child.stderr
    assert child.stdout == "done\n"


def test_bits_that_stay_need_no_memory():
    assert bezout.bit_clear(1, 2**45) == 1 and bezout.bit_set(-1, 2**45) == -1


def test_text_for_which_there_is_no_memory():
    """The digits are not copied before anyone asks for memory."""
    code = """
import resource
from bezout import mpz

text = "7" * 40_000_000
for literal in (text, text.encode(), bytearray(text.encode()), "1_" * 20_000_000 + "1"):
    with open("/proc/self/statm") as statm:
        used = 4096 * int(statm.read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), resource.RLIM_INFINITY))
    for base in (10, 16, 62):
        try:
            mpz(literal, base)
            raise AssertionError("there was memory")
        except (MemoryError, RuntimeError):
            pass
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print("went on")
"""
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert child.returncode == 0, child.stderr
    assert child.stdout == "went on\n"
