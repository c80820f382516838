"""BEFORE and AFTER, as the commands that compare two sets of objects take them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tenure.cli.bundled import example_folder
from tenure.errors import InputError, Problem, bad_input
from tenure.resources import is_folder

if TYPE_CHECKING:
    from tenure.edits import ManifestEdit
    from tenure.manifests import SourcedObject

TwoSides: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[BEFORE] [AFTER]",
        help="A folder, a file, - for standard input, or a git revision and a path: main:queues/; or "
        "both in one word: main:queues/..HEAD:queues/. Without AFTER it is BEFORE with --set, --unset "
        "and --patch, which otherwise change AFTER.",
        show_default=False,
    ),
]
Beside: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="PATH",
        help="Objects of both sides, such as a dump of the cluster with its workloads; where a side has "
        "one of these itself, its own counts; repeatable.",
        show_default=False,
    ),
]


def named_sides(
    words: Sequence[str], example: str | None, beside: Sequence[str], edits: Sequence[ManifestEdit]
) -> list[tuple[str, str]]:
    """The sources on the command line, one or two, and what they are called.

    Args:
        words: as they are typed.
        example: a bundled example, instead of BEFORE.
        beside: paths of what both sides have.
        edits: changes of AFTER, or of BEFORE where it is alone.

    Raises:
        InputError: neither or too many are named, or nothing differs.
    """
    from tenure.manifests.files import STDIN_TWICE
    from tenure.manifests.given import given

    named = _named(words, example)
    if len(named) == 1 and not edits:
        expected = "AFTER, or a change of BEFORE: --set, --unset or --patch"
        raise InputError([Problem("AFTER", "nothing", expected)])
    is_gone = given().read is None
    if is_gone and [*(source for source, _ in named), *beside].count("-") > 1:
        raise bad_input("-", STDIN_TWICE, "it once: what is read is gone")
    return named


def _named(words: Sequence[str], example: str | None) -> list[tuple[str, str]]:
    from tenure.cli.revisions import parse_revision
    from tenure.manifests.given import given

    found = [(word, given().name if word == "-" and given().read else word) for word in words]
    if len(words) == 1 and ".." in words[0] and not Path(words[0]).exists():
        both = words[0].split("..")
        if len(both) == 2 and all(parse_revision(part) for part in both):
            found = [(part, part) for part in both]
    if example is not None:
        found.insert(0, (str(example_folder(example)), f"example {example}"))
    if not 1 <= len(found) <= 2:
        raise bad_input("BEFORE and AFTER", f"{len(found)} sources", "one or two: BEFORE, AFTER")
    return found


def changed_name(name: str, edits: Sequence[ManifestEdit]) -> str:
    """What AFTER is called: its source, with the changes of it."""
    return f"{name}{''.join(f' {edit.option}' for edit in edits)}"


def own_objects(source: str) -> tuple[list[str], Sequence[SourcedObject]]:
    """What is to be read of a source: the paths, and the objects of a git revision, one of both."""
    from tenure.cli.revisions import objects_at, parse_revision

    revision = parse_revision(source)
    return ([source], ()) if revision is None else ([], objects_at(revision))


def objects_of(source: str, common: Sequence[SourcedObject]) -> list[SourcedObject]:
    """All objects of a side.

    Args:
        source: where its own are.
        common: those of both sides.
    """
    from tenure.manifests import read_objects

    paths, own = own_objects(source)
    return list(together(chain(own, read_objects(paths) if paths else ()), common))


@contextmanager
def folder_of(source: str) -> Iterator[Path]:
    """The folder of a side: itself, or the files of a revision, which are removed at the end.

    Raises:
        InputError: it is neither.

    >>> with folder_of("queues.yaml"):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
    tenure.errors.InputError: --render: found 'queues.yaml', expected folders or revisions, ...
    """
    from tenure.cli.revisions import files_of_revision, parse_revision

    revision = parse_revision(source)
    if revision is not None:
        with files_of_revision(revision) as folder:
            yield folder
    elif source != "-" and is_folder(source):
        yield Path(source)
    else:
        expected = "folders or revisions, main: and HEAD:, in each of which the command runs"
        raise bad_input("--render", source, expected)


def together(own: Iterable[SourcedObject], common: Sequence[SourcedObject]) -> Iterator[SourcedObject]:
    """A side's own objects, and those of both that it does not have itself."""
    known = set()
    for sourced in own:
        if common:
            known.add(_name(sourced))
        yield sourced
    yield from (sourced for sourced in common if _name(sourced) not in known)


def _name(sourced: SourcedObject) -> tuple[str, ...]:
    from tenure.manifests.structure import dig

    raw = sourced.object
    fields = (dig(raw, "kind"), dig(raw, "metadata", "namespace"), dig(raw, "metadata", "name"))
    return tuple(map(str, fields))
