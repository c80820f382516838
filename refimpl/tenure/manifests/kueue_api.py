"""What of Kueue's API decides and is not modelled, by `spec/kueue-api.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from tenure.manifests.showing import printable, show
from tenure.manifests.structure import dig
from tenure.model import Cluster, Reach, Unmodelled, with_unmodelled
from tenure.resources import bundled
from tenure.versions import KUEUE

CONFIGURABLE: Final = "ConfigurablePreemptions"
"""KEP-13396's gate, alpha in v0.20 and off by default."""
METADATA: Final = "metadata"
GATE: Final = "gate"
NOT_KNOWN: Final = "not-known"
PREEMPTION_CONFIG: Final = "kueue.x-k8s.io/preemption-config-name"
_PREFIX: Final = "kueue.x-k8s.io/"
_OLD_STATUS: Final = frozenset(("pendingWorkloadsStatus", "flavors"))
"""What v1beta1 has beside: counters."""


@dataclass(frozen=True, slots=True)
class ApiEntry:
    """Some names of Kueue's API and what Tenure makes of them; see the head of the file.

    Args:
        object: a kind, `Configuration`, `metadata` or `gate`.
        fields: paths, or names.
        effect, why, what, gate, since, kep, under: as the file has them.
        on: the kind that an annotation is read of.
        off: whether the effect is that of a gate that is switched off.
    """

    object: str
    fields: tuple[str, ...]
    effect: str
    why: str
    what: str = ""
    gate: str = ""
    since: str = ""
    kep: str = ""
    under: str = ""
    on: str = ""
    off: bool = False

    def is_newer_than(self, release: str) -> bool:
        """Whether a release of Kueue, such as `0.19`, does not have these names yet."""
        return bool(self.since) and _numbers(self.since) > _numbers(release)


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


