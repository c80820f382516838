"""Changes of single fields of objects that have been read: `--set`, `--unset` and `--patch`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Final, TypeAlias

from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import Place, SourcedObject, did_you_mean, object_name, place_of, read_objects, show
from tenure.manifests.conversion import VERSIONS, to_v1beta2
from tenure.manifests.naming import workloads_called
from tenure.manifests.other_inputs import KAI_VERSIONS
from tenure.manifests.releases import Addition, additions_in
from tenure.manifests.selectable import KIND as PREEMPTION_CONFIG
from tenure.manifests.served import (
    Anything,
    Duration,
    Fields,
    Instant,
    Items,
    Named,
    Quantity,
    Shape,
    Text,
    Word,
)
from tenure.manifests.showing import ONE_NAME, NumberText, comma_separated, some_of, sort_of
from tenure.manifests.structure import dig
from tenure.manifests.yaml_text import parse_yaml
from tenure.validation import shapes
from tenure.validation.check import kind_of

KAI_KINDS: Final = ("Queue", "PodGroup", "Pod", "SchedulingShard")
"""Of KAI-Scheduler, and of those that it looks at."""
_OF_ANY = Fields({name: Anything() for name in ("metadata", "spec", "status")})
KINDS: Final[Mapping[str, str]] = {
    **{name: kind for kind in VERSIONS for name in (kind.lower(), f"{kind.lower()}s")},
    "workloadpriorityclasses": "WorkloadPriorityClass",
    "preemptionconfig": PREEMPTION_CONFIG,
    "preemptionconfigs": PREEMPTION_CONFIG,
    "preempcfg": PREEMPTION_CONFIG,
    "cq": "ClusterQueue",
    "lq": "LocalQueue",
    "rf": "ResourceFlavor",
    "wl": "Workload",
    "flavor": "ResourceFlavor",
    "flavors": "ResourceFlavor",
    **{name: kind for kind in KAI_KINDS for name in (kind.lower(), f"{kind.lower()}s")},
}
"""How a kind may be written: in small letters, as kubectl takes it."""
NAMESPACED: Final = ("LocalQueue", "Workload", "PodGroup", "Pod")
FORM: Final = "KIND/NAME.PATH=VALUE, such as clusterqueue/a.spec.preemption.withinClusterQueue=LowerPriority"
_STEP: Final = re.compile(r"\.?(?P<name>[^.\[\]]+)|\[(?P<inside>[^\[\]]*)\]")

Step: TypeAlias = str | int | tuple[str, str]
"""A key of a map, an index of a list, or which item: the value of one of its fields."""


@dataclass(frozen=True, slots=True)
class ManifestEdit:
    """One change of one object.

    Args:
        option: the option with its value, for errors.
        kind: of the object.
        names: its namespace where it has one, and its name.
        change: makes another object of one of `v1beta2`.
        addition: the field among those that are set which no release of Kueue has; None without one.

    The problems of `change` are raised; their object is filled in here.
    """

    option: str
    kind: str
    names: tuple[str, ...]
    change: Callable[[dict[str, Any]], dict[str, Any]]
    addition: Addition | None = None


def edits_of(
    assigned: Sequence[str] = (), unset: Sequence[str] = (), patches: Sequence[str] = ()
) -> tuple[ManifestEdit, ...]:
    """The changes that a command line requests, in the order: patches, what is unset, what is set.

    Args:
        assigned: `KIND/NAME.PATH=VALUE`; a value is YAML.
        unset: `KIND/NAME.PATH`.
        patches: files of partial objects, merged as `kubectl patch --type merge` does: maps are merged, null
            deletes a field, any other value takes the place of the former one.

    Raises:
        InputError: everything in them that has not this form, or that no object can have.

    >>> edit, = edits_of(["clusterqueue/nlp.spec.preemption.withinClusterQueue=Never"])
    >>> edit.change({})
    {'spec': {'preemption': {'withinClusterQueue': 'Never'}}}
    """
    problems: list[Problem] = []
    made: list[ManifestEdit] = []
    for option, words, make in (("--unset", unset, _unset), ("--set", assigned, _assigned)):
        for text in words:
            try:
                made.append(make(f"{option} {text}", text))
            except InputError as error:
                problems.extend(error.problems)
    patched = [_patch(sourced) for sourced in read_objects(patches)] if patches else []
    if problems:
        raise InputError(problems)
    return (*patched, *made)


def edited(objects: Iterable[SourcedObject], edits: Sequence[ManifestEdit]) -> Iterator[SourcedObject]:
    """The objects after some changes.

    Args:
        objects: as they were read.
        edits: each of one of the objects.

    Raises:
        InputError: once all objects are drawn: what could not be changed, and objects that there are not.

    >>> queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort", "metadata": {"name": "all"}}
    >>> changed, = edited([SourcedObject("", queue)], edits_of(["cohort/all.spec.parentName=root"]))
    >>> changed.object["spec"]
    {'parentName': 'root'}
    """
    problems: list[Problem] = []
    if any(edit.kind == "Workload" for edit in edits):
        objects = list(objects)
        edits = list(_of_known_workloads(objects, edits, problems))
    wanted: dict[tuple[str, ...], list[ManifestEdit]] = {}
    for edit in edits:
        wanted.setdefault((edit.kind, *edit.names), []).append(edit)
    kinds = {edit.kind for edit in edits}
    names: dict[str, list[str]] = {kind: [] for kind in kinds}
    for sourced in objects:
        raw = sourced.object
        kind = raw.get("kind") if isinstance(raw, dict) else None
        if not isinstance(kind, str) or kind not in kinds or not _is_of(raw, kind):
            yield sourced
            continue
        named = _names_of(raw, kind)
        names[kind].append("/".join(named))
        yield _changed(sourced, kind, wanted.pop((kind, *named), ()), problems)
    for edit in (edit for edits_of_one in wanted.values() for edit in edits_of_one):
        known = names[edit.kind]
        name = "/".join(edit.names)
        hint = did_you_mean(name, known, ONE_NAME)
        expected = f"one of {len(known)} {edit.kind}s: {comma_separated(sorted(known))}{hint}"
        problems.append(Problem(edit.option, f"no {object_name(edit.kind, *edit.names)}", expected))
    if problems:
        raise InputError(problems)


def _of_known_workloads(
    objects: Iterable[SourcedObject], edits: Iterable[ManifestEdit], problems: list[Problem]
) -> Iterator[ManifestEdit]:
    """The changes, with a Workload's full name where one is called by its Job's."""
    raws = [sourced.object for sourced in objects if kind_of(sourced.object) == "Workload"]
    owners = {"/".join(_names_of(raw, "Workload")): dig(raw, "metadata", "ownerReferences") for raw in raws}
    for edit in edits:
        found = workloads_called(owners, owners, "/".join(edit.names)) if edit.kind == "Workload" else []
        if len(found) > 1:
            expected = f"the full name of one of {some_of(found, 'that are called so')}"
            problems.append(Problem(edit.option, "/".join(edit.names), expected))
            continue
        yield replace(edit, names=tuple(found[0].split("/"))) if found else edit


def refuse_additions(edits: Sequence[ManifestEdit], release: str | None) -> None:
    """Refuse changes that set what a release of Kueue does not have.

    Args:
        edits: the changes.
        release: None has everything.

    Raises:
        InputError: there is such a change; all of them.

    >>> refuse_additions(edits_of(["clusterqueue/a.spec.preemption.rules=UberClusterQueueRules"]), "0.19")
    Traceback (most recent call last):
    tenure.errors.InputError: --set clusterqueue/a.spec.preemption.rules=UberClusterQueueRules: found \
