"""An untrusted object against its shape: every deviation as a problem with the path of its field."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any, Final, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ValidationError
from typing_extensions import is_typeddict

from tenure.errors import InputError, Problem
from tenure.manifests.limits import MAX_DEVIATIONS
from tenure.manifests.showing import Place, did_you_mean, printable, show

F = TypeVar("F")
M = TypeVar("M", bound=BaseModel)
_Location = tuple[int | str, ...]

_MAPS: Final = frozenset(
    (
        "requests",
        "limits",
        "overhead",
        "resourceUsage",
        "flavors",
        "namespaceSelector",
        "nodeSelector",
        "nodeLabels",
        "labels",
        "annotations",
        "data",
        "featureGates",
    )
)
"""Fields whose children are named by the user, so that Kubernetes writes them in brackets."""

_WORD = re.compile(r"'([^']+)'")

_EXPECTED: dict[str, Callable[[dict[str, Any]], str]] = {
    "missing": lambda _: "a value: the field is required",
    "int_type": lambda _: "an integer",
    "string_type": lambda _: "a string",
    "bool_type": lambda _: "true or false",
    "list_type": lambda _: "a list",
    "dict_type": lambda _: "a map",
    "model_type": lambda _: "a map",
    "literal_error": lambda context: f"one of {context['expected']}",
    "greater_than_equal": lambda context: f"at least {context['ge']}",
    "less_than": lambda context: f"at most {context['lt'] - 1}",
}


def check(
    model: type[M],
    raw: object,
    place: Place,
    problems: list[Problem],
    *,
    prefix: str = "",
    context: object = None,
) -> M | None:
    """The object as the model has it, or None when it deviates, with what is wrong added to `problems`.

    Args:
        model: the shape.
        raw: what was read.
        place: the object, for the problems.
        problems: gets every deviation, not only the first.
        prefix: path of `raw` inside the object, `status.admission`.
        context: context for the validators of the shape.

    >>> from tenure.manifests.workload_schema import ReclaimablePod
    >>> problems = []
    >>> check(ReclaimablePod, {"name": "main", "cuont": True}, Place("Workload/a/b"), problems)
    >>> print(*problems, sep="\\n")
    Workload/a/b: count: found nothing, expected a value: the field is required
    Workload/a/b: cuont: found True, expected no field of this name; did you mean count?
    """
    try:
        # As `model_validate`, whose other arguments cost a tenth more.
        return model.__pydantic_validator__.validate_python(raw, context=context)  # type: ignore[no-any-return]
    except ValidationError as error:
        details = error.errors(include_url=False)
        shown = details[:MAX_DEVIATIONS]
        problems.extend(_problem(model, dict(detail), place, prefix) for detail in shown)
        if len(details) > len(shown):
            problems.append(
                place.problem(prefix, f"{len(details)} deviations", f"none; the first {len(shown)} are shown")
            )
    return None


def fitting(shape: type[F], raw: object) -> F | None:
    """The map as a `TypedDict` has it; None when it deviates.

    >>> from tenure.manifests.workload_schema import WorkloadMetadata
    >>> fitting(WorkloadMetadata, {"name": "a", "generation": 2}), fitting(WorkloadMetadata, {"name": 2})
    ({'name': 'a'}, None)
    """
    try:
        return _validator(shape).validate_python(raw)  # type: ignore[no-any-return, arg-type]
    except ValidationError:
        return None


@cache
def _validator(shape: type[Any]) -> Any:
    # Of what many workloads share; a cluster of a few needs none.
    from pydantic import TypeAdapter

    return TypeAdapter(shape).validator


def without_unknown(raw: object, problems: Sequence[Problem]) -> object:
    """A copy of an object without the fields that its shape does not have; None if more is wrong with it.

    Args:
        raw: the object.
        problems: all that is wrong with it, as `check` found.

    >>> unknown = Problem("spec.new", "1", "no field of this name", unknown=("spec", "new"))
    >>> without_unknown({"spec": {"new": 1, "priority": 7}}, [unknown])
    {'spec': {'priority': 7}}
    """
    try:
        for problem in problems:
            raw = _without(raw, problem.unknown)
    except (LookupError, TypeError):
        # A path of a version that was converted leads nowhere in what the user wrote.
        return None
    return raw


def _without(raw: Any, location: Sequence[int | str]) -> Any:
    first, rest = location[0], location[1:]
    copied = copy(raw)
    if rest:
        copied[first] = _without(raw[first], rest)
    else:
        del copied[first]
    return copied


def field_path(location: _Location, prefix: str = "") -> str:
    """A path as Kubernetes writes it.

    >>> field_path(("podSetAssignments", 0, "resourceUsage", "nvidia.com/gpu"), "status.admission")
    'status.admission.podSetAssignments[0].resourceUsage[nvidia.com/gpu]'
    """
    path, parent = prefix, ""
    for part in location:
        if part == "[key]":
            continue
        if isinstance(part, int) or parent in _MAPS:
            path += f"[{printable(str(part))}]"
        else:
            path += f".{printable(part)}"
        parent = str(part)
    return path.removeprefix(".")


def _problem(model: type[BaseModel], detail: dict[str, Any], place: Place, prefix: str) -> Problem:
    location: _Location = detail["loc"]
    path = field_path(location, prefix)
    kind: str = detail["type"]
    context: dict[str, Any] = detail.get("ctx", {})
    cause = context.get("error")
    if isinstance(cause, InputError):
        problem = cause.problems[0]
        # A validator of a whole map names the field inside it that is wrong; others do not know their path.
        inner = problem.field if problem.field.startswith(".") else ""
        return place.problem(path + inner, problem.found, problem.expected, problem.code)
    if kind == "extra_forbidden":
        problem = place.problem(path, show(detail["input"]), _known_instead(model, location, place, prefix))
        return problem if prefix else replace(problem, unknown=location)
    found = "nothing" if kind == "missing" else show(detail["input"])
    describe = _EXPECTED.get(kind)
    expected = describe(context) if describe else str(detail["msg"])
    if kind == "literal_error":
        expected += did_you_mean(detail["input"], _WORD.findall(str(context["expected"])))
    return place.problem(path, found, expected)


def _known_instead(model: type[BaseModel], location: _Location, place: Place, prefix: str) -> str:
    above = field_path(location[:-1], prefix)
    ours = _aliases(_model_at(model, location[:-1]))
    known = sorted(place.own(f"{above}.{name}").rpartition(".")[2] for name in ours)
    hint = did_you_mean(location[-1], known) or f"; there are {', '.join(known)}"
    return f"no field of this name{hint}"


def _model_at(model: type[Any], location: _Location) -> type[Any]:
    for part in location:
        annotation = _aliases(model).get(str(part))
        # An index has no field of its own; the list's field has led to the model of its items already.
        model = _model_in(annotation) or model
    return model


def _aliases(model: type[Any]) -> dict[str, Any]:
    if is_typeddict(model):
        return get_type_hints(model)
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _model_in(annotation: Any) -> type[Any] | None:
    if isinstance(annotation, type) and (is_typeddict(annotation) or issubclass(annotation, BaseModel)):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
