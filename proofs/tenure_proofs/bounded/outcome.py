"""What a run of whole decisions came to: a verdict for each postcondition and preset, with the bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tenure.conformance.protocol import answer
from tenure_proofs.answer import BoundShape
from tenure_proofs.bounded.case import Answer, Postcondition
from tenure_proofs.bounded.clusters import World, name_of
from tenure_proofs.bounded.deciding import NAMESPACE, decide_with_oracle
from tenure_proofs.bounded.families import FAMILIES
from tenure_proofs.bounded.manifests import request_of, story_of
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.bounded.spaces import Size
from tenure_proofs.bounded.trial import Tally, Tried, cluster_of
from tenure_proofs.registry import Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """How a postcondition ended under one preset.

    Args:
        postcondition: which.
        reading: the preset.
        verdict: PROVED up to the bound, REFUTED, VACUOUS where nothing was claimed, or ERROR.
        claimed: of how many decisions it claims something.
        broken: in how many of them it does not hold.
        story: the smallest cluster that breaks it, and what was decided, line by line.
        scenario: the request of `tenure oracle` that shows it.
        detail: why, where the verdict is ERROR.
    """

    postcondition: Postcondition
    reading: str
    verdict: Verdict
    claimed: int
    broken: int
    story: tuple[str, ...] = ()
    scenario: dict[str, Any] | None = None
    detail: str = ""

    @property
    def expected(self) -> Verdict:
        """What is expected under this preset."""
        return self.postcondition.expect[self.reading]

    @property
    def as_expected(self) -> bool:
        """Whether it ended so."""
        return self.verdict == self.expected


@dataclass(frozen=True, slots=True)
class Bounded:
    """Everything about whole decisions.

    Args:
        size: how large the clusters are.
        bounds: every family.
        judged: every postcondition under every preset.
    """

    size: Size
    bounds: tuple[BoundShape, ...]
    judged: tuple[Judged, ...]

    @property
    def clusters(self) -> int:
        """How many there are."""
        return sum(bound.clusters for bound in self.bounds)

    @property
    def decisions(self) -> int:
        """How often the oracle was asked."""
        return sum(bound.decisions for bound in self.bounds)


def bounded_outcome(
    size: Size, tried: Sequence[Tried], readings: Iterable[str], only: Sequence[str]
) -> Bounded:
    """What the parts of a run come to together.

    Args:
        size: how large the clusters are.
        tried: every part of every family.
        readings: the presets of the report.
        only: beginnings of the postconditions of the report; all of them when it is empty.
    """
    chosen = [
        postcondition
        for postcondition in POSTCONDITIONS.values()
        if not only or postcondition.id.startswith(tuple(only))
    ]
    return Bounded(
        size,
        tuple(_bound(family, size, tried) for family in FAMILIES),
        tuple(
            _judged(postcondition, reading, size, tried) for postcondition in chosen for reading in readings
        ),
    )


def _bound(family: str, size: Size, tried: Sequence[Tried]) -> BoundShape:
    mine = [part for part in tried if part.family == family]
    clusters, decisions = sum(part.clusters for part in mine), sum(part.decisions for part in mine)
    words = FAMILIES[family].bound[size]
    return BoundShape(family=family, bound=words, clusters=clusters, decisions=decisions)


def _judged(postcondition: Postcondition, reading: str, size: Size, tried: Sequence[Tried]) -> Judged:
    tallies = [(part.family, part.tallies[postcondition.id][reading]) for part in tried]
    claimed, broken = sum(t.claimed for _, t in tallies), sum(t.broken for _, t in tallies)
    if not broken:
        return Judged(postcondition, reading, Verdict.PROVED if claimed else Verdict.VACUOUS, claimed, 0)
    world = smallest(size, tallies)
    said = decide_with_oracle(world, reading, False)
    scenario = request_of(world, reading)
    detail = _difference(said, answer(scenario))
    verdict = Verdict.ERROR if detail else Verdict.REFUTED
    return Judged(postcondition, reading, verdict, claimed, broken, story_of(world, said), scenario, detail)


def smallest(size: Size, tallies: Iterable[tuple[str, Tally]]) -> World:
    """The first cluster that breaks a claim, in the order of families and of their clusters."""
    order = list(FAMILIES)
    broken = ((order.index(family), tally.first) for family, tally in tallies if tally.first is not None)
    family, number = min(broken)
    return cluster_of(order[family], size, number)


def _difference(said: Answer, replayed: dict[str, Any]) -> str:
    """What the same cluster, as manifests, is decided otherwise; empty when nothing is."""
    output = replayed.get("output", {})
    victims = [f"{NAMESPACE}/{name_of(index)}" for index in said.victims]
    found = output.get("decision"), [item["workload"] for item in output.get("preempted", ())]
    if found == (said.outcome, victims):
        return ""
    return f"as manifests it is decided otherwise: {replayed.get('error', found)}"
