"""Kueue v0.20's own tables for PreemptionConfigs, facts that lie beside the repository, by both engines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tenure.choices import Outcome
from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.errors import ErrorCode, InputError
from tenure.manifests.preemption_configs import read_preemption_config
from tenure.model import (
    Comparison,
    FlavorResource,
    NumericLabel,
    PriorityMode,
    RequeuingTimestamp,
    ResourceFlavor,
    Selectable,
    Trigger,
    Workload,
)
from tenure.oracle.configured import config_of, number_of, removed_by_tiers, selected_among
from tenure.oracle.decide import Decision, decide
from tenure.oracle.leaving import leaving_of
from tenure.oracle.question import Question
from tenure.oracle.selection import Removal
from tenure.oracle.snapshot import take_snapshot, with_effective_priority
from tenure.readings import preset
from tenure.rules.preemption_config import compared_priority, compares, is_number_selected
from tenure.rules.priority import effective_priority
from tenure.rules.terms import terms_of
from tenure_lab.engines_compared import Approach, compare
from tenure_simulate.core import Arrays
from tenure_simulate.core.configured import ConfiguredPreemptor, read_number, tiers_of
from tenure_simulate.core.search import searcher
from tenure_simulate.core.tables import SearchInput
from tenure_simulate.core.tiers import go_on
from tests.objects import a_group, a_queue, a_workload, admitted_to, an_object, condition
from tools import libyaml

RELEASED = preset("released")
NOW = "2026-01-02T00:00:00Z"
ALPHA = "kueue.x-k8s.io/v1alpha1"
CPU = FlavorResource("default", "cpu")
BAD_LABEL = {"matchExpressions": [{"key": "test", "operator": "invalid"}]}
TIER = {"key": "preemption-tier", "comparison": "LessThan"}


@cache
def cases() -> Mapping[str, Any]:
    near = Path(__file__).resolve().parents
    places = (folder / "shared" / "preemptionconfig" / "cases.yaml" for folder in near)
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        return {}
    read: Mapping[str, Any] = libyaml.load(found.read_text(encoding="utf-8"))
    return read


pytestmark = pytest.mark.skipif(not cases(), reason="the cases are not beside the repository")


def rows(section: str) -> list[Any]:
    return [
        pytest.param(row, id=str(row["id"] if isinstance(row, dict) and "id" in row else index))
        for index, row in enumerate(cases().get(section, ()))
    ]


def a_config(name: str, rules: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The API server refuses two rules of one name, which one of the tables has: the second gets another."""
    named = [{**rule, "name": f"r{number}"} for number, rule in enumerate(rules)]
    return {**an_object("PreemptionConfig", name, {"rules": named}), "apiVersion": ALPHA}


def a_rule(trigger: str, selectors: list[Any], **more: Any) -> dict[str, Any]:
    return {"activationPolicy": {"trigger": trigger}, "candidateSelectors": selectors, **more}


def a_job(found: Mapping[str, Any], key: str = "cpu", **spec: Any) -> dict[str, Any]:
    space, local = found.get("local", "ml/main").split("/")
    if "priority" in found:
        spec["priority"] = found["priority"]
    made = a_workload(found["name"], {key: found.get("cpu", 1)}, space, queueName=local, **spec)
    made["metadata"]["labels"] = found.get("labels", {})
    if "boost" in found:
        made["metadata"]["annotations"] = {"kueue.x-k8s.io/priority-boost": str(found["boost"])}
    return made


def held(found: Mapping[str, Any], flavor: str = "default", key: str = "cpu") -> dict[str, Any]:
    made = admitted_to(found["cq"], a_job(found, key), flavor)
    if found.get("evicted"):
        made["status"]["conditions"].append(condition("Evicted", "Preempted"))
    return made


