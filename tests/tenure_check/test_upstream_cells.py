"""Whom Kueue v0.20's own tables of PreemptionConfigs preempt is never proved to be kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import z3

from tenure.choices import Outcome
from tenure.conformance.requests import DecideRequest
from tenure.model import Reason, Trigger
from tenure.readings import preset
from tenure_check.analysis.matrix import trees_of, why_uncovered
from tenure_check.analysis.priority_levels import configuration_of
from tenure_check.analysis.prover import SolverProver
from tenure_check.analysis.selection_proof import SelectionProof
from tenure_check.analysis.states import CellQuery, hits_of
from tests.tenure.oracle.test_upstream_configs import (
    a_request,
    a_rule,
    asked_of,
    cases,
    end_to_end,
    held,
    rows,
    selector_of,
    tier_selector,
)

READING = preset("released")
OWN = {"scope": "WithinClusterQueue"}

pytestmark = pytest.mark.skipif(not cases(), reason="the cases are not beside the repository")


def a_pair(
    selector: Mapping[str, Any],
    victim: Mapping[str, Any] | None = None,
    preemptor: Mapping[str, Any] | None = None,
    **more: Any,
) -> DecideRequest:
    """A workload that requests all that another holds; no ClusterQueue but that of the other has quota."""
    it = {"name": "it", "cq": "a", **(victim or {})}
    tree = more.pop("queues", {"a": "all", "b": "all"})
    labels = more.pop("queueLabels", {})
    queues = [
        {"name": name, "cohort": parent, "cpu": int(name == it["cq"]), "labels": labels.get(name, {})}
        for name, parent in tree.items()
    ]
    queues[0]["preemptionConfig"] = "default-config"
    rules = [a_rule(more.pop("trigger", "Always"), [selector])]
    incoming = {"name": "in", "cq": "a", **(preemptor or {})}
    return a_request(queues, rules, [held(it)], incoming, cohorts=more.get("cohorts"))


def labelled(value: str | None) -> dict[str, Any]:
    return {} if value is None else {"labels": {"k": value}}


def of_numbers() -> Iterator[DecideRequest]:
    names = ("comparison", "fallbackValue", "minValue", "maxValue")
    for *fields, mine, theirs, match in cases()["numericFilter"]:
        if match:
            found = {name: value for name, value in zip(names, fields, strict=True) if value is not None}
            number = {"key": "k", **found}
            yield a_pair({**OWN, "numericLabels": [number]}, labelled(theirs), labelled(mine))


def of_priorities() -> Iterator[DecideRequest]:
    for comparison, mine, theirs, match in cases()["priorityFilter"]:
        if match:
            priority = {"mode": "Base", "comparison": comparison}
            sides = ({} if value is None else {"priority": value} for value in (theirs, mine))
            yield a_pair({**OWN, "priority": priority}, *sides)


def of_boosts() -> Iterator[DecideRequest]:
    for mode, gate, comparison, *values, match in cases()["priorityBoost"]:
        if match and gate:
            mine, theirs = ({"priority": base, "boost": boost} for base, boost in (values[:2], values[2:]))
            yield a_pair({**OWN, "priority": {"mode": mode, "comparison": comparison}}, theirs, mine)


def of_scopes() -> Iterator[DecideRequest]:
    tree = cases()["scopeTree"]
    for scope, mine, theirs, match in cases()["scopeFilter"]:
        if match:
            queues = {"a": tree["queues"][mine], **tree["queues"]}
            queues.pop(mine)
            other = {"cq": "a" if theirs == mine else theirs}
            yield a_pair({"scope": scope}, other, queues=queues, cohorts=tree["cohorts"])


def of_local_queues() -> Iterator[DecideRequest]:
    for space, local, match in cases()["localQueueFilter"]:
        if match:
            yield a_pair({"scope": "WithinLocalQueue"}, {"local": f"{space}/{local}"}, {"local": "ns1/lq1"})


def of_flavors() -> Iterator[DecideRequest]:
    for row in cases()["overlappingTAS"]:
        if row["trigger"] != Trigger.INSUFFICIENT_TOPOLOGY.label:
            yield a_pair({"scope": "AnyClusterQueue"}, trigger=row["trigger"])


def of_oracle() -> Iterator[DecideRequest]:
    queue = {"name": "a", "cohort": "all", "cpu": 2, "preemptionConfig": "default-config"}
    for row in cases()["oracle"]:
        if row["want"] == "Preempt":
            admitted = [held({"name": name, "cq": "a"}) for name in ("a1", "a2")]
            rules = [a_rule("Always", [OWN])]
            yield a_request([queue], rules, admitted, {"name": "in", "cq": "a"}, fair=row["fairSharing"])


def of_tiers() -> Iterator[DecideRequest]:
    """The tables' searches by labels of which each tier selects all, decided whole."""
    queue = {"name": "a", "cohort": None, "cpu": 3, "preemptionConfig": "default-config"}
    for row in cases()["findCandidates"]:
        tier = {"labels": {"preemption-tier": str(row.get("tier", 5))}}
        lower = {"labels": {"preemption-tier": "1"}}
        names = re.findall(r"a\d", row["admitted"])
        admitted = [held({"name": name, "cq": "a", **lower}) for name in names]
        rules = [a_rule(trigger, [tier_selector(text)]) for trigger, text in row["rules"] or ()]
        yield a_request([queue], rules, admitted, {"name": "in", "cq": "a", "cpu": 3, **tier})


