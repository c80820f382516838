"""A program in the place of kubectl: what it prints are files, and it keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

QUEUES = "get " + ",".join(
    f"{kind}.kueue.x-k8s.io" for kind in ("clusterqueues", "cohorts", "resourceflavors", "localqueues")
)
WORKLOADS = "get workloads.kueue.x-k8s.io"
PREEMPTION_CONFIGS = "get preemptionconfigs.kueue.x-k8s.io"
CLASSES = "get workloadpriorityclasses.kueue.x-k8s.io"
CONFIG_MAP = "get configmap"
JOBS = "get jobs.batch"
NAMESPACES = "get namespaces"
EVENTS = "get events"
PRIORITY_CLASSES = "get priorityclasses.scheduling.k8s.io"
SERVED = "api-resources --api-group=kueue.x-k8s.io"
VIEW = "config view"
PLURALS = {
    "ClusterQueue": "clusterqueues",
    "Cohort": "cohorts",
    "ResourceFlavor": "resourceflavors",
    "LocalQueue": "localqueues",
    "Workload": "workloads",
    "WorkloadPriorityClass": "workloadpriorityclasses",
}
SCRIPT = """\
#!/bin/sh
folder=$(dirname "$0")/answers
echo "$@" >>"$folder/asked"
answer="$folder/$1 $2"
[ -e "$answer.err" ] && cat "$answer.err" >&2
[ -e "$answer" ] && cat "$answer"
[ -e "$answer.code" ] && exit "$(cat "$answer.code")"
exit 0
"""


@dataclass(frozen=True)
class FakeKubectl:
    """The program, in a folder of its own."""

    folder: Path

    @property
    def program(self) -> Path:
        """Its path."""
        return self.folder / "kubectl"

    def answer(self, words: str, out: str | bytes = "", err: str = "", code: int = 0) -> None:
        """Let it print something where its first two words are these."""
        file = self.folder / "answers" / words
        file.write_bytes(out if isinstance(out, bytes) else out.encode())
        file.with_name(f"{words}.err").write_text(err, encoding="utf-8")
        file.with_name(f"{words}.code").write_text(str(code), encoding="utf-8")

    def fail(self, words: str, message: str) -> None:
        """Let it fail."""
        self.answer(words, err=f"{message}\n", code=1)

    def serve(self, objects: Sequence[dict[str, Any]]) -> None:
        """Let it print these objects of Kueue, of a cluster that has no more."""
        kinds = dict.fromkeys(PLURALS, ())
        of_kind = {kind: [each for each in objects if each["kind"] == kind] for kind in kinds}
        queues = [
            each
            for kind in ("ClusterQueue", "Cohort", "ResourceFlavor", "LocalQueue")
            for each in of_kind[kind]
        ]
        self.answer(QUEUES, listed(queues))
        self.answer(WORKLOADS, listed(of_kind["Workload"]))
        self.answer(CLASSES, listed(of_kind["WorkloadPriorityClass"]))
        self.answer(SERVED, "".join(f"{plural}.kueue.x-k8s.io\n" for plural in PLURALS.values()))
        self.answer(VIEW, json.dumps({"contexts": [{"name": "here", "context": {"namespace": "ml"}}]}))
        self.answer(CONFIG_MAP, json.dumps(config_map()))
        self.answer(NAMESPACES, listed([]))
        self.answer(JOBS, listed([]))
        self.answer(EVENTS, listed([]))
        self.answer(PRIORITY_CLASSES, listed([]))

    def asked(self) -> list[str]:
        """What it was asked, a line each."""
        return (self.folder / "answers" / "asked").read_text(encoding="utf-8").splitlines()


def fake_kubectl(folder: Path) -> FakeKubectl:
    """The program, which answers nothing yet."""
    made = FakeKubectl(folder)
    (folder / "answers").mkdir(parents=True)
    made.program.write_text(SCRIPT, encoding="utf-8")
    made.program.chmod(0o755)
    return made


def config_map(**fields: Any) -> dict[str, Any]:
    """The ConfigMap with Kueue's Configuration, which has these fields."""
    whole = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **fields}
    metadata = {"name": "kueue-manager-config", "namespace": "kueue-system"}
    data = {"controller_manager_config.yaml": json.dumps(whole)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def listed(items: Sequence[dict[str, Any]]) -> str:
    """A List as `kubectl get -o json` prints it."""
    whole = {"apiVersion": "v1", "items": list(items), "kind": "List", "metadata": {"resourceVersion": ""}}
    return f"{json.dumps(whole, indent=4)}\n"


def objects_in(files: Sequence[Path]) -> list[dict[str, Any]]:
    """The objects of some files."""
    return [each for file in files for each in yaml.safe_load_all(file.read_text(encoding="utf-8"))]
