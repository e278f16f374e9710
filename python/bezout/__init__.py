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
import sys as _sys

from bezout import _native
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
from bezout._gmpy2_names import f2q, free_cache, mpz_from_old_binary, xbit_mask
from bezout._gmpy2_names import missing as _missing
from bezout._native import *  # noqa: F403
from bezout._native import _version

__version__ = _version()

__all__ = [name for name in dir(_native) if not name.startswith("_")] + [
    "add",
    "as_gmpy2",
    "cmp",
    "denom",
    "div",
    "f2q",
    "floor_div",
    "free_cache",
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
    "mpz_from_old_binary",
    "mul",
    "numer",
    "qdiv",
    "sign",
    "sub",
    "version",
    "xbit_mask",
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


def as_gmpy2():
    """Has ``import gmpy2`` give ``bezout.gmpy2`` in this process, and returns that module.

    mpmath and SymPy, when they are imported afterwards, compute with bezout's integers. They choose
    once: RuntimeError where one of them has been imported with other integers already.

    ``import bezout; bezout.as_gmpy2(); import mpmath``
    """
    import bezout.gmpy2 as module

    if _sys.modules.get("gmpy2") is not module:
        for name in ("mpmath", "sympy"):
            if name in _sys.modules:
                words = f"{name} has chosen its integers already: call as_gmpy2() before importing it"
                raise RuntimeError(words)
        _sys.modules["gmpy2"] = module
    return module


def __getattr__(name: str):
    raise _missing(name)


def _find_nvrtc() -> None:
    """Names the compiler of kernels that NVIDIA's or PyTorch's packages bring.

    The library looks into packages beside its own and in conda's folders. This is for packages that
    lie elsewhere on ``sys.path``, as they do where bezout was installed for development.
    """
    if _os.environ.get("BEZOUT_NVRTC"):
        return
    own = _os.path.dirname(_os.path.dirname(_os.path.abspath(__file__)))
    # CUDA 12's compiler first: what it makes runs under newer drivers too.
    inside = [
        ["nvidia", "cuda_nvrtc", "lib"],
        ["nvidia", "cuda_nvrtc", "bin"],
        ["nvidia", "cu13", "lib"],
        ["nvidia", "cu13", "bin", "x86_64"],
        ["torch", "lib"],
    ]
    others = [folder for folder in _sys.path if folder and _os.path.abspath(folder) != own]
    places = [_os.path.join(folder, *names) for folder in others for names in inside]
    for place in places:
        try:
            names = sorted(_os.listdir(place))
        except OSError:
            continue
        for name in names:
            is_library = name.startswith("libnvrtc") and ".so." in name or name.startswith("nvrtc64_")
            if is_library and "builtins" not in name and ".alt." not in name:
                _os.environ["BEZOUT_NVRTC"] = _os.path.join(place, name)
                return


_find_nvrtc()
