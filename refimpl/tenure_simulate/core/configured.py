"""Whom a PreemptionConfig selects, as rows: what the kernels of its tiers are given (KEP-13396).

Selectors are evaluated once for each preemptor, and label sets that no rule tells apart once for all.
From the text of Kueue v0.20 and its tests, not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tenure.model import (
    CandidateSelector,
    ClassNames,
    Cluster,
    ClusterQueue,
    LabelSelector,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    Trigger,
    Workload,
)
from tenure.rules.preemption_config import (
    are_candidates_merged,
    compared_priority,
    compares,
    is_class_selected,
    is_in_scope,
    is_label_selected,
    is_number_selected,
    is_tier_in_baseline,
    is_trigger_stopped,
)
from tenure.rules.terms import PreemptionTerms
from tenure_simulate.core.arrays import Arrays
from tenure_simulate.core.columns import Labelled, labelled, numbers
from tenure_simulate.core.sorting import ROOM
from tenure_simulate.core.tables import NO_STAMP, Array, Rows, TierTables
from tenure_simulate.core.topologies import Topologies
from tenure_simulate.core.uncovered import Uncovered

_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,64}", re.ASCII)
_MOST: Final = 2**31 - 1


def config_of(cluster: Cluster, queue: ClusterQueue) -> PreemptionConfig:
    """The PreemptionConfig that a ClusterQueue names; one without rules where it is missing.

    Raises:
        Uncovered: what the reference refuses.

    >>> config_of(Cluster({}, preemption_configs={}), ClusterQueue("q", preemption_config="gone")).rules
    ()
    """
    name = queue.preemption_config or ""
    if cluster.preemption_configs is None:
        raise Uncovered("a PreemptionConfig that is not given")
    found = cluster.preemption_configs.get(name, PreemptionConfig(name))
    if found.unread or Topologies(cluster, queue).decide_any():
        raise Uncovered("a PreemptionConfig that is not modelled")
    return found


class ConfiguredPreemptor(NamedTuple):
    """A preemptor of a ClusterQueue that names a PreemptionConfig.

    Args:
        workload: the pending workload.
        node: of its ClusterQueue.
        priority: its effective one.
        terms: what holds for it.
    """

    workload: Workload
    node: int
    priority: int
    terms: PreemptionTerms


def tiers_of(
    arrays: Arrays, config: PreemptionConfig, preemptor: ConfiguredPreemptor, rows: Rows
) -> TierTables:
    """The tiers of a PreemptionConfig, in the order in which they are tried (PCF-080).

    Args:
        arrays: the store.
        config: the PreemptionConfig.
        preemptor: the pending workload.
        rows: the workloads that hold quota.

    Raises:
        Uncovered: the store was made without labels.
    """
    kinds: _Kinds = arrays.made_of(("kinds",), lambda: _kinds(arrays))
    selecting = _Selecting(arrays, kinds, _kind(labelled(preemptor.workload)), preemptor, rows)
    terms, tiers = preemptor.terms, list[tuple[Trigger, bool, Array]]()
    for trigger in Trigger:
        rules = [rule for rule in config.rules if rule.trigger == trigger]
        if not rules:
            continue
        applying = list(filter(selecting.accepts, rules))
        stops = is_trigger_stopped(any(map(_is_invalid, applying)), terms.invalid_selector)
        tiers.append((trigger, stops, selecting.selected([] if stops else applying)))
    waits = [not is_tier_in_baseline(trigger, terms.always_trigger) for trigger, _, _ in tiers]
    selected = np.array([found for _, _, found in tiers], np.bool_).reshape(len(tiers), rows.size)
    return TierTables(
        selected,
        np.array([trigger for trigger, _, _ in tiers], np.int64),
        np.array([stops for _, stops, _ in tiers], np.bool_),
        np.array(waits, np.bool_),
        are_candidates_merged(terms.configured_candidates, terms.fair_sharing),
        *arrays.made_of(("room of a tier",), lambda: _room(rows.size)),
    )


def _room(size: int) -> tuple[Array, Array, Array, Array]:
    return (
        np.empty(size, np.bool_),
        np.empty(size, np.int64),
        np.empty(size, np.int32),
        np.empty(ROOM, np.int64),
    )


def _is_invalid(rule: PreemptionRule) -> bool:
    return bool(rule.preemptors.fault) or any(selector.fault for selector in rule.candidates)


class _Kind(NamedTuple):
    """What rules tell workloads apart by, beside ClusterQueue and priority."""

    namespace: str
    local_queue: str
    priority_class: str
    labels: frozenset[tuple[str, str]]


class _Kinds(NamedTuple):
    """All workloads by kind: the kinds, the number of each row's, and `spec.priority` of each row."""

    every: tuple[tuple[_Kind, Mapping[str, str]], ...]
    of: Array
    base: Array


def _kind(workload: Labelled, keys: frozenset[str] | None = None) -> _Kind:
    """The kind of a workload.

    Args:
        workload: what is read of it.
        keys: the labels that any selector reads; None for all.
    """
    namespace, local_queue, known = workload
    labels = frozenset(label for label in known.labels.items() if keys is None or label[0] in keys)
    return _Kind(namespace, local_queue, known.priority_class, labels)


def _kinds(arrays: Arrays) -> _Kinds:
    known = arrays.columns.labelled
    if known is None:
        raise Uncovered("labels that are not kept")
    keys = frozenset(_keys((arrays.cluster.preemption_configs or {}).values()))
    found: dict[_Kind, int] = {}
    of = [found.setdefault(_kind(workload, keys), len(found)) for workload in known]
    every = tuple((kind, dict(kind.labels)) for kind in found)
    return _Kinds(every, np.array(of, np.int32), numbers(workload[2].priority for workload in known))


