"""A whole scenario from a seed and an index."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.conformance.requests import DecideRequest
from tenure.lab.campaign.draws.classes import draw_classes
from tenure.lab.campaign.draws.fate import Fate
from tenure.lab.campaign.draws.nodes import Nodes
from tenure.lab.campaign.draws.pending import draw_pending
from tenure.lab.campaign.draws.proposals import Proposals, draw_reading
from tenure.lab.campaign.draws.queues import QueueDraws
from tenure.lab.campaign.draws.running import RunningDraws
from tenure.lab.campaign.draws.settings import draw_settings
from tenure.lab.campaign.draws.times import CLOCKS
from tenure.lab.strategies.flavors import draw_flavors
from tenure.lab.strategies.objects import Object
from tenure.lab.strategies.options import Options
from tenure.lab.strategies.queues import draw_layout, flavor_names
from tenure.lab.strategies.tree import draw_tree
from tenure.manifests import read_resource_flavor
from tenure.model import Cluster, ResourceFlavor


@dataclass(frozen=True, slots=True)
class _Size:
    """So many queues and workloads at most."""

    options: Options
    workloads: tuple[int, ...]


SIZES = (
    *(_Size(Options(max_queues=3), (2, 4, 6, 6)),) * 4,
    *(_Size(Options(max_queues=4), (4, 8, 10)),) * 4,
    *(_Size(Options(max_queues=6), (8, 12, 16)),) * 2,
    _Size(Options(max_queues=8), (24, 30)),
)
"""Most are small: what both sides do otherwise shows in a few workloads, and a small one costs less."""


def draw(seed: int, index: int, heroes: int = 20) -> DecideRequest:
    """One scenario: a cluster that is nearly full, and who waits in it, under some reading.

    Args:
        seed: any whole number.
        index: which of its scenarios, from 0.
        heroes: in how many of a hundred scenarios ClusterQueues may be heroes (KEP-8826).

    >>> draw(8522, 7) == draw(8522, 7)
    True
    """
    fate = Fate(f"{seed}/{index}")
    proposals = Proposals(
        durations=fate.chance(45), ageing=fate.chance(20), heroes=fate.chance(heroes), fate=fate
    )
    size = fate.pick(SIZES)
    now = fate.pick(CLOCKS)
    tree = draw_tree(fate, size.options)
    settings = draw_settings(fate)
    layout = draw_layout(fate, size.options)
    drawn = draw_flavors(fate, size.options, flavor_names(layout))
    flavors = {each["metadata"]["name"]: _flavor(each) for each in drawn.objects}
    made = QueueDraws(fate, tree, layout, proposals, fair=settings.fair_sharing is not None)
    queues, cohorts = made.cluster_queues(frozenset(flavors)), made.cohorts()
    nodes = Nodes(tree, queues, cohorts)
    classes = draw_classes(fate) if proposals.ageing else {}
    running = RunningDraws(fate, tree, nodes, queues, proposals, tuple(classes), frozenset(flavors), now)
    admitted = running.workloads(fate.pick(size.workloads))
    waiting = draw_pending(
        fate,
        queues[tree.target],
        nodes.queues[tree.target],
        tuple(classes),
        now,
        constrained=drawn.constrained,
        duration=proposals.durations,
    )
    cluster = Cluster(
        cluster_queues=queues,
        admitted=admitted,
        pending=(waiting,),
        flavors=flavors,
        settings=settings,
        cohorts=cohorts,
        growing=classes,
    )
    return DecideRequest(
        cluster=cluster,
        preemptor=waiting,
        queue=tree.target,
        now=now,
        reading=draw_reading(fate),
        assignment=None,
        explained=False,
    )


def _flavor(raw: Object) -> ResourceFlavor:
    """Most say nothing but their name; reading them would take longer than drawing the rest."""
    return read_resource_flavor(raw) if raw["spec"] else ResourceFlavor(raw["metadata"]["name"])
