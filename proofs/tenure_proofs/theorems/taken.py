"""What a theorem uses and does not show: each such formula names what shows it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar, cast

import z3

from tenure_proofs.trusted.defined import DEFINED, Defined
from tenure_proofs.trusted.induction import Lemma, Part
from tenure_proofs.trusted.procedures import CALLS
from tenure_proofs.trusted.specified import LAW, LEMMA, Conclusion, Said, Taken

ASSUMED = "assumed"
"""Why no claim proves what stands for a function: it is as the statement writes it."""

_Made = TypeVar("_Made")
_Function = TypeVar("_Function", bound=Callable[..., Any])

EVERYWHERE, MODELLED, SHOWN = "everywhere", "modelled", "shown"
"""Of every point, where it is used; no formula says it; what is shown for others."""

Uses = dict[tuple[str, str], str]
"""What a statement uses, by its words and by what shows it: how it enters."""

_STATED: ContextVar[Uses | None] = ContextVar("what is used by what is being stated", default=None)


def given(words: str, by: str, formula: z3.BoolRef) -> Lemma:
    """A fact about one step that is shown elsewhere, or nowhere."""
    return lemmas_of(Taken(formula, words, by, LEMMA))[0]


def lemmas_of(*facts: Taken) -> list[Lemma]:
    """Facts about one step, each with what shows it: nothing else has to hold for them."""
    return [Lemma(fact.words, z3.BoolVal(True), fact) for fact in facts]


def everywhere(
    *facts: tuple[str, str, Callable[..., z3.BoolRef]] | tuple[Conclusion, Callable[..., Sequence[Any]]],
) -> Callable[..., Sequence[Taken]]:
    """Facts about every point.

    Args:
        facts: each of the point, with its words and with what shows it; or what another theorem concludes,
            with its values at the point.
    """

    def known(*at: Any) -> Iterator[Taken]:
        for fact in facts:
            if len(fact) == 2:
                yield fact[0].of(*fact[1](*at))
            else:
                yield Taken(fact[2](*at), fact[0], fact[1], EVERYWHERE)

    return lambda *at: [*known(*at)]


def modelled(words: str, by: str) -> None:
    """Something that no formula says, of how the statement that is being stated models what it is about."""
    if (found := _STATED.get()) is not None:
        found[words, by] = MODELLED


def known(fact: Taken) -> None:
    """What a stand-in lets be used where it is called."""
    if (calls := CALLS.get()) is not None:
        calls.known.append(fact)


def needed(goal: z3.BoolRef) -> None:
    """What has to be shown where a stand-in is called."""
    if (calls := CALLS.get()) is not None:
        calls.needed.append(goal)


def standing(*premises: tuple[str, str]) -> Callable[[_Function], _Function]:
    """What stands for a function: whatever calls it takes these for granted, each with what shows it."""

    def of(function: _Function) -> _Function:
        @functools.wraps(function)
        def stands(*arguments: Any) -> Any:
            for words, by in premises:
                modelled(words, by)
            return function(*arguments)

        return cast("_Function", stands)

    return of


def watched(statement: Callable[[], Iterable[Part]], found: Uses) -> Iterator[Part]:
    """The parts of a statement; what they use is put into `found`, with no proof where a lemma names none.

    What a statement shows of a function it may use of what calls it, where all of that is shown before.
    """
    own = set[str]()
    for part in _stated(statement, found):
        for fact in part.hypotheses:
            if isinstance(fact, Taken) and fact.form == LAW and (fact.words, SHOWN) in found:
                own.add(fact.words)
            elif isinstance(fact, Taken):
                made_so = fact.by != DEFINED or isinstance(fact, Defined)
                found[fact.words, fact.by if made_so else ""] = fact.form
        for name in part.stands:
            found[f"what stands for `{name}`", ASSUMED] = MODELLED
        found |= {(str(label), SHOWN): SHOWN for label, _ in part.goals if isinstance(label, Said)}
        if part.shows:
            found[part.shows, "" if part.shows in own else SHOWN] = SHOWN
        if part.place == "lemma":
            found |= {(label, ""): LEMMA for label, needs in part.goals if z3.is_true(needs)}
        yield part


def _stated(statement: Callable[[], Iterable[Part]], found: Uses) -> Iterator[Part]:
    """The parts, each made while what it uses is noted."""
    parts = _noting(found, lambda: iter(statement()))
    while (part := _noting(found, lambda: next(parts, None))) is not None:
        yield part


def _noting(found: Uses, make: Callable[[], _Made]) -> _Made:
    before = _STATED.set(found)
    try:
        return make()
    finally:
        _STATED.reset(before)
