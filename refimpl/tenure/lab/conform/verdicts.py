"""What a pair of answers means: agreement, a signed divergence, chance in the program, or a difference."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tenure.errors import ErrorCode
from tenure.lab.divergences import outcome_of

Object = dict[str, Any]
Explain = Callable[[Object, Object, str], str | None]
"""Input, the program's answer and its version; the identifier of a signed divergence."""


class Mode(StrEnum):
    """How much of a decision has to be the reference's; each asks for more than those before it."""

    OUTCOME = "outcome"
    """The decision: Fit, Preempt, NoCandidates or NoFit."""
    VICTIMS = "victims"
    """Who is preempted, from which ClusterQueue, and for which reason."""
    ORDERED = "ordered"
    """The order in which they are."""
    EXPLAINED = "explained"
    """The rules that allow each preemption."""


class Kind(StrEnum):
    """How a scenario ended."""

    AGREE = "agree"
    DIVERGENCE = "signed divergence"
    UNSTABLE = "peer unstable"
    LEFT_OUT = "not modelled"
    UNEXPLAINED = "unexplained"
    PEER_ERROR = "peer error"
    OUR_ERROR = "our error"


FAILURES = (Kind.UNEXPLAINED, Kind.PEER_ERROR, Kind.OUR_ERROR)
"""Every drawn scenario is legal, so an error hides a comparison: it fails like a difference."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one scenario ended.

    Args:
        kind: see `Kind`.
        detail: the divergence's identifier, or the error's code.

    >>> str(Verdict(Kind.DIVERGENCE, "DV-050"))
    'signed divergence DV-050'
    """

    kind: Kind
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.detail}".rstrip()


def classify(
    scenario: Object,
    ours: Object,
    theirs: Object,
    *,
    version: str = "",
    explain: Explain | None = None,
    mode: Mode = Mode.VICTIMS,
    partial: bool = False,
) -> Verdict:
    """Compare two answers to the same request for a decision.

    Args:
        scenario: the request's input.
        ours, theirs: whole answers, each with `output` or `error`.
        version: the program's, as it says itself.
        explain: the signed divergences, if any; they predict decision, victims and reasons.
        mode: what has to be alike.
        partial: whether the program may say of a scenario that it does not model it.

    >>> said = {"output": {"decision": "Fit", "preempted": []}}
    >>> str(classify({}, said, {"output": {"decision": "NoFit", "preempted": []}}))
    'unexplained'
    """
    if partial and _leaves_out(theirs):
        return Verdict(Kind.LEFT_OUT)
    if "error" not in ours and "error" not in theirs:
        if not theirs["output"].get("stable", True):
            return _unstable(scenario, ours, theirs["output"]["variants"], version, explain, mode)
        if seen(ours, mode) == seen(theirs, mode):
            return Verdict(Kind.AGREE)
    signed = explain(scenario, theirs, version) if explain else None
    if signed:
        return Verdict(Kind.DIVERGENCE, signed)
    if "error" in theirs:
        return Verdict(Kind.PEER_ERROR, str(theirs["error"].get("code", "")))
    if "error" in ours:
        return Verdict(Kind.OUR_ERROR, str(ours["error"].get("code", "")))
    return Verdict(Kind.UNEXPLAINED)


def classify_otherwise(ours: Object, theirs: Object, mode: Mode, *, partial: bool = False) -> Verdict:
    """Compare two answers where the reference refuses, or where the call asks for something but a decision.

    Args:
        ours, theirs: whole answers, each with `output` or `error`.
        mode: who has to explain refuses with the same code, because of the same field.
        partial: whether the program may say that it does not model what is asked.

    >>> ours = {"error": {"code": "bad-input", "message": "", "field": "now"}}
    >>> theirs = {"error": {"code": "nonsense", "message": "", "field": ""}}
    >>> [str(classify_otherwise(ours, theirs, mode)) for mode in (Mode.ORDERED, Mode.EXPLAINED)]
    ['agree', 'unexplained']
    """
    if partial and _leaves_out(theirs):
        return Verdict(Kind.LEFT_OUT)
    if "error" in ours and "error" in theirs:
        named = [(answer["error"].get("code"), answer["error"].get("field")) for answer in (ours, theirs)]
        alike = mode is not Mode.EXPLAINED or named[0] == named[1]
        return Verdict(Kind.AGREE if alike else Kind.UNEXPLAINED)
    if "error" in theirs:
        return Verdict(Kind.PEER_ERROR, str(theirs["error"].get("code", "")))
    alike = "error" not in ours and ours["output"] == theirs["output"]
    return Verdict(Kind.AGREE if alike else Kind.UNEXPLAINED)


def _leaves_out(theirs: Object) -> bool:
    return bool(theirs.get("error", {}).get("code") == ErrorCode.NOT_MODELLED)


def seen(answer: Object, mode: Mode) -> Hashable:
    """What a mode looks at, of an answer with a decision.

    >>> taken = {"workload": "ns/a", "clusterQueue": "q", "reason": "InClusterQueue", "rules": ["KQ-010"]}
    >>> seen({"output": {"decision": "Preempt", "preempted": [taken]}}, Mode.OUTCOME)
    'Preempt'
    """
    output = answer["output"]
    if mode is Mode.OUTCOME:
        return str(output["decision"])
    if mode is Mode.VICTIMS:
        return outcome_of(answer)
    return output["decision"], tuple(
        (each["workload"], each["clusterQueue"], each["reason"])
        + ((tuple(each.get("rules") or ()),) if mode is Mode.EXPLAINED else ())
        for each in output.get("preempted") or ()
    )


def _unstable(
    scenario: Object, ours: Object, variants: list[Object], version: str, explain: Explain | None, mode: Mode
) -> Verdict:
    """A program that answers now this, now that: ours is one of its answers, or each is signed for."""
    answers: list[Object] = [{"output": variant} for variant in variants]
    if seen(ours, mode) in [seen(each, mode) for each in answers]:
        return Verdict(Kind.UNSTABLE)
    signed = [explain(scenario, each, version) if explain else None for each in answers]
    if all(signed):
        return Verdict(Kind.DIVERGENCE, " and ".join(sorted({str(each) for each in signed})))
    return Verdict(Kind.UNEXPLAINED, "none of the variants")
