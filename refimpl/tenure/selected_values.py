"""Values of labels that the selectors of PreemptionConfigs tell apart, and on which side they accept them.

Selectors of labels, names of priority classes and bounds of numeric labels tell finitely many values of one
label apart. So whether preemptors and victims share a value is a question about finitely many values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tenure.model import (
    CandidateSelector,
    ClassNames,
    NodeOperator,
    NodeRequirement,
    NumericLabel,
    PreemptionRule,
)
from tenure.oracle.configured import number_in, whole_number
from tenure.rules.preemption_config import is_label_selected, is_number_selected
from tenure.units import join_names

PRIORITY_CLASS: Final = "priority class"
"""Stands for the name of the priority class; no label has a key with a space."""
_HIGHEST: Final = 2**31 - 1
_OPERATORS: Final = {
    NodeOperator.IN: "is {}",
    NodeOperator.NOT_IN: "is not {}",
    NodeOperator.EXISTS: "is set",
    NodeOperator.DOES_NOT_EXIST: "is missing",
}


@dataclass(frozen=True, slots=True)
class AlikeValues:
    """Values of a label that no selector tells apart.

    Args:
        example: one of them; None for no label.
        words: all of them in words.
        rest: whether they are all that no selector lists, and no number.
    """

    example: str | None
    words: str
    rest: bool = False


@dataclass(frozen=True, slots=True)
class SelectedSides:
    """What a candidate selector and its rule require of labels and of the name of the priority class.

    Args:
        preemptors, victims: requirements; `PRIORITY_CLASS` is a key of them.
        numbers: numeric labels of the candidate selector.
    """

    preemptors: tuple[NodeRequirement, ...] = ()
    victims: tuple[NodeRequirement, ...] = ()
    numbers: tuple[NumericLabel, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The labels of which something is required.

        >>> SelectedSides(numbers=(NumericLabel("nodes"),)).keys
        ('nodes',)
        """
        required = (found.key for found in (*self.preemptors, *self.victims))
        return tuple(dict.fromkeys((*required, *(found.key for found in self.numbers))))

    def accepts_preemptor(self, key: str, value: str | None) -> bool:
        """Whether a preemptor may have a value; a number that is compared without a fallback it must have.

        >>> hero = NodeRequirement("tier", NodeOperator.IN, ("hero",))
        >>> SelectedSides(preemptors=(hero,)).accepts_preemptor("tier", None)
        False
        """
        compared = (
            found
            for found in self.numbers
            if found.key == key and found.comparison is not None and found.fallback is None
        )
        number = whole_number(value or "")
        return _meets(self.preemptors, key, value) and all(number is not None for _ in compared)

    def accepts_victim(self, key: str, value: str | None) -> bool:
        """Whether a victim may have a value, whatever its preemptor has.

        >>> SelectedSides(numbers=(NumericLabel("nodes", maximum=4),)).accepts_victim("nodes", "8")
        False
        """
        return _meets(self.victims, key, value) and all(
            is_number_selected(number_in(found, value), None, None, found.minimum, found.maximum)
            for found in self.numbers
            if found.key == key
        )

    @property
    def words(self) -> str:
        """The same in words; empty where nothing is required.

        >>> hero = NodeRequirement("tier", NodeOperator.NOT_IN, ("hero", "batch"))
        >>> SelectedSides(victims=(hero,), numbers=(NumericLabel("nodes", maximum=4),)).words
        'victim: label tier is not hero or batch, label nodes at most 4'
        """
        bounds = (words for found in self.numbers for words in _bounds(found))
        sides = (
            ("preemptor", [*map(_required, self.preemptors)]),
            ("victim", [*map(_required, self.victims), *bounds]),
        )
        return "; ".join(f"{side}: {', '.join(found)}" for side, found in sides if found)


NO_SIDES: Final = SelectedSides()
"""Nothing is required."""


def sides_of(rule: PreemptionRule, selector: CandidateSelector) -> SelectedSides:
    """What a candidate selector and its rule require.

    Args:
        rule, selector: valid ones.
    """
    return SelectedSides(
        (*rule.preemptors.requirements, *_names(rule.preemptor_classes)),
        (*selector.workloads.requirements, *_names(selector.classes)),
        selector.numbers,
    )


