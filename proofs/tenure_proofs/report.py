"""What a run of proofs found, as text and as JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tenure.rules.registry import all_rules, get_rule
from tenure.units import joined
from tenure_proofs.answer import (
    CertificateShape,
    CertificateStatus,
    CounterexampleShape,
    KeptShape,
    LiftedShape,
    MutantShape,
    ObligationShape,
    ProveAnswer,
    TrustedBaseShape,
    VerdictShape,
)
from tenure_proofs.base import trusted_base
from tenure_proofs.bounded.outcome import Bounded, Judged
from tenure_proofs.bounded.written import bounded_shape, lines_of
from tenure_proofs.bridge import LiftReport
from tenure_proofs.certificates import writing as certificates
from tenure_proofs.counterexamples import Counterexample, shown
from tenure_proofs.mutants.hunt import Hunted
from tenure_proofs.obligations import claim_text, source_text
from tenure_proofs.registry import Obligation, Verdict
from tenure_proofs.runner import Result
from tenure_proofs.theorems import outcome as any_size
from tenure_proofs.theorems.headlines import HEADLINES

MARKS = {
    Verdict.PROVED: "proved",
    Verdict.REFUTED: "refuted",
    Verdict.VACUOUS: "VACUOUS",
    Verdict.UNKNOWN: "UNKNOWN",
    Verdict.ERROR: "ERROR",
}
NO_VERDICT = (Verdict.UNKNOWN, Verdict.ERROR)
"""Ends that say nothing about the claim."""
NOTHING_KEPT = KeptShape(lifted=0, results=0, mutants=0, bounded=0)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run found.

    Args:
        lifted: one entry for each lifted function.
        results: one for each obligation and reading.
        mutants: what became of each mutant; empty when none were tried.
        unnamed: rules that no obligation names.
        readings: the presets of this run, the matrix's columns.
        seeds: Z3 seeds per question.
        random_seed: reproduces the bridge's executions.
        versions: of the solvers.
        seconds: wall time of the whole run.
        warnings: what the run was told to leave out.
        kept: how much of it earlier runs had kept.
        theorems: claims of any size.
        bounded: whole decisions, up to a bound; None where they were left out.
        certificates: proofs that were written; None where none were asked for.
    """

    lifted: tuple[LiftReport, ...]
    results: tuple[Result, ...]
    mutants: tuple[Hunted, ...]
    unnamed: tuple[str, ...]
    readings: tuple[str, ...]
    seeds: int
    random_seed: int
    versions: dict[str, str]
    seconds: float
    warnings: tuple[str, ...] = ()
    kept: KeptShape = NOTHING_KEPT
    theorems: tuple[any_size.End, ...] = ()
    bounded: Bounded | None = None
    certificates: tuple[CertificateShape, ...] | None = None

    @property
    def judged(self) -> tuple[Judged, ...]:
        """How every postcondition of whole decisions ended."""
        return () if self.bounded is None else self.bounded.judged

    @property
    def faults(self) -> tuple[str, ...]:
        """What is not as expected, counted by kind; empty when all is well."""
        return (*_counted(self._wrong()), *_counted(self._open()))

    @property
    def good(self) -> bool:
        """Whether everything is as expected."""
        return not self.faults

    @property
    def undecided(self) -> bool:
        """Whether something has no verdict, and everything that has one is as expected."""
        return not self.good and not any(self._wrong().values())

    def _wrong(self) -> dict[str, int]:
        def wrong(ends: Iterable[Result | any_size.End | Judged]) -> int:
            return sum(not end.as_expected and end.verdict not in NO_VERDICT for end in ends)

        return {
            "obligations": wrong(self.results),
            "functions lifted otherwise": sum(bool(f.problem) and not f.undecided for f in self.lifted),
            "theorems": wrong(self.theorems),
            "postconditions": wrong(self.judged),
            "mutants alive": sum(hunted.outcome == "survived" for hunted in self.mutants),
            "rules without obligation": len(self.unnamed),
            "certificates refused": self._certificates("refused"),
        }

    def _open(self) -> dict[str, int]:
        def unsaid(ends: Iterable[Result | any_size.End | Judged]) -> int:
            return sum(end.verdict in NO_VERDICT for end in ends)

        return {
            "obligations undecided": unsaid(self.results),
            "theorems undecided": unsaid(self.theorems),
            "postconditions undecided": unsaid(self.judged),
            "functions undecided": sum(lift_report.undecided for lift_report in self.lifted),
            "certificates missing": self._certificates("missing"),
            "certificates unchecked": self._certificates("unchecked"),
        }

    def _certificates(self, status: CertificateStatus) -> int:
        return sum(entry.status == status for entry in self.certificates or ())


