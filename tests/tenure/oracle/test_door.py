"""Nobody becomes a target on forged evidence."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure import model
from tenure.model import (
    MINUTE,
    Basis,
    ClusterQueue,
    Evidence,
    Kin,
    Reason,
    Settings,
    Target,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.door import NotAllowed, take_target
from tenure.readings import Reading, preset
from tenure.rules.eligibility import basis_within_queue
from tenure.rules.terms import PreemptionTerms, terms_of
from tests.tenure.clusters import NOW, READINGS, Case, cases, queue, running, waiting


def terms(in_queue: ClusterQueue, reading: str = "guaranteed") -> PreemptionTerms:
    """The terms of a queue under default settings."""
    return terms_of(in_queue, Settings(), preset(reading))


PROTECTED = running("protected", quota_reserved_at=NOW - MINUTE)
EXPIRED = running("expired", quota_reserved_at=NOW - MINUTE - 1)
NEWER = running("newer", created_at=1)
LOWER = running("lower", priority=99)
HIGHER = running("higher", priority=101)
RIGHT = [
    (LOWER, None, Basis.LOWER_PRIORITY, Reason.IN_CLUSTER_QUEUE),
    (NEWER, None, Basis.NEWER_EQUAL, Reason.IN_CLUSTER_QUEUE),
    (EXPIRED, MINUTE, Basis.TIME_EXPIRED, Reason.IN_CLUSTER_QUEUE_TIME_BASED),
]


@pytest.mark.parametrize(("target", "duration", "basis", "reason"), RIGHT)
def test_the_right_evidence_makes_a_target_with_its_reason(
    target: Workload, duration: int | None, basis: Basis, reason: Reason
) -> None:
    made = take_target(waiting(), target, Evidence(basis), terms(queue(duration=duration)), NOW, Kin())
    assert (made.workload, made.reason, made.evidence) == (target, reason, Evidence(basis))


@pytest.mark.parametrize(("target", "duration", "basis", "reason"), RIGHT)
def test_any_other_evidence_is_not_allowed(
    target: Workload, duration: int | None, basis: Basis, reason: Reason
) -> None:
    for forged in set(Basis) - {basis}:
        with pytest.raises(NotAllowed, match=f"evidence is {forged.name}, KQ-300 finds {basis.name}"):
            take_target(waiting(), target, Evidence(forged), terms(queue(duration=duration)), NOW, Kin())


@pytest.mark.parametrize("target", [HIGHER, PROTECTED])
@pytest.mark.parametrize("basis", list(Basis))
def test_a_workload_that_may_not_be_preempted_passes_on_no_evidence(target: Workload, basis: Basis) -> None:
    with pytest.raises(NotAllowed, match=f"ml/preemptor may not preempt {target.key}"):
        take_target(waiting(), target, Evidence(basis), terms(queue(duration=MINUTE)), NOW, Kin())


def test_yesterdays_evidence_is_not_allowed_today() -> None:
    newer = running("newer", created_at=1, quota_reserved_at=NOW)
    evidence = Evidence(basis_within_queue(waiting(), newer, terms(queue()), NOW))
    with pytest.raises(NotAllowed):
        take_target(waiting(), newer, evidence, terms(queue(WithinClusterQueue.LOWER_PRIORITY)), NOW, Kin())


MADE = take_target(waiting(), LOWER, Evidence(Basis.LOWER_PRIORITY), terms(queue()), NOW, Kin())
FIELDS: dict[str, Any] = {"workload": PROTECTED, "reason": MADE.reason, "evidence": MADE.evidence}
Alias = Target


def derived() -> object:
    """A dataclass would make an initializer of its own."""

    @dataclasses.dataclass(frozen=True)
    class Descendant(Target):
        more: int = 0

    return Descendant(**FIELDS, more=1)


FORGED: dict[str, Callable[[], object]] = {
    "its class": lambda: Target(**FIELDS),
    "its class by another name": lambda: Alias(PROTECTED, MADE.reason, MADE.evidence),
    "its class, found by name": lambda: vars(model)["Target"](**FIELDS),
    "the class of another": lambda: type(MADE)(**FIELDS),
    "the class attribute of another": lambda: MADE.__class__(**FIELDS),
    "replaced": lambda: dataclasses.replace(MADE, workload=PROTECTED),
    "replaced as copies are": lambda: getattr(copy, "replace", dataclasses.replace)(MADE, workload=PROTECTED),
    "a descendant": derived,
    "a descendant made by name": lambda: type("Descendant", (Target,), {}),
    "copied": lambda: copy.copy(MADE),
    "copied deeply": lambda: copy.deepcopy(MADE),
    "pickled": lambda: pickle.dumps(MADE),
    "unpickled": lambda: MADE.__setstate__([PROTECTED, MADE.reason, MADE.evidence]),
    "initialized again": lambda: MADE.__init__(**FIELDS),  # type: ignore[misc]
    "assigned to": lambda: setattr(MADE, "workload", PROTECTED),
}


@pytest.mark.parametrize("how", FORGED)
def test_there_is_no_other_way_to_a_target(how: str) -> None:
    with pytest.raises((TypeError, dataclasses.FrozenInstanceError)):
        FORGED[how]()
    assert MADE.workload is LOWER


@settings(deadline=None, print_blob=True, max_examples=100)
@given(cases(), READINGS, st.sampled_from(Basis))
def test_the_door_opens_exactly_for_what_the_rule_finds(case: Case, reading: Reading, basis: Basis) -> None:
    held = terms_of(case.cluster.cluster_queues["q"], case.cluster.settings, reading)
    for target in case.cluster.admitted:
        found = basis_within_queue(case.preemptor, target, held, case.now)
        try:
            take_target(case.preemptor, target, Evidence(basis), held, case.now, Kin())
            opened = True
        except NotAllowed:
            opened = False
        assert opened == (found == basis != Basis.NONE)
