"""One List of everything that answers depend on, as kubectl prints it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from tenure.kubectl.run import ClusterError, Kubectl
from tenure.manifests.history import event_about
from tenure.manifests.namespaces import needs_labels
from tenure.manifests.naming import Home
from tenure.manifests.structure import dig, entries

NAME: Final = "cluster"
"""What messages call the objects of the cluster, in place of a file."""
CONFIG_MAP: Final = "kueue-manager-config"
_KUEUE: Final = "kueue.x-k8s.io"
QUEUES: Final = ("clusterqueues", "cohorts", "resourceflavors", "localqueues")
WORKLOADS: Final = "workloads"
CLASSES: Final = "workloadpriorityclasses"
READ_COMMAND: Final = f"kubectl get {','.join((*QUEUES, WORKLOADS, CLASSES))} -A -o json > cluster.json"
"""How to save what is always read without the plugin; pages and helps show this command."""
_OPTIONAL: Final = ("cohorts", CLASSES)
"""Kinds that old releases of Kueue do not have."""
_PREEMPTION_CONFIGS: Final = "preemptionconfigs"
_NO_CONFIGS: Final = "PreemptionConfigs are not known, nor what ClusterQueues that name one preempt"
_KAI: Final = "scheduling.run.ai"
_KAI_KINDS: Final = ("queues", "podgroups")
_KAI_OPERATOR: Final = "kai.scheduler"
_SHARDS: Final = "schedulingshards"
PRIORITY_CLASSES: Final = "priorityclasses.scheduling.k8s.io"
EVENTS: Final = "events"
_OF_EVENT: Final = (
    "involvedObject",
    "reason",
    "message",
    "eventTime",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "series",
)
"""What `event_about` reads."""
_BEFORE: Final = b'"items": ['


@dataclass(frozen=True, slots=True)
class Dump:
    """What was read of a cluster.

    Args:
        text: a List, as `kubectl get -o json` prints it.
        home: where names without a namespace are looked for.
        warnings: what could not be read, and what is assumed instead.
    """

    text: bytes
    home: Home
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KueueDump:
    """All objects of Kueue, its Configuration, Jobs where a priority grows, Namespaces where one is selected.

    Args:
        kubectl: reads them.
        namespace: the only one where names of workloads are looked for; None for the context's first.
        kueue_namespace: where Kueue runs.
        past: whether Events about Workloads are read too, which date what has been overwritten.
        submits: whether PriorityClasses are read too, from which jobs without Workloads get priorities.
    """

    kubectl: Kubectl
    namespace: str | None = None
    kueue_namespace: str = "kueue-system"
    past: bool = True
    submits: bool = True

    def read(self) -> Dump:
        """Read them.

        Raises:
            ClusterError: what every decision needs cannot be read.
        """
        served = _served(self.kubectl, _KUEUE)
        _refuse_missing("Kueue", [kind for kind in (*QUEUES, WORKLOADS) if kind not in _OPTIONAL], served)
        warnings: list[str] = []
        # They are few, and refused for the same reasons as the many workloads, which are read after them.
        queues = self._items(*(kind for kind in QUEUES if kind in served))
        with ThreadPoolExecutor() as pool:
            workloads = pool.submit(self._items, WORKLOADS)
            classes = pool.submit(self._classes, served, warnings)
            configuration = pool.submit(self._configuration, warnings)
            home = pool.submit(_home, self.kubectl, self.namespace)
            events = pool.submit(self._events, warnings) if self.past else None
            of_kubernetes = pool.submit(self._priority_classes, warnings) if self.submits else None
        found = [queues, classes.result(), configuration.result(), workloads.result()]
        found += [optional.result() for optional in (of_kubernetes, events) if optional is not None]
        if _PREEMPTION_CONFIGS in served:
            found.append(_optional(lambda: self._items(_PREEMPTION_CONFIGS), _NO_CONFIGS, warnings))
        if any(map(_grows, _parsed(classes.result()))):
            found.append(self._jobs(warnings))
        if any(needs_labels(dig(queue, "spec", "namespaceSelector")) for queue in _parsed(queues)):
            found.append(self._namespaces(warnings))
        return Dump(_list_of(found), home.result(), tuple(warnings))

    def _items(self, *kinds: str) -> bytes:
        return _items(self.kubectl, [f"{kind}.{_KUEUE}" for kind in kinds], "-A")

    def _classes(self, served: set[str], warnings: list[str]) -> bytes:
        if CLASSES not in served:
            return b""
        assumed = "WorkloadPriorityClasses are not known, no priority counts as growing"
        return _optional(lambda: self._items(CLASSES), assumed, warnings)

    def _configuration(self, warnings: list[str]) -> bytes:
        words = ("configmap", CONFIG_MAP, "-n", self.kueue_namespace, "-o", "json")
        assumed = "Kueue's Configuration is not known, its defaults are assumed"
        return _optional(lambda: self.kubectl.run("get", *words).strip(), assumed, warnings)

    def _priority_classes(self, warnings: list[str]) -> bytes:
        assumed = "PriorityClasses are not known, a job that names none counts as of priority 0"
        return _optional(lambda: _items(self.kubectl, [PRIORITY_CLASSES]), assumed, warnings)

    def _events(self, warnings: list[str]) -> bytes:
        words = ("-A", "--field-selector", "involvedObject.kind=Workload")
        assumed = "Events are not known, a preemption whose time was overwritten is not dated"
        found = _optional(lambda: _items(self.kubectl, [EVENTS], *words), assumed, warnings)
        events = (event for event in _parsed(found) if event_about(event) is not None)
        return _joined(_kept(event, ("name", "namespace"), _OF_EVENT) for event in events)

    def _jobs(self, warnings: list[str]) -> bytes:
        assumed = "Jobs are not known, ages are counted from Workloads"
        found = _optional(lambda: _items(self.kubectl, ["jobs.batch"], "-A"), assumed, warnings)
        return _reduced(found, ("name", "namespace", "uid", "creationTimestamp"))

    def _namespaces(self, warnings: list[str]) -> bytes:
        assumed = "Namespaces are not known, all that are selected by labels count as selected"
        found = _optional(lambda: _items(self.kubectl, ["namespaces"]), assumed, warnings)
        return _reduced(found, ("name", "labels"))


@dataclass(frozen=True, slots=True)
class KaiDump:
    """All objects of KAI-Scheduler, and Pods.

    Args:
        kubectl: reads them.
    """

    kubectl: Kubectl

    def read(self) -> Dump:
        """Read them.

        Raises:
            ClusterError: they cannot be read.
        """
        served = _served(self.kubectl, _KAI)
        _refuse_missing("KAI-Scheduler", _KAI_KINDS, served)
        found = [_items(self.kubectl, [f"{kind}.{_KAI}" for kind in _KAI_KINDS], "-A")]
        if _SHARDS in _served(self.kubectl, _KAI_OPERATOR):
            found.append(_items(self.kubectl, [f"{_SHARDS}.{_KAI_OPERATOR}"], "-A"))
        found.append(_items(self.kubectl, ["pods"], "-A"))
        return Dump(_list_of(found), Home(), ())


def _served(kubectl: Kubectl, group: str) -> set[str]:
    """The kinds of an API group that the cluster serves."""
    printed = kubectl.run("api-resources", f"--api-group={group}", "-o", "name")
    return {line.partition(".")[0] for line in printed.decode("utf-8", "replace").splitlines()}


def _refuse_missing(scheduler: str, kinds: Iterable[str], served: set[str]) -> None:
    missing = [kind for kind in kinds if kind not in served]
    if missing:
        found = f"no {', '.join(missing)} among the API resources"
        raise ClusterError("cluster", found, f"one in which {scheduler} is installed")


def _home(kubectl: Kubectl, namespace: str | None) -> Home:
    """Where names without a namespace are looked for: in the named one alone, or the context's first."""
    if namespace:
        return Home(namespace, only=True)
    try:
        found = json.loads(kubectl.run("config", "view", "--minify", "-o", "json"))
    except (ClusterError, ValueError, RecursionError):
        # In a pod there is no kubeconfig.
        return Home()
    of_context = next(
        (dig(entry, "context", "namespace") for _, entry in entries(dig(found, "contexts"))), ""
    )
    return Home(of_context if isinstance(of_context, str) and of_context else "default")


