"""What a type checker makes of the stubs."""

import re

import pytest

api = pytest.importorskip("mypy.api")

# Each line's expression has the type that its comment names.
PROGRAM = """
from fractions import Fraction
from bezout import Batch, add, mpz
a = mpz(3) ** 100
reveal_type(a)  # bezout.mpz
reveal_type(a // 2)  # bezout.mpz
reveal_type(-7 % a)  # bezout.mpz
reveal_type(2 ** a)  # bezout.mpz
reveal_type(pow(a, 2, 7))  # bezout.mpz
reveal_type(divmod(7, a))  # tuple[bezout.mpz, bezout.mpz]
reveal_type(a / 2)  # float
reveal_type(a * 1.5)  # float
reveal_type(a + Fraction(1, 2))  # fractions.Fraction
reveal_type(add(1, a))  # bezout.mpz
reveal_type(Batch([1])[0:1])  # bezout.Batch
reveal_type(Batch([1])[0])  # bezout.mpz
"""


def test_operators_have_types(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + "wrong: int = a\n")
    out, _, _ = api.run(["--strict", "--cache-dir", str(tmp_path / "cache"), str(path)])
    lines = PROGRAM.splitlines()
    expected = {at: line.split("# ")[1] for at, line in enumerate(lines, 1) if "reveal" in line}
    revealed = {int(at): kind for at, kind in re.findall(r':(\d+): note: Revealed type is "(.*)"', out)}
    assert {at: kind.removeprefix("builtins.") for at, kind in revealed.items()} == expected, out
    assert out.count("error:") == 1 and f":{len(lines) + 1}: error: Incompatible types" in out