def a_request(
    queues: Iterable[Mapping[str, Any]],
    rules: list[Any],
    admitted: list[Any],
    incoming: Mapping[str, Any],
    *,
    gate: bool = True,
    fair: bool = False,
    cohorts: Mapping[str, Any] | None = None,
) -> DecideRequest:
    made = []
    for found in queues:
        spec: dict[str, Any] = {} if found["cohort"] is None else {"cohortName": found["cohort"]}
        if "preemption" in found:
            spec["preemption"] = {
                "withinClusterQueue": "Never",
                "reclaimWithinCohort": "Never",
                **found["preemption"],
            }
        queue = a_queue(found["name"], a_group("default", quota=found.get("cpu", 1)), **spec)
        queue["metadata"]["labels"] = found.get("labels", {})
        if "preemptionConfig" in found:
            name = {"kueue.x-k8s.io/preemption-config-name": found["preemptionConfig"]}
            queue["metadata"]["annotations"] = name
        made.append(queue)
    return read_decide_request(
        {
            "now": NOW,
            "clusterQueues": made,
            "cohorts": [
                an_object("Cohort", name, {} if parent is None else {"parentName": parent})
                for name, parent in (cohorts or {}).items()
            ],
            "preemptionConfigs": [a_config("default-config", rules)],
            "admitted": admitted,
            "incoming": a_job(incoming),
            "targetCQ": incoming["cq"],
            "featureGates": {"ConfigurablePreemptions": gate, "PriorityBoost": True},
            "fairSharing": {} if fair else None,
            "reading": "released",
        }
    )


def end_to_end(case: Mapping[str, Any]) -> DecideRequest:
    rules = [
        {
            **{key: value for key, value in rule.items() if key != "trigger"},
            **a_rule(rule["trigger"], rule["candidateSelectors"]),
        }
        for rule in case["rules"]
    ]
    admitted = [held(found) for found in case["admitted"]]
    how = {"gate": case["gate"], "fair": case["fairSharing"]}
    return a_request(case["clusterQueues"], rules, admitted, case["incoming"], **how)


def decided_by_both(request: DecideRequest) -> Decision:
    """The reference's decision, which is the core's."""
    for way in Approach:
        compared = compare(request, way)
        assert compared.core is not None, compared
        assert compared.agree
    return request.decided()


@pytest.mark.parametrize("case", [row for row in rows("endToEnd") if "topology" not in row.values[0]])
def test_a_decision_is_that_of_the_table(case: Mapping[str, Any]) -> None:
    decision = decided_by_both(end_to_end(case))
    assert sorted(target.workload.name for target in decision.targets) == sorted(case["want"])
    reasons = {target.workload.name: target.reason.label for target in decision.targets}
    assert case.get("reasons", {}).items() <= reasons.items()
    assert decision.outcome == (Outcome.PREEMPT if case["want"] else Outcome.NO_CANDIDATES)


@pytest.mark.parametrize("case", [row for row in rows("endToEnd") if "topology" in row.values[0]])
def test_a_topology_is_refused_by_name(case: Mapping[str, Any]) -> None:
    request = end_to_end(case)
    cluster = replace(request.cluster, flavors={"default": ResourceFlavor("default", topology="hosts")})
    with pytest.raises(InputError, match="is not modelled for flavors with a topology") as refused:
        decide(cluster, request.preemptor, request.queue, request.now, request.reading)
    assert refused.value.problems[0].code == ErrorCode.NOT_MODELLED


@pytest.mark.parametrize("case", rows("oracle"))
def test_the_flavor_oracle_is_that_of_the_table(case: Mapping[str, Any]) -> None:
    queue = {"name": "a", "cohort": "all", "cpu": 2, "preemptionConfig": "default-config", "preemption": {}}
    admitted = [held({"name": name, "cq": "a"}) for name in ("a1", "a2")]
    rules = [a_rule("Always", [{"scope": "WithinClusterQueue"}])]
    how = {"gate": case["gate"], "fair": case["fairSharing"]}
    decision = decided_by_both(a_request([queue], rules, admitted, {"name": "in", "cq": "a"}, **how))
    (group,) = decision.trial.groups
    assert group.choice is not None
    assert group.choice.worst.mode.name.replace("_", "").lower() == case["want"].lower()


