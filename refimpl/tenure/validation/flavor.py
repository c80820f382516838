"""Labels, taints and tolerations of a ResourceFlavor, as Kueue's webhook and schema check them."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.manifests.structure import entries
from tenure.validation.faults import Fault, Subject, duplicate, invalid, text
from tenure.validation.labels import key_faults, label_faults, value_faults

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_TOLERATIONS = "spec.tolerations"


def node_labels(subject: Subject) -> Iterator[Fault]:
    """Source: Kueue, ResourceFlavor webhook; a validation rule of its schema about topologies."""
    yield from label_faults(subject.get("spec", "nodeLabels"), "spec.nodeLabels")


def node_taints(subject: Subject) -> Iterator[Fault]:
    """Keys and values are labels, and every pair of key and effect appears once.

    Source: Kueue, ResourceFlavor webhook.

    >>> taint = {"key": "spot", "effect": "NoSchedule"}
    >>> [fault.field for fault in node_taints(Subject("", {"spec": {"nodeTaints": [taint, taint]}}))]
    ['spec.nodeTaints[1]']
    """
    seen = set()
    for i, taint in entries(subject.get("spec", "nodeTaints")):
        path = f"spec.nodeTaints[{i}]"
        yield from key_faults(taint.get("key"), f"{path}.key")
        yield from value_faults(taint.get("value"), f"{path}.value")
        pair = (text(taint.get("key")), text(taint.get("effect")))
        if pair in seen:
            yield duplicate(path, " ".join(pair))
        seen.add(pair)


def toleration_keys(subject: Subject) -> Iterator[Fault]:
    """Source: Kueue, ResourceFlavor webhook."""
    for i, toleration in entries(subject.get("spec", "tolerations")):
        if toleration.get("key"):
            yield from key_faults(toleration["key"], f"{_TOLERATIONS}[{i}].key")


def schema_rules(subject: Subject) -> Iterator[Fault]:
    """What the schema demands beyond types.

    Source: Kueue v1beta2 API, validation rules of ResourceFlavorSpec; they name the field, not the item.

    >>> flavor = Subject("", {"spec": {"tolerations": [{"operator": "Exists", "value": "x"}]}})
    >>> [fault.message for fault in schema_rules(flavor)]
    ["found 'x', expected no value beside operator Exists (tolerations[0])"]
    """
    if subject.get("spec", "topologyName") and not subject.get("spec", "nodeLabels"):
        yield invalid("spec", "no nodeLabels", "at least one node label beside topologyName")
    for i, taint in entries(subject.get("spec", "nodeTaints")):
        effect = taint.get("effect")
        if isinstance(effect, str) and effect not in _EFFECTS:
            yield invalid("spec.nodeTaints", effect, f"one of {', '.join(_EFFECTS)} (nodeTaints[{i}])")
    for i, toleration in entries(subject.get("spec", "tolerations")):
        for found, expected in _toleration(toleration):
            yield invalid(_TOLERATIONS, found, f"{expected} (tolerations[{i}])")


def _toleration(toleration: dict[str, object]) -> Iterator[tuple[object, str]]:
    operator, effect = toleration.get("operator"), toleration.get("effect")
    if toleration.get("key") is None and operator != "Exists":
        yield operator, "operator Exists, because no key is named"
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        yield effect, "effect NoExecute beside tolerationSeconds"
    if operator not in (None, "Equal", "Exists"):
        yield operator, "operator Equal or Exists"
    if operator == "Exists" and toleration.get("value") is not None:
        yield toleration["value"], "no value beside operator Exists"
    if effect not in (None, *_EFFECTS):
        yield effect, f"one of {', '.join(_EFFECTS)}"
