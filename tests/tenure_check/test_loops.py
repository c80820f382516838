"""The search for loops: what it finds, what it needs, and that what it leaves out has no loop."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest

from tenure.errors import InputError
from tenure.manifests import SourcedObject
from tenure.model import SECOND, Duration
from tenure.readings import preset
from tenure_check.analysis.closed_systems import CohortTree, PriorityChoice, trees_of
from tenure_check.analysis.loop_answer import LoopsAnswer
from tenure_check.analysis.loop_causes import needed_facts
from tenure_check.analysis.loops import LoopHunt, LoopRequest
from tenure_check.analysis.periodic_runs import (
    EVICTIONS,
    FoundLoop,
    LoopSearch,
    SearchBounds,
    first_loop_of,
    scenario_of,
)
from tenure_play import Scenario, parse_scenario, play
from tests.objects import a_group, a_queue, an_object
from tools import libyaml

READING = preset("guaranteed")
ONE_TIME = (5 * SECOND,)
TWO = ("0", "100")
FAIR = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
}


def queue(name: str, nominal: int, cohort: str = "all", **preemption: Any) -> dict[str, Any]:
    """A ClusterQueue with a quota of CPUs."""
    return a_queue(
        name,
        a_group("default", quota=nominal),
        cohortName=cohort,
        **({"preemption": preemption} if preemption else {}),
    )


def trees(*objects: dict[str, Any]) -> list[CohortTree]:
    """The trees of some objects, with a flavor."""
    flavor = an_object("ResourceFlavor", "default")
    return trees_of([SourcedObject("queues.yaml", found) for found in (flavor, *objects)], READING)[0]


def hunted(found: list[CohortTree], **request: Any) -> tuple[LoopsAnswer, list[dict[str, Any]]]:
    """The answer to a request, and the scenarios of its loops."""
    hunt = LoopHunt(found, LoopRequest(**request), READING, {})
    return hunt.run(), hunt.scenarios


def circle(own: str) -> list[CohortTree]:
    """Two queues without quota that share what a third one lends, by fair sharing (kueue#14543)."""
    policy = {"reclaimWithinCohort": "Any", "withinClusterQueue": own}
    return trees(FAIR, queue("a", 0, **policy), queue("b", 0, **policy), queue("lender", 4))


def borrowers(**changes: Any) -> list[CohortTree]:
    """A queue that preempts while it borrows, and one that only lends (kueue#13662)."""
    policy = {
        "withinClusterQueue": "LowerPriority",
        "reclaimWithinCohort": "LowerPriority",
        "borrowWithinCohort": {"policy": "LowerPriority"},
        **changes,
    }
    return trees(queue("b", 4, **policy), queue("lender", 4))


@pytest.mark.parametrize(
    ("own", "threshold", "searched"),
    [
        ((), None, (0, 50, 100)),
        ((50,), None, (0, 50, 100)),
        ((500, -10, 50), None, (-10, 50, 500)),
        ((-10, 500), None, (-10, 245, 500)),
        ((-10, 500), 7, (-10, 8, 500)),
    ],
)
def test_the_priorities_of_the_workloads_are_searched(
    own: tuple[int, ...], threshold: int | None, searched: tuple[int, ...]
) -> None:
    borrow: dict[str, Any] = {} if threshold is None else {"maxPriorityThreshold": threshold}
    policy: dict[str, Any] = {
        "reclaimWithinCohort": "Any",
        "borrowWithinCohort": {"policy": "LowerPriority", **borrow},
    }
    workloads = [an_object("Workload", f"w{number}", spec={"priority": number}) for number in own]
    (tree,) = trees(queue("b", 4, **policy), queue("lender", 4), *workloads)
    assert tuple(choice.value for choice in tree.priorities) == searched


def test_a_loop_is_found_with_the_fields_that_it_needs_and_plays_as_it_is_written() -> None:
    answer, scenarios = hunted(circle("LowerPriority"), evictions=ONE_TIME, priorities=TWO)
    (tree,) = answer.trees
    (search,) = tree.searches
    loop = search.loop
    assert answer.found
    assert loop is not None
    assert [(workload.cluster_queue, workload.request) for workload in loop.workloads] == [
        ("a", "2"),
        ("b", "3"),
        ("a", "4"),
    ]
    assert {(fact.object, fact.field) for fact in loop.needed if fact.is_policy} == {
        ("Configuration", "fairSharing"),
        ("ClusterQueue/a", "spec.preemption.reclaimWithinCohort"),
        ("ClusterQueue/a", "spec.preemption.withinClusterQueue"),
        ("ClusterQueue/b", "spec.preemption.reclaimWithinCohort"),
    }
    assert all(fact.ends_alone for fact in loop.needed)
    record = play(parse_scenario(libyaml.load(libyaml.dump(scenarios[0]))), READING)
    assert record.holds
    assert record.loop is not None
    assert record.loop.futile


def test_without_a_field_that_is_needed_no_loop_is_found() -> None:
    answer, scenarios = hunted(circle("Never"), evictions=ONE_TIME, sizes=("2", "4"), priorities=TWO)
    assert (answer.found, answer.complete, scenarios) == (False, True, [])
    assert answer.trees[0].searches[0].complete_up_to == 3


def of_victims(evictions: tuple[Duration, ...]) -> tuple[FoundLoop | None, CohortTree, SearchBounds]:
    """A search among three kinds: two fit beside each other, and the preemptor beside neither."""
    (tree,) = borrowers()
    kinds = [
        kind
        for kind in tree.kinds("cpu", (2000, 6000, 8000), [PriorityChoice(number) for number in range(3)], 3)
        if (kind.queue, kind.amount, kind.priority.value)
        in [("lender", 2000, 0), ("lender", 6000, 1), ("b", 8000, 2)]
    ]
    bounds = SearchBounds(3, evictions)
    search = LoopSearch(tree, kinds, bounds, READING)
    found = [step for step in search.steps() if step is not None]
    assert search.tally.complete_up_to == (2 if found else 3)
    return (found[0] if found else None), tree, bounds


@cache
def apart() -> tuple[FoundLoop, dict[str, Any]]:
    """The loop of two victims that leave half a second apart, and its scenario."""
    found, tree, bounds = of_victims(EVICTIONS)
    assert found is not None
    return found, scenario_of(tree, found, bounds, "apart")


def test_two_victims_that_leave_half_a_second_apart_loop_and_at_one_time_they_do_not() -> None:
    found, scenario = apart()
    assert sorted(found.start.evictions.values()) == [EVICTIONS[1]]
    assert any("eviction" in event["submit"] for event in scenario["events"])
    assert play(parse_scenario(scenario), READING).holds
    assert of_victims(ONE_TIME)[0] is None


def test_a_policy_is_needed_exactly_where_the_scenario_does_not_loop_without_it() -> None:
    _, scenario = apart()
    needed = {fact.field for fact in needed_facts(scenario, READING) if fact.is_policy}
    # Without reclaimWithinCohort the queue is refused, because borrowWithinCohort asks for it.
    assert needed == {"spec.preemption.borrowWithinCohort.policy"}
    for gone, loops in (("borrowWithinCohort", False), ("withinClusterQueue", True)):
        changed = libyaml.load(libyaml.dump(scenario))
        for manifest in changed["objects"]:
            manifest.get("spec", {}).get("preemption", {}).pop(gone, None)
        played = parse_scenario(changed)
        assert isinstance(played, Scenario)
        assert (first_loop_of(played, READING) is not None) == loops, gone


def test_a_rotation_by_min_admit_duration_is_counted_and_is_no_loop() -> None:
    policy: dict[str, Any] = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "withinClusterQueueConfig": {"minAdmitDuration": "1h"},
    }
    answer, _ = hunted(trees(queue("a", 4, **policy)), sizes=("4",), priorities=("0",), up_to=2)
    (search,) = answer.trees[0].searches
    assert (answer.found, search.loop) == (False, None)
    assert search.rotations > 0


