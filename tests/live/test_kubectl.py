"""`kubectl tenure` with a service account that may only do what its page says, and without what it needs."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from tenure.cli import kubectl_main
from tenure.cli import main as tenure_main
from tests.cikit.command import Said, in_process
from tests.command_line import wait_until
from tests.docs.blocks import blocks
from tests.live.plane import Plane, control_plane
from tests.live.programs import ROOT, missing
from tests.live.server import Object
from tests.tenure_report.test_serving import served_by

API = "kueue.x-k8s.io/v1beta2"
TYPED = {"apiVersion": API, "kind": "WorkloadPriorityClass"}
SPACE = "reading"
PAGE = ROOT / "docs" / "how-to" / "kubectl.md"
Plugin: TypeAlias = Callable[..., Said]


def role_of_the_page() -> Object:
    """The ClusterRole that the page asks an administrator to create."""
    (role,) = [yaml.safe_load(block.text) for block in blocks(PAGE) if block.language == "yaml"]
    found: Object = role
    return found


def commands_without_tenure() -> list[str]:
    """The commands of the page that read a cluster where Tenure is not installed."""
    (found,) = [block.text for block in blocks(PAGE) if "kubectl get clusterqueues" in block.text]
    return found.strip().splitlines()


def account(plane: Plane, name: str, role: Object) -> str:
    """The token of a new ServiceAccount that has this role and no other."""
    named = {**role, "metadata": {"name": name}}
    group = "rbac.authorization.k8s.io"
    binding = {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": SPACE}],
    }
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": SPACE}}
    plane.apply([account, named, binding])
    return plane.token(SPACE, name)


def job(name: str, priority: str) -> Object:
    """A Job for one CPU."""
    labels = {"kueue.x-k8s.io/queue-name": "main", "kueue.x-k8s.io/priority-class": priority}
    container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}
    spec = {"suspend": True, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
    metadata = {"namespace": SPACE, "name": name, "labels": labels}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


@pytest.fixture(scope="module")
def plane() -> Iterator[Plane]:
    """A control plane of its own: answers about the whole cluster are compared."""
    if reason := missing():
        pytest.skip(reason)
    with control_plane() as started:
        yield started


@pytest.fixture(scope="module")
def history(plane: Plane) -> Plane:
    """The control plane after a Job of high priority has preempted one of low priority."""
    plane.configure({})
    quota = {"name": SPACE, "resources": [{"name": "cpu", "nominalQuota": "1"}]}
    queue = {
        "namespaceSelector": {},
        "preemption": {"withinClusterQueue": "LowerPriority"},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [quota]}],
    }
    metadata = {"name": SPACE}
    classes = [
        {**TYPED, "metadata": {"name": f"{SPACE}-{name}"}, "value": value}
        for name, value in (("low", 1), ("high", 1000))
    ]
    plane.apply(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata},
            {"apiVersion": API, "kind": "ResourceFlavor", "metadata": metadata},
            {"apiVersion": API, "kind": "ClusterQueue", "metadata": metadata, "spec": queue},
            {
                "apiVersion": API,
                "kind": "LocalQueue",
                "metadata": {"namespace": SPACE, "name": "main"},
                "spec": {"clusterQueue": SPACE},
            },
            *classes,
        ]
    )
    for name in ("low", "high"):
        made = plane.server.create(job(name, f"{SPACE}-{name}"))
        wait_until(partial(_is_started, plane, plane.server.path_of(made)), f"the Job {name} is started")
    return plane


def _is_started(plane: Plane, path: str) -> bool:
    return not plane.get(path)["spec"]["suspend"]


@pytest.fixture(scope="module")
def reader(history: Plane) -> str:
    """The token of a ServiceAccount that may do what the page says."""
    return account(history, "tenure-reader", role_of_the_page())


@pytest.fixture
def plugin(history: Plane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plugin:
    """Runs the plugin with a token, in this process."""
    for name, value in history.environment.items():
        monkeypatch.setenv(name, value)

    def run(token: str, *words: str) -> Said:
        config = history.write_kubeconfig(tmp_path / "config", token)
        monkeypatch.setenv("KUBECONFIG", str(config))
        return in_process(kubectl_main, words, tmp_path)

    return run


def test_the_role_of_the_page_is_enough_for_every_command(
    plugin: Plugin, reader: str, tmp_path: Path
) -> None:
    dump = plugin(reader, "dump")
    assert (dump.code, dump.err) == (0, "")
    whole = json.loads(dump.out)
    kinds = {"Event", "PriorityClass"}
    assert kinds < {each["kind"] for each in whole["items"]}
    # What counts the objects that it has read reads neither kind of a cluster.
    counted = {**whole, "items": [each for each in whole["items"] if each["kind"] not in kinds]}
    for words in (
        ("decide", "-a"),
        ("why-not", f"{SPACE}/low"),
        ("next",),
        ("diff", "--set", f"clusterqueue/{SPACE}.spec.preemption.withinClusterQueue=Never"),
        ("analyze", "sanity"),
        ("validate",),
    ):
        clock = () if words[0] in ("analyze", "validate") else ("--now", "2100-01-01T00:00:00Z")
        (tmp_path / "cluster.json").write_text(json.dumps(whole if clock else counted), encoding="utf-8")
        here = plugin(reader, *words, *clock)
        there = in_process(tenure_main, (*words, "cluster.json", *clock), tmp_path)
        # Fields of a file have lines, those of a live cluster have none.
        of_file = re.sub(r" \(cluster\.json:\d+\)", "", there.out).replace("cluster.json", "cluster")
        assert (here.code, here.out) == (there.code, of_file), words
        assert here.out


def test_the_service_account_may_do_nothing_else(history: Plane, reader: str) -> None:
    config = history.write_kubeconfig(history.folder / "reader.conf", reader)
    listed = history.kubectl("auth", "can-i", "--list", f"--kubeconfig={config}")
    named = re.compile(r"\S+\.kueue|configmaps|events|jobs|namespaces|pods|priorityclasses")
    may = {line.split()[0] for line in listed.splitlines()[1:] if named.match(line)}
    assert may == {
        f"{kind}.{group}" if group else kind
        for rule in role_of_the_page()["rules"]
        for group in rule["apiGroups"]
        for kind in rule["resources"]
    }


def test_a_real_preemption_is_explained(plugin: Plugin, reader: str) -> None:
    done = plugin(reader, "why", "job/low", "-n", SPACE, "-o", "json")
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    assert answer["preemptor"].startswith(f"{SPACE}/job-high-")
    said = plugin(reader, "why", f"{SPACE}/low").out
    assert f" for {SPACE}/job-high-" in said
    assert "InClusterQueue" in said


def test_the_commands_of_the_page_read_the_same_without_the_plugin(
    plugin: Plugin, reader: str, history: Plane, tmp_path: Path
) -> None:
    *reading, asking = commands_without_tenure()
    for command in reading:
        words, _, file = command.removeprefix("kubectl ").partition(" > ")
        (tmp_path / file).write_text(history.kubectl(*words.split()), encoding="utf-8")
    clock = ("--now", "2100-01-01T00:00:00Z")
    there = in_process(tenure_main, (*asking.removeprefix("tenure ").split(), *clock), tmp_path)
    here = plugin(reader, "decide", "--all-pending", *clock)
    assert (there.code, there.out, there.err) == (here.code, here.out, here.err) == (0, here.out, "")


@pytest.mark.parametrize("kind", ["clusterqueues", "cohorts", "workloads"])
def test_a_kind_that_decides_and_is_hidden_is_an_error(kind: str, plugin: Plugin, history: Plane) -> None:
    role: Any = copy.deepcopy(role_of_the_page())
    role["rules"][0]["resources"].remove(kind)
    done = plugin(account(history, f"without-{kind}", role), "next")
    assert (done.code, done.out) == (4, "")
    assert f"found Error from server (Forbidden): {kind}.kueue.x-k8s.io is forbidden: User " in done.err
    assert "expected permission to get and list it in all namespaces" in done.err


def test_what_is_optional_and_hidden_is_a_warning(plugin: Plugin, history: Plane) -> None:
    role: Any = copy.deepcopy(role_of_the_page())
    role["rules"] = role["rules"][:1]
    role["rules"][0]["resources"].remove("workloadpriorityclasses")
    token = account(history, "without-the-rest", role)
    done = plugin(token, "decide", "-a")
    assert done.code == 0, done.err
    assert "warning: WorkloadPriorityClasses are not known, no priority counts as growing: " in done.err
    assert "warning: Kueue's Configuration is not known, its defaults are assumed: " in done.err
    assert plugin(token, "decide", "-a", "--strict").code == 2
    kept = plugin(token, "dump")
    assert kept.code == 0
    assert (
        "warning: PriorityClasses are not known, a job that names none counts as of priority 0: " in kept.err
    )
    said = "warning: Events are not known, a preemption whose time was overwritten is not dated: "
    assert said in kept.err
    assert said in plugin(token, "why", f"{SPACE}/low").err


def test_credentials_that_are_not_valid_any_more_are_an_error(plugin: Plugin, history: Plane) -> None:
    token = account(history, "gone", role_of_the_page())
    history.server.delete(f"/api/v1/namespaces/{SPACE}/serviceaccounts/gone")
    wait_until(lambda: plugin(token, "dump").code == 4, "the token to count no more")
    done = plugin(token, "next")
    assert (done.code, done.out) == (4, "")
    assert "found error: You must be logged in to the server (" in done.err
    assert "expected credentials that the API server accepts" in done.err


def test_another_context_and_a_scheduler_that_is_not_installed_are_errors(
    plugin: Plugin, reader: str
) -> None:
    done = plugin(reader, "next", "--context", "other")
    assert done.code == 4
    assert "expected a context of the kubeconfig" in done.err
    done = plugin(reader, "kai", "pairs")
    assert done.code == 4
    assert (
        "found no queues, podgroups among the API resources, expected one in which KAI-Scheduler is"
        in done.err
    )


def test_a_served_page_follows_a_preemption(history: Plane, tmp_path: Path) -> None:
    top = {**TYPED, "metadata": {"name": f"{SPACE}-top"}, "value": 2000}
    history.apply([top])

    def state_of(name: str) -> str:
        """Of a Job of `history`, as the page lists its Workload."""
        listed = rf'<li id="job/{SPACE}/job-{name}-[^>]*><a [^>]*>[^<]*</a> <span>(\w+) '
        return "".join(re.findall(listed, server.ask().body))

    with served_by(["kubectl", "tenure"], cwd=tmp_path, environment=history.environment) as server:
        assert (state_of("high"), state_of("low"), state_of("top")) == ("runs", "pending", "")
        history.server.create(job("top", f"{SPACE}-top"))
        wait_until(lambda: state_of("top") == "runs", "the page shows that the Job top runs")
        assert state_of("high") == "pending"
        assert "error" not in server.state()
        assert server.interrupted()[0] == 0
