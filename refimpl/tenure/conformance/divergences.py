"""Signed differences from named releases of real schedulers: of which scenarios, and what they predict.

`spec/divergences.toml` says it in words; here are the predicates and the predictions. What a divergence
predicts is always what Tenure decides about an altered scenario, never a written-down result.
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from tenure.as_json import as_json
from tenure.conformance.protocol import answer
from tenure.conformance.rendering import render_decision
from tenure.conformance.requests import read_decide_request
from tenure.manifests import parse_instant
from tenure.model import MINUTE, Duration
from tenure.oracle.decide import decide
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure.resources import bundled

Scenario: TypeAlias = Mapping[str, Any]
Outcome: TypeAlias = tuple[str, frozenset[tuple[str, str, str]]]

BUFFER: Duration = 5 * MINUTE
BUFFER_GATE = "SchedulerTimestampPreemptionBuffer"
FAILS: Outcome = ("panic", frozenset())
"""The outcome of a scheduler that crashes."""
MOST_ORDERS = 120
"""How many orders of names are tried before a divergence gives up explaining."""
MOST_DRAWS = 240
"""How many decisions with drawn visits are tried after that; the more, the rarer an answer may be."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """One entry of `spec/divergences.toml`.

    Args:
        id: its identifier, never reused.
        title: in a few words.
        scheduler: which one it is about.
        versions: its releases; `*` for all that were compared.
        when, predicts, reason: in words.
    """

    id: str
    title: str
    scheduler: str
    versions: tuple[str, ...]
    when: str
    predicts: str
    reason: str


@cache
def all_divergences() -> tuple[Divergence, ...]:
    """Every signed divergence, in order.

    >>> all_divergences()[0].id
    'DV-010'
    """
    text = bundled("spec", "divergences.toml").read_text(encoding="utf-8")
    return tuple(
        Divergence(**{**entry, "versions": tuple(entry["versions"])})
        for entry in tomllib.loads(text)["divergence"]
    )


def explain(scenario: Scenario, theirs: Scenario, version: str) -> str | None:
    """The divergence that predicts a scheduler's answer, if one does.

    Args:
        scenario: the `input` of the request.
        theirs: its whole answer, with `output` or `error`.
        version: the scheduler's release, as it reports it.

    Returns:
        its identifier; None when nothing signed explains the answer.
    """
    outcome = outcome_of(theirs)
    for divergence in all_divergences():
        if "*" not in divergence.versions and version not in divergence.versions:
            continue
        if outcome in PREDICTIONS[divergence.id](scenario):
            return divergence.id
    return None


def outcome_of(answered: Scenario) -> Outcome:
    """What is compared of an answer: the decision, and the set of who leaves, from where and why.

    >>> outcome_of({"output": {"decision": "Fit", "preempted": []}})
    ('Fit', frozenset())
    """
    if "error" in answered:
        return (str(answered["error"].get("code")), frozenset())
    output = answered["output"]
    taken = output.get("preempted") or ()
    return output["decision"], frozenset(
        (victim["workload"], victim["clusterQueue"], victim["reason"]) for victim in taken
    )


def _decided(scenario: Scenario) -> Outcome:
    return outcome_of(answer({"id": None, "call": "decide", "input": scenario}))


def _with_buffer(scenario: Scenario) -> Iterator[Outcome]:
    """DV-010. Who is too little newer is no candidate; a higher priority makes it none here."""
    gates = scenario.get("featureGates") or {}
    if not gates.get(BUFFER_GATE):
        return
    altered = copy.deepcopy(dict(scenario))
    del altered["featureGates"][BUFFER_GATE]
    preemptor = altered["incoming"]
    for workload in altered["admitted"]:
        if workload["status"]["admission"]["clusterQueue"] != scenario["targetCQ"]:
            continue
        equal = _priority(workload, gates) == _priority(preemptor, gates)
        if equal and 0 < _queued(workload, scenario) - _queued(preemptor, scenario) <= BUFFER:
            workload["spec"]["priority"] = (workload["spec"].get("priority") or 0) + 1
    yield _decided(altered)


def _priority(workload: Scenario, gates: Mapping[str, bool]) -> int:
    base = workload["spec"].get("priority") or 0
    boost = (workload["metadata"].get("annotations") or {}).get("kueue.x-k8s.io/priority-boost", "0")
    return base + (int(boost) if gates.get("PriorityBoost") and boost.lstrip("+-").isdigit() else 0)


def _queued(workload: Scenario, scenario: Scenario) -> int:
    by_eviction = scenario.get("requeuingTimestamp") == "Eviction"
    reasons = ("PodsReadyTimeout", "AdmissionCheck") if by_eviction else ("AdmissionCheck",)
    for condition in _conditions(workload, "Evicted"):
        if condition.get("reason") in reasons:
            return parse_instant(condition["lastTransitionTime"])
    created = workload["metadata"].get("creationTimestamp")
    return 0 if created is None else parse_instant(created)


def _conditions(workload: Scenario, kind: str) -> Iterator[Mapping[str, Any]]:
    for condition in (workload.get("status") or {}).get("conditions") or ():
        if condition["type"] == kind and condition["status"] == "True":
            yield condition


def _other_orders_of_cohorts(scenario: Scenario) -> Iterator[Outcome]:
    """DV-020. Names of cohorts decide nothing else, so an order of siblings' names is an order of visits.

    One order for the whole decision comes first; then each visit has its own.
    """
    if scenario.get("fairSharing") is None:
        return
    siblings: dict[str, list[str]] = {}
    for cohort in scenario["cohorts"]:
        parent = (cohort.get("spec") or {}).get("parentName")
        if parent:
            siblings.setdefault(parent, []).append(cohort["metadata"]["name"])
    groups = [sorted(names) for names in siblings.values() if len(names) > 1]
    if not groups:
        return
    for orders in itertools.islice(itertools.product(*map(itertools.permutations, groups)), MOST_ORDERS):
        names = {
            name: other
            for group, order in zip(groups, orders, strict=True)
            for name, other in zip(group, order, strict=True)
        }
        yield _decided(_with_cohorts_renamed(scenario, names))
    for output in drawn_decisions(scenario, MOST_DRAWS):
        yield outcome_of({"output": output})


def _with_cohorts_renamed(scenario: Scenario, names: Mapping[str, str]) -> Scenario:
    """With other names; who is not among them keeps its own."""
    altered = copy.deepcopy(dict(scenario))
    for cohort in altered["cohorts"]:
        cohort["metadata"]["name"] = names.get(cohort["metadata"]["name"], cohort["metadata"]["name"])
    placed = [(member, "parentName") for member in altered["cohorts"]]
    placed += [(member, "cohortName") for member in altered["clusterQueues"]]
    for member, field in placed:
        parent = (member.get("spec") or {}).get(field) or ""
        if parent in names:
            member["spec"][field] = names[parent]
    return altered


def _other_orders_of_twins(scenario: Scenario) -> Iterator[Outcome]:
    """DV-030. Among equal uids the name decides; the other order of names is the other choice."""
    uids = Counter(workload["metadata"].get("uid") or "" for workload in scenario["admitted"])
    twins = [
        index
        for index, workload in enumerate(scenario["admitted"])
        if uids[workload["metadata"].get("uid") or ""] > 1
    ]
    orders = itertools.permutations(range(len(twins))) if twins else ()
    for order in itertools.islice(orders, MOST_ORDERS):
        altered = copy.deepcopy(dict(scenario))
        for index, rank in zip(twins, order, strict=True):
            uid = altered["admitted"][index]["metadata"].get("uid") or ""
            altered["admitted"][index]["metadata"]["uid"] = f"{uid}.{rank:06d}"
        yield _decided(altered)


def _cut_short(scenario: Scenario) -> Iterator[Outcome]:
    """DV-040. The pod sets after the one that requests nothing covered are ignored."""
    if scenario.get("assignment") is not None:
        return
    pod_sets = scenario["incoming"]["spec"].get("podSets") or []
    for index, pod_set in enumerate(pod_sets[:-1]):
        if not _requests_nothing_covered(pod_set, scenario):
            continue
        altered = copy.deepcopy(dict(scenario))
        altered["incoming"]["spec"]["podSets"] = pod_sets[: index + 1]
        decided = _decided(altered)
        yield decided if decided[0] in ("Fit", "NoFit") else FAILS
        return


def _requests_nothing_covered(pod_set: Scenario, scenario: Scenario) -> bool:
    covered = _covered(_target(scenario))
    spec = pod_set["template"].get("spec") or {}
    requested: dict[str, str] = {}
    for container in spec.get("containers") or ():
        requested.update((container.get("resources") or {}).get("requests") or {})
    nothing = all(str(amount).rstrip("0.").strip() == "" for amount in requested.values())
    return bool(requested) and nothing and not covered & {*requested, "pods"}


def _without_workloads_that_hold_nothing(scenario: Scenario) -> Iterator[Outcome]:
    """DV-050. The scheduler's cache goes by the condition."""
    holding = [workload for workload in scenario["admitted"] if _holds_quota(workload)]
    if len(holding) == len(scenario["admitted"]):
        return
    without = {**scenario, "admitted": holding}
    yield _decided(without)
    # The remaining scenario may be one of another divergence.
    yield from _with_buffer(without)
    yield from _other_orders_of_cohorts(without)