def _keys(configs: Iterable[PreemptionConfig]) -> Iterable[str]:
    """The labels of workloads that rules read."""
    for config in configs:
        for rule in config.rules:
            for selector in rule.candidates:
                yield from (requirement.key for requirement in selector.workloads.requirements)
                yield from (number.key for number in selector.numbers)


def _base(preemptor: ConfiguredPreemptor) -> int:
    known = preemptor.workload.selectable
    return preemptor.priority if known is None or known.priority is None else known.priority


@dataclass(frozen=True, slots=True)
class _Selecting:
    """Whom selectors select for one preemptor.

    Args:
        arrays, kinds: the store, and the kinds of its workloads.
        mine: the preemptor's kind, with all its labels.
        preemptor: see there.
        rows: the workloads that hold quota.
    """

    arrays: Arrays
    kinds: _Kinds
    mine: _Kind
    preemptor: ConfiguredPreemptor
    rows: Rows

    def accepts(self, rule: PreemptionRule) -> bool:
        """Whether a rule accepts the preemptor, or cannot tell (PCF-070)."""
        if rule.preemptors.fault:
            return True
        labels = dict(self.mine.labels)
        return _is_selected(rule.preemptors, labels) and _is_named(rule.preemptor_classes, self.mine)

    def selected(self, rules: Iterable[PreemptionRule]) -> Array:
        """Whom any selector of some rules selects, of those in the preemptor's tree, bool[n]."""
        found = np.zeros(self.rows.size, np.bool_)
        for rule in rules:
            for selector in rule.candidates:
                if not (rule.preemptors.fault or selector.fault):
                    found |= self._selected_by(selector)
        return found

    def _selected_by(self, selector: CandidateSelector) -> Array:
        queue, of = self.rows.queue, self.kinds.of
        beside, together = self._in_scope(selector)
        same = np.array([kind[:2] == self.mine[:2] for kind, _ in self.kinds.every], np.bool_)
        own = np.array([self._is_kind_selected(selector, *kind) for kind in self.kinds.every], np.bool_)
        # A row that is free, or of a queue that is not known, has no node.
        known, node = queue >= 0, np.maximum(queue, 0)
        placed = known & np.where(same[of], together[node], beside[node])
        return placed & own[of] & self._compared(selector)

    def _in_scope(self, selector: CandidateSelector) -> tuple[Array, Array]:
        """Which nodes a selector selects in, for workloads of other LocalQueues and of the same one."""
        forest, layout = self.arrays.layout.forest, self.arrays.layout
        found = np.zeros((2, len(forest.parent)), np.bool_)
        own = self.preemptor.node
        above, top = forest.parent[own], int(forest.root[own])
        for node in range(top, int(forest.end[top])):
            if not forest.active[node]:
                continue
            queue = self.arrays.cluster.cluster_queues[layout.names[node]]
            selects = _is_selected(selector.queues, queue.labels)
            for same in (False, True):
                found[int(same), node] = selects and is_in_scope(
                    selector.scope,
                    same_queue=node == own,
                    same_local_queue=same,
                    same_parent=bool(above >= 0 and forest.parent[node] == above),
                    same_root=True,
                )
        return found[0], found[1]

    def _is_kind_selected(self, selector: CandidateSelector, kind: _Kind, labels: Mapping[str, str]) -> bool:
        mine = dict(self.mine.labels)
        return (
            _is_selected(selector.workloads, labels)
            and all(_is_numbered(number, labels, mine) for number in selector.numbers)
            and _is_named(selector.classes, kind)
        )

    def _compared(self, selector: CandidateSelector) -> Array:
        mode, comparison = selector.mode, selector.comparison
        if mode is None or comparison is None:
            return np.ones(self.rows.size, np.bool_)
        effective: Array = self.rows.priority
        base: Array = np.where(self.kinds.base == NO_STAMP, effective, self.kinds.base)
        mine = compared_priority(mode, _base(self.preemptor), self.preemptor.priority)
        theirs: Array = compared_priority(mode, base, effective)
        return compares(comparison, theirs, mine)


def _is_selected(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether a selector selects an object with some labels (PCF-050)."""
    return all(
        is_label_selected(found.operator, found.key in labels, labels.get(found.key) in found.values)
        for found in selector.requirements
    )


def _is_named(names: ClassNames, kind: _Kind) -> bool:
    """Whether names accept a priority class (PCF-040)."""
    name = kind.priority_class
    return is_class_selected(bool(names.match), name in names.match, name in names.exclude)


def _is_numbered(label: NumericLabel, labels: Mapping[str, str], mine: Mapping[str, str]) -> bool:
    """Whether a numeric label selects a workload with some labels (PCF-060)."""
    theirs, own = read_number(label, labels), read_number(label, mine)
    return is_number_selected(theirs, own, label.comparison, label.minimum, label.maximum)


def read_number(label: NumericLabel, labels: Mapping[str, str]) -> int | None:
    """The number of an object, of 32 bits.

    >>> read_number(NumericLabel("nodes", fallback=1), {"nodes": "4"}), read_number(NumericLabel("nodes"), {})
    (4, None)
    """
    text = labels.get(label.key, "")
    if not _NUMBER.fullmatch(text) or not -_MOST - 1 <= int(text) <= _MOST:
        return label.fallback
    return int(text)
