"""What a cluster says and cannot mean is said in the same words by every command that reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import tenure
from tests.examples import change, copied

NOW = ("--now", "2026-03-02T14:00:00Z")
HELD, WAITS = "job-pretrain-7b-e95a1", "job-eval-suite-d739e"
FLAVORS = ("status", "admission", "podSetAssignments", 0, "flavors")
OLD = {"cpu": "a100", "memory": "a100", "nvidia.com/gpu": "v100"}
WORDS = (
    "status.admission.podSetAssignments: found 8 nvidia.com/gpu of flavor v100, expected a flavor that the"
    " ClusterQueue gpu-cluster-queue has for nvidia.com/gpu: a100; as in Kueue, it counts against no quota of"
    " that queue, only of the cohorts above it"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example two-teams; one workload was admitted with a flavor that its queue no longer has."""
    folder = copied("two-teams", tmp_path)
    change(folder / "workloads-team-a.yaml", "Workload", HELD, *FLAVORS, to=OLD)
    return folder


def warned(*arguments: str) -> list[str]:
    """The warnings, without the file, on standard error and in JSON alike."""
    plain = tenure(*arguments)
    assert plain.returncode == 0, plain.stderr.decode()
    told = [line.removeprefix("warning: ") for line in plain.stderr.decode().splitlines()]
    answer: Any = json.loads(tenure(*arguments, "-o", "json").stdout)
    written = answer["simulations"][0] if "simulations" in answer else answer
    assert written["warnings"] == told
    return [text.partition(": ")[2] for text in told]


@pytest.mark.parametrize(
    "arguments",
    [
        ("decide", "--all-pending", *NOW),
        ("decide", "-w", f"team-b/{WAITS}", *NOW),
        ("decide", "-w", f"team-b/{WAITS}", "--engine", "fast", *NOW),
        ("why", "team-a/job-sft-13b-f8d23", *NOW),
        ("why-not", f"team-b/{WAITS}", *NOW),
    ],
    ids=["all", "one", "fast", "why", "why-not"],
)
def test_commands_about_a_cluster(folder: Path, arguments: tuple[str, ...]) -> None:
    assert warned(*arguments, str(folder)) == [f"Workload/team-a/{HELD}: {WORDS}"]


def test_strictly_it_is_an_error(folder: Path) -> None:
    done = tenure("decide", "--all-pending", *NOW, "--strict", str(folder))
    assert (done.returncode, WORDS in done.stderr.decode()) == (2, True)


def test_a_play(folder: Path) -> None:
    files = [path.name for path in sorted(folder.glob("*.yaml"))]
    scenario = folder / "play.yaml"
    start = {"start": "2026-03-02T14:00:00Z", "until": "1m", "files": files}
    scenario.write_text(json.dumps(start), encoding="utf-8")
    assert warned("simulate", str(scenario)) == [f"Workload/team-a/{HELD}: {WORDS}"]


def test_a_file_of_expectations(folder: Path) -> None:
    expected = folder / "sft.tenure.yaml"
    files = [path.name for path in sorted(folder.glob("*.yaml"))]
    never = {"manifests": files, "now": NOW[1], "neverPreempted": [f"team-a/{HELD}"]}
    expected.write_text(json.dumps(never), encoding="utf-8")
    assert warned("test", str(expected)) == [f"Workload/team-a/{HELD}: {WORDS}"]


@pytest.mark.parametrize("example", ["two-teams", "shared-cohort", "hero"])
def test_a_bundled_example_is_consistent(example: str) -> None:
    assert warned("decide", "--all-pending", "--example", example, "--now", "2027-01-01T00:00:00Z") == []


