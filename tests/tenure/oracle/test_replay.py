"""What allows victims that another engine has named, beside what the reference's own search finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

import pytest

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.errors import InputError
from tenure.model import Basis
from tenure.oracle.decide import Decision, decide, searched_request
from tenure.oracle.question import Question
from tenure.oracle.replay import evidence_of
from tenure_lab.generators.strategies import Feature, examples
from tests.tenure.clusters import requests_of_vectors

SEED = 20261123
COUNT = 150


@pytest.fixture(name="decisions", scope="module")
def _decisions() -> list[tuple[Decision, Question]]:
    """Decisions that search, of vectors and of random clusters, with the question that was searched for."""
    print(f"examples({COUNT}, {SEED})")
    return [*searched(requests_of_vectors()), *searched(drawn(False)), *searched(drawn(True))]


def drawn(fair: bool) -> Iterator[DecideRequest]:
    """Random requests with everything that is modelled."""
    for scenario in examples(COUNT, SEED, features=frozenset(Feature), fair_sharing=fair):
        with suppress(InputError):
            yield read_decide_request(scenario)


def searched(requests: Iterable[DecideRequest]) -> Iterator[tuple[Decision, Question]]:
    """The decisions that look for targets."""
    for asked in requests:
        about = asked.preemptor, asked.queue, asked.now, asked.reading, asked.assignment
        try:
            made = decide(asked.cluster, *about)
        except InputError:
            continue
        # Whom a PreemptionConfig selects has no evidence of `spec.preemption`.
        if made.selection is not None and made.queue.preemption_config is None:
            needed, request = made.assignment.needs_preemption, searched_request(made.assignment)
            question = Question(made.snapshot, made.preemptor, needed, request, made.terms, made.now)
            yield made, question


def test_the_victims_of_a_search_are_allowed_on_the_bases_that_it_found(
    decisions: list[tuple[Decision, Question]],
) -> None:
    seen: Counter[Basis] = Counter()
    for decision, question in decisions:
        assert decision.selection is not None
        if decision.selection.spared:  # others had left when their turn came
            continue
        victims = [target.workload for target in decision.targets]
        found = [evidence.basis for evidence in evidence_of(question, victims)]
        assert found == [target.evidence.basis for target in decision.targets]
        seen.update(found)
    assert set(seen) == set(Basis) - {Basis.NONE}


def test_whoever_is_no_candidate_is_allowed_on_no_basis(decisions: list[tuple[Decision, Question]]) -> None:
    allowed = refused = 0
    for decision, question in decisions:
        candidates = {candidate.workload.key for candidate in decision.candidates}
        for workload in decision.running:
            (evidence,) = evidence_of(question, [workload])
            if evidence.basis == Basis.NONE:
                refused += 1
            else:
                allowed += 1
                assert workload.key in candidates
    assert allowed
    assert refused


def test_with_a_victim_of_another_tree_none_is_allowed(
    decisions: list[tuple[Decision, Question]],
) -> None:
    decision, question = next(decision for decision in decisions if decision[0].targets)
    first = decision.targets[0].workload
    assert {evidence.basis for evidence in evidence_of(question, [first, question.preemptor])} == {Basis.NONE}
