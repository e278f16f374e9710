"""The command `bezout`: the command line of the Rust package, run by the compiled module."""

import signal
import sys

from bezout import _native


def main() -> int:
    """Runs the command line of this process and gives its exit code."""
    # Python's handler would only note an interrupt until the command ends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native._run_command(sys.argv)