def asked_of(case: Mapping[str, Any], **more: Any) -> tuple[Question, Iterator[Workload]]:
    """The search of a case, and every workload that holds quota, with its effective priority."""
    tree = case.get("queues", {"a": "all", "b": "all"})
    labels, priorities = dict(case.get("labels", {})), case.get("priorities", {})
    queues = [
        {"name": name, "cohort": parent, "labels": case.get("queueLabels", {}).get(name, {})}
        for name, parent in tree.items()
    ]
    queues[0]["preemptionConfig"] = "default-config"
    queues[0] |= more.pop("queue", {})
    shared = {"preemptorSelector": case["preemptorSelector"]} if "preemptorSelector" in case else {}
    rules = [a_rule(trigger, selectors, **shared) for trigger, selectors in case["rules"]]
    admitted = []
    for text in case.get("admitted", "a:a1 a:a2").split():
        queue, name, local = re.fullmatch(r"([\w-]+):([\w-]+)(?:\((.*)\))?", text).groups()  # type: ignore[union-attr]
        own = {"priority": priorities[name]} if name in priorities else {}
        place = {"local": local.replace(",", "/")} if local else {}
        admitted.append(held({"name": name, "cq": queue, "labels": labels.get(name, {}), **own, **place}))
    mine = {"labels": case.get("preemptorLabels", labels.get("preemptor", {}))}
    if "preemptor" in priorities:
        mine["priority"] = priorities["preemptor"]
    if "preemptor" in case:
        mine["local"] = case["preemptor"]
    incoming = {"name": "a-incoming", "cq": "a", **mine, **more.pop("incoming", {})}
    request = a_request(queues, rules, admitted, incoming, cohorts=case.get("cohorts"), **more)
    snapshot = take_snapshot(request.cluster, "a", request.now, RELEASED)
    preemptor = with_effective_priority(request.preemptor, request.cluster, request.now, RELEASED)
    terms = terms_of(snapshot.queue, request.cluster.settings, RELEASED)
    amount = 1000 * incoming.get("cpu", 1)
    question = Question(snapshot, preemptor, frozenset({CPU}), {CPU: amount}, terms, request.now)
    running = (
        with_effective_priority(found, request.cluster, request.now, RELEASED)
        for found in request.cluster.admitted
    )
    return question, running


def selected_by_both(question: Question, trigger: Trigger, running: Iterable[Workload]) -> list[Any] | None:
    """Whom a trigger selects, by the reference, and what selects each; the core selects the same."""
    config = config_of(question)
    found = selected_among(question, config, trigger, running)
    arrays = Arrays(question.snapshot.cluster)
    node = arrays.layout.queues[question.snapshot.queue.name]
    workloads, _ = arrays.rows(question.now, RELEASED.priority_steps, RequeuingTimestamp.EVICTION, False)
    mine = ConfiguredPreemptor(question.preemptor, node, question.preemptor.priority, question.terms)
    tiers = tiers_of(arrays, config, mine, workloads)
    for tier in np.flatnonzero(tiers.trigger == trigger).tolist():
        assert (found is None) is bool(tiers.stops[tier])
        names = {arrays.columns.names[row] for row in np.flatnonzero(tiers.selected[tier]).tolist()}
        tree = question.snapshot.tree.places  # elsewhere nothing frees quota
        assert names == {workload.key for workload, _ in found or () if workload.cluster_queue in tree}
    return found


def trigger_of(case: Mapping[str, Any]) -> Trigger:
    return Trigger.labelled()[case.get("trigger", "Always")]


NO_SCHEMA = {"UnsupportedScope", "UnsupportedMode"}
"""Faults that the API server refuses: the reader does, and no rule meets them."""


@pytest.mark.parametrize("case", rows("evaluator"))
def test_the_candidates_are_those_of_the_table(case: Mapping[str, Any]) -> None:
    faults = {reason for _, reason in case.get("wantErrors", ())}
    if faults & NO_SCHEMA:
        with pytest.raises(InputError, match=r"spec.rules\[0\].candidateSelectors\[0\].* one of"):
            asked_of(case)
        return
    question, running = asked_of(case)
    found = selected_by_both(question, trigger_of(case), running)
    if faults:
        assert found is None
        return
    assert found is not None
    assert sorted(workload.name for workload, _ in found) == sorted(case["want"])
    assert len({workload.uid for workload, _ in found}) == len(found)


def selector_of(text: str) -> dict[str, Any]:
    scope, _, label = text.partition(" label ")
    key, _, value = label.partition("=")
    return {"scope": scope, **({"labelSelector": {"matchLabels": {key: value}}} if label else {})}