def _counted(counts: dict[str, int]) -> Iterator[str]:
    return (f"{count} {kind}" for kind, count in counts.items() if count)


def text_lines(report: Report) -> Iterator[str]:
    """The report as a person reads it: the matrix last, where the eye ends."""
    yield from _lifting_lines(report)
    yield from _obligation_lines(report)
    yield from _mutant_lines(report)
    for story in stories(report):
        yield from ("", story.title, *(f"  {line}" for line in story.lines))
    for result in report.results:
        if not result.as_expected:
            yield from _failure_lines(result)
    for rule in report.unnamed:
        yield f"FAIL {rule}: no obligation names it: {statement_of(rule)}"
    yield from theorem_lines(report)
    yield from bounded_lines(report)
    if report.certificates is not None:
        yield from ("", *certificates.lines_of(report.certificates))
    yield ""
    yield from _kept_lines(report)
    if any(obligation.title for obligation in obligations_of(report)):
        yield from matrix_lines(report)
        yield ""
    yield closing_line(report)


def matrix_lines(report: Report) -> Iterator[str]:
    """The headline invariants against the readings, each with the theorem that says it of decisions."""
    proved = {end.theorem.id for end in report.theorems if end.as_expected}
    rows = [obligation for obligation in obligations_of(report) if obligation.title]
    width = max((len(obligation.title) for obligation in rows), default=0)
    yield f"{'':{width}}  " + "  ".join(f"{reading:10}" for reading in report.readings)
    for obligation in rows:
        yield (
            f"{obligation.title:{width}}  "
            + "  ".join(f"{MARKS[result.verdict]:10}" for result in row_of(report, obligation))
            + of_what_size(obligation.id, proved)
        )


def of_what_size(obligation: str, proved: Collection[str]) -> str:
    """Of what a headline invariant is proved where it is, and under which assumption.

    Args:
        obligation: its identifier.
        proved: the theorems that are proved.

    >>> of_what_size("PO-DYN-010", ["PO-ANY-255"]), of_what_size("PO-DYN-010", [])
    ('without priority boost; decisions of any size: PO-ANY-255', 'without priority boost; any workload')
    """
    theorem, assumed, otherwise = HEADLINES[obligation]
    size = f"decisions of any size: {theorem}" if theorem in proved else otherwise
    return f"{assumed}; {size}"


def _lifting_lines(report: Report) -> Iterator[str]:
    bad = [lift_report for lift_report in report.lifted if lift_report.problem]
    examples = sum(lift_report.examples for lift_report in report.lifted)
    yield (
        f"lifted {len(report.lifted)} functions twice (tracer, syntax lifter): "
        f"{len(report.lifted) - len(bad)} proved equal and equal to {examples} plain executions "
        f"(seed {report.random_seed})"
    )
    for lift_report in bad:
        yield f"  FAIL {lift_report.function}: {lift_report.problem}"


