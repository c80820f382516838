"""What a campaign went through, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tenure.conformance.requests import read_decide_request
from tenure.lab.conform.compare import Compared
from tenure.lab.measures import traits_of

Object = dict[str, Any]


@dataclass(slots=True)
class Histogram:
    """Counts over scenarios; the peer's decisions, since they are what the draws are tuned by.

    Args:
        scenarios: how many.
        verdicts: by `str(verdict)`.
        decisions: by the peer's decision.
        victims: Preempt decisions by number of victims, 3 standing for more.
        reasons: Preempt decisions that have a victim for this reason.
        traits: what else there is about a scenario.
    """

    scenarios: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    decisions: Counter[str] = field(default_factory=Counter)
    victims: Counter[int] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    traits: Counter[str] = field(default_factory=Counter)

    def add(self, compared: Compared) -> None:
        """Count one scenario."""
        self.scenarios += 1
        self.verdicts[str(compared.verdict)] += 1
        self.traits.update(traits_of(read_decide_request(compared.scenario)))
        if "output" in compared.theirs:
            self._add_output(compared.scenario, compared.theirs["output"])

    def merge(self, other: Histogram) -> None:
        """Count what another one has counted."""
        self.scenarios += other.scenarios
        for name in ("verdicts", "decisions", "victims", "reasons", "traits"):
            getattr(self, name).update(getattr(other, name))

    def _add_output(self, scenario: Object, output: Object) -> None:
        self.decisions[output["decision"]] += 1
        taken = output.get("preempted") or []
        if output["decision"] == "Preempt":
            self.victims[min(len(taken), 3)] += 1
            self.reasons.update({each["reason"] for each in taken})
        if _is_partial(scenario, output):
            self.traits["partial admission"] += 1
        if output.get("ignored"):
            self.traits["a workload that the peer does not count"] += 1


def _is_partial(scenario: Object, output: Object) -> bool:
    """Whether fewer pods were decided about than asked for."""
    if output["decision"] not in ("Fit", "Preempt"):
        return False
    asked = {each["name"]: each["count"] for each in scenario["incoming"]["spec"]["podSets"]}
    given = (output.get("assignment") or {}).get("podSets") or ()
    return any(each["count"] < asked.get(each["name"], 0) for each in given)
