"""Guarantees as JSON has them, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from tenure.units import format_duration
from tenure_check.analysis.guarantee_types import Attacker, GuaranteesAnswer, GuardedWorkloads
from tenure_check.analysis.guarantees import Guarantees, Narrowing
from tenure_check.analysis.matrix import CellResult, CellVerdict
from tenure_check.analysis.matrix_types import MatrixRole
from tenure_check.analysis.matrix_words import written_example
from tenure_check.analysis.states import CellQuery, PriorityLevel

AT_ONCE, AFTER, LATER = "at once", "after", "later"

_QUOTA: Final = {
    CellVerdict.CAN.value: "also within its nominal quota",
    CellVerdict.NEVER.value: "only above its nominal quota",
    CellVerdict.UNKNOWN.value: "within its nominal quota: not known",
}
_WHEN: Final = {
    AT_ONCE: "may be preempted at once",
    LATER: "is never preempted at once, but may be later,",
    CellVerdict.UNKNOWN.value: "may be preempted, from when on is not known,",
}


def guarantees_answer(
    found: Guarantees, reading: str, seed: int, solvers: Mapping[str, str]
) -> GuaranteesAnswer:
    """The whole answer.

    Args:
        found: what is known.
        reading: the reading's name.
        seed: of the random states.
        solvers: who proved, by version.
    """
    matrix = found.matrix
    cells = tuple(_guarded(found, queue, level) for queue, level in product(matrix.queues, matrix.levels))
    unsettled = sum(len(guarded.unknown_by) for guarded in cells) + sum(
        CellVerdict.UNKNOWN.value in (attacker.when, attacker.within_nominal)
        for guarded in cells
        for attacker in guarded.attackers
    )
    return GuaranteesAnswer(
        scope=matrix.scope.value,
        premises=matrix.premises,
        reading=reading,
        kueue=None,
        seed=seed,
        solvers=dict(solvers),
        unsettled=unsettled,
        cells=cells,
        warnings=(),
    )


def with_contrary(answer: GuaranteesAnswer, literal: GuaranteesAnswer) -> GuaranteesAnswer:
    """An answer with what the reading `as-written` says otherwise.

    Args:
        answer: under another reading.
        literal: under `as-written`, of the same configuration.
    """
    cells = tuple(
        replace(
            guarded,
            as_written=tuple(said for said in other.sentences if said not in guarded.sentences),
        )
        for guarded, other in zip(answer.cells, literal.cells, strict=True)
    )
    return replace(answer, cells=cells)


def _guarded(found: Guarantees, queue: str, level: PriorityLevel) -> GuardedWorkloads:
    never, unknown, attackers = [], [], []
    why: dict[str, None] = {}
    for preemptor, high in product(found.matrix.queues, found.matrix.levels):
        side = MatrixRole(preemptor, high.name, high.priority)
        verdict = found.matrix.verdict(preemptor, high.priority, queue, level.priority)
        if verdict == CellVerdict.NEVER:
            never.append(side)
        elif verdict == CellVerdict.UNKNOWN:
            unknown.append(side)
            apart = found.matrix.apart.get((preemptor, queue))
            why |= {} if apart is None else {apart.why: None}
        for reason, settled in found.matrix.of(preemptor, high.priority, queue, level.priority):
            if settled.verdict == CellVerdict.CAN:
                cell = CellQuery(preemptor, high.priority, queue, level.priority, reason)
                attackers.append(_attacker(found, cell, side, settled))
    guarded = GuardedWorkloads(
        workloads=MatrixRole(queue, level.name, level.priority),
        never_by=tuple(never),
        unknown_by=tuple(unknown),
        attackers=tuple(attackers),
        min_admit_duration=found.durations[queue],
        sentences=(),
        as_written=(),
    )
    return replace(guarded, sentences=tuple(_sentences(guarded, why)))


def _attacker(found: Guarantees, cell: CellQuery, side: MatrixRole, settled: CellResult) -> Attacker:
    at_once = found.of(cell, Narrowing.AT_ONCE)
    protected = found.of(cell, Narrowing.PROTECTED)
    within = found.of(cell, Narrowing.WITHIN)
    assert at_once is not None
    assert within is not None
    when, why = _when(at_once, protected)
    shown = next(
        (known for known in (at_once, protected, settled) if known is not None and known.example is not None),
        settled,
    )
    return Attacker(
        preemptor=side,
        reason=cell.reason.label,
        when=when,
        longer_than=found.durations[cell.victim] if when == AFTER else None,
        within_nominal=within.verdict.value,
        why=why,
        example=None if shown.example is None else written_example(shown.example),
    )


def _when(at_once: CellResult, protected: CellResult | None) -> tuple[str, str]:
    if at_once.verdict == CellVerdict.CAN:
        return AT_ONCE, at_once.why
    if protected is not None and protected.verdict == CellVerdict.NEVER:
        return AFTER, protected.why
    if at_once.verdict == CellVerdict.NEVER:
        return LATER, at_once.why
    return CellVerdict.UNKNOWN.value, at_once.why


def _sentences(guarded: GuardedWorkloads, why: Iterable[str]) -> Iterator[str]:
    """One for each way of being preempted, and what never happens."""
    groups: dict[tuple[object, ...], list[MatrixRole]] = {}
    for attacker in guarded.attackers:
        own = attacker.preemptor.cluster_queue == guarded.workloads.cluster_queue
        key = attacker.when, attacker.longer_than, attacker.within_nominal, attacker.reason, own
        groups.setdefault(key, []).append(attacker.preemptor)
    for (when, longer, within, reason, _), sides in sorted(groups.items(), key=lambda found: str(found[0])):
        told, aside = _told(sides, guarded), f"({reason}, {_QUOTA[str(within)]})"
        if isinstance(longer, int):
            yield f"keeps {format_duration(longer)} from {told}, and may be preempted after {aside}"
        else:
            yield f"{_WHEN[str(when)]} by {told} {aside}"
    if guarded.never_by:
        yield f"is never preempted by {_told(guarded.never_by, guarded)}"
    if guarded.unknown_by:
        reasons = "".join(f": {reason}" for reason in why)
        yield f"may or may not be preempted by {_told(guarded.unknown_by, guarded)}: not known{reasons}"


def _told(sides: Sequence[MatrixRole], guarded: GuardedWorkloads) -> str:
    """Priorities by ClusterQueue, as seen by those that are guarded."""
    by_queue: dict[str, list[MatrixRole]] = {}
    for side in sides:
        by_queue.setdefault(side.cluster_queue, []).append(side)
    own = guarded.workloads.cluster_queue
    told = []
    for name, known in by_queue.items():
        classes = ", ".join(_named(side, guarded) for side in known)
        told.append(f"{classes} of {'its own ClusterQueue' if name == own else name}")
    return "; ".join(told)


def _named(side: MatrixRole, guarded: GuardedWorkloads) -> str:
    is_equal = side.priority == guarded.workloads.priority
    return f"equals ({side.priority_class})" if is_equal else side.priority_class


def guarantee_lines(answer: GuaranteesAnswer) -> Iterator[str]:
    """The guarantees line by line."""
    yield f"What running workloads may count on: scope {answer.scope}, reading {answer.reading}"
    for guarded in answer.cells:
        yield from ("", f"{guarded.workloads.priority_class} of {guarded.workloads.cluster_queue}")
        yield from (f"  {sentence}" for sentence in guarded.sentences)
        yield from (f"  as-written: {sentence}" for sentence in guarded.as_written)
    proved = " and ".join(f"{name} {version}" for name, version in answer.solvers.items())
    yield from ("", f"never and keeps are proved by {proved}; may is shown by examples")
    if answer.unsettled:
        yield f"{answer.unsettled} not known"
    yield from (f"assumed: {premise}" for premise in answer.premises)
