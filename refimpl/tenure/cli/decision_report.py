"""Decisions as continuous integration reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tenure.api import Decision, PendingDecision
from tenure.errors import Problem
from tenure.explanation.summary import summarize
from tenure.manifests import object_name
from tenure.manifests.source_lines import SourceLines
from tenure.reports import Case, Report, RuleText, Suite, Trouble
from tenure.reports.content import place_in, rules_of, trouble_of

TOOL: Final = "tenure decide"
_RULE: Final = RuleText("decision", "The decision about a pending workload differs from the expected one.")


def report_of(decision: Decision, wrong: str, lines: SourceLines, sources: Iterable[str | Path]) -> Report:
    """One decision, a wrong one at the pending workload's manifest, where that is found.

    Args:
        decision: what was decided.
        wrong: what was expected and found; empty where nothing else was expected.
        lines: finds lines of files.
        sources: what was read.
    """
    asker = decision.preemptor
    first, *others = summarize(decision)
    case = Case("decide", asker.key, failure=wrong, output="" if wrong else " ".join([first, *others]))
    troubles = []
    if wrong:
        name = object_name("Workload", asker.namespace, asker.name)
        places = place_in(*lines.of_object([*sources], name))
        troubles.append(Trouble(_RULE.id, asker.key, wrong, places))
    return Report(TOOL, (Suite("decide", (case,)),), tuple(troubles), (_RULE,), first)


@dataclass(slots=True)
class Noted:
    """What is left of decisions that pass by: a line each."""

    cases: list[Case] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def passing(self, decisions: Iterable[PendingDecision]) -> Iterator[PendingDecision]:
        """The decisions, noted while they are drawn."""
        for decision in decisions:
            self.problems.extend(decision.problems)
            error = "; ".join(map(str, decision.problems))
            outcome = next(iter(summarize(decision.decision))) if decision.decision else ""
            self.cases.append(
                Case(decision.cluster_queue or "", decision.workload, error=error, output=outcome)
            )
            yield decision

    def checks(self, lines: SourceLines) -> Report:
        """All of them as a report."""
        undecided = sum(bool(case.error) for case in self.cases)
        return Report(
            TOOL,
            (Suite("decide --all-pending", tuple(self.cases)),),
            tuple(trouble_of(problem, lines.of_field) for problem in self.problems),
            rules_of(self.problems),
            f"decide: {len(self.cases)} pending workloads, {undecided} not decided",
            finished=not undecided,
        )
