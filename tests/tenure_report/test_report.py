"""`tenure report`: the page's figures, what it may load, and names that are HTML."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tenure.api import load
from tenure.manifests import SourcedObject, build, parse_instant
from tenure.pages import SITE
from tenure.readings import preset
from tenure.resources import bundled
from tenure_check.answers import configuration_in
from tenure_play.drawing.cluster import MOST_PIECES, Bar, ClusterPicture, DrawnNode, jobs_of, picture_of
from tenure_play.drawing.cluster_page import ComingSteps
from tenure_play.forecast.coming import Outlook
from tenure_play.from_cluster import manifests_of
from tenure_play.scenario import QueueGates
from tenure_report import page_of, queue_answers
from tenure_report.coming_steps import steps_of
from tests.command_line import tenure
from tools import libyaml

NOW = "2026-03-02T14:00:00Z"
AT = 1772460000 * 10**9
API = "kueue.x-k8s.io/v1beta2"
OF_THE_COMMAND = re.compile(r"^look up an identifier|(^|[\s(])--?[a-z]")
"""A line with an option, which only a command line has."""
BAD = "\"><script>alert('1')</script>&{{ 7 * 7 }}"


def queue(name: str, gpus: int, cohort: str | None = "c", **spec: Any) -> dict[str, Any]:
    resources = [{"name": "gpu", "nominalQuota": str(gpus)}]
    flavors = [{"name": "h100", "resources": resources}]
    groups = [{"coveredResources": ["gpu"], "flavors": flavors}]
    member = {} if cohort is None else {"cohortName": cohort}
    whole = {"namespaceSelector": {}, "resourceGroups": groups, **member, **spec}
    return {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": whole}


def local_queue(name: str) -> dict[str, Any]:
    metadata = {"name": "main", "namespace": name}
    return {"apiVersion": API, "kind": "LocalQueue", "metadata": metadata, "spec": {"clusterQueue": name}}


def job(name: str, where: str, gpus: int, since: str | None = None, priority: int = 0) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"gpu": str(gpus)}}}
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    made: dict[str, Any] = {
        "apiVersion": API,
        "kind": "Workload",
        "metadata": {
            "name": name,
            "namespace": where,
            "uid": name,
            "creationTimestamp": "2026-03-02T09:00:00Z",
        },
        "spec": {"queueName": "main", "priority": priority, "podSets": [pods]},
    }
    if since is not None:
        assigned = {
            "name": "main",
            "count": 1,
            "flavors": {"gpu": "h100"},
            "resourceUsage": {"gpu": str(gpus)},
        }
        condition = {"type": "QuotaReserved", "status": "True", "reason": "x", "message": ""}
        made["status"] = {
            "admission": {"clusterQueue": where, "podSetAssignments": [assigned]},
            "conditions": [{**condition, "lastTransitionTime": since}],
        }
    return made


def drawn(*objects: dict[str, Any]) -> ClusterPicture:
    loaded = build(SourcedObject("cluster.yaml", each) for each in objects)
    return picture_of(loaded, AT, preset("guaranteed"))


TWO = (
    queue("a", 4),
    queue("b", 8),
    local_queue("a"),
    local_queue("b"),
    job("one", "a", 4, "2026-03-02T10:00:00Z"),
    job("two", "a", 2, "2026-03-02T11:00:00Z", 7),
    job("three", "b", 1, "2026-03-02T12:30:00Z"),
    job("waits", "b", 3),
)


def only(branch: DrawnNode) -> Bar:
    (bar,) = branch.bars
    return bar


def test_bars_show_nominal_borrowed_lent_and_pending_quota() -> None:
    (cohort,) = drawn(*TWO).trees
    one, other = cohort.below
    assert only(cohort).words == "7 of 12 nominal in use; 3 pending"
    assert only(one).words == "6 of 4 nominal in use, 2 borrowed"
    assert only(other).words == "1 of 8 nominal in use, up to 2 lent; 3 pending"
    lender = queue("b", 8)
    lender["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["lendingLimit"] = "5"
    assert only(drawn(TWO[0], lender, *TWO[2:]).trees[0].below[1]).words == (
        "1 of 8 nominal in use, up to 2 lent, 2 idle that its lendingLimit keeps; 3 pending"
    )


def test_clusterqueues_of_a_tree_share_a_scale_and_a_cohort_has_a_piece_for_each() -> None:
    (cohort,) = drawn(*TWO).trees
    one, other = map(only, cohort.below)
    assert (one.nominal, other.nominal) == (500.0, 1000.0)
    assert [(piece.x, piece.width) for piece in one.used] == [(0.0, 250.0), (250.0, 500.0)]
    assert [piece.title for piece in only(cohort).used] == ["a: 6 in use", "b: 1 in use"]
    assert [piece.title for piece in other.pending] == ["b/waits · 3 · priority 0"]


def test_protection_is_shown_as_time_left_while_it_lasts() -> None:
    timed = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "withinClusterQueueConfig": {"minAdmitDuration": "2h"},
    }
    old, new = job("old", "a", 1, "2026-03-02T11:00:00Z"), job("new", "a", 1, "2026-03-02T12:30:00Z")
    (alone,) = drawn(queue("a", 4, None, preemption=timed), local_queue("a"), old, new).trees
    assert {each.name: each.protected for each in alone.jobs} == {
        "a/old": "",
        "a/new": "protected for 30m more",
    }
    assert [piece.protected for piece in only(alone).used] == [True, False]


def test_the_smallest_of_very_many_pieces_are_drawn_as_one() -> None:
    jobs = [job(f"j{number}", "a", 1, "2026-03-02T11:00:00Z") for number in range(MOST_PIECES + 50)]
    (alone,) = drawn(queue("a", 250, None), local_queue("a"), *jobs).trees
    bar = only(alone)
    assert len(bar.used) == MOST_PIECES
    assert bar.used[-1].title == "51 smaller jobs"
    assert bar.used[-1].x + bar.used[-1].width == pytest.approx(1000)
    assert len(alone.jobs) == MOST_PIECES + 50


def test_a_pending_job_without_a_clusterqueue_is_listed_apart() -> None:
    picture = drawn(*TWO, job("lost", "elsewhere", 1))
    assert [each.name for each in picture.queueless] == ["elsewhere/lost"]


LOWER = {"withinClusterQueue": "LowerPriority"}
PREEMPTED = (
    queue("a", 4, None, preemption=LOWER),
    local_queue("a"),
    job("old", "a", 3, "2026-03-02T10:00:00Z"),
    job("stays", "a", 1, "2026-03-02T10:00:00Z", 7),
    job("urgent", "a", 3, priority=9),
)


def stepped(*objects: dict[str, Any], budget: float = 600) -> tuple[ClusterPicture, ComingSteps]:
    found = [SourcedObject("cluster.yaml", each) for each in objects]
    loaded = build(found)
    reading = preset("guaranteed")
    outlook = Outlook(loaded, manifests_of(found), AT, reading, QueueGates())
    picture = picture_of(loaded, AT, reading)
    return picture, steps_of(picture, outlook, budget)


def test_the_bars_follow_the_coming_cycles() -> None:
    picture, coming = stepped(*PREEMPTED)
    jobs = {each.number: each.name for each in jobs_of(picture)}
    seen = []
    for step in coming.steps:
        for _, bar in step.bars:
            sides = (bar.used, bar.pending)
            held, waits = ({jobs[each.job or 0]: each.width for each in side} for side in sides)
            seen.append((held, waits))
    assert seen == [
        ({"a/urgent": 750, "a/stays": 250}, {"a/old": 750}),
    ]
    heads = [re.sub("<[^>]*>", " ", step.html).split()[0] for step in coming.steps]
    assert heads[:3] == ["Cycle", "2026-03-02T14:00:30Z", "Cycle"]
    assert [step.is_drawn for step in coming.steps] == [True, False, True, False]
    assert coming.marked == ()


def test_steps_beyond_the_budget_are_listed_and_not_drawn() -> None:
    _, coming = stepped(*PREEMPTED, budget=-1)
    assert [(step.is_drawn, step.bars) for step in coming.steps] == [(False, ())] * 4


def test_a_preemption_in_vain_is_marked() -> None:
    owner = job("owner", "b", 2, priority=100)
    owner["status"] = {"requeueState": {"count": 1, "requeueAt": "2026-03-02T14:00:10Z"}}
    every = {**LOWER, "reclaimWithinCohort": "Any"}
    _, coming = stepped(
        *(
            queue("a", 4, preemption=every),
            queue("b", 2, preemption=every),
            local_queue("a"),
            local_queue("b"),
        ),
        *(job("low", "a", 4, "2026-03-02T13:00:00Z", 10), job("keep", "a", 2, "2026-03-02T13:00:00Z", 1000)),
        *(job("old", "a", 4, priority=100), owner),
    )
    (line,) = coming.marked
    assert line.text == "! a/low is preempted for a/old, which does not get the quota: b/owner does"
    assert line.address is None


class Elements(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_no_name_becomes_an_element_or_a_template() -> None:
    picture = drawn(*TWO)

    def spoiled(branch: DrawnNode) -> DrawnNode:
        jobs = tuple(replace(each, name=BAD, queue=BAD, note=BAD, protected=BAD) for each in branch.jobs)
        bars = tuple(
            replace(bar, label=BAD, words=BAD, used=tuple(replace(piece, title=BAD) for piece in bar.used))
            for bar in branch.bars
        )
        below = tuple(map(spoiled, branch.below))
        return replace(branch, name=BAD, note=BAD, bars=bars, jobs=jobs, below=below)

    bad = replace(
        picture,
        columns=(BAD, BAD),
        levels=(BAD,),
        trees=tuple(map(spoiled, picture.trees)),
        queueless=tuple(replace(each, name=BAD) for each in picture.trees[0].below[0].jobs),
    )
    page = page_of(bad, BAD, [(BAD, BAD)], BAD)
    names = [name for name, _ in Elements(page).found]
    assert names.count("script") == 1
    assert BAD not in page
    assert "&#34;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;{{ 7 * 7 }}" in page
    plain = Elements(page_of(picture, "Cluster")).found
    expected = {(name, *sorted(attributes)) for name, attributes in plain} | {
        ("p", "class"),
        ("dt",),
        ("dd",),
        ("option", "value"),
        ("option", "selected", "value"),
        ("select", "id"),
        ("section", "aria-labelledby", "class", "data-name"),
        ("h3", "id"),
        ("rect", "class", "height", "width", "x", "y"),
    }
    assert {(name, *sorted(attributes)) for name, attributes in Elements(page).found} <= expected


@pytest.fixture(scope="module")
def two_teams(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of an example with all answers."""
    folder = tmp_path_factory.mktemp("two-teams")
    two = ("--example", "two-teams", "--now", NOW, "--budget", "600")
    done = tenure("report", *two, "-o", "cluster.html", cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    drawn = "1 ClusterQueue, 16 running and 4 pending workloads, 20 of them answered"
    assert done.stdout.decode() == f"cluster.html: {drawn}\n"
    return (folder / "cluster.html").read_text(encoding="utf-8")


def test_the_page_loads_nothing_and_runs_only_its_own_script(two_teams: str) -> None:
    found = Elements(two_teams).found
    (policy,) = [
        attributes["content"] or ""
        for name, attributes in found
        if name == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; ")
    for kind, allowed in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(rf"<{kind}>(.*?)</{kind}>", two_teams, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{allowed} 'sha256-{digest}';" in policy
    loading = {"src", "srcset", "style", "action", "onclick", "onload", "data"}
    assert not any(loading & {*attributes} for _, attributes in found)
    assert all((attributes.get("href") or "#").startswith("#") for _, attributes in found)


def test_the_order_of_files_changes_nothing_but_the_names_of_the_files(tmp_path: Path) -> None:
    for number, each in enumerate(TWO):
        (tmp_path / f"{number}.yaml").write_text(libyaml.dump(each), encoding="utf-8")
    names = [f"{number}.yaml" for number in range(len(TWO))]
    pages = []
    for order in (names, names[::-1]):
        done = tenure("report", *order, "--now", NOW, "--budget", "600", "-o", "out.html", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        pages.append((tmp_path / "out.html").read_text(encoding="utf-8").replace(" ".join(order), "FILES"))
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("team-a/job-long-context-8a5dc", ("why-not", "next")),
        ("team-a/job-pretrain-7b-e95a1", ("why",)),
    ],
    ids=["pending", "running"],
)
def test_a_job_has_the_lines_of_the_commands(two_teams: str, name: str, commands: tuple[str, ...]) -> None:
    two = ("--example", "two-teams", "--now", NOW)
    (number,) = re.findall(rf'data-number="(\d+)"[^>]*><a href="#job/{name}">{name}</a>', two_teams)
    (answer,) = re.findall(rf'<template id="a{number}">(.*?)</template>', two_teams, re.DOTALL)
    text = unescape(re.sub("<[^>]*>", "", answer))
    for command in commands:
        lines = tenure(command, name, *two).stdout.decode().splitlines()
        wanted = [line.strip() for line in lines if line and not OF_THE_COMMAND.search(line)]
        assert len(wanted) > 3
        assert [line for line in wanted if line not in text] == []


def test_a_clusterqueue_has_the_lines_of_the_commands(two_teams: str) -> None:
    two = ("--example", "two-teams")
    (answer,) = re.findall(r'<template id="q\d+">(.*?)</template>', two_teams, re.DOTALL)
    text = unescape(re.sub("<[^>]*>", "\n", answer))
    for words in (("matrix",), ("guarantees", "-v")):
        lines = tenure("analyze", *words, *two).stdout.decode().splitlines()
        wanted = [line.strip() for line in lines if line.startswith("  ")]
        assert wanted
        assert [line for line in wanted if line not in text] == []
    loops = tenure("analyze", "loops", *two).stdout.decode().splitlines()[0]
    assert f"<p>{loops.partition(';')[0]}" in two_teams


def test_questions_about_clusterqueues_give_way_to_those_about_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(os, "nice", given.append, raising=False)
    monkeypatch.setattr(queue_answers, "guarantees_found", lambda *_: None)
    queue_answers._answered(None, "guarantees")  # type: ignore[arg-type] # nothing looks at it
    assert given == [10]


def test_no_process_is_started_for_answers_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "nice", raising=False)
    loaded, reading = load(bundled("examples", "two-teams")), preset("guaranteed")
    configured = configuration_in(loaded, reading)
    for question in ("matrix", "guarantees"):
        queue_answers._answered(configured, question)
    monkeypatch.setattr(queue_answers, "pool", None)
    with queue_answers.QueueAnalysis() as analysis:
        assert analysis.begin(loaded, reading) == ()
        assert None not in analysis.found(0)


def test_clusterqueues_beyond_the_budget_have_the_command(tmp_path: Path) -> None:
    objects = [
        json.loads(json.dumps(each).replace('"4"', '"44"')) for each in TWO
    ]  # not kept by a test before
    (tmp_path / "cluster.yaml").write_text(libyaml.dump_all(objects), encoding="utf-8")
    done = tenure(
        "report", "cluster.yaml", "--now", NOW, "--budget", "0.001", "-o", "page.html", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'data-open="matrix guarantees"' in page
    assert "Which workloads can ever preempt which" not in page
    assert "Fields without effect" in page


def test_jobs_beyond_the_budget_have_no_answer(tmp_path: Path) -> None:
    done = tenure("report", "--example", "two-teams", "--budget", "0", "-o", "page.html", cwd=tmp_path)
    assert b"pending workloads, 0 of them answered" in done.stdout
    assert "<template" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_names_of_a_cluster_that_are_html_are_escaped_in_answers_too(tmp_path: Path) -> None:
    marked = "<img src=x>'\""
    renamed = [json.loads(json.dumps(each).replace('"b"', json.dumps(marked))) for each in TWO]
    waits = job(f"{marked}2", marked, 3)
    (tmp_path / "cluster.yaml").write_text(libyaml.dump_all([*renamed, waits]), encoding="utf-8")
    done = tenure("report", "cluster.yaml", "--now", NOW, "--budget", "600", "-o", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"2 pending workloads, 5 of them answered" in done.stdout
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("&lt;img src=x&gt;") > 20
    assert "img" not in {name for name, _ in Elements(page).found}


def test_a_loop_in_the_coming_cycles_is_marked_with_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = ("--search", "--up-to", "2", "--to", "loops.yaml")
    assert tenure("analyze", "loops", "--example", "shared-cohort", *search, cwd=tmp_path).returncode == 1
    cluster = tenure("simulate", "loops.yaml", "--at", "2m", "--objects", cwd=tmp_path).stdout
    found = [SourcedObject("cluster.yaml", each) for each in libyaml.load_all(cluster)]
    loaded, now = build(found), parse_instant("2026-01-05T09:02:00Z", field="now")
    reading = preset("guaranteed")
    outlook = Outlook(loaded, manifests_of(found), now, reading, QueueGates())
    monkeypatch.setenv(SITE, "https://docs.example.org/tenure")
    vain, loop = steps_of(picture_of(loaded, now, reading), outlook, 0).marked
    assert vain.text.startswith("! default/w1-ads is preempted for default/w2-search")
    assert loop.text == "! A loop: the same happens again and again."
    assert loop.address == "https://docs.example.org/tenure/how-to/find-preemption-loops/"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("--example", "two-teams", "-o", "absent/page.html"), "expected a file in a folder that exists"),
        (("-o", "page.html", "job.yaml"), "expected the ClusterQueues of a cluster"),
    ],
    ids=["no folder", "no ClusterQueue"],
)
def test_bad_input_is_named_and_nothing_is_written(
    tmp_path: Path, words: tuple[str, ...], found: str
) -> None:
    (tmp_path / "job.yaml").write_text(libyaml.dump(job("a", "b", 1)), encoding="utf-8")
    done = tenure("report", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert found in done.stderr.decode()
    assert not (tmp_path / "page.html").exists()


def test_a_difference_is_drawn_as_the_bars_of_both_sides_after_the_coming_cycles(tmp_path: Path) -> None:
    marked = "<b>'\""
    objects = [json.loads(json.dumps(each).replace('"b"', json.dumps(marked))) for each in TWO]
    (tmp_path / "cluster.yaml").write_text(libyaml.dump_all(objects), encoding="utf-8")
    more = "clusterqueue/a.spec.resourceGroups[0].flavors[0].resources[0].nominalQuota=6"
    done = tenure(*("diff", "cluster.yaml", "--now", NOW, "--set", more, "--html", "diff.html"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "diff.html").read_text(encoding="utf-8")
    assert (page.count("&#39;&#34;") + page.count("&#x27;&quot;")) > 3
    assert "b" not in {name for name, _ in Elements(page).found}
    assert re.findall(r'aria-label="gpu on h100: ([^"]*)"', page) == [
        *("10 of 12 nominal in use", "10 of 14 nominal in use"),
        *("4 of 8 nominal in use, up to 2 lent", "4 of 8 nominal in use"),
        *("6 of 4 nominal in use, 2 borrowed", "6 of 6 nominal in use"),
    ]
    assert done.stdout.decode().splitlines()[0] in unescape(re.sub("<[^>]*>", "", page))


def test_a_difference_is_not_drawn_where_no_file_can_be(tmp_path: Path) -> None:
    done = tenure("diff", "--example", "two-teams", "--html", "absent/diff.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "--html: found 'absent/diff.html', expected a file in a folder that exists" in done.stderr.decode()
