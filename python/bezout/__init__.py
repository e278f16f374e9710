"""Exact arithmetic at GPU speed: huge integers under gmpy2's names.

>>> import bezout
>>> bezout.mpz(3) * 4
mpz(12)
>>> bezout.gcd(2**700 - 1, 2**420 - 1) == 2**140 - 1
True

``mpz`` is an integer that behaves as Python's int does. gmpy2's functions of integers are here under
their own names, so that ``import bezout as gmpy2`` carries programs that use integers alone.
"""

import numbers as _numbers
import os as _os
from importlib.metadata import version as _version

from bezout import _native

_native._check_interpreter()

from bezout._arithmetic import (
    add,
    cmp,
    denom,
    div,
    floor_div,
    is_zero,
    mod,
    mul,
    numer,
    qdiv,
    sign,
    sub,
)
from bezout._lucas import (
    is_bpsw_prp,
    is_euler_prp,
    is_extra_strong_lucas_prp,
    is_fermat_prp,
    is_fibonacci_prp,
    is_lucas_prp,
    is_selfridge_prp,
    is_strong_bpsw_prp,
    is_strong_lucas_prp,
    is_strong_prp,
    is_strong_selfridge_prp,
    lucasu,
    lucasu_mod,
    lucasv,
    lucasv_mod,
)
from bezout._native import *  # noqa: F403

__version__ = _version("bezout")

__all__ = [name for name in dir(_native) if not name.startswith("_")] + [
    "add",
    "cmp",
    "denom",
    "div",
    "floor_div",
    "is_bpsw_prp",
    "is_euler_prp",
    "is_extra_strong_lucas_prp",
    "is_fermat_prp",
    "is_fibonacci_prp",
    "is_lucas_prp",
    "is_selfridge_prp",
    "is_strong_bpsw_prp",
    "is_strong_lucas_prp",
    "is_strong_prp",
    "is_strong_selfridge_prp",
    "is_zero",
    "license",
    "lucasu",
    "lucasu_mod",
    "lucasv",
    "lucasv_mod",
    "mod",
    "mp_limbsize",
    "mp_version",
    "mul",
    "numer",
    "qdiv",
    "sign",
    "sub",
    "version",
]

_numbers.Integral.register(_native.mpz)

# What users see and what pickles name is the package.
for _name in __all__:
    _item = globals().get(_name)
    if getattr(_item, "__module__", "").startswith("bezout._"):
        _item.__module__ = "bezout"
del _name, _item


def version() -> str:
    """The version of bezout.

    >>> import bezout
    >>> bezout.version() == bezout.__version__
    True
    """
    return __version__


def mp_version() -> str:
    """The library that does the arithmetic, and its version.

    >>> import bezout
    >>> bezout.mp_version().split()[0]
    'bezout'
    """
    return f"bezout {__version__}"


def mp_limbsize() -> int:
    """The bits of a limb.

    >>> import bezout
    >>> bezout.mp_limbsize()
    64
    """
    return 64


def license() -> str:
    """The licence of bezout.

    >>> import bezout
    >>> bezout.license()
    'bezout is licensed under MIT or Apache-2.0, at your choice.'
    """
    return "bezout is licensed under MIT or Apache-2.0, at your choice."


def _find_nvrtc() -> None:
    """Names the compiler of kernels that ``pip install bezout[cuda]`` brings, where it is there."""
    if _os.environ.get("BEZOUT_NVRTC"):
        return
    try:
        from importlib.metadata import files

        found = [file for file in files("nvidia-cuda-nvrtc") or [] if "libnvrtc.so" in file.name]
    except Exception:
        return
    if found:
        _os.environ["BEZOUT_NVRTC"] = str(found[0].locate())


_find_nvrtc()
