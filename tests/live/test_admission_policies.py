"""What the policies of `tenure policy` refuse, by a real API server, is what Tenure refuses."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from tenure.manifests import SourcedObject
from tenure.manifests.kueue_api import PREEMPTION_CONFIG
from tenure.manifests.preemption_configs import read_preemption_config
from tenure.model import ClusterQueue, ReclaimWithinCohort, WithinClusterQueue
from tenure.preemption_measures import (
    measure_of,
    steps_across_queues,
    steps_of_config,
    steps_within_queue,
)
from tenure.validation import WarningType, validate
from tenure.validation.admission_policy import CONFIGS, QUEUES, admission_policies
from tests.command_line import wait_until
from tests.live.plane import Plane
from tests.live.preemption_configs import a_config, a_rule, definition, drawn, selecting
from tests.live.server import ApiError, Object

DRAWN = 2000
SEED = 44
TIERS = 24
"""Each has a rule for all below it; many more exceed the API server's limits of cost."""
RECLAIMING = (ReclaimWithinCohort.NEVER, ReclaimWithinCohort.LOWER_PRIORITY, ReclaimWithinCohort.ANY)
NO_CLASS = "the name of a priority class that none can have: names are DNS subdomains"
LOOPS = a_config([a_rule("any", selecting())])
BY_BASE, BY_BOOSTED = (
    a_config([a_rule("lower", selecting(priority={"mode": mode, "comparison": "LessThan"}))], mode.lower())
    for mode in ("Base", "Boosted")
)


@pytest.fixture(scope="module")
def guarded(plane: Plane) -> Iterator[Plane]:
    """The control plane with PreemptionConfigs and the policies, which are removed afterwards."""
    plane.configure({})
    kind = definition()
    objects = [kind, *admission_policies()]
    plane.apply([kind])
    wait_until(lambda: plane.is_established(kind), "PreemptionConfigs are served")
    plane.apply([BY_BASE, BY_BOOSTED, *objects[1:]])
    looping = naming("base", ReclaimWithinCohort.ANY)
    wait_until(
        lambda: bool(refusal(plane, LOOPS) and refusal(plane, looping)),
        "the policies are followed",
    )
    yield plane
    for one in reversed(objects):
        plane.server.delete(plane.server.path_of(one))


def refusal(plane: Plane, found: Object) -> str:
    """Why the API server would not create an object; empty where it would."""
    try:
        plane.server.create(found, dry_run=True)
    except ApiError as error:
        return str(error)
    return ""


def reason(config: Object) -> str:
    """Why Tenure refuses a PreemptionConfig; empty where it does not."""
    report = validate([SourcedObject("", copy.deepcopy(config))])
    if report.errors:
        return "error"
    if any(found.type == WarningType.INVALID_SELECTOR for found in report.warnings):
        return "selector"
    steps = steps_of_config(read_preemption_config(config), boosts=True)
    return "measure" if measure_of(steps).unmeasured else ""


def test_the_policy_refuses_what_validate_and_the_measure_refuse(guarded: Plane) -> None:
    draw = random.Random(SEED)
    configs = [drawn(draw) for _ in range(DRAWN)]
    with ThreadPoolExecutor(4) as pool:
        refusals = [*pool.map(lambda config: refusal(guarded, config), configs)]
    reasons = [reason(config) for config in configs]
    differ = [
        (config, ours, theirs)
        for config, ours, theirs in zip(configs, reasons, refusals, strict=True)
        if bool(ours) != bool(theirs)
    ]
    assert not differ, f"{len(differ)} differ, the first: {differ[0]}"
    count = Counter(reasons)
    assert min(count[kind] for kind in ("", "error", "selector", "measure")) > DRAWN // 10, count
    by_policy = sum(CONFIGS in refused for refused in refusals)
    assert by_policy > DRAWN // 4, by_policy


def test_the_policy_of_queues_refuses_what_has_no_measure_with_their_own_policies(guarded: Plane) -> None:
    draw = random.Random(SEED)
    some = (drawn(draw) for _ in range(DRAWN))
    named = [
        {**config, "metadata": {"name": f"drawn-{place:02}"}}
        for place, config in enumerate([config for config in some if not reason(config)][:15])
    ]
    last = {**BY_BASE, "metadata": {"name": "last"}}
    guarded.apply([*named, last])
    wait_until(lambda: bool(refusal(guarded, naming("last", ReclaimWithinCohort.ANY))), "the last one counts")
    count: Counter[bool] = Counter()
    for config in [*named, BY_BASE, BY_BOOSTED]:
        for within, reclaim in product(WithinClusterQueue, RECLAIMING):
            ours = has_no_measure(config, within, reclaim)
            theirs = refusal(guarded, naming(config["metadata"]["name"], reclaim, within))
            assert (QUEUES in theirs) == ours, (config, within, reclaim, theirs)
            count[ours] += 1
    assert min(count.values()) > 25, count
    assert refusal(guarded, naming("missing", ReclaimWithinCohort.ANY)) == ""