def test_queues_that_differ_in_their_names_only_are_searched_once() -> None:
    policy = {"reclaimWithinCohort": "Any"}
    counted = []
    for nominal in (2, 3):
        found = trees(queue("a", 2, **policy), queue("b", nominal, **policy))
        answer, _ = hunted(found, sizes=("2", "4"), priorities=("0",), up_to=2, evictions=ONE_TIME)
        counted.append((answer.trees[0].alike, answer.trees[0].searches[0].systems))
    (alike, once), (different, twice) = counted
    assert alike == (("a", "b"),)
    assert different == ()
    assert once < twice


def test_resources_in_proportion_are_searched_once() -> None:
    manifest = queue("a", 2, reclaimWithinCohort="Any")
    (group,) = manifest["spec"]["resourceGroups"]
    group["coveredResources"].append("memory")
    group["flavors"][0]["resources"].append({"name": "memory", "nominalQuota": "8Gi"})
    other = queue("b", 1)
    (more,) = other["spec"]["resourceGroups"]
    more["coveredResources"].append("memory")
    for memory, expected in (("4Gi", ("cpu",)), ("5Gi", ("cpu", "memory"))):
        more["flavors"][0]["resources"][1:] = [{"name": "memory", "nominalQuota": memory}]
        (tree,) = trees(manifest, other)
        assert tree.resources() == expected


