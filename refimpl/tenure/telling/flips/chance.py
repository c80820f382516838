"""Ties that Kueue breaks by chance and Tenure by name: whether a decision hangs on one.

Source: DV-020 and DV-030 of `spec/divergences.toml`.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tenure.model import Outcome
from tenure.oracle.decide import Decision
from tenure.telling.flips.situation import Situation

MOST_ORDERS = 6
"""How many other orders are tried of each kind of tie, each with a decision, for each flip that is told."""

TIES = {"DV-020": "sibling cohorts have equal shares", "DV-030": "workloads have equal uids"}
"""What ties, by the divergence that says so."""

_Decided: TypeAlias = tuple[Outcome, frozenset[str]]


def may_tie(decision: Decision) -> bool:
    """Whether there is anything that could tie in a decision, or in one with a single other field.

    Args:
        decision: no field that a flip changes makes siblings or equal uids.
    """
    return bool(_siblings(decision) or _twins(decision))


def tie_of(situation: Situation) -> str | None:
    """The divergence by which Kueue may decide otherwise in a situation; None where chance plays no part.

    Where many siblings or equal uids allow many orders, not all are tried, and a tie may go unnoticed.

    Args:
        situation: where.

    >>> from tenure.model import Cluster, ClusterQueue, Workload
    >>> from tenure.readings import preset
    >>> waiting = Workload("ns", "w", "u", priority=0, created_at=0)
    >>> tie_of(Situation(Cluster({"q": ClusterQueue("q")}), waiting, "q", 0, preset("guaranteed"))) is None
    True
    """
    decision = situation.decided()
    ours = _decided(decision)
    for divergence, others in (
        ("DV-020", _other_cohorts(situation, decision)),
        ("DV-030", _other_twins(situation, decision)),
    ):
        for other in itertools.islice(others, MOST_ORDERS):
            if _decided(other.decided()) != ours:
                return divergence
    return None


def _decided(decision: Decision) -> _Decided:
    return decision.outcome, frozenset(target.workload.key for target in decision.targets)


def _other_cohorts(situation: Situation, decision: Decision) -> Iterator[Situation]:
    """The situation with sibling cohorts named in other orders: their names decide nothing but ties."""
    for names in _renamings(_siblings(decision)):
        cluster = situation.cluster
        cohorts = {
            names.get(name, name): dataclasses.replace(
                cohort,
                name=names.get(name, name),
                parent=None if cohort.parent is None else names.get(cohort.parent, cohort.parent),
            )
            for name, cohort in cluster.cohorts.items()
        }
        queues = {
            name: queue
            if queue.cohort is None
            else dataclasses.replace(queue, cohort=names.get(queue.cohort, queue.cohort))
            for name, queue in cluster.cluster_queues.items()
        }
        yield situation.with_cluster(cohorts=cohorts, cluster_queues=queues)


def _other_twins(situation: Situation, decision: Decision) -> Iterator[Situation]:
    """The situation with uids that put workloads of equal uid into other orders."""
    for keys in _renamings(_twins(decision)):
        places = {key: place for place, key in enumerate(sorted(keys.values()))}
        admitted = tuple(
            dataclasses.replace(each, uid=f"{each.uid}.{places[keys[each.key]]:06d}")
            if each.key in keys
            else each
            for each in situation.cluster.admitted
        )
        yield situation.with_cluster(admitted=admitted)


def _siblings(decision: Decision) -> list[list[str]]:
    """The names of cohorts below the same one, where shares are compared."""
    if not decision.terms.fair_sharing:
        return []
    nodes = decision.snapshot.tree.nodes
    return [[nodes[place].name for place in node.cohorts] for node in nodes if len(node.cohorts) > 1]


def _twins(decision: Decision) -> list[list[str]]:
    """The names of running workloads that have the same uid."""
    by_uid: dict[str, list[str]] = {}
    for workload in decision.running:
        by_uid.setdefault(workload.uid, []).append(workload.key)
    return [keys for keys in by_uid.values() if len(keys) > 1]


def _renamings(groups: Sequence[Sequence[str]]) -> Iterator[Mapping[str, str]]:
    """Every way to exchange names inside groups; all reversed first, which breaks most ties otherwise."""
    if not groups:
        return
    # A product first lists all that it combines, and of a large group that is more than memory holds.
    few = (itertools.islice(itertools.permutations(group), MOST_ORDERS) for group in groups)
    orders = itertools.product(*few)
    for order in itertools.chain([[group[::-1] for group in groups]], orders):
        yield {
            old: new
            for group, names in zip(groups, order, strict=True)
            for old, new in zip(group, names, strict=True)
        }
