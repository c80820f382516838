"""Loops that a change of a configuration brings, or that theorems do not exclude any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tenure.manifests import SourcedObject
from tenure.readings import Reading
from tenure_check.analysis.closed_systems import CohortTree, object_files, trees_of
from tenure_check.analysis.difference_answer import LoopChange
from tenure_check.analysis.loop_answer import TreeSearch
from tenure_check.analysis.loops import LoopHunt, LoopRequest, Watch
from tenure_check.analysis.no_loop import proved_of_loops

UP_TO: Final = 3
"""The most workloads of a system that is searched."""
WITHIN_S: Final = 15.0
"""How long a tree is searched."""


def new_loops(
    before: Sequence[SourcedObject], after: Sequence[SourcedObject], reading: Reading, watch: Watch
) -> Iterator[LoopChange]:
    """The changed trees in which theorems do not exclude loops: whether one is new, as far as a search shows.

    A tree that is as before brings none, and a loop that it had before is not new.

    Args:
        before, after: the objects of both sides.
        reading: see `tenure.readings`.
        watch: as of `LoopHunt`.

    Raises:
        InputError: as of `trees_of`.
    """
    trees_before, _ = trees_of(before, reading)
    trees_after, _ = trees_of(after, reading)
    for tree in trees_after:
        names = {queue.name for queue in tree.queues}
        known = [one for one in trees_before if names & {queue.name for queue in one.queues}]
        if any(one.cluster == tree.cluster for one in known):
            continue
        (found,) = _searched([tree], after, reading, watch)
        if found.is_excluded:
            continue
        if any(search.loop for search in found.searches):
            earlier = _searched(known, before, reading, watch)
            if not any(search.loop for one in earlier for search in one.searches):
                yield LoopChange("new", found)
        else:
            proved = [proved_of_loops(one, reading) for one in known if not one.not_known]
            excluded = len(proved) == len(known) and all(one is not None and one.excluded for one in proved)
            yield LoopChange("not excluded" if excluded else "not found", found)


def _searched(
    trees: Sequence[CohortTree], objects: Sequence[SourcedObject], reading: Reading, watch: Watch
) -> Sequence[TreeSearch]:
    request = LoopRequest(up_to=UP_TO, within=WITHIN_S)
    return LoopHunt(trees, request, reading, object_files(objects), watch).run().trees
