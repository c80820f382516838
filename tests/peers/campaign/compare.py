"""Ask both sides about scenarios, and say how each ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.peers.campaign.programs import Program, our_answer
from tests.peers.campaign.verdicts import Explain, Kind, Verdict, classify, no_divergence

Object = dict[str, Any]

CONFIRM = 64
"""How often a peer is asked about a difference before it counts: chance in the peer is no difference."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A scenario with both answers."""

    scenario: Object
    ours: Object
    theirs: Object
    verdict: Verdict


@dataclass(slots=True)
class Comparison:
    """Both sides of a campaign.

    Args:
        peer: the other side.
        repeat: how often the peer decides each scenario anew.
        version: the peer's.
        explain: the signed divergences.
    """

    peer: Program
    repeat: int = 1
    version: str = ""
    explain: Explain = no_divergence

    def all_of(self, scenarios: Sequence[Object]) -> list[Compared]:
        """Compare many, asking the peer in one go.

        Raises:
            PeerFailure: the peer failed as a program.
        """
        requests = [self._request(scenario, self.repeat) for scenario in scenarios]
        answers = self.peer.ask(requests)
        return [
            self._confirmed(scenario, our_answer(_plain(request)), said)
            for scenario, request, said in zip(scenarios, requests, answers, strict=True)
        ]

    def one(self, scenario: Object) -> Compared:
        """Compare a single scenario.

        Raises:
            PeerFailure: the peer failed as a program.
        """
        return self.all_of([scenario])[0]

    def _confirmed(self, scenario: Object, ours: Object, theirs: Object) -> Compared:
        found = self._classified(scenario, ours, theirs)
        if found.verdict.kind is not Kind.UNEXPLAINED or self.repeat >= CONFIRM:
            return found
        (again,) = self.peer.ask([self._request(scenario, CONFIRM)])
        return self._classified(scenario, ours, again)

    def _classified(self, scenario: Object, ours: Object, theirs: Object) -> Compared:
        verdict = classify(scenario, ours, theirs, version=self.version, explain=self.explain)
        return Compared(scenario, ours, theirs, verdict)

    def _request(self, scenario: Object, repeat: int) -> Object:
        return {"id": 0, "call": "decide", "input": scenario, "repeat": repeat}


def _plain(request: Object) -> Object:
    """Without `repeat`, which is the peer's."""
    return {key: value for key, value in request.items() if key != "repeat"}
