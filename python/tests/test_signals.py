"""A signal ends every public function within half a second, whatever it was asked for."""

import inspect
import os
import signal
import subprocess
import sys
import time

import pytest

import bezout
from bezout import Batch, Poly, mpz

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

# What is promised, in seconds. A machine with other work may need a second try.
PROMISED = 0.5
TRIES = 3
# Seconds after which the signal comes.
AFTER = 0.25


class Operands:
    """Numbers for which most functions take seconds."""

    def __init__(self):
        state = bezout.random_state(17)
        self.state = state
        bits = bezout.mpz_urandomb
        self.a = bits(state, 1 << 27) | 1
        self.b = bits(state, 1 << 26) | 1
        self.c = bits(state, 1 << 22) | 1
        self.d = bits(state, 1 << 22) | 1
        self.e = bits(state, 1 << 17) | 1
        self.f = bits(state, 1 << 17) | 1
        # A product of two primes of 50 digits each.
        self.n = (mpz(10) ** 49 + 9) * bezout.next_prime(mpz(7) * 10**49)
        # A prime p for which (p - 1) / 2 is prime.
        self.p = mpz(2) ** 40
        while not bezout.is_prime(self.p // 2):
            self.p = bezout.next_prime(self.p)
        self.words = [bits(state, 64) for _ in range(1 << 20)]
        self.moduli = [2 * i + 1 for i in range(50_000)]
        self.rests = bezout.remainders(self.e, self.moduli)
        self.semiprimes = [int(x) for x in [(2**63 - 25) * (2**63 - 165)] * 20_000]
        self.long = [bits(state, 4096) | 1 for _ in range(20_000)]
        self.batch = Batch(self.long)
        self.other = Batch(self.long[::-1])
        self.poly = Poly([int(x) for x in self.words[: 1 << 20]], 2**61 - 1)
        self.short = Poly([int(x) for x in self.words[: 1 << 19]], 2**61 - 1)
        self.few = Poly([int(x) for x in self.words[:1500]], 2**61 - 1)
        self.text = "7" * 20_000_000


# Work that takes long, by the name of the function. All other functions are over in an instant
# whatever they are given, or take as long as a copy of their operands.
LONG = {
    "add": lambda x: [bezout.add(x.a, x.b) for _ in range(1000)],
    "batch_gcd": lambda x: bezout.batch_gcd(x.long),
    "bell": lambda x: bezout.bell(20_000),
    "bernoulli": lambda x: bezout.bernoulli(200_000),
    "catalan": lambda x: bezout.catalan(200_000_000),
    "digit_sum": lambda x: bezout.digit_sum(x.a),
    "discrete_log": lambda x: bezout.discrete_log(bezout.powmod(12345, 2, x.p), 4, x.p),
    "divisor_count": lambda x: bezout.divisor_count(x.n),
    "divisor_sum": lambda x: bezout.divisor_sum(x.n),
    "divisors": lambda x: bezout.divisors(bezout.primorial(100)),
    "moebius": lambda x: bezout.moebius(x.n),
    "multiplicative_order": lambda x: bezout.multiplicative_order(3, x.n),
    "nth_prime": lambda x: bezout.nth_prime(10**12),
    "partitions": lambda x: bezout.partitions(1_000_000),
    "prime_count": lambda x: bezout.prime_count(6 * 10**13),
    "primitive_root": lambda x: bezout.primitive_root(bezout.next_prime(x.n)),
    "sqrt_mod": lambda x: bezout.sqrt_mod(2, x.n),
    "stirling": lambda x: bezout.stirling(20_000, 10_000),
    "bincoef": lambda x: bezout.bincoef(10**9, 3 * 10**8),
    "bit_count": lambda x: [bezout.bit_count(x.a) for _ in range(2000)],
    "c_div": lambda x: bezout.c_div(x.a, x.b),
    "c_divmod": lambda x: bezout.c_divmod(x.a, x.b),
    "c_mod": lambda x: bezout.c_mod(x.a, x.b),
    "comb": lambda x: bezout.comb(10**12, 10**7),
    "constant": lambda x: bezout.constant("pi", 20_000_000),
    "crt": lambda x: bezout.crt(x.rests, x.moduli),
    "digits": lambda x: bezout.digits(x.a),
    "div": lambda x: [bezout.div(x.b, x.a) for _ in range(1000)],
    "divexact": lambda x: bezout.divexact(x.a, x.b),
    "divm": lambda x: bezout.divm(x.c, x.d, x.c + 2),
    "double_fac": lambda x: bezout.double_fac(100_000_001),
    "ecm": lambda x: bezout.ecm(x.n, b1=10**9, curves=4),
    "f_div": lambda x: bezout.f_div(x.a, x.b),
    "f_divmod": lambda x: bezout.f_divmod(x.a, x.b),
    "f_mod": lambda x: bezout.f_mod(x.a, x.b),
    "fac": lambda x: bezout.fac(100_000_000),
    "factor": lambda x: bezout.factor(x.n),
    "factor_many": lambda x: bezout.factor_many(x.semiprimes),
    "fib": lambda x: bezout.fib(300_000_000),
    "fib2": lambda x: bezout.fib2(300_000_000),
    "floor_div": lambda x: bezout.floor_div(x.a, x.b),
    "gcd": lambda x: bezout.gcd(x.c << 1, x.d),
    "gcdext": lambda x: bezout.gcdext(x.c, x.d),
    "hamdist": lambda x: [bezout.hamdist(x.a, x.b) for _ in range(2000)],
    "invert": lambda x: bezout.invert(2, x.c * x.d),
    "iroot": lambda x: bezout.iroot(x.a, 3),
    "iroot_rem": lambda x: bezout.iroot_rem(x.a, 1001),
    "is_bpsw_prp": lambda x: bezout.is_bpsw_prp((1 << 110503) - 1),
    "is_congruent": lambda x: bezout.is_congruent(x.a, x.b, x.c),
    "is_divisible": lambda x: bezout.is_divisible(x.a, x.b),
    "is_euler_prp": lambda x: bezout.is_euler_prp((1 << 110503) - 1, 3),
    "is_extra_strong_lucas_prp": lambda x: bezout.is_extra_strong_lucas_prp((1 << 110503) - 1, 5),
    "is_fermat_prp": lambda x: bezout.is_fermat_prp((1 << 110503) - 1, 3),
    "is_fibonacci_prp": lambda x: bezout.is_fibonacci_prp((1 << 110503) - 1, 3, -1),
    "is_lucas_prp": lambda x: bezout.is_lucas_prp((1 << 110503) - 1, 3, -1),
    "is_power": lambda x: bezout.is_power(x.a),
    "is_power of powers": lambda x: [bezout.is_power(mpz(15) ** 4_000_000) for _ in range(100)],
    "is_prime": lambda x: bezout.is_prime((1 << 110503) - 1),
    "is_probab_prime": lambda x: bezout.is_probab_prime((1 << 110503) - 1),
    "is_selfridge_prp": lambda x: bezout.is_selfridge_prp((1 << 110503) - 1),
    "is_square": lambda x: bezout.is_square(x.a**2),
    "is_strong_bpsw_prp": lambda x: bezout.is_strong_bpsw_prp((1 << 110503) - 1),
    "is_strong_lucas_prp": lambda x: bezout.is_strong_lucas_prp((1 << 110503) - 1, 3, -1),
    "is_strong_prp": lambda x: bezout.is_strong_prp((1 << 110503) - 1, 3),
    "is_strong_selfridge_prp": lambda x: bezout.is_strong_selfridge_prp((1 << 110503) - 1),
    "isqrt": lambda x: bezout.isqrt(x.a),
    "isqrt_rem": lambda x: bezout.isqrt_rem(x.a),
    "jacobi": lambda x: bezout.jacobi(x.c, x.d),
    "kronecker": lambda x: bezout.kronecker(x.c, x.d << 3),
    "lcm": lambda x: bezout.lcm(x.c, x.d),
    "legendre": lambda x: bezout.legendre(x.c, (1 << 3021377) - 1),
    "lucas": lambda x: bezout.lucas(300_000_000),
    "lucas2": lambda x: bezout.lucas2(300_000_000),
    "lucasu": lambda x: bezout.lucasu(3, -1, 20_000_000),
    "lucasu_mod": lambda x: bezout.lucasu_mod(3, -1, x.e, x.f),
    "lucasv": lambda x: bezout.lucasv(3, -1, 20_000_000),
    "lucasv_mod": lambda x: bezout.lucasv_mod(3, -1, x.e, x.f),
    "mod": lambda x: bezout.mod(x.a, x.b),
    "mpz_random": lambda x: bezout.mpz_random(x.state, x.a),
    "mul": lambda x: bezout.mul(x.a, x.a + 2),
    "multi_fac": lambda x: bezout.multi_fac(300_000_000, 7),
    "next_prime": lambda x: bezout.next_prime(1 << 20_000),
    "num_digits": lambda x: bezout.num_digits(x.a),
    "pack": lambda x: bezout.pack(x.words, 65),
    "powmod": lambda x: bezout.powmod(3, x.e, x.f),
    "powmod of a short modulus": lambda x: bezout.powmod(x.f, x.a, x.n),
    "powmod of an even modulus": lambda x: bezout.powmod(x.f, x.c, x.n << 64),
    "powmod_base_list": lambda x: bezout.powmod_base_list(x.words[:64], x.e, x.f),
    "powmod_exp_list": lambda x: bezout.powmod_exp_list(3, [x.e] * 64, x.f),
    "prev_prime": lambda x: bezout.prev_prime(1 << 20_000),
    "primorial": lambda x: bezout.primorial(600_000_000),
    "product": lambda x: bezout.product([x.c] * 64),
    "remainders": lambda x: bezout.remainders(x.a, x.words),
    "remove": lambda x: bezout.remove(x.a << 3, 2**89 - 1),
    "sort": lambda x: [bezout.sort(x.words) for _ in range(100)],
    "square": lambda x: bezout.square(x.a),
    "sub": lambda x: [bezout.sub(x.a, x.b) for _ in range(1000)],
    "t_div": lambda x: bezout.t_div(x.a, x.b),
    "t_divmod": lambda x: bezout.t_divmod(x.a, x.b),
    "t_mod": lambda x: bezout.t_mod(x.a, x.b),
    "to_binary": lambda x: [bezout.to_binary(x.a) for _ in range(1000)],
    "totient": lambda x: bezout.totient(x.n),
    "unpack": lambda x: bezout.unpack(x.a, 33),
    "mpz": lambda x: mpz(x.text),
    "mpz of hexadecimal digits": lambda x: mpz("0x" + x.text * 15),
    "mpz.__pow__": lambda x: x.a**3,
    "mpz.__str__": lambda x: str(x.a),
    "mpz.__format__": lambda x: format(x.a, ","),
    "mpz.__rpow__": lambda x: 3 ** mpz(200_000_000),
    "mpz.__divmod__": lambda x: divmod(x.a, x.b),
    "mpz.__truediv__": lambda x: [x.b / x.a for _ in range(1000)],
    "mpz.__lshift__": lambda x: [x.a << 3 for _ in range(1000)],
    "Batch": lambda x: [Batch(x.long) for _ in range(100)],
    "Batch.__floordiv__": lambda x: [x.batch // x.other for _ in range(100)],
    "Batch.__mul__": lambda x: [x.batch * x.other for _ in range(100)],
    "Batch.gcd": lambda x: x.batch.gcd(x.other),
    "Batch.invert": lambda x: x.batch.invert(x.other),
    "Batch.is_prime": lambda x: x.batch.is_prime(),
    "Batch.isqrt": lambda x: [x.batch.isqrt() for _ in range(100)],
    "Batch.mul_wide": lambda x: [x.batch.mul_wide(x.other) for _ in range(100)],
    "Batch.powmod": lambda x: x.batch.powmod(x.other, x.other),
    "Batch.tolist": lambda x: [x.batch.tolist() for _ in range(1000)],
    "Poly.__mul__": lambda x: [x.poly * x.short for _ in range(100)],
    "Poly.__divmod__": lambda x: divmod(x.poly, x.short),
    "Poly.__call__": lambda x: x.poly([int(y) for y in x.words[:100_000]]),
    "Poly.compose": lambda x: x.few.compose(x.few),
    "Poly.gcd": lambda x: x.poly.gcd(x.short),
    "Poly.gcdext": lambda x: x.poly.gcdext(x.short),
    "Poly.interpolate": lambda x: Poly.interpolate(range(100_000), x.words[:100_000], 2**61 - 1),
    "Poly.powmod": lambda x: Poly([1, 1], 2**61 - 1).powmod(x.e, x.short),
    "Poly.resultant": lambda x: x.poly.resultant(x.short),
}

# Over in an instant, or as soon as their operands are copied.
SHORT = """
    as_gmpy2 bit_clear bit_flip bit_length bit_mask bit_scan0 bit_scan1 bit_set bit_test c_div_2exp
    c_divmod_2exp c_mod_2exp cmp cmp_abs current_engine denom device_count f2q f_div_2exp
    f_divmod_2exp f_mod_2exp free_cache from_binary is_even is_odd is_zero last_engine license
    mp_limbsize mp_version mpz_from_old_binary mpz_rrandomb mpz_urandomb numer popcount powmod_sec
    qdiv set_engine sign t_div_2exp t_divmod_2exp t_mod_2exp version xbit_mask
""".split()


class Signalled(Exception):
    pass


def seconds_to_end(work, operands):
    """From the signal to the end; none where the work was over before."""

    def handler(*_):
        raise Signalled

    before = signal.signal(signal.SIGALRM, handler)
    start = time.monotonic()
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, AFTER)
            work(operands)
        finally:
            # A signal that comes just now is caught below.
            signal.setitimer(signal.ITIMER_REAL, 0)
    except (Signalled, ArithmeticError, ValueError):
        # A divisor that does not divide is told when the work is done.
        pass
    end = time.monotonic()
    signal.signal(signal.SIGALRM, before)
    # The signal came at this time, whether or not its handler could run at once.
    came = start + AFTER
    return end - came if end > came else None


def test_every_function_is_listed():
    functions = {
        name
        for name in bezout.__all__
        if inspect.isroutine(getattr(bezout, name)) and not inspect.isclass(getattr(bezout, name))
    }
    listed = {name.split()[0].split(".")[0] for name in LONG} | set(SHORT)
    assert functions - listed == set()


def run(names):
    """What took longer than promised, and how long."""
    operands = Operands()
    slow = {}
    for name in names:
        took = []
        for _ in range(TRIES):
            seconds = seconds_to_end(LONG[name], operands)
            if seconds is None or seconds <= PROMISED:
                break
            took.append(round(seconds, 2))
        else:
            slow[name] = took
        if os.environ.get("BEZOUT_SHOW_TIMES"):
            print(f"{name:32} {seconds if seconds is None else round(seconds, 3)}", flush=True)
    return slow


def test_signals_end_work():
    # In a process of its own, so that handlers of pytest's are not disturbed.
    child = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, timeout=1200
    )
    assert child.returncode == 0, child.stderr
    assert child.stdout == "{}\n", child.stdout


if __name__ == "__main__":
    print(run(sys.argv[1:] or LONG))