spec.preemption.rules, expected a field of Kueue 0.19: no release has this one, which KEP-8826 proposes
    """
    problems = [
        Problem(
            edit.option,
            edit.addition.field,
            f"a field of Kueue {release}: no release has this one, which {edit.addition.proposal} proposes",
        )
        for edit in edits
        if release is not None and edit.addition is not None
    ]
    if problems:
        raise InputError(problems)


def _is_of(raw: object, kind: str) -> bool:
    """Whether an object of a kind is the scheduler's, and not another one's of that name."""
    if kind in KAI_KINDS:
        return dig(raw, "apiVersion") in KAI_VERSIONS[kind]
    return kind_of(raw) == kind


def _as_shown(raw: object, kind: str, place: Place, problems: list[Problem]) -> object:
    """The object in the version whose paths are meant."""
    return to_v1beta2(raw, kind, place, problems)[0] if kind in VERSIONS else raw


def _names_of(raw: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    name, namespace = str(dig(raw, "metadata", "name")), dig(raw, "metadata", "namespace")
    return (str(namespace or "default"), name) if kind in NAMESPACED else (name,)


def _changed(
    sourced: SourcedObject, kind: str, edits: Iterable[ManifestEdit], problems: list[Problem]
) -> SourcedObject:
    place = place_of(sourced.object, kind, file=sourced.file)
    for edit in edits:
        converted = _as_shown(sourced.object, kind, place, problems)
        try:
            sourced = replace(sourced, object=edit.change(dict(converted)))  # type: ignore[call-overload]
        except InputError as error:
            for problem in error.problems:
                field = f"{edit.option}: {problem.field}"
                problems.append(replace(problem, object=place.object, field=field, file=sourced.file))
    return sourced


def _assigned(option: str, text: str) -> ManifestEdit:
    where, separator, written = text.partition("=") if "[" not in text else _around_selectors(text)
    if not separator:
        raise bad_input("--set", text, FORM)
    kind, names, steps = _target(option, where)
    shape = _shape_at(_shape_of(kind), steps, option, object_name(kind, *names))
    value = _read_value(written, shape, option)
    keys = list(takewhile(lambda step: isinstance(step, str), steps))
    tree: Any = value
    for key in reversed(keys):
        tree = {key: tree}
    addition = next(additions_in(tree, kind), None)
    return ManifestEdit(option, kind, names, lambda raw: _put(raw, steps, value, ""), addition)


def _around_selectors(text: str) -> tuple[str, str, str]:
    """As `text.partition("=")`, past the equals signs in brackets."""
    found = re.match(r"((?:[^=\[]|\[[^\]]*\])*)(=?)(.*)", text, re.DOTALL)
    return (found[1], found[2], found[3]) if found is not None else (text, "", "")


def _unset(option: str, text: str) -> ManifestEdit:
    kind, names, steps = _target(option, text)
    _shape_at(_shape_of(kind), steps, option, object_name(kind, *names))
    return ManifestEdit(option, kind, names, lambda raw: _removed(raw, steps, ""))


def _patch(sourced: SourcedObject) -> ManifestEdit:
    raw = sourced.object
    option = f"--patch {sourced.file}"
    kind = dig(raw, "kind")
    if (
        kind not in KINDS.values()
        or not _is_of(raw, kind)
        or not isinstance(dig(raw, "metadata", "name"), str)
    ):
        found = comma_separated(f"{name}: {show(raw.get(name))}" for name in ("apiVersion", "kind"))
        expected = (
            f"one of {comma_separated(dict.fromkeys(KINDS.values()))} with apiVersion, kind and metadata.name"
        )
        raise InputError([Problem(option, found, expected)])
    wanted = _as_shown(raw, kind, place_of(raw, kind, file=sourced.file), [])
    addition = next(additions_in(wanted, kind), None)
    return ManifestEdit(option, kind, _names_of(raw, kind), lambda before: _merged(before, wanted), addition)


def _target(option: str, where: str) -> tuple[str, tuple[str, ...], tuple[Step, ...]]:
    """The kind, the names and the path of `KIND/NAME.PATH`."""
    word, _, rest = where.partition("/")
    kind = KINDS.get(word.lower())
    if kind is None:
        kinds = comma_separated(kind.lower() for kind in dict.fromkeys(KINDS.values()))
        expected = f"one of {kinds}{did_you_mean(word.lower(), KINDS)}"
        raise InputError([Problem(option, f"the kind {show(word)}", expected)])
    # A name may have dots; the fields of an object are known.
    tops = "|".join(map(re.escape, _shape_of(kind).fields))
    found = re.fullmatch(rf"(?P<name>.+?)\.(?P<path>(?:{tops})(?:[.\[].*)?)", rest, re.DOTALL)
    if found is None:
        raise InputError(
            [Problem(option, show(where), f"{FORM}; PATH begins with {_or(_shape_of(kind).fields)}")]
        )
    names = tuple(found["name"].split("/"))
    # A Workload may be called by its Job's name, with or without a namespace.
    right = (1, 2, 3) if kind == "Workload" else (1 + (kind in NAMESPACED),)
    if len(names) not in right:
        expected = "namespace/name" if kind in NAMESPACED else "a name without namespace"
        raise InputError([Problem(option, show(found["name"]), f"{expected}, the name of a {kind}")])
    return kind, names, _steps(option, found["path"])


def _shape_of(kind: str) -> Fields:
    """The shape of a kind that may be changed; of KAI-Scheduler's, that of some is known."""
    return shapes.shape(kind) if kind in shapes.KINDS else _OF_ANY


