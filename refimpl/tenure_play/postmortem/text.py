"""An answer about a preemption that has happened, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenure.explanation.groups import names_text
from tenure.explanation.proposals import clock_text, shown_rules
from tenure.explanation.summary import assumed_lines
from tenure.explanation.text import findings_part
from tenure.outline import Facts, Item, Outline, Part, TitledList
from tenure_play.postmortem.answer_types import Certainty, PastAnswer, RecordedEvent


def past_outline(answer: PastAnswer, *, verbose: bool = False) -> Outline:
    """Why a workload was preempted.

    Args:
        answer: the answer.
        verbose: whether everything that the rules found is listed.
    """
    return Outline(f"Why {answer.victim} was preempted", list(_parts(answer, verbose=verbose)))


def _parts(answer: PastAnswer, *, verbose: bool) -> Iterator[Part]:
    yield answer.summary
    facts = []
    if answer.cluster_queue is not None and answer.preemptor_queue is not None:
        facts.append(
            f"it ran in ClusterQueue {answer.cluster_queue}; the other waited in {answer.preemptor_queue}"
        )
    if answer.together:
        facts.append(f"preempted for the same workload: {names_text(answer.together)}")
    facts.append(f"now {answer.present}")
    facts.append(clock_text(answer.now, answer.reading_text, answer.proposals))
    facts += [line.strip() for line in assumed_lines(answer.premises)]
    yield Facts(facts)
    since = [f"{event.at}  {event.text}" if event.at else event.text for event in answer.since]
    yield _listed("Since then", since)
    yield TitledList("Which rule allowed it", [*_chain_items(answer)])
    preempted = answer.certainty != Certainty.NOT_PREEMPTED
    kind = "Preempted" if preempted else "Evicted"
    yield _listed("The record", [f"{kind}, {answer.reason}: {answer.message}", *_counted(answer)])
    yield _listed("Events", list(map(_recorded_line, answer.events)))
    if preempted and not answer.summary.endswith(answer.replay.removeprefix("not decided again: ")):
        yield _listed(f"Decided again{f', at {answer.at}' if answer.at else ''}", [answer.replay])
    yield _listed("Not known, or not restored", answer.unknown)
    yield findings_part(answer.remarks, answer.proposals, verbose=verbose)
    if answer.counterfactuals is not None:
        yield _listed("What would have kept it", [change.text for change in answer.counterfactuals.nearest])


def _listed(title: str, lines: Sequence[str]) -> Part:
    return TitledList(title, [Item(line) for line in lines])


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


def _chain_items(answer: PastAnswer) -> Iterator[Item]:
    chains = [f"{shown_rules(chain.rules, answer.proposals)}: {chain.text}" for chain in answer.chains]
    if answer.certainty != Certainty.CONFIRMED and len(chains) > 1:
        yield Item(f"{answer.reason} stands for one of these:", [Item(text) for text in chains])
        return
    yield from map(Item, chains[:1])
    for text in chains[1:]:
        yield Item(f"or, if workloads ran beside it that are not known: {text}")
