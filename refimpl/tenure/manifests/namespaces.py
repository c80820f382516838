"""Of which name spaces a ClusterQueue takes workloads, as far as their labels are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from tenure.errors import Problem
from tenure.manifests.checking import check
from tenure.manifests.conversion import object_name
from tenure.manifests.fields import ObjectName, Open, Text
from tenure.manifests.showing import Place, comma_separated, printable, show
from tenure.manifests.structure import dig, entries, items
from tenure.model import Workload

NAME: Final = "kubernetes.io/metadata.name"
"""The label that Kubernetes gives every Namespace: its name."""

_HOLDS: Final[Mapping[object, Callable[[str | None, list[object]], bool]]] = {
    "In": lambda found, values: found in values,
    "NotIn": lambda found, values: found not in values,
    "Exists": lambda found, _: found is not None,
    "DoesNotExist": lambda found, _: found is None,
}


class _Metadata(Open):
    name: ObjectName
    labels: dict[str, Text] | None = None


class _Namespace(Open):
    metadata: _Metadata


@dataclass(slots=True)
class Namespaces:
    """The Namespaces of a load, and which ClusterQueues take workloads of them.

    Args:
        labels: of each Namespace that is given, by its name.
        selectors: `spec.namespaceSelector` of each ClusterQueue, by its name.
        refused: the pending workloads of the request that Kueue does not look at, by their keys.
    """

    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    selectors: dict[str, object] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    _unknown: dict[str, dict[str, None]] = field(default_factory=dict)

    def take(self, raw: object, place: Place, problems: list[Problem]) -> None:
        """Read a Namespace; what is wrong with it is added to `problems`."""
        checked = check(_Namespace, raw, place, problems)
        if checked is not None:
            self.labels[checked.metadata.name] = checked.metadata.labels or {}

    def problem(self, workload: Workload, queue: str, file: str) -> Problem | None:
        """Why Kueue does not look at a pending workload; None where it does, or where that is not known.

        Args:
            workload: the pending workload.
            queue: the ClusterQueue that it waits for.
            file: where it was read.
        """
        selector, namespace = self.selectors[queue], workload.namespace
        # An empty selector selects all, and is what nearly every queue has.
        if selector == {}:
            return None
        selected = is_selected(selector, namespace, self.labels.get(namespace))
        if selected:
            return None
        if selected is None or selector is None:
            self._unknown.setdefault(queue, {})[namespace] = None
            return None
        self.refused.add(workload.key)
        place = Place(object_name("Workload", namespace, workload.name), file)
        expected = f"a name space that spec.namespaceSelector of the ClusterQueue {printable(queue)} selects"
        return place.problem("metadata.namespace", show(namespace), expected)

    def warnings(self) -> Iterator[tuple[str, str]]:
        """What is not known about the ClusterQueues of the request, by their names."""
        for queue, namespaces in self._unknown.items():
            text = "found nothing, which selects no Namespace; it is decided as if it were {}"
            if self.selectors[queue] is not None:
                text = (
                    f"not compared with {comma_separated(namespaces)}, because no such Namespace is given; "
                    "it is decided as if it were selected"
                )
            kueue = "Kueue looks at no workload of a Namespace that is not selected"
            yield queue, f"spec.namespaceSelector: {text}; {kueue}"


def needs_labels(selector: object) -> bool:
    """Whether a selector needs other labels than a Namespace's name.

    >>> needs_labels({"matchLabels": {NAME: "ml"}}), needs_labels({"matchLabels": {"team": "a"}})
    (False, True)
    """
    return any(key != NAME for key, _, _ in _requirements(selector))


def is_selected(selector: object, namespace: str, labels: Mapping[str, str] | None) -> bool | None:
    """Whether a selector selects a name space; None where that depends on labels that are not known.

    Args:
        selector: `spec.namespaceSelector`; null selects none, an empty one all.
        namespace: its name.
        labels: of the Namespace; None where it is not given. Its name is a label of every one.

    Source: Kueue v0.19.2, pkg/workload/resources.go, ValidateAdmissibility, which the scheduler's nominate
    checks before anything else; Kubernetes, label selectors.

    >>> is_selected({"matchLabels": {NAME: "ml"}}, "ml", None), is_selected(None, "ml", None)
    (True, False)
    >>> is_selected({"matchLabels": {"team": "a"}}, "ml", None) is None
    True
    """
    if selector is None:
        return False
    answers = [
        _answer(key, operator, values, {**(labels or {}), NAME: namespace}, known=labels is not None)
        for key, operator, values in _requirements(selector)
    ]
    if False in answers:
        return False
    return None if None in answers else True


def _requirements(selector: object) -> Iterator[tuple[object, object, list[object]]]:
    wanted = dig(selector, "matchLabels")
    for key, value in wanted.items() if isinstance(wanted, dict) else ():
        yield key, "In", [value]
    for _, expression in entries(dig(selector, "matchExpressions")):
        yield expression.get("key"), expression.get("operator"), items(expression.get("values"))


def _answer(
    key: object, operator: object, values: list[object], labels: Mapping[str, str], *, known: bool
) -> bool | None:
    holds = _HOLDS.get(operator) if isinstance(operator, str) else None
    if holds is None or not isinstance(key, str) or not (known or key in labels):
        return None
    return holds(labels.get(key), values)
