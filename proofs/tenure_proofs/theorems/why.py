"""Why a theorem is proved: the claims below it, down to what none of them proves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tenure.units import counted
from tenure_proofs.answer import PremiseShape, ProvedByAnswer, RestsOnShape
from tenure_proofs.obligations import OBLIGATIONS, claim_text
from tenure_proofs.theorems.outcome import discharged
from tenure_proofs.theorems.registry import BELIEVED, PYTHON, all_theorems
from tenure_proofs.theorems.taken import ASSUMED
from tenure_proofs.trusted.defined import DEFINED
from tenure_proofs.trusted.specified import GIVEN, INDUCTION

_KINDS = {
    BELIEVED: "belief",
    PYTHON: "Python fact",
    ASSUMED: "stand-in",
    DEFINED: "definition",
    INDUCTION: "induction",
    GIVEN: "condition",
}


def below(identifier: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """A claim and all below it, each with what it takes for granted and by which claim that is proved.

    Args:
        identifier: of a theorem or an obligation; an obligation takes nothing for granted.

    >>> sorted(below("PO-ANY-050"))
    ['PO-ANY-025', 'PO-ANY-030', 'PO-ANY-040', 'PO-ANY-045', 'PO-ANY-050', 'PO-ANY-052', 'PO-ANY-057']
    """
    theorems, found, left = all_theorems(), dict[str, tuple[tuple[str, str], ...]](), [identifier]
    while left:
        name = left.pop()
        found[name] = tuple(theorems[name].uses) if name in theorems else ()
        left += [by for _, by in found[name] if by not in _KINDS and by not in found]
    return found


def claim_of(identifier: str) -> str:
    """What a theorem or an obligation claims, in words."""
    theorem = all_theorems().get(identifier)
    return claim_text(OBLIGATIONS[identifier]) if theorem is None else theorem.words


def why_proved(identifier: str) -> ProvedByAnswer:
    """For other programs; schema prove-why describes it.

    Args:
        identifier: of a theorem or an obligation.
    """
    claims = below(identifier)
    return ProvedByAnswer(
        id=identifier,
        claims=[
            RestsOnShape(
                id=name,
                claim=claim_of(name),
                assumes=[PremiseShape(words=words, by=discharged(words, by)) for words, by in uses],
            )
            for name, uses in claims.items()
        ],
        beliefs=sorted({words for uses in claims.values() for words, by in uses if by == BELIEVED}),
    )


def why_lines(identifier: str) -> Iterator[str]:
    """The same for people: a tree, in which each claim has its branches once.

    Args:
        identifier: of a theorem or an obligation.

    >>> for line in why_lines("PO-ANY-245"): print(line)  # doctest: +ELLIPSIS
    PO-ANY-245: a search keeps a workload exactly if the request fits in its last attempt and those suffice
    ...
    """
    claims = below(identifier)
    yield from _branches(claims, identifier, "", set())
    pairs = {pair for uses in claims.values() for pair in uses}
    count = Counter(by for _, by in pairs if by in _KINDS)
    kinds = [counted(count[kind], words) for kind, words in _KINDS.items() if count[kind]]
    yield f"below it: {', '.join([counted(len(claims) - 1, 'claim'), *kinds])}"


def _branches(
    claims: Mapping[str, Sequence[tuple[str, str]]], identifier: str, indent: str, shown: set[str]
) -> Iterator[str]:
    uses = claims[identifier]
    again = " (its branches are above)" if identifier in shown and uses else ""
    yield f"{indent}{identifier}: {claim_of(identifier)}{again}"
    if identifier in shown:
        return
    shown.add(identifier)
    for by in dict.fromkeys(by for _, by in uses if by not in _KINDS):
        yield from _branches(claims, by, f"{indent}  ", shown)
    stands = [words.partition("`")[2].rstrip("`") for words, by in uses if by == ASSUMED]
    if stands:
        yield f"{indent}  assumed as written, what stands for: {', '.join(stands)}"
    for words, by in uses:
        if by in _KINDS and by != ASSUMED:
            yield f"{indent}  {words}: {discharged(words, by)}"