def _optional(read: Callable[[], bytes], assumed: str, warnings: list[str]) -> bytes:
    """What may be forbidden or absent: a warning names what is assumed then."""
    try:
        return read()
    except ClusterError as error:
        if not error.is_refused:
            raise
        warnings.append(f"{assumed}: {error}")
        return b""


def _items(kubectl: Kubectl, kinds: Sequence[str], *words: str) -> bytes:
    """The items of the List that kubectl prints, as text with commas between them."""
    raw = kubectl.get(kinds, *words)
    start, end = raw.find(_BEFORE) + len(_BEFORE), raw.rfind(b"]")
    try:
        kind = dig(json.loads(raw[:start] + raw[end:]), "kind")
    except (ValueError, RecursionError):
        kind = None
    if kind != "List":
        expected = "a List, as `kubectl get -o json` prints it"
        raise ClusterError(f"kubectl get {','.join(kinds)}", "no List", expected)
    return raw[start:end].strip()


def _parsed(text: bytes) -> Iterator[dict[str, Any]]:
    """The objects of such a text; what is wrong with it is an error where the List is read."""
    try:
        found = json.loads(b"[" + text + b"]")
    except (ValueError, RecursionError):
        return
    yield from (entry for _, entry in entries(found))


def _reduced(text: bytes, names: Sequence[str]) -> bytes:
    """Objects of which only some metadata count."""
    return _joined(_kept(entry, names) for entry in _parsed(text))


def _kept(raw: dict[str, Any], names: Sequence[str], fields: Sequence[str] = ()) -> dict[str, Any]:
    """An object with some of its metadata, and those of the other fields that have a value."""
    typed = {name: raw.get(name) for name in ("apiVersion", "kind")}
    rest = {name: raw[name] for name in fields if raw.get(name) is not None}
    return {**typed, "metadata": {name: dig(raw, "metadata", name) for name in names}, **rest}


def _joined(objects: Iterable[dict[str, Any]]) -> bytes:
    return ",\n        ".join(map(json.dumps, objects)).encode()


def _grows(raw: dict[str, Any]) -> bool:
    return bool(raw.get("dynamicPriorityPolicy") or dig(raw, "spec", "dynamicPriorityPolicy"))


def _list_of(parts: Iterable[bytes]) -> bytes:
    inside = b",\n        ".join(part for part in parts if part)
    before = b'{\n    "apiVersion": "v1",\n    "items": [\n        '
    after = b'\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n'
    return before + inside + after
