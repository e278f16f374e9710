"""The command `bezout`: the command line of the Rust package, run by the compiled module."""

import os
import signal
import sys
from pathlib import Path

from bezout import _native


def main() -> int:
    """Runs the command line of this process and gives its exit code."""
    # Python's handler would only note an interrupt until the command ends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    library = Path(__file__).with_name("libbezout_gmp.so")
    if library.exists():
        os.environ.setdefault("BEZOUT_GMP_SO", str(library))
    return _native._run_command(sys.argv)
