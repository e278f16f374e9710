from fractions import Fraction as mpq
from typing import SupportsIndex

from bezout import *
from bezout import _Integer

__version__: str

def version() -> str: ...  # type: ignore[no-redef]
def _mpmath_create(
    man: _Integer, exp: SupportsIndex, prec: int = 0, rnd: str = "f", /
) -> tuple[int, mpz, int, int]: ...
def _mpmath_normalize(
    sign: int, man: _Integer, exp: SupportsIndex, bc: int, prec: int, rnd: str, /
) -> tuple[int, mpz, int, int]: ...
