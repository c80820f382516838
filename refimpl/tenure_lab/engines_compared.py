"""One scenario decided by the reference and by the optimized core.

The core is imported when it decides: programs are compared where NumPy is not installed, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tenure.choices import Engine
from tenure.conformance.protocol import answer
from tenure.conformance.requests import DecideRequest
from tenure.errors import InputError
from tenure.model import Assignment, Cluster, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_by_reference
from tenure.readings import Reading

if TYPE_CHECKING:
    from tenure_simulate.core import Arrays, CoreAnswer

Object = dict[str, Any]

PlainAnswer = tuple[str, tuple[tuple[str, str, str], ...], Assignment]
"""Outcome, then name, basis and reason of every victim in the order of removal, and the assignment."""

REFUSED = "the reading refuses the input"


class Approach(StrEnum):
    """How the core gets a scenario."""

    FRESH = "new arrays"
    GIVEN = "the reference's assignment"
    CHANGED = "arrays that have changed"


WAYS = (Approach.FRESH, Approach.FRESH, Approach.GIVEN, Approach.FRESH, Approach.FRESH, Approach.CHANGED)
"""In turn; new arrays occur often because that is what most users have."""


@dataclass(frozen=True, slots=True)
class DecidedTwice:
    """Both answers.

    Args:
        reference, core: their answers; None without one.
        left: why the core left it to the reference; empty where it answered.
        fault: what went wrong in either; empty where nothing did.
    """

    reference: PlainAnswer | None
    core: PlainAnswer | None
    left: str = ""
    fault: str = ""

    @property
    def agree(self) -> bool:
        """Whether both answers are alike, or the core leaves the answer to the reference."""
        return not self.fault and (bool(self.left) or self.reference == self.core)


def compare(request: DecideRequest, way: Approach) -> DecidedTwice:
    """Decide once by each.

    Args:
        request: what is decided; a fault of either is reported, and ends nothing.
        way: how the core gets it.
    """
    from tenure_simulate.core import Uncovered

    expected: PlainAnswer | None = None
    try:
        arguments = (request.cluster, request.preemptor, request.queue, request.now, request.reading)
        expected = answer_of_reference(decide_by_reference(*arguments, request.assignment))
        core = answer_of_core(_answer_of_core(request, way, expected[2]))
    except InputError:
        return DecidedTwice(expected, None, REFUSED)
    except Uncovered as uncovered:
        return DecidedTwice(expected, None, uncovered.what)
    except Exception as fault:  # noqa: BLE001 - it costs one scenario, and is a difference
        return DecidedTwice(expected, None, fault=f"{type(fault).__name__}: {fault}")
    return DecidedTwice(expected, core)


def _answer_of_core(request: DecideRequest, way: Approach, assignment: Assignment) -> CoreAnswer:
    from tenure_simulate.core import Arrays

    arrays = in_two_steps(request.cluster) if way is Approach.CHANGED else Arrays(request.cluster)
    given = assignment if way is Approach.GIVEN else request.assignment
    return decide_by_core(arrays, request.preemptor, request.queue, request.now, request.reading, given)


def decide_by_core(
    arrays: Arrays, preemptor: Workload, queue: str, now: Instant, reading: Reading, given: Assignment | None
) -> CoreAnswer:
    """As `tenure_simulate.core.decide`."""
    from tenure_simulate.core import decide

    return decide(arrays, preemptor, queue, now, reading, given)


def answer_of_reference(decision: Decision) -> PlainAnswer:
    """The reference's decision in the form that is compared."""
    victims = tuple(
        (target.workload.key, target.evidence.basis.name, target.reason.label) for target in decision.targets
    )
    return str(decision.outcome), victims, decision.assignment


def answer_of_core(answer: CoreAnswer) -> PlainAnswer:
    """The core's answer in the same form."""
    victims = tuple((claim.key, claim.basis.name, claim.reason.label) for claim in answer.claims())
    return str(answer.outcome), victims, answer.assignment


def in_two_steps(cluster: Cluster) -> Arrays:
    """The cluster's arrays, every fourth workload added to what was built, and the first put in again."""
    from tenure_simulate.core import Arrays

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
    received = answer({"id": None, "call": "decide", "input": {**scenario, "engine": engine.value}})
    output = {
        key: value
        for key, value in received.get("output", {}).items()
        if key not in ("engine", "leftToReference")
    }
    return {**received, "output": output}
