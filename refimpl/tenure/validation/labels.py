"""Names and labels as Kubernetes allows them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tenure.manifests.served import SUBDOMAIN
from tenure.manifests.structure import entries, items
from tenure.validation.faults import ErrorType, Fault, Subject, forbidden, invalid, required

_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_LONGEST_PART = 63
_LONGEST_PREFIX = 253
_LARGEST_ANNOTATIONS = 256 * 1024
_WANT_VALUES = ("In", "NotIn")
_WANT_NONE = ("Exists", "DoesNotExist")


def key_faults(name: object, path: str) -> Iterator[Fault]:
    """What is wrong with the key of a label, or the name of a resource.

    Source: Kubernetes API machinery, content.IsLabelKey.

    >>> [fault.message for fault in key_faults("@cpu", "p")]
    ["found '@cpu', expected letters, digits, '-', '_' and '.', a letter or digit at both ends"]
    >>> list(key_faults("nvidia.com/gpu", "p"))
    []
    """
    if not isinstance(name, str):
        return
    parts = name.split("/")
    if len(parts) > 2:
        yield invalid(path, name, "a name with at most one '/'")
        return
    if len(parts) == 2:
        if len(parts[0]) > _LONGEST_PREFIX:
            yield invalid(path, name, f"at most {_LONGEST_PREFIX} characters before the '/'")
        if re.fullmatch(SUBDOMAIN, parts[0]) is None:
            yield invalid(path, name, "a domain in lower case before the '/'")
    yield from _part_faults(parts[-1], name, path)


def value_faults(value: object, path: str) -> Iterator[Fault]:
    """What is wrong with the value of a label; an empty one is right.

    Source: Kubernetes API machinery, content.IsLabelValue.
    """
    if isinstance(value, str) and value:
        yield from _part_faults(value, value, path)


def label_faults(labels: object, path: str) -> Iterator[Fault]:
    """What is wrong with a map of labels; Kubernetes reports all of it with the path of the map."""
    if isinstance(labels, dict):
        for key, value in labels.items():
            yield from key_faults(key, path)
            yield from value_faults(value, path)


def annotation_faults(annotations: object, path: str) -> Iterator[Fault]:
    """What is wrong with a map of annotations: its keys, in whichever case, and its size.

    Source: Kubernetes API machinery, validation.ValidateAnnotations.

    >>> [fault.field for fault in annotation_faults({"Example.com/x": "", "-a": ""}, "metadata.annotations")]
    ['metadata.annotations']
    """
    if not isinstance(annotations, dict):
        return
    for key in annotations:
        if isinstance(key, str):
            yield from key_faults(key.lower(), path)
    texts = [part for entry in annotations.items() for part in entry if isinstance(part, str)]
    size = sum(len(part.encode("utf-8", "surrogatepass")) for part in texts)
    if size > _LARGEST_ANNOTATIONS:
        found = f"found {size} bytes, expected at most {_LARGEST_ANNOTATIONS}"
        yield Fault(ErrorType.TOO_LONG, path, found)


def metadata_labels(subject: Subject) -> Iterator[Fault]:
    """Source: Kubernetes API machinery, validation.ValidateObjectMeta."""
    yield from label_faults(subject.get("metadata", "labels"), "metadata.labels")
    yield from annotation_faults(subject.get("metadata", "annotations"), "metadata.annotations")


def selector_faults(selector: object, path: str) -> Iterator[Fault]:
    """What is wrong with a label selector.

    Source: Kubernetes API machinery, validation.ValidateLabelSelector.

    >>> selector = {"matchExpressions": [{"key": "team", "operator": "In"}]}
    >>> [fault.field for fault in selector_faults(selector, "spec.namespaceSelector")]
    ['spec.namespaceSelector.matchExpressions[0].values']
    """
    if not isinstance(selector, dict):
        return
    yield from label_faults(selector.get("matchLabels"), f"{path}.matchLabels")
    for i, expression in entries(selector.get("matchExpressions")):
        yield from _expression_faults(expression, f"{path}.matchExpressions[{i}]")


def _expression_faults(expression: dict[str, object], path: str) -> Iterator[Fault]:
    operator, values = expression.get("operator"), items(expression.get("values"))
    if operator in _WANT_VALUES and not values:
        yield required(f"{path}.values", f"values, because operator is {operator}")
    elif operator in _WANT_NONE and values:
        yield forbidden(f"{path}.values", values, f"none, because operator is {operator}")
    elif isinstance(operator, str) and operator not in (*_WANT_VALUES, *_WANT_NONE):
        yield invalid(f"{path}.operator", operator, f"one of {', '.join((*_WANT_VALUES, *_WANT_NONE))}")
    yield from key_faults(expression.get("key"), f"{path}.key")
    for i, value in enumerate(values):
        yield from value_faults(value, f"{path}.values[{i}]")


def _part_faults(part: str, name: str, path: str) -> Iterator[Fault]:
    if not part:
        yield invalid(path, name, "a name that is not empty")
        return
    if len(part) > _LONGEST_PART:
        yield invalid(path, name, f"at most {_LONGEST_PART} characters")
    if _QUALIFIED.fullmatch(part) is None:
        yield invalid(path, name, "letters, digits, '-', '_' and '.', a letter or digit at both ends")
