"""Tables and pictures of what bench.py has measured, from the JSON files in bench/results/python."""

import json
import math
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results" / "python"
PAGE = ROOT / "docs" / "python.md"
PICTURES = ROOT / "docs" / "pictures"
BEGIN = "<!-- figures: made by `python python/bench.py --write-docs` -->"
END = "<!-- end of figures -->"
OTHERS = ("gmpy2", "python-flint", "int")


def cpu():
    """The processor's name."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown"


def shown(seconds):
    """A time in the unit that suits it."""
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.2f} {unit}"
    return f"{seconds * 1e9:.1f} ns"


def runs():
    """(name, contents) of each JSON file."""
    return [(path.stem, json.loads(path.read_text())) for path in sorted(RESULTS.glob("*.json"))]


def size(bits):
    """A number of bits, as a power of two where it is a large one; a dash where a row has none."""
    if bits is None:
        return "-"
    if bits >= 1 << 14 and bits & (bits - 1) == 0:
        return f"2^{bits.bit_length() - 1}"
    return f"{bits:,}".replace(",", " ")


def gain(row):
    """How many times faster than gmpy2 a row is."""
    seconds = row["seconds"]
    return seconds["gmpy2"] / seconds["bezout"] if "gmpy2" in seconds else None


def table(name, run):
    """The Markdown of one run."""
    device = run["results"][0].get("device")
    versions = ", ".join(f"{library} {version}" for library, version in run["versions"].items())
    lines = [
        f"**{name}**: {run['cpu']}, {run['cores']} cores{', ' + device if device else ''}; {versions};"
        f" commit {run['commit']}, {run['date']}.",
        "",
        "| operation | bits | bezout | " + " | ".join(OTHERS) + " | gmpy2 / bezout |",
        "|---|---|---|" + "---|" * (len(OTHERS) + 1),
    ]
    for row in run["results"]:
        label = row["operation"]
        if "rows" in row:
            label += f", {row['rows']} rows"
        times = [shown(row["seconds"].get(library)) for library in ("bezout", *OTHERS)]
        ratio = gain(row)
        cells = [label, size(row["bits"]), *times, f"{ratio:.2f}" if ratio else "-"]
        lines.append("| " + " | ".join(cells) + " |")
    if "threads" in run:
        threads = run["threads"]
        line = f"Two threads of Python make {threads['gain']:.2f} times the products of one"
        if "gain of hashlib" in threads:
            line += f", and {threads['gain of hashlib']:.2f} times the SHA-256 hashes"
        lines += ["", line + "."]
    return "\n".join([*lines, "", f"![speed of bezout over gmpy2](pictures/python-{name}.svg)"])


STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #1c2127; }
.soft { fill: #57606a; } .bar { fill: #0b6bcb; } .slow { fill: #c77700; } .one { stroke: #c22f2f; }
.page { fill: #ffffff; } .title { font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e9ee; } .soft { fill: #9aa6b2; } .bar { fill: #5aa9f5; } .slow { fill: #e3a04a; }
  .one { stroke: #ff7b72; }
  .page { fill: #12161b; }
}
</style>"""


def machine(run):
    """What a run was measured on, in few words."""
    return run["results"][0].get("device") or f"{run['cores']} CPU cores"


def picture(run):
    """A bar for each row: gmpy2's time over bezout's, on a logarithmic scale."""
    title = f"gmpy2's time over bezout's in Python, {machine(run)}"
    rows = [(row, gain(row)) for row in run["results"] if gain(row)]
    least = min(0.5, *(ratio for _, ratio in rows))
    most = max(2.0, *(ratio for _, ratio in rows))
    labels = [
        row["operation"] + (f", {size(row['bits'])} bits" if row["bits"] else "") for row, _ in rows
    ]
    # A character of this font is at most 8 wide on average.
    left, width, step = 20 + 8 * max(map(len, labels)), 420, 20
    height, across = 50 + step * len(rows), left + width + 90

    def at(ratio):
        return left + width * math.log(ratio / least) / math.log(most / least)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {height}" '
        f'width="{across}" height="{height}">',
        f"<title>{title}</title>",
        STYLE,
        f'<rect class="page" width="{across}" height="{height}"/>',
        f'<text class="title" x="10" y="20">{title}</text>',
    ]
    for place, (label, (_, ratio)) in enumerate(zip(labels, rows, strict=True)):
        y = 35 + step * place
        low, high = sorted((at(1), at(ratio)))
        kind = "bar" if ratio >= 1 else "slow"
        parts.append(f'<text class="soft" x="{left - 10}" y="{y + 12}" text-anchor="end">{label}</text>')
        parts.append(
            f'<rect class="{kind}" x="{low:.1f}" y="{y}" width="{max(high - low, 1):.1f}" height="{step - 6}"/>'
        )
        parts.append(f'<text x="{high + 6:.1f}" y="{y + 12}">{ratio:.2f}</text>')
    one = at(1)
    parts.append(f'<line class="one" x1="{one:.1f}" x2="{one:.1f}" y1="30" y2="{height - 12}"/>')
    parts.append(f'<text class="soft" x="{one:.1f}" y="{height - 1}" text-anchor="middle">1x: as fast as gmpy2</text>')
    return "\n".join([*parts, "</svg>", ""])


def section():
    """What stands between the marks of the page."""
    tables = [table(name, run) for name, run in runs()]
    return "\n\n".join([BEGIN, *tables, END])


def page():
    """The page with its section made anew."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    return before + section() + rest.split(END)[1]


def pictures():
    """Each picture's path and contents."""
    return {PICTURES / f"python-{name}.svg": picture(run) for name, run in runs()}


def write():
    """Writes the page and the pictures."""
    PAGE.write_text(page())
    for path, contents in pictures().items():
        path.write_text(contents)
