"""Small clusters, written and drawn, for the tests of the oracle, the readings and the explanation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.errors import InputError
from tenure.model import (
    MINUTE,
    Cluster,
    ClusterQueue,
    FlavorQuotas,
    FlavorResource,
    Instant,
    PodSet,
    RequeuingTimestamp,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import Decision, decide
from tenure.readings import CHOICES, PROOFS_ONLY, Reading, preset, preset_names
from tests.published import published_vectors

GPU = FlavorResource("a100", "nvidia.com/gpu")
CPU = FlavorResource("spot", "cpu")
NOMINAL = {GPU: 4, CPU: 6}
NOW = 100 * MINUTE
EVICTED_AT = ("pods_ready_evicted_at", "admission_check_evicted_at", "time_based_preempted_at")
ANY_EQUAL = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY


def queue(
    policy: WithinClusterQueue = ANY_EQUAL,
    duration: int | None = None,
    nominal: Mapping[FlavorResource, int] = NOMINAL,
    cohort: str | None = None,
) -> ClusterQueue:
    """A ClusterQueue with one group for each flavor-resource."""
    groups = tuple(
        ResourceGroup((place.resource,), (FlavorQuotas(place.flavor, {place.resource: amount}),))
        for place, amount in nominal.items()
    )
    return ClusterQueue("q", groups, policy, duration, cohort)


def running(name: str, gpus: int = 1, priority: int = 100, **more: object) -> Workload:
    """A workload that holds GPUs, since an hour ago if nothing else is said."""
    base = Workload(
        "ml",
        name,
        f"uid-{name}",
        priority=priority,
        created_at=0,
        quota_reserved_at=NOW - 60 * MINUTE,
        cluster_queue="q",
        usage={GPU: gpus},
    )
    return replaced(base, more)


def waiting(gpus: int = 1, priority: int = 100, cpu: int = 0, **more: object) -> Workload:
    """The pending workload."""
    requests = {GPU.resource: gpus, CPU.resource: cpu}
    base = Workload(
        "ml", "preemptor", "uid-preemptor", priority, created_at=0, pod_sets=(PodSet("main", 1, requests),)
    )
    return replaced(base, more)


def replaced(workload: Workload, fields: Mapping[str, object]) -> Workload:
    """A workload with other fields."""
    made = {name: getattr(workload, name) for name in Workload.__dataclass_fields__}
    return Workload(**{**made, **fields})


def decided(
    preemptor: Workload,
    *admitted: Workload,
    in_queue: ClusterQueue | None = None,
    reading: str = "guaranteed",
    settings: Settings | None = None,
    now: Instant = NOW,
) -> Decision:
    """A decision in a cluster of one queue."""
    chosen = in_queue if in_queue is not None else queue()
    cluster = Cluster({"q": chosen}, admitted, (preemptor,), settings=settings or Settings())
    return decide(cluster, preemptor, "q", now, preset(reading))


def taken(decision: Decision) -> list[str]:
    """The names of those who are preempted, in order."""
    return [target.workload.name for target in decision.targets]


@dataclass(frozen=True)
class Case:
    """A cluster, who asks, and when."""

    cluster: Cluster
    preemptor: Workload
    now: Instant

    def decided(self, reading: Reading) -> Decision:
        """The decision under a reading."""
        return decide(self.cluster, self.preemptor, "q", self.now, reading)


# A few minutes and their neighbours: ties, exact thresholds and times after now all come up.
INSTANTS = st.sampled_from([minute * MINUTE + late for minute in range(4) for late in (-1, 0, 1)])
CLOCKS = INSTANTS | st.sampled_from([5 * MINUTE, 6 * MINUTE])
POLICIES = st.sampled_from([ANY_EQUAL] * 4 + [*WithinClusterQueue])
STAMPS = st.sampled_from([None, *(minute * MINUTE + late for minute in range(4) for late in (-1, 0, 1))])
DURATIONS = st.sampled_from([MINUTE, MINUTE, 2 * MINUTE, None, 0, MINUTE - 1])
PRIORITIES = st.sampled_from([1, 1, 1, 1, 0, 2])  # equals are what the proposal is about
# When its pods were not ready, when an admission check failed, when time-based preemption took it.
EVICTIONS = st.sampled_from(
    [(None, None, None), *product((None, MINUTE), (None, MINUTE, 2 * MINUTE), (None, MINUTE, 3 * MINUTE))]
)
# What a workload holds: often of both, now and then zero or nothing.
USAGES = st.sampled_from(
    [
        {place: amount for place, amount in ((GPU, gpus), (CPU, cpu)) if amount is not None}
        for gpus, cpu in product((1, 2, 3, 0, None), (None, 1, 3))
    ]
)


@st.composite
def workloads(draw: st.DrawFn, name: str) -> Workload:
    """A workload that holds quota."""
    held = Workload(
        "ml",
        name,
        draw(st.sampled_from(["", "u1", "u2"])),
        draw(PRIORITIES),
        draw(INSTANTS),
        draw(STAMPS),
        draw(st.booleans()),
        cluster_queue="q",
        usage=draw(USAGES),
    )
    return replaced(held, dict(zip(EVICTED_AT, draw(EVICTIONS), strict=True)))


@st.composite
def cases(draw: st.DrawFn, durations: st.SearchStrategy[int | None] = DURATIONS) -> Case:
    """A queue that is often too full for one more workload."""
    names = [f"w{number}" for number in range(draw(st.sampled_from([3, 4, 5, 4, 3, 2, 1, 0])))]
    preemptor = waiting(
        draw(st.sampled_from([2, 3, 4, 2, 3, 4, 1, 1, 0, 5])),
        draw(PRIORITIES),
        draw(st.sampled_from([0, 0, 0, 0, 0, 0, 0, 2, 6, 7])),
        created_at=draw(INSTANTS),
        **dict(zip(EVICTED_AT, draw(EVICTIONS), strict=True)),
    )
    chosen = queue(draw(POLICIES), draw(durations))
    settings = Settings(draw(st.sampled_from([True, True, False])), draw(st.sampled_from(RequeuingTimestamp)))
    admitted = tuple(draw(workloads(name)) for name in names)
    return Case(Cluster({"q": chosen}, admitted, (preemptor,), settings=settings), preemptor, draw(CLOCKS))


DECIDABLE = {
    key: st.sampled_from([member for member in enum if member != PROOFS_ONLY.get(key)])
    for key, enum in CHOICES.items()
}
PRESETS = st.sampled_from([preset(name) for name in preset_names()])
READINGS = PRESETS | st.builds(Reading, **{key: DECIDABLE[key] for key in CHOICES})


def requests_of_vectors() -> Iterator[DecideRequest]:
    """What the published vectors ask to be decided, but for what is refused."""
    for vector in published_vectors():
        asked = vector.request()
        if asked["call"] == "decide":
            with suppress(InputError):
                yield read_decide_request(asked["input"])