def _obligation_lines(report: Report) -> Iterator[str]:
    width = max((len(claim_text(obligation)) for obligation in obligations_of(report)), default=0)
    yield ""
    yield f"{'obligation':11} {'claim':{width}}  " + "  ".join(f"{reading:10}" for reading in report.readings)
    for obligation in obligations_of(report):
        cells = (
            f"{MARKS[result.verdict]}{'' if result.as_expected else ' !'}"
            for result in row_of(report, obligation)
        )
        yield f"{obligation.id:11} {claim_text(obligation):{width}}  " + "  ".join(
            f"{cell:10}" for cell in cells
        )
    agreed = sum(1 for result in report.results if "cvc5" in result.solvers)
    solvers = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    yield f"{solvers}; Z3 with {report.seeds} seed(s); cvc5 answered {agreed} of {len(report.results)}"
    base = trusted_base()
    yield (
        f"believed without proof: {base.lines} lines in {len(base.modules)} modules, and ASSUMPTIONS.md; "
        "rules, oracle and obligations are none of it"
    )


def _mutant_lines(report: Report) -> Iterator[str]:
    if not report.mutants:
        return
    counts = Counter(hunted.outcome for hunted in report.mutants)
    yield (
        f"mutants: {len(report.mutants)} made, {counts['killed']} killed, "
        f"{counts['equivalent']} proved equivalent, {counts['unreadable']} refused by the lifter, "
        f"{counts['signed']} signed with a reason, {counts['survived']} survived"
    )
    for hunted in report.mutants:
        if hunted.outcome == "survived":
            why = hunted.by or "no obligation tells them apart"
            yield f"  SURVIVED {hunted.id}: {hunted.before} -> {hunted.after}; {why}"


def theorem_lines(report: Report) -> Iterator[str]:
    """Claims of any size; nothing where they were left out."""
    if report.theorems:
        yield ""
        yield from any_size.lines_of(report.theorems)


def bounded_lines(report: Report) -> Iterator[str]:
    """Whole decisions, with their bound; nothing where they were left out."""
    if report.bounded is not None:
        yield ""
        yield from lines_of(report.bounded, report.readings)


def _kept_lines(report: Report) -> Iterator[str]:
    kept = report.kept
    if kept != NOTHING_KEPT:
        yield (
            f"kept from earlier runs: {kept.lifted} of {len(report.lifted)} functions, "
            f"{kept.results} of {len(report.results)} verdicts, "
            f"{kept.mutants} of {len(report.mutants)} mutants{_kept_parts(kept)}; `--no-cache` proves again"
        )


def _kept_parts(kept: KeptShape) -> str:
    return f", {kept.bounded} parts of the whole decisions" if kept.bounded else ""


@dataclass(frozen=True)
class Story:
    """A counterexample of a headline invariant.

    Args:
        title: what is refuted, and under which reading.
        lines: the source's words, what happens, and how it was checked.
    """

    title: str
    lines: tuple[str, ...]


def stories(report: Report) -> Iterator[Story]:
    """The counterexamples of headline invariants that are refuted as expected, one for each invariant."""
    refuted: dict[str, list[tuple[Result, Counterexample]]] = {}
    for result in report.results:
        if result.obligation.title and result.counterexample and result.as_expected:
            refuted.setdefault(result.obligation.id, []).append((result, result.counterexample))
    for name, found in refuted.items():
        first, shown = found[0]
        others = [result.reading for result, example in found if tuple(example.story) != tuple(shown.story)]
        yield Story(
            f"{name} is refuted under {joined([result.reading for result, _ in found])}: "
            f"{claim_text(first.obligation)}",
            (
                source_text(first.obligation),
                *shown.story,
                "replayed in Python and, rebuilt as manifests, through the oracle",
                *([f"{joined(others)}: by a similar counterexample, which -o json has"] if others else []),
            ),
        )