def _or(names: Iterable[str]) -> str:
    return " or ".join(name for name in names if name not in ("apiVersion", "kind"))


def _steps(option: str, path: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    at = 0
    for found in _STEP.finditer(path):
        if found.start() != at:
            break
        at = found.end()
        inside = found["inside"]
        if inside is None:
            steps.append(found["name"])
        elif inside.isdecimal():
            steps.append(int(inside))
        elif "=" in inside:
            key, _, value = inside.partition("=")
            steps.append((key, value))
        else:
            steps.append(inside)
    if at != len(path):
        raise InputError([Problem(option, f"{show(path[at:])} in the path", "field.field[0].field[name=a]")])
    return tuple(steps)


def _shape_at(shape: Shape, steps: Sequence[Step], option: str, name: str) -> Shape:
    """The schema at a path.

    Raises:
        InputError: no object of the kind can have it.
    """
    path = ""
    for step in steps:
        if isinstance(shape, Anything):
            return shape
        found = _below(shape, step)
        if found is None:
            raise InputError([Problem(f"{option}: {path}", show(_spelt(step)), _expected(shape, step), name)])
        path, shape = _joined(path, step), found
    return shape


def _below(shape: Shape, step: Step) -> Shape | None:
    match shape, step:
        case Fields(), str():
            return shape.fields.get(step, Anything() if shape.open else None)
        case Named(), str():
            return shape.value
        case Items(), int() | tuple():
            return shape.item
    return None


def _expected(shape: Shape, step: Step) -> str:
    match shape:
        case Fields():
            hint = did_you_mean(step, shape.fields)
            return f"one of the fields {comma_separated(sorted(shape.fields))}{hint}"
        case Items():
            return "an item of the list: [0], or [name=nvidia.com/gpu] where items have names"
        case Named():
            return "a key of the map"
    return "nothing below: this field has no fields of its own"


def _spelt(step: Step) -> str:
    return f"[{step[0]}={step[1]}]" if isinstance(step, tuple) else str(step)


def _joined(path: str, step: Step) -> str:
    if isinstance(step, str):
        return f"{path}.{step}" if path else step
    return f"{path}[{step}]" if isinstance(step, int) else f"{path}{_spelt(step)}"


def _read_value(written: str, shape: Shape, option: str) -> Any:
    """A value as the YAML of a manifest has it; where text is expected, `4`, `no` and `0.5` are text."""
    documents, problems = parse_yaml(f"value: {written}\n", option)
    value = documents[0].content if not problems and len(documents) == 1 else None
    if problems or not isinstance(value, dict) or set(value) != {"value"}:
        raise InputError([Problem(option, show(written), "a value as YAML writes it in one line")])
    read = value["value"]
    if isinstance(shape, Text | Word | Duration | Instant) and (
        not isinstance(read, str | list | dict) or isinstance(read, NumberText)
    ):
        return written.strip()
    # Of numbers the schema takes whole ones only.
    return written.strip() if isinstance(shape, Quantity) and isinstance(read, NumberText) else read


def _put(raw: Any, steps: Sequence[Step], value: Any, path: str) -> Any:
    """What is there, with a value at the end of a path; maps on the way are made."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    inner = _joined(path, step)
    if isinstance(step, str):
        before = _map(raw, path)
        return {**before, step: _put(before.get(step), rest, value, inner)}
    items = _list(raw, path)
    index = _index(items, step, path, may_append=True)
    added = [_put(None, rest, value, inner)] if index == len(items) else []
    if added and isinstance(step, tuple):
        added = [{step[0]: step[1], **_map(added[0], inner)}]
    changed = [_put(item, rest, value, inner) if i == index else item for i, item in enumerate(items)]
    return [*changed, *added]


def _removed(raw: Any, steps: Sequence[Step], path: str) -> Any:
    """A value without the one at the end of a path."""
    step, rest = steps[0], steps[1:]
    inner = _joined(path, step)
    if isinstance(step, str):
        before = _map(raw, path)
        if before.get(step) is None:
            raise InputError([Problem(inner, "nothing", "a field that is set, to be unset")])
        if rest:
            return {**before, step: _removed(before[step], rest, inner)}
        return {key: value for key, value in before.items() if key != step}
    items = _list(raw, path)
    index = _index(items, step, path, may_append=False)
    kept = [_removed(items[index], rest, inner)] if rest else []
    return [*items[:index], *kept, *items[index + 1 :]]


def _map(raw: Any, path: str) -> dict[str, Any]:
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise InputError([Problem(path, sort_of(raw), "a map")])
    return raw


def _list(raw: Any, path: str) -> list[Any]:
    if raw is None:
        return []
    if not isinstance(raw, list):
        raise InputError([Problem(path, sort_of(raw), "a list")])
    return raw


def _index(items: list[Any], step: Step, path: str, *, may_append: bool) -> int:
    """Which item is meant; the one behind the last only where it may be made."""
    if isinstance(step, int):
        if step < len(items) + may_append:
            return step
        raise InputError([Problem(f"{path}[{step}]", f"{len(items)} items", "an index of one of them")])
    assert isinstance(step, tuple)
    key, wanted = step
    found = [i for i, item in enumerate(items) if isinstance(item, dict) and str(item.get(key)) == wanted]
    if len(found) == 1:
        return found[0]
    names = [str(item.get(key)) for item in items if isinstance(item, dict)]
    expected = f"one item whose {key} is one of {comma_separated(names)}{did_you_mean(wanted, names)}"
    raise InputError([Problem(f"{path}{_spelt(step)}", f"{len(found)} items", expected)])


def _merged(before: Any, patch: Any) -> Any:
    """A JSON merge patch.

    Source: RFC 7396, section 2.
    """
    if not isinstance(patch, dict):
        return patch
    result = dict(before) if isinstance(before, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key), value)
    return result
