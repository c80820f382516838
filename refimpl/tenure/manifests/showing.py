"""Values of a manifest in messages: short, safe to print, with a suggestion."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from tenure.errors import ErrorCode, InputError, Problem, close_name
from tenure.units import format_names

LONGEST = 80
"""Characters of a value that an error shows."""


class NumberText(str):
    """A number of a manifest kept as the text it was written as, so that no digit is lost.

    It is a `str`; only its `repr` differs, which has no quotes because the manifest has none.

    >>> NumberText("0.10")
    0.10
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return printable(self)


class ObjectWarning(str):
    """A warning about one object; what it is about is kept beside its text: see `about_object`."""

    object = ""
    queue_name = ""
    many = ""
    named = ""


def about_object(
    text: str, name: str, queue_name: str = "", many: str = "", named: str = ""
) -> ObjectWarning:
    """A warning about one object.

    Args:
        text: the warning.
        name: the object, as `Place.object` has it.
        queue_name: of a Workload, its LocalQueue, as far as that is known here.
        many: what several objects of its kind do, for a warning about all of them; the same text without
            the object by default.
        named: what of it the warning about several lists; the object's name by default.

    >>> warning = about_object("ClusterQueue/a: no ResourceFlavor was given", "ClusterQueue/a")
    >>> str(warning), warning.object, warning.many
    ('ClusterQueue/a: no ResourceFlavor was given', 'ClusterQueue/a', ': no ResourceFlavor was given')
    """
    made = ObjectWarning(text)
    made.object, made.queue_name = name, queue_name
    made.many = many or f": {text.rpartition(f'{name}: ')[2]}"
    made.named = named or name.partition("/")[2]
    return made


_MOST_NAMED = 4
"""Objects that a warning about several of them names."""


def grouped_warnings(warnings: Iterable[str]) -> list[str]:
    """Warnings, each once and in order; those of one kind about several objects as one.

    Args:
        warnings: any; of `ObjectWarning`s it is known what they are about.

    >>> alike = [about_object(f"f.yaml: Workload/a/{name}: no stamp", f"Workload/a/{name}") for name in "bc"]
    >>> grouped_warnings([*alike, "other"])
    ['2 Workloads: no stamp: a/b, a/c', 'other']
    """
    groups: dict[tuple[str, str], list[ObjectWarning]] = {}
    for text in dict.fromkeys(warnings):
        found = text if isinstance(text, ObjectWarning) and text.object else ObjectWarning(text)
        groups.setdefault((found.object.partition("/")[0], found.many or text), []).append(found)
    return [_of_several(kind, many, alike) for (kind, many), alike in groups.items()]


def _of_several(kind: str, many: str, alike: Sequence[ObjectWarning]) -> str:
    if len(alike) == 1:
        return str(alike[0])
    between = "" if many.startswith(":") else " "
    names = sorted({warning.named for warning in alike})
    return f"{len(alike)} {kind}s{between}{many}: {format_names(names, _MOST_NAMED)}"


