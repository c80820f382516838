"""What of workloads the rules of PreemptionConfigs read: labels and names of priority classes of a state.

Requirements of different labels do not depend on each other, so that labels which a selector selects are
found label by label. Whether there are none at all is proved from the rules' own code, in
`tenure_check.analysis.selection_proof`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Final

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    CandidateSelector,
    ClassNames,
    Cluster,
    ClusterQueue,
    LabelSelector,
    NodeRequirement,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    Reason,
    Selectable,
    Workload,
)
from tenure.oracle.configured import (
    accepts,
    accepts_all,
    evaluated,
    fault_of,
    is_class_named,
    is_label_number_selected,
    priority_of,
)
from tenure.oracle.labels import is_label_set_selected
from tenure.oracle.tiers import may_be_tried, must_be_tried
from tenure.rules.preemption_config import compares, is_in_scope
from tenure_check.analysis.scopes import CellSides

if TYPE_CHECKING:
    from tenure_check.analysis.states import CellQuery

HIGHEST_NUMBER: Final = 2**31 - 1
"""The largest number of a label; none is below 0, since no value of a label begins with a sign."""
OTHER: Final = "other"
MOST_COMBINATIONS: Final = 2_000
"""Combinations of labels that are tried for one selector."""
SELECTED: Final = 0.8
"""How many of the workloads that may be the victim a selector selects."""


@dataclass(frozen=True, slots=True)
class SelectedPair:
    """What a preemptor and a victim have where a selector selects the victim.

    Args:
        preemptor, victim: labels and priority classes.
        rule: the rule.
        place: of the selector in it.
    """

    preemptor: Selectable
    victim: Selectable
    rule: str
    place: int


@dataclass(frozen=True)
class Selections:
    """What rules read of the workloads of a configuration.

    Args:
        cluster: the configuration.
    """

    cluster: Cluster
    _pairs_of: dict[CellSides, list[SelectedPair]] = field(default_factory=dict, compare=False)

    @cached_property
    def configs(self) -> tuple[PreemptionConfig, ...]:
        """The PreemptionConfigs that ClusterQueues name, once each."""
        found = map(self.cluster.config_of, self.cluster.cluster_queues.values())
        return tuple({config.name: config for config in found if config is not None}.values())

    @cached_property
    def values(self) -> Mapping[str, tuple[str | None, ...]]:
        """For each label that a rule reads what a workload may have there; None for no label."""
        return {key: _values_of(key, self.configs) for key in labels_read(self.configs)}

    def class_names(self, priority: int) -> tuple[str, ...]:
        """The names of priority classes that a workload of a priority may have; the empty one is none."""
        read = names_read(self.configs)
        if not read:
            return ("",)
        return self.cluster.class_names.get(priority) or ("", *read)

    def pairs(self, cell: CellQuery) -> list[SelectedPair]:
        """For each selector by which the victim of a cell may be selected labels of preemptor and victim."""
        sides = cell.preemptor, cell.high, cell.victim, cell.low
        if sides not in self._pairs_of:
            self._pairs_of[sides] = self._found(cell)
        return self._pairs_of[sides]

    def _found(self, cell: CellQuery) -> list[SelectedPair]:
        queue = self.cluster.cluster_queues[cell.preemptor]
        config = self.cluster.config_of(queue)
        if config is None:
            return []
        named = list(product(self.class_names(cell.high), self.class_names(cell.low)))
        return [
            pair
            for rule in config.rules
            if may_be_tried(rule, queue)
            for place, selector in enumerate(rule.candidates)
            if is_cell_selected(self.cluster, selector, cell)
            for pair in islice(self._pairs(config, rule, place, named), 1)
        ]

    def may_select(self, config: PreemptionConfig, rule: PreemptionRule, place: int) -> bool:
        """Whether a selector of a rule selects any workload, as far as labels and names of classes decide.

        Where labels have more combinations than are tried, it may.

        Args:
            config, rule: the rule, and what it is of.
            place: of the selector in it.
        """
        names = ("", *names_read(self.configs))
        labels = (self._labels(rule, rule.candidates[place], key) for key in self.values)
        named = [(one, other) for one in names for other in names]
        is_large = prod(map(len, labels)) > MOST_COMBINATIONS
        return is_large or any(True for _ in self._pairs(config, rule, place, named))

    def _pairs(
        self, config: PreemptionConfig, rule: PreemptionRule, place: int, named: Sequence[tuple[str, str]]
    ) -> Iterator[SelectedPair]:
        """Labels and classes by which a selector of a rule selects."""
        labels = [self._labels(rule, rule.candidates[place], key) for key in self.values]
        for chosen in islice(product(*labels), MOST_COMBINATIONS):
            mine, theirs = (
                {key: both[side] for key, both in zip(self.values, chosen, strict=True)} for side in (0, 1)
            )
            for one, other in named:
                pair = SelectedPair(_selectable(mine, one), _selectable(theirs, other), rule.name, place)
                if _is_pair_selected(config, rule, pair):
                    yield pair

    def _labels(
        self, rule: PreemptionRule, selector: CandidateSelector, key: str
    ) -> list[tuple[str | None, str | None]]:
        """What preemptor and victim may have of one label, as far as that alone decides."""
        values = self.values[key]
        mine = [value for value in values if _fits(rule.preemptors, key, value)]
        theirs = [value for value in values if _fits(selector.workloads, key, value)]
        numbers = [number for number in selector.numbers if number.key == key]
        return [
            (one, other)
            for one, other in product(mine, theirs)
            if all(
                is_label_number_selected(number, _a_workload({key: other}), _a_workload({key: one}))
                for number in numbers
            )
        ]

    def labelled(
        self, dice: random.Random, request: DecideRequest, cell: CellQuery | None = None
    ) -> DecideRequest:
        """A state with labels and priority classes.

        Args:
            dice: draw them.
            request: the state; what it has of them is left out.
            cell: where its victims are to be selected.
        """
        by_config = cell is not None and cell.reason == Reason.CONFIGURABLE_PREEMPTION
        pairs = self.pairs(cell) if cell is not None and by_config else []
        pair = dice.choice(pairs) if pairs else None
        running = tuple(
            replace(found, selectable=pair.victim)
            if pair is not None and cell is not None and _may_be(found, cell) and dice.random() < SELECTED
            else replace(found, selectable=self._drawn(dice, found.priority))
            for found in request.cluster.admitted
        )
        mine = self._drawn(dice, request.preemptor.priority) if pair is None else pair.preemptor
        return replace(
            request,
            cluster=replace(request.cluster, admitted=running),
            preemptor=replace(request.preemptor, selectable=mine),
        )

    def selected(self, request: DecideRequest, cell: CellQuery) -> Iterator[DecideRequest]:
        """A state with the labels of each pair of a cell; the state itself where no rule reads any.

        Args:
            request: the state.
            cell: preemptor and victim.
        """
        plain = {
            priority: Selectable({}, self.class_names(priority)[0])
            for priority in {found.priority for found in (*request.cluster.admitted, request.preemptor)}
        }
        high, low = plain.get(cell.high, Selectable()), plain.get(cell.low, Selectable())
        for pair in self.pairs(cell) or [SelectedPair(high, low, "", 0)]:
            running = tuple(
                replace(found, selectable=pair.victim if _may_be(found, cell) else plain[found.priority])
                for found in request.cluster.admitted
            )
            yield replace(
                request,
                cluster=replace(request.cluster, admitted=running),
                preemptor=replace(request.preemptor, selectable=pair.preemptor),
            )

    def _drawn(self, dice: random.Random, priority: int) -> Selectable:
        labels = {key: dice.choice(values) for key, values in self.values.items()}
        return _selectable(labels, dice.choice(self.class_names(priority)))


def selections_of(cluster: Cluster) -> Selections | None:
    """What rules read of workloads; None where no ClusterQueue names a PreemptionConfig.

    >>> selections_of(Cluster({})) is None
    True
    """
    named = any(queue.preemption_config is not None for queue in cluster.cluster_queues.values())
    return Selections(cluster) if named else None


def is_cell_selected(cluster: Cluster, selector: CandidateSelector, cell: CellQuery) -> bool:
    """Whether scope, labels of ClusterQueues and priorities let a selector select the victim of a cell.

    Args:
        cluster: the configuration; both ClusterQueues are in one tree.
        selector: of the preemptor's PreemptionConfig.
        cell: preemptor and victim.
    """
    one, other = (cluster.cluster_queues[name] for name in (cell.preemptor, cell.victim))
    if selector.fault or not is_queue_selected(selector, one, other):
        return False
    if selector.mode is None or selector.comparison is None:
        return True
    theirs, mine = (priority_of(_a_workload({}, level), selector.mode) for level in (cell.low, cell.high))
    return compares(selector.comparison, theirs, mine)


def is_queue_selected(
    selector: CandidateSelector, queue: ClusterQueue, other: ClusterQueue, *, same_local_queue: bool = True
) -> bool:
    """Whether scope and labels of ClusterQueues let a selector select workloads of one.

    Args:
        selector: of the preemptor's PreemptionConfig.
        queue, other: the preemptor's ClusterQueue, and one of the same tree.
        same_local_queue: whether both are of one LocalQueue, where it is the same ClusterQueue.

    >>> from tenure.model import CandidateScope
    >>> own = CandidateSelector(CandidateScope.CLUSTER_QUEUE)
    >>> is_queue_selected(own, ClusterQueue("a"), ClusterQueue("b"))
    False
    """
    same, parent = queue.name == other.name, queue.cohort is not None and queue.cohort == other.cohort
    reached = is_in_scope(
        selector.scope, same, same_local_queue=same_local_queue, same_parent=parent, same_root=True
    )
    return reached and not selector.queues.fault and is_label_set_selected(selector.queues, other.labels)


def takes_all(cluster: Cluster, preemptor: str, victim: str) -> bool:
    """Whether a rule selects every workload of a ClusterQueue, whatever the labels and priorities of both.

    Args:
        cluster: the configuration; both ClusterQueues are in one tree.
        preemptor, victim: the ClusterQueues.

    >>> from tenure.model import CandidateScope, Trigger
    >>> queue, own = ClusterQueue("a", preemption_config="c"), CandidateSelector(CandidateScope.CLUSTER_QUEUE)
    >>> anyone = PreemptionRule("r", Trigger.ALWAYS, candidates=(own,))
    >>> configs = {"c": PreemptionConfig("c", (anyone,))}
    >>> takes_all(Cluster({"a": queue}, preemption_configs=configs), "a", "a")
    True
    """
    one, other = (cluster.cluster_queues[name] for name in (preemptor, victim))
    config = cluster.config_of(one)
    if config is None or any(map(fault_of, config.rules)):
        return False
    return any(
        selector == CandidateSelector(selector.scope, selector.queues)
        and is_queue_selected(selector, one, other, same_local_queue=False)
        for rule in config.rules
        if must_be_tried(rule, one) and accepts_all(rule)
        for selector in rule.candidates
    )


def labels_read(configs: Iterable[PreemptionConfig]) -> tuple[str, ...]:
    """The labels of workloads that rules read, in their order.

    >>> labels_read([PreemptionConfig("none")])
    ()
    """
    return tuple(
        dict.fromkeys(
            key
            for config in configs
            for rule in config.rules
            for key in (
                *(found.key for found in _requirements(rule)),
                *(number.key for selector in rule.candidates for number in selector.numbers),
            )
        )
    )


def names_read(configs: Iterable[PreemptionConfig]) -> tuple[str, ...]:
    """The names of priority classes that rules read, in their order."""
    names = (names for config in configs for rule in config.rules for names in _class_names(rule))
    return tuple(dict.fromkeys(name for found in names for name in (*found.match, *found.exclude)))


def reads_names(cluster: Cluster) -> bool:
    """Whether a rule reads names of priority classes where these are known."""
    known = selections_of(cluster)
    return known is not None and bool(names_read(known.configs)) and bool(cluster.class_names)


def values_listed(key: str, configs: Iterable[PreemptionConfig]) -> tuple[str, ...]:
    """The values that requirements list for a label, in their order."""
    rules = (rule for config in configs for rule in config.rules)
    listed = (found.values for rule in rules for found in _requirements(rule) if found.key == key)
    return tuple(dict.fromkeys(value for values in listed for value in values))


def value_not_listed(listed: Iterable[str]) -> str:
    """A value that no requirement lists.

    >>> value_not_listed(["other", "a"])
    'other-1'
    """
    known = {*listed}
    return next(name for name in (OTHER, *(f"{OTHER}-{n}" for n in range(1, 999))) if name not in known)


def _values_of(key: str, configs: Sequence[PreemptionConfig]) -> tuple[str | None, ...]:
    """No label, each value that is listed, another one, and numbers around those that rules compare with."""
    listed = values_listed(key, configs)
    numbers = [
        number
        for config in configs
        for rule in config.rules
        for selector in rule.candidates
        for number in selector.numbers
        if number.key == key
    ]
    return (None, *listed, value_not_listed(listed), *(map(str, _numbers(numbers)) if numbers else ()))


def _numbers(labels: Sequence[NumericLabel]) -> list[int]:
    """Two of every range between the numbers that rules compare with, and these."""
    constants = {
        value
        for label in labels
        for value in (label.minimum, label.maximum, label.fallback)
        if value is not None
    }
    near = {value + step for value in constants for step in (-1, 0, 1)} | {1, 2}
    return sorted(value for value in near if 0 <= value <= HIGHEST_NUMBER)


def _requirements(rule: PreemptionRule) -> Iterator[NodeRequirement]:
    """What a rule requires of labels of workloads."""
    yield from rule.preemptors.requirements
    for selector in rule.candidates:
        yield from selector.workloads.requirements


def _class_names(rule: PreemptionRule) -> tuple[ClassNames, ...]:
    return (rule.preemptor_classes, *(selector.classes for selector in rule.candidates))


def _fits(selector: LabelSelector, key: str, value: str | None) -> bool:
    """Whether a label alone meets what a selector requires of it."""
    own = LabelSelector(tuple(found for found in selector.requirements if found.key == key))
    return is_label_set_selected(own, {} if value is None else {key: value})


def _selectable(labels: Mapping[str, str | None], name: str) -> Selectable:
    return Selectable({key: value for key, value in labels.items() if value is not None}, name)


def _a_workload(labels: Mapping[str, str | None], priority: int = 0, name: str = "") -> Workload:
    return Workload("", "", "", priority, created_at=0, selectable=_selectable(labels, name))


def _is_pair_selected(config: PreemptionConfig, rule: PreemptionRule, pair: SelectedPair) -> bool:
    """Whether no invalid selector stops the tier of a rule, and both classes are accepted."""
    mine, theirs = (replace(_a_workload({}), selectable=found) for found in (pair.preemptor, pair.victim))
    tiers = (known for known in evaluated(config, mine) if known.trigger <= rule.trigger)
    if any(map(fault_of, tiers)) or not accepts(rule, mine):
        return False
    return is_class_named(rule.candidates[pair.place].classes, theirs)


def _may_be(workload: Workload, cell: CellQuery) -> bool:
    return (workload.cluster_queue, workload.priority) == (cell.victim, cell.low)
