#!/usr/bin/env python3
"""Benchmark gmp-programs: programs that use GMP, with and without libbezout_gmp.so.

    python3 gmp/bench.py [--library PATH] [--python PYTHON] [--engine ENGINE] [--quick] [--out FILE]
    python3 gmp/bench.py --write-docs

The second form writes the tables of docs/gmp.md and README.md from the files in
bench/results/gmp-programs.

PYTHON must have gmpy2; `gp` is timed if it is installed. A figure of gmpy2 is the median of several
calls in one process, one of gp that of several processes; the least of three such figures counts.
The answers of both must be the same. Prints one JSON object.
"""

import argparse
import datetime
import hashlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# Runs with and without the library.
TURNS = 3

# What the README shows.
README_PROGRAMS = [
    "gmpy2 a*b 2^24 bits",
    "gmpy2 gcd 2^24 bits",
    "gmpy2 str 10000000 digits",
    "gp 1000000!",
    "gp pi 10000000 digits",
]

# Runs in a process of its own: times every operation, and gives a hash of its result.
WORKER = r"""
import gmpy2, hashlib, json, random, statistics, sys, time
sys.set_int_max_str_digits(0)
random.seed(1)
quick = sys.argv[1] == "1"
out = {}
def note(name, work, repeats):
    times = []
    while len(times) < repeats and sum(times) < 5:
        begin = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begin)
    if not isinstance(result, (tuple, str)):
        result = (result,)
    text = result if isinstance(result, str) else repr([gmpy2.digits(r, 16) for r in result])
    out[name] = [statistics.median(times), hashlib.sha256(text.encode()).hexdigest()]
def number(bits):
    return gmpy2.mpz(random.getrandbits(bits)) | (gmpy2.mpz(1) << (bits - 1)) | 1
# A GPU is woken by what it would have gained, and everything after that finds it awake.
begin = time.perf_counter()
a = number(1 << 25)
while time.perf_counter() - begin < 1:
    a * a
for power in (20, 22) if quick else (20, 24, 28):
    a, b = number(1 << power), number(1 << power)
    note(f"gmpy2 a*b 2^{power} bits", lambda: a * b, 9)
    if power > 24:
        continue
    note(f"gmpy2 gcd 2^{power} bits", lambda: gmpy2.gcd(a, b), 3)
    if power != 22:
        note(f"gmpy2 gcdext 2^{power} bits", lambda: gmpy2.gcdext(a, b), 3)
    note(f"gmpy2 a*b // a 2^{power} bits", lambda p=a * b + 7: p // a, 3)
digits = 10**6 if quick else 10**7
n = number(int(digits * 3.3219))
note(f"gmpy2 str {digits} digits", lambda: str(n), 3)
text = str(n)
note(f"gmpy2 mpz(text) {digits} digits", lambda: gmpy2.mpz(text), 3)
print(json.dumps(out))
"""


def environment(library, engine):
    """The variables of a process, with the library if there is one."""
    variables = dict(os.environ)
    variables.pop("LD_PRELOAD", None)
    if library:
        variables["LD_PRELOAD"] = library
        variables["BEZOUT_GMP_ENGINE"] = engine
    return variables


def gmpy2_times(python, quick, variables):
    command = [python, "-c", WORKER, "1" if quick else "0"]
    run = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def gp_times(quick, variables):
    factorial = 10**5 if quick else 10**6
    memory = "default(parisizemax, 16*10^9)\n"
    scripts = {f"gp {factorial}!": memory + f"print({factorial}! % (2^521 - 1))"}
    for digits in (10**5,) if quick else (10**6, 10**7):
        script = memory + f"default(realprecision, {digits}); print(Pi)"
        scripts[f"gp pi {digits} digits"] = script
    times = {}
    for name, script in scripts.items():
        seconds = []
        while len(seconds) < 3 and sum(seconds) < 10:
            begin = time.perf_counter()
            command = ["gp", "-q", "-f"]
            run = subprocess.run(
                command, input=script, env=variables, capture_output=True, text=True, check=True
            )
            seconds.append(time.perf_counter() - begin)
            if len(run.stdout) < 100:
                sys.exit(f"gp failed: {run.stdout} {run.stderr}")
        times[name] = [statistics.median(seconds), hashlib.sha256(run.stdout.encode()).hexdigest()]
    return times


def overhead(variables):
    """Nanoseconds of short calls, by tests/overhead.c; none where that cannot be compiled."""
    program = os.path.join(HERE, "..", "target", "overhead")
    source = os.path.join(HERE, "tests", "overhead.c")
    if subprocess.run(["cc", "-O2", "-o", program, source, "-lgmp"], capture_output=True).returncode:
        return {}
    run = subprocess.run([program], env=variables, capture_output=True, text=True, check=True)
    return {name: float(time) for name, time in map(str.split, run.stdout.splitlines())}