@pytest.mark.parametrize("case", rows("selectorIndexes"))
def test_each_candidate_names_the_selectors_that_select_it(case: Mapping[str, Any]) -> None:
    rules = [[trigger, [selector_of(text) for text in texts]] for _, trigger, *texts in case["rules"]]
    question, running = asked_of({**case, "rules": rules})
    found = selected_by_both(question, trigger_of(case), running)
    assert found is not None
    names = {f"r{number}": name for number, (name, *_) in enumerate(case["rules"])}
    told = {
        workload.name: {names[rule]: list(places) for rule, places in by.selectors} for workload, by in found
    }
    assert told == case["want"]


@pytest.mark.parametrize("case", rows("overlappingTAS"))
def test_other_flavors_count_only_under_the_topology_trigger(case: Mapping[str, Any]) -> None:
    """The one row that differs from quota's flavors needs topologies, and is refused with them."""
    running = {
        "a1": ("a", "tas-default", "cpu"),
        "a-mem": ("a", "tas-default", "memory"),
        "b1": ("b", "tas-overlap", "cpu"),
    }
    running |= {"b-mem": ("b", "tas-overlap", "memory"), "c1": ("c", "tas-disjoint", "cpu")}
    tree = {
        "queues": {"a": None, "b": None, "c": None},
        "rules": [[case["trigger"], [{"scope": "AnyClusterQueue"}]]],
    }
    question, _ = asked_of({**tree, "admitted": "a:a1"})
    usage = {
        name: Workload("ml", name, name, 0, 0, cluster_queue=queue, usage={FlavorResource(flavor, key): 1})
        for name, (queue, flavor, key) in running.items()
    }
    needed = replace(question, needed=frozenset({FlavorResource("tas-default", "cpu")}))
    found = selected_among(needed, config_of(question), trigger_of(case), usage.values())
    assert found is not None
    by_quota = [workload.name for workload, _ in found]
    assert by_quota == ["a1"]
    assert (by_quota == case["want"]) is not (
        case["overlapGate"] and trigger_of(case) == Trigger.INSUFFICIENT_TOPOLOGY
    )


def removed_by_core(question: Question) -> tuple[list[str], bool]:
    """Whom the core's tiers remove, in order, and whether the preemptor fits then."""
    arrays = Arrays(question.snapshot.cluster)
    made = searcher(arrays, question.preemptor, question.snapshot.queue, question.now, RELEASED)
    ask, work = made.ask(question.needed, question.request), arrays.work()
    given = SearchInput(made.rows, arrays.layout.forest, arrays.usage, ask, made.policy, made.order, work)
    work.usage[:] = arrays.usage
    tiers = tiers_of(
        arrays,
        config_of(question),
        ConfiguredPreemptor(question.preemptor, made.node, made.policy.priority, made.terms),
        made.rows,
    )
    taken, fits = go_on(given, tiers, 0, True)
    return [arrays.columns.names[row].partition("/")[2] for row in work.out[:taken]], fits


def tier_selector(text: str) -> dict[str, Any]:
    scope, _, more = text.partition(", ")
    parts = {"": {}, "bad label operator": {"labelSelector": BAD_LABEL}}
    return {"scope": scope, **parts.get(more, {"numericLabels": [TIER]})}


@pytest.mark.parametrize("case", rows("findCandidates"))
def test_the_tiers_are_those_of_the_table(case: Mapping[str, Any]) -> None:
    rules = [[trigger, [tier_selector(text)]] for trigger, text in case["rules"] or ()]
    # Where no workload has a tier written, the first one has the tier that the rule selects.
    tiers = dict(re.findall(r"(\w+)\(tier (\d+)\)", case["admitted"]))
    names = re.findall(r"(a\d)", case["admitted"])
    labels = {name: {"preemption-tier": tier} for name, tier in tiers.items()}
    if not tiers and case.get("tier"):
        labels = {names[0]: {"preemption-tier": "1"}}
    asked = {"queues": {"a": None}, "admitted": " ".join(f"a:{name}" for name in names), "labels": labels}
    mine = {"cpu": case["asks"], "labels": {"preemption-tier": str(case["tier"])} if "tier" in case else {}}
    config = {} if case["rules"] is not None else {"preemptionConfig": "no-such-config"}
    question, _ = asked_of({**asked, "rules": rules}, queue={"cpu": 3, **config}, incoming=mine)
    leaving = leaving_of(question)

    def quota_fits(usage: Any) -> bool:
        return leaving.fits(usage, True)

    def fits(usage: Any) -> bool:
        return not case.get("neverFits") and quota_fits(usage)

    start: Removal[Any, Any] = Removal(leaving.usage, None, fits=False)
    end = removed_by_tiers(question, config_of(question), leaving, start, fits, quota_fits).end
    assert [found.workload.name for found in tuple(end.removed or ())[::-1]] == case["want"]
    if not case.get("neverFits"):
        assert removed_by_core(question) == (case["want"], end.fits)
    assert end.fits is case["interrupted"]


