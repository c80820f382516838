"""Many workloads: the text of every command is bounded, `--all` tells each of them, and so does JSON."""

from __future__ import annotations

import gc
import json

import pytest

from tenure.cli.inputs import load_input
from tests.command_line import tenure
from tests.objects import Object, a_group, a_list, a_local_queue, a_queue, a_workload, admitted_to, an_object

NOW = "2026-09-14T10:30:00Z"
QUEUES, RUNNING, PENDING = 4, 90, 60
MOST_LINES = 40 - 8
"""Changes that would help are at most eight more."""
ASKER, VICTIM = "q1/pending-01", "q1/running-057"


def queue(number: int) -> Object:
    """A ClusterQueue of one cohort, whose quota is in use up to a GPU."""
    preemption = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    group = a_group("a100", resource="nvidia.com/gpu", quota=24 if number == 1 else 22)
    return a_queue(f"q{number}", group, cohortName="all", namespaceSelector={}, preemption=preemption)


def workload(name: str, number: int, gpus: int, priority: int, *, runs: bool) -> Object:
    """A workload of a queue."""
    where, minute = f"q{number % QUEUES}", f"{number % 60:02}:00Z"
    created = f"2026-09-14T08:{minute}"
    requests = {"nvidia.com/gpu": str(gpus)}
    made = a_workload(name, requests, where, created, queueName="main", priority=priority)
    return admitted_to(where, made, "a100", f"2026-09-14T09:{minute}") if runs else made


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cluster with more workloads of each kind than are told one by one."""
    objects = [*map(queue, range(QUEUES)), an_object("ResourceFlavor", "a100", {})]
    objects += [a_local_queue("main", f"q{number}", f"q{number}") for number in range(QUEUES)]
    objects += [
        workload(f"running-{number:03}", number, 1, 10 * (number % 3), runs=True) for number in range(RUNNING)
    ]
    objects += [
        workload(f"pending-{number:02}", number, 14 if number == 1 else number % 9, 100, runs=False)
        for number in range(PENDING)
    ]
    file = tmp_path_factory.mktemp("many") / "dump.json"
    file.write_text(json.dumps(a_list(objects)), encoding="utf-8")
    return str(file)


ASKED = [
    ("decide", "-a"),
    ("decide", "-a", "--verbose"),
    ("decide", "-w", ASKER),
    ("decide", "-w", ASKER, "--verbose", "--counterfactuals", "0"),
    ("why", VICTIM),
    ("why", VICTIM, "-w", ASKER, "--counterfactuals", "0"),
    ("why-not", ASKER, "--counterfactuals", "0"),
    ("why-not", ASKER, "q2/running-002", "--counterfactuals", "0"),
]


def said(*arguments: str) -> list[str]:
    """The lines that a command prints."""
    done = tenure(*arguments, "--now", NOW)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_the_text_about_many_workloads_is_bounded(arguments: tuple[str, ...], dump: str) -> None:
    lines = said(*arguments, dump)
    assert len(lines) <= MOST_LINES, "\n".join(lines)


def test_all_tells_each_workload(dump: str) -> None:
    table = "\n".join(said("decide", "-a", "--all", dump))
    assert all(f"pending-{number:02} " in table for number in range(PENDING))
    explained = "\n".join(said("decide", "-v", "-w", ASKER, "--all", "--counterfactuals", "0", dump))
    assert all(f"/running-{number:03} is " in explained for number in range(RUNNING))
    cases = "\n".join(said("why", VICTIM, "--all", dump))
    assert all(f"/pending-{number:02} " in cases for number in range(PENDING))


def test_counts_of_groups_add_up_to_all(dump: str) -> None:
    text = said("decide", "-a", dump)
    headline, *rest = text[text.index("") + 1 :]
    _, heads, *lines = rest[rest.index("") :]
    rows = [[int(cell) for cell in line.split()[1:]] for line in lines[:QUEUES]]
    assert (sum(map(sum, rows)), heads.split()[0]) == (PENDING, "QUEUE")
    assert headline.startswith(f"{PENDING} pending workloads: ")
    title = next(number for number, line in enumerate(lines) if line.startswith("By decision and reason"))
    assert sum(int(line.split()[0]) for line in lines[title + 1 :]) == PENDING
    text = said("decide", "-w", ASKER, "--verbose", dump)
    groups = text[text.index(next(line for line in text if line.startswith("The 90 running"))) + 1 :]
    assert sum(int(line.split()[0]) for line in groups if line.startswith("  ")) == RUNNING


def test_json_has_every_workload_in_any_case(dump: str) -> None:
    pending = json.loads("\n".join(said("decide", "-a", "-o", "json", dump)))["pending"]
    assert len(pending) == PENDING
    asked = ("decide", "-v", "-w", ASKER, "--counterfactuals", "0", "-o", "json")
    assert len(json.loads("\n".join(said(*asked, dump)))["explanation"]["workloads"]) == RUNNING
    assert len(json.loads("\n".join(said("why", VICTIM, "-o", "json", dump)))["cases"]) == PENDING


def test_what_would_help_comes_before_why(dump: str) -> None:
    lines = said("why", VICTIM, "-w", ASKER, dump)
    helps = next(number for number, line in enumerate(lines) if line.startswith("What would change"))
    assert helps < lines.index("Flavors, in the order tried")


def test_the_collector_looks_at_no_cluster_that_is_read(dump: str, monkeypatch: pytest.MonkeyPatch) -> None:
    collecting: list[bool] = []
    monkeypatch.setattr(gc, "freeze", lambda: collecting.append(gc.isenabled()))
    load_input([dump], None)
    assert (collecting, gc.isenabled()) == ([False], True)
