"""One decision that is judged, and how postconditions are registered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tenure.claims import claim_words
from tenure.readings import preset_names
from tenure_proofs.bounded.clusters import Job, World
from tenure_proofs.bounded.facts import Facts
from tenure_proofs.registry import Verdict


class Answer(NamedTuple):
    """What was decided.

    Args:
        outcome: Fit, Preempt, NoCandidates or NoFit.
        victims: by index, in the order of removal.
        reasons: why, as the API writes it.
        removed: who was removed on the way, in that order; some of them may have got their quota back.
    """

    outcome: str
    victims: tuple[int, ...]
    reasons: tuple[str, ...]
    removed: tuple[int, ...]


Decide = Callable[[World, str, bool], Answer]
"""Decides for a cluster under a preset, its objects given in their order or in the opposite one."""


@dataclass(frozen=True, slots=True)
class Case:
    """A cluster and what was decided for it under a preset.

    Args:
        facts: what is true of the cluster.
        preset: the reading.
        answer: what was decided.
        answers: what was decided under every preset.
        decide: decides once more.
    """

    facts: Facts
    preset: str
    answer: Answer
    answers: Mapping[str, Answer]
    decide: Decide

    @property
    def world(self) -> World:
        """The cluster."""
        return self.facts.world

    @property
    def gone(self) -> frozenset[int]:
        """The victims, as a set."""
        return frozenset(self.answer.victims)

    @property
    def taken(self) -> tuple[Job, ...]:
        """The victims, in the order of removal."""
        return tuple(self.world.jobs[index] for index in self.answer.victims)

    @property
    def is_hero(self) -> bool:
        """Whether a hero asks."""
        return self.world.is_hero(self.world.mine)

    @property
    def is_plain(self) -> bool:
        """Whether a standard queue asks, and the plain arithmetic of quota is all there is."""
        return not self.is_hero and self.facts.is_unbilled(self.preset)

    @property
    def is_plain_hero(self) -> bool:
        """Whether a hero asks and what fits is plain.

        That is so under the guarantee, without lending limits and bills from above.
        """
        return (
            self.is_hero
            and self.preset == "guaranteed"
            and not self.facts.has_limits()
            and self.facts.is_free_of_bills_from_above()
        )

    def fits_without(self, gone: frozenset[int]) -> bool:
        """Whether the request fits when some have left; only of a plain case."""
        return self.facts.hero_fits(gone) if self.is_hero else self.facts.fits(gone)


Claim = Callable[[Case], bool | None]
"""Whether what is claimed holds of a case; None where nothing is claimed of it."""

_ID = re.compile(r"^WD-\d{3}$")


@dataclass(frozen=True, slots=True)
class Postcondition:
    """A claim about whole decisions.

    Args:
        id: its identifier, issued once.
        claim: judges a case; its name is the claim.
        expect: PROVED or REFUTED for every preset.
    """

    id: str
    claim: Claim
    expect: Mapping[str, Verdict]

    @property
    def words(self) -> str:
        """The claim in words."""
        return claim_words(self.claim.__name__)

    @property
    def source(self) -> str:
        """Where it comes from, as its docstring says."""
        return " ".join((self.claim.__doc__ or "").split())


_POSTCONDITIONS: dict[str, Postcondition] = {}


def postcondition(identifier: str, expect: Mapping[str, Verdict]) -> Callable[[Claim], Claim]:
    """Register a claim about whole decisions.

    Raises:
        ValueError: a malformed identifier, or one in use, or an expectation that leaves a preset out.
    """
    if not _ID.match(identifier) or identifier in _POSTCONDITIONS:
        raise ValueError(f"{identifier!r} is malformed or in use")
    if set(expect) != set(preset_names()) or not set(expect.values()) <= {Verdict.PROVED, Verdict.REFUTED}:
        raise ValueError(f"{identifier} expects proved or refuted for each of {', '.join(preset_names())}")

    def register(claim: Claim) -> Claim:
        _POSTCONDITIONS[identifier] = Postcondition(identifier, claim, dict(expect))
        return claim

    return register


def all_postconditions() -> Mapping[str, Postcondition]:
    """Every registered postcondition, by identifier."""
    return {identifier: _POSTCONDITIONS[identifier] for identifier in sorted(_POSTCONDITIONS)}