def of_end_to_end() -> Iterator[DecideRequest]:
    for case in cases()["endToEnd"]:
        if case["want"] and "topology" not in case:
            yield end_to_end(case)


SECTIONS: Mapping[Callable[[], Iterator[DecideRequest]], tuple[int, int]] = {
    of_end_to_end: (25, 2),
    of_oracle: (2, 0),
    of_flavors: (2, 0),
    of_tiers: (14, 0),
    of_priorities: (10, 0),
    of_boosts: (1, 5),
    of_numbers: (23, 0),
    of_scopes: (13, 0),
    of_local_queues: (1, 0),
}
"""Of each section, the cells that are possible, and the rows that are not known for boosts."""


@pytest.mark.parametrize(("section", "wanted"), SECTIONS.items())
def test_what_upstream_preempts_is_never_proved_impossible(
    section: Callable[[], Iterator[DecideRequest]], wanted: tuple[int, int]
) -> None:
    """Neither is the cell of a victim *never*, nor do its questions to the solvers exclude it."""
    done = Counter[str]()
    for request in section():
        decision = request.decided()
        if decision.outcome != Outcome.PREEMPT:
            assert section in (of_tiers,)
            continue
        every = (*request.cluster.admitted, request.preemptor)
        cluster = configuration_of(request.cluster, [])
        if any(found.priority_boost for found in every):
            assert why_uncovered(cluster)
            done["not known"] += 1
            continue
        tree = next(known for known in trees_of(cluster) if request.queue in known.places)
        prover = SolverProver(cluster, tree, request.reading, None)
        for cell, _ in hits_of(request, decision):
            assert cell.reason in prover.reasons(cell.preemptor, cell.victim, cell.high, cell.low), cell
            assert (prover.selected(cell), prover.solved(cell)) == ("sat", "sat"), cell
            done["possible"] += 1
    assert (done["possible"], done["not known"]) == wanted


@pytest.mark.parametrize("section", ["evaluator", "selectorIndexes"])
def test_whom_upstream_selects_is_never_proved_to_be_passed_over(section: str) -> None:
    for row in rows(section):
        (case,) = row.values
        if case.get("wantErrors") or not case["want"]:
            continue
        if section == "selectorIndexes":
            rules = [[trigger, [selector_of(text) for text in texts]] for _, trigger, *texts in case["rules"]]
            case = {**case, "rules": rules}
        if case.get("trigger") == Trigger.INSUFFICIENT_TOPOLOGY.label:
            continue
        question, running = asked_of(case)
        proof = SelectionProof(question.snapshot.cluster, READING, {})
        for found in running:
            if found.name in case["want"] and found.cluster_queue in question.snapshot.tree.places:
                names = question.snapshot.queue.name, found.cluster_queue or ""
                cell = CellQuery(
                    names[0],
                    question.preemptor.priority,
                    names[1],
                    found.priority,
                    Reason.CONFIGURABLE_PREEMPTION,
                )
                solver = z3.Solver()
                solver.add(*proof.facts(cell))
                assert solver.check() == z3.sat, row.id
