"""`kubectl tenure`, with an API server on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.apps.cli.kubectl import main
from tenure.apps.kubectl import Bounds, ClusterError, connect, fetch
from tenure.errors import InputError
from tenure.manifests import build
from tenure.manifests.history import PreemptionMessage, preemption_message
from tests.cikit.api_server import GROUP, Api, api_of, kubeconfig, serving
from tests.cikit.command import Run, Said, in_process
from tests.cikit.repository import NOW, SAMPLE
from tests.process import PATIENCE_S

PLUGIN = Path(sys.executable).with_name("kubectl-tenure")
FILES = [SAMPLE / "queues" / "gpu.yaml", SAMPLE / "running" / "workloads.yaml"]
WORKLOADS = f"{GROUP}/v1beta2/workloads"
JOBS = "/apis/batch/v1/jobs"
NAMESPACES = "/api/v1/namespaces"
CONFIG_MAP = "/api/v1/namespaces/kueue-system/configmaps/kueue-manager-config"


@pytest.fixture
def api() -> Api:
    """The sample as a cluster."""
    return api_of(FILES)


@pytest.fixture
def config(api: Api, tmp_path: Path) -> Iterator[Path]:
    """A kubeconfig for it, while it is served."""
    with serving(api) as address:
        yield kubeconfig(tmp_path, address)


@pytest.fixture
def plugin(config: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the plugin as kubectl does, in this process: the client takes its time to import."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def run(*arguments: str) -> Said:
        given = ("--kubeconfig", str(config)) if "--kubeconfig" not in arguments else ()
        return in_process(main, (*arguments, *given))

    return run


def fetched(config: Path, timeout: float = 10) -> tuple[str, ...]:
    """The warnings of a cluster that was read; everything it holds can be loaded."""
    found = fetch(connect(str(config), None, Bounds(timeout)), "kueue-system")
    build(found.objects)
    return found.warnings


def test_the_answer_is_that_of_the_manifests(plugin: Run, run_tenure: Run, tmp_path: Path) -> None:
    same = run_tenure(tmp_path, "why", "ml/train", *map(str, FILES), "-w", "ml/eval", "--now", NOW)
    assert same.code == 0, same.err
    done = plugin("why", "train", "-w", "eval", "--now", NOW)
    assert (done.code, done.out) == (0, same.out)
    assert "warning: Kueue's Configuration is not known, its defaults are assumed" in done.err


def test_a_preempted_workload_is_told_why(api: Api, plugin: Run) -> None:
    (waits,) = [entry for entry in api.lists[WORKLOADS] if entry["metadata"]["name"] == "eval"]
    (runs,) = [entry for entry in api.lists[WORKLOADS] if entry["metadata"]["name"] == "train"]
    told = PreemptionMessage(runs["metadata"]["uid"], victim_path=("gpu",), preemptor_path=("gpu",))
    condition = {
        "type": "Preempted",
        "status": "True",
        "reason": "InClusterQueue",
        "message": preemption_message("InClusterQueue", told),
        "lastTransitionTime": "2026-03-01T00:00:00Z",
    }
    waits["status"] = {"conditions": [condition, {**condition, "type": "Evicted", "reason": "Preempted"}]}
    done = plugin("why", "eval", "--now", NOW)
    assert done.code == 0, done.err
    assert done.out.startswith("ml/eval was preempted at 2026-03-01T00:00:00Z for ml/train, InClusterQueue: ")


def test_one_bad_workload_spoils_no_answer_and_strict_refuses_it(api: Api, plugin: Run) -> None:
    (waits,) = [entry for entry in api.lists[WORKLOADS] if entry["metadata"]["name"] == "eval"]
    names = {**waits["metadata"], "name": "newer", "resourceVersion": "8"}
    api.lists[WORKLOADS].append({**waits, "metadata": names, "spec": {**waits["spec"], "fancyNew": True}})
    words = ("why", "train", "-w", "eval", "--now", NOW)
    done = plugin(*words)
    assert done.code == 0, done.err
    assert "Workload/ml/newer: set aside: spec.fancyNew: found True" in done.err
    strict = plugin(*words, "--strict")
    assert (strict.code, strict.out) == (2, "")
    assert "Workload/ml/newer: spec.fancyNew: found True, expected no field of this name" in strict.err


def test_it_asks_for_everything_page_by_page_and_by_get_alone(api: Api, plugin: Run) -> None:
    done = plugin("why-not", "ml/eval", "serving", "--now", NOW, "-o", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["victim"] == "ml/serving"
    assert {method for method, _ in api.asked} == {"GET"}
    # Three workloads on pages of two.
    assert sum(path.startswith(WORKLOADS) for _, path in api.asked) == 2


def test_the_plugin_is_installed_under_the_name_that_kubectl_looks_for(config: Path) -> None:
    path = f"{PLUGIN.parent}{os.pathsep}{os.environ['PATH']}"
    command = ["kubectl", "tenure"] if shutil.which("kubectl") else [str(PLUGIN)]
    done = subprocess.run(
        [*command, "why", "ml/train", "--now", NOW],
        env={**os.environ, "PATH": path, "KUBECONFIG": str(config), "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    assert "ml/train is preempted for ml/eval" in done.stdout, done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ("why", "ml/train", "--context", "gone"),
            2,
            "error: --context: found 'gone', expected one of here, other",
        ),
        (
            ("why", "gone", "-n", "there"),
            2,
            "VICTIM: found 'gone', expected one of 0 workloads that hold quota or pending workloads in",
        ),
        (("why", "ml/train", "--context", "other"), 4, "found no answer (Connection refused)"),
        (("why", "ml/train", "--kubeconfig", "/gone"), 2, "error: kubeconfig: found none that can be used ("),
        (
            ("why", "ml/train", "--request-timeout", "0"),
            2,
            "--request-timeout: found '0', expected at least 100ms",
        ),
        (
            ("why", "ml/train", "--request-timeout", "soon"),
            2,
            "--request-timeout: found 'soon', expected a duration",
        ),
        (("why", "ml/train", "--context", "other", "--request-timeout", "1m"), 4, "found no answer (Conn"),
    ],
    ids=["context", "workload", "nobody", "kubeconfig", "no time", "no duration", "minute"],
)
def test_what_is_wrong_is_named_with_its_own_exit_code(
    arguments: tuple[str, ...], code: int, words: str, plugin: Run
) -> None:
    done = plugin(*arguments)
    assert (done.code, done.out) == (code, "")
    assert words in done.err


@pytest.mark.parametrize(
    ("path", "failure", "words"),
    [
        (
            WORKLOADS,
            (403, "workloads is forbidden"),
            "workloads.kueue.x-k8s.io: found 403 Forbidden (workloads is",
        ),
        (WORKLOADS, (500, "etcd is away"), "found 500 Internal Server Error (etcd is away)"),
        (
            WORKLOADS,
            (410, "too old"),
            "found 410 Gone (too old), expected a list that does not change meanwhile",
        ),
        (f"{GROUP}/v1beta2", (401, "Unauthorized"), "kueue.x-k8s.io/v1beta2: found 401 Unauthorized"),
        (
            f"{GROUP}/v1beta2",
            (404, "not found"),
            "found no clusterqueues, resourceflavors, localqueues, workloads",
        ),
    ],
    ids=["forbidden", "broken", "gone", "unknown", "absent"],
)
def test_what_the_server_refuses_is_said(
    path: str, failure: tuple[int, str], words: str, api: Api, config: Path
) -> None:
    api.failing[path] = failure
    with pytest.raises(ClusterError, match=r".*, expected ") as raised:
        fetched(config)
    assert words in str(raised.value)


def test_a_server_that_does_not_answer_is_not_waited_for(api: Api, config: Path) -> None:
    api.silent.add(WORKLOADS)
    with pytest.raises(ClusterError, match=r"found no answer in time, expected an answer within 0\.2s"):
        fetched(config, timeout=0.2)


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_the_version_that_is_served_is_read(version: str, tmp_path: Path) -> None:
    api = api_of(FILES, version)
    api.lists[f"{GROUP}/{version}/cohorts"] = []
    with serving(api) as address:
        fetched(kubeconfig(tmp_path, address))
    assert f"{GROUP}/{version}/workloads" in {path.partition("?")[0] for _, path in api.asked}


def test_a_kind_that_no_decision_needs_may_be_absent(api: Api, config: Path) -> None:
    resources = api.objects[f"{GROUP}/v1beta2"]["resources"]
    resources[:] = [resource for resource in resources if not resource["name"].startswith("cohorts")]
    fetched(config)
    assert not any("cohorts" in path for _, path in api.asked)


def test_the_configuration_of_the_cluster_decides(api: Api, config: Path) -> None:
    text = (
        "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
        "fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n"
    )
    metadata = {"name": "kueue-manager-config", "namespace": "kueue-system"}
    api.objects[CONFIG_MAP] = {"metadata": metadata, "data": {"controller_manager_config.yaml": text}}
    found = fetch(connect(str(config), "here", Bounds(10)), "kueue-system")
    assert found.warnings == ()
    assert build(found.objects).cluster.settings.fair_sharing is not None


def test_jobs_are_asked_for_only_where_a_priority_grows(api: Api, config: Path) -> None:
    fetched(config)
    assert not any(path.startswith(JOBS) for _, path in api.asked)
    policy = {"step": 1, "max": 2000, "delayForStep": "1h"}
    ageing = {"metadata": {"name": "ageing"}, "value": 100, "dynamicPriorityPolicy": policy}
    api.lists[f"{GROUP}/v1beta2/workloadpriorityclasses"] = [ageing]
    job = {
        "metadata": {
            "name": "eval",
            "namespace": "ml",
            "uid": "u",
            "creationTimestamp": "2026-03-02T01:00:00Z",
        }
    }
    api.lists[JOBS] = [{**job, "spec": {"never": "read"}}]
    found = fetch(connect(str(config), None, Bounds(10)), "kueue-system")
    (read,) = [object_.object for object_ in found.objects if object_.object["kind"] == "Job"]
    assert read == {"apiVersion": "batch/v1", "kind": "Job", **job}
    api.failing[JOBS] = (403, "jobs is forbidden")
    assert any("ages are counted from Workloads" in name for name in fetched(config))


def test_namespaces_are_asked_for_only_where_labels_select_them(api: Api, config: Path, plugin: Run) -> None:
    (queue,) = api.lists[f"{GROUP}/v1beta2/clusterqueues"]
    queue["spec"]["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": "ml"}}
    fetched(config)
    assert not any(path.startswith(f"{NAMESPACES}?") for _, path in api.asked)
    queue["spec"]["namespaceSelector"] = {"matchLabels": {"team": "a"}}
    ml = {"metadata": {"name": "ml", "labels": {"team": "a"}}}
    api.lists[NAMESPACES] = [{**ml, "spec": {"never": "read"}}]
    found = fetch(connect(str(config), None, Bounds(10)), "kueue-system")
    (read,) = [object_.object for object_ in found.objects if object_.object["kind"] == "Namespace"]
    assert read == {"apiVersion": "v1", "kind": "Namespace", **ml}
    assert not any("spec.namespaceSelector" in text for text in build(found.objects).warnings)
    api.failing[NAMESPACES] = (403, "namespaces is forbidden")
    done = plugin("why-not", "ml/eval", "serving", "--now", NOW, "-o", "json")
    first, second = [text for text in json.loads(done.out)["warnings"] if "amespace" in text]
    assert "ClusterQueue/gpu: spec.namespaceSelector: not compared with ml" in first
    assert second.startswith("Namespaces are not known")


def test_without_the_client_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, config: Path) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    with pytest.raises(InputError, match=r"pip install 'tenure\[kubectl\]'"):
        connect(str(config), None, Bounds(1))
