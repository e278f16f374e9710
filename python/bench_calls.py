"""Quick calls on short numbers: what a call itself costs, beside gmpy2."""

import random
import subprocess
import sys
import timeit

# A statement for each call, on x and y of so many bits, an odd m of as many, the int i = int(x), and the
# library g. Where sizes are None, the statement has no operands.
CALLS = [
    ("fac(20)", "g.fac(20)", None),
    ("comb(50, 20)", "g.comb(50, 20)", None),
    ("fib(50)", "g.fib(50)", None),
    ("is_square(x)", "g.is_square(x)", (64, 256, 1024)),
    ("hash(x)", "hash(x)", (64, 1024, 4096)),
    ("x == y", "x == y", (64, 1024, 4096)),
    ("x == z, equal", "x == z", (64, 1024, 4096)),
    ("x < y", "x < y", (64, 1024, 4096)),
    ("-x", "-x", (64, 1024, 4096)),
    ("x & y", "x & y", (64, 1024, 4096)),
    ("x >> 7", "x >> 7", (64, 1024, 4096)),
    ("x << 7", "x << 7", (64, 1024, 4096)),
    ("bit_test(x, 5)", "g.bit_test(x, 5)", (64, 1024, 4096)),
    ("x.bit_test(5)", "x.bit_test(5)", (64, 1024, 4096)),
    ("popcount(x)", "g.popcount(x)", (64, 1024, 4096)),
    ("x.bit_length()", "x.bit_length()", (64, 1024, 4096)),
    ("int(x)", "int(x)", (64, 256, 1024, 4096)),
    ("mpz(i)", "g.mpz(i)", (32, 64, 256, 1024, 4096)),
    ("gcd(x, y)", "g.gcd(x, y)", (32, 64, 256)),
    ("lcm(x, y)", "g.lcm(x, y)", (32, 64, 256)),
    ("gcdext(x, y)", "g.gcdext(x, y)", (32, 64, 256)),
    ("invert(x, m)", "g.invert(x, m)", (32, 64, 256)),
    ("isqrt(x)", "g.isqrt(x)", (32, 64, 256)),
    ("iroot(x, 3)", "g.iroot(x, 3)", (32, 64, 256)),
    ("remove(x, 3)", "g.remove(x, 3)", (32, 64, 256)),
    ("f_mod(x, d)", "g.f_mod(x, d)", (32, 64, 256)),
    ("t_div(x, d)", "g.t_div(x, d)", (32, 64, 256)),
    ("powmod(x, y, m)", "g.powmod(x, y, m)", (32, 64, 256)),
    ("jacobi(x, m)", "g.jacobi(x, m)", (64, 256, 1024, 4096)),
    ("is_prime(c)", "g.is_prime(c)", (64, 256)),
]


def times(statement, bits, libraries, turns):
    """The least seconds of the statement by each library, measured in turn."""
    rng = random.Random(statement)
    size = bits or 64
    x, y, m = ((1 << size - 1) | rng.getrandbits(size - 1) for _ in range(3))
    # Composite without small factors that a first division would find, and the remover's number.
    c = m | 1
    while any(c % p == 0 for p in range(3, 300, 2)) or pow(2, c - 1, c) == 1:
        c += 2
    if "remove" in statement:
        x -= x % 27
    d = y >> size // 2
    timers, answers = [], []
    for library in libraries:
        names = {"x": x, "y": y, "z": x, "m": m | 1, "c": c, "d": d}
        names = {name: library.mpz(value) for name, value in names.items()}
        names |= {"i": x, "g": library}
        if "invert" in statement:
            while library.gcd(names["x"], names["m"]) != 1:
                names["x"] += 1
        answers.append(eval(statement, names))
        timers.append(timeit.Timer(statement, globals=names))
    assert all(str(answer) == str(answers[0]) for answer in answers), statement
    count = max(1, int(2e-4 / (timers[0].timeit(100) / 100)))
    best = [float("inf")] * len(timers)
    for _ in range(turns):
        for place, timer in enumerate(timers):
            best[place] = min(best[place], timer.timeit(count) / count)
    return best


# What mpmath is timed with, in a process of its own for each library.
MPMATH = """
import sys, timeit
if sys.argv[1] == "bezout":
    import bezout
    bezout.as_gmpy2()
import mpmath
assert mpmath.libmp.BACKEND == "gmpy"
mpmath.mp.dps = 30
x, y = mpmath.mpf(2) / 3, mpmath.mpf(5) / 7
timer = timeit.Timer(sys.argv[2], globals={"mpmath": mpmath, "x": x, "y": y})
count = timer.autorange()[0] // 10 + 1
print(min(timer.repeat(int(sys.argv[3]), count)) / count)
"""
STATEMENTS = ["x + y", "x * y", "x / y", "mpmath.sqrt(x)", "mpmath.exp(x)", "mpmath.log(x)", "mpmath.sin(x)"]


def mpmath_results(quick):
    """The rows of mpmath at 30 digits, with bezout in gmpy2's place and with gmpy2."""
    rows = []
    for statement in STATEMENTS:
        best = {"bezout": float("inf"), "gmpy2": float("inf")}
        for _ in range(1 if quick else 3):
            for library in best:
                command = [sys.executable, "-c", MPMATH, library, statement, "10" if quick else "50"]
                seconds = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                best[library] = min(best[library], seconds)
        label = f"mpmath at 30 digits: {statement}"
        rows.append({"operation": label, "bits": None, "seconds": best})
        show(label, best["bezout"], best["gmpy2"])
    return rows


def show(name, ours, theirs):
    """One row, as soon as it is measured."""
    print(f"{name:36}{ours * 1e9:10.1f}{theirs * 1e9:10.1f}{ours / theirs:8.2f}", flush=True)


def results(quick):
    """The rows of the table, each printed as soon as it is measured."""
    import gmpy2

    import bezout

    rows = []
    for label, statement, sizes in CALLS:
        for bits in sizes or (None,):
            ours, theirs = times(statement, bits, (bezout, gmpy2), 5 if quick else 25)
            rows.append({"operation": label, "bits": bits, "seconds": {"bezout": ours, "gmpy2": theirs}})
            name = f"{label}, {bits} bits" if bits else label
            show(name, ours, theirs)
    return rows + mpmath_results(quick)


if __name__ == "__main__":
    results(False)
