"""bezout in gmpy2's place, for libraries that look for gmpy2.

>>> import bezout.gmpy2 as gmpy2
>>> gmpy2.mpq(gmpy2.mpz(6), 4), gmpy2.version() >= "2.1"
(Fraction(3, 2), True)

``bezout.as_gmpy2()`` has ``import gmpy2`` give this module. mpmath and SymPy then compute with bezout's
integers. It has what they use: the integers, ``mpq`` (``fractions.Fraction``), and mpmath's two helpers.
"""

from fractions import Fraction as mpq

import bezout as _bezout
from bezout import *  # noqa: F403
from bezout._gmpy2_names import missing as _missing
from bezout._native import _mpmath_create, _mpmath_normalize

__all__ = [*_bezout.__all__, "_mpmath_create", "_mpmath_normalize", "mpq"]

__version__ = "2.3.2"


def version() -> str:
    """The version of gmpy2 whose names of integers these are.

    >>> from bezout import gmpy2
    >>> gmpy2.version()
    '2.3.2'
    """
    return __version__


def __getattr__(name: str):
    raise _missing(name)
