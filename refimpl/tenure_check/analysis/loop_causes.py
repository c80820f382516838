"""What of a configuration a loop needs: fields are removed one after another for as long as it loops."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tenure.errors import InputError
from tenure.manifests.showing import show
from tenure.manifests.structure import dig, items
from tenure.minimising import Minimiser
from tenure.readings import Reading
from tenure_check.analysis.closed_systems import called
from tenure_check.analysis.fields import spelt
from tenure_check.analysis.periodic_runs import first_loop_of
from tenure_play import Scenario, parse_scenario

Path: TypeAlias = tuple[str | int, ...]

_KEPT: Final = frozenset(
    (
        *("apiVersion", "kind", "metadata", "name", "coveredResources", "namespaceSelector"),
        *("activationPolicy", "preemptorSelector", "preemptorPriorityClassSelector"),
    )
)
"""What no object can do without, what has no effect on preemption, and what only restricts it."""
_WHOLE: Final = "candidateSelectors"
"""Without a part of a selector more would be preempted."""
_WALKED: Final = frozenset(("spec", "resourceGroups", "flavors", "resources"))
"""What may not be missing; the fields below are looked at."""
_FIXED: Final = ("LocalQueue", "ResourceFlavor", "ConfigMap", "WorkloadPriorityClass")
"""Kinds whose fields have no effect on preemption."""
_NOMINAL: Final = "nominalQuota"
_SHARED: Final = ("cohortName", "parentName", "resourceGroups")


@dataclass(frozen=True, slots=True)
class NeededFact:
    """A field without which a loop ends.

    Args:
        object: `ClusterQueue/a`.
        field: path of the field as Kubernetes writes it.
        value: in short.
        is_policy: whether it is a policy of preemption, and not what is owned or shared.
        ends_alone: whether the loop ends too where only this field is removed from the whole configuration;
            else another one takes its place there, or the configuration is refused.
    """

    object: str
    field: str
    value: str
    is_policy: bool
    ends_alone: bool


def needed_facts(scenario: Mapping[str, Any], reading: Reading) -> tuple[NeededFact, ...]:
    """The fields of a scenario's objects that its loop needs, policies first: a set of which none can go.

    A field is removed, or a nominal quota is set to 0, and the scenario is played again. What is left when no
    more can be removed is not the only such set, nor always the smallest one.

    Args:
        scenario: as a file has it; it loops.
        reading: see `tenure.readings`.
    """
    return _Least(scenario, reading).facts()


class _Least:
    def __init__(self, scenario: Mapping[str, Any], reading: Reading) -> None:
        self._whole, self._reading = scenario, reading
        self._search = Minimiser[Sequence[dict[str, Any]]](copy.deepcopy(scenario["objects"]), self._loops)
        self._used = {_queue_of(event["submit"]) for event in scenario["events"]}

    def facts(self) -> tuple[NeededFact, ...]:
        self._remove_objects()
        needed: list[tuple[str, Path]] | None = None
        while True:
            found = [
                (called(manifest), path)
                for place, manifest in enumerate(self._search.best)
                if manifest["kind"] not in _FIXED
                for path in self._needed(place, ())
            ]
            if found == needed:
                break
            needed = found
        facts = [self._fact(name, path) for name, path in needed or ()]
        return tuple(sorted(facts, key=lambda fact: not fact.is_policy))

    def _fact(self, name: str, path: Path) -> NeededFact:
        objects = copy.deepcopy(list(self._whole["objects"]))
        holder = next(manifest for manifest in objects if called(manifest) == name)
        value = _remove(holder, path)
        is_policy = not any(part in _SHARED for part in path)
        return NeededFact(name, spelt(path), show(value), is_policy, self._loops(objects) is False)

    def _loops(self, objects: Sequence[Mapping[str, Any]]) -> bool | None:
        """Whether the scenario loops with other objects; None where these are refused."""
        try:
            played = parse_scenario({**self._whole, "objects": copy.deepcopy(list(objects))})
        except InputError:
            return None
        assert isinstance(played, Scenario)
        return first_loop_of(played, self._reading) is not None

    def _remove_objects(self) -> None:
        """The ClusterQueues without workloads first, all at once where that is possible; then one by one."""
        idle = [
            manifest
            for manifest in self._search.best
            if manifest["kind"] == "ClusterQueue" and dig(manifest, "metadata", "name") not in self._used
        ]
        if not self._try_without(idle):
            for manifest in idle:
                self._try_without([manifest])
        for manifest in self._search.best:
            if manifest["kind"] not in ("ClusterQueue", *_FIXED):
                self._try_without([manifest])

    def _try_without(self, some: Sequence[Mapping[str, Any]]) -> bool:
        gone = {called(manifest) for manifest in some}
        queues = {
            dig(manifest, "metadata", "name") for manifest in some if manifest["kind"] == "ClusterQueue"
        }
        left = [
            manifest
            for manifest in self._search.best
            if called(manifest) not in gone and dig(manifest, "spec", "clusterQueue") not in queues
        ]
        return bool(self._search.tries(left))

    def _needed(self, place: int, path: Path) -> Iterator[Path]:
        """The deepest fields of an object that it needs; what is not needed is removed on the way."""
        for key in _keys(_at(self._search.best[place], path)):
            inner = (*path, key)
            value = _at(self._search.best[place], inner)
            may_go = isinstance(key, str) and key not in _WALKED and not _is_nothing(key, value)
            loops = self._loops_without(place, inner) if may_go else None
            if loops:
                continue
            deeper = [] if key == _WHOLE else list(self._needed(place, inner))
            yield from deeper
            # What is only missed by another field does not end the loop: the objects would be refused.
            if loops is False and not deeper:
                yield inner

    def _loops_without(self, place: int, path: Path) -> bool | None:
        """Whether it loops without a field, which is gone from then on; None where that is refused."""
        objects = [*self._search.best]
        objects[place] = copy.deepcopy(objects[place])
        _remove(objects[place], path)
        return self._search.tries(objects)


def _queue_of(entry: Mapping[str, Any]) -> str:
    return str(entry.get("queue") or dig(entry, "manifest", "spec", "queueName"))


def _keys(value: Any) -> list[str | int]:
    if isinstance(value, dict):
        return [key for key in value if key not in _KEPT]
    # A list of words is one fact.
    return [place for place, item in enumerate(items(value)) if isinstance(item, dict)]


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _remove(manifest: dict[str, Any], path: Path) -> Any:
    """Remove a field, or set a nominal quota, which must be there, to 0; what it was."""
    holder = _at(manifest, path[:-1])
    value = holder.get(path[-1])
    if path[-1] == _NOMINAL:
        holder[_NOMINAL] = "0"
    else:
        holder.pop(path[-1], None)
    return value


def _is_nothing(key: str, value: Any) -> bool:
    return key == _NOMINAL and str(value) == "0"
