"""A difference in words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from tenure.explanation.groups import FOR_ALL, MOST, grouped
from tenure.explanation.quota_alone import BY_QUOTA, note_lines
from tenure.explanation.shapes import WorkloadWithReason
from tenure.explanation.summary import assumed_lines
from tenure.joint import JointDifference, JointPreemption, JointStart, about_when, names
from tenure.model import Instant
from tenure.outline import Facts, Item, Name, Outline, TitledList
from tenure.units import format_instant
from tenure_play.diff.difference import DiffAnswer, PendingChange, RunningChange


def has_new_victims(answer: DiffAnswer) -> bool:
    """Whether a running workload becomes a victim, jointly or for one job taken alone."""
    return bool(answer.gained_victims or (answer.joint and answer.joint.preempted))


def changes_anything(answer: DiffAnswer) -> bool:
    """Whether anything differs, jointly or for one job taken alone."""
    joint = answer.joint
    jointly = joint and (
        joint.starts or joint.no_longer_starts or joint.preempted or joint.no_longer_preempted
    )
    return bool(answer.pending or answer.gained_victims or answer.lost_victims or jointly)


def summary_of(answer: DiffAnswer) -> str:
    """The difference of the decisions, each taken alone, in a sentence.

    >>> from tenure_play.diff.difference import DiffAnswer
    >>> summary_of(DiffAnswer("a", "b", 0, "guaranteed", 2, 3, (), (), (), None, ()))
    'Taken alone, no decision changes: 2 pending and 3 running workloads.'
    """
    by = "" if answer.topology is None else f" {BY_QUOTA}"
    counts = f"{answer.pending_count} pending and {answer.running_count} running workloads"
    if not (answer.pending or answer.gained_victims or answer.lost_victims):
        known = " that is known" if answer.not_known else ""
        return f"Taken alone, no decision{known} changes{by}: {counts}."
    gained, lost = len(answer.gained_victims), len(answer.lost_victims)
    are = "is" if len(answer.pending) == 1 else "are"
    return (
        f"Each taken alone{by}: {len(answer.pending)} of {answer.pending_count} pending workloads {are} "
        f"decided otherwise; {gained} more and {lost} fewer of {answer.running_count} running ones are "
        "victims."
    )


def outline_of(answer: DiffAnswer, *, every: bool = False) -> Outline:
    """A difference for people: for a terminal, or for a comment on a pull request.

    Args:
        answer: the difference.
        every: whether all workloads are listed.
    """
    most = None if every else MOST
    clock = f"clock {format_instant(answer.now)}, reading {answer.reading}"
    victims = (
        TitledList(title, [_running_item(change, gained) for change in changes], most, FOR_ALL)
        for title, changes, gained in (
            ("Become victims, each job taken alone", answer.gained_victims, True),
            ("Cease to be victims, each job taken alone", answer.lost_victims, False),
        )
    )
    pending = _pending_items(answer.pending, every=every)
    return Outline(
        "What this change does to preemption",
        [
            *([] if answer.joint is None else _joint_sentences(answer.joint)),
            summary_of(answer),
            Facts(
                [
                    ["before  ", Name(answer.before)],
                    ["after   ", Name(answer.after)],
                    clock,
                    *([] if answer.joint is None else _played_facts(answer.joint)),
                    *(line.strip() for line in assumed_lines(answer.premises)),
                    *(line.strip() for line in note_lines(answer.topology)),
                    *(f"not known: {text}" for text in answer.not_known),
                ]
            ),
            *([] if answer.joint is None else _joint_lists(answer, answer.joint, most)),
            *victims,
            TitledList("Decided otherwise, each job taken alone", pending, most, FOR_ALL),
            TitledList("Note", [*map(Item, answer.notes)]),
        ],
    )


def _joint_sentences(joint: JointDifference) -> Iterator[str]:
    """The headline, the preemptions in vain after the change, and those that end by it."""
    yield f"{joint.summary}."
    former = {each.text for each in joint.before.in_vain}
    for each in joint.after.in_vain:
        yield f"! {each.text}{'; before too' if each.text in former else ''}."
    for each in joint.no_longer_in_vain:
        yield (
            f"No preemption for {each.preemptor} is in vain any more; before, that of "
            f"{names(each.victims)} was."
        )


def _played_facts(joint: JointDifference) -> Iterator[str]:
    before, after = joint.before.ended_text, joint.after.ended_text
    if before and after:
        ended = f", {before}" if before == after else f"; BEFORE, {before}; AFTER, {after}"
        yield f"jointly: the coming cycles of both sides, as `tenure next` plays them{ended}"


def _joint_lists(answer: DiffAnswer, joint: JointDifference, most: int | None) -> Iterator[TitledList]:
    """Who starts or is preempted on one side only."""
    for title, starts in (
        ("Start with the change only, jointly", joint.starts),
        ("No longer start, jointly", joint.no_longer_starts),
    ):
        yield TitledList(title, [_start_item(start, answer.now) for start in starts], most, FOR_ALL)
    for title, preempted in (
        ("Preempted with the change only, jointly", joint.preempted),
        ("No longer preempted, jointly", joint.no_longer_preempted),
    ):
        items = [_preempted_item(each, answer.now) for each in preempted]
        yield TitledList(title, items, most, FOR_ALL)


def _start_item(start: JointStart, now: Instant) -> Item:
    return Item([Name(start.workload), " (", Name(start.cluster_queue), f"): {about_when(start.at, now)}"])


def _preempted_item(each: JointPreemption, now: Instant) -> Item:
    by = ["for ", Name(each.preemptor), f" {each.reason}, {about_when(each.at, now)}"]
    return Item([Name(each.workload), " (", Name(each.cluster_queue), "): ", *by])


def _running_item(change: RunningChange, gained: bool) -> Item:
    words = [Name(change.workload), " (", Name(change.cluster_queue or ""), "): "]
    words += [*_preemptors(change.preemptors), "; "]
    if not change.runs_after:
        return Item([*words, "does not run afterwards"])
    return Item([*words, _safe(change, gained), "; ", _protected(change)])


def _safe(change: RunningChange, gained: bool) -> str:
    """From when, or until when, it is no victim, for whatever reason."""
    if change.until is not None:
        return f"safe {'only after' if gained else 'until'} {format_instant(change.until)}"
    if change.looked_until is not None:
        found = "not safe" if gained else "safe"
        return f"{found} until {format_instant(change.looked_until)}, later was not looked at"
    return "at risk, with no known end" if gained else "not at risk from any job pending now"


def _preemptors(preemptors: Sequence[WorkloadWithReason]) -> list[str]:
    """The first pending workload that preempts it, and how many more there are.

    >>> reason = "InCohortReclamation"
    >>> "".join(_preemptors([WorkloadWithReason("ml/a", reason), WorkloadWithReason("ml/b", reason)]))
    'for ml/a InCohortReclamation, and 1 more'
    """
    more = f", and {len(preemptors) - 1} more" if len(preemptors) > 1 else ""
    return ["for ", Name(preemptors[0].workload), f" {preemptors[0].reason}{more}"]


def _protected(change: RunningChange) -> str:
    before, after = change.protected_before, change.protected_after
    if after is not None:
        return f"protected from equals until {format_instant(after)}"
    if before is not None:
        return f"not protected from equals, before until {format_instant(before)}"
    return "not protected from equals"


def _pending_items(changes: Sequence[PendingChange], *, every: bool) -> list[Item]:
    """Workloads that are decided otherwise; those of a ClusterQueue that are alike share a line."""
    if every:
        return [_pending_item([change]) for change in changes]

    def common(change: PendingChange) -> Hashable:
        return change.cluster_queue, change.before, change.after, change.gained, change.lost

    return [_pending_item(group) for group in grouped(changes, common)]


def _pending_item(changes: Sequence[PendingChange]) -> Item:
    change = changes[0]
    decided = f"{change.before}, then {change.after}" if change.before != change.after else change.after
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    alone = "each taken alone" if len(changes) > 1 else "taken alone"
    words = [Name(change.workload), f"{more} (", Name(change.cluster_queue or ""), f"), {alone}: {decided}"]
    for verb, victims in (("preempts", change.gained), ("no longer preempts", change.lost)):
        for index, victim in enumerate(victims):
            words += [", " if index else f"; {verb} ", Name(victim.workload), f" {victim.reason}"]
    return Item(words)
