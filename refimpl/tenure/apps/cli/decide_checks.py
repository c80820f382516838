"""Decisions as continuous integration reads them: another than was expected, and what cannot be decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tenure.api import Decision, PendingDecision
from tenure.errors import Problem
from tenure.manifests import object_name
from tenure.model import Outcome
from tenure.reports import Case, Report, RuleText, Suite, Trouble
from tenure.reports.problems import place_in, rules_of, trouble_of
from tenure.telling.explain import summarize

if TYPE_CHECKING:
    from tenure.manifests.source_lines import SourceLines

TOOL: Final = "tenure decide"
_RULE: Final = RuleText("decision", "A pending workload is decided about otherwise than was expected.")


def check_of(decision: Decision, expected: Outcome | None) -> Report:
    """One decision.

    Args:
        decision: what was decided.
        expected: what should have been; None for anything.
    """
    said = " ".join(summarize(decision))
    wrong = expected is not None and decision.outcome != expected
    text = f"expected {expected}, found {said}" if wrong else ""
    case = Case("decide", decision.preemptor.key, failure=text, said="" if wrong else said)
    troubles = (Trouble(_RULE.id, decision.preemptor.key, text),) if wrong else ()
    return Report(TOOL, (Suite("decide", (case,)),), troubles, (_RULE,), next(iter(summarize(decision))))


def placed(report: Report, decision: Decision, lines: SourceLines, sources: Sequence[str | Path]) -> Report:
    """The report with its troubles at the pending workload's manifest, where that is found.

    Args:
        report: of `check_of`.
        decision: the same one.
        lines: finds lines of files.
        sources: what was read.
    """
    asker = decision.preemptor
    place = place_in(*lines.of_object(sources, object_name("Workload", asker.namespace, asker.name)))
    return replace(report, troubles=tuple(replace(each, places=place) for each in report.troubles))


@dataclass(slots=True)
class Noted:
    """What is left of decisions that pass by: a line each."""

    cases: list[Case] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def passing(self, decisions: Iterable[PendingDecision]) -> Iterator[PendingDecision]:
        """The decisions, noted while they are drawn."""
        for each in decisions:
            self.problems.extend(each.problems)
            error = "; ".join(map(str, each.problems))
            said = next(iter(summarize(each.decision))) if each.decision else ""
            self.cases.append(Case(each.cluster_queue or "", each.workload, error=error, said=said))
            yield each

    def checks(self, lines: SourceLines) -> Report:
        """All of them as a report."""
        undecided = sum(bool(each.error) for each in self.cases)
        return Report(
            TOOL,
            (Suite("decide --all-pending", tuple(self.cases)),),
            tuple(trouble_of(each, lines.of_field) for each in self.problems),
            rules_of(self.problems),
            f"decide: {len(self.cases)} pending workloads, {undecided} not decided",
            finished=not undecided,
        )