def test_messages_name_the_rules_and_what_is_wrong_with_them(guarded: Plane) -> None:
    lower = selecting(priority={"mode": "Base", "comparison": "LessThan"})
    operator = selecting(labelSelector={"matchExpressions": [{"key": "tier", "operator": "Notin"}]})
    assert "rules wrong: a label selector" in refusal(guarded, a_config([a_rule("wrong", operator)]))
    boosted = selecting(priority={"mode": "Boosted", "comparison": "LessThan"})
    loops = a_config([a_rule("by-base", lower), a_rule("by-boosted", boosted)])
    assert "rules by-base, by-boosted: no measure falls" in refusal(guarded, loops)
    up, down = tiers(2)["spec"]["rules"][0], tiers(2, backwards=True)["spec"]["rules"][0]
    assert refusal(guarded, a_config([up])) == refusal(guarded, a_config([down])) == ""
    assert "rules up, down: no measure" in refusal(
        guarded, a_config([{**up, "name": "up"}, {**down, "name": "down"}])
    )
    with_reclaim = refusal(guarded, naming("base", ReclaimWithinCohort.LOWER_PRIORITY))
    assert "PreemptionConfig base: lower, spec.preemption.reclaimWithinCohort: no measure" in with_reclaim


def test_a_name_that_no_priority_class_can_have_is_refused_by_its_rule(guarded: Plane) -> None:
    lower = selecting(priority={"mode": "Base", "comparison": "LessThan"})
    for place, name in enumerate(("low prio", "Low", "low,high", "low|high", "", "a/b")):
        for part in ("matchNames", "notMatchNames"):
            preemptors = {"preemptorPriorityClassSelector": {part: [name]}}
            config = a_config(
                [{**a_rule("odd", lower), **preemptors}, a_rule("plain", lower)], f"odd-{place}"
            )
            if name:  # The schema demands a character.
                assert f"rules odd: {NO_CLASS}" in refusal(guarded, config)
            named = {"mode": "Base", "comparison": "LessThan", part: [name, "low.prio"]}
            of_victims = a_config([a_rule("odd", selecting(priority=named))])
            assert refusal(guarded, of_victims), name
    fine = {"preemptorPriorityClassSelector": {"matchNames": ["low.prio-1"]}}
    assert refusal(guarded, a_config([{**a_rule("fine", lower), **fine}])) == ""


def test_large_configs_are_within_the_limits_of_cost(guarded: Plane) -> None:
    lower = selecting(priority={"mode": "Base", "comparison": "LessThan"})
    numbers = selecting(numericLabels=[{"key": f"k{place}", "comparison": "LessThan"} for place in range(32)])
    by_priority = a_config([a_rule(f"r{place}", *[lower] * 32) for place in range(64)])
    by_numbers = a_config([a_rule(f"r{place}", *[numbers] * 32) for place in range(2)])
    assert refusal(guarded, by_priority) == ""
    assert refusal(guarded, by_numbers) == ""
    assert refusal(guarded, tiers(TIERS)) == ""


def tiers(number: int, *, backwards: bool = False) -> Object:
    """Each tier preempts all that are lower, or higher."""
    names = [f"tier-{place}" for place in range(number)][:: -1 if backwards else 1]
    return a_config(
        [
            {
                **a_rule(name, selecting(labelSelector=tier("In", names[place + 1 :]))),
                "preemptorSelector": tier("In", [name]),
            }
            for place, name in enumerate(names[:-1])
        ]
    )


def tier(operator: str, values: list[str]) -> Object:
    return {"matchExpressions": [{"key": "tier", "operator": operator, "values": values}]}


def naming(
    config: str, reclaim: ReclaimWithinCohort, within: WithinClusterQueue = WithinClusterQueue.NEVER
) -> Object:
    """A ClusterQueue with an annotation that names a PreemptionConfig."""
    preemption = {"withinClusterQueue": within.label, "reclaimWithinCohort": reclaim.label}
    metadata = {"name": "drawn", "annotations": {PREEMPTION_CONFIG: config}}
    spec = {"namespaceSelector": {}, "preemption": preemption}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": metadata,
        "spec": spec,
    }


def has_no_measure(config: Object, within: WithinClusterQueue, reclaim: ReclaimWithinCohort) -> bool:
    queue = ClusterQueue("drawn", within_cluster_queue=within, reclaim_within_cohort=reclaim)
    steps = [
        *steps_of_config(read_preemption_config(config), boosts=True),
        *steps_within_queue(queue, boosts=True),
        *steps_across_queues(queue, boosts=True),
    ]
    return bool(measure_of(steps).unmeasured)
