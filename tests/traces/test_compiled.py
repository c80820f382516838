"""The trace engine, compiled, does what `play` does."""

from __future__ import annotations

import pytest

from tenure.fast.compiled import COMPILED
from tests.traces.drawn import drawn
from tests.traces.equality import Compared, difference


@pytest.mark.skipif(not COMPILED, reason="it is interpreted here; test_equality.py does the same so")
def test_every_event_of_random_plays_is_the_same_when_compiled() -> None:
    compared = Compared()
    for seed in (16, 31, 88, 145, 286, 368):
        assert difference(*drawn(seed, 30), compared) == ""
    assert compared.preemptions
