"""An answer about a preemption that has happened, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tenure.explanation.groups import names_text
from tenure.explanation.summary import assumed_lines
from tenure.explanation.verdicts import RULES_TITLE
from tenure_play.postmortem.answer_types import Certainty, PastAnswer, RecordedEvent


def past_lines(answer: PastAnswer) -> Iterator[str]:
    """Why a workload was preempted."""
    yield answer.summary
    if answer.cluster_queue is not None and answer.preemptor_queue is not None:
        yield f"  it ran in ClusterQueue {answer.cluster_queue}; the other waited in {answer.preemptor_queue}"
    if answer.together:
        yield f"  preempted for the same workload: {names_text(answer.together)}"
    yield f"  now {answer.present}"
    yield f"  clock {answer.now}, reading {answer.reading_text}"
    yield from assumed_lines(answer.premises)
    since = (f"{event.at}  {event.text}" if event.at else event.text for event in answer.since)
    yield from _section("Since then", since)
    yield from _section("Which rule allowed it", _chain_lines(answer))
    preempted = answer.certainty != Certainty.NOT_PREEMPTED
    kind = "Preempted" if preempted else "Evicted"
    yield from _section("The record", [f"{kind}, {answer.reason}: {answer.message}", *_counted(answer)])
    yield from _section("Events", map(_recorded_line, answer.events))
    if preempted:
        yield from _section(f"Decided again{f', at {answer.at}' if answer.at else ''}", [answer.replay])
    yield from _section("Not known, or not restored", answer.unknown)
    remarks = (
        f"{remark.rule:8}{'yes' if remark.holds else 'no':4} {remark.text}" for remark in answer.remarks
    )
    yield from _section(RULES_TITLE, remarks)
    if answer.counterfactuals is not None:
        yield from _section("What would have kept it", (flip.text for flip in answer.counterfactuals.nearest))


def _recorded_line(event: RecordedEvent) -> str:
    more = f" ({event.count} times, until {event.last})" if event.count > 1 else ""
    return f"{event.at}  {event.text}{more}"


def _counted(answer: PastAnswer) -> Iterator[str]:
    """The evictions that Kueue counts; one that the record shows already needs no line."""
    if sum(counted.count for counted in answer.evictions) > 1:
        counts = (
            f"{counted.count} {counted.reason}{f' ({counted.cause})' if counted.cause else ''}"
            for counted in answer.evictions
        )
        yield f"evictions in all, as Kueue counts them: {', '.join(counts)}"


def _chain_lines(answer: PastAnswer) -> Iterator[str]:
    told = [f"{', '.join(chain.rules)}: {chain.text}" for chain in answer.chains]
    if answer.certainty != Certainty.CONFIRMED and len(told) > 1:
        yield f"{answer.reason} stands for one of these:"
        yield from (f"  {text}" for text in told)
        return
    yield from told[:1]
    yield from (f"or, if workloads ran beside it that are not known: {text}" for text in told[1:])


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield from ("", title, *(f"  {line}" for line in found))
