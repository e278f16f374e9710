"""A bar of tqdm's for ``bezout.progress()`` without a callback."""

from typing import Any


class Bar:
    """Shows how far long work is. The bar appears with the first news and ends with the block."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError(
                "bezout.progress() without a callback needs tqdm: pip install tqdm"
            ) from None
        self._make, self._bar = tqdm, None

    def __call__(self, stage: str, fraction: float | None) -> None:
        bar: Any = self._bar
        if bar is None:
            shape = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}"
            bar = self._bar = self._make(total=1.0, bar_format=shape)
        bar.set_description_str(stage, refresh=False)
        if fraction is not None:
            bar.n = fraction
        bar.refresh()

    def close(self) -> None:
        """Ends the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
