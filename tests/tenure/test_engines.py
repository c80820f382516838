"""Engines: the optimized core through the front door, and what it leaves to the reference."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np
import pytest

import tenure
from tenure import engines
from tenure.choices import Engine
from tenure.conformance.protocol import answer
from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.conformance.vectors import run_vector
from tenure.engines import Batch, Detail, Searches, WrongClaimError, choice, memo
from tenure.engines import batch as batches
from tenure.engines.batch import EXPLANATION
from tenure.errors import InputError
from tenure.explanation.explain import explain
from tenure.model import (
    Basis,
    BorrowWithinCohort,
    Cluster,
    Cohort,
    Evidence,
    FairStrategy,
    PreemptionRules,
    Reason,
    ReclaimWithinCohort,
    Settings,
    Target,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.candidates import Offer, offered
from tenure.oracle.classical import finds_no_target
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_by_reference
from tenure.oracle.question import Candidate, Question, Selection
from tenure.oracle.search import find_targets
from tenure.readings import preset
from tenure.registration import added
from tenure.resources import bundled
from tenure_lab.generators.strategies import examples
from tenure_simulate import checked_core as claims
from tenure_simulate import core
from tenure_simulate.checked_core import SPARED, CheckedCore
from tenure_simulate.core import Arrays, CoreAnswer
from tests import command_line
from tests.published import published_vectors
from tests.sampling import sample
from tests.tenure.clusters import CPU, GPU, queue, requests_of_vectors, running, waiting
from tests.tenure.clusters import NOW as NOW_NS
from tests.tenure.conformance.requests import a_workload, an_input

NOW = "2026-03-02T14:00:00Z"
LOWER = WithinClusterQueue.LOWER_PRIORITY
BOTH = (Engine.REFERENCE, Engine.FAST)


def said(**fields: Any) -> dict[str, Any]:
    """The whole answer to a request."""
    return answer({"id": 1, "call": "decide", "input": an_input(**fields)})


def victims(decision: Decision) -> list[tuple[str, Reason, Basis]]:
    """Who leaves, and why."""
    return [(target.workload.key, target.reason, target.evidence.basis) for target in decision.targets]


@pytest.mark.parametrize("name", ["two-teams", "shared-cohort", "hero"])
def test_both_engines_decide_the_examples_alike(name: str) -> None:
    loaded = tenure.load(bundled("examples", name))
    both = [list(tenure.decide_all(loaded, now=NOW, engine=engine)) for engine in BOTH]
    assert len(both[0]) > 1
    for mine, other in zip(*both, strict=True):
        assert (mine.workload, mine.problems) == (other.workload, other.problems)
        if mine.decision is not None and other.decision is not None:
            assert (mine.decision.engine, other.decision.engine) == ("reference", "fast")
            assert victims(mine.decision) == victims(other.decision)
            assert mine.decision.assignment == other.decision.assignment


def test_the_answer_is_the_same_but_for_the_engine() -> None:
    by_core, by_reference = said(engine="fast")["output"], said()["output"]
    assert by_core == {**by_reference, "engine": "fast"}


def test_an_explanation_is_left_to_the_reference() -> None:
    output = said(engine="fast", explain=True)["output"]
    assert (output["engine"], output["leftToReference"]) == ("reference", EXPLANATION)
    assert output["trace"] == said(explain=True)["output"]["trace"]


def test_what_the_core_decided_has_no_trace() -> None:
    loaded = tenure.load(bundled("examples", "two-teams"))
    decision = tenure.decide(loaded, "team-b/job-eval-suite-d739e", now=NOW, engine="fast")
    with pytest.raises(ValueError, match="decide by the reference to explain"):
        explain(decision)


def test_without_numpy_the_core_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    error = said(engine="fast")["error"]
    assert error["field"] == "engine"
    assert "pip install 'tenure[fast]'" in error["message"]


def test_a_refused_class_is_refused_by_both() -> None:
    falling = {
        "metadata": {"name": "falling"},
        "value": 5,
        "dynamicPriorityPolicy": {"step": -1, "max": 9, "delayForStep": "1m"},
    }
    aged = a_workload("aged")
    aged["spec"]["priorityClassRef"] = {
        "group": "kueue.x-k8s.io",
        "kind": "WorkloadPriorityClass",
        "name": "falling",
    }
    asked = {"incoming": aged, "workloadPriorityClasses": [falling]}
    errors = [said(engine=engine, **asked).get("error") for engine in BOTH]
    assert errors[0] is not None
    assert errors[0] == errors[1]


def test_every_vector_passes_by_the_core() -> None:
    vectors = published_vectors()
    assert [run.differences for run in map(by_core, vectors) if run.differences] == []
    outputs = {
        vector.id: answer(vector.request(), engine=Engine.FAST).get("output", {}) for vector in vectors
    }
    # Durations of KEP-9876 and of selectors, and limits, are what the core leaves to the reference.
    left = {name for name, output in outputs.items() if "leftToReference" in output}
    configured = {name.partition("/")[0] for name in left if not name.startswith("PPR-")}
    assert configured == {"PCF-130", "PCF-140", "PCF-150", "PCF-160", "PCF-170"}
    assert any(name.startswith("PPR-") for name in left)


def by_core(vector: Any) -> Any:
    """A vector run by the core."""
    return run_vector(vector, Engine.FAST)


def test_the_command_line_takes_an_engine() -> None:
    arguments = ("decide", "--example", "two-teams", "-w", "team-b/job-eval-suite-d739e", "--now", NOW)
    done = command_line.tenure_process(*arguments, "--engine", "fast", "-o", "json")
    assert done.returncode == 0
    decided = json.loads(done.stdout)
    assert (decided["engine"], decided["decision"]) == ("fast", "Preempt")
    texts = {command_line.tenure(*arguments, "--engine", engine).stdout for engine in Engine}
    assert len(texts) == 1


def test_the_oracle_has_a_default_engine() -> None:
    request = json.dumps({"id": 1, "call": "decide", "input": an_input()}).encode()
    done = command_line.tenure("oracle", "--engine", "fast", stdin=request)
    assert json.loads(done.stdout)["output"]["engine"] == "fast"


def test_an_unknown_engine_of_the_api_is_refused() -> None:
    loaded = tenure.load(bundled("examples", "two-teams"))
    with pytest.raises(InputError, match="engine"):
        tenure.decide(loaded, "team-b/job-eval-suite-d739e", now=NOW, engine="quick")


Tamper = Callable[[CoreAnswer], CoreAnswer]


def tampered(monkeypatch: pytest.MonkeyPatch, tamper: Tamper) -> None:
    """Have the core claim something else than it found."""
    honest = core.decide
    monkeypatch.setattr(core, "decide", lambda *asked: tamper(honest(*asked)))


def claiming(answer: CoreAnswer, rows: list[int], bases: list[int]) -> CoreAnswer:
    """The same answer with other victims and bases."""
    found = answer.found
    made = found._replace(rows=np.array(rows, found.rows.dtype), bases=np.array(bases, found.bases.dtype))
    return answer._replace(found=made)


def test_no_basis_is_believed_that_the_reference_does_not_find() -> None:
    bases = list(Basis)  # NONE: a PreemptionConfig selects it
    tried: Counter[Basis] = Counter()
    for asked in requests_of_vectors():
        cluster = asked.cluster
        if cluster.settings.protects_from_others or cluster.execution_minimums or cluster.limits_in_force:
            continue  # left to the reference
        about = asked.preemptor, asked.queue, asked.now, asked.reading, asked.assignment
        for number, target in enumerate(targets_of(asked)):
            basis = target.evidence.basis
            tried[basis] += 1
            # Each of the other bases in turn.
            step = 1 + tried[basis] % (len(bases) - 1)
            wrong = bases[(bases.index(basis) + step) % len(bases)]
            with pytest.MonkeyPatch.context() as patched:
                tampered(patched, partial(with_basis, number=number, basis=wrong))
                with pytest.raises(WrongClaimError, match=f"{target.workload.key} on basis {wrong.name}"):
                    engines.decide(Engine.FAST, asked.cluster, *about)
    assert set(tried) == set(bases)


def targets_of(asked: DecideRequest) -> tuple[Target, ...]:
    """What the core preempts; none where the question is refused."""
    about = asked.preemptor, asked.queue, asked.now, asked.reading, asked.assignment
    try:
        return engines.decide(Engine.FAST, asked.cluster, *about).targets
    except InputError:
        return ()


def with_basis(answer: CoreAnswer, number: int, basis: Basis) -> CoreAnswer:
    """The same victims, one of them on another basis."""
    claimed = answer.found.bases.tolist()
    claimed[number] = int(basis)
    return claiming(answer, answer.found.rows.tolist(), claimed)


def with_last(answer: CoreAnswer, row: int) -> CoreAnswer:
    """Another workload in the place of the last victim, on the same basis."""
    return claiming(answer, [*answer.found.rows.tolist()[:-1], row], answer.found.bases.tolist())


def twice(answer: CoreAnswer) -> CoreAnswer:
    """The first victim once more."""
    rows, bases = answer.found.rows.tolist(), answer.found.bases.tolist()
    return claiming(answer, [*rows, rows[0]], [*bases, bases[0]])


def test_no_victim_is_believed_whom_the_reference_would_not_preempt(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = tenure.load(bundled("examples", "two-teams"))
    asked = loaded, "team-b/job-eval-suite-d739e"
    candidates = {candidate.workload.key for candidate in tenure.decide(*asked, now=NOW).candidates}
    others = [row for row, workload in enumerate(loaded.cluster.admitted) if workload.key not in candidates]
    assert others
    changes: list[Tamper] = [twice, *(partial(with_last, row=row) for row in others)]
    for tamper in changes:
        with monkeypatch.context() as patched:
            tampered(patched, tamper)
            with pytest.raises(WrongClaimError, match="the core claims Preempt"):
                tenure.decide(*asked, now=NOW, engine="fast")


def test_what_is_right_beside_those_who_were_spared_is_left_to_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(claims, "evidence_of", lambda _, victims: (Evidence(Basis.NONE),) * len(victims))
    output = said(engine="fast")["output"]
    assert output == {**said()["output"], "leftToReference": SPARED}


def waiting_together(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    """The pending workload of a request, under other names with other priorities and ages."""
    incoming, made = scenario["incoming"], []
    for priority in (-5, 0, 50, 100, 1000):
        for created in ("2020-01-01T00:00:00Z", "2025-06-01T00:00:00Z", "2030-01-01T00:00:00Z"):
            for name in ("first", "second"):
                metadata = {**incoming["metadata"], "name": name, "creationTimestamp": created}
                spec = {**incoming["spec"], "priority": priority}
                made.append({**scenario, "incoming": {**incoming, "metadata": metadata, "spec": spec}})
    return made


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize("seed", range(sample(1, 4)))
def test_decisions_of_one_batch_are_those_made_alone(seed: int, engine: Engine) -> None:
    searched = 0
    for scenario in examples(25, seed + 4000, max_workloads=9):
        asked = [read_decide_request(entry) for entry in waiting_together(scenario)]
        first = asked[0]
        batch = Batch(engine, first.cluster, first.now, first.reading)
        for decide_request in asked:
            alone = decide_by_reference(
                decide_request.cluster,
                decide_request.preemptor,
                decide_request.queue,
                decide_request.now,
                decide_request.reading,
                decide_request.assignment,
            )
            together = batch.decide(decide_request.preemptor, decide_request.queue)
            assert (together.outcome, victims(together)) == (alone.outcome, victims(alone))
            assert (together.preemptor, together.assignment) == (alone.preemptor, alone.assignment)
            if engine == Engine.REFERENCE:
                assert (together.targets, together.selection) == (alone.targets, alone.selection)
            searched += alone.selection is not None
    assert searched


@pytest.mark.parametrize(("compiled", "after"), [(True, "fast"), (False, "reference")])
def test_auto_goes_over_to_the_core_where_much_is_searched(
    compiled: bool, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "is_compiled", lambda: compiled)
    for worth in ("WORTH_ARRAYS", "WORTH_LOADING"):
        monkeypatch.setattr(batches, worth, 2)
    monkeypatch.setattr(batches, "worth_of_core", lambda _: 2)
    cluster = Cluster({"q": queue()}, (running("a", 4, priority=1),), ())
    for detail, last in ((Detail.CANDIDATES, after), (Detail.FINDINGS, "reference")):
        batch = Batch(Engine.AUTO, cluster, NOW_NS, preset("released"), detail=detail)
        # Each of the first two searches looks at one workload.
        asked = (waiting(4), waiting(4), waiting(3), waiting(2), waiting(4))
        decided = [batch.decide(workload, "q") for workload in asked]
        assert [str(decision.engine) for decision in decided] == ["reference"] * 3 + [last] * 2
        assert {decision.left for decision in decided} == {""}
        assert victims(decided[-1]) == victims(decided[0]) != []


def test_auto_does_not_load_the_core_before_anything_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "is_compiled", lambda: True)
    monkeypatch.setattr(batches, "worth_of_core", lambda _: choice.WORTH_LOADING)
    cluster = Cluster({"q": queue()}, (running("a", 3, priority=1),), ())
    asked = Engine.AUTO, cluster, NOW_NS, preset("released")
    first = Batch(*asked)
    first.go_on(NOW_NS, choice.WORTH_LOADING)
    engine_of = [str(first.decide(waiting(size), "q").engine) for size in (1, 4, 4)]
    assert engine_of == ["reference", "reference", "fast"]
    later = Batch(*asked, searched=first.searched)
    later.go_on(NOW_NS, choice.WORTH_LOADING)
    assert str(later.decide(waiting(4), "q").engine) == "fast"


@pytest.mark.parametrize(("kept", "engines"), [(True, "fast"), (False, "reference")])
def test_auto_compiles_no_core_before_that_is_worth_it(
    kept: bool, engines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "is_compiled", lambda: True)
    monkeypatch.setattr(choice, "_may_be_compiled", lambda: True)
    monkeypatch.setattr(CheckedCore, "is_kept", lambda _: kept)
    batch = Batch(
        Engine.AUTO, Cluster({"q": queue()}, (running("a", 3, priority=1),)), NOW_NS, preset("released")
    )
    batch.decide(waiting(4), "q")
    for expected, engine in ((choice.WORTH_LOADING, engines), (choice.WORTH_COMPILING, "fast")):
        batch.go_on(NOW_NS, expected)
        assert str(batch.decide(waiting(4), "q").engine) == engine


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """The searches that are made while a test runs."""
    asked: list[Question] = []

    def counted(question: Question) -> Selection:
        asked.append(question)
        return find_targets(question)

    monkeypatch.setattr(memo, "find_targets", counted)
    return asked


def test_a_search_serves_all_workloads_of_one_age(found: list[Question]) -> None:
    # Every pending workload is newer than the running ones.
    same = [waiting(4, name=f"w{number}", created_at=NOW_NS + number) for number in range(5)]
    older = [waiting(4, name=f"o{number}", created_at=at) for number, at in enumerate((-1, 0, 1))]
    others = [waiting(3), waiting(4, priority=101)]
    cluster = Cluster({"q": queue()}, (running("a", 4), running("b", created_at=5)), tuple(same))
    batch = Batch(Engine.REFERENCE, cluster, NOW_NS, preset("released"))
    for searched, group in ((1, same), (3, older), (5, others), (5, same)):
        for workload in group:
            batch.decide(workload, "q")
        assert len(found) == searched


def test_a_queue_is_looked_at_once_for_all_preemptors_of_one_priority(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[int] = []

    def counted(question: Question, offer: Offer) -> Iterator[Candidate]:
        looked_at.append(offer.place)
        return offered(question, offer)

    monkeypatch.setattr(memo, "offered", counted)
    queues = {name: replace(queue(nominal={GPU: 4, CPU: 4}, cohort="all"), name=name) for name in ("q", "o")}
    queues["q"] = replace(queues["q"], reclaim_within_cohort=ReclaimWithinCohort.ANY)
    holds = [("a", "q", 2), *((f"o{number}", "o", 1) for number in range(6))]
    there = tuple(
        running(name, cluster_queue=where, usage={GPU: amount, CPU: amount}) for name, where, amount in holds
    )
    cluster = Cluster(queues, there)
    batch = Batch(Engine.REFERENCE, cluster, NOW_NS, preset("released"))
    # Each request is searched for by resource and as a whole; a later one does without some of the running.
    for asks in ({"gpus": 2, "cpu": 2}, {"gpus": 2, "cpu": 1}, {"gpus": 1, "cpu": 2}):
        mine = waiting(**asks)
        alone = decide_by_reference(cluster, mine, "q", NOW_NS, preset("released"))
        assert victims(batch.decide(mine, "q")) == victims(alone) != []
    assert len(looked_at) == 2
    # Once one of the other ClusterQueue has left, neither is looked at again.
    left = batch.snapshot("q").without(there[1:2])
    asked = cluster, waiting(2, cpu=2), "q", NOW_NS, preset("released"), None, left
    search = Searches(listings=batch.listings)
    assert victims(decide_by_reference(*asked, search=search)) == victims(decide_by_reference(*asked)) != []
    assert len(looked_at) == 2


@pytest.mark.parametrize(("most", "searches"), [(4, 2), (3, 3)])
def test_searches_are_forgotten_where_they_list_too_many(
    most: int, searches: int, found: list[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memo, "MOST_LISTED", most)
    cluster = Cluster({"q": queue()}, (running("a", 4, priority=1),), ())
    batch = Batch(Engine.REFERENCE, cluster, NOW_NS, preset("released"))
    # Each search lists one candidate, and counts as one more.
    for workload in (waiting(4), waiting(3), waiting(4)):
        batch.decide(workload, "q")
    assert len(found) == searches


def test_the_core_answers_once_for_all_whom_no_rule_tells_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    decide = core.decide

    def counted(arrays: Arrays, preemptor: Workload, *rest: Any) -> CoreAnswer:
        asked.append(preemptor.key)
        return decide(arrays, preemptor, *rest)

    monkeypatch.setattr(core, "decide", counted)
    # Newer than all that run, or older than one of them; another request, or another priority.
    same = [waiting(4, name=f"w{number}", created_at=NOW_NS + number) for number in range(3)]
    others = [
        waiting(4, name="old", created_at=-1),
        waiting(3, name="small"),
        waiting(4, name="high", priority=101),
    ]
    cluster = Cluster({"q": queue()}, (running("a", 4), running("b", created_at=5)), (*same, *others))
    batch = Batch(Engine.FAST, cluster, NOW_NS, preset("released"))
    for workload in (*same, *others, *same):
        together = batch.decide(workload, "q")
        alone = decide_by_reference(cluster, workload, "q", NOW_NS, preset("released"))
        assert (together.outcome, victims(together)) == (alone.outcome, victims(alone))
        assert together.preemptor == alone.preemptor
    assert asked == ["ml/w0", "ml/old", "ml/small", "ml/high"]


def asked_beside(
    mine: dict[str, Any],
    request: dict[str, Any],
    own: tuple[Workload, ...] = (),
    others: int = 8,
    settings: Settings | None = None,
    within: str | None = None,
) -> list[tuple[Question, Selection]]:
    """The searches of a workload of q, which shares 8 GPUs with o; p uses none of its own."""
    changed = {"within_cluster_queue": LOWER, "reclaim_within_cohort": ReclaimWithinCohort.ANY, **mine}
    places = {"q": within or "root", "p": within or "root", "o": "root"}
    queues = {
        name: replace(queue(nominal={GPU: nominal, CPU: 6}, cohort=places[name]), name=name)
        for name, nominal in (("q", 2), ("p", 3), ("o", 3))
    }
    queues["q"] = replace(queues["q"], **changed)
    cohorts = {} if within is None else {within: Cohort(within, "root")}
    running_there = tuple(running(f"o{number}", cluster_queue="o") for number in range(others))
    cluster = Cluster(queues, (*own, *running_there), settings=settings or Settings(), cohorts=cohorts)
    made: list[tuple[Question, Selection]] = []

    def searched(question: Question) -> Selection:
        made.append((question, find_targets(question)))
        return made[-1][1]

    decide_by_reference(cluster, waiting(**request), "q", NOW_NS, preset("guaranteed"), search=searched)
    return made


@pytest.mark.parametrize("request_", [{"gpus": 2}, {"gpus": 2, "cpu": 1}], ids=["one resource", "one of two"])
def test_nobody_is_found_where_only_nominal_quota_is_reclaimed(request_: dict[str, Any]) -> None:
    made = asked_beside({}, request_, own=(running("mine"),), others=7)
    assert [(found.kept, finds_no_target(question)) for question, found in made] == [((), True)] * len(made)
    assert made


@pytest.mark.parametrize(
    ("mine", "request_", "more"),
    [
        ({}, {"gpus": 2}, {}),
        ({"borrow_within_cohort": BorrowWithinCohort.LOWER_PRIORITY}, {"gpus": 3, "priority": 101}, {}),
        ({}, {"gpus": 2}, {"own": (running("mine", 2, priority=99),), "others": 6}),
        ({}, {"gpus": 3}, {"within": "inner"}),
        (
            {},
            {"gpus": 3},
            {"settings": Settings(fair_sharing=(FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,))},
        ),
        ({"rules": PreemptionRules.UBER_CLUSTER_QUEUE}, {"gpus": 3, "priority": 101}, {}),
    ],
    ids=["within nominal", "while borrowing", "its own", "an advantage", "fair sharing", "a hero"],
)
def test_who_may_be_found_is_looked_for(
    mine: dict[str, Any], request_: dict[str, Any], more: dict[str, Any]
) -> None:
    made = asked_beside(mine, request_, **more)
    assert any(found.kept for _, found in made)
    assert not any(finds_no_target(question) for question, _ in made)


def test_the_core_is_looked_up_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking it up reads metadata of installed distributions: more than a decision takes."""
    pytest.importorskip("numpy")
    looked_up: list[str] = []

    def counting(name: str) -> Any:
        looked_up.append(name)
        return found(name)

    found = metadata.distribution
    monkeypatch.setattr(metadata, "distribution", counting)
    added.cache_clear()
    for _ in range(3):
        said(engine="fast")
    assert looked_up == ["tenure"]


@pytest.mark.parametrize(("by_shares", "seconds"), [(False, 10), (True, 15)])
def test_compiling_is_announced_once(
    by_shares: bool, seconds: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(CheckedCore, "is_compiled", lambda: True)
    monkeypatch.setattr(claims, "_is_kept", lambda **_: False)
    choice.announce_compiling.cache_clear()
    with caplog.at_level("INFO", "tenure"):
        for _ in range(2):
            choice.announce_compiling(by_shares=by_shares)
    assert caplog.messages == [f"compiling the core once, about {seconds} s"]


def test_a_batch_that_goes_over_to_the_core_announces_it(monkeypatch: pytest.MonkeyPatch) -> None:
    announced: list[bool] = []
    monkeypatch.setattr(batches, "is_compiled", lambda: True)
    monkeypatch.setattr(batches, "worth_of_core", lambda _: choice.WORTH_LOADING)
    monkeypatch.setattr(batches, "announce_compiling", lambda *, by_shares: announced.append(by_shares))
    searched = choice.WORTH_LOADING
    batch = Batch(Engine.AUTO, Cluster({}), NOW_NS, preset("guaranteed"), searched=searched)
    batch.go_on(NOW_NS, searched)
    batch._choose_engine()
    assert announced == [False]