def keys_on_both_sides(sides: Iterable[SelectedSides]) -> tuple[str, ...]:
    """The labels of which a rule requires something of preemptors, and one of victims, in order."""
    known = [*sides]
    mine = {found.key for one in known for found in one.preemptors}
    theirs = {found.key for one in known for found in one.victims}
    theirs |= {found.key for one in known for found in one.numbers}
    return tuple(sorted(mine & theirs))


def alike_values(key: str, sides: Iterable[SelectedSides]) -> tuple[AlikeValues, ...]:
    """All values of a label, those together that no selector tells apart.

    Args:
        key: of the label, or `PRIORITY_CLASS`: a workload without a class is like one of a class that no
            selector lists.
        sides: all selectors that count.

    >>> small = SelectedSides(numbers=(NumericLabel("nodes", maximum=4),))
    >>> [found.words for found in alike_values("nodes", [small])]
    ['missing', 'another value', '0 to 4', '5 or more']
    """
    known = [*sides]
    required = (found for one in known for found in (*one.preemptors, *one.victims))
    listed = dict.fromkeys(value for found in required if found.key == key for value in found.values)
    numbers = [found for one in known for found in one.numbers if found.key == key]
    return (
        *(() if key == PRIORITY_CLASS else (AlikeValues(None, "missing"),)),
        AlikeValues(_unlisted("other", listed), "another value", rest=True),
        *(AlikeValues(value, value or '""') for value in listed),
        *(_ranges(numbers, listed) if numbers else ()),
    )


def subject_of(key: str) -> str:
    """What has a value, in words.

    >>> subject_of("tier"), subject_of(PRIORITY_CLASS)
    ('label tier', 'priority class')
    """
    return key if key == PRIORITY_CLASS else f"label {key}"


def values_in_words(key: str, members: tuple[AlikeValues, ...], others: tuple[AlikeValues, ...]) -> str:
    """That a workload has one of some values, and none of all others.

    >>> rest, hero = AlikeValues("other", "another value", rest=True), AlikeValues("hero", "hero")
    >>> values_in_words("tier", (rest,), (hero,)), values_in_words("tier", (hero,), (rest,))
    ('label tier is not hero', 'label tier is hero')
    """
    subject = subject_of(key)
    if any(found.rest for found in members):
        missing = [found.example for found in others] == [None]
        return (
            f"{subject} is set" if missing else f"{subject} is not {_either(found.words for found in others)}"
        )
    return f"{subject} is {_either(found.words for found in members)}"


def _meets(requirements: Iterable[NodeRequirement], key: str, value: str | None) -> bool:
    return all(
        is_label_selected(found.operator, value is not None, value in found.values)
        for found in requirements
        if found.key == key
    )


def _names(names: ClassNames) -> Iterator[NodeRequirement]:
    """Names of priority classes as requirements: no class is like no label."""
    if names.match:
        yield NodeRequirement(PRIORITY_CLASS, NodeOperator.IN, names.match)
    if names.exclude:
        yield NodeRequirement(PRIORITY_CLASS, NodeOperator.NOT_IN, names.exclude)


def _ranges(labels: Iterable[NumericLabel], listed: Iterable[str]) -> Iterator[AlikeValues]:
    """Numbers that no bound tells apart, whole ranges of them; a label cannot be a negative number."""
    known = [*labels]
    above = {found.minimum for found in known if found.minimum is not None}
    above |= {found.maximum + 1 for found in known if found.maximum is not None}
    first = sorted({0} | {number for number in above if 0 < number <= _HIGHEST})
    for low, high in zip(first, [*first[1:], None], strict=True):
        words = "any number" if low == 0 and high is None else f"{low} or more"
        if high is not None:
            words = str(low) if high == low + 1 else f"{low} to {high - 1}"
        yield AlikeValues(_unlisted(str(low), listed, before="0"), words)


def _unlisted(value: str, listed: Iterable[str], before: str = "other-") -> str:
    """A value that no selector lists: with so much before it as that needs."""
    known = {*listed}
    while value in known:
        value = before + value
    return value


def _required(found: NodeRequirement) -> str:
    return f"{subject_of(found.key)} {_OPERATORS[found.operator].format(_either(found.values))}"


def _bounds(label: NumericLabel) -> Iterator[str]:
    if label.minimum is not None:
        yield f"label {label.key} at least {label.minimum}"
    if label.maximum is not None:
        yield f"label {label.key} at most {label.maximum}"


def _either(names: Iterable[str]) -> str:
    return join_names([*names], 4, 3, "or")
