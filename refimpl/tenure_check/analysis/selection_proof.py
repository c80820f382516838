"""Whether any rule of a PreemptionConfig ever selects a victim, from the rules' own code, for all labels.

Of each label that a rule reads, preemptor and victim have none, one of the values that are listed, or any
other one, which may be any number from 0. The name of a priority class is any that a workload of the priority
may have. What uses what lacks quota is left to the quantities of `tenure_check.analysis.encoding`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import z3

from tenure.model import (
    CandidateSelector,
    ClassNames,
    Cluster,
    LabelSelector,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    Selectable,
    SelectorFacts,
    Workload,
)
from tenure.oracle.configured import fault_of, known_of, number_of, priority_of
from tenure.oracle.labels import is_label_set_selected
from tenure.oracle.tiers import counts_pods
from tenure.readings import Reading
from tenure.rules.preemption_config import (
    compares,
    is_class_selected,
    is_in_scope,
    is_label_selected,
    is_number_selected,
    is_selected,
    is_tier_tried,
)
from tenure_check.analysis.encoding import record_of
from tenure_check.analysis.selections import (
    HIGHEST_NUMBER,
    Selections,
    labels_read,
    values_listed,
)
from tenure_check.analysis.states import CellQuery
from tenure_check.analysis.symbolic_execution import term_of
from tenure_proofs.trusted.claim import Claim, Traces
from tenure_proofs.trusted.symbols import SymBool, SymInt


@dataclass(frozen=True)
class _Label:
    """One label of one workload.

    Args:
        name: of its terms.
        listed: the values that rules list for it.
    """

    name: str
    listed: tuple[str, ...]

    @property
    def present(self) -> Any:
        """Whether the workload has it."""
        return z3.Bool(f"{self.name}?")

    @property
    def value(self) -> Any:
        """Which of the listed values it has; any other number is another value."""
        return z3.Int(f"{self.name} value")

    @property
    def is_number(self) -> Any:
        """Whether its value is a 32-bit integer."""
        return z3.Bool(f"{self.name} is a number")

    @property
    def number(self) -> Any:
        """That integer."""
        return z3.Int(f"{self.name} number")

    def facts(self, key: str) -> Iterator[z3.BoolRef]:
        """What holds of any label."""
        yield z3.Implies(self.is_number, z3.And(self.number >= 0, self.number <= HIGHEST_NUMBER))
        for place, text in enumerate(self.listed):
            read = number_of(NumericLabel(key), _having(key, text))
            known = z3.Not(self.is_number) if read is None else z3.And(self.is_number, self.number == read)
            yield z3.Implies(self.value == place, known)

    def has(self, values: tuple[str, ...]) -> Any:
        """Whether its value is one of these."""
        return _any([self.value == self.listed.index(value) for value in values])


class SelectionProof:
    """A cell of a configuration: whether the preemptor's PreemptionConfig may select the victim.

    Args:
        cluster: the configuration; both ClusterQueues of a cell are in one tree.
        reading: see `tenure.readings`.
        traces: formulas of rules that were lifted before.
    """

    def __init__(self, cluster: Cluster, reading: Reading, traces: Traces) -> None:
        self._cluster, self._selections = cluster, Selections(cluster)
        self._claim = Claim(reading, traces)

    def facts(self, cell: CellQuery) -> tuple[z3.BoolRef, ...]:
        """Facts of a state in which a rule selects the victim; no values satisfy them where none does."""
        queue = self._cluster.cluster_queues[cell.preemptor]
        config = self._cluster.config_of(queue) or PreemptionConfig("")
        # What is short of a number of pods alone fits by quota, as triggers see it.
        quota_fits = z3.Bool("quota fits") if counts_pods(queue) else z3.BoolVal(False)
        selected = [
            z3.And(self._is_tried(config, rule, quota_fits), self._is_selected(rule, selector, cell))
            for rule in config.rules
            for selector in rule.candidates
        ]
        return (_any(selected), *self._of_labels(), *self._of_classes(cell))

    def having(self, side: str, workload: Workload) -> Iterator[z3.BoolRef]:
        """Facts beside those of a cell: the labels and the class that a workload has.

        Args:
            side: `P` for the preemptor, `V` for the victim.
            workload: it.
        """
        known = known_of(workload)
        yield _class(side) == self._place_of(known.priority_class)
        for (whose, key), label in self._labels.items():
            text = known.labels.get(key)
            if whose != side:
                continue
            yield label.present == (text is not None)
            if text is not None:
                listed = text in label.listed
                yield label.value == label.listed.index(text) if listed else label.value >= len(label.listed)
                number = number_of(NumericLabel(key), workload)
                yield label.is_number == (number is not None)
                yield z3.BoolVal(True) if number is None else label.number == number

    @cached_property
    def _labels(self) -> Mapping[tuple[str, str], _Label]:
        """By whose it is and its key."""
        configs = self._selections.configs
        return {
            (side, key): _Label(f"{side}.{number}", values_listed(key, configs))
            for side in ("P", "V")
            for number, key in enumerate(labels_read(configs))
        }

    def _of_labels(self) -> Iterator[z3.BoolRef]:
        for (_, key), label in self._labels.items():
            yield from label.facts(key)

    def _of_classes(self, cell: CellQuery) -> Iterator[z3.BoolRef]:
        for side, priority in (("P", cell.high), ("V", cell.low)):
            names = self._selections.class_names(priority)
            yield _any([_class(side) == self._place_of(name) for name in names])

    def _place_of(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    @cached_property
    def _names(self) -> dict[str, int]:
        return {}

    def _lifted(self, function: Any, *arguments: Any) -> Any:
        return term_of(self._claim.lift(function)(*arguments).value)

    def _is_tried(self, config: PreemptionConfig, rule: PreemptionRule, quota_fits: z3.BoolRef) -> Any:
        """Whether the tier of a rule is tried."""
        stopped = _any(
            [
                z3.BoolVal(True) if other.preemptors.fault else self._accepts(other)
                for other in config.rules
                if other.trigger <= rule.trigger and fault_of(other)
            ]
        )
        return self._lifted(is_tier_tried, rule.trigger, SymBool(quota_fits), SymBool(stopped))

    def _accepts(self, rule: PreemptionRule) -> Any:
        return z3.And(self._has_labels("P", rule.preemptors), self._has_class("P", rule.preemptor_classes))

    def _is_selected(self, rule: PreemptionRule, selector: CandidateSelector, cell: CellQuery) -> Any:
        other = self._cluster.cluster_queues[cell.victim]
        parts = {
            "preemptor": self._accepts(rule),
            "uses_needed": z3.BoolVal(True),
            "in_scope": self._is_in_scope(selector, cell),
            "cluster_queue": z3.BoolVal(is_label_set_selected(selector.queues, other.labels)),
            "labels": self._has_labels("V", selector.workloads),
            "numbers": _all([self._has_number(number) for number in selector.numbers]),
            "priority": z3.BoolVal(_is_priority_selected(selector, cell)),
            "priority_class": self._has_class("V", selector.classes),
        }
        facts = record_of("F", SelectorFacts, {name: SymBool(term) for name, term in parts.items()})
        return self._lifted(is_selected, facts)

    def _is_in_scope(self, selector: CandidateSelector, cell: CellQuery) -> Any:
        one, other = (self._cluster.cluster_queues[name] for name in (cell.preemptor, cell.victim))
        same = cell.preemptor == cell.victim
        parent = one.cohort is not None and one.cohort == other.cohort
        flags = (z3.BoolVal(same), z3.Bool("same local queue"), z3.BoolVal(parent), z3.BoolVal(True))
        return self._lifted(is_in_scope, selector.scope, *map(SymBool, flags))

    def _has_labels(self, side: str, selector: LabelSelector) -> Any:
        return _all(
            [
                self._lifted(
                    is_label_selected,
                    found.operator,
                    SymBool(self._labels[side, found.key].present),
                    SymBool(self._labels[side, found.key].has(found.values)),
                )
                for found in selector.requirements
            ]
        )

    def _has_class(self, side: str, names: ClassNames) -> Any:
        matched, excluded = (
            _any([_class(side) == self._place_of(name) for name in known])
            for known in (names.match, names.exclude)
        )
        any_matched = z3.BoolVal(bool(names.match))
        return self._lifted(is_class_selected, *map(SymBool, (any_matched, matched, excluded)))

    def _has_number(self, number: NumericLabel) -> Any:
        """PCF-060 of the numbers that the two labels and the fallback give."""
        found = []
        for theirs, is_so in self._numbers("V", number):
            for mine, is_so_too in self._numbers("P", number):
                bounds = number.comparison, number.minimum, number.maximum
                found.append(
                    z3.And(is_so, is_so_too, self._lifted(is_number_selected, theirs, mine, *bounds))
                )
        return _any(found)

    def _numbers(self, side: str, number: NumericLabel) -> Iterator[tuple[SymInt | None, Any]]:
        """The number of a workload, and when it has it."""
        label = self._labels[side, number.key]
        read = z3.And(label.present, label.is_number)
        fallback = None if number.fallback is None else SymInt(z3.IntVal(number.fallback))
        yield SymInt(label.number), read
        yield fallback, z3.Not(read)


def _any(terms: Sequence[Any]) -> Any:
    """Whether one of some terms holds; SMT-LIB has no empty disjunction."""
    return z3.Or(terms) if terms else z3.BoolVal(False)


def _all(terms: Sequence[Any]) -> Any:
    """Whether all of some terms hold."""
    return z3.And(terms) if terms else z3.BoolVal(True)


def _class(side: str) -> Any:
    """Which of the names of priority classes a workload has."""
    return z3.Int(f"{side}.class")


def _having(key: str, text: str) -> Workload:
    return Workload("", "", "", 0, created_at=0, selectable=Selectable({key: text}))


def _is_priority_selected(selector: CandidateSelector, cell: CellQuery) -> bool:
    if selector.mode is None or selector.comparison is None:
        return True
    one, other = (Workload("", "", "", priority, created_at=0) for priority in (cell.low, cell.high))
    return compares(selector.comparison, *(priority_of(found, selector.mode) for found in (one, other)))
