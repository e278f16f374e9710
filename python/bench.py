#!/usr/bin/env python3
"""Times bezout beside gmpy2, python-flint and int, and prints one table.

Contenders run in turn, several rounds, and the least time of each counts. Every answer is compared with
int's in the same run. `--out FILE` writes the results as JSON.
"""

import argparse
import datetime
import json
import os
import platform
import random
import subprocess
import sys
import time
from operator import add, floordiv, mod, mul

import bezout


def contenders():
    """The type of each library's integers, by name."""
    found = {"bezout": bezout.mpz, "int": int}
    try:
        import gmpy2

        found["gmpy2"] = gmpy2.mpz
    except ImportError:
        pass
    try:
        import flint

        found["python-flint"] = flint.fmpz
    except ImportError:
        pass
    return found


def loop(function, arguments, count):
    """Seconds that a call takes, without those of the loop."""
    turns = range(count)
    start = time.perf_counter()
    for _ in turns:
        function(*arguments)
    full = time.perf_counter() - start
    start = time.perf_counter()
    for _ in turns:
        pass
    return max(full - (time.perf_counter() - start), 0.0) / count


def measure(work, seconds):
    """The least time of one call of each contender's work, in turn, over five rounds."""
    counts = {}
    for name, (function, arguments) in work.items():
        once = max(loop(function, arguments, 1), 1e-9)
        counts[name] = max(1, min(200_000, int(seconds / 5 / once)))
    best = dict.fromkeys(work, float("inf"))
    for _ in range(5):
        for name, (function, arguments) in work.items():
            best[name] = min(best[name], loop(function, arguments, counts[name]))
    return best


def operations(quick):
    """(label, bits, function of a type that gives the work of a contender), smallest first."""
    rng = random.Random(1)

    def number(bits):
        return rng.getrandbits(bits) | 1 << (bits - 1) | 1

    for bits in (64, 128, 256, 512):
        a, b = number(bits), number(bits - 3)
        for label, op in (("a + b", add), ("a * b", mul), ("a % b", mod), ("a // b", floordiv)):
            yield label, bits, op, (a, b)
    for exponent in (14, 17, 20) if quick else (14, 17, 20, 22, 24):
        a, b = number(1 << exponent), number(1 << exponent)
        yield "a * b", 1 << exponent, mul, (a, b)
    a = number(10**6)
    yield "int -> mpz -> int", 10**6, None, (a,)
    digits = 10**5 if quick else 10**6
    yield f"str(a), {digits} digits", int(digits * 3.3219), str, (number(int(digits * 3.3219)),)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller sizes and less time")
    parser.add_argument("--out", help="write the results as JSON")
    options = parser.parse_args()
    sys.set_int_max_str_digits(0)
    types, results = contenders(), []
    print(f"{'operation':24}{'bits':>10}" + "".join(f"{name:>16}" for name in types))
    for label, bits, op, values in operations(options.quick):
        work, answers = {}, {}
        for name, kind in types.items():
            # Products of ints and their text take too long to be worth a row.
            if name == "int" and (bits > 1 << 20 or (op is str and bits > 10**5)):
                continue
            if op is None:
                work[name] = (lambda value, kind=kind: int(kind(value)), values)
            else:
                work[name] = (op, tuple(map(kind, values)))
            function, arguments = work[name]
            answers[name] = function(*arguments)
        expected = answers["bezout"]
        if "gmpy2" in answers:
            assert int(expected) == int(answers["gmpy2"]) if op is not str else True, label
        assert all(str(answer) == str(expected) for answer in answers.values()), label
        best = measure(work, 0.2 if options.quick else 1.0)
        results.append({"operation": label, "bits": bits, "seconds": best})
        cells = "".join(f"{shown(best.get(name)):>16}" for name in types)
        print(f"{label:24}{bits:>10}{cells}", flush=True)
    if options.out:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True)
        record = {
            "benchmark": "python",
            "date": datetime.date.today().isoformat(),
            "commit": commit.stdout.strip() or os.environ.get("BEZOUT_COMMIT", ""),
            "machine": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "results": results,
        }
        with open(options.out, "w") as file:
            json.dump(record, file, indent=1)


def shown(seconds):
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.2f} {unit}"
    return f"{seconds * 1e9:.1f} ns"


if __name__ == "__main__":
    main()
