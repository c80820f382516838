"""What a command decides about: manifests or a bundled example, and the warnings about them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tenure.cli.bundled import example_folder
from tenure.cli.terminal import complain, hint, is_terminal, progress
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests.files import SourcedObject, noted
from tenure.manifests.given import given
from tenure.manifests.load import Loaded, load, without_collector
from tenure.manifests.other_inputs import OF_KAI, ask_instead
from tenure.manifests.releases import TargetKueue
from tenure.manifests.showing import grouped_warnings

if TYPE_CHECKING:
    from tenure.edits import ManifestEdit


def load_input(
    paths: Sequence[str],
    example: str | None,
    *,
    strict: bool = False,
    edits: Sequence[ManifestEdit] = (),
    kueue: TargetKueue | None = None,
    keeps: bool = False,
) -> Loaded:
    """The cluster that a command line names.

    Args:
        paths: files, folders, `-`.
        example: a bundled example, instead of all of these.
        strict: whether what would be set aside or passed over is refused.
        edits: changes of the objects.
        kueue: the target Kueue; None for one with all that the proposals add.
        keeps: whether `.objects` has them as they were read and changed, where they are needed again.

    Raises:
        InputError: both or neither is given; everything that is wrong in the manifests.
    """

    target = kueue or TargetKueue()
    kept: list[SourcedObject] = []

    def watched(objects: Iterable[SourcedObject]) -> Iterator[SourcedObject]:
        read = progress(changed(objects, edits, target), what="reading objects")
        return noted(read, kept) if keeps else read

    sources = sources_of(paths, example)
    is_typed = given().read is None and is_terminal(sys.stdin) and is_terminal(sys.stderr)
    if "-" in sources and is_typed:
        hint("reading manifests from this terminal; Ctrl-D ends them")
    with without_collector(stays=True):
        found = target.stamped(load(sources, strict=strict, watched=watched))
    loaded = replace(found, home=given().home, objects=tuple(kept))
    refuse_other_scheduler(loaded)
    return loaded


def refuse_other_scheduler(loaded: Loaded) -> None:
    """Refuse what holds nothing of Kueue, and objects of KAI-Scheduler instead.

    >>> from tenure.model import Cluster
    >>> of_kai = f"Queue/a: {OF_KAI}"
    >>> refuse_other_scheduler(Loaded(Cluster({}), ignored=(of_kai,)))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tenure.errors.InputError: Queue/a: found an object of KAI-Scheduler, ... `tenure kai filter` answers ...
    """
    cluster = loaded.cluster
    if any((cluster.cluster_queues, cluster.admitted, cluster.pending, loaded.set_aside, loaded.out_of_play)):
        return
    for text in loaded.ignored:
        if text.endswith(OF_KAI):
            expected = f"objects of Kueue{ask_instead(OF_KAI)}"
            raise InputError([Problem("", OF_KAI, expected, object=text.removesuffix(f": {OF_KAI}"))])


def changed(
    objects: Iterable[SourcedObject], edits: Sequence[ManifestEdit], kueue: TargetKueue
) -> Iterable[SourcedObject]:
    """The objects after some changes, as the target Kueue has them.

    Args:
        objects: as they were read.
        edits: without any nothing is imported for them.
        kueue: it notes what of the objects it does not have.

    Raises:
        InputError: a change of a field that it does not have; once all objects are drawn, as `edited`.

    >>> changed([], (), TargetKueue())
    []
    """
    settled = kueue.settled(objects)
    if edits:
        from tenure.edits import edited, refuse_additions

        refuse_additions(edits, kueue.release)
        settled = edited(settled, edits)
    return kueue.passing(settled)


def sources_of(paths: Sequence[str], example: str | None) -> Sequence[str | Path]:
    """What a command line has read: the paths on it, or the folder of a bundled example.

    Args:
        paths: files, folders, `-`.
        example: a bundled example, instead of all of these.

    Raises:
        InputError: both or neither is given, or there is no such example.

    >>> sources_of(["cluster/", "-"], None)
    ['cluster/', '-']
    """
    if example is not None:
        if paths:
            raise bad_input("--example", example, "either files or an example, not both")
        return [example_folder(example)]
    if not paths:
        raise bad_input("paths", "nothing", "files, folders, - for standard input, or --example two-teams")
    return paths


def print_warnings(found: Iterable[str]) -> list[str]:
    """Print warnings on standard error, those of one kind as one, and return each for a structured answer.

    Those about the input as a whole were printed when it was read.
    """
    warnings = list(dict.fromkeys(found))
    for warning in grouped_warnings(text for text in warnings if text not in given().warnings):
        complain("warning", warning)
    # Plain texts: YAML knows no other.
    return list(dict.fromkeys(map(str, (*given().warnings, *warnings))))


@contextmanager
def as_options(*parameters: str) -> Iterator[None]:
    """Problems of a function of Python, with the options that its parameters have on a command line.

    Args:
        parameters: the names of those that are options.

    >>> with as_options("of"):
    ...     raise bad_input("of", "gone", "a ClusterQueue")
    Traceback (most recent call last):
    tenure.errors.InputError: --of: found 'gone', expected a ClusterQueue
    """
    try:
        yield
    except InputError as error:
        raise InputError(
            [
                replace(problem, field=f"--{problem.field}") if problem.field in parameters else problem
                for problem in error.problems
            ]
        ) from None