@pytest.mark.parametrize("row", rows("priorityFilter"))
def test_a_priority_compares_as_in_the_table(row: list[Any]) -> None:
    comparison, preemptor, candidate, match = row
    if comparison not in Comparison.labelled():
        assert refuses_comparison({"priority": {"mode": "Base", "comparison": comparison}})
        assert not match
        return
    assert compares(Comparison.labelled()[comparison], candidate or 0, preemptor or 0) is match


@pytest.mark.parametrize("row", rows("priorityBoost"))
def test_a_boost_counts_as_in_the_table(row: list[Any]) -> None:
    mode, gate, comparison, *values, match = row
    mine, theirs = values[:2], values[2:]
    known = PriorityMode.labelled()[mode]
    compared = [
        compared_priority(known, base, effective_priority(base, boost, gate))
        for base, boost in (theirs, mine)
    ]
    assert compares(Comparison.labelled()[comparison], *compared) is match


def refuses_comparison(selector: Mapping[str, Any]) -> bool:
    """The API server refuses a word that is none; Kueue's code would select nobody."""
    rule = {"name": "r", **a_rule("Always", [{"scope": "WithinClusterQueue", **selector}])}
    with pytest.raises(InputError, match=r"comparison: found .*, expected one of"):
        read_preemption_config({"metadata": {"name": "c"}, "spec": {"rules": [rule]}})
    return True


@pytest.mark.parametrize("row", rows("numericFilter"))
def test_a_number_selects_as_in_the_table(row: list[Any]) -> None:
    comparison, fallback, low, high, mine, theirs, match = row
    if comparison is not None and comparison not in Comparison.labelled():
        assert refuses_comparison({"numericLabels": [{"key": "k", "comparison": comparison}]})
        assert not match
        return
    known = None if comparison is None else Comparison.labelled()[comparison]
    label = NumericLabel("k", known, low, high, fallback)

    def number(text: str | None) -> int | None:
        labels = {} if text is None else {"k": text}
        found = number_of(label, Workload("ns", "w", "u", 0, 0, selectable=Selectable(labels)))
        assert read_number(label, labels) == found
        return found

    assert is_number_selected(number(theirs), number(mine), known, low, high) is match


@pytest.mark.parametrize("row", rows("scopeFilter"))
def test_a_scope_reaches_as_in_the_table(row: list[Any]) -> None:
    scope, mine, theirs, match = row
    tree = cases()["scopeTree"]
    queues = {"a": tree["queues"][mine], **tree["queues"]}
    queues.pop(mine)
    other = "a" if theirs == mine else theirs
    case = {
        "queues": queues,
        "cohorts": tree["cohorts"],
        "admitted": f"{other}:it",
        "rules": [["Always", [{"scope": scope}]]],
    }
    question, running = asked_of(case)
    found = selected_by_both(question, Trigger.ALWAYS, running)
    assert bool(found) is match


@pytest.mark.parametrize("row", rows("localQueueFilter"))
def test_a_local_queue_is_a_namespace_and_a_name(row: list[Any]) -> None:
    space, local, match = row
    case = {
        "preemptor": "ns1/lq1",
        "admitted": f"a:it({space},{local})",
        "rules": [["Always", [{"scope": "WithinLocalQueue"}]]],
    }
    question, running = asked_of(case)
    assert bool(selected_by_both(question, Trigger.ALWAYS, running)) is match


def test_there_are_174_cases() -> None:
    tables = {name: found for name, found in cases().items() if name != "scopeTree"}
    assert sum(map(len, tables.values())) == 174
