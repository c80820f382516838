"""Small configurations of which it is known what may happen in them."""

from __future__ import annotations

from itertools import product
from typing import Any

import z3

from tenure.model import (
    NANO,
    SECOND,
    BorrowWithinCohort,
    Cluster,
    Cohort,
    FairStrategy,
    Reason,
    ReclaimWithinCohort,
    WithinClusterQueue,
)
from tenure.oracle.tree import build_tree
from tenure.readings import preset
from tenure_check.analysis.encoding import Pair, Priorities
from tenure_check.analysis.states import CellQuery
from tenure_check.analysis.tree_slices import slice_of
from tenure_proofs.trusted.claim import Traces
from tests.clusters import cluster, groups, queue

HOUR = 3600 * SECOND
LOWER, NEWER = WithinClusterQueue.LOWER_PRIORITY, WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
ANY, BY_PRIORITY = ReclaimWithinCohort.ANY, ReclaimWithinCohort.LOWER_PRIORITY


def _fair(**settings: Any) -> Cluster:
    return cluster(
        queue("a", "c", (4, None, None), within_cluster_queue=LOWER, reclaim_within_cohort=ANY),
        queue(
            "b",
            "c",
            (2, 3, None),
            within_cluster_queue=NEWER,
            reclaim_within_cohort=BY_PRIORITY,
            weight=2 * NANO,
        ),
        queue("z", "c", (0, 3, None), reclaim_within_cohort=ANY),
        **settings,
    )


KNOWN: dict[str, tuple[Cluster, int]] = {
    "flat": (
        cluster(
            queue("a", "c", (4, None, None), within_cluster_queue=LOWER, reclaim_within_cohort=ANY),
            queue(
                "b",
                "c",
                (2, 3, 1),
                within_cluster_queue=NEWER,
                min_admit_duration=4 * HOUR,
                reclaim_within_cohort=BY_PRIORITY,
            ),
            queue("z", "c", (0, 2, None)),
        ),
        17,
    ),
    "threshold": (
        cluster(
            queue(
                "a",
                "c",
                (3, 4, None),
                within_cluster_queue=LOWER,
                reclaim_within_cohort=BY_PRIORITY,
                borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
                max_priority_threshold=1,
            ),
            queue("b", "c", (3, 0, 2), reclaim_within_cohort=ANY),
            queue("z", "c", (1, None, 0), within_cluster_queue=LOWER, reclaim_within_cohort=BY_PRIORITY),
        ),
        15,
    ),
    "tree": (
        cluster(
            queue("a", "l", (4, None, 2), within_cluster_queue=LOWER, reclaim_within_cohort=ANY),
            queue(
                "b",
                "l",
                (2, 2, None),
                within_cluster_queue=NEWER,
                reclaim_within_cohort=BY_PRIORITY,
                borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
            ),
            queue("y", "r", (3, None, 1), within_cluster_queue=LOWER, reclaim_within_cohort=BY_PRIORITY),
            queue("z", "r", (0, 3, None), reclaim_within_cohort=ANY),
            cohorts=(
                Cohort("l", "t", groups((0, 2, 3))),
                Cohort("r", "t", groups((1, None, None))),
                Cohort("t"),
            ),
        ),
        45,
    ),
    "two resources": (
        cluster(
            queue(
                "a",
                "c",
                {"f": {"gpu": (4, None, None), "cpu": (8, None, None)}},
                within_cluster_queue=LOWER,
                reclaim_within_cohort=ANY,
            ),
            queue(
                "b",
                "c",
                {"f": {"gpu": (2, 0, None), "cpu": (4, None, None)}},
                within_cluster_queue=LOWER,
                reclaim_within_cohort=BY_PRIORITY,
                borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
            ),
            queue(
                "z",
                "c",
                {"f": {"gpu": (0, 2, None), "cpu": (0, None, None)}},
                reclaim_within_cohort=BY_PRIORITY,
            ),
        ),
        20,
    ),
    "two flavors": (
        cluster(
            queue(
                "a",
                "c",
                {"f": {"gpu": (2, None, None)}, "g": {"gpu": (3, None, None)}},
                within_cluster_queue=LOWER,
                reclaim_within_cohort=ANY,
            ),
            queue(
                "b",
                "c",
                {"f": {"gpu": (2, 1, None)}, "g": {"gpu": (0, 2, None)}},
                within_cluster_queue=NEWER,
                reclaim_within_cohort=BY_PRIORITY,
                borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
            ),
        ),
        13,
    ),
    "fair, both strategies": (_fair(fair_sharing=()), 37),
    "fair, final share": (
        _fair(fair_sharing=(FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,)),
        37,
    ),
    "fair, initial share": (
        _fair(
            fair_sharing=(FairStrategy.LESS_THAN_INITIAL_SHARE,), fair_sharing_preempt_within_nominal=False
        ),
        25,
    ),
    "fair, tree": (
        cluster(
            queue("a", "l", (2, None, None), within_cluster_queue=LOWER, reclaim_within_cohort=ANY),
            queue("b", "l", (2, None, 1), reclaim_within_cohort=ANY, weight=3 * NANO),
            queue("y", "r", (1, None, None), reclaim_within_cohort=BY_PRIORITY),
            queue("z", "t", (1, None, None), reclaim_within_cohort=ANY),
            cohorts=(Cohort("l", "t"), Cohort("r", "t", weight=2 * NANO), Cohort("t")),
            fair_sharing=(),
        ),
        86,
    ),
}
"""By name, a configuration, and how many of its cells solvers find values for; see `cells_of`."""


def cells_of(known: Cluster) -> dict[CellQuery, str]:
    """What Z3 says of every cell, by slices: of lower, equal and higher priority, and of high ones."""
    tree = build_tree(known, next(iter(known.cluster_queues.values())))
    traces: Traces = {}
    found: dict[CellQuery, str] = {}
    for one, other in product(known.cluster_queues, repeat=2):
        names = one, other
        cut = slice_of(tree, *(tree.places[name] for name in names))
        pair = Pair(known, cut, names, preset("guaranteed"), traces)
        for (high, low), reason in product(((1, 0), (1, 1), (0, 1), (3, 2)), tuple(Reason)[:5]):
            cell = CellQuery(names[0], high, names[1], low, reason)
            found[cell] = asked_of(pair, Priorities(high, low), reason)
    return found


def asked_of(pair: Pair, priorities: Priorities, reason: Reason, *more: z3.BoolRef) -> str:
    """What Z3 says of one cell, with more facts."""
    question = pair.question(priorities, reason)
    solver = z3.SolverFor("QF_LIA")
    solver.add(*pair.definitions, *pair.facts, *question, *more)
    return str(solver.check())
