"""What is proved of nominal quota: no random state of a random configuration refutes it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from tenure.model import Cluster, Cohort
from tenure.readings import Reading, preset
from tenure_check.analysis import nominal_quota, nominal_quota_proof
from tenure_check.analysis.campaign import draw_configuration
from tenure_check.analysis.encoded_decisions import LEVELS
from tenure_check.analysis.matrix import trees_of
from tenure_proofs.solvers import Cvc5
from tests.analyzed import ANY
from tests.clusters import cluster, queue

FREE = {"reclaim_within_cohort": ANY}


def test_no_random_state_refutes_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    count = counted(3, 60, monkeypatch, seed=6)
    assert count["refuted"] >= 4


@pytest.mark.parametrize(("stopped", "is_proved"), [("", True), ("spec.stopPolicy is Hold", False)])
def test_a_large_tree_is_asked_about_by_the_path_and_what_is_inactive(stopped: str, is_proved: bool) -> None:
    names = [f"q{number}" for number in range(40)]
    known = cluster(
        *(queue(name, f"c{number % 3}", (4, None, None), **FREE) for number, name in enumerate(names)),
        queue("stopped", "c1", (1, None, None), inactive=stopped),
        cohorts=tuple(Cohort(f"c{number}", "root") for number in range(3)),
    )
    (tree,) = trees_of(known)
    with Cvc5() as cvc5:
        why = nominal_quota_proof.why_not_proved(known, tree, "q0", preset("guaranteed"), cvc5)
    assert (why == "") == is_proved, why


def counted(proofs: int, states: int, monkeypatch: pytest.MonkeyPatch, seed: int = 1) -> Counter[str]:
    """Ask of random ClusterQueues until so many are proved; how many, and how many states refuted others."""
    print(f"seed {seed}")
    monkeypatch.setattr(nominal_quota, "STATES", states)
    count = Counter[str]()
    for drawn, reading, name, why in covered(seed):
        request = nominal_quota.unreached_state(drawn, LEVELS, reading, name)
        assert why or request is None, (name, drawn, request)
        count["proved" if not why else "open" if request is None else "refuted"] += 1
        if count["proved"] == proofs:
            break
    return count


def covered(seed: int) -> Iterator[tuple[Cluster, Reading, str, str]]:
    """Random ClusterQueues that are covered, each with why its nominal quota is not proved to be reached."""
    with Cvc5() as cvc5:
        for number in range(seed, seed + 10_000):
            drawn, reading = draw_configuration(random.Random(number), 3)
            for tree in trees_of(drawn):
                for name in tree.places:
                    why = nominal_quota_proof.why_not_proved(drawn, tree, name, reading, cvc5)
                    if "not covered" not in why:
                        yield drawn, reading, name, why
