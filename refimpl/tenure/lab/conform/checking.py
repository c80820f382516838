"""A whole check of a program: the vectors first, then random scenarios."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tenure.conformance.vectors import Vector
from tenure.lab.conform.compare import Comparison
from tenure.lab.conform.report import (
    DRAWN,
    Conformance,
    Disagreement,
    counts,
    disagreement,
    drawn_of,
    is_failure,
)
from tenure.lab.conform.run import Found, Part, Plan, comparison, parts
from tenure.lab.conform.smallest import again, smallest
from tenure.lab.conform.summary import both_answers, summary
from tenure.lab.conform.vectors import ask_vectors
from tenure.lab.conform.verdicts import Kind

Tell = Callable[[int, int], None]
"""Called with how many requests are answered, and how many of them failed."""


@dataclass(slots=True)
class Check:
    """What a program was asked, as it goes on.

    Args:
        plan: the random scenarios; of a count of 0, none.
        vectors: the vectors to ask about.
        most: how many failures to tell of each kind; random ones are made small first.
        tell: hears how far it is.
    """

    plan: Plan
    vectors: list[Vector]
    most: int
    tell: Tell
    whole: Part = field(default_factory=Part)
    by_vector: Counter[str] = field(default_factory=Counter)
    failed: int = 0

    def run(self) -> Conformance:
        """Ask everything.

        Raises:
            ProgramFailure: the program failed as a program.
        """
        sides = comparison(self.plan)
        with sides.program:
            told = list(self._vectors(sides))
            if self._draws:
                for part in parts(self.plan):
                    self.whole.merge(part)
                    self.tell(self._asked(), self.failed + len(self.whole.failures))
            told += [self._told(each, sides) for each in self.whole.failures[: self.most]]
        return Conformance(
            program=shlex.join(self.plan.command),
            name=sides.name,
            mode=self.plan.mode.value,
            reading=self.plan.reading,
            conforms=not (self.failed or self.whole.failures) and self._agrees,
            vectors=counts(self.by_vector),
            drawn=drawn_of(self.whole.histogram, self.plan.seed) if self._draws else None,
            disagreements=tuple(told),
        )

    @property
    def _draws(self) -> bool:
        return bool(self.plan.count or self.plan.only)

    @property
    def _agrees(self) -> bool:
        """Whether it ever does: who models nothing conforms to nothing."""
        agree = str(Kind.AGREE)
        return bool(self.by_vector[agree] or self.whole.histogram.verdicts[agree])

    def _asked(self) -> int:
        return sum(self.by_vector.values()) + self.whole.histogram.scenarios

    def _vectors(self, sides: Comparison) -> Iterator[Disagreement]:
        for each in ask_vectors(self.vectors, sides, self.plan.reading):
            self.by_vector[str(each.compared.verdict)] += 1
            if is_failure(each.compared):
                self.failed += 1
                if self.failed <= self.most:
                    comment = str(each.vector.data["comment"])
                    lines = both_answers(each.compared)
                    yield disagreement(each.vector.id, comment, each.compared, lines)
            self.tell(self._asked(), self.failed)

    def _told(self, found: Found, sides: Comparison) -> Disagreement:
        small = smallest(found.compared, sides)
        case = f"{DRAWN}{self.plan.seed} index {found.index}"
        return disagreement(case, f"again with {again(self.plan, found.index)}", small, summary(small))
