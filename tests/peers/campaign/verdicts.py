"""What a pair of answers means: agreement, a signed divergence, chance in the peer, or a difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tenure.divergences import Outcome, outcome_of

Object = dict[str, Any]
Explain = Callable[[Object, Object, str], str | None]
"""Input, the peer's answer and the peer's version; the identifier of a signed divergence."""


class Kind(StrEnum):
    """How a scenario ended."""

    AGREE = "agree"
    DIVERGENCE = "signed divergence"
    UNSTABLE = "peer unstable"
    UNEXPLAINED = "unexplained"
    PEER_ERROR = "peer error"
    OUR_ERROR = "our error"


FAILURES = (Kind.UNEXPLAINED, Kind.PEER_ERROR, Kind.OUR_ERROR)
"""Every drawn scenario is legal, so an error hides a comparison: it fails a campaign like a difference."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one scenario ended.

    Args:
        kind: see `Kind`.
        detail: the divergence's identifier, or the error's code.
    """

    kind: Kind
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.detail}".rstrip()


def no_divergence(scenario: Object, theirs: Object, version: str) -> str | None:
    """Explains nothing."""
    return None


def classify(
    scenario: Object, ours: Object, theirs: Object, *, version: str = "", explain: Explain = no_divergence
) -> Verdict:
    """Compare two answers to the same request.

    Args:
        scenario: the request's input.
        ours, theirs: whole answers, each with `output` or `error`.
        version: the peer's, as it says itself.
        explain: the signed divergences.
    """
    if "error" not in ours and "error" not in theirs:
        mine, other = outcome_of(ours), theirs["output"]
        if not other.get("stable", True):
            return _unstable(scenario, mine, other["variants"], version, explain)
        if mine == outcome_of(theirs):
            return Verdict(Kind.AGREE)
    signed = explain(scenario, theirs, version)
    if signed:
        return Verdict(Kind.DIVERGENCE, signed)
    if "error" in theirs:
        return Verdict(Kind.PEER_ERROR, str(theirs["error"].get("code", "")))
    if "error" in ours:
        return Verdict(Kind.OUR_ERROR, str(ours["error"].get("code", "")))
    return Verdict(Kind.UNEXPLAINED)


def _unstable(
    scenario: Object, mine: Outcome, variants: list[Object], version: str, explain: Explain
) -> Verdict:
    """A peer that answers now this, now that: our answer is one of its own, or each of them is signed for."""
    answers: list[Object] = [{"output": variant} for variant in variants]
    if mine in map(outcome_of, answers):
        return Verdict(Kind.UNSTABLE)
    signed = [explain(scenario, each, version) for each in answers]
    if all(signed):
        return Verdict(Kind.DIVERGENCE, " and ".join(sorted({str(each) for each in signed})))
    return Verdict(Kind.UNEXPLAINED, "none of the variants")
