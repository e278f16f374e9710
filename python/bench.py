#!/usr/bin/env python3
"""Times bezout beside gmpy2, python-flint and int, and prints one table.

Contenders run in turn, several rounds, and the least time of each counts. Every answer is compared in
the same run. `--out FILE` writes the results as JSON. `--gpu` times powers modulo many numbers on a GPU
from a PyTorch tensor and back, beside gmpy2 on all cores. `--write-docs` makes the tables of
docs/python.md and the pictures beside it from the JSON files in bench/results/python.
"""

import argparse
import datetime
import hashlib
import json
import os
import platform
import random
import subprocess
import sys
import threading
import time
from operator import add, floordiv, mod, mul

# The package's sources lie beside this file, and the installed package is what is timed.
HERE = os.path.dirname(os.path.abspath(__file__))
if sys.path[0] == HERE:
    sys.path.append(sys.path.pop(0))

import bench_calls  # noqa: E402
import bench_report  # noqa: E402


def contenders():
    """The type of each library's integers, by name."""
    import bezout

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
    """Seconds that a turn of a loop with a call takes, and one of an empty loop."""
    turns = range(count)
    start = time.perf_counter()
    for _ in turns:
        function(*arguments)
    full = time.perf_counter() - start
    start = time.perf_counter()
    for _ in turns:
        pass
    return full / count, (time.perf_counter() - start) / count


def measure(work, seconds):
    """The least time of one call of each contender's work, in turn, less that of an empty loop."""
    rounds = 15
    counts = {}
    for name, (function, arguments) in work.items():
        once = max(loop(function, arguments, 1)[0], 1e-9)
        counts[name] = max(1, min(200_000, int(seconds / rounds / once)))
    best = dict.fromkeys(work, float("inf"))
    empty = float("inf")
    for _ in range(rounds):
        for name, (function, arguments) in work.items():
            full, nothing = loop(function, arguments, counts[name])
            best[name] = min(best[name], full)
            empty = min(empty, nothing)
    return {name: full - empty for name, full in best.items()}


def number(rng, bits):
    """A random odd number of exactly so many bits."""
    return rng.getrandbits(bits) | 1 << (bits - 1) | 1


def operations(quick):
    """(label, bits, operator or None for a conversion and back, operands), smallest first."""
    rng = random.Random(1)
    for bits in (64, 128, 256, 512):
        a, b = number(rng, bits), number(rng, bits - 3)
        for label, op in (("a + b", add), ("a * b", mul), ("a % b", mod), ("a // b", floordiv)):
            yield label, bits, op, (a, b)
    for exponent in (14, 17, 20) if quick else (14, 17, 20, 22, 24):
        a, b = number(rng, 1 << exponent), number(rng, 1 << exponent)
        yield "a * b", 1 << exponent, mul, (a, b)
    yield "int → mpz → int", 10**6, None, (number(rng, 10**6),)
    digits = 10**5 if quick else 10**6
    yield f"str(a), {digits} digits", int(digits * 3.3219), str, (number(rng, int(digits * 3.3219)),)


def host_results(options):
    """The rows of the table, each printed as soon as it is measured."""
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
        for name, answer in answers.items():
            same = answer == expected if op is str else int(answer) == int(expected)
            assert same, f"{name}: {label} of {bits} bits"
        best = measure(work, 0.2 if options.quick else 1.5)
        results.append({"operation": label, "bits": bits, "seconds": best})
        cells = "".join(f"{bench_report.shown(best.get(name)):>16}" for name in types)
        print(f"{label:24}{bits:>10}{cells}", flush=True)
    return results


def two_threads():
    """How many times the products of one thread two threads make in the same time."""
    import bezout

    rng = random.Random(2)
    # Products of this length are made by one thread of the library each.
    a, b = (bezout.mpz(number(rng, 1 << 15)) for _ in range(2))

    def products(count):
        for _ in range(count):
            a * b

    # What threads gain that share nothing at all: the machine's own limit.
    block = bytes(1 << 16)

    def hashes(count):
        for _ in range(count):
            hashlib.sha256(block).digest()

    def seconds(work, threads, count):
        workers = [threading.Thread(target=work, args=(count,)) for _ in range(threads)]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return time.perf_counter() - start

    def times(work):
        count = max(1, int(0.5 * 200 / seconds(work, 1, 200)))
        # In turn, as the clock of a machine that others use too changes from second to second.
        turns = [(seconds(work, 1, count), seconds(work, 2, count)) for _ in range(6)]
        return (min(part) / count for part in zip(*turns))

    one, two = times(products)
    alone, both = times(hashes)
    return {
        "bits": 1 << 15,
        "one": one,
        "two": two,
        "gain": 2 * one / two,
        "gain of hashlib": 2 * alone / both,
    }


