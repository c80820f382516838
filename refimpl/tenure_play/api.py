"""`tenure.why`, `tenure.why_not`, `tenure.next`, `tenure.diff`: what the commands of these names answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tenure.answer import Answer
from tenure.api import Loaded
from tenure.explanation.groups import DEFAULT_LIMIT
from tenure.inquiry import Inquiry, inquiry_of
from tenure.manifests import parse_duration
from tenure.model import Cluster, Instant
from tenure.readings import ReadingLike
from tenure_play.answers import Detailing, WorkloadQuestions, outlook_of
from tenure_play.diff.difference import DiffAnswer, Side, difference
from tenure_play.diff.joint import joint_difference
from tenure_play.diff.text import outline_of
from tenure_play.forecast.answer import USUAL_EVICTION, USUAL_UNTIL, Horizon
from tenure_play.forecast.answer_types import NextAnswer
from tenure_play.forecast.joint import gates_over_time
from tenure_play.forecast.limits import assumed_runtime
from tenure_play.forecast.unknown_trees import without_unknown_trees
from tenure_play.from_cluster import manifests_of


def why(
    loaded: Loaded,
    workload: str,
    pending: str | None = None,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    counterfactuals: int = DEFAULT_LIMIT,
    verbose: bool = False,
) -> Answer[Any]:
    """Why a workload was preempted, or which pending workloads could preempt a running one.

    Args:
        loaded: what `tenure.load` returned.
        workload: what the running or preempted one is called, `namespace/name` or shorter.
        pending: a pending one; None for all of them.
        now: the clock: RFC 3339, or ns since the epoch.
        reading: a reading, its name, or overrides; None for `guaranteed`.
        counterfactuals: how many changes to name.
        verbose: whether the words list everything that the rules found.

    Raises:
        InputError: there is no such workload, or it cannot be decided about.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> why(two_teams, "team-a/job-pretrain-7b-e95a1", now="2026-03-02T14:00:00Z")  # doctest: +ELLIPSIS
    <why: ...
    """
    asking = _asking(inquiry_of(loaded, now, reading), loaded, counterfactuals)
    return asking.why(workload, pending, Detailing(verbose=verbose))


def why_not(
    loaded: Loaded,
    workload: str,
    victim: str | None = None,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    cluster_queue: str | None = None,
    counterfactuals: int = DEFAULT_LIMIT,
    verbose: bool = False,
) -> Answer[Any]:
    """Why a workload is not admitted, or why it does not preempt a running one.

    Args:
        loaded, now, reading, counterfactuals, verbose: as of `why`.
        workload: what the pending one is called.
        victim: a running one; None for why the pending one is not admitted.
        cluster_queue: the ClusterQueue of the pending one; None follows its LocalQueue.

    Raises:
        InputError: as of `why`.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> waits = why_not(two_teams, "team-a/job-long-context-8a5dc", now="2026-03-02T14:00:00Z")
    >>> waits.record.summary.split(":")[0]
    'team-a/job-long-context-8a5dc is not admitted'
    """
    asking = _asking(inquiry_of(loaded, now, reading, cluster_queue), loaded, counterfactuals)
    return asking.why_not(workload, victim, Detailing(verbose=verbose))


def next_cycles(
    loaded: Loaded,
    workload: str | None = None,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    cycles: int | None = None,
    until: str | None = None,
    eviction: str | None = None,
    runtime: str | None = None,
) -> Answer[NextAnswer]:
    """What the coming scheduling cycles do; `tenure.next`.

    Args:
        loaded, now, reading: as of `why`.
        workload: what a pending workload is called; None for the whole cluster.
        cycles: at most so many; None for a number by the size of the cluster.
        until: at most so long from now, such as `90m`; None for a day.
        eviction: how long the pods of an evicted workload take to end; None for 30s.
        runtime: how long workloads run that declare no limit: a duration, or `p50`, `p95`, `max` of the
            finished ones; None for not known.

    Raises:
        InputError: a malformed duration; what decides over time and is not modelled.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> len(next_cycles(two_teams, now="2026-03-02T14:00:00Z", cycles=2).record.cycles)
    2
    """
    asked = inquiry_of(loaded, now, reading)
    known = replace(asked, loaded=without_unknown_trees(asked.loaded, workload))
    horizon = Horizon(
        cycles,
        USUAL_UNTIL if until is None else parse_duration(until, field="until"),
        USUAL_EVICTION if eviction is None else parse_duration(eviction, field="eviction"),
        gates_over_time(loaded, {}),
        None if runtime is None else assumed_runtime(runtime, loaded.out_of_play),
    )
    return WorkloadQuestions(known).next(workload, horizon)


def diff(
    before: Loaded | Cluster, after: Loaded | Cluster, *, now: str | Instant, reading: ReadingLike = None
) -> Answer[DiffAnswer]:
    """What a change does to all pending workloads together, and to each decision taken alone.

    Args:
        before, after: what `tenure.load` returned for either side.
        now: the clock of both: RFC 3339, or ns since the epoch.
        reading: of both.

    Raises:
        InputError: a malformed time or reading.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> diff(two_teams, two_teams, now="2026-03-02T14:00:00Z").record.pending
    ()
    """
    one, other = (inquiry_of(side, now, reading) for side in (before, after))
    sides = (
        Side("before", one.loaded, manifests_of(one.loaded.objects)),
        Side("after", other.loaded, manifests_of(other.loaded.objects)),
    )
    answer = difference(*sides, one.now, one.reading)
    answer = replace(answer, joint=joint_difference(*sides, one.now, one.reading, {}))
    return Answer("diff", answer, outline_of(answer), "pending")


def _asking(asked: Inquiry, loaded: Loaded, counterfactuals: int) -> WorkloadQuestions:
    named = dict.fromkeys(sourced.file for sourced in loaded.objects)
    files = [file for file in named if Path(file).is_file()]
    return WorkloadQuestions(asked, counterfactuals, files, outlook_of(asked, {}))