def _failure_lines(result: Result) -> Iterator[str]:
    obligation = result.obligation
    yield ""
    yield (
        f"FAIL {obligation.id} under {result.reading}: expected {result.expected}, is {result.verdict}"
        f"{': ' + result.detail if result.detail else ''}"
    )
    yield f"  the claim: {claim_text(obligation)}"
    yield f"  {source_text(obligation)}"
    known = {entry.id for entry in all_rules()}
    for rule in obligation.rules:
        yield f"  {rule}: {statement_of(rule) if rule in known else 'no such rule'}"
    if result.counterexample is not None:
        yield "  what breaks it:"
        # A function that no rule has asked anything has nothing to show.
        values = {name: shown(value) for name, value in result.counterexample.values.items()}
        yield from (f"    {name}: {value}" for name, value in values.items() if value)
        for line in result.counterexample.story:
            yield f"    {line}"


def statement_of(rule: str) -> str:
    """A rule's statement, as its docstring quotes it.

    >>> statement_of("KQ-070")
    'A request can never fit when it exceeds the most that its ClusterQueue could ever have.'
    """
    lines = (get_rule(rule).function.__doc__ or "").splitlines()
    return " ".join(line.strip().removeprefix(">").strip() for line in lines if line.strip().startswith("> "))


def closing_line(report: Report) -> str:
    """The whole run in one line."""
    state = "everything as expected" if report.good else f"NOT as expected: {', '.join(report.faults)}"
    within = f" and {len(report.judged)} within a bound" if report.judged else ""
    of_any = f", {len(report.theorems)} of any size" if report.theorems else ""
    return f"prove: {len(report.results)} verdicts{of_any}{within}, {state}, in {report.seconds:.1f} s"


def obligations_of(report: Report) -> list[Obligation]:
    """The obligations that were asked about, in order."""
    return list({result.obligation.id: result.obligation for result in report.results}.values())


def row_of(report: Report, obligation: Obligation) -> list[Result]:
    """How an obligation ended, under one reading after the other."""
    return [result for result in report.results if result.obligation.id == obligation.id]


def to_json(report: Report) -> dict[str, Any]:
    """The report for other programs; schema prove describes it."""
    return ProveAnswer(
        good=report.good,
        undecided=report.undecided,
        faults=list(report.faults),
        readings=list(report.readings),
        solvers=report.versions,
        seeds=report.seeds,
        random_seed=report.random_seed,
        seconds=round(report.seconds, 3),
        lifted=[
            LiftedShape(function=f.function, examples=f.examples, problem=f.problem) for f in report.lifted
        ],
        obligations=[
            _obligation_shape(obligation, row_of(report, obligation)) for obligation in obligations_of(report)
        ],
        mutants=[MutantShape(**dataclasses.asdict(hunted)) for hunted in report.mutants],
        unnamed=list(report.unnamed),
        warnings=list(report.warnings),
        trusted_base=TrustedBaseShape(lines=trusted_base().lines, modules=list(trusted_base().modules)),
        kept=report.kept,
        theorems=[any_size.shape_of(end) for end in report.theorems],
        bounded=None if report.bounded is None else bounded_shape(report.bounded),
        certificates=None if report.certificates is None else list(report.certificates),
    ).model_dump(mode="json", by_alias=True)


def _obligation_shape(obligation: Obligation, results: Iterable[Result]) -> ObligationShape:
    return ObligationShape(
        id=obligation.id,
        claim=claim_text(obligation),
        title=obligation.title,
        source=source_text(obligation),
        rules=list(obligation.rules),
        verdicts={result.reading: _verdict_shape(result) for result in results},
    )


def _verdict_shape(result: Result) -> VerdictShape:
    return VerdictShape(
        verdict=result.verdict,
        expected=result.expected,
        seconds=round(result.seconds, 4),
        solvers=result.solvers,
        detail=result.detail,
        counterexample=example_shape(result.counterexample),
    )


def example_shape(example: Counterexample | None) -> CounterexampleShape | None:
    """A counterexample, if there is one, for other programs."""
    if example is None:
        return None
    values = {name: shown(value) for name, value in example.values.items()}
    return CounterexampleShape(values=values, story=list(example.story), scenario=example.scenario)