class _Short(reprlib.Repr):
    """`reprlib` bounds the work as well as the text: a hostile value may be very large or very deep."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxdict = self.maxlist = self.maxtuple = 4
        self.maxstring = self.maxother = self.maxlong = LONGEST

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to print very long integers, and raises a ValueError.
        if x.bit_length() > 400:
            return f"an integer of {x.bit_length()} bits"
        return super().repr_int(x, level)


_SHORT = _Short()


def show(value: object) -> str:
    """A value as Python writes it, at most about 80 characters long.

    Args:
        value: anything, however large.

    >>> show("high")
    "'high'"
    >>> len(show(["x" * 500] * 500)) <= 80
    True
    """
    return shorten(_SHORT.repr(value))


_SORTS: Final = (
    (type(None), "nothing"),
    (bool, "a boolean"),
    ((int, float, NumberText), "a number"),
    (str, "text"),
    (list, "a list"),
    (object, "a map"),
)


def sort_of(value: object) -> str:
    """What a value is, where its content may be private: in a file that is not a manifest.

    >>> sort_of("password"), sort_of({})
    ('text', 'a map')
    """
    return next(name for kind, name in _SORTS if isinstance(value, kind))


def shorten(text: str) -> str:
    """The text itself, or its beginning and its end when it is longer than 80 characters."""
    if len(text) <= LONGEST:
        return text
    half = (LONGEST - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


def printable(text: str) -> str:
    r"""A name as it may be put into a message: shortened, control characters and lone surrogates escaped.

    >>> printable("team-a"), printable("a\nb")
    ('team-a', 'a\\nb')
    """
    short = text if len(text) <= LONGEST else shorten(text)
    return short if short.isprintable() else ascii(short)[1:-1]


def comma_separated(names: Iterable[str]) -> str:
    """Names as a message lists them, the list shortened as a whole.

    >>> comma_separated(["cpu", "memory"]), comma_separated([])
    ('cpu, memory', 'none')
    """
    return printable(", ".join(names)) or "none"


def in_short(problems: Sequence[Problem], beside: str = "") -> str:
    """The first of some problems beside the name of what has them, and how many more there are.

    Args:
        problems: at least one.
        beside: the object that is named; another one's name is kept. Empty to leave out any name.

    >>> in_short([Problem("spec.priority", "'high'", "an integer", "Workload/a/b")] * 2)
    "spec.priority: found 'high', expected an integer (and 1 more)"
    """
    first = problems[0]
    named = first.object if beside and first.object != beside else ""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{replace(first, file='', object=named)}{more}"


MOST_NAMES: Final = 20
"""How many names an error lists."""


def some_of(names: Iterable[str], what: str) -> str:
    """How many there are, and who: at most `MOST_NAMES` of them, since no reader wants a thousand.

    >>> some_of(["b", "a"], "queues")
    '2 queues: a, b'
    >>> some_of([], "queues")
    '0 queues: none is given'
    """
    ordered = sorted(map(printable, names))
    return f"{len(ordered)} {what}: {format_names(ordered, MOST_NAMES) or 'none is given'}"


class Place(NamedTuple):
    """The object that is being read, as its problems name it.

    Args:
        named: `ClusterQueue/team-a` or `Workload/ns/name`, or a function that finds it
            once a problem is reported.
        file: the file as the user named it.
        where: path in front of every field, such as `admitted[3]`.
        names: paths of fields in v1beta2, each with its path in the version that the user wrote.
    """

    named: str | Callable[[], str] = ""
    file: str = ""
    where: str = ""
    names: tuple[tuple[str, str], ...] = ()

    @property
    def object(self) -> str:
        """The object's name."""
        return self.named if isinstance(self.named, str) else self.named()

    def own(self, path: str) -> str:
        """A field's path as the user's version of the API has it.

        >>> Place(names=(("spec.cohortName", "spec.cohort"),)).own("spec.cohortName")
        'spec.cohort'
        """
        return dict(self.names).get(path, path)

    def error(self, field: str, found: str, expected: str) -> InputError:
        """A problem of this object as an error by itself.

        >>> print(Place("LocalQueue/a/b").error("spec", "1", "a map"))
        LocalQueue/a/b: spec: found 1, expected a map
        """
        return InputError([self.problem(field, found, expected)])

    def problem(
        self, field: str, found: str, expected: str, code: ErrorCode = ErrorCode.BAD_INPUT
    ) -> Problem:
        """A problem of this object; `found` is shown as given.

        >>> print(Place("LocalQueue/a/b", where="queues[0]").problem("spec", "1", "a map"))
        LocalQueue/a/b: queues[0].spec: found 1, expected a map
        """
        field = self.own(field)
        path = f"{self.where}.{field}" if self.where and field else self.where or field
        return Problem(
            field=path, found=found, expected=expected, object=self.object, file=self.file, code=code
        )


def refused(field: str, found: object, expected: str) -> InputError:
    """A single problem; however large the value is, its beginning and its end are shown.

    >>> len(str(refused("now", "x" * 10**6, "a time")))
    108
    """
    return InputError([Problem(field=field, found=show(found), expected=expected)])


ONE_NAME: Final = 5000
"""So many names are compared where a user has written one name."""


def did_you_mean(name: object, known: Collection[str], most: int | None = None) -> str:
    """The end of a sentence that expects a name: the one that looks like it, or nothing.

    Args:
        name: what was written.
        known: the names that there are.
        most: of more of them none is compared; None for as many as for each name of an input.

    >>> did_you_mean("team-b1", ["team-b", "team-a"]), did_you_mean("x", ["team-a"])
    ('; did you mean team-b?', '')
    """
    near = close_name(name, known) if most is None else close_name(name, known, most)
    return f"; did you mean {printable(near)}?" if near else ""
