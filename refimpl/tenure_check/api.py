"""`tenure.matrix`, `tenure.guarantees`, `tenure.loops`: what `tenure analyze` answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from tenure.answer import Answer
from tenure.api import Loaded
from tenure.manifests import parse_duration
from tenure.manifests.premises import premises_of_states
from tenure.readings import ReadingLike, parse_reading
from tenure.versions import kueue_version
from tenure_check.analysis.closed_systems import object_files, trees_of
from tenure_check.analysis.guarantee_answer import GuaranteesAnswer, guarantees_outline
from tenure_check.analysis.loop_answer import LoopsAnswer, loops_outline
from tenure_check.analysis.loops import LoopHunt, LoopRequest
from tenure_check.analysis.matrix import Effort
from tenure_check.analysis.matrix_answer import MatrixAnswer
from tenure_check.analysis.matrix_text import matrix_outline
from tenure_check.analysis.priority_levels import classes_of
from tenure_check.analysis.scopes import GUARANTEES_STATES, Scope
from tenure_check.analysis.two_configurations import Configuration
from tenure_check.answers import configuration_in, guarantees_found, guarantees_of_one, matrix_answer


def matrix(
    loaded: Loaded,
    *,
    preemptor: str | None = None,
    victim: str | None = None,
    scope: str = Scope.CONSISTENT,
    reading: ReadingLike = None,
) -> Answer[MatrixAnswer]:
    """Which workloads can ever preempt which others, in every state of the queues.

    Args:
        loaded: what `tenure.load` returned; of its workloads only the priorities count.
        preemptor, victim: only the cells with these ClusterQueues.
        scope: `consistent`: all states that admission alone can produce; `edited`: also those after edits.
        reading: a reading, its name, or overrides; None for `guaranteed`.

    Raises:
        InputError: no ClusterQueue; nothing shows whether weights decide; the solvers are not installed.
    """
    sides = preemptor, victim
    configured = _configured(loaded, reading)
    answer = _complete(matrix_answer(configured, Effort(), Scope(scope), sides), loaded)
    return Answer("analyze-matrix", answer, matrix_outline(answer, is_part=sides != (None, None)), "cells")


def guarantees(
    loaded: Loaded,
    *,
    of: str | None = None,
    scope: str = Scope.CONSISTENT,
    reading: ReadingLike = None,
) -> Answer[GuaranteesAnswer]:
    """What each ClusterQueue's workloads may count on, and whom they may lose quota to.

    Args:
        loaded, scope, reading: as of `matrix`.
        of: only one ClusterQueue, or one and a priority: `team-a/high`; with details.

    Raises:
        InputError: as of `matrix`; no such ClusterQueue.
    """
    effort = Effort.of_states(GUARANTEES_STATES)
    answer = _complete(guarantees_found(_configured(loaded, reading), effort, Scope(scope)), loaded)
    if of is not None:
        answer = guarantees_of_one(answer, of)
    outline = guarantees_outline(answer, details=of is not None, premises=False)
    return Answer("analyze-guarantees", answer, outline, "cells")


def loops(
    loaded: Loaded,
    *,
    search: bool = False,
    up_to: int = 3,
    within: str = "1m",
    reading: ReadingLike = None,
) -> Answer[LoopsAnswer]:
    """Whether workloads would preempt each other for ever, and which fields that takes.

    Args:
        loaded, reading: as of `matrix`.
        search: whether loops are searched for where no theorem excludes them.
        up_to: the most workloads of a system.
        within: how long is searched.

    Raises:
        InputError: as of `matrix`, and a malformed duration.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> loops(load(bundled("examples", "two-teams"))).record.found
    False
    """
    chosen = parse_reading(reading)
    trees, warnings = trees_of(loaded.objects, chosen)
    seconds = parse_duration(within, field="within") / 10**9
    request = LoopRequest(up_to=up_to, within=seconds, searches=search)
    hunt = LoopHunt(trees, request, chosen, object_files(loaded.objects))
    answer = replace(hunt.run(warnings), premises=premises_of_states(loaded), kueue=_kueue(loaded))
    return Answer("analyze-loops", answer, loops_outline(answer))


A = TypeVar("A", MatrixAnswer, GuaranteesAnswer)


def _complete(answer: A, loaded: Loaded) -> A:
    premises = (*answer.premises, *premises_of_states(loaded))
    return replace(answer, kueue=_kueue(loaded), premises=premises, warnings=loaded.warnings)


def _kueue(loaded: Loaded) -> str:
    return kueue_version(loaded.cluster.settings.release)


def _configured(loaded: Loaded, reading: ReadingLike) -> Configuration:
    return configuration_in(loaded, classes_of(loaded.objects), parse_reading(reading))
