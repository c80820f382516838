"""Which object is being read: kind, version, name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tenure.errors import InputError, Problem
from tenure.manifests.conversion import VERSIONS, to_v1beta2
from tenure.manifests.showing import LONGEST, Place, printable, show
from tenure.manifests.structure import dig

T = TypeVar("T")


def place_of(raw: object, kind: str, *, file: str = "", where: str = "") -> Place:
    """How problems name an object: kind, name space if it has one, name.

    >>> place_of({"metadata": {"namespace": "ml", "name": "train"}}, "Workload").object
    'Workload/ml/train'
    """
    metadata = dig(raw, "metadata")
    names = (metadata.get("namespace"), metadata.get("name")) if isinstance(metadata, dict) else ()
    texts = [part for part in names if isinstance(part, str)]
    return Place(object_name(kind, *texts), file, where)


def object_name(kind: str, *names: str) -> str:
    """What problems and warnings call an object.

    Args:
        kind: its kind.
        names: its name space, empty if it has none, and its name; untrusted.

    >>> object_name("Workload", "ml", "train"), object_name("Workload", "", "train")
    ('Workload/ml/train', 'Workload/train')
    """
    name = "/".join([part for part in (kind, *names) if part])
    if len(name) <= LONGEST and name.isprintable():
        return name
    return "/".join([printable(part) for part in (kind, *names) if part])


def read_one(
    raw: object, kind: str, where: str, reader: Callable[[object, Place, list[Problem]], T | None]
) -> T:
    """What a reader makes of one object.

    Args:
        raw: the object, untrusted.
        kind: what it should be.
        where: path to put before the path of every field in an error.
        reader: gets the object, how problems name it, and a list for them.

    Raises:
        InputError: everything that is wrong with it.
    """
    problems: list[Problem] = []
    return or_raise(reader(raw, place_of(raw, kind, where=where), problems), problems)


def as_v1beta2(raw: object, kind: str, place: Place, problems: list[Problem]) -> tuple[object, Place]:
    """The object in the version that is read, and how its fields are named; a wrong header is a problem.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        kind: the kind that it should be.
        place: the object, for the problems.
        problems: gets what is wrong with the header, and with the fields of an older version.
    """
    header = raw if isinstance(raw, dict) else {}
    for field, allowed in (("apiVersion", VERSIONS[kind]), ("kind", (kind,))):
        found = header.get(field)
        # Go leaves both empty when it writes an object whose type is known.
        if found not in (None, "", *allowed):
            problems.append(place.problem(field, show(found), " or ".join(allowed)))
    return to_v1beta2(raw, kind, place, problems)


def or_raise(result: T | None, problems: list[Problem]) -> T:
    """The result, or an InputError with everything that was found to be wrong."""
    if problems or result is None:
        raise InputError(problems)
    return result
