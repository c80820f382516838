"""Ask both sides about scenarios, and say how each ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tenure.lab.conform.programs import Program, our_answer
from tenure.lab.conform.verdicts import Explain, Kind, Mode, Verdict, classify, classify_otherwise

Object = dict[str, Any]

DECIDE = "decide"
CONFIRM = 64
"""How often a program is asked about a difference before it counts: chance in it is no difference."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A request with both answers.

    Args:
        scenario: its input.
        ours, theirs: whole answers, each with `output` or `error`.
        verdict: what came of it.
        call: what was asked for.
    """

    scenario: Object
    ours: Object
    theirs: Object
    verdict: Verdict
    call: str = DECIDE


@dataclass(slots=True)
class Comparison:
    """Both sides.

    Args:
        program: the other side.
        repeat: how often it decides each scenario anew, where it knows how to.
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

    def all_of(self, scenarios: Sequence[Object]) -> list[Compared]:
        """Compare decisions about many scenarios, asking the program in one go.

        Raises:
            ProgramFailure: it failed as a program.
        """
        said = self.program.ask(
            [_request(DECIDE, each, self.repeat, at) for at, each in enumerate(scenarios)]
        )
        return [
            self._confirmed(scenario, our_answer(_request(DECIDE, scenario)), theirs)
            for scenario, theirs in zip(scenarios, said, strict=True)
        ]

    def one(self, scenario: Object) -> Compared:
        """Compare a single decision.

        Raises:
            ProgramFailure: it failed as a program.
        """
        return self.all_of([scenario])[0]

    def answers(self, asked: Sequence[tuple[str, Object]]) -> list[Compared]:
        """Compare answers to any calls, refusals among them.

        Args:
            asked: call and input of each.

        Raises:
            ProgramFailure: it failed as a program.
        """
        said = self.program.ask(
            [_request(call, given, self.repeat, at) for at, (call, given) in enumerate(asked)]
        )
        return [
            self._answered(call, given, theirs) for (call, given), theirs in zip(asked, said, strict=True)
        ]

    def _answered(self, call: str, given: Object, theirs: Object) -> Compared:
        ours = our_answer(_request(call, given))
        if call == DECIDE and "error" not in ours:
            return self._confirmed(given, ours, theirs)
        return Compared(
            given, ours, theirs, classify_otherwise(ours, theirs, self.mode, partial=self.partial), call
        )

    def _confirmed(self, scenario: Object, ours: Object, theirs: Object) -> Compared:
        found = self._classified(scenario, ours, theirs)
        if found.verdict.kind is not Kind.UNEXPLAINED or self.repeat >= CONFIRM:
            return found
        (again,) = self.program.ask([_request(DECIDE, scenario, CONFIRM)])
        return self._classified(scenario, ours, again)

    def _classified(self, scenario: Object, ours: Object, theirs: Object) -> Compared:
        verdict = classify(
            scenario,
            ours,
            theirs,
            version=self.version,
            explain=self.explain,
            mode=self.mode,
            partial=self.partial,
        )
        return Compared(scenario, ours, theirs, verdict)


def _request(call: str, given: Object, repeat: int = 1, number: int = 0) -> Object:
    """A request; only who is to decide more than once is told how often."""
    more = {"repeat": repeat} if repeat > 1 else {}
    return {"id": number, "call": call, "input": given, **more}
