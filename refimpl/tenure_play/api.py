"""`tenure.why`, `tenure.why_not`, `tenure.next`, `tenure.diff`: what the commands of these names answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from tenure.answer import Answer
from tenure.api import Loaded, as_instant, as_loaded
from tenure.disk import write_named
from tenure.errors import bad_input
from tenure.inquiry import Inquiry, inquiry_of
from tenure.manifests import parse_duration
from tenure.model import Cluster, Duration, Instant
from tenure.readings import ReadingLike, parse_reading
from tenure_play.answers import Detailing, WorkloadQuestions, outlook_of
from tenure_play.forecast.answer_types import NextAnswer
from tenure_play.horizon import USUAL_EVICTION, USUAL_UNTIL

if TYPE_CHECKING:
    from tenure_play.diff.difference import DiffAnswer


class WorkloadDetail(TypedDict, total=False):
    """How much of an answer about a workload is listed, by keyword."""

    counterfactuals: int
    """How many changes are named that would change the answer."""
    verbose: bool
    """Whether the words list everything that the rules found."""
    every: bool
    """Whether they list all workloads one by one, however many they are."""


class LookAhead(TypedDict, total=False):
    """How far is looked ahead, and how long things take meanwhile, by keyword."""

    cycles: int | None
    """At most so many scheduling cycles; None for a number by the size of the cluster."""
    until: str
    """At most so long from now, such as `90m`; a day without it."""
    eviction: str
    """How long the pods of an evicted workload take to end; `30s` without it."""
    runtime: str | None
    """How long workloads run that declare no limit: a duration, or `p50`, `p95` or `max` of the finished
    ones; None for not known."""


def why(
    loaded: Loaded,
    workload: str,
    pending: str | None = None,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    cluster_queue: str | None = None,
    **detail: Unpack[WorkloadDetail],
) -> Answer[Any]:
    """Why a workload was preempted, or which pending workloads could preempt a running one.

    Args:
        loaded: what `tenure.load` returned.
        workload: what the running or preempted one is called, `namespace/name` or shorter.
        pending: a pending one; None for all of them.
        now: the clock: RFC 3339, or ns since the epoch.
        reading: a reading, its name, or overrides; None for `guaranteed`.
        cluster_queue: the ClusterQueue of the pending one; None follows its LocalQueue.
        detail: `counterfactuals`, `verbose` and `every`, as `WorkloadDetail` explains them.

    Raises:
        InputError: there is no such workload, or it cannot be decided about.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> why(two_teams, "team-a/job-pretrain-7b-e95a1", now="2026-03-02T14:00:00Z")  # doctest: +ELLIPSIS
    <why: ...
    """
    asking = _asking(inquiry_of(loaded, now, reading, cluster_queue), ())
    return asking.why(workload, pending, Detailing(**detail))


def why_not(
    loaded: Loaded,
    workload: str,
    victim: str | None = None,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    cluster_queue: str | None = None,
    files: Sequence[str | Path] | None = None,
    **detail: Unpack[WorkloadDetail],
) -> Answer[Any]:
    """Why a workload is not admitted, or why it does not preempt a running one.

    Args:
        loaded, now, reading, cluster_queue, detail: as of `why`.
        workload: what the pending one is called.
        victim: a running one; None for why the pending one is not admitted.
        files: where the lines of fields are looked up; None for those that were loaded.

    Raises:
        InputError: as of `why`.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> waits = why_not(two_teams, "team-a/job-long-context-8a5dc", now="2026-03-02T14:00:00Z")
    >>> waits.record.summary.split(":")[0]
    'team-a/job-long-context-8a5dc is not admitted'
    """
    asking = _asking(inquiry_of(loaded, now, reading, cluster_queue), files)
    return asking.why_not(workload, victim, Detailing(**detail))


def next_cycles(
    loaded: Loaded,
    workload: str | None = None,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    every: bool = False,
    **ahead: Unpack[LookAhead],
) -> Answer[NextAnswer]:
    """What the coming scheduling cycles do; `tenure.next`.

    Args:
        loaded, now, reading: as of `why`.
        workload: what a pending workload is called; None for the whole cluster.
        every: whether the words list everything, however much it is.
        ahead: `cycles`, `until`, `eviction` and `runtime`, as `LookAhead` explains them.

    Raises:
        InputError: a malformed duration; what decides over time and is not modelled.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> len(next_cycles(two_teams, now="2026-03-02T14:00:00Z", cycles=2).record.cycles)
    2
    """
    from tenure_play.forecast.answer import Horizon
    from tenure_play.forecast.joint import gates_over_time
    from tenure_play.forecast.limits import assumed_runtime

    asked, runtime = inquiry_of(loaded, now, reading), ahead.get("runtime")
    horizon = Horizon(
        ahead.get("cycles"),
        _length(ahead.get("until", USUAL_UNTIL), "until"),
        _length(ahead.get("eviction", USUAL_EVICTION), "eviction"),
        gates_over_time(asked.loaded),
        None if runtime is None else assumed_runtime(runtime, loaded.out_of_play),
    )
    return WorkloadQuestions(asked).next(workload, horizon, every=every)


def diff(
    before: Loaded | Cluster,
    after: Loaded | Cluster,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    names: tuple[str, str] = ("before", "after"),
    every: bool = False,
    html: str | Path | None = None,
) -> Answer[DiffAnswer]:
    """What a change does to all pending workloads together, and to each decision taken alone.

    Args:
        before, after: what `tenure.load` returned for either side.
        now: the clock of both: RFC 3339, or ns since the epoch.
        reading: of both.
        names: what the sides are called.
        every: whether the words list all workloads one by one.
        html: a file for a page: the answer, and the quota and jobs of both sides after the coming cycles.

    Raises:
        InputError: a malformed time or reading.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> diff(two_teams, two_teams, now="2026-03-02T14:00:00Z").record.pending
    ()
    """
    from tenure_play.diff.difference import Side, difference
    from tenure_play.diff.joint import joint_difference
    from tenure_play.diff.text import outline_of

    one, other = (Side(*side) for side in zip(names, map(as_loaded, (before, after)), strict=True))
    instant, chosen = as_instant(now), parse_reading(reading)
    answer = replace(
        difference(one, other, instant, chosen),
        warnings=tuple(dict.fromkeys((*one.loaded.warnings, *other.loaded.warnings))),
        joint=joint_difference(one, other, instant, chosen),
    )
    outline = outline_of(answer, every=every)
    if html is not None:
        from tenure_play.diff.page import page_of_difference

        write_named("html", html, page_of_difference(one, other, instant, chosen, outline))
    return Answer("diff", answer, outline, "pending")


def _asking(asked: Inquiry, files: Sequence[str | Path] | None) -> WorkloadQuestions:
    if files is None:
        named = dict.fromkeys(sourced.file for sourced in asked.loaded.objects)
        files = [file for file in named if Path(file).is_file()]
    return WorkloadQuestions(asked, files, outlook_of(asked))


def _length(text: str, field: str) -> Duration:
    found = parse_duration(text, field=field)
    if found < 0:
        raise bad_input(field, text, "a duration that is not negative")
    return found
