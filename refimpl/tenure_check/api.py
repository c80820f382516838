"""`tenure.matrix`, `tenure.guarantees`, `tenure.loops`: what `tenure analyze` answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

from tenure.answer import Answer
from tenure.api import Loaded
from tenure.cli.terminal import progress
from tenure.disk import write_named
from tenure.errors import bad_input
from tenure.manifests import did_you_mean, parse_duration
from tenure.manifests.premises import premises_of_states
from tenure.readings import ReadingLike, parse_reading
from tenure.units import format_names
from tenure.versions import kueue_version
from tenure_check.analysis.closed_systems import object_files, stated_premises, trees_of, with_gates
from tenure_check.analysis.explained_cells import numbers_named, with_explained
from tenure_check.analysis.guarantee_answer import GuaranteesAnswer, guarantees_outline
from tenure_check.analysis.heat_map import heat_map
from tenure_check.analysis.loop_answer import LoopsAnswer, loops_outline
from tenure_check.analysis.loops import LoopHunt, LoopRequest
from tenure_check.analysis.matrix import Effort
from tenure_check.analysis.matrix_answer import MatrixAnswer
from tenure_check.analysis.matrix_text import cells_outline, matrix_outline
from tenure_check.analysis.scopes import StateSearch
from tenure_check.answers import configuration_in, guarantees_found, guarantees_of_one, matrix_answer
from tenure_check.choices import STATES, Scope


class LoopLimits(TypedDict, total=False):
    """How far loops are searched for, by keyword."""

    up_to: int
    """The most workloads of a system; 3 without it."""
    sizes: Sequence[str]
    """What workloads request, such as `4`; without any, quarters of what a tree owns, and nominal quotas."""
    priorities: Sequence[str]
    """Their priorities: numbers, or names of WorkloadPriorityClasses."""
    evictions: Sequence[str]
    """How long the pods of a victim take to end; `5s` and `5.5s` without any."""
    resources: Sequence[str]
    """The resources that they request; without any, each, of those in proportion the first."""
    within: str
    """How long is searched, `1m` without it; `0s` for as long as it takes."""


def matrix(
    loaded: Loaded,
    *,
    preemptor: str | None = None,
    victim: str | None = None,
    explain: tuple[str, str] | None = None,
    scope: str = Scope.CONSISTENT,
    reading: ReadingLike = None,
    premises: bool = False,
    **search: Unpack[StateSearch],
) -> Answer[MatrixAnswer]:
    """Which workloads can ever preempt which others, in every state of the queues.

    Args:
        loaded: what `tenure.load` returned; of its workloads only the priorities count.
        preemptor, victim: only the cells with these ClusterQueues.
        explain: a preemptor and a victim, each `QUEUE`, `QUEUE/CLASS` or `QUEUE/NUMBER`: only their cells,
            with the field by which one never preempts the other, or the smallest example.
        scope: `consistent`: all states that admission alone can produce; `edited`: also those after edits.
        reading: a reading, its name, or overrides; None for `guaranteed`.
        premises: whether the words list what every verdict assumes.
        search: `states`, `seed`, `jobs` and `kept`, as `StateSearch` explains them.

    Raises:
        InputError: no ClusterQueue, or none of that name; nothing shows whether weights decide; the solvers
            are not installed.
    """
    sides, states = (preemptor, victim), Scope(scope)
    configured = configuration_in(loaded, reading, numbers_named(explain or ()))
    known = sorted(configured.cluster.cluster_queues)
    for side, queue in zip(("preemptor", "victim"), sides, strict=True):
        if queue is not None and queue not in known:
            expected = f"a ClusterQueue: {format_names(known, 20)}{did_you_mean(queue, known)}"
            raise bad_input(side, queue, expected)
    effort = _effort(search)
    found = matrix_answer(
        configured, effort, states, sides, search.get("jobs"), kept=search.get("kept", True)
    )
    answer, is_part = _complete(found, loaded), sides != (None, None)
    picture = "" if is_part else heat_map(answer)
    if explain is None:
        outline = matrix_outline(answer, premises=premises, is_part=is_part)
    else:
        answer = with_explained(answer, configured, *explain, states)
        outline = cells_outline(answer.cells, *explain)
    return Answer("analyze-matrix", answer, outline, "cells", picture)


def guarantees(
    loaded: Loaded,
    *,
    of: str | None = None,
    scope: str = Scope.CONSISTENT,
    reading: ReadingLike = None,
    verbose: bool = False,
    premises: bool = False,
    **search: Unpack[StateSearch],
) -> Answer[GuaranteesAnswer]:
    """What each ClusterQueue's workloads may count on, and whom they may lose quota to.

    Args:
        loaded, scope, reading, premises, search: as of `matrix`.
        of: only one ClusterQueue, or one and a priority: `team-a/high`; with details.
        verbose: whether the words list what is known of each priority.

    Raises:
        InputError: as of `matrix`; no such ClusterQueue.
    """
    effort = _effort(search)
    found = guarantees_found(
        configuration_in(loaded, reading),
        effort,
        Scope(scope),
        search.get("jobs"),
        kept=search.get("kept", True),
    )
    answer = _complete(found, loaded)
    if of is not None:
        answer = guarantees_of_one(answer, of)
    outline = guarantees_outline(answer, details=verbose or of is not None, premises=premises)
    return Answer("analyze-guarantees", answer, outline, "cells")


def loops(
    loaded: Loaded,
    *,
    search: bool = False,
    to: str | Path | None = None,
    reading: ReadingLike = None,
    premises: bool = False,
    note: Callable[[str], None] = lambda _: None,
    **bounds: Unpack[LoopLimits],
) -> Answer[LoopsAnswer]:
    """Whether workloads would preempt each other for ever, and which fields that takes.

    Args:
        loaded, reading, premises: as of `matrix`.
        search: whether loops are searched for where no theorem excludes them.
        to: a file for the loops found, as scenarios that `tenure simulate` runs.
        note: gets lines about what is searched and found, as soon as that is known.
        bounds: `up_to`, `sizes`, `priorities`, `evictions`, `resources` and `within`, as `LoopLimits`
            explains them.

    Raises:
        InputError: as of `matrix`; sizes, priorities, durations or resources that cannot be.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> loops(load(bundled("examples", "two-teams"))).record.found
    False
    """
    chosen = parse_reading(reading)
    request = _request(bounds, searches=search)
    trees, warnings = trees_of(with_gates(loaded.objects, loaded.flag_gates), chosen)
    notes = (sourced.note for sourced in loaded.objects if sourced.note)
    known = tuple(dict.fromkeys((*notes, *warnings, *loaded.warnings)))
    stated = stated_premises(loaded.objects, loaded.flag_gates)
    hunt = LoopHunt(trees, request, chosen, object_files(loaded.objects), progress, note)
    answer = replace(hunt.run(known), premises=stated, kueue=_kueue(loaded))
    if to is not None and hunt.scenarios:
        import yaml

        write_named("to", Path(to), yaml.safe_dump_all(hunt.scenarios, sort_keys=False, allow_unicode=True))
    return Answer("analyze-loops", answer, loops_outline(answer, str(to or ""), premises=premises))


def _request(bounds: LoopLimits, *, searches: bool) -> LoopRequest:
    written = bounds.get("evictions", ("5s", "5.5s"))
    evictions = tuple(parse_duration(text, field="evictions") for text in written)
    if not evictions or min(evictions) < 0 or len(set(evictions)) < len(evictions):
        raise bad_input("evictions", ",".join(written), "different durations, such as 5s,30s")
    longest = bounds.get("within", "1m")
    within = parse_duration(longest, field="within") / 10**9
    if within < 0:
        raise bad_input("within", longest, "a duration of at least 0s")
    return LoopRequest(
        bounds.get("up_to", 3),
        evictions,
        tuple(bounds.get("sizes", ())),
        tuple(bounds.get("priorities", ())),
        tuple(bounds.get("resources", ())),
        within,
        searches,
    )


A = TypeVar("A", MatrixAnswer, GuaranteesAnswer)


def _complete(answer: A, loaded: Loaded) -> A:
    premises = (*answer.premises, *premises_of_states(loaded))
    return replace(answer, kueue=_kueue(loaded), premises=premises, warnings=loaded.warnings)


def _effort(search: StateSearch) -> Effort:
    return Effort.of_states(search.get("states", STATES), search.get("seed", 0))


def _kueue(loaded: Loaded) -> str:
    return kueue_version(loaded.cluster.settings.release)
