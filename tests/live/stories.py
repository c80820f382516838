"""The stories of the bundled examples: queues, Jobs in the order of their creation, and when things happened.

A file of `tests/live/examples/` has these fields:

- `created`: when the queues and classes were created, by kind.
- `edited`: when the policies were written last.
- `queues`: manifests, with the apiVersion left out.
- `jobs`: batch Jobs. `workload` is the end of the Workload's name and `uid` its uid; `admitted` and `flavor`
  say that it runs, `succeeded` how many of its pods have ended, `unseen` that Kueue has made no decision yet.
- `files`: the example's files of Workloads, and their namespaces.
- `managedFields`: whether kubectl shows them; then queues are applied by the server.
- `configuration`: the text in Kueue's ConfigMap; its `fairSharing` is that of the running Kueue.
- `added`: fields that no released Kueue has, added to the recorded text.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from tests.live.retold import Instants, Key, Retold, story_uid
from tests.live.server import Object

STORIES: Final = Path(__file__).resolve().parent / "examples"
API: Final = "kueue.x-k8s.io/v1beta2"
_NAMED: Final = {"class": "priority_class", "at-least": "at_least", "managedFields": "managed_fields"}


@dataclass(frozen=True, slots=True)
class Job:
    """A batch Job, and what becomes of it: the fields of a story's `jobs`."""

    job: str
    namespace: str
    workload: str
    uid: str
    created: str
    pods: int
    requests: dict[str, str]
    priority_class: str
    admitted: str = ""
    flavor: str = ""
    tolerates: str = ""
    at_least: int = 0
    succeeded: int = 0
    unseen: bool = False

    def manifest(self, local_queue: str) -> Object:
        """What a user creates."""
        # The API server wants a limit for each extended resource.
        limits = {name: amount for name, amount in self.requests.items() if "/" in name}
        image = f"registry.example.com/{self.namespace}/{self.job}:v3"
        container = {
            "name": "main",
            "image": image,
            "resources": {"requests": self.requests, "limits": limits},
        }
        pod: Object = {"restartPolicy": "Never", "containers": [container]}
        if self.tolerates:
            spot = {"key": self.tolerates, "operator": "Equal", "value": "true", "effect": "NoSchedule"}
            pod["tolerations"] = [spot]
        labels = {
            "kueue.x-k8s.io/queue-name": local_queue,
            "kueue.x-k8s.io/priority-class": self.priority_class,
        }
        metadata: Object = {"name": self.job, "namespace": self.namespace, "labels": labels}
        if self.at_least:
            metadata["annotations"] = {"kueue.x-k8s.io/job-min-parallelism": str(self.at_least)}
        spec = {"parallelism": self.pods, "completions": self.pods, "template": {"spec": pod}}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}

    def retold(self) -> Retold:
        """The Workload in the story."""
        decided = self.admitted or self.created
        conditions = dict.fromkeys(("QuotaReserved", "Admitted", "PodsReady"), decided)
        instants = Instants(self.created, conditions, self.created, decided)
        owner = story_uid("Job", self.namespace, self.job)
        return Retold(f"job-{self.job}-{self.workload}", self.uid, owner, instants)


@dataclass(frozen=True, slots=True)
class Story:
    """An example before it is recorded: the fields of its file."""

    name: str
    created: dict[str, str]
    edited: str
    queues: list[Object]
    jobs: list[Job]
    files: dict[str, list[str]]
    managed_fields: bool
    configuration: str
    added: list[Object]

    @classmethod
    def read(cls, name: str) -> Story:
        """The story of that name."""
        said: dict[str, Any] = yaml.safe_load((STORIES / f"{name}.yaml").read_text(encoding="utf-8"))
        return cls(
            name=name,
            created=said["created"],
            edited=said.get("edited", ""),
            queues=[{"apiVersion": API, **one} for one in said.get("queues", [])],
            jobs=[
                Job(**{_NAMED.get(key, key): value for key, value in job.items()})
                for job in said.get("jobs", [])
            ],
            files=said.get("files", {}),
            managed_fields=said.get("managedFields", False),
            configuration=said.get("configuration", ""),
            added=said.get("added", []),
        )

    @property
    def fair_sharing(self) -> Object:
        """The part of its Configuration with which the running Kueue is started."""
        configuration = yaml.safe_load(self.configuration) if self.configuration else {}
        return {"fairSharing": configuration["fairSharing"]} if "fairSharing" in configuration else {}

    def queue_of(self, job: Job) -> tuple[str, str]:
        """A Job's LocalQueue, the only one of its namespace, and its ClusterQueue."""
        (found,) = [one for one in self.queues if one["metadata"].get("namespace") == job.namespace]
        return found["metadata"]["name"], found["spec"]["clusterQueue"]

    def jobs_of(self, kind: str, namespace: str, name: str) -> list[Job]:
        """The Jobs of a LocalQueue or ClusterQueue."""
        if kind == "LocalQueue":
            return [job for job in self.jobs if job.namespace == namespace]
        return [job for job in self.jobs if kind == "ClusterQueue" and self.queue_of(job)[1] == name]

    def retold(self, kind: str, namespace: str, name: str) -> Retold:
        """A queue, flavor, priority class or ConfigMap in the story."""
        created = self.created[kind]
        edited = self.edited if kind == "ClusterQueue" and self.edited else created
        seen = [job.admitted or job.created for job in self.jobs_of(kind, namespace, name)]
        instants = Instants(created, {"Active": created}, edited, max([edited, *seen]))
        return Retold(name, story_uid(self.name, kind, namespace, name), None, instants)


def key_of(item: Object) -> Key:
    """Kind, namespace and name of an object."""
    return item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"]
