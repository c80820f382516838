"""What the API server's watches show of all clusters, as it happens."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from http.client import HTTPException
from typing import NamedTuple

from tests.live.over_time.draws import API
from tests.live.server import ApiError, Object, Server

KINDS = ("resourceflavors", "cohorts", "clusterqueues", "localqueues", "workloads")
GONE = 410
PATIENCE_S = 300.0
"""What has not been removed after so many seconds stays."""


class Change(NamedTuple):
    """What happened to one workload.

    Args:
        what: `Preempted`, `Evicted` or `Admitted`.
        job: the Job's name.
        reason: of the condition; empty where it is admitted.
        message: of the condition.
    """

    what: str
    job: str
    reason: str
    message: str


class Ledger:
    """The objects of all clusters as they are now, and what has happened to workloads.

    Args:
        server: that is watched until `stop`.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._objects: dict[str, dict[tuple[str, str, str], Object]] = defaultdict(dict)
        self._changes: dict[str, list[Change]] = defaultdict(list)
        self._uids: dict[str, str] = {}
        self._at: dict[str, float] = {}
        self.broken: Exception | None = None
        self._ends = threading.Event()
        self._threads: list[threading.Thread] = []
        for kind in KINDS:
            listing = server.get(f"/apis/{API}/{kind}")
            for one in listing["items"]:
                self._take(
                    {"apiVersion": API, "kind": listing["kind"].removesuffix("List"), **one}, gone=False
                )
            version = listing["metadata"]["resourceVersion"]
            self._threads.append(threading.Thread(target=self._watch, args=(kind, version), daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """Take no notice of what comes."""
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def objects(self, cluster: str) -> list[Object]:
        """The objects of a cluster."""
        with self._lock:
            return list(self._objects[cluster].values())

    def clear(self, cluster: str) -> Callable[[], bool]:
        """Remove a cluster; whether it is gone is what it returns.

        The other tests find the control plane as it was, and heads of StrictFIFO queues are tried no more.
        """
        began = time.monotonic()
        for kind in (
            f"apis/batch/v1/namespaces/{cluster}/jobs",
            f"apis/{API}/namespaces/{cluster}/workloads",
        ):
            # In the background: no garbage collector runs, which would remove the finalizers of other ways.
            self._server.delete(f"/{kind}?propagationPolicy=Background")
        for one in reversed(self.objects(cluster)):
            if one["kind"] != "Workload":
                self._server.delete(self._server.path_of(one))

        def is_gone() -> bool:
            left = self.objects(cluster)
            if left and time.monotonic() - began > PATIENCE_S:
                names = ", ".join(f"{one['kind']}/{one['metadata']['name']}" for one in left)
                raise TimeoutError(f"not removed: {names}")
            return not left

        return is_gone

    def changes(self, cluster: str) -> list[Change]:
        """What has happened to its workloads, in order."""
        with self._lock:
            return list(self._changes[cluster])

    def changed_at(self, cluster: str) -> float:
        """When anything of the cluster changed the last time, by `time.monotonic`."""
        return self._at.get(cluster, 0.0)

    def job_of(self, uid: str) -> str:
        """The Job whose workload has, or had, a UID."""
        return self._uids.get(uid, uid)

    def _watch(self, kind: str, version: str) -> None:
        try:
            while not self._ends.is_set():
                version = self._watched(kind, version)
        except (OSError, HTTPException, ValueError, ApiError) as error:
            self.broken = error

    def _watched(self, kind: str, version: str) -> str:
        # It ends after some seconds, so that it can be stopped.
        path = f"/apis/{API}/{kind}?timeoutSeconds=3"
        for event in self._server.watch(path, version):
            if event["type"] == "ERROR":
                raise ApiError(event["object"].get("code", GONE), event["object"])
            version = event["object"]["metadata"]["resourceVersion"]
            self._take(event["object"], gone=event["type"] == "DELETED")
        return version

    def _take(self, one: Object, *, gone: bool) -> None:
        metadata = one["metadata"]
        cluster = metadata.get("namespace") or metadata["name"].partition("-")[0]
        key = (one["kind"], metadata.get("namespace", ""), metadata["name"])
        with self._lock:
            before = self._objects[cluster].get(key, {})
            if gone:
                self._objects[cluster].pop(key, None)
            else:
                self._objects[cluster][key] = one
            if one["kind"] == "Workload":
                self._uids[metadata["uid"]] = job_of(one)
                self._changes[cluster] += _changes(before, one)
            self._at[cluster] = time.monotonic()


def job_of(workload: Object) -> str:
    """The name of a workload's Job."""
    name: str = workload["metadata"]["name"]
    return name.removeprefix("job-").rpartition("-")[0]


def _changes(before: Object, after: Object) -> list[Change]:
    found = []
    for what in ("Preempted", "Evicted"):
        old, new = condition(before, what), condition(after, what)
        if new.get("status") == "True" and _stamp(new) != _stamp(old):
            found.append(Change(what, job_of(after), new["reason"], new["message"]))
    if "admission" in after.get("status", {}) and "admission" not in before.get("status", {}):
        found.append(Change("Admitted", job_of(after), "", ""))
    return found


def is_finished(workload: Object) -> bool:
    """Whether it has ended; its admission stays on record."""
    return condition(workload, "Finished").get("status") == "True"


def condition(workload: Object, kind: str) -> Object:
    """A condition of a workload; empty where it has none of that type."""
    conditions = workload.get("status", {}).get("conditions", ())
    return next((one for one in conditions if one["type"] == kind), {})


def _stamp(one: Object) -> tuple[object, ...]:
    return tuple(one.get(name) for name in ("status", "lastTransitionTime", "reason", "message"))
