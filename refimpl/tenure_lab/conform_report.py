"""What a program was asked, and how far it answers as the reference does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tenure.reports import Case, Report, RuleText, Suite, Trouble
from tenure_lab.campaigns import Count, Tally, counts, table, tally_lines
from tenure_lab.verdicts import FAILURES, AnswerPair, Kind

Object = dict[str, Any]

DRAWN: Final = "seed "
"""How the case of a random scenario begins."""


_RULE: Final = RuleText(
    "disagreement",
    "A request that the program answers otherwise than the reference, and nothing predicts that.",
)
_COVERAGE: Final = RuleText(
    "coverage",
    "More of the vectors is left out as not modelled than may be, or a whole family of rules is.",
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A request that the program answers otherwise, and no signed divergence predicts."""

    case: str
    """The vector's identifier, or the seed and the index of the random scenario."""
    about: str
    """Why the vector exists, or the options that draw the scenario again."""
    verdict: str
    """What came of it."""
    lines: tuple[str, ...]
    """Both answers and the scenario, for a person to read; a random one is made small."""
    request: str
    """The request as JSON, to ask again."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What came of the random scenarios, and what they exercised."""

    seed: int
    """What they were drawn from."""
    scenarios: int
    """How many."""
    verdicts: tuple[Count, ...]
    """What came of them."""
    decisions: tuple[Count, ...]
    """The program's."""
    victims: tuple[Count, ...]
    """Its Preempt decisions by number of victims."""
    reasons: tuple[Count, ...]
    """Its scenarios with a victim for this reason."""
    traits: tuple[Count, ...]
    """What else there is about them."""


@dataclass(frozen=True, slots=True)
class FamilyCoverage:
    """How many of the vectors about a family of rules the program answered."""

    family: str
    """How its identifiers begin, such as `KQ`."""
    vectors: int
    """How many were asked."""
    answered: int
    """How many it did not leave out as not modelled."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """How far a program answers as the reference does."""

    program: str
    """Its command line."""
    name: str
    """What it calls itself, with its version; empty when it does not say."""
    mode: str
    """How much of a decision has to be alike."""
    reading: str
    """The preset that decided; empty for each vector's own and the default for random scenarios."""
    conforms: bool
    """Whether every answer is the reference's, or what a signed divergence predicts, one agrees, and enough
    is answered."""
    vectors: tuple[Count, ...]
    """What came of the vectors."""
    drawn: Drawn | None
    """What came of the random scenarios; None where none were asked."""
    disagreements: tuple[Disagreement, ...]
    """The first ones."""
    coverage: tuple[FamilyCoverage, ...] = ()
    """Of each family of rules that vectors were asked about; empty where nothing may be left out."""
    at_least: int = 0
    """The least share of the vectors that it has to answer, in percent; 0 where it may leave nothing out."""
    excluded: tuple[str, ...] = ()
    """Families of rules that it was not asked about."""


def shortfalls(coverage: Sequence[FamilyCoverage], at_least: int) -> Iterator[str]:
    """Why too little is answered; nothing where it is enough.

    Args:
        coverage: of each family that was asked about.
        at_least: the least share of all the vectors, in percent; 0 asks for nothing.

    >>> list(shortfalls([FamilyCoverage("KQ", 97, 97), FamilyCoverage("DYN", 3, 0)], 95))
    ['DYN: found 0 of 3 vectors answered, expected at least one; --without-family DYN asks about none']
    """
    if not coverage or not at_least:
        return
    asked = sum(family.vectors for family in coverage)
    answered = sum(family.answered for family in coverage)
    if 100 * answered < at_least * asked:
        yield f"vectors: found {answered} of {asked} answered, expected at least {at_least} %"
    for family in coverage:
        if not family.answered:
            found = f"found 0 of {family.vectors} vectors answered, expected at least one"
            yield f"{family.family}: {found}; --without-family {family.family} asks about none"


def disagreement(case: str, about: str, pair: AnswerPair, lines: Iterator[str]) -> Disagreement:
    """A failure as it is told, in these lines."""
    request = {"id": case, "call": pair.call, "input": pair.scenario}
    text = json.dumps(request, separators=(",", ":"), ensure_ascii=False)
    return Disagreement(case, about, str(pair.verdict), tuple(lines), text)


