"""What a change reaches, and how long a running workload stays what it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tenure.api import Loaded
from tenure.model import (
    MINUTE,
    Cluster,
    ClusterQueue,
    Cohort,
    DynamicPriorityPolicy,
    ResourceFlavor,
    Settings,
    WithinClusterQueue,
    Workload,
    WorkloadPriorityClass,
)
from tenure.readings import preset
from tenure_play.diff import victim_periods
from tenure_play.diff.trees import reached, trees_of
from tenure_play.diff.victim_periods import Spell, instants_after, spells

GUARANTEED = preset("guaranteed")


def waits(name: str, queue: str, **fields: object) -> Workload:
    return replace(Workload("ns", name, name, 0, 0, queue_name=queue), **fields)  # type: ignore[arg-type]


def cluster() -> Cluster:
    """Two trees: one of a cohort, and a queue alone."""
    return Cluster(
        {"a": ClusterQueue("a", cohort="x"), "b": ClusterQueue("b", cohort="y"), "c": ClusterQueue("c")},
        admitted=(Workload("ns", "r", "r", 0, 0, quota_reserved_at=0, cluster_queue="a"),),
        pending=tuple(waits(f"w-{name}", name) for name in "abc"),
        local_queues={("ns", name): name for name in "abc"},
        cohorts={"y": Cohort("y", "x")},
    )


def left(one: Cluster, other: Cluster) -> tuple[str, ...]:
    """Who is still decided about on both sides."""
    before, after = reached(Loaded(one), Loaded(other))
    names = [tuple(workload.name for workload in side.cluster.pending) for side in (before, after)]
    assert names[0] == names[1]
    return names[0]


def test_a_change_reaches_the_tree_in_which_it_is() -> None:
    one = cluster()
    queues = dict(one.cluster_queues)
    assert left(one, cluster()) == ()
    assert left(one, replace(one, cluster_queues={**queues, "c": ClusterQueue("c", inactive="x")})) == (
        "w-c",
    )
    assert left(one, replace(one, cohorts={"y": Cohort("y")})) == ("w-a", "w-b")
    assert left(one, replace(one, admitted=())) == ("w-a", "w-b")
    higher = tuple(replace(w, priority=9) if w.name == "w-c" else w for w in one.pending)
    assert left(one, replace(one, pending=higher)) == ("w-c",)
    moved = {**one.local_queues, ("ns", "c"): "a"}
    assert left(one, replace(one, local_queues=moved)) == ("w-a", "w-b", "w-c")
    assert left(one, replace(one, flavors={"unused": ResourceFlavor("unused")})) == ()
    everything = ("w-a", "w-b", "w-c")
    assert left(one, replace(one, settings=Settings(priority_boost=True))) == everything
    assert left(one, replace(one, growing={"k": WorkloadPriorityClass("k", 1)})) == everything


def test_cohorts_in_a_cycle_are_one_tree() -> None:
    cohorts = {"x": Cohort("x", "y"), "y": Cohort("y", "x"), "z": Cohort("z", "x")}
    found = trees_of(Loaded(Cluster({"a": ClusterQueue("a", cohort="z")}, cohorts=cohorts)))
    assert list(found) == ["/"]


def test_the_instants_are_ends_of_protections_and_steps_of_priorities() -> None:
    timed = ClusterQueue(
        "a",
        within_cluster_queue=WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
        min_admit_duration=60 * MINUTE,
    )
    policy = DynamicPriorityPolicy(step=1, max=2, delay_for_step=40 * MINUTE)
    growing = {"k": WorkloadPriorityClass("k", 0, policy)}
    runs = Workload("ns", "r", "r", 0, 0, quota_reserved_at=5 * MINUTE, cluster_queue="a")
    back = waits("back", "a", priority_class="k", requeue_at=50 * MINUTE)
    made = Cluster({"a": timed}, (runs,), (back,), growing=growing, local_queues={("ns", "a"): "a"})
    (tree,) = trees_of(Loaded(made)).values()
    found = list(instants_after(made, tree, 6 * MINUTE, GUARANTEED))
    assert found == [40 * MINUTE, 50 * MINUTE, 50 * MINUTE + 1, 65 * MINUTE + 1, 80 * MINUTE]


def test_what_was_not_looked_at_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    made = replace(cluster(), pending=(waits("w", "a", requeue_at=9),))
    asked = Loaded(made), 0, GUARANTEED, set[str](), {"ns/r"}
    assert spells(*asked) == {"ns/r": Spell()}
    monkeypatch.setattr(victim_periods, "MOST_DECISIONS", 1)
    assert spells(*asked) == {"ns/r": Spell(looked_until=8)}
