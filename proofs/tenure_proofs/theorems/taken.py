"""What a theorem uses and does not show: each such formula names what shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import z3

from tenure_proofs.trusted.induction import Lemma, Part


class Taken(z3.BoolRef):  # type: ignore[misc]  # z3 has no types
    """A formula that is used, and shown elsewhere or nowhere.

    Args:
        formula: what is used.
        words: what it says, as the theorem's `assumes` says it.
        by: the claim that proves it, or why none does.
    """

    def __init__(self, formula: z3.BoolRef, words: str, by: str) -> None:
        super().__init__(formula.as_ast(), formula.ctx)
        self.words, self.by = words, by


def given(words: str, by: str, formula: z3.BoolRef) -> Lemma:
    """A fact about one step that is shown elsewhere, or nowhere."""
    return Lemma(words, z3.BoolVal(True), Taken(formula, words, by))


def watched(parts: Iterable[Part], found: set[tuple[str, str]]) -> Iterator[Part]:
    """The same parts; what they take is put into `found`, with no proof where a lemma names none."""
    for part in parts:
        found |= {(fact.words, fact.by) for fact in part.hypotheses if isinstance(fact, Taken)}
        if part.place == "lemma":
            found |= {(label, "") for label, needs in part.goals if z3.is_true(needs)}
        yield part
