"""The verdict of `tenure analyze diff --fail-on`: PASS, FAIL or not known, and what fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final, Literal

from tenure.outline import CommandAdvice, Facts, Item, Name, Outline, Part, TitledList
from tenure_check.analysis.difference_answer import (
    AlikeChanges,
    BaselineUse,
    CellChange,
    ChangeVerdict,
    GuaranteeAspect,
    GuaranteeChange,
    LoopChange,
    MatrixDifference,
    change_item,
    changes_alike,
    example_items,
    unsettled_words,
)
from tenure_check.analysis.loop_answer import tree_items
from tenure_check.analysis.scopes import premise_parts

MOST_SHOWN: Final = 3
"""Pairs of ClusterQueues that are named in the verdict, and shown with field and example."""


class FailOnChange(StrEnum):
    """What makes `tenure analyze diff` fail."""

    NEW_PREEMPTION = "new-preemption"
    """A workload can be preempted that could not be before, or for another reason."""
    LOST_GUARANTEE = "lost-guarantee"
    """A workload can be preempted sooner, or also within nominal quota."""
    LOST_PREEMPTION = "lost-preemption"
    """A workload can no longer be preempted, or only later, or only above nominal quota."""
    NEW_LOOP = "new-loop"
    """Workloads preempt each other for ever that did not before."""
    ANY = "any"
    """A state is decided otherwise."""


_NAMES: Final = {
    FailOnChange.NEW_PREEMPTION: "new preemption",
    FailOnChange.LOST_GUARANTEE: "lost guarantee",
    FailOnChange.LOST_PREEMPTION: "lost preemption",
    FailOnChange.NEW_LOOP: "new loop",
    FailOnChange.ANY: "change of any decision",
}


def judged(
    answer: MatrixDifference, fail_on: Sequence[FailOnChange], loops: Sequence[LoopChange] = ()
) -> MatrixDifference:
    """The same difference with its verdict.

    A cell that is not known may be one that fails: without another failure the verdict is not known then.

    Args:
        answer: a comparison without verdict.
        fail_on: what fails; at least one kind.
        loops: the changed trees in which theorems do not exclude loops.
    """
    failures = {kind.value: len(_failing(answer, kind)) for kind in fail_on}
    if FailOnChange.NEW_LOOP in fail_on:
        failures[FailOnChange.NEW_LOOP] = sum(loop.change == "new" for loop in loops)
    if FailOnChange.ANY in fail_on and not any(failures.values()) and answer.example is not None:
        failures[FailOnChange.ANY] = 1
    is_open = answer.is_open or any(loop.change == "not excluded" for loop in loops)
    result: Literal["PASS", "FAIL", "not known"] = "not known" if is_open else "PASS"
    if any(failures.values()):
        result = "FAIL"
    return replace(answer, verdict=ChangeVerdict(result, failures, tuple(loops)))


def verdict_outline(answer: MatrixDifference, verdict: ChangeVerdict, *, premises: bool = False) -> Outline:
    """The verdict for people: what fails, with its field and smallest example, and nothing else.

    Args:
        answer: the comparison.
        verdict: its verdict.
        premises: whether they are listed.
    """
    fields = {change.words: change for change in answer.changed_fields}
    groups = all_failing(answer, verdict)
    parts: list[Part] = [
        f"{verdict.result}: {headline(answer, verdict, groups)}",
        Facts([["before  ", Name(answer.before)], ["after   ", Name(answer.after)]]),
    ]
    for loop in verdict.loops:
        title = f"{loop.after.tree}: {_LOOPS[loop.change]}"
        parts.append(TitledList(title, list(tree_items(loop.after, searched=True))))
    if groups:
        items = [change_item(alike, fields) for alike in groups]
        title = "What fails, with the field that allows it"
        parts.append(
            TitledList(title, items, MOST_SHOWN, CommandAdvice("; without --fail-on all are listed"))
        )
    elif FailOnChange.ANY in verdict.failures and answer.example is not None:
        title = "Smallest state found that is decided otherwise"
        parts.append(TitledList(title, example_items(answer.example)))
    parts += [
        TitledList(
            _BASELINE[state], [Item(_use(use)) for use in verdict.baseline if use.state == state], MOST_SHOWN
        )
        for state in _BASELINE
    ]
    parts += [f"not known: {text}" for text in answer.not_known]
    proved = " and ".join(f"{name} {version}" for name, version in answer.solvers.items())
    every = CommandAdvice("; without --fail-on every change is listed")
    parts.append([f"never is proved by {proved}; can is shown by examples", every])
    reading = f"{answer.reading}, scope {answer.scope}"
    assumed = premise_parts(answer.premises, reading, listed=premises)
    return Outline("Verdict on this change", [*parts, *assumed])


def headline(answer: MatrixDifference, verdict: ChangeVerdict, groups: Sequence[AlikeChanges]) -> str:
    """The verdict in a sentence.

    Args:
        answer: the comparison.
        verdict: its verdict.
        groups: what fails.
    """
    new = [loop.after.tree for loop in verdict.loops if loop.change == "new"]
    if groups or new:
        looped = [f"workloads of {tree} can now preempt each other for ever" for tree in new]
        claims = list(dict.fromkeys([*looped, *map(claim_of, groups)]))
        more = len(claims) - MOST_SHOWN
        return "; ".join([*claims[:MOST_SHOWN], *([f"{more} more"] if more > 0 else [])])
    if verdict.result == "FAIL":
        return "decisions change, though no pair of ClusterQueues does"
    accepted = sum(use.state == ACCEPTS for use in verdict.baseline)
    other = "other " if accepted else ""
    none = ", ".join(f"no {other}{_NAMES[FailOnChange(kind)]}" for kind in verdict.failures)
    if verdict.result == "PASS":
        return f"{none} than the baseline accepts" if accepted else none
    if any(loop.change == "not excluded" for loop in verdict.loops):
        return f"{none} was found, but theorems excluded loops before that they do not exclude now"
    open_cells = answer.unsettled or answer.unsettled_guarantees
    return f"{none} was found. {unsettled_words(answer)}" if open_cells else f"{none} was found"


ACCEPTS: Final = "accepts"
_BASELINE: Final = {
    ACCEPTS: "Accepted by the baseline",
    "past its date": "Past their date in the baseline: they accept nothing",
    "applies to nothing": "In the baseline, and nothing that this change does",
}


def _use(use: BaselineUse) -> str:
    return f"accepted[{use.entry}]: {use.about}, until {use.until}: {use.reason}"


_LOOPS: Final = {
    "new": "a loop that was not there before",
    "not excluded": "theorems excluded loops before",
    "not found": "no loop found, which is no proof",
}


def claim_of(alike: AlikeChanges) -> str:
    """What changed between two ClusterQueues, as a sentence."""
    change = alike.first
    one, other = change.preemptor.cluster_queue, change.victim.cluster_queue
    if isinstance(change, GuaranteeChange):
        quota = change.about == GuaranteeAspect.QUOTA.value
        words = {
            ("lost", False): f"sooner than before: after {change.after}, not {change.before}",
            ("lost", True): "also within its nominal quota",
            ("gained", False): f"only later: after {change.after}, not {change.before}",
            ("gained", True): "only above its nominal quota",
        }
        return f"{one} can preempt {other} {words[change.change, quota]}"
    if change.change == "unknown":
        return f"whether {one} can preempt {other} is not known on one side"
    if change.change == "reasons":
        gained, lost = (" and ".join(known) for known in (change.reasons_gained, change.reasons_lost))
        parts = [*([f"also for {gained}"] if gained else []), *([f"no longer for {lost}"] if lost else [])]
        return f"{one} can preempt {other} {' and '.join(parts)}"
    return f"{one} can {'now' if change.change == 'gained' else 'no longer'} preempt {other}"


def all_failing(answer: MatrixDifference, verdict: ChangeVerdict) -> list[AlikeChanges]:
    """What fails, of each pair of ClusterQueues and cause once; arguments as of `verdict_outline`."""
    found: list[AlikeChanges] = []
    for kind, number in verdict.failures.items():
        if number:
            found += [alike for alike in _failing(answer, FailOnChange(kind)) if alike not in found]
    return found


def _failing(answer: MatrixDifference, kind: FailOnChange) -> list[AlikeChanges]:
    every = [alike for _, groups in changes_alike(answer) for alike in groups]
    return [alike for alike in every if kind in kinds_of(alike.first)]


def kinds_of(change: CellChange | GuaranteeChange) -> Iterator[FailOnChange]:
    """What a change is, as `--fail-on` names it."""
    yield FailOnChange.ANY
    if isinstance(change, GuaranteeChange):
        lost = change.change == "lost"
        yield FailOnChange.LOST_GUARANTEE if lost else FailOnChange.LOST_PREEMPTION
        return
    if change.reasons_gained:
        yield FailOnChange.NEW_PREEMPTION
    if change.reasons_lost:
        yield FailOnChange.LOST_PREEMPTION