def gmpy2_powers(rows):
    """What a process of the pool does: powers of its rows, and the time that they take."""
    import gmpy2

    rows = [tuple(map(gmpy2.mpz, row)) for row in rows]
    start = time.perf_counter()
    powers = [gmpy2.powmod(*row) for row in rows]
    return time.perf_counter() - start, list(map(int, powers))


def gpu_results(options):
    """Powers modulo numbers of 1024 bits, from a tensor on the GPU and back, beside gmpy2's."""
    import multiprocessing

    import torch

    import bezout

    count, width = (10**5 if options.quick else 10**6), 16
    generator = torch.Generator(device="cuda").manual_seed(1)

    def words():
        low, high = -(2**63), 2**63 - 1
        size = (count, width)
        return torch.randint(low, high, size, generator=generator, device="cuda", dtype=torch.int64)

    base, exponent, modulus = words(), words(), words()
    modulus[:, 0] |= 1

    def powers(rows):
        operands = [bezout.Batch.from_dlpack(tensor[:rows]) for tensor in (base, exponent, modulus)]
        result = torch.from_dlpack(operands[0].powmod(*operands[1:]))
        torch.cuda.synchronize()
        return result

    # The first call compiles the kernels.
    powers(1000)
    best, result = float("inf"), None
    for _ in range(3):
        start = time.perf_counter()
        result = powers(count)
        best = min(best, time.perf_counter() - start)

    def integers(tensor):
        rows = tensor.view(torch.int64).tolist()
        return [sum((w & 2**64 - 1) << 64 * i for i, w in enumerate(row)) for row in rows]

    cores = len(os.sched_getaffinity(0))
    each = 100 if options.quick else 2000
    sample = min(count, each * cores)
    operands = list(zip(*(integers(t[:sample]) for t in (base, exponent, modulus)), strict=True))
    parts = [operands[i::cores] for i in range(cores)]
    # Forked processes could not use the CUDA that this one has started.
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        done = pool.map(gmpy2_powers, parts, chunksize=1)
    rate = sum(len(part) / seconds for part, (seconds, _) in zip(parts, done, strict=True))
    expected = [None] * sample
    for i, (_, found) in enumerate(done):
        expected[i::cores] = found
    assert integers(result[:sample]) == expected, "a power differs"
    slow = count / rate
    entry = {
        "operation": "Batch.powmod, torch tensor and back",
        "bits": 64 * width,
        "rows": count,
        "seconds": {"bezout": best, "gmpy2": slow},
        "gmpy2_processes": cores,
        "gmpy2_rows_measured": sample,
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
    }
    print(f"{count} powers of 1024 bits: bezout {best:.3f} s, gmpy2 on {cores} cores {slow:.1f} s")
    print(f"ratio {slow / best:.1f}")
    return entry


def record(results, **more):
    """The JSON of a run."""
    import bezout

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE
    )
    versions = {"bezout": bezout.__version__, "python": platform.python_version()}
    for name in ("gmpy2", "flint"):
        module = sys.modules.get(name)
        if module is not None:
            version = module.version() if name == "gmpy2" else module.__version__
            versions["python-flint" if name == "flint" else name] = version
    return {
        "benchmark": "python",
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip() or os.environ.get("BEZOUT_COMMIT", ""),
        "cpu": bench_report.cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "versions": versions,
        "results": results,
        **more,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller sizes and less time")
    parser.add_argument("--calls", action="store_true", help="what a call on short numbers takes")
    parser.add_argument("--gpu", action="store_true", help="the part for a GPU, with PyTorch")
    parser.add_argument("--out", help="write the results as JSON")
    parser.add_argument("--write-docs", action="store_true", help="make tables and pictures anew")
    options = parser.parse_args()
    if options.write_docs:
        bench_report.write()
        return
    sys.set_int_max_str_digits(0)
    if options.gpu:
        made = record([gpu_results(options)])
    elif options.calls:
        made = record(bench_calls.results(options.quick))
    else:
        results = host_results(options)
        threads = two_threads()
        print(
            f"two threads make {threads['gain']:.2f} times the products of one, "
            f"and {threads['gain of hashlib']:.2f} times the hashes"
        )
        made = record(results, threads=threads)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(made, file, indent=1, ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    main()