def test_a_flavor_with_a_taint_is_used() -> None:
    taint = {"key": "spot", "value": "yes", "effect": "NoSchedule"}
    flavor = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "default"},
        "spec": {"nodeTaints": [taint]},
    }
    policy = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
    objects = (flavor, FAIR, queue("a", 0, **policy), queue("b", 0, **policy), queue("lender", 4))
    found, _ = trees_of([SourcedObject("", manifest) for manifest in objects], READING)
    answer, _ = hunted(found, evictions=ONE_TIME, up_to=2, priorities=("0",))
    assert answer.trees[0].searches[0].systems > 0


def test_a_search_whose_time_has_run_out_says_how_far_it_came() -> None:
    (tree,) = circle("Never")
    kinds = tree.kinds("cpu", (2000, 4000), (PriorityChoice(0),), 3)
    search = LoopSearch(tree, kinds, SearchBounds(3, ONE_TIME, deadline=0.0), READING)
    assert list(search.steps()) == []
    assert (search.tally.stopped, search.tally.complete_up_to, search.tally.plays) == (True, 1, 0)


def test_what_was_found_before_an_interrupt_is_kept() -> None:
    policy = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
    first = [queue("a", 0, "one", **policy), queue("b", 0, "one", **policy), queue("lender", 4, "one")]
    second = [queue("c", 2, "two", **policy), queue("d", 2, "two", **policy)]

    def interrupting(steps: Iterable[Any], what: str) -> Iterator[Any]:
        for step in steps:
            if "two" in what:
                raise KeyboardInterrupt
            yield step

    found, notes = trees(FAIR, *first, *second), list[str]()
    hunt = LoopHunt(found, LoopRequest(priorities=TWO), READING, {}, interrupting, notes.append)
    answer = hunt.run()
    assert (answer.found, answer.interrupted, answer.complete) == (True, True, False)
    assert [(tree.tree, tree.searches[0].stopped) for tree in answer.trees] == [
        ("cohort one", False),
        ("cohort two", True),
    ]
    assert len(hunt.scenarios) == 1
    assert notes[0] == "no theorem excludes loops in cohort one, cohort two: searching"
    assert notes[1].startswith("cohort one: cpu: a loop of 3 workloads, a turn every ")


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"sizes": ("0",)}, "^sizes: "),
        ({"priorities": ("hgih",)}, "^priorities: "),
        ({"resources": ("gpu",)}, "one of cpu"),
    ],
)
def test_a_request_that_no_tree_can_meet_is_refused(request_: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        hunted(circle("Never"), **request_)


def test_files_without_a_cluster_queue_are_refused() -> None:
    with pytest.raises(InputError, match="no ClusterQueue"):
        trees()


def drawn(seed: int) -> list[CohortTree]:
    """Two queues with policies drawn at random."""
    dice = random.Random(seed)
    found = []
    for name in "ab":
        policy: dict[str, Any] = {
            "withinClusterQueue": dice.choice(["Never", "LowerPriority", "LowerOrNewerEqualPriority"]),
            "reclaimWithinCohort": dice.choice(["Any", "LowerPriority"]),
        }
        if dice.random() < 0.7:
            policy["borrowWithinCohort"] = {"policy": "LowerPriority"}
        found.append(queue(name, dice.choice([1, 2, 3]), **policy))
    return trees(*found)


@pytest.mark.parametrize("seed", range(4))
def test_what_the_search_leaves_out_has_no_loop(seed: int) -> None:
    """Every two workloads, one after the other, without any of the search's short cuts."""
    (tree,) = drawn(seed)
    sizes, priorities = (2000, tree.total("cpu")), (PriorityChoice(0), PriorityChoice(100))
    kinds = tree.kinds("cpu", sizes, priorities, 2)
    found = [step for step in LoopSearch(tree, kinds, SearchBounds(2, ONE_TIME), READING).steps() if step]
    loops = []
    for first, second in itertools.product(kinds, repeat=2):
        events = [
            {
                "at": f"{place}m",
                "submit": tree.entry(f"w{place}", kind.queue, "cpu", kind.amount, kind.priority),
            }
            for place, kind in enumerate((first, second))
        ]
        raw = {"until": "10m", "timing": {"eviction": "5s"}, "objects": list(tree.objects), "events": events}
        played = parse_scenario(raw)
        assert isinstance(played, Scenario)
        if first_loop_of(dataclasses.replace(played), READING) is not None:
            loops.append((first, second))
    assert bool(found) == bool(loops), f"seed {seed}"
    assert not found or found[0].start.kinds in loops
