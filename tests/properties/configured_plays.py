"""Random PreemptionConfigs, of one ClusterQueue or of several that cannot borrow, played.

Where loops are excluded there is none.

    python -m tests.properties.configured_plays --n 1000 --seed 1

Each draw is played four times, with four workloads of which one fits.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import replace

from tenure.model import SECOND, Cluster, FlavorQuotas, ResourceGroup, Settings
from tenure_check.analysis.closed_systems import CohortTree
from tenure_check.analysis.no_loop import proved_of_loops
from tenure_check.analysis.periodic_runs import MINUTE, first_loop_of
from tenure_play import Scenario
from tenure_play.scenario import Submission, Submit
from tests.properties.preemption_cycles import READING, Drawing

START = 1_767_600_000_000_000_000
PLAYS, WORKLOADS = 4, 4
"""Plays of a draw, and workloads of each."""


def draw_tree(drawing: Drawing, *, several: bool = False) -> CohortTree:
    """A ClusterQueue alone that names a PreemptionConfig, or several that cannot use more than their own."""
    whole = drawing.cluster()
    if several:
        quotas = FlavorQuotas("default", {"gpu": 1}, {"gpu": 0})
        groups = (ResourceGroup(("gpu",), (quotas,)),)
        limited = {
            name: replace(found, resource_groups=groups, preemption_config=found.preemption_config or "x")
            for name, found in whole.cluster_queues.items()
        }
        scenario = Scenario("drawn", "", START, START + 20 * MINUTE, replace(whole, cluster_queues=limited))
        return CohortTree("all", scenario, (), ())
    own = next(found for found in whole.cluster_queues.values() if any(found.nominal().values()))
    alone = replace(own, cohort=None, preemption_config=own.preemption_config or "x")
    settings = Settings(priority_boost=whole.settings.priority_boost)
    cluster: Cluster = replace(whole, cluster_queues={alone.name: alone}, settings=settings)
    return CohortTree(alone.name, Scenario("drawn", "", START, START + 20 * MINUTE, cluster), (), ())


def loops(drawing: Drawing, tree: CohortTree) -> bool:
    """Whether some workloads, of which the quota takes one, never come to rest."""
    queues = [*tree.cluster.cluster_queues]
    events = []
    for place in range(WORKLOADS):
        at = START + drawing.random.randrange(3) * MINUTE
        queue, workload = drawing.workload(place)
        queue = queue if queue in queues else queues[0]
        submission = Submission(replace(workload, created_at=at), queue, keeps=False, eviction=5 * SECOND)
        events.append(Submit(at, submission))
    played = replace(tree.scenario, events=tuple(sorted(events, key=lambda event: event.at)), max_cycles=3000)
    return first_loop_of(played, READING) is not None


def plays(seed: int, numbers: range) -> Counter[tuple[bool, bool]]:
    """By whether loops are excluded, how many draws have a loop in one of their plays.

    Args:
        seed, numbers: of the draws, each of which depends on nothing else.
    """
    found: Counter[tuple[bool, bool]] = Counter()
    for number in numbers:
        drawing = Drawing(random.Random(f"{seed}:{number}"), careful=number % 2 == 0)
        tree = draw_tree(drawing, several=number % 3 == 1)
        proved = proved_of_loops(tree, READING)
        excluded = proved is not None and proved.excluded
        found[excluded, any(loops(drawing, tree) for _ in range(PLAYS))] += 1
    return found


def main() -> int:
    """Draw, play, and print the figures; 1 where loops are excluded and there is one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--n", type=int, default=200, help="how many configurations")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = plays(given.seed, range(given.n))
    for excluded, words in ((True, "loops excluded"), (False, "not excluded")):
        total = found[excluded, True] + found[excluded, False]
        print(f"{words}: {total} configurations, {found[excluded, True]} with a loop in one of {PLAYS} plays")
    return 1 if found[True, True] else 0


if __name__ == "__main__":
    raise SystemExit(main())