@cache
def api_entries() -> tuple[ApiEntry, ...]:
    """Every entry.

    >>> sorted({entry.effect for entry in api_entries() if entry.object == "Cohort"})
    ['modelled', 'not-known']
    """
    text = bundled("spec", "kueue-api.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["entry"]
    for raw in entries:
        raw.pop("example", None)
    return tuple(ApiEntry(**{**raw, "fields": tuple(raw["fields"])}) for raw in entries)


@cache
def gates_of(effect: str, *, off: bool = False) -> Mapping[str, ApiEntry]:
    """The feature gates of an effect by their names.

    >>> gates_of("over-time")["FairSharingRefill"].under
    'fair sharing'
    """
    entries = (entry for entry in api_entries() if entry.object == GATE)
    return {
        gate: entry
        for entry in entries
        if entry.effect == effect and entry.off == off
        for gate in entry.fields
    }


@cache
def gates_of_fields() -> frozenset[str]:
    """The feature gates without which a field or an annotation that is not modelled decides nothing.

    >>> "ConfigurablePreemptions" in gates_of_fields()
    True
    """
    return frozenset(entry.gate for entry in api_entries() if entry.gate)


@cache
def annotations_of(kind: str, effect: str) -> Mapping[str, ApiEntry]:
    """The annotations that are read of a kind, of an effect.

    >>> [*annotations_of("ClusterQueue", "modelled")]
    ['kueue.x-k8s.io/preemption-config-name']
    """
    return {
        key: entry
        for entry in api_entries()
        if (entry.object, entry.on, entry.effect) == (METADATA, kind, effect)
        for key in entry.fields
    }


@cache
def _fields_of(kind: str) -> tuple[tuple[tuple[str, ...], ApiEntry], ...]:
    return tuple(
        (tuple(field.removesuffix(".*").split(".")), entry)
        for entry in api_entries()
        if (entry.object, entry.effect) == (kind, NOT_KNOWN)
        for field in entry.fields
    )


@cache
def newer_fields(kind: str) -> tuple[tuple[tuple[str, ...], ApiEntry], ...]:
    """The fields and annotations of a kind that decide and that v0.19 does not have, by their path.

    >>> [path[-1] for path, _ in newer_fields("Cohort")]
    ['effectiveQuotas']
    """
    of_metadata = (
        (("metadata", "annotations", key), entry)
        for entry in api_entries()
        if (entry.object, entry.on) == (METADATA, kind)
        for key in entry.fields
    )
    return tuple(found for found in (*of_metadata, *_fields_of(kind)) if found[1].since)


@cache
def _status_of(kind: str) -> frozenset[str]:
    """The fields right below the status of a kind that are known."""
    fields = [field for entry in api_entries() if entry.object == kind for field in entry.fields]
    status = (field.split(".")[1].removesuffix("[]") for field in fields if field.startswith("status."))
    return frozenset(status) | _OLD_STATUS


@cache
def _names() -> frozenset[str]:
    return frozenset(key for entry in api_entries() if entry.object == METADATA for key in entry.fields)


def unknown_in(raw: object, kind: str) -> Iterator[str]:
    """The fields of a status and the annotations of Kueue that Tenure does not know, of a newer release.

    Args:
        raw: a ClusterQueue, Cohort, LocalQueue or Workload.
        kind: of it.

    >>> [*unknown_in({"status": {"conditions": [], "quotaOfTomorrow": {}}}, "ClusterQueue")]
    ['status.quotaOfTomorrow']
    """
    status = dig(raw, "status")
    if isinstance(status, dict) and not status.keys() <= _status_of(kind):
        for name in status:
            if name not in _status_of(kind) and status[name] is not None:
                yield f"status.{printable(str(name))}"
    annotations = dig(raw, "metadata", "annotations")
    if isinstance(annotations, dict):
        for key in annotations:
            if isinstance(key, str) and key.startswith(_PREFIX) and key not in _names():
                yield f"metadata.annotations[{printable(key)}]"


@cache
def newer_kinds(release: str = KUEUE) -> frozenset[str]:
    """The kinds of Kueue's group that a release does not serve.

    Args:
        release: without its last number.

    >>> "PreemptionConfig" in newer_kinds(), "PreemptionConfig" in newer_kinds("0.20")
    (True, False)
    """
    entries = (entry for entry in api_entries() if entry.fields == ("*",))
    return frozenset(entry.object for entry in entries if entry.is_newer_than(release))


def unmodelled_in(raw: object, kind: str, name: str) -> tuple[Unmodelled, ...]:
    """Fields of an object that affect decisions and are not modelled; the answers they affect are not known.

    Args:
        raw: a ClusterQueue or a Cohort as v1beta2 has it.
        kind, name: of it.

    >>> queue = {"status": {"effectiveQuotas": {}}}
    >>> [found.text for found in unmodelled_in(queue, "ClusterQueue", "a")]
    ['status.effectiveQuotas of ClusterQueue a is not modelled']
    """
    return tuple(_unmodelled(raw, kind, name))


def _unmodelled(raw: object, kind: str, name: str) -> Iterator[Unmodelled]:
    called = f"{kind}/{printable(name)}"
    for path, entry in _fields_of(kind):
        found = dig(raw, *path)
        if found is not None:
            text = f"{entry.what.format(object=f'{kind} {printable(name)}')} is not modelled"
            yield Unmodelled(called, ".".join(path), show(found), text, Reach.TREE, entry.gate)


def config_named(raw: object) -> str | None:
    """The PreemptionConfig that the annotation of a ClusterQueue names; None without one.

    Args:
        raw: the ClusterQueue, untrusted.

    >>> config_named({"metadata": {"annotations": {PREEMPTION_CONFIG: "hero-config"}}})
    'hero-config'
    """
    found = dig(raw, "metadata", "annotations", PREEMPTION_CONFIG)
    return found if isinstance(found, str) and found else None


def without_gated(cluster: Cluster, gates: Mapping[str, bool]) -> Cluster:
    """The cluster without what counts only with a feature gate that is switched off.

    Args:
        cluster: as it was read.
        gates: by name, as a Configuration or the command line sets them. Where a gate is not set, its default
            depends on the release, and what it would bring in is not known.

    >>> from tenure.model import ClusterQueue
    >>> found = Unmodelled("ClusterQueue/q", "", "", "", Reach.TREE, "G")
    >>> cluster = Cluster({"q": ClusterQueue("q", unmodelled=(found,))})
    >>> without_gated(cluster, {"G": False}).cluster_queues["q"].unmodelled
    ()
    """
    off = {gate for gate, on in gates.items() if not on}
    if not off:
        return cluster
    found = with_unmodelled(cluster, lambda all_: tuple(one for one in all_ if one.gate not in off))
    if CONFIGURABLE not in off or all(q.preemption_config is None for q in found.cluster_queues.values()):
        return found
    queues = {name: replace(queue, preemption_config=None) for name, queue in found.cluster_queues.items()}
    return replace(found, cluster_queues=queues)


def as_if_modelled(raw: Any, kind: str, annotations: Iterable[str] = ()) -> Any:
    """A copy of an object of v1beta2 without the fields that are not modelled.

    Args:
        raw, kind: of the object.
        annotations: those that are left out too.

    >>> raw = {"spec": {"concurrentAdmissionPolicy": {}, "cohortName": "a"}}
    >>> as_if_modelled(raw, "ClusterQueue")
    {'spec': {'cohortName': 'a'}}
    """
    paths = [path for path, _ in _fields_of(kind)]
    paths += [("metadata", "annotations", key) for key in annotations]
    for path in paths:
        if dig(raw, *path) is not None:
            raw = without(raw, path)
    return raw


def without(raw: Any, path: Sequence[str]) -> Any:
    """A copy of an object without the field at a path, in all items of the lists on its way."""
    if isinstance(raw, list):
        return [without(item, path) for item in raw]
    if not isinstance(raw, dict) or path[0] not in raw:
        return raw
    key, rest = path[0], path[1:]
    if rest:
        return {**raw, key: without(raw[key], rest)}
    return {name: value for name, value in raw.items() if name != key}