def _fits_elsewhere_by_borrowing(scenario: Scenario) -> Iterator[Outcome]:
    """DV-060. A resource without candidates goes unnoticed beside one that fits by borrowing."""
    if scenario.get("assignment") is not None or not _prefers_preemption(_target(scenario)):
        return
    requested = sorted({name for requests in _all_requests(scenario) for name in requests})
    most = len(requested) if "pods" in _covered(_target(scenario)) else len(requested) - 1
    for size in range(1, most + 1):
        for unnoticed in itertools.combinations(requested, size):
            altered = copy.deepcopy(dict(scenario))
            for pod_set in altered["incoming"]["spec"]["podSets"]:
                pod_set.pop("minCount", None)  # the whole workload fits, so no part is looked at
            for requests in _all_requests(altered):
                for name in unnoticed:
                    requests.pop(name, None)
            decided = _decided(altered)
            if decided[0] == "Fit" and _decided(_without_borrowing(altered))[0] != "Fit":
                yield decided


def _prefers_preemption(queue: Scenario) -> bool:
    preference = (queue["spec"].get("flavorFungibility") or {}).get("preference")
    return bool(preference == "PreemptionOverBorrowing")


def _all_requests(scenario: Scenario) -> Iterator[dict[str, Any]]:
    """The requests of each container of the preemptor."""
    for pod_set in scenario["incoming"]["spec"].get("podSets") or ():
        for container in pod_set["template"]["spec"].get("containers") or ():
            yield (container.get("resources") or {}).get("requests") or {}


