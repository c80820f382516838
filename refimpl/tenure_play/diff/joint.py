"""What a change does to all pending workloads together: both sides played as `tenure next` plays them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tenure.joint import JointDifference, JointEffect, names, scope_text, verb, with_names
from tenure.model import Instant
from tenure.readings import Reading
from tenure_play.diff.difference import Side
from tenure_play.diff.trees import reached
from tenure_play.forecast.joint import joint_effects


def joint_difference(before: Side, after: Side, now: Instant, reading: Reading) -> JointDifference:
    """What a change does to the pending workloads of the trees that it reaches.

    Args:
        before, after: the clusters, under their settings.
        now: the clock of both, ns since the epoch.
        reading: of both.

    >>> from tenure.api import Loaded
    >>> from tenure.model import Cluster
    >>> from tenure.readings import preset
    >>> side = Side("", Loaded(Cluster({})))
    >>> joint_difference(side, side, 0, preset("guaranteed")).summary
    'Jointly nothing changes: no pending workload is in a tree that the change reaches'
    """
    one, other = joint_effects(reached(before.loaded, after.loaded), now, reading)
    return difference_of(one, other)


def difference_of(before: JointEffect, after: JointEffect) -> JointDifference:
    """The difference between two effects."""
    unknown = {*before.not_decided, *after.not_decided}
    if not all(side.starts or side.waiting for side in (before, after)) and unknown:
        summary = f"Jointly not known: {names(_reasons(before, after))}"
        return JointDifference(summary, before, after, (), (), (), ())
    starts, started = ({start.workload: start for start in side.starts} for side in (after, before))
    taken, took = ({each.workload: each for each in side.preempted} for side in (after, before))
    in_vain_after = {each.preemptor for each in after.in_vain}
    found = JointDifference(
        summary="",
        before=before,
        after=after,
        starts=tuple(start for key, start in starts.items() if key not in {*started, *unknown}),
        no_longer_starts=tuple(start for key, start in started.items() if key not in {*starts, *unknown}),
        preempted=tuple(each for key, each in taken.items() if key not in took),
        no_longer_preempted=tuple(each for key, each in took.items() if key not in taken),
        no_longer_in_vain=tuple(
            each for each in before.in_vain if each.preemptor not in {*in_vain_after, *unknown}
        ),
    )
    return replace(found, summary=_summary(found))


def _reasons(before: JointEffect, after: JointEffect) -> Sequence[str]:
    return list(dict.fromkeys((*before.not_known, *after.not_known)))


def _summary(found: JointDifference) -> str:
    before, after = found.before, found.after
    by = scope_text(before, after)
    unknown = len({*before.not_decided, *after.not_decided})
    aside = f"; {unknown} not known: {names(_reasons(before, after))}" if unknown else ""
    waiting, waited = after.waiting, before.waiting
    if not (waiting or waited or before.starts or after.starts or unknown):
        return "Jointly nothing changes: no pending workload is in a tree that the change reaches"
    starts, no_longer = found.starts, found.no_longer_starts
    taken, spared = found.preempted, found.no_longer_preempted
    if not (starts or no_longer or taken or spared) and len(waiting) == len(waited):
        are = "is" if len(after.preempted) == 1 else "are"
        counts = (
            f"{len(after.starts)} {verb(after.starts, 'start')}, {len(after.preempted)} {are} preempted, "
            f"{len(waiting)} {verb(waiting, 'wait')} on either side"
        )
        return f"Jointly nothing changes{by}: {counts}{aside}"
    parts = [
        with_names(f"{len(some)} {words}", [each.workload for each in some])
        for some, words in (
            (starts, f"more {verb(starts, 'start')}"),
            (no_longer, f"no longer {verb(no_longer, 'start')}"),
            (taken, f"more {'is' if len(taken) == 1 else 'are'} preempted"),
            (spared, f"{'is' if len(spared) == 1 else 'are'} no longer preempted"),
        )
        if some
    ]
    former = "as before" if len(waiting) == len(waited) else f"before {len(waited)}"
    parts.append(f"{len(waiting)} still {verb(waiting, 'wait')}, {former}")
    return f"Jointly{by} {'; '.join(parts)}{aside}"