OTHER_TREE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: apart}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: a100, resources: [{name: cpu, nominalQuota: 1}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: apart}
spec: {clusterQueue: apart}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: newer, namespace: apart, creationTimestamp: "2026-03-02T10:00:00Z", resourceVersion: "1"}
spec: {queueName: main, fancyNew: true, podSets: []}
"""


@pytest.mark.parametrize(
    ("arguments", "others"),
    [
        (("decide", "-w", f"team-b/{WAITS}"), True),
        (("why", "team-a/job-sft-13b-f8d23"), True),
        (("why-not", f"team-b/{WAITS}"), True),
        (("next", f"team-b/{WAITS}"), True),
        (("decide", "--all-pending"), False),
        (("decide", "--all-pending", "--cluster-queue", "gpu-cluster-queue"), True),
        (("next",), False),
    ],
    ids=["decide", "why", "why-not", "next", "all", "queue", "all next"],
)
def test_warnings_about_other_trees_are_counted(
    folder: Path, arguments: tuple[str, ...], others: bool
) -> None:
    (folder / "apart.yaml").write_text(OTHER_TREE, encoding="utf-8")
    told = warned(*arguments, *NOW, str(folder))
    own = f"Workload/team-a/{HELD}: {WORDS}"
    if others:
        # Without a file in front of it, what is said of the rest has lost nothing.
        assert told == [own, ""]
    else:
        assert own in told
        assert any(text.startswith("Workload/apart/newer: set aside: ") for text in told)


def test_the_rest_of_the_warnings_is_one_line(folder: Path) -> None:
    (folder / "apart.yaml").write_text(OTHER_TREE, encoding="utf-8")
    done = tenure("why-not", f"team-b/{WAITS}", *NOW, str(folder))
    expected = "1 more warning is about other trees of ClusterQueues; `decide --all-pending` shows all"
    assert done.stderr.decode().splitlines()[-1] == f"warning: {expected}"
    assert tenure("why-not", f"team-b/{WAITS}", *NOW, str(folder), "-o", "yaml").returncode == 0


def test_the_tree_of_the_other_workload_has_its_own_warnings(folder: Path) -> None:
    (folder / "apart.yaml").write_text(OTHER_TREE.replace(" fancyNew: true,", ""), encoding="utf-8")
    told = warned("decide", "-w", "apart/newer", *NOW, str(folder))
    assert told[-1] == ""


def local_queue(name: str, cluster_queue: str) -> str:
    return f"""
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: {name}, namespace: team-b}}
spec: {{clusterQueue: {cluster_queue}}}
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("decide", "--all-pending", *NOW),
        ("next", *NOW),
        ("diff", "--set", "clusterqueue/gpu-cluster-queue.spec.stopPolicy=Hold", *NOW),
        ("analyze", "sanity"),
    ],
    ids=" ".join,
)
def test_warnings_of_one_kind_are_one(folder: Path, arguments: tuple[str, ...]) -> None:
    lost = "---".join(local_queue(f"lost{number}", f"elsewhere-{number}") for number in range(6))
    (folder / "lost.yaml").write_text(lost, encoding="utf-8")
    printed = tenure(*arguments, str(folder)).stderr.decode().splitlines()
    of_kind = [line for line in printed if "not given" in line]
    assert of_kind == [
        "warning: 6 LocalQueues point to ClusterQueues that were not given: "
        "elsewhere-0, elsewhere-1, elsewhere-2, elsewhere-3 and 2 more"
    ]
    written: Any = json.loads(tenure(*arguments, str(folder), "-o", "json").stdout)
    assert sum("was not given" in text for text in written["warnings"]) == 6


def test_a_name_that_may_be_misspelt_is_not_grouped(folder: Path) -> None:
    lost = f"{local_queue('a', 'elsewhere')}---{local_queue('b', 'gpu-cluster-queu')}"
    (folder / "lost.yaml").write_text(lost, encoding="utf-8")
    printed = tenure("decide", "--all-pending", *NOW, str(folder)).stderr.decode()
    assert "gpu-cluster-queu was not given; did you mean gpu-cluster-queue?" in printed
    assert "spec.clusterQueue elsewhere was not given" in printed
