"""Why an expectation on a decision fails, in a few lines: which fields cause it, by which rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Final

from tenure.explanation.answers import elsewhere, sentence
from tenure.explanation.counterfactuals import Counterfactual, Situation, Wish, search_counterfactuals
from tenure.explanation.explain import WorkloadExplanation, explain_workload
from tenure.explanation.remarks import BASIS_RULES, Remark
from tenure.explanation.summary import summarize
from tenure.explanation.verdicts import remark_lines
from tenure.model import Workload
from tenure.oracle.decide import Decision

_WORKLOADS: Final = 3
"""How many workloads a failure lists."""
_FINDINGS: Final = 4
"""How many findings it lists of each."""
_FIELDS: Final = 3
"""How many fields it names."""
_ALL: Final = 99
"""More changes than a search finds."""


@dataclass(frozen=True, slots=True)
class AsExpected(Wish):
    """The part of an expectation about a decision.

    Args:
        outcome: the decision, if one is expected.
        preempted: exactly the victims, `namespace/name`, if they are.
        kept: workloads that are not preempted.
    """

    without_harm: ClassVar[bool] = False

    outcome: str | None = None
    preempted: frozenset[str] | None = None
    kept: frozenset[str] = frozenset()

    def is_open(self, before: Decision) -> bool:
        return not self.is_granted(before, before)

    def is_granted(self, before: Decision, after: Decision) -> bool:  # noqa: ARG002 - of every wish
        victims = {target.workload.key for target in after.targets}
        return bool(
            self.outcome in (None, str(after.outcome))
            and self.preempted in (None, victims)
            and not victims & self.kept
        )


def cause_lines(decision: Decision, expected: AsExpected, workloads: Sequence[Workload]) -> Iterator[str]:
    """Why a decision is not as expected.

    Args:
        decision: what was decided.
        expected: what was expected.
        workloads: the running workloads that fare otherwise than expected; none where the outcome differs.
    """
    if not workloads:
        _, *shortfalls = summarize(decision)
        yield from shortfalls
    found = _changes(decision, expected)
    fields = sorted(found, key=lambda change: change.object.startswith("Workload/"))[:_FIELDS]
    if fields:
        yield "It would be as expected"
        yield from (f"  {change.sentence}" for change in fields)
    concerned = workloads or _concerned(decision, fields)
    for workload in concerned[:_WORKLOADS]:
        yield from _workload_lines(decision, workload)
    rest = len(concerned) - _WORKLOADS
    if rest > 0:
        yield f"and {rest} more"


def _changes(decision: Decision, expected: AsExpected) -> list[Counterfactual]:
    counterfactuals = search_counterfactuals(Situation.of(decision), None, _ALL, expected).counterfactuals
    # The clock is the expectation's own; queues are what changes, and workloads are what they are tried on.
    return [change for change in counterfactuals if change.object != "clock"]


def allowing_fields(decision: Decision, expected: AsExpected) -> list[tuple[str, str]]:
    """Fields of the configuration with another value of which a decision would be as expected.

    Args:
        decision: what was decided.
        expected: what was expected.

    Returns:
        objects and paths, the smallest change first.
    """
    found = _changes(decision, expected)
    return [(change.object, change.field) for change in found if not change.object.startswith("Workload/")][
        :_FIELDS
    ]


def _concerned(decision: Decision, fields: Sequence[Counterfactual]) -> list[Workload]:
    """A victim for each reason; else the first that there would be with a field as it should be."""
    if decision.targets:
        first_of = {target.evidence.basis: target.workload for target in reversed(decision.targets)}
        return list(reversed(first_of.values()))
    first = {key for change in fields for key in change.preempted[:1]}
    return [workload for workload in decision.running if workload.key in first][:1]


def _workload_lines(decision: Decision, workload: Workload) -> Iterator[str]:
    """How a running workload fares, and the findings behind it."""
    found = next((running for running in decision.running if running.key == workload.key), None)
    if found is None:
        yield sentence(workload.key, elsewhere(decision, workload), decision.preemptor.key)
        return
    explained = explain_workload(decision, found)
    yield sentence(workload.key, explained.verdict, decision.preemptor.key)
    yield from remark_lines([*islice(_behind(decision, explained), _FINDINGS)])


def _behind(decision: Decision, explained: WorkloadExplanation) -> Iterator[Remark]:
    """The findings that decide: of a victim those that allow it, of any other those that do not."""
    bases = {target.workload.key: target.evidence.basis for target in decision.targets}
    basis = bases.get(explained.workload)
    for remark in explained.remarks:
        within_quota = remark.rule == "KQ-200" and remark.holds
        if remark.rule in BASIS_RULES[basis] if basis is not None else not remark.holds or within_quota:
            yield remark
