"""What is proved of nominal quota: no random state of a random configuration refutes it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from tenure.analysis import reached
from tenure.analysis.matrix import trees_of, why_uncovered
from tenure.model import Cluster
from tenure.readings import Reading
from tenure_proofs.analysis import reaching
from tenure_proofs.analysis.campaign import draw_configuration
from tenure_proofs.analysis.runs import LEVELS
from tenure_proofs.solvers import Cvc5


def test_no_random_state_refutes_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    count = counted(3, 60, monkeypatch, seed=6)
    assert count["refuted"] >= 4


def counted(proofs: int, states: int, monkeypatch: pytest.MonkeyPatch, seed: int = 1) -> Counter[str]:
    """Ask of random ClusterQueues until so many are proved; how many, and how many states refuted others."""
    print(f"seed {seed}")
    monkeypatch.setattr(reached, "STATES", states)
    count = Counter[str]()
    for cluster, reading, name, why in covered(seed):
        request = reached.unreached_state(cluster, LEVELS, reading, name)
        assert why or request is None, (name, cluster, request)
        count["proved" if not why else "open" if request is None else "refuted"] += 1
        if count["proved"] == proofs:
            break
    return count


def covered(seed: int) -> Iterator[tuple[Cluster, Reading, str, str]]:
    """Random ClusterQueues that are covered, each with why its nominal quota is not proved to be reached."""
    with Cvc5() as cvc5:
        for number in range(seed, seed + 10_000):
            cluster, reading = draw_configuration(random.Random(number), 3)
            for tree in trees_of(cluster):
                for name in tree.places if not why_uncovered(cluster, tree, reading) else ():
                    why = reaching.why_not_proved(cluster, tree, name, reading, cvc5)
                    if "not covered" not in why:
                        yield cluster, reading, name, why
