"""One line about how far a campaign is."""

from __future__ import annotations

import time
from typing import TextIO

from tests.peers.campaign.histogram import Histogram
from tests.peers.campaign.verdicts import Kind

EVERY = 5.0
"""Seconds between two lines where nobody watches a terminal."""


class Progress:
    """Tells how far it is: on a terminal one line that changes, elsewhere a line every few seconds.

    Args:
        total: how many scenarios there will be.
        stream: where to.
    """

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._stream = stream
        self._start = self._told = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self._start

    def tell(self, histogram: Histogram) -> None:
        """Say so, unless it was said just now."""
        watched = self._stream.isatty()
        now = time.monotonic()
        if not watched and now - self._told < EVERY:
            return
        self._told = now
        failures = sum(
            number
            for verdict, number in histogram.verdicts.items()
            if not verdict.startswith((Kind.AGREE, Kind.DIVERGENCE, Kind.UNSTABLE))
        )
        rate = histogram.scenarios / max(self.seconds, 0.001)
        line = f"{histogram.scenarios} of {self._total}, {rate:.0f} a second, {failures} not explained"
        print(f"\r{line}" if watched else line, end="" if watched else "\n", file=self._stream, flush=True)

    def end(self) -> None:
        """Leave the line that changes."""
        if self._stream.isatty():
            print(file=self._stream)
