"""What a session asks, in which order, and what it remembers."""

from __future__ import annotations

import pytest

from tenure.conformance.protocol_types import PathOutput
from tenure.errors import InputError
from tenure_kai import Action, Queue, Scene, Session, SubGroup, Victim, answer_min_runtime, resolve
from tenure_kai.arguments import configure, parse_argument
from tests.tenure_kai.objects import a_job, a_scene, pods

PREEMPT, RECLAIM = Action.PREEMPT, Action.RECLAIM


def test_the_filter_remembers_nothing_about_an_elastic_job_and_the_validator_does() -> None:
    scene = a_scene(a_job("w"), a_job("v", count=3), preempt_min_runtime=10)
    session = Session(scene, now=5)
    assert session.filter(PREEMPT, "w", "v").passes
    session.now = 20
    assert session.validate(PREEMPT, "w", [Victim("v", ("Running-0", "Running-1", "Running-2"))]).accepted
    session.now = 5
    assert not session.protection(PREEMPT, "w", "v").protected


def test_counts_of_pods_are_never_remembered() -> None:
    session = Session(a_scene(a_job("w"), a_job("v"), preempt_min_runtime=10), now=5)
    assert not session.filter(PREEMPT, "w", "v").passes
    session.change(jobs=(a_job("v", count=2),))
    assert session.filter(PREEMPT, "w", "v").passes


def test_the_first_job_that_refuses_ends_the_question() -> None:
    jobs = (a_job("w"), a_job("v", count=2), a_job("u", count=2))
    session = Session(a_scene(*jobs, preempt_min_runtime=10), now=5)
    said = session.validate(PREEMPT, "w", [Victim("v", ("Running-0", "Running-1")), Victim("u", ())])
    assert [loss.job for loss in said.losses] == ["v"]


def test_what_was_resolved_without_a_queue_is_not_remembered() -> None:
    session = Session(Scene({"q": Queue("q", reclaim_min_runtime=7)}), now=0)
    assert session.resolve(RECLAIM, "late", "q").missing == ("late",)
    session.change(queues=(Queue("late"),))
    assert session.resolve(RECLAIM, "late", "q").min_runtime == 7


def test_an_older_value_is_nobodys() -> None:
    session = Session(a_scene(preempt_min_runtime=7), now=0)
    session.resolve(PREEMPT, None, "q")
    session.change(queues=(Queue("q", preempt_min_runtime=9),))
    again = session.resolve(PREEMPT, None, "q")
    assert (again.min_runtime, again.source) == (7, None)


def test_unknown_jobs_and_pods_are_errors() -> None:
    session = Session(a_scene(a_job("w"), a_job("v")), now=0)
    with pytest.raises(InputError, match="did you mean v"):
        session.job("V")
    with pytest.raises(InputError, match="a pod of the job"):
        session.validate(PREEMPT, "w", [Victim("v", ("ghost",))])


def test_a_job_without_sub_groups_has_one() -> None:
    assert a_scene(a_job()).jobs["v"].sub_groups[0].name == SubGroup(pods=pods(0)).name == "default"


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("-0", 0),
        ("1.5d", 36 * 3600 * 10**9),
        (".5w1h", (84 + 1) * 3600 * 10**9),
        ("1w1d1h1m1s1ms1us1ns", 694861001001001),
        ("9223372036854775807ns", 2**63 - 1),
        ("-1d", -24 * 3600 * 10**9),
    ],
)
def test_arguments_take_days_and_weeks(text: str, nanoseconds: int) -> None:
    assert parse_argument(text, field="x") == nanoseconds


@pytest.mark.parametrize(
    "text", ["", "-", "1", "d", ".d", "1 d", "1y", "1D", "--1d", "1e3s", "15251w", "\u0661d"]
)
def test_what_is_no_duration_is_replaced(text: str) -> None:
    assert configure({"defaultPreemptMinRuntime": text}).rejected == ("defaultPreemptMinRuntime",)


def test_a_path_ends_where_a_parent_is_missing() -> None:
    said = answer_min_runtime({"op": "path", "queues": [{"name": "a", "parent": "gone"}], "victimQueue": "a"})
    assert said == PathOutput(("a",))


def test_only_the_paths_decide_and_not_the_order_of_queues() -> None:
    queues = [Queue("a", "", None, 5), Queue("b", "a", None, 7), Queue("c", "b", None, 9), Queue("x", "a")]
    for order in (queues, queues[::-1]):
        found = resolve({queue.name: queue for queue in order}, configure({}).arguments, RECLAIM, "x", "c")
        assert (found.min_runtime, found.source, found.step, found.ancestor) == (7, "b", "b", "a")


def test_a_job_of_an_empty_cluster_is_answered_by_what_is_missing() -> None:
    with pytest.raises(InputError) as caught:
        Session(Scene(), now=0).job("a/x")
    assert [problem.expected for problem in caught.value.problems] == ["a PodGroup, and there is none"]