def _without_borrowing(scenario: Scenario) -> Scenario:
    """Its target may borrow nothing."""
    altered = copy.deepcopy(dict(scenario))
    for group in _target(altered)["spec"].get("resourceGroups") or ():
        for flavor in group["flavors"]:
            for quota in flavor["resources"]:
                quota["borrowingLimit"] = "0"
    return altered


def _target(scenario: Scenario) -> Scenario:
    (queue,) = (
        queue for queue in scenario["clusterQueues"] if queue["metadata"]["name"] == scenario["targetCQ"]
    )
    found: Scenario = queue
    return found


def _covered(queue: Scenario) -> set[str]:
    groups = queue["spec"].get("resourceGroups") or ()
    return {name for group in groups for name in group.get("coveredResources") or ()}


def _holds_quota(workload: Scenario) -> bool:
    if workload["spec"].get("active") is False or any(_conditions(workload, "Finished")):
        return False
    return any(_conditions(workload, "QuotaReserved"))


class DrawnOrder(tuple[int, ...]):
    """Places of sibling cohorts; iterated, they come in an order that is drawn, as a Go map has it.

    >>> order = DrawnOrder.of((1, 2, 3), random.Random(1))
    >>> list(order), list(order), list(order)
    ([2, 3, 1], [3, 1, 2], [1, 3, 2])
    """

    _drawing: random.Random

    @classmethod
    def of(cls, places: tuple[int, ...], drawing: random.Random) -> DrawnOrder:
        """The places, in orders that are drawn."""
        order = cls(places)
        order._drawing = drawing
        return order

    def __iter__(self) -> Iterator[int]:
        places = list(super().__iter__())
        self._drawing.shuffle(places)
        return iter(places)


def drawn_decisions(scenario: Scenario, draws: int) -> Iterator[Mapping[str, Any]]:
    """The `output` of call `decide` if sibling cohorts are visited in drawn orders, drawn time and again.

    Args:
        scenario: the `input` of a legal request.
        draws: how often; the same numbers are drawn for every scenario.
    """
    request = read_decide_request(scenario)
    about = request.preemptor, request.queue, request.now, request.reading, request.assignment
    snapshot = take_snapshot(request.cluster, request.queue, request.now, request.reading)
    for draw in range(draws):
        yield as_json(render_decision(decide(request.cluster, *about, _drawn(snapshot, random.Random(draw)))))


def _drawn(snapshot: Snapshot, drawing: random.Random) -> Snapshot:
    nodes = tuple(
        dataclasses.replace(node, cohorts=DrawnOrder.of(node.cohorts, drawing))
        for node in snapshot.tree.nodes
    )
    return dataclasses.replace(snapshot, tree=dataclasses.replace(snapshot.tree, nodes=nodes))


PREDICTIONS: dict[str, Callable[[Scenario], Iterator[Outcome]]] = {
    "DV-010": _with_buffer,
    "DV-020": _other_orders_of_cohorts,
    "DV-030": _other_orders_of_twins,
    "DV-040": _cut_short,
    "DV-050": _without_workloads_that_hold_nothing,
    "DV-060": _fits_elsewhere_by_borrowing,
}
"""For each divergence: nothing for a scenario it does not speak of, else the answers that it predicts."""
