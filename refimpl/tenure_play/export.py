"""The cluster of a play at an instant, as manifests: what `kubectl get -o yaml` would print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tenure.manifests.conversion import API_VERSION
from tenure.manifests.history import previously
from tenure.model import Amount, Instant, PodSet, PodSetFlavors
from tenure.readings import Reading
from tenure.rules.cycle import persisted
from tenure.units import format_amount, format_instant
from tenure_play.actors import Actor
from tenure_play.engine import world_at
from tenure_play.scenario import Edit, Scenario
from tenure_play.state import PlayState

_WRITTEN = ("QuotaReserved", "Admitted", "Evicted", "Preempted")
"""The conditions that a play writes; others stay as they were given."""


def cluster_at(scenario: Scenario, reading: Reading, at: Instant) -> tuple[list[dict[str, Any]], Instant]:
    """Every object of a play at an instant: queues, flavors, classes, and the workloads that are not done.

    No manifest has what a controller keeps in memory: parked workloads, and the victims that a head awaits.

    Args:
        scenario: what is played.
        reading: see `tenure.readings`.
        at: the instant; everything of it has happened.

    Returns:
        the objects, and what the controller's clock shows.

    Raises:
        InputError: as of `play`.

    >>> from tenure.readings import preset
    >>> from tenure_play import parse_scenario
    >>> raw = {"until": "2h", "objects": [{"kind": "ResourceFlavor", "metadata": {"name": "default"}}]}
    >>> scenario = parse_scenario(raw)
    >>> objects, clock = cluster_at(scenario, preset("guaranteed"), scenario.start)
    >>> [manifest["kind"] for manifest in objects], clock == scenario.start
    (['ResourceFlavor'], True)
    """
    world = world_at(scenario, reading, at)
    return objects_of(scenario, world), world.clock


def objects_of(scenario: Scenario, world: PlayState) -> list[dict[str, Any]]:
    """Every object that there is in a world, as `cluster_at` gives them.

    Args:
        scenario: what is played.
        world: of its play, at some instant.
    """
    objects = scenario.objects
    for event in scenario.events:
        if isinstance(event, Edit) and event.at <= world.now:
            objects = event.objects
    workloads = (_workload(world, actor) for actor in world.alive.values())
    return [_plain({"apiVersion": API_VERSION, **object_}) for object_ in (*objects, *workloads)]


def _workload(world: PlayState, actor: Actor) -> dict[str, Any]:
    if actor.is_as_it_came:
        return dict(actor.manifest)
    old = actor.manifest.get("status") or {}
    kept = [condition for condition in old.get("conditions", ()) if condition["type"] not in _WRITTEN]
    status = {key: value for key, value in old.items() if key not in ("admission", "conditions")}
    status["conditions"] = [*kept, *_conditions(world, actor)]
    if actor.holds:
        status["admission"] = {
            "clusterQueue": actor.queue,
            "podSetAssignments": list(_assignments(actor)),
        }
    return {**actor.manifest, "status": status}


def _conditions(world: PlayState, actor: Actor) -> Iterator[dict[str, Any]]:
    workload = actor.workload
    reserved = workload.quota_reserved_at
    if reserved is not None:
        yield _condition("QuotaReserved", "QuotaReserved", reserved)
        yield _condition("Admitted", "Admitted", reserved)
    if actor.preempted is None:
        # It may have been evicted before the play began.
        given = actor.manifest.get("status", {}).get("conditions", ()) if workload.evicted else ()
        yield from (condition for condition in given if condition["type"] in ("Evicted", "Preempted"))
        return
    message, stamp = actor.preempted
    reason = actor.reason.label if actor.reason is not None else ""
    if reserved is not None and not workload.evicted:
        for kind in ("Evicted", "Preempted"):
            yield _condition(kind, "QuotaReserved", reserved, previously(message), status="False")
        return
    if reserved is None:
        released = persisted(actor.since + world.offset)
        yield _condition("QuotaReserved", "Pending", released, message, status="False")
    yield _condition("Evicted", "Preempted", stamp, message)
    yield _condition("Preempted", reason, stamp, message)


def _condition(
    kind: str, reason: str, stamp: Instant, message: str = "", *, status: str = "True"
) -> dict[str, Any]:
    since = format_instant(stamp)
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since}


def _assignments(actor: Actor) -> Iterator[dict[str, Any]]:
    """What each pod set holds; one that held its quota from the start keeps its manifest's."""
    if not actor.pod_sets:
        yield from actor.manifest["status"]["admission"]["podSetAssignments"]
    spec = {pod_set.name: pod_set for pod_set in actor.workload.pod_sets}
    for set_flavors in actor.pod_sets:
        usage = {
            resource: _amount(set_flavors, spec[set_flavors.name], resource)
            for resource in set_flavors.flavors
        }
        yield {
            "name": set_flavors.name,
            "count": set_flavors.count,
            "flavors": dict(set_flavors.flavors),
            "resourceUsage": {name: format_amount(name, amount) for name, amount in usage.items()},
        }


def _amount(held: PodSetFlavors, spec: PodSet, resource: str) -> Amount:
    """What the admitted pods of a pod set hold."""
    amount = held.count if resource == "pods" else spec.requests.get(resource, 0)
    return amount if held.count == spec.count or resource == "pods" else amount // spec.count * held.count


def _plain(value: Any) -> Any:
    """Numbers that are kept as they were written are texts, which any writer of YAML can write."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, str) else value
