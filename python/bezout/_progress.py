"""A bar of tqdm's for ``bezout.progress()`` without a callback."""

import sys
import time
from typing import Any

#: Least seconds between two states of a bar: on a terminal or in a notebook, and in a file of logs.
SHOWN_EVERY, LOGGED_EVERY = 0.1, 10.0


class Bar:
    """Shows how far long work is. The bar appears with the first news and ends with the block."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise ImportError(
                "bezout.progress() without a callback needs tqdm: pip install tqdm"
            ) from None
        self._make, self._bar = tqdm, None
        is_shown = sys.stderr is not None and sys.stderr.isatty() or "ipykernel" in sys.modules
        self._interval = SHOWN_EVERY if is_shown else LOGGED_EVERY
        self._due = 0.0

    def __call__(self, stage: str, fraction: float | None) -> None:
        bar: Any = self._bar
        if bar is None:
            shape = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}"
            bar = self._bar = self._make(total=1.0, bar_format=shape)
        bar.set_description_str(stage, refresh=False)
        if fraction is not None:
            bar.n = fraction
        if time.monotonic() >= self._due:
            bar.refresh()
            self._due = time.monotonic() + self._interval

    def close(self) -> None:
        """Ends the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
