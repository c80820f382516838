"""What `tenure analyze` answers about a configuration, found once and kept.

The commands and the page of a cluster call the same functions.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import product

from tenure.api import Loaded
from tenure.errors import bad_input
from tenure.manifests.premises import refuse_unstated
from tenure.readings import Reading, ReadingLike, parse_reading, preset
from tenure.units import format_names
from tenure_check.analysis.answer_cache import AnswerCache, with_solvers
from tenure_check.analysis.guarantee_answer import GuaranteesAnswer, guarantees_answer, with_contrary
from tenure_check.analysis.guarantees import NarrowCell, Narrowing, find_guarantees, settle_conditions
from tenure_check.analysis.matrix import CellVerdict, Effort
from tenure_check.analysis.matrix_answer import MatrixAnswer, answer_of
from tenure_check.analysis.matrix_text import nominal_words, sentences_of
from tenure_check.analysis.priority_levels import classes_of, configuration_of, levels_of
from tenure_check.analysis.priority_ranges import Ranges
from tenure_check.analysis.scopes import MatrixRequest
from tenure_check.analysis.solved_cells import reached
from tenure_check.analysis.states import CellQuery
from tenure_check.analysis.two_configurations import Configuration
from tenure_check.choices import Scope
from tenure_proofs.fingerprints import key_of

LITERAL = "as-written"
"""The reading whose differences are listed."""


def configuration_in(
    loaded: Loaded, reading: ReadingLike = None, priorities: Collection[int] = ()
) -> Configuration:
    """The configuration of a cluster, whatever workloads come.

    Args:
        loaded: the cluster with its objects; of its workloads only the priorities count.
        reading: see `tenure.readings`.
        priorities: those that have a level in any case.

    Raises:
        InputError: it has no ClusterQueue; nothing shows whether its weights decide.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> found = configuration_in(two_teams)
    >>> [*found.cluster.cluster_queues], [level.name for level in found.levels]
    (['gpu-cluster-queue'], ['batch', 'research', 'release'])
    """
    if not loaded.cluster.cluster_queues:
        raise bad_input("paths", "no ClusterQueue", "the ClusterQueues of a configuration")
    refuse_unstated(loaded)
    classes = classes_of(loaded.objects)
    levels = levels_of(loaded.cluster, classes, priorities)
    return Configuration(configuration_of(loaded.cluster, classes), levels, parse_reading(reading))


def matrix_answer(
    configured: Configuration,
    effort: Effort,
    scope: Scope = Scope.CONSISTENT,
    sides: tuple[str | None, str | None] = (None, None),
    jobs: int | None = None,
    *,
    kept: bool = True,
) -> MatrixAnswer:
    """Which workloads can ever preempt which others; premises and warnings about the input are left out.

    Args:
        configured: the configuration.
        effort: how long the search for examples goes on.
        scope: of which states.
        sides: the preemptor's ClusterQueue and the victim's, if only some cells are of interest.
        jobs: processes; None for one for each CPU.
        kept: whether an earlier answer is used, and this one kept.

    Raises:
        InputError: the solvers are not installed.
    """
    cache = AnswerCache(MatrixAnswer, wanted=kept)
    key = key_of(configured, effort, scope, sides)
    return cache.once(key, lambda: _matrix(configured, effort, scope, sides, jobs))


def _matrix(
    configured: Configuration,
    effort: Effort,
    scope: Scope,
    sides: tuple[str | None, str | None],
    jobs: int | None,
) -> MatrixAnswer:
    cluster, reading = configured.cluster, configured.reading
    preemptor, victim = sides
    is_part = sides != (None, None)
    queues = sorted(cluster.cluster_queues)
    pairs = set(product([preemptor] if preemptor else queues, [victim] if victim else queues))
    ranges = Ranges(cluster, configured.levels, reading)
    known, levels = (ranges.plain, ranges.regions) if ranges.is_needed else (cluster, configured.levels)
    priorities = {level.priority for level in levels}
    cells = {(one, high, other, low) for one, other in pairs for high, low in product(priorities, repeat=2)}
    request = MatrixRequest(cells if is_part else None, scope)
    within: dict[CellQuery, CellVerdict] = {}
    with with_solvers(jobs) as (analyzed, versions):
        matrix, provers = analyzed(known, levels, reading, effort, request)
        if ranges.is_needed:
            matrix = analyzed.of_ranges(ranges, matrix)
        elif is_part:
            conditions = {
                cell: [NarrowCell(cell, Narrowing.WITHIN, None)]
                for cell, settled in matrix.settled.items()
                if settled.example is not None and (cell.preemptor, cell.victim) in pairs
            }
            preemptors = {cell.preemptor for cell in conditions}
            narrowers = {name: prover for name, prover in provers.items() if name in preemptors}
            fewer = replace(effort, fewest=effort.fewest // 4)
            settled = settle_conditions(cluster, matrix, reading, narrowers, fewer, conditions)
            within = {condition.cell: found.verdict for condition, found in settled.items()}
    answer = answer_of(
        matrix, cluster, reading.name, effort.seed, versions, pairs if is_part else None, within
    )
    nominal = {name: nominal_words(queue) for name, queue in cluster.cluster_queues.items()}
    return replace(answer, sentences=tuple(sentences_of(answer.cells, nominal, victim, preemptor)))


def guarantees_found(
    configured: Configuration,
    effort: Effort,
    scope: Scope = Scope.CONSISTENT,
    jobs: int | None = None,
    *,
    kept: bool = True,
) -> GuaranteesAnswer:
    """What each ClusterQueue's workloads may count on; premises and warnings about the input are left out.

    Args:
        configured, effort, scope, jobs, kept: as of `matrix_answer`.

    Raises:
        InputError: the solvers are not installed.
    """
    cache = AnswerCache(GuaranteesAnswer, wanted=kept)
    key = key_of("guarantees", configured, effort, scope)
    return cache.once(key, lambda: _guarantees(configured, effort, scope, jobs))


def _guarantees(
    configured: Configuration, effort: Effort, scope: Scope, jobs: int | None
) -> GuaranteesAnswer:
    cluster, levels = configured.cluster, configured.levels

    with with_solvers(jobs) as (analyzed, versions):

        def under(reading: Reading) -> GuaranteesAnswer:
            matrix, provers = analyzed(cluster, levels, reading, effort, MatrixRequest(scope=scope))
            found = find_guarantees(cluster, matrix, reading, provers, effort)
            always = reached(cluster, levels, reading, effort.seed) if scope == Scope.CONSISTENT else {}
            return guarantees_answer(found, cluster, always, reading.name, effort.seed, versions)

        answer = under(configured.reading)
        is_timed = any(guarded.min_admit_duration is not None for guarded in answer.cells)
        if not is_timed or configured.reading.name == LITERAL:
            return answer
        return with_contrary(answer, under(preset(LITERAL)))


def kept_answers(configured: Configuration) -> tuple[MatrixAnswer | None, GuaranteesAnswer | None]:
    """The matrix and the guarantees that an earlier run kept, as the commands search by default."""
    scope, sides = Scope.CONSISTENT, (None, None)
    of_matrix = key_of(configured, Effort(), scope, sides)
    of_guarantees = key_of("guarantees", configured, Effort(), scope)
    return (
        AnswerCache(MatrixAnswer, wanted=True).found(of_matrix),
        AnswerCache(GuaranteesAnswer, wanted=True).found(of_guarantees),
    )


def guarantees_of_one(answer: GuaranteesAnswer, wanted: str) -> GuaranteesAnswer:
    """The part of an answer about a ClusterQueue, or about one priority of it.

    Args:
        answer: the whole answer.
        wanted: `team-a`, or `team-a/high`.

    Raises:
        InputError: the answer has no such part.
    """
    queue, _, level = wanted.partition("/")
    cells = tuple(
        guarded
        for guarded in answer.cells
        if guarded.workloads.cluster_queue == queue and level in ("", guarded.workloads.priority_class)
    )
    if not cells:
        known = [
            f"{side.cluster_queue}/{side.priority_class}" for side in (c.workloads for c in answer.cells)
        ]
        listed = format_names(known, 20)
        raise bad_input("of", wanted, f"a ClusterQueue, or one and a priority: {listed}")
    queues = tuple(known for known in answer.queues if known.cluster_queue == queue)
    return replace(answer, cells=cells, queues=queues)
