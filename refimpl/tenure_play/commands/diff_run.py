"""What `tenure diff` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

import typer

from tenure.api import Loaded
from tenure.cli.before_after import Beside, TwoSides, changed_name, named_sides, own_objects, together
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import as_options, changed, print_warnings, refuse_other_scheduler
from tenure.cli.inquiry import with_flags
from tenure.cli.options import (
    EditOptions,
    Example,
    Interpretation,
    Now,
    SchedulerFlags,
    instant_of,
)
from tenure.cli.output import print_found
from tenure.cli.terminal import choose_colour
from tenure.disk import claim
from tenure.edits import ManifestEdit
from tenure.errors import bad_input
from tenure.manifests import SourcedObject, build, load, noted, read_objects
from tenure.manifests.releases import TargetKueue
from tenure.manifests.structure import dig
from tenure_play.api import diff
from tenure_play.commands.diff import DiffPrinting, FailOn
from tenure_play.diff.text import changes_anything, has_new_victims

_TREE_KINDS: Final = ("ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor")

"""Kinds of which no workload's own record depends: a change of one needs no workload read again."""

_TREE: Final = ("cluster_queues", "cohorts", "local_queues", "flavors")

"""What is made of these."""


def run_diff(
    *,
    sides: TwoSides,
    example: Example,
    beside: Beside,
    edits: EditOptions,
    now: Now,
    interpretation: Interpretation,
    flags: SchedulerFlags,
    printing: DiffPrinting,
) -> None:
    """As `tenure_play.commands.diff.diff_command` documents it."""
    choose_colour(printing.color)
    claim("--html", printing.html)
    instant, chosen = None if now is None else instant_of(now), interpretation.chosen()
    names, *read = _sides(sides or [], example, beside or [], edits.edits(), interpretation, flags)
    for side in read:
        refuse_other_scheduler(side)
    before, after = (with_flags(side, flags) for side in read)
    warnings = tuple(print_warnings((*before.warnings, *after.warnings)))
    with as_options("html"):
        found = diff(
            replace(before, warnings=warnings),
            replace(after, warnings=()),
            now=instant_of(None) if instant is None else instant,
            reading=chosen,
            names=names,
            every=printing.every,
            html=printing.html,
        )
    print_found(printing.output, found)
    answer = found.record
    failing = {FailOn.GAINED_VICTIMS: has_new_victims(answer), FailOn.ANY: changes_anything(answer)}
    if printing.fail_on is not None and failing[printing.fail_on]:
        raise typer.Exit(ExitCode.FOUND)


def _sides(
    words: Sequence[str],
    example: str | None,
    beside: Sequence[str],
    edits: Sequence[ManifestEdit],
    interpretation: Interpretation,
    flags: SchedulerFlags,
) -> tuple[tuple[str, str], Loaded, Loaded]:
    """What BEFORE and AFTER are called, and both, as a command line names them.

    Raises:
        InputError: neither or too many are named; everything that cannot be read on either side.
    """
    named = named_sides(words, example, beside, edits)
    common = read_objects(beside) if beside else ()
    objects: list[SourcedObject] = []
    (first, name), (last, other) = named[0], named[-1]
    kueue, kueue_after = interpretation.target_kueue(flags), interpretation.target_kueue(flags)
    before = _read(first, common, (), objects, kueue)
    if len(named) == 2:
        after = _read(last, common, edits, [], kueue_after)
    else:
        after = _changed(before, objects, edits, kueue_after)
    if before.cluster.settings.release != after.cluster.settings.release:
        releases = " and ".join(str(side.cluster.settings.release) for side in (before, after))
        raise bad_input("--kueue", releases, "one release on both sides")
    return (name, changed_name(other, edits)), before, after


def _read(
    source: str,
    common: Sequence[SourcedObject],
    edits: Sequence[ManifestEdit],
    kept: list[SourcedObject],
    kueue: TargetKueue,
) -> Loaded:
    """One side.

    Args:
        source: where its own objects are.
        common: those of both sides that it does not have itself.
        edits: changes of all of them.
        kept: gets the objects as they are written.
        kueue: the target Kueue.
    """
    paths, own = own_objects(source)

    def chosen(found: Iterable[SourcedObject]) -> Iterable[SourcedObject]:
        return changed(noted(together(chain(own, found), common), kept), edits, kueue)

    return _loaded(paths, chosen, kueue)


def _loaded(
    paths: Sequence[str],
    chosen: Callable[[Iterable[SourcedObject]], Iterable[SourcedObject]],
    kueue: TargetKueue,
) -> Loaded:
    """A cluster with its objects as they were changed."""
    read: list[SourcedObject] = []
    loaded = kueue.stamped(load(paths, watched=lambda found: noted(chosen(found), read)))
    return replace(loaded, objects=tuple(read))


def _changed(
    before: Loaded, objects: Sequence[SourcedObject], edits: Sequence[ManifestEdit], kueue: TargetKueue
) -> Loaded:
    """The same objects after changes; the workloads are not read again where none of them is concerned."""
    if any(edit.kind not in _TREE_KINDS for edit in edits):
        return _loaded([], lambda _: changed(objects, edits, kueue), kueue)
    others = [sourced for sourced in objects if dig(sourced.object, "kind") != "Workload"]
    after = build(changed(others, edits, kueue))
    tree = {name: getattr(after.cluster, name) for name in _TREE}
    kept = {name: found for name, found in before.set_aside.items() if name.startswith("Workload/")}
    # Of its objects, which are as before, only the workloads are looked at.
    return replace(
        before,
        cluster=replace(before.cluster, **tree),
        warnings=tuple(dict.fromkeys((*before.warnings, *after.warnings, *kueue.warnings()))),
        set_aside={**after.set_aside, **kept},
        by_usage=after.by_usage,
    )
