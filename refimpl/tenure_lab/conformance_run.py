"""A whole check of a program: the vectors first, then random scenarios."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from tenure.conformance.vectors import Vector, load_vectors
from tenure.errors import bad_input
from tenure.pools import Hands
from tenure_lab.campaign_blocks import Worker
from tenure_lab.campaigns import CampaignPlan, Difference, Tally, counts
from tenure_lab.conform_report import (
    DRAWN,
    Conformance,
    Disagreement,
    FamilyCoverage,
    disagreement,
    drawn_of,
    shortfalls,
    summary,
    vector_lines,
)
from tenure_lab.pool import Tell, blocks_done
from tenure_lab.shrinking import smallest
from tenure_lab.verdicts import FAILURES, AnswerPair, Kind, Sides

VectorFailure: TypeAlias = tuple[str, str, AnswerPair]
"""A vector that is answered otherwise: its identifier, why it exists, and both answers."""
LONGEST_REFUSAL = 100
"""So many characters of a program's reason are kept."""
BATCH = 32
"""How many vectors are decided at once: few enough to see progress in between."""


@dataclass(slots=True)
class ConformanceCheck:
    """The requests to a program and its answers so far.

    Args:
        plan: the random scenarios; of a count of 0, none.
        jobs: how many processes, each with a program of its own, decide them.
        vectors: the vectors to decide.
        at_least: the least share of them to be answered, in percent; 0 where nothing may be left out.
        excluded: families of rules that are not among them.
        most: how many failures to report of each kind; random ones are made small first.
        tell: called with the progress.
    """

    plan: CampaignPlan
    jobs: int
    vectors: list[Vector]
    at_least: int
    excluded: Sequence[str]
    most: int
    tell: Tell
    whole: Tally = field(default_factory=Tally)
    by_vector: Counter[str] = field(default_factory=Counter)
    by_family: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    failures: list[VectorFailure] = field(default_factory=list)

    def run(self) -> Conformance:
        """Ask everything.

        Raises:
            ProgramFailure: the program failed as a program.
        """
        with Worker(self.plan) as worker:
            sides = worker.sides
            self._ask_vectors(sides)
            shown = [
                disagreement(name, about, pair, vector_lines(name, pair))
                for name, about, pair in simplest_of_each_rule(self.failures)[: self.most]
            ]
            with closing(blocks_done(self.plan, self.plan.blocks(), Hands(self.jobs))) as blocks:
                for _, tally in blocks:
                    self.whole.merge(tally)
                    self.tell(self._decided(), len(self.failures) + self.whole.failed)
            shown += [self._made_small(found, sides) for found in self.whole.differences[: self.most]]
        coverage = [
            FamilyCoverage(family, vectors, self.answered[family])
            for family, vectors in self.by_family.items()
            if self.at_least
        ]
        enough = not any(shortfalls(coverage, self.at_least))
        return Conformance(
            program=shlex.join(self.plan.command),
            name=sides.name,
            mode=self.plan.mode,
            reading=self.plan.reading,
            conforms=not (self.failures or self.whole.failed) and self._agrees and enough,
            vectors=counts(self.by_vector),
            failing=counts(Counter(_rule_of(name) for name, _, _ in self.failures)),
            drawn=drawn_of(self.whole, self.plan.seed) if self.plan.blocks() else None,
            disagreements=tuple(shown),
            coverage=tuple(coverage),
            at_least=self.at_least if coverage else 0,
            excluded=tuple(self.excluded),
            refusals=counts(self.refusals),
        )

    @property
    def _agrees(self) -> bool:
        """Whether it ever does: a program that models nothing conforms to nothing."""
        agree = str(Kind.AGREE)
        return bool(self.by_vector[agree] or self.whole.verdicts[agree])

    def _decided(self) -> int:
        return sum(self.by_vector.values()) + self.whole.scenarios

    def _ask_vectors(self, sides: Sides) -> None:
        """Decide each, a batch at a time; what counts is the reference's answer now."""
        for vector, pair in self._answers(sides):
            self.by_vector[str(pair.verdict)] += 1
            self.by_family[family_of(vector)] += 1
            if pair.verdict.kind is Kind.LEFT_OUT:
                self.refusals[_refusal(pair)] += 1
            else:
                self.answered[family_of(vector)] += 1
            if pair.verdict.kind in FAILURES:
                self.failures.append((vector.id, str(vector.data["comment"]), pair))
            self.tell(self._decided(), len(self.failures))

    def _answers(self, sides: Sides) -> Iterator[tuple[Vector, AnswerPair]]:
        chosen = {"reading": self.plan.reading} if self.plan.reading else {}
        for start in range(0, len(self.vectors), BATCH):
            batch = self.vectors[start : start + BATCH]
            requests = [vector.request() for vector in batch]
            calls_made = [(request["call"], {**request["input"], **chosen}) for request in requests]
            yield from zip(batch, sides.answers(calls_made), strict=True)

    def _made_small(self, found: Difference, sides: Sides) -> Disagreement:
        small = smallest(sides.one(found.scenario), sides)
        case = f"{DRAWN}{self.plan.seed} index {found.index}"
        return disagreement(case, f"again with {self.plan.again(found.index)}", small, summary(small))


