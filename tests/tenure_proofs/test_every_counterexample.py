"""Every refuted claim has values that replay, and a story in the order of time, as `make check` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import pytest

from docs.gen.proved import SEEDS
from tenure.manifests import parse_instant
from tenure_proofs.cache import Cache, default_folder
from tenure_proofs.counterexamples import Counterexample
from tenure_proofs.kept import verdicts
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.pool import end_solvers, prove_task
from tenure_proofs.registry import Verdict

REFUTED = [
    (identifier, reading)
    for identifier, obligation in OBLIGATIONS.items()
    for reading, verdict in obligation.expect.items()
    if verdict == Verdict.REFUTED
]


@pytest.fixture(scope="module")
def kept_example() -> Iterator[Callable[[str, str], Counterexample]]:
    """The counterexample of an obligation as `tenure prove` has it; whichever test asks first finds it."""
    ask = partial(prove_task, with_cvc5=True, seeds=SEEDS)
    found = verdicts(Cache(default_folder(), pytest.fail), with_cvc5=True, seeds=SEEDS)

    def example(identifier: str, reading: str) -> Counterexample:
        (result,) = found.run([(identifier, reading)], partial(map, ask))
        assert result.counterexample is not None, result.detail
        return result.counterexample

    yield example
    end_solvers()


@pytest.mark.parametrize(("identifier", "reading"), REFUTED)
def test_a_story_is_told_in_the_order_of_time(
    identifier: str, reading: str, kept_example: Callable[[str, str], Counterexample]
) -> None:
    story = kept_example(identifier, reading).story
    times = [parse_instant(line.split()[0], field="line") for line in story]
    assert all(before <= after for before, after in pairwise(times))


@pytest.mark.parametrize(("identifier", "reading"), REFUTED)
def test_every_counterexample_replays(
    identifier: str, reading: str, kept_example: Callable[[str, str], Counterexample]
) -> None:
    assert kept_example(identifier, reading).difference == ""