def seconds(time):
    """A time in a unit that suits it, to three digits."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if time >= size:
            break
    return f"{time / size:.3g} {unit}"


def table(record):
    """The Markdown table of a file."""
    machine = record["machine"]
    where = record["device"] or "no GPU"
    lines = [
        f"{where}; {machine['processor']}, {machine['cores']} cores; commit {record['commit'][:7]},"
        f" {record['date'][:10]}:",
        "",
        "| | GMP | with the library | times as fast |",
        "|---|---:|---:|---:|",
    ]
    for row in record["programs"]:
        times = seconds(row["gmp_seconds"]), seconds(row["bezout_seconds"])
        lines.append(f"| {row['name']} | {times[0]} | {times[1]} | {row['times_as_fast']:.3g} |")
    if record["short_calls"]:
        calls = [f"{row['name']} {row['more_nanoseconds']:g}" for row in record["short_calls"]]
        lines += ["", "Nanoseconds more than GMP for a call below its threshold: " + ", ".join(calls) + "."]
    return "\n".join(lines)


def summary(records):
    """The README's table: how many times as fast a few programs are on each machine."""

    def machine(record):
        device = (record["device"] or "").split(",")[0]
        return device or f"{record['machine']['cores']} cores, no GPU"

    names = [machine(record) for record in records]
    lines = ["| times as fast as with GMP alone | " + " | ".join(names) + " |"]
    lines.append("|---|" + "---:|" * len(names))
    for program in README_PROGRAMS:
        cells = []
        for record in records:
            row = next(row for row in record["programs"] if row["name"] == program)
            cells.append(f"{row['times_as_fast']:.3g}")
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_between(page, text):
    """Replaces what stands between the marks of a page."""
    page = os.path.join(HERE, "..", page)
    with open(page) as file:
        before, rest = file.read().split("<!-- gmp-programs -->\n")
        after = rest.split("<!-- end -->\n", 1)[1]
    with open(page, "w") as file:
        file.write(f"{before}<!-- gmp-programs -->\n{text}\n<!-- end -->\n{after}")


def write_docs():
    folder = os.path.join(HERE, "..", "bench", "results", "gmp-programs")
    records = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as file:
            records.append(json.load(file))
    write_between("docs/gmp.md", "\n\n".join(table(record) for record in records))
    write_between("README.md", summary(records))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write-docs", action="store_true")
    built = os.path.join(HERE, "..", "target", "release", "libbezout_gmp.so")
    parser.add_argument("--library", default=built)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--quick", action="store_true", help="shorter numbers")
    parser.add_argument("--out", help="write the JSON there too")
    options = parser.parse_args()
    if options.write_docs:
        return write_docs()
    library = os.path.realpath(options.library)
    if not os.path.isfile(library):
        sys.exit(f"{library} is missing: cargo build --release -p bezout-gmp")
    without, with_it = environment(None, ""), environment(library, options.engine)

    rows = []
    suites = [lambda variables: gmpy2_times(options.python, options.quick, variables)]
    if shutil.which("gp"):
        suites.append(lambda variables: gp_times(options.quick, variables))
    for suite in suites:
        # In turn, because the clock of a machine changes; the least time of each counts.
        turns = [(suite(without), suite(with_it)) for _ in range(TURNS)]
        for name, (_, answer) in turns[0][0].items():
            if any(run[name][1] != answer for turn in turns for run in turn):
                sys.exit(f"{name}: the answers differ")
            seconds, served = (min(turn[i][name][0] for turn in turns) for i in (0, 1))
            row = {"name": name, "gmp_seconds": seconds, "bezout_seconds": served}
            row["times_as_fast"] = seconds / served
            rows.append(row)
    short = []
    if shutil.which("cc"):
        plain, served = overhead(without), overhead(with_it)
        for name, time in plain.items():
            more = round(served[name] - time, 2)
            short.append({"name": name, "gmp_nanoseconds": time, "more_nanoseconds": more})
    git = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True)
    commit = os.environ.get("BEZOUT_COMMIT") or git.stdout.strip()
    record = {
        "benchmark": "gmp-programs",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": commit or None,
        "machine": {"cores": os.cpu_count(), "processor": processor(), "load": os.getloadavg()[0]},
        "engine": options.engine,
        "device": device(),
        "verified": True,
        "programs": rows,
        "short_calls": short,
    }
    text = json.dumps(record, indent=2)
    print(text)
    if options.out:
        with open(options.out, "w") as file:
            file.write(text + "\n")


def device():
    """The first GPU's name and driver; none without one."""
    command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    if not shutil.which(command[0]):
        return None
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    return lines[0] if lines else None


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
            return names[0]
    except (OSError, IndexError):
        return platform.processor()


main()
