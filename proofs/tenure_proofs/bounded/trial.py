"""Decides every cluster of a part of a family under every preset, and judges each decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tenure.readings import preset_names
from tenure_proofs.bounded.case import Answer, Case, Decide, Postcondition
from tenure_proofs.bounded.clusters import World
from tenure_proofs.bounded.deciding import decide_with_oracle
from tenure_proofs.bounded.facts import Facts
from tenure_proofs.bounded.families import FAMILIES
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.bounded.spaces import Size

PARTS = 8
"""Into how many parts a family is cut, for as many processes, and for what is kept of earlier runs."""


@dataclass(slots=True)
class Tally:
    """How one postcondition ended under one preset, as far as it was asked.

    Args:
        claimed: how often its premise held.
        broken: how often it did not hold then.
        first: the number of the first cluster that breaks it, in the order of its family; None for none.
    """

    claimed: int = 0
    broken: int = 0
    first: int | None = None

    def count(self, holds: bool, number: int) -> None:
        """One more case of which something is claimed."""
        self.claimed += 1
        if not holds:
            self.broken += 1
            self.first = number if self.first is None else self.first


@dataclass(slots=True)
class Tried:
    """What the decisions about some clusters of a family came to.

    Args:
        family: its name.
        clusters: how many clusters.
        decisions: how often the oracle was asked.
        tallies: by postcondition, then by preset.
    """

    family: str
    clusters: int = 0
    decisions: int = 0
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a family's clusters: every `of`-th, beginning with this one."""

    family: str
    size: Size
    number: int
    of: int

    def clusters(self) -> Iterator[tuple[int, World]]:
        """Its clusters with their numbers in the family."""
        return islice(enumerate(FAMILIES[self.family].clusters(self.size)), self.number, None, self.of)


class Trial:
    """Decides and counts.

    Args:
        decide: who decides.
        claims: what is claimed of each decision.
    """

    def __init__(self, decide: Decide, claims: Iterable[Postcondition]) -> None:
        self._oracle = decide
        self._claims = tuple(claims)
        self.decisions = 0

    def decide(self, world: World, preset: str, backwards: bool) -> Answer:
        """Ask once more."""
        self.decisions += 1
        return self._oracle(world, preset, backwards)

    def cases(self, world: World) -> Iterator[Case]:
        """The decisions about a cluster under every preset."""
        facts = Facts(world)
        answers = {preset: self.decide(world, preset, False) for preset in preset_names()}
        for preset, answer in answers.items():
            yield Case(facts, preset, answer, answers, self.decide)

    def tried(self, family: str, clusters: Iterable[tuple[int, World]]) -> Tried:
        """What the decisions about some clusters come to."""
        found = Tried(family)
        tallies = {
            postcondition.id: {preset: Tally() for preset in preset_names()} for postcondition in self._claims
        }
        for number, world in clusters:
            found.clusters += 1
            for case in self.cases(world):
                for postcondition in self._claims:
                    holds = postcondition.claim(case)
                    if holds is not None:
                        tallies[postcondition.id][case.preset].count(holds, number)
        found.decisions, found.tallies = self.decisions, tallies
        return found


def try_part(part: Part) -> Tried:
    """What a part of a family comes to."""
    return Trial(decide_with_oracle, POSTCONDITIONS.values()).tried(part.family, part.clusters())


def parts(size: Size, of: int) -> Sequence[Part]:
    """Every family in so many parts."""
    return [Part(family, size, number, of) for family in FAMILIES for number in range(of)]


def cluster_of(family: str, size: Size, number: int) -> World:
    """The cluster with a number in the order of its family."""
    return next(islice(FAMILIES[family].clusters(size), number, None))
