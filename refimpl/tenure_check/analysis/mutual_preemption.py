"""The fewest workloads that preempt each other in turn by some steps, with the numbers and labels for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeVar

from tenure.model import NumericLabel
from tenure.oracle.configured import number_in, whole_number
from tenure.preemption_measures import MeasureKind, PreemptionStep
from tenure.rules.preemption_config import compares, is_number_selected
from tenure.selected_values import alike_values, subject_of

_Value = TypeVar("_Value")
MOST: Final = 3
"""The most workloads that are tried, and the most steps."""


@dataclass(frozen=True, slots=True)
class MutualWorkload:
    """A workload that preempts the next one, the last the first.

    Args:
        queue: its ClusterQueue.
        numbers: priorities and places in the queue, of kinds that a step compares.
        labels: values of labels, and of `PRIORITY_CLASS`; None for none.
    """

    queue: str
    numbers: tuple[tuple[MeasureKind, int], ...] = ()
    labels: tuple[tuple[str, str | None], ...] = ()

    @property
    def words(self) -> str:
        """The same in words.

        >>> MutualWorkload("a", ((MeasureKind.BASE, 1),), (("tier", None),)).words
        'one of a (priority 1, no label tier)'
        """
        numbers = (
            f"place in the queue {MOST - number}" if kind == MeasureKind.QUEUED else f"{kind.value} {number}"
            for kind, number in self.numbers
        )
        found = [*numbers, *map(_labelled, self.labels)]
        return f"one of {self.queue}" + (f" ({', '.join(found)})" if found else "")


def _labelled(label: tuple[str, str | None]) -> str:
    key, value = label
    subject = subject_of(key)
    return f"no {subject}" if value is None else f"{subject} {value}"


def mutual_workloads(
    steps: Sequence[PreemptionStep],
    queues: Sequence[str],
    reaches: Callable[[PreemptionStep, str, str], bool],
) -> tuple[MutualWorkload, ...]:
    """The fewest workloads, at most three, that preempt each other in turn; empty where none are found.

    What is compared of one number, and required of one label, is independent of all others.

    Args:
        steps: by which they preempt, at most three.
        queues: names of ClusterQueues.
        reaches: whether a step is one from a ClusterQueue to another, or within one.

    >>> step = PreemptionStep("PreemptionConfig/c", "")
    >>> [found.words for found in mutual_workloads([step], ["a"], lambda *_: True)]
    ['one of a', 'one of a']
    """
    for size in range(2, MOST + 1) if len(steps) <= MOST else ():
        for turn in product(steps, repeat=size):
            if (found := _workloads(turn, queues, reaches)) is not None:
                return found
    return ()


def _workloads(
    turn: tuple[PreemptionStep, ...],
    queues: Sequence[str],
    reaches: Callable[[PreemptionStep, str, str], bool],
) -> tuple[MutualWorkload, ...] | None:
    """A workload for each step of a turn, which preempts that of the next one."""
    size = len(turn)
    placed = _chosen(turn, queues, reaches)
    kinds = dict.fromkeys(found.kind for step in turn for found, _ in step.falls)
    numbers = {
        kind: _chosen(turn, [*range(size)], _number_falls(kind))
        for kind in kinds
        if kind != MeasureKind.LABEL
    }
    labels = {key: _chosen(turn, _values(key, turn), _is_label_selected(key)) for key in _keys(turn)}
    if placed is None or None in numbers.values() or None in labels.values():
        return None
    return tuple(
        MutualWorkload(
            placed[place],
            tuple((kind, known[place]) for kind, known in numbers.items() if known is not None),
            tuple((key, values[place]) for key, values in labels.items() if values is not None),
        )
        for place in range(size)
    )


def _chosen(
    turn: tuple[PreemptionStep, ...],
    values: Sequence[_Value],
    holds: Callable[[PreemptionStep, _Value, _Value], bool],
) -> tuple[_Value, ...] | None:
    """A value for each workload of a turn by which every step holds."""
    for chosen in product(values, repeat=len(turn)):
        following = (*chosen[1:], chosen[0])
        if all(holds(step, one, other) for step, one, other in zip(turn, chosen, following, strict=True)):
            return chosen
    return None


def _number_falls(kind: MeasureKind) -> Callable[[PreemptionStep, int, int], bool]:
    def holds(step: PreemptionStep, mine: int, theirs: int) -> bool:
        return all(
            compares(how, *((mine, theirs) if component.backwards else (theirs, mine)))
            for component, how in step.falls
            if component.kind == kind
        )

    return holds


def _is_label_selected(key: str) -> Callable[[PreemptionStep, str | None, str | None], bool]:
    def holds(step: PreemptionStep, mine: str | None, theirs: str | None) -> bool:
        sides = step.sides
        return (
            sides.accepts_preemptor(key, mine)
            and sides.accepts_victim(key, theirs)
            and all(_is_compared(label, mine, theirs) for label in sides.numbers if label.key == key)
        )

    return holds


def _is_compared(label: NumericLabel, mine: str | None, theirs: str | None) -> bool:
    candidate, preemptor = number_in(label, theirs), number_in(label, mine)
    return is_number_selected(candidate, preemptor, label.comparison, label.minimum, label.maximum)


def _keys(turn: Sequence[PreemptionStep]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for step in turn for key in step.sides.keys))


def _values(key: str, turn: Sequence[PreemptionStep]) -> list[str | None]:
    """A value of each kind that selectors tell apart, and numbers above it to compare with."""
    examples = [found.example for found in alike_values(key, [step.sides for step in turn])]
    numbers = [number for example in examples if (number := whole_number(example or "")) is not None]
    above = {str(number + step) for number in numbers for step in range(1, MOST)}
    return [*examples, *sorted(above - {*examples})]
