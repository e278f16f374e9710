"""``python -m bezout``: the command `bezout`."""

import sys

from bezout._command import main

if __name__ == "__main__":
    # The command's own name is what its messages begin with.
    sys.argv[0] = "bezout"
    sys.exit(main())