def conform_lines(conformance: Conformance) -> Iterator[str]:
    """What the command prints for a person."""
    for disagreement in conformance.disagreements:
        yield f"FAIL {disagreement.case}: {disagreement.about}"
        yield from (f"     {line}" for line in disagreement.lines)
    if conformance.vectors:
        yield f"{sum(count.count for count in conformance.vectors)} vectors"
        yield from table("verdict", conformance.vectors)
    if conformance.coverage:
        yield "  answered, by family of rules"
    for family in conformance.coverage:
        share = 100 * family.answered / family.vectors
        yield f"    {share:6.2f} %  {family.answered:8}  of {family.vectors} {family.family}"
    if conformance.drawn is not None:
        yield from tally_lines(conformance.drawn)
    verdicts = [count.what for count in _verdicts(conformance)]
    # A verdict's text begins with its kind.
    if not conformance.conforms and not any(what.startswith(FAILURES) for what in verdicts):
        if Kind.AGREE not in verdicts:
            yield "nothing differs, and nothing agrees: the program models none of what was asked"
        yield from shortfalls(conformance.coverage, conformance.at_least)
    yield closing_line(conformance)


def _verdicts(conformance: Conformance) -> tuple[Count, ...]:
    return (*conformance.vectors, *(conformance.drawn.verdicts if conformance.drawn is not None else ()))


def closing_line(conformance: Conformance) -> str:
    """What it comes to."""
    who = conformance.name or conformance.program
    verdict = "conforms" if conformance.conforms else "does not conform"
    under = f", reading {conformance.reading}" if conformance.reading else ""
    least = f", at least {conformance.at_least} % answered" if conformance.at_least else ""
    without = f", without {', '.join(conformance.excluded)}" if conformance.excluded else ""
    return f"conform: {who} {verdict} (mode {conformance.mode}{under}{least}{without})"


def drawn_of(tally: Tally, seed: int) -> Drawn:
    """What a tally has counted, of scenarios drawn from a seed."""
    return Drawn(
        seed=seed,
        scenarios=tally.scenarios,
        verdicts=counts(tally.verdicts),
        decisions=counts(tally.decisions),
        victims=tuple(sorted(counts(tally.victims), key=lambda count: count.what)),
        reasons=counts(tally.reasons),
        traits=counts(tally.traits),
    )


def conform_checks(conformance: Conformance) -> Report:
    """One suite for the vectors, one for the random scenarios; a case for each failure that is told.

    >>> good = Conformance("adapter", "", "victims", "", True, (Count("agree", 2),), None, ())
    >>> conform_checks(good).suites[0].tests
    2
    """
    drawn = conformance.drawn.verdicts if conformance.drawn else ()
    told = conformance.disagreements
    return Report(
        f"tenure conform {conformance.mode}",
        (
            _suite(
                "vectors",
                conformance.vectors,
                [disagreement for disagreement in told if not _is_drawn(disagreement)],
            ),
            _suite(
                "random scenarios", drawn, [disagreement for disagreement in told if _is_drawn(disagreement)]
            ),
            *([_coverage_suite(conformance)] if conformance.coverage else ()),
        ),
        (
            *(
                Trouble(_RULE.id, disagreement.case, f"{disagreement.verdict}: {disagreement.about}")
                for disagreement in told
            ),
            *(
                Trouble(_COVERAGE.id, "coverage", text)
                for text in shortfalls(conformance.coverage, conformance.at_least)
            ),
        ),
        (_RULE, _COVERAGE),
        closing=closing_line(conformance),
    )


def _coverage_suite(conformance: Conformance) -> Suite:
    title, wrong = "coverage", [*shortfalls(conformance.coverage, conformance.at_least)]
    cases = [Case(title, text, text) for text in wrong]
    if not wrong:
        cases = [Case(title, "enough of the vectors is answered")]
    return Suite(title, tuple(cases), tests=len(cases), failures=len(wrong))


def _suite(title: str, counted: tuple[Count, ...], told: list[Disagreement]) -> Suite:
    return Suite(
        title,
        tuple(_cases(title, counted, told)),
        tests=sum(count.count for count in counted),
        failures=sum(count.count for count in counted if not _is_good(count)),
    )


def _cases(title: str, counted: tuple[Count, ...], told: list[Disagreement]) -> Iterator[Case]:
    for count in counted:
        if _is_good(count):
            yield Case(title, f"{count.count} {count.what}")
    for failure in told:
        text = "\n".join((*failure.lines, failure.request))
        yield Case(title, failure.case, f"{failure.verdict}: {failure.about}", details=text)


