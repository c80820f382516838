"""What a campaign does, which version of the code does it, and what has come of it in numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from tenure.conformance.requests import DecideRequest
from tenure_lab.choices import Mode
from tenure_lab.generators.options import KUEUE_FEATURES, Feature, Options
from tenure_lab.generators.predicates import traits_of
from tenure_lab.programs import PATIENCE_S
from tenure_lab.verdicts import FAILURES, AnswerPair

if TYPE_CHECKING:
    from tenure_lab.campaign_report import CampaignReport
    from tenure_lab.conform_report import Drawn

Object = dict[str, Any]

MAX_SCENARIOS = 10**9
"""Scenarios of a campaign: the numbers of all its blocks are kept."""

BLOCK = 500
"""Scenarios of a block, which is what a kill loses at most: a second of work, or ten."""


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """What is compared with the reference, and on which scenarios.

    Args:
        scenarios: how many.
        seed: what they are drawn from.
        heroes: in how many of a hundred ClusterQueues may be heroes; of the core only, as the next two.
        configs: in how many of a hundred others they name PreemptionConfigs.
        manifests: every how many-th is written as manifests, and read again before it is decided.
        command: a program that speaks the protocol; empty for the optimized core.
        repeat: how often the program decides each scenario.
        mode: what has to be alike, a `Mode`.
        reading: the preset that the program decides under; empty for the one drawn, or the default.
        patience: seconds to wait for one answer of the program.
        partial: whether the program may leave a scenario out as not modelled.
        features: what scenarios for a program may hold, in order.
        max_workloads, max_queues, max_depth: how large they may be.
        only: the indices of its scenarios; empty for all of them from 0.

    >>> CampaignPlan(1200, 1).blocks()
    [0, 1, 2]
    """

    scenarios: int
    seed: int
    heroes: int = 20
    configs: int = 20
    manifests: int = 50
    command: tuple[str, ...] = ()
    repeat: int = 1
    mode: str = Mode.VICTIMS.value
    reading: str = ""
    patience: float = PATIENCE_S
    partial: bool = False
    features: tuple[str, ...] = tuple(sorted(KUEUE_FEATURES))
    max_workloads: int = Options().max_workloads
    max_queues: int = Options().max_queues
    max_depth: int = Options().max_depth
    only: tuple[int, ...] = ()

    @property
    def options(self) -> Options:
        """What scenarios for a program may hold.

        Raises:
            ValueError: a number outside its range.
        """
        return Options(
            max_workloads=self.max_workloads,
            max_queues=self.max_queues,
            max_depth=self.max_depth,
            features=frozenset(map(Feature, self.features)),
        )

    def blocks(self) -> list[int]:
        """The numbers of its blocks."""
        if self.only:
            return sorted({index // BLOCK for index in self.only})
        return list(range(-(-self.scenarios // BLOCK)))

    def indices(self, number: int) -> list[int]:
        """The indices of a block's scenarios, in order.

        >>> CampaignPlan(1002, 1).indices(2), CampaignPlan(1, 1, only=(502, 7, 501)).indices(1)
        ([1000, 1001], [501, 502])
        """
        block = range(number * BLOCK, (number + 1) * BLOCK)
        return [index for index in block if (index in self.only if self.only else index < self.scenarios)]

    def again(self, index: int) -> str:
        """The options that draw one scenario again: of `tenure conform`, or `tenure campaign` for the core.

        >>> CampaignPlan(1000, 7, command=("adapter",), reading="released").again(305)
        '--seed 7 --index 305 --reading released'
        """
        options = [f"--seed {self.seed} --index {index}"]
        if not self.command:
            usual = CampaignPlan(0, 0)
            for name in ("heroes", "configs"):
                percent = getattr(self, name)
                options += [f"--{name} {percent}"] if percent != getattr(usual, name) else []
            return " ".join(options)
        features = self.options.features
        options += [f"--with {feature}" for feature in sorted(features - KUEUE_FEATURES)]
        without = ",".join(sorted(KUEUE_FEATURES - features))
        options += [f"--without {without}"] if without else []
        for name in ("max_workloads", "max_queues", "max_depth"):
            most = getattr(self, name)
            options += [f"--{name.replace('_', '-')} {most}"] if most != getattr(Options(), name) else []
        options += [f"--reading {self.reading}"] if self.reading else []
        return " ".join(options)

    def written(self) -> dict[str, Any]:
        """As JSON has it.

        >>> read_plan(CampaignPlan(10, 1).written()) == CampaignPlan(10, 1)
        True
        """
        return {
            field.name: list(value) if isinstance(value := getattr(self, field.name), tuple) else value
            for field in fields(self)
        }


def read_plan(written: Mapping[str, Any]) -> CampaignPlan:
    """A plan that was written.

    Raises:
        TypeError: it has other fields.
        ValueError: a field holds what a campaign never does.
    """
    CampaignPlan(**written)
    plan: CampaignPlan = TypeAdapter(CampaignPlan).validate_json(json.dumps(written), strict=True)
    if not 0 <= plan.scenarios <= MAX_SCENARIOS:
        raise ValueError(f"{plan.scenarios} scenarios")
    _ = plan.options  # a number outside its range is an error there
    return plan


AGREE = "agree"
MOST_KEPT = 20
"""Differences that a block keeps whole; a core that is broken has too many to be worth the space."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A scenario that was decided otherwise.

    Args:
        index: which of the seed's.
        verdict: what came of it.
        scenario: the `input` of call `decide`.
    """

    index: int
    verdict: str
    scenario: Object


@dataclass(slots=True)
class Tally:
    """Counts over scenarios.

    Args:
        scenarios: how many.
        failed: how many of them are neither agreement, nor left out, nor signed.
        verdicts: by what came of it.
        decisions: by the decision; of a program, by its own.
        victims: Preempt decisions by number of victims.
        reasons: scenarios that have a victim for this reason.
        traits: what else there is about them.
        differences: the first that failed.
    """

    scenarios: int = 0
    failed: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    decisions: Counter[str] = field(default_factory=Counter)
    victims: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    traits: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    def merge(self, other: Tally) -> None:
        """Count what another one has counted.

        >>> whole = Tally(scenarios=1)
        >>> whole.merge(Tally(scenarios=2, verdicts=Counter(agree=2)))
        >>> whole.scenarios, whole.verdicts
        (3, Counter({'agree': 2}))
        """
        self.scenarios += other.scenarios
        self.failed += other.failed
        for name in COUNTED:
            getattr(self, name).update(getattr(other, name))
        self.differences = sorted(
            [*self.differences, *other.differences], key=lambda difference: difference.index
        )

    def add(self, index: int, request: DecideRequest, pair: AnswerPair) -> None:
        """Count what a program answered; its decisions, since they are what the draws are tuned by.

        Args:
            index: of the scenario.
            request: what was drawn.
            pair: the answers to it.
        """
        self.scenarios += 1
        self.verdicts[str(pair.verdict)] += 1
        self.traits.update(traits_of(request))
        if "output" in pair.theirs:
            self._add_output(pair.scenario, pair.theirs["output"])
        if pair.verdict.kind in FAILURES:
            self.fail(Difference(index, str(pair.verdict), pair.scenario))

    def _add_output(self, scenario: Object, output: Object) -> None:
        self.decisions[output["decision"]] += 1
        preempted = output.get("preempted") or []
        if output["decision"] == "Preempt":
            self.victims[victims_text(len(preempted))] += 1
            self.reasons.update({victim["reason"] for victim in preempted})
        if _is_partial(scenario, output):
            self.traits["partial admission"] += 1
        if output.get("ignored"):
            self.traits["a workload that the peer does not count"] += 1

    def fail(self, difference: Difference) -> None:
        """Count a failure, and keep the first ones."""
        self.failed += 1
        if len(self.differences) < MOST_KEPT:
            self.differences.append(difference)

    def written(self) -> Object:
        """As JSON has it.

        >>> read_tally(Tally(scenarios=2).written()) == Tally(scenarios=2)
        True
        """
        return {
            "scenarios": self.scenarios,
            "failed": self.failed,
            **{name: dict(getattr(self, name)) for name in COUNTED},
            "differences": [asdict(difference) for difference in self.differences],
        }


COUNTED = ("verdicts", "decisions", "victims", "reasons", "traits")
"""The counters."""


def read_tally(written: Mapping[str, Any]) -> Tally:
    """A tally that was written.

    Raises:
        KeyError, TypeError: it was not.
        ValueError: a field holds what a campaign never writes.
    """
    tally: Tally = TypeAdapter(Tally).validate_json(json.dumps(written), strict=True)
    return tally


def victims_text(number: int) -> str:
    """How many are preempted, as the histogram has it.

    >>> victims_text(2), victims_text(7)
    ('2', '3 or more')
    """
    return str(number) if number < 3 else "3 or more"


@dataclass(frozen=True, slots=True)
class Count:
    """How often something came of it."""

    what: str
    """What came of it, such as `agree` or `signed divergence DV-050`."""
    count: int
    """How often."""


def counts(counted: Counter[str]) -> tuple[Count, ...]:
    """Counts, the largest first.

    >>> [counted.what for counted in counts(Counter({"agree": 3, "unexplained": 9}))]
    ['unexplained', 'agree']
    """
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Count(what, count) for what, count in ordered)


def _is_partial(scenario: Object, output: Object) -> bool:
    """Whether fewer pods were decided about than requested."""
    if output["decision"] not in ("Fit", "Preempt"):
        return False
    requested = {pod_set["name"]: pod_set["count"] for pod_set in scenario["incoming"]["spec"]["podSets"]}
    given = (output.get("assignment") or {}).get("podSets") or ()
    return any(pod_set["count"] < requested.get(pod_set["name"], 0) for pod_set in given)


def tally_lines(report: CampaignReport | Drawn) -> Iterator[str]:
    """What was counted, as tables for a person."""
    yield f"{report.scenarios} random scenarios, seed {report.seed}"
    yield from table("verdict", report.verdicts)
    yield from table("decision", report.decisions, report.scenarios)
    yield from table("victims per Preempt", report.victims)
    yield from table("reason, of the scenarios", report.reasons, report.scenarios)
    yield from table("trait", report.traits, report.scenarios)


def table(title: str, counted: tuple[Count, ...], total: int = 0) -> Iterator[str]:
    """Counts with their shares of a total; of their sum where that is 0."""
    whole = total or max(1, sum(count.count for count in counted))
    if counted:
        yield f"  {title}"
    for count in counted:
        yield f"    {100 * count.count / whole:6.2f} %  {count.count:8}  {count.what}"
