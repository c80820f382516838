"""The requests to a program, and how far it answers as the reference does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from tenure.conformance.requests import read_decide_request
from tenure.explanation.answers import why_not_answer
from tenure.explanation.explain import explain_workload
from tenure.explanation.shortages import Shortage, amount, beyond_potential, shortages
from tenure.model import WithinClusterQueue, Workload
from tenure.oracle.decide import Decision
from tenure.reports import Case, Report, RuleText, Suite, Trouble
from tenure.rules.time_based import duration_in_force
from tenure_lab.campaigns import Count, Tally, counts, table, tally_lines
from tenure_lab.verdicts import DECIDE, FAILURES, AnswerPair, Kind, Verdict

Object = dict[str, Any]

DRAWN: Final = "seed "
"""How the case of a random scenario begins."""
WIDTH: Final = 110
"""Columns of a scenario."""
MOST_REMARKS: Final = 3
"""So many findings of rules are named for a workload."""
MOST_REFUSALS: Final = 5
"""So many reasons for refusals are listed, the most frequent first."""
MOST_RULES: Final = 8
"""So many rules are listed whose vectors are answered otherwise, the most frequent first."""
REFUSED: Final = str(Verdict(Kind.PEER_ERROR, "not-modelled"))
"""The verdict on a request that the program may not leave out, and does."""


_RULE: Final = RuleText(
    "disagreement",
    "The program's answer differs from the reference's, and no known divergence predicts it.",
)
_COVERAGE: Final = RuleText(
    "coverage",
    "Too many vectors, or a whole family of rules, are left out as not modelled.",
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
    """Both answers, why they differ, and a random scenario, made small, for a person to read."""
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
    """How many it was given."""
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
    """What came of the random scenarios; None without any."""
    disagreements: tuple[Disagreement, ...]
    """The first ones."""
    coverage: tuple[FamilyCoverage, ...] = ()
    """Each family of rules of the vectors; empty where nothing may be left out."""
    at_least: int = 0
    """The least share of the vectors that it has to answer, in percent; 0 where it may leave nothing out."""
    excluded: tuple[str, ...] = ()
    """Families of rules that were left out."""
    refusals: tuple[Count, ...] = ()
    """Why it left vectors out as not modelled, in its own words, the most frequent first."""
    failing: tuple[Count, ...] = ()
    """The vectors that it answers otherwise, by their rule, the most frequent first."""


def shortfalls(coverage: Sequence[FamilyCoverage], at_least: int) -> Iterator[str]:
    """Why too little is answered; nothing where it is enough.

    Args:
        coverage: of each family.
        at_least: the least share of all the vectors, in percent; 0 requires nothing.

    >>> list(shortfalls([FamilyCoverage("KQ", 97, 97), FamilyCoverage("DYN", 3, 0)], 95))
    ['DYN: found 0 of 3 vectors answered, expected at least one; --without-family DYN leaves them out']
    """
    if not coverage or not at_least:
        return
    total = sum(family.vectors for family in coverage)
    answered = sum(family.answered for family in coverage)
    if 100 * answered < at_least * total:
        yield f"vectors: found {answered} of {total} answered, expected at least {at_least} %"
    for family in coverage:
        if not family.answered:
            found = f"found 0 of {family.vectors} vectors answered, expected at least one"
            yield f"{family.family}: {found}; --without-family {family.family} leaves them out"


def disagreement(case: str, about: str, pair: AnswerPair, lines: Iterator[str]) -> Disagreement:
    """A failure, described by these lines."""
    request = {"id": case, "call": pair.call, "input": pair.scenario}
    text = json.dumps(request, separators=(",", ":"), ensure_ascii=False)
    return Disagreement(case, about, str(pair.verdict), tuple(lines), text)


def conform_lines(conformance: Conformance) -> Iterator[str]:
    """What the command prints for a person."""
    for disagreement in conformance.disagreements:
        yield f"FAIL {disagreement.case}: {disagreement.about}"
        yield from (f"     {line}" for line in disagreement.lines)
    yield from _vector_lines(conformance)
    if conformance.drawn is not None:
        yield from tally_lines(conformance.drawn)
    verdicts = [count.what for count in _verdicts(conformance)]
    # A verdict's text begins with its kind.
    if not conformance.conforms and not any(what.startswith(FAILURES) for what in verdicts):
        if Kind.AGREE not in verdicts:
            yield "nothing differs, and nothing agrees: the program models none of the requests"
        yield from shortfalls(conformance.coverage, conformance.at_least)
    yield closing_line(conformance)


def _vector_lines(conformance: Conformance) -> Iterator[str]:
    """What came of the vectors, and why some were left out."""
    if conformance.vectors:
        yield f"{sum(count.count for count in conformance.vectors)} vectors"
        yield from table("verdict", conformance.vectors)
        if any(count.what == REFUSED for count in conformance.vectors):
            yield "    refusals count as failures; --partial counts them apart"
    if conformance.failing:
        yield from table("answered otherwise, by rule", conformance.failing[:MOST_RULES])
        if len(conformance.failing) > MOST_RULES:
            yield f"    and {len(conformance.failing) - MOST_RULES} more rules"
    if conformance.coverage:
        yield "  answered, by family of rules"
    for family in conformance.coverage:
        share = 100 * family.answered / family.vectors
        yield f"    {share:6.2f} %  {family.answered:8}  of {family.vectors} {family.family}"
    if conformance.refusals:
        yield from table(
            "left out as not modelled, in the program's words", conformance.refusals[:MOST_REFUSALS]
        )
        if len(conformance.refusals) > MOST_REFUSALS:
            yield f"    and {len(conformance.refusals) - MOST_REFUSALS} more"


def _verdicts(conformance: Conformance) -> tuple[Count, ...]:
    return (*conformance.vectors, *(conformance.drawn.verdicts if conformance.drawn is not None else ()))


def closing_line(conformance: Conformance) -> str:
    """What it comes to."""
    who = conformance.name or conformance.program
    verdict = "conforms" if conformance.conforms else "does not conform"
    under = f", reading {conformance.reading}" if conformance.reading else ""
    least = f", at least {conformance.at_least} % answered" if conformance.at_least else ""
    without = f", without {', '.join(conformance.excluded)}" if conformance.excluded else ""
    wrong = sum(count.count for count in _verdicts(conformance) if count.what.startswith(FAILURES))
    differ = f": {wrong} answers differ" if wrong > 1 else ": 1 answer differs" if wrong else ""
    return f"conform: {who} {verdict} (mode {conformance.mode}{under}{least}{without}){differ}"


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
    """One suite for the vectors, one for the random scenarios; a case for each failure that is listed.

    >>> good = Conformance("adapter", "", "victims", "", True, (Count("agree", 2),), None, ())
    >>> conform_checks(good).suites[0].tests
    2
    """
    drawn = conformance.drawn.verdicts if conformance.drawn else ()
    failures = conformance.disagreements
    return Report(
        f"tenure conform {conformance.mode}",
        (
            _suite(
                "vectors",
                conformance.vectors,
                [disagreement for disagreement in failures if not _is_drawn(disagreement)],
            ),
            _suite(
                "random scenarios",
                drawn,
                [disagreement for disagreement in failures if _is_drawn(disagreement)],
            ),
            *([_coverage_suite(conformance)] if conformance.coverage else ()),
        ),
        (
            *(
                Trouble(_RULE.id, disagreement.case, f"{disagreement.verdict}: {disagreement.about}")
                for disagreement in failures
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


def _suite(title: str, counted: tuple[Count, ...], failures: list[Disagreement]) -> Suite:
    return Suite(
        title,
        tuple(_cases(title, counted, failures)),
        tests=sum(count.count for count in counted),
        failures=sum(count.count for count in counted if not _is_good(count)),
    )


def _cases(title: str, counted: tuple[Count, ...], failures: list[Disagreement]) -> Iterator[Case]:
    for count in counted:
        if _is_good(count):
            yield Case(title, f"{count.count} {count.what}")
    for failure in failures:
        text = "\n".join((*failure.lines, failure.request))
        yield Case(title, failure.case, f"{failure.verdict}: {failure.about}", details=text)


def _is_drawn(failure: Disagreement) -> bool:
    return failure.case.startswith(DRAWN)


def _is_good(count: Count) -> bool:
    return not count.what.startswith(FAILURES)


def both_answers(pair: AnswerPair) -> Iterator[str]:
    """What came of it, the reference's answer with its reasons, and the program's."""
    yield f"verdict  {pair.verdict}{_about_verdict(pair)}"
    yield f"ours     {_said(pair.ours)}"
    yield from (f"         {reason}" for reason in reasons(pair))
    yield f"theirs   {_said(pair.theirs)}"


def _about_verdict(pair: AnswerPair) -> str:
    if pair.is_refused:
        return ": a refusal counts as a failure; --partial counts refusals apart"
    return ": no known divergence predicts it" if pair.verdict.kind == Kind.UNEXPLAINED else ""


def vector_lines(name: str, pair: AnswerPair) -> Iterator[str]:
    """Both answers to a vector, and how it is repeated and read."""
    yield from both_answers(pair)
    yield f"again    --only {name} --scenarios 0; input: tenure show {name}"


def summary(pair: AnswerPair) -> Iterator[str]:
    """Both answers, why they differ, and the scenario as YAML."""
    yield from both_answers(pair)
    written = yaml.safe_dump(pair.scenario, sort_keys=False, default_flow_style=None, width=WIDTH)
    yield from ("scenario", *(f"  {line}" for line in written.splitlines()))


def reasons(pair: AnswerPair) -> Iterator[str]:
    """Why the reference preempts or keeps each workload in which the answers differ, or decides as it does.

    Nothing where either refuses, or where the call is for something but a decision.
    """
    if pair.call != DECIDE or "error" in pair.ours or "error" in pair.theirs:
        return
    ours, theirs = (_victims(answer["output"]) for answer in (pair.ours, pair.theirs))
    decision = read_decide_request(pair.scenario).decided()
    if theirs.keys() < ours.keys() or pair.theirs["output"].get("decision") == "Fit":
        yield from map(_shortage, (found for found in shortages(decision) if found.short))
    differing = [
        workload for workload in decision.running if ours.get(workload.key) != theirs.get(workload.key)
    ]
    if not differing:
        rule = " (KQ-160)" if any(beyond_potential(decision)) else ""
        yield f"{why_not_answer(decision, counterfactuals=0).summary}{rule}"
    yield from (workload_reason(decision, workload, workload.key in ours) for workload in differing)


def _shortage(found: Shortage) -> str:
    """Why the request does not fit without preemption, for a program that frees less."""
    node, resource = found.binding, found.at.resource
    if node.binds == "borrowingLimit" and node.borrowing_limit is not None:
        why = f"it may borrow {amount(found.at, node.borrowing_limit)} (borrowingLimit, KQ-170)"
    else:
        why = f"{amount(found.at, node.quota)} is all there is (KQ-170)"
    return (
        f"without preemption {amount(found.at, found.short)} {resource} on {found.at.flavor} is short: "
        f"{amount(found.at, found.asked)} requested, {amount(found.at, found.available)} available; "
        f"{node.kind} {node.name} uses {amount(found.at, node.usage)} "
        f"with nominalQuota {amount(found.at, node.nominal)}, and {why}"
    )


def workload_reason(decision: Decision, workload: Workload, is_preempted: bool) -> str:
    """Why a running workload is preempted or kept, in one line: `ns/w01 is kept: ...`."""
    found = explain_workload(decision, workload)
    idle = _without_effect(decision)
    remarks = [
        remark for remark in found.remarks if remark.holds == is_preempted and remark.rule not in idle
    ][:MOST_REMARKS]
    because = "; ".join(f"{remark.text} ({remark.rule})" for remark in remarks)
    return f"{workload.key} is {found.verdict}{f': {because}' if because else ''}"


def _without_effect(decision: Decision) -> frozenset[str]:
    """Rules about equals that decide nothing under the policy, and without a minAdmitDuration."""
    terms = decision.terms
    idle = set[str]()
    if terms.min_admit_duration is None:
        idle.add("TBP-010")
    if duration_in_force(terms) is None:
        idle |= {"TBP-020", "TBP-050"}
    if terms.within_cluster_queue != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        idle.add("TBP-040")
    return frozenset(idle)


def _victims(output: Object) -> dict[str, str]:
    return {victim["workload"]: victim["reason"] for victim in output.get("preempted") or ()}


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
