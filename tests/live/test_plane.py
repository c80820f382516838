"""The control plane of these tests starts, refuses what Kueue refuses, and leaves nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import wait_until
from tests.live.plane import KueueStartError, Plane
from tests.live.programs import ROOT, missing, version_of
from tests.live.server import Object

API = "kueue.x-k8s.io/v1beta2"
GROUP = {
    "coveredResources": ["cpu"],
    "flavors": [{"name": "plane", "resources": [{"name": "cpu", "nominalQuota": "1"}]}],
}
OBJECTS: list[Object] = [
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "plane"}},
    {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": "plane"}},
    {
        "apiVersion": API,
        "kind": "ClusterQueue",
        "metadata": {"name": "plane"},
        "spec": {"namespaceSelector": {}, "resourceGroups": [GROUP]},
    },
    {
        "apiVersion": API,
        "kind": "LocalQueue",
        "metadata": {"namespace": "plane", "name": "plane"},
        "spec": {"clusterQueue": "plane"},
    },
]
CONTAINER = {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}
JOB: Object = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"namespace": "plane", "name": "train", "labels": {"kueue.x-k8s.io/queue-name": "plane"}},
    "spec": {"suspend": True, "template": {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}},
}


def test_the_released_kueue_admits_a_job(plane: Plane) -> None:
    plane.configure({})
    plane.apply(OBJECTS)
    job = plane.server.create(JOB)
    wait_until(lambda: not plane.get(plane.server.path_of(job))["spec"]["suspend"], "the Job is started")
    printed = plane.kubectl("get", "workloads", "-n", "plane", "-o", "jsonpath={.items[*].metadata.name}")
    assert printed.startswith("job-train-")
    assert plane.get("/version")["gitVersion"] == version_of("k8s.io/kubernetes")


def test_kueue_ends_with_a_configuration_that_it_refuses(plane: Plane) -> None:
    with pytest.raises(KueueStartError, match="Unable to validate the configuration"):
        plane.restart_kueue({"fairSharing": {"preemptionStrategies": ["Nonsense"]}})
    plane.configure({"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}})
    stored = plane.get("/api/v1/namespaces/kueue-system/configmaps/kueue-manager-config")
    assert "LessThanInitialShare" in stored["data"]["controller_manager_config.yaml"]


@pytest.mark.skipif(bool(missing()), reason=missing() or "never")
def test_nothing_is_left_when_the_process_is_killed() -> None:
    command = [sys.executable, "-m", "tests.live.plane"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip().removeprefix("export KUBECONFIG=")).parent
        assert len(processes_of(folder)) >= 3
        process.send_signal(signal.SIGKILL)
    wait_until(lambda: not folder.exists() and not processes_of(folder), "all is ended and removed")


def processes_of(folder: Path) -> list[str]:
    """The processes that name the folder among their words."""
    commands = (_command(process) for process in Path("/proc").iterdir() if process.name.isdecimal())
    return [command for command in commands if str(folder) in command]


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
