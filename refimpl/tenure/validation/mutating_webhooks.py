"""What Kueue's mutating webhooks make of a new object before its schema is looked at."""

from __future__ import annotations

from typing import Any, Final

from tenure.errors import InputError
from tenure.manifests.quantities import parse_quantity
from tenure.manifests.served import INT64, Fields, Items, Named, Quantity, Shape, Text
from tenure.manifests.structure import dig, entries, items
from tenure.validation.shapes import shape

_REWRITTEN: Final = ("ClusterQueue", "ResourceFlavor")
_FINALIZER: Final = "kueue.x-k8s.io/resource-in-use"


def mutated(kind: str, raw: Any) -> Any:
    """A new object as its schema sees it.

    The webhook of a ClusterQueue and of a ResourceFlavor adds a finalizer where there is none, and writes the
    object as Go reads it: a quantity as text without blanks around it, a nominal quota that was left out as
    0, a null among texts as an empty one. Cohorts, LocalQueues and classes have no such webhook, that of a
    Workload changes nothing, and none is called for an update.

    Args:
        kind: of the object.
        raw: the object, untrusted.

    Source: Kueue, ClusterQueue and ResourceFlavor webhooks; controller-runtime, the patch of a defaulter;
    Kubernetes API machinery, Quantity.UnmarshalJSON.

    >>> quota = {"name": "cpu", "borrowingLimit": " 1"}
    >>> group = {"coveredResources": ["cpu"], "flavors": [{"name": "x86", "resources": [quota]}]}
    >>> queue = mutated("ClusterQueue", {"spec": {"resourceGroups": [group]}})
    >>> queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
    [{'name': 'cpu', 'borrowingLimit': '1', 'nominalQuota': '0'}]
    """
    if kind not in _REWRITTEN or _FINALIZER in items(dig(raw, "metadata", "finalizers")):
        return raw
    rewritten = _read(shape(kind), raw)
    for _, group in entries(dig(rewritten, "spec", "resourceGroups")):
        for _, flavor in entries(group.get("flavors")):
            for _, quota in entries(flavor.get("resources")):
                if quota.get("nominalQuota") is None:
                    quota["nominalQuota"] = "0"
    return rewritten


def _read(found: Shape, value: Any) -> Any:
    if isinstance(found, Quantity):
        return _quantity(value)
    if isinstance(found, Items) and isinstance(value, list):
        return [_text(found.item, _read(found.item, item)) for item in value]
    if isinstance(found, Named) and isinstance(value, dict):
        return {name: _text(found.value, _read(found.value, inner)) for name, inner in value.items()}
    if isinstance(found, Fields) and isinstance(value, dict):
        return {
            name: _read(found.fields[name], inner) if name in found.fields else inner
            for name, inner in value.items()
        }
    return value


def _text(found: Shape, value: Any) -> Any:
    return "" if value is None and isinstance(found, Text) else value


def _quantity(value: Any) -> Any:
    if isinstance(value, int) and INT64[0] <= value <= INT64[1]:
        return value
    try:
        parse_quantity(value)
    except InputError:
        return value
    return str(value).strip(" ")
