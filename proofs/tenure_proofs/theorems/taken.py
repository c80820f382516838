"""What a theorem uses and does not show: each such formula names what shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import z3

from tenure_proofs.trusted.induction import Lemma, Part

FACT, LEMMA, EVERYWHERE = "fact", "lemma", "everywhere"
"""Of values of the statement; of one arbitrary step; of every point, each time it is used."""


class Taken(z3.BoolRef):  # type: ignore[misc]  # z3 has no types
    """A formula that is used, and shown elsewhere or nowhere.

    Args:
        formula: what is used.
        words: what it says, as the theorem's `assumes` says it.
        by: the claim that proves it, or why none does.
        form: how it enters: FACT, LEMMA or EVERYWHERE.
    """

    def __init__(self, formula: z3.BoolRef, words: str, by: str, form: str = FACT) -> None:
        super().__init__(formula.as_ast(), formula.ctx)
        self.words, self.by, self.form = words, by, form


def given(words: str, by: str, formula: z3.BoolRef) -> Lemma:
    """A fact about one step that is shown elsewhere, or nowhere."""
    return Lemma(words, z3.BoolVal(True), Taken(formula, words, by, LEMMA))


def everywhere(*facts: tuple[str, str, Callable[..., z3.BoolRef]]) -> Callable[..., Sequence[Taken]]:
    """Facts about every point, of that point, each with its words and with what shows it."""
    return lambda *at: [Taken(fact(*at), words, by, EVERYWHERE) for words, by, fact in facts]


def watched(parts: Iterable[Part], found: dict[tuple[str, str], str]) -> Iterator[Part]:
    """The same parts; what they take is put into `found`, with no proof where a lemma names none."""
    for part in parts:
        found |= {(fact.words, fact.by): fact.form for fact in part.hypotheses if isinstance(fact, Taken)}
        if part.place == "lemma":
            found |= {(label, ""): LEMMA for label, needs in part.goals if z3.is_true(needs)}
        yield part