def simplest_of_each_rule(failures: Iterable[VectorFailure]) -> list[VectorFailure]:
    """Failures with the simplest of each rule first, then the second ones, and so on; each time by size.

    Requests that the program refuses come last: nothing is wrong in what it decides there.

    Args:
        failures: vectors that a program answers otherwise: identifier, why the vector exists, both answers.
    """
    place: Counter[str] = Counter()
    ranked: list[tuple[tuple[bool, int], VectorFailure]] = []
    for failure in sorted(failures, key=_size):
        rule = _rule_of(failure[0])
        ranked.append(((failure[2].is_refused, place[rule]), failure))
        place[rule] += 1
    return [failure for _, failure in sorted(ranked, key=lambda known: known[0])]


def _rule_of(vector: str) -> str:
    return vector.partition("/")[0]


def _size(failure: VectorFailure) -> tuple[int, str]:
    """How much there is to read of a failure; of as much, by identifier."""
    name, _, pair = failure
    return len(str(pair.scenario)), name


def _refusal(pair: AnswerPair) -> str:
    """Why a vector was left out, in a line of the program's own words."""
    message = str(pair.theirs.get("error", {}).get("message") or "no reason")
    return " ".join(message.split())[:LONGEST_REFUSAL]


def chosen_vectors(
    calls: Collection[str],
    beginnings: Collection[str] = (),
    excluded: Collection[str] = (),
    folder: Path | None = None,
) -> list[Vector]:
    """The vectors to ask about.

    Args:
        calls: calls of the protocol that the program answers.
        beginnings: of identifiers; none for all.
        excluded: families of rules to leave out.
        folder: of vector files; None for the published ones.

    Raises:
        InputError: a beginning with which no vector begins; no such family; a file that has no vectors.

    >>> {vector.data["call"] for vector in chosen_vectors(["minruntime"])}
    {'minruntime'}
    """
    vectors = load_vectors(folder)
    for beginning in beginnings:
        if not any(vector.id.startswith(beginning) for vector in vectors):
            raise bad_input("--only", beginning, "the beginning of some vector's identifier")
    families = sorted({family_of(vector) for vector in vectors})
    for family in excluded:
        if family not in families:
            raise bad_input("--without-family", family, f"one of {', '.join(families)}")
    return [
        vector
        for vector in vectors
        if vector.data["call"] in calls
        and (not beginnings or vector.id.startswith(tuple(beginnings)))
        and family_of(vector) not in excluded
    ]


def family_of(vector: Vector) -> str:
    """The family of rules that a vector is about, as its identifier begins: `KQ`."""
    return vector.id.partition("-")[0]
