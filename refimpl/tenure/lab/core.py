"""One scenario decided by the reference and by the optimized core.

The core is imported when it is asked: programs are compared where NumPy is not installed, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tenure.conformance.protocol import answer
from tenure.conformance.requests import DecideRequest
from tenure.engines import Engine
from tenure.errors import InputError
from tenure.model import Assignment, Cluster, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_by_reference
from tenure.readings import Reading

if TYPE_CHECKING:
    from tenure.fast import Arrays, CoreAnswer, Prepared

Object = dict[str, Any]

Said = tuple[str, tuple[tuple[str, str, str], ...], Assignment]
"""Outcome, then name, ground and reason of every victim in the order of removal, and the assignment."""

REFUSED = "the reading refuses the input"


class Approach(StrEnum):
    """How the core is asked."""

    FRESH = "asked of new arrays"
    GIVEN = "asked with the reference's assignment"
    KEPT = "asked of arrays that have changed, once and again"


WAYS = (Approach.FRESH, Approach.FRESH, Approach.GIVEN, Approach.FRESH, Approach.FRESH, Approach.KEPT)
"""In turn; new arrays occur often because that is what most users have."""


@dataclass(frozen=True, slots=True)
class DecidedTwice:
    """What both said.

    Args:
        reference, core: their answers; None where there is none.
        left: why the core left it to the reference; empty where it answered.
        fault: what went wrong in either; empty where nothing did.
    """

    reference: Said | None
    core: Said | None
    left: str = ""
    fault: str = ""

    @property
    def agree(self) -> bool:
        """Whether both said the same, or the core said that it does not answer."""
        return not self.fault and (bool(self.left) or self.reference == self.core)


def compare(request: DecideRequest, way: Approach) -> DecidedTwice:
    """Decide once by each.

    Args:
        request: what is decided; a fault of either is reported, and ends nothing.
        way: how the core is asked.
    """
    from tenure.fast import Uncovered

    expected: Said | None = None
    try:
        asked = (request.cluster, request.preemptor, request.queue, request.now, request.reading)
        expected = said_by_reference(decide_by_reference(*asked, request.assignment))
        answers = [said_by(answer) for answer in _answers(request, way, expected[2])]
    except InputError:
        return DecidedTwice(expected, None, REFUSED)
    except Uncovered as uncovered:
        return DecidedTwice(expected, None, uncovered.what)
    except _KeptDiffersError as differs:
        return DecidedTwice(differs.cold, differs.kept)
    except Exception as fault:  # noqa: BLE001 - it costs one scenario, and is a difference
        return DecidedTwice(expected, None, fault=f"{type(fault).__name__}: {fault}")
    different = [answer for answer in answers if answer != expected]
    return DecidedTwice(expected, different[0] if different else expected)


class _KeptDiffersError(Exception):
    """The prepared engine and a cold decision differ about another workload than the one that is compared."""

    def __init__(self, cold: Said, kept: Said) -> None:
        super().__init__(cold, kept)
        self.cold, self.kept = cold, kept


def _answers(request: DecideRequest, way: Approach, assignment: Assignment) -> Iterator[CoreAnswer]:
    from tenure.fast import Arrays, Prepared

    arrays = in_two_steps(request.cluster) if way is Approach.KEPT else Arrays(request.cluster)
    given = assignment if way is Approach.GIVEN else request.assignment
    asked = (arrays, request.preemptor, request.queue, request.now, request.reading, given)
    yield decide_by_core(*asked)
    if way is Approach.KEPT:
        engine = Prepared(arrays, request.reading)
        # Others first: the engine has then gone less far, or further, than this decision takes it.
        for other, usage in _others(request.preemptor, assignment):
            _agree_about(engine, other, request, usage)
        for _ in range(2):
            yield engine.decide(request.preemptor, request.queue, request.now, given)


def _others(preemptor: Workload, assignment: Assignment) -> Iterator[tuple[Workload, Assignment]]:
    """The same workload with half and with twice the request, and one of a higher priority."""
    for factor in (1, 4):
        usage = {at: amount * factor // 2 for at, amount in assignment.usage.items()}
        yield preemptor, replace(assignment, usage=usage)
    yield replace(preemptor, priority=preemptor.priority + 1), assignment


def _agree_about(engine: Prepared, other: Workload, request: DecideRequest, given: Assignment) -> None:
    """Ask the prepared engine and a cold decision about another workload.

    Raises:
        _KeptDiffersError: they differ.
    """
    kept = said_by(engine.decide(other, request.queue, request.now, given))
    cold = said_by(decide_by_core(engine.arrays, other, request.queue, request.now, request.reading, given))
    if kept != cold:
        raise _KeptDiffersError(cold, kept)


def decide_by_core(
    arrays: Arrays, preemptor: Workload, queue: str, now: Instant, reading: Reading, given: Assignment | None
) -> CoreAnswer:
    """The core's decision about arrays that nothing is kept of."""
    from tenure.fast import decide

    return decide(arrays, preemptor, queue, now, reading, given)


def said_by_reference(decision: Decision) -> Said:
    """The reference's decision in the form that is compared."""
    victims = tuple(
        (target.workload.key, target.evidence.ground.name, target.reason.label) for target in decision.targets
    )
    return str(decision.outcome), victims, decision.assignment


def said_by(answer: CoreAnswer) -> Said:
    """The core's answer in the same form."""
    victims = tuple((claim.key, claim.ground.name, claim.reason.label) for claim in answer.claims())
    return str(answer.outcome), victims, answer.assignment


def in_two_steps(cluster: Cluster) -> Arrays:
    """The cluster's arrays, every fourth workload added to what was built, and the first put in again."""
    from tenure.fast import Arrays

    late = [workload for place, workload in enumerate(cluster.admitted) if place % 4 == 3]
    arrays = Arrays(without(cluster, {workload.key for workload in late}))
    for workload in late:
        arrays.add(workload)
    for workload in cluster.admitted[:1]:
        arrays.change(workload)
    return arrays


def without(cluster: Cluster, gone: set[str]) -> Cluster:
    """The cluster without some workloads that hold quota."""
    left = tuple(workload for workload in cluster.admitted if workload.key not in gone)
    return replace(cluster, admitted=left)


def protocol_differs(scenario: Object) -> bool:
    """Whether the oracle's answers by both engines differ, who decided apart.

    Args:
        scenario: the `input` of call `decide`.
    """
    return _answer(scenario, Engine.REFERENCE) != _answer(scenario, Engine.FAST)


def _answer(scenario: Object, engine: Engine) -> Object:
    said = answer({"id": None, "call": "decide", "input": {**scenario, "engine": engine.value}})
    output = {
        key: value
        for key, value in said.get("output", {}).items()
        if key not in ("engine", "leftToReference")
    }
    return {**said, "output": output}
