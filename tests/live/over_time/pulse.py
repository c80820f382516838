"""Whether Kueue has come as far as a given moment: Jobs of a queue of their own, one after the other."""

from __future__ import annotations

import threading
import time
from http.client import HTTPException

from tests.live.over_time.draws import API, QUEUE_LABEL, pods_of
from tests.live.over_time.ledger import Ledger
from tests.live.server import ApiError, Object, Server

EVERY_S = 0.5


class Pulse:
    """Submits Jobs that fit, and notes when each is admitted.

    When such a Job is admitted, Kueue's reconcilers and a scheduling cycle have seen what happened before it
    was submitted, as far as they take things in order, however slow the machine is.

    Args:
        server: the API server.
        ledger: what it shows.
        name: of its namespace, and the beginning of the names of its other objects.
    """

    def __init__(self, server: Server, ledger: Ledger, name: str) -> None:
        self._server, self._ledger, self._name = server, ledger, name
        self._begun: list[float] = []
        self._ends = threading.Event()
        self.broken: Exception | None = None
        server.apply(_objects(name))  # its namespace stays where clusters are played again
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def since(self, moment: float) -> int:
        """How many Jobs were submitted after a moment of `time.monotonic` and have been admitted."""
        return sum(began > moment for began in self._begun)

    def stop(self) -> None:
        """Submit no more, and remove what was."""
        self._ends.set()
        self._thread.join()
        if not self.broken:
            is_gone = self._ledger.clear(self._name)
            while not self._ledger.broken and not is_gone():
                time.sleep(0.05)

    def _run(self) -> None:
        try:
            while not self._ends.wait(EVERY_S):
                self._beat()
        except (OSError, HTTPException, ApiError) as error:
            self.broken = error

    def _beat(self) -> None:
        began = time.monotonic()
        name = f"j{len(self._begun)}"
        self._server.create(_job(self._name, name))
        while not any(change.job == name for change in self._ledger.changes(self._name)):
            if self._ends.wait(0.05):
                return
        self._begun.append(began)
        for one in self._ledger.objects(self._name):
            if one["kind"] == "Workload":
                self._server.delete(self._server.path_of(one))
        path = f"/apis/batch/v1/namespaces/{self._name}/jobs/{name}?propagationPolicy=Orphan"
        self._server.delete(path)


def _objects(name: str) -> list[Object]:
    quota = {"name": "cpu", "nominalQuota": "100"}
    group = {"coveredResources": ["cpu"], "flavors": [{"name": f"{name}-f", "resources": [quota]}]}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
        {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": f"{name}-f"}},
        {
            "apiVersion": API,
            "kind": "ClusterQueue",
            "metadata": {"name": f"{name}-q"},
            "spec": {"namespaceSelector": {}, "resourceGroups": [group]},
        },
        {
            "apiVersion": API,
            "kind": "LocalQueue",
            "metadata": {"namespace": name, "name": "lq"},
            "spec": {"clusterQueue": f"{name}-q"},
        },
    ]


def _job(namespace: str, name: str) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"namespace": namespace, "name": name, "labels": {QUEUE_LABEL: "lq"}},
        "spec": {"suspend": True, "template": pods_of({"cpu": "1"})},
    }
