"""Two answers to one request, and what they mean: agreement, a divergence, chance, or a difference."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tenure.conformance.divergences import explain as explained
from tenure.conformance.divergences import outcome_of
from tenure.errors import ErrorCode
from tenure_lab.choices import Mode
from tenure_lab.programs import Program, ProgramFailure, need_decision, our_answer

Object = dict[str, Any]
Explain = Callable[[Object, Object, str], str | None]
"""Input, the program's answer and its version; the identifier of a signed divergence."""


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
        version: the program's, as it reports it.
        explain: the signed divergences, if any; they predict decision, victims and reasons.
        mode: what has to be alike.
        partial: whether the program may leave a scenario out as not modelled.

    >>> fit = {"output": {"decision": "Fit", "preempted": []}}
    >>> str(classify({}, fit, {"output": {"decision": "NoFit", "preempted": []}}))
    'unexplained'
    """
    if (partial and _leaves_out(theirs)) or _leaves_out(ours):
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
    """Compare two answers where the reference refuses, or where the call is for something but a decision.

    Args:
        ours, theirs: whole answers, each with `output` or `error`.
        mode: who has to explain refuses with the same code, because of the same field.
        partial: whether the program may leave the request out as not modelled.

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


def _leaves_out(answer: Object) -> bool:
    return bool(answer.get("error", {}).get("code") == ErrorCode.NOT_MODELLED)


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
        (victim["workload"], victim["clusterQueue"], victim["reason"])
        + ((tuple(victim.get("rules") or ()),) if mode is Mode.EXPLAINED else ())
        for victim in output.get("preempted") or ()
    )


def _unstable(
    scenario: Object, ours: Object, variants: list[Object], version: str, explain: Explain | None, mode: Mode
) -> Verdict:
    """A program that answers now this, now that: ours is one of its answers, or each is signed for."""
    answers: list[Object] = [{"output": variant} for variant in variants]
    if seen(ours, mode) in [seen(answer, mode) for answer in answers]:
        return Verdict(Kind.UNSTABLE)
    signed = [explain(scenario, answer, version) if explain else None for answer in answers]
    if all(signed):
        return Verdict(Kind.DIVERGENCE, " and ".join(sorted({str(name) for name in signed})))
    return Verdict(Kind.UNEXPLAINED, "none of the variants")


DECIDE = "decide"
KUEUE = "kueue"
"""What the peer around the real scheduler calls itself."""
CONFIRM = 64
"""How often a program decides a difference again before it counts: chance in it is no difference."""


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """A request with both answers.

    Args:
        scenario: its input.
        ours, theirs: whole answers, each with `output` or `error`.
        verdict: what came of it.
        call: of the protocol.
    """

    scenario: Object
    ours: Object
    theirs: Object
    verdict: Verdict
    call: str = DECIDE

    @property
    def is_refused(self) -> bool:
        """Whether it fails because the program refuses the request as not modelled."""
        return self.verdict.kind is Kind.PEER_ERROR and _leaves_out(self.theirs)


@dataclass(slots=True)
class Sides:
    """Both sides.

    Args:
        program: the other side.
        repeat: how often it decides each scenario again, where it knows how to.
        name: what the program calls itself.
        version: its version.
        explain: the signed divergences, if any.
        mode: what has to be alike.
        partial: whether the program may say that it does not model a scenario.
    """

    program: Program
    repeat: int = 1
    version: str = ""
    explain: Explain | None = None
    name: str = ""
    mode: Mode = Mode.VICTIMS
    partial: bool = False

    def all_of(self, scenarios: Sequence[Object]) -> list[AnswerPair]:
        """Compare decisions about many scenarios, asking the program in one go.

        Raises:
            ProgramFailure: it failed as a program.
        """
        received = self.program.ask(
            [_request(DECIDE, entry, self.repeat, at) for at, entry in enumerate(scenarios)]
        )
        return [
            self._confirmed(scenario, our_answer(_request(DECIDE, scenario)), theirs)
            for scenario, theirs in zip(scenarios, received, strict=True)
        ]

    def one(self, scenario: Object) -> AnswerPair:
        """Compare a single decision.

        Raises:
            ProgramFailure: it failed as a program.
        """
        return self.all_of([scenario])[0]

    def answers(self, requests: Sequence[tuple[str, Object]]) -> list[AnswerPair]:
        """Compare answers to any calls, refusals among them.

        Args:
            requests: call and input of each.

        Raises:
            ProgramFailure: it failed as a program.
        """
        received = self.program.ask(
            [_request(call, given, self.repeat, at) for at, (call, given) in enumerate(requests)]
        )
        return [
            self._answered(call, given, theirs)
            for (call, given), theirs in zip(requests, received, strict=True)
        ]

    def _answered(self, call: str, given: Object, theirs: Object) -> AnswerPair:
        ours = our_answer(_request(call, given))
        if call == DECIDE and "error" not in ours:
            return self._confirmed(given, ours, theirs)
        return AnswerPair(
            given, ours, theirs, classify_otherwise(ours, theirs, self.mode, partial=self.partial), call
        )

    def _confirmed(self, scenario: Object, ours: Object, theirs: Object) -> AnswerPair:
        found = self._classified(scenario, ours, theirs)
        if found.verdict.kind is not Kind.UNEXPLAINED or self.repeat >= CONFIRM:
            return found
        (again,) = self.program.ask([_request(DECIDE, scenario, CONFIRM)])
        return self._classified(scenario, ours, again)

    def _classified(self, scenario: Object, ours: Object, theirs: Object) -> AnswerPair:
        need_decision(theirs)
        verdict = classify(
            scenario,
            ours,
            theirs,
            version=self.version,
            explain=self.explain,
            mode=self.mode,
            partial=self.partial,
        )
        return AnswerPair(scenario, ours, theirs, verdict)


def sides_of(
    command: Sequence[str],
    patience: float,
    *,
    repeat: int = 1,
    mode: Mode = Mode.VICTIMS,
    partial: bool = False,
) -> Sides:
    """Start a program to compare with; only Kueue has signed divergences.

    Args:
        command, patience: as `Program` has them.
        repeat, mode, partial: as `Sides` has them.

    Raises:
        ProgramFailure: it cannot be started, or does not answer.
    """
    program = Program(command, patience)
    try:
        name, version = program.named()
    except ProgramFailure:
        program.close()
        raise
    signed = explained if name == KUEUE else None
    return Sides(program, repeat, version, signed, f"{name} {version}".strip(), mode, partial)


def _request(call: str, given: Object, repeat: int = 1, number: int = 0) -> Object:
    """A request; it has `repeat` only where that is more than 1."""
    more = {"repeat": repeat} if repeat > 1 else {}
    return {"id": number, "call": call, "input": given, **more}
