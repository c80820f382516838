"""Admissions in a tree with heroes: the order in which workloads got their quota decides."""

from __future__ import annotations

import random
from dataclasses import replace

from tenure.model import FlavorResource, PreemptionRules, Workload
from tenure.oracle.tree import build_tree
from tenure.readings import preset
from tenure_check.analysis.admissions import are_admitted, has_heroes
from tenure_check.analysis.states import (
    PriorityLevel,
    States,
    decided,
    hits_of,
    is_consistent,
    made_small,
    still_in_scope,
)
from tenure_check.choices import Scope
from tests.analyzed import LOWER
from tests.clusters import cluster, queue

GPU = FlavorResource("f", "gpu")
KNOWN = cluster(
    queue("h", "c", (2, None, None), rules=PreemptionRules.UBER_CLUSTER_QUEUE),
    queue("s", "c", (4, 0, None), within_cluster_queue=LOWER),
)
LEVELS = PriorityLevel("low", 0), PriorityLevel("high", 1)
TREE = build_tree(KNOWN, KNOWN.cluster_queues["h"])


def running(name: str, amount: int, reserved: int) -> Workload:
    return Workload(
        "x",
        name,
        name,
        priority=0,
        created_at=0,
        quota_reserved_at=reserved,
        cluster_queue=name,
        usage={GPU: amount},
    )


def test_a_hero_may_get_what_others_leave_and_these_no_more_than_it_leaves_them() -> None:
    first, second = running("h", 5, reserved=1), running("s", 1, reserved=2)
    assert has_heroes(TREE)
    assert are_admitted(TREE, preset("guaranteed"), [second, first])
    assert not are_admitted(TREE, preset("guaranteed"), [first, replace(second, usage={GPU: 2})])


def test_random_states_with_heroes_were_admitted_in_an_order_and_so_were_smaller_ones() -> None:
    states = States(KNOWN, TREE, preset("guaranteed"), LEVELS)
    is_state = still_in_scope(TREE, Scope.CONSISTENT)
    hits = []
    for seed in range(30):
        request = states.drawn(random.Random(seed), "h")
        assert is_consistent(request, TREE)
        hits += list(hits_of(request, states.decided(request)))
    assert len(hits) > 5
    for cell, example in hits[:10]:
        assert decided(example.request).targets == states.decided(example.request).targets
        small = made_small(cell, example, states.decided, is_state)
        assert is_consistent(small.request, TREE)