def _is_drawn(failure: Disagreement) -> bool:
    return failure.case.startswith(DRAWN)


def _is_good(count: Count) -> bool:
    return not count.what.startswith(FAILURES)


def both_answers(pair: AnswerPair) -> Iterator[str]:
    """What came of it, and what both sides say."""
    yield f"verdict  {pair.verdict}"
    yield f"ours     {_said(pair.ours)}"
    yield f"theirs   {_said(pair.theirs)}"


def summary(pair: AnswerPair) -> Iterator[str]:
    """Both answers, then a drawn scenario: a line for each object."""
    scenario = pair.scenario
    yield from both_answers(pair)
    for key in ("fairSharing", "featureGates", "requeuingTimestamp"):
        yield f"  {key}: {scenario.get(key)}"
    for cohort in scenario["cohorts"]:
        yield f"  cohort {_queue(cohort)}"
    for queue in scenario["clusterQueues"]:
        mark = "  <- target" if queue["metadata"]["name"] == scenario["targetCQ"] else ""
        yield f"  queue  {_queue(queue)}{mark}"
    for flavor in scenario["resourceFlavors"]:
        yield f"  flavor {flavor['metadata']['name']} {flavor['spec'] or ''}"
    for workload in scenario["admitted"]:
        yield f"  holds  {_workload(workload)}"
    yield f"  asks   {_workload(scenario['incoming'])}"


def _said(answer: Object) -> str:
    if "error" in answer:
        error = answer["error"]
        return f"error {error.get('code')} at {error.get('field')!r}: {error.get('message')}"
    output = answer["output"]
    if not isinstance(output, dict) or "decision" not in output:
        return json.dumps(output, ensure_ascii=False)
    return " | ".join(_output(variant) for variant in output.get("variants") or [output])


def _output(output: Object) -> str:
    taken = [
        ":".join([victim["workload"], victim["reason"], *victim.get("rules", ())])
        for victim in output.get("preempted") or ()
    ]
    return " ".join([output["decision"], *taken])


def _queue(raw: Object) -> str:
    spec = raw["spec"]
    parent = spec.get("cohortName") or spec.get("parentName")
    quotas = [
        f"{flavor['name']}/{quota['name']}={quota['nominalQuota']}"
        f"{_limit('+', quota.get('borrowingLimit'))}{_limit('-', quota.get('lendingLimit'))}"
        for group in spec.get("resourceGroups") or ()
        for flavor in group["flavors"]
        for quota in flavor["resources"]
    ]
    more = [f"{key}={spec[key]}" for key in ("preemption", "flavorFungibility", "fairSharing") if key in spec]
    return " ".join([raw["metadata"]["name"], f"in {parent}" if parent else "root", *quotas, *more])


def _limit(sign: str, limit: str | None) -> str:
    return "" if limit is None else f"{sign}{limit}"


def _workload(raw: Object) -> str:
    metadata, status = raw["metadata"], raw.get("status") or {}
    admission = status.get("admission") or {}
    amounts = [
        f"{assigned['flavors'].get(resource)}/{resource}={amount}"
        for assigned in admission.get("podSetAssignments") or ()
        for resource, amount in assigned["resourceUsage"].items()
    ]
    asked = [_pod_set(pod_set) for pod_set in raw["spec"]["podSets"]] if not admission else []
    conditions = [
        f"{condition['type']}={condition['status']}/{condition.get('reason')}@{condition['lastTransitionTime'][11:19]}"
        for condition in status.get("conditions") or ()
    ]
    extra = [f"{key}={status[key]}" for key in ("reclaimablePods",) if key in status]
    extra += [str(metadata["annotations"])] if metadata.get("annotations") else []
    return " ".join(
        [
            f"{metadata['namespace']}/{metadata['name']} uid={metadata.get('uid')}",
            f"priority={raw['spec'].get('priority')} created={metadata.get('creationTimestamp', '')[11:19]}",
            *([f"in {admission['clusterQueue']}"] if admission else []),
            *amounts,
            *asked,
            *conditions,
            *extra,
        ]
    )


def _pod_set(raw: Object) -> str:
    spec = raw["template"]["spec"]
    requests = [container["resources"]["requests"] for container in spec["containers"]]
    ties = {key: spec[key] for key in ("nodeSelector", "affinity", "tolerations") if key in spec}
    least = f" min {raw['minCount']}" if "minCount" in raw else ""
    return f"{raw['count']}x{requests}{least} {ties or ''}".rstrip()
