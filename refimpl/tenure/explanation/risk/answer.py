"""The exposure of a running workload in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenure.errors import InputError
from tenure.explanation.proposals import proposals_in, shown_rules
from tenure.explanation.quota_alone import BY_QUOTA
from tenure.explanation.remarks import BASIS_RULES, CONFIG_RULES
from tenure.explanation.risk.answer_types import (
    ExposureShape,
    MadeUpShape,
    OlderShape,
    SeenShape,
    SpanShape,
)
from tenure.explanation.risk.least_priority import Least
from tenure.explanation.risk.over_time import Exposure, Seen, exposure_of
from tenure.explanation.shapes import FlavorAmount
from tenure.explanation.shortages import amount
from tenure.model import Cluster, Instant, Reason, Workload
from tenure.oracle.topology import has_topology
from tenure.readings import Reading
from tenure.rules.dynamic_priority import LEAST_PRIORITY
from tenure.units import counted, format_instant, format_names

MOST_NAMED = 3
"""So many ClusterQueues with the same answer are named in a line."""


def exposure_answer(cluster: Cluster, victim: Workload, now: Instant, reading: Reading) -> ExposureShape:
    """Who could preempt a running workload with a new workload of any size, and until when it is safe.

    Args:
        cluster: the cluster.
        victim: one of its workloads that hold quota.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.

    >>> import tenure
    >>> from tenure.readings import preset
    >>> from tenure.resources import bundled
    >>> cluster = tenure.load(bundled("examples", "two-teams")).cluster
    >>> held = next(held for held in cluster.admitted if held.name == "job-ablation-lr-d9981")
    >>> exposure_answer(cluster, held, 1772460000 * 10**9, preset("guaranteed")).changes
    ('2026-03-02T15:02:53.000000001Z',)
    """
    try:
        exposure = exposure_of(cluster, victim, now, reading)
    except InputError as error:
        problem = "; ".join(map(str, error.problems))
        return ExposureShape(
            f"Who could preempt {victim.key} is not known: {problem}", None, (), (), False, problem
        )
    shapes = tuple(_grouped(exposure))
    names_seen = (name for shape in shapes for name in shape.cluster_queues)
    placed = any(has_topology(cluster.cluster_queues[name], cluster) for name in names_seen)
    summary = _summary(exposure)
    return ExposureShape(
        summary=f"{BY_QUOTA.capitalize()}: {summary[0].lower()}{summary[1:]}" if placed else summary,
        priority=exposure.victim.priority,
        changes=tuple(map(format_instant, exposure.changes)),
        cluster_queues=shapes,
        more_changes=exposure.more_changes,
        not_covered="",
        topology="not modelled" if placed else None,
    )


def names(cluster_queues: Sequence[str]) -> str:
    """Some ClusterQueues, at most three by name.

    >>> names(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    return format_names(cluster_queues, MOST_NAMED)


def least_text(priority: int, most: int | None = None) -> str:
    """A least priority in words, and the highest where there is one.

    >>> least_text(-(2**31)), least_text(101), least_text(-(2**31), 7)
    ('any priority', 'priority 101 or more', 'priority 7 or less')
    """
    if most is not None:
        return f"priority {most} or less"
    return "any priority" if priority <= LEAST_PRIORITY else f"priority {priority} or more"


def _grouped(exposure: Exposure) -> Iterator[SeenShape]:
    """The own ClusterQueue, then the others, those with the same answer together."""
    own, *others = exposure.seen
    yield SeenShape((own.cluster_queue,), _spans(own), _older(own, exposure))
    groups: dict[tuple[object, ...], list[Seen]] = {}
    for seen in others:
        key = tuple((span.start, _kind(span.least)) for span in seen.spans)
        groups.setdefault(key, []).append(seen)
    for group in sorted(groups.values(), key=lambda group: _rank(group[0])):
        yield SeenShape(tuple(seen.cluster_queue for seen in group), _spans(group[0]), None)


def _kind(least: Least) -> tuple[object, ...]:
    reason = None if least.target is None else least.target.evidence.basis
    return least.priority, reason, least.refusal, least.open_from, least.unknown


def _rank(seen: Seen) -> tuple[bool, int]:
    """Those that could preempt come first, of these the ones of the least priority."""
    found = [span.least.priority for span in seen.spans if span.least.priority is not None]
    return not found, min(found, default=0)


def _spans(seen: Seen) -> tuple[SpanShape, ...]:
    ends: list[str | None] = [format_instant(span.start) for span in seen.spans[1:]]
    ends.append(None)
    return tuple(
        SpanShape(
            since=format_instant(span.start),
            until=end,
            priority=span.least.priority,
            reason=None if span.least.target is None else span.least.target.reason.label,
            rules=_rules(span.least),
            refusal=span.least.refusal,
            unknown_from=span.least.open_from,
            made_up=_made_up(span.least),
            text=_text(span.least),
        )
        for span, end in zip(seen.spans, ends, strict=True)
    )


def _rules(least: Least) -> tuple[str, ...]:
    if least.target is None:
        return ()
    if least.target.reason == Reason.CONFIGURABLE_PREEMPTION:
        return CONFIG_RULES
    return BASIS_RULES[least.target.evidence.basis]


def _rules_text(least: Least) -> str:
    used = () if least.decision is None else proposals_in(least.decision.snapshot.cluster)
    return shown_rules(_rules(least), used)


def _made_up(least: Least) -> MadeUpShape | None:
    if least.decision is None:
        return None
    usage = least.decision.assignment.usage
    return MadeUpShape(
        tuple(FlavorAmount(at.flavor, at.resource, amount(at, asked)) for at, asked in sorted(usage.items())),
        len(least.decision.targets),
    )


def _text(least: Least) -> str:
    if least.unknown:
        return least.unknown
    if least.target is None or least.priority is None:
        if least.open_from is None:
            return f"no workload: {least.refusal}"
        unknown = least_text(least.open_from)
        return f"not known of {unknown}: no size that was tried preempts it, and not every size was"
    reason, rules = least.target.reason.label, _rules_text(least)
    known = f"{least_text(least.priority, least.most)}: {reason}, by {rules}; {_example(least)}"
    if least.open_from is None:
        return known
    lowest = least.open_from <= LEAST_PRIORITY
    since = "the lowest priority" if lowest else f"priority {least.open_from}"
    return f"{known}; not known from {since} on, where not every size was tried"


def _example(least: Least) -> str:
    made_up = _made_up(least)
    assert made_up is not None
    requested = " and ".join(f"{part.amount} {part.resource} on {part.flavor}" for part in made_up.request)
    others = made_up.preempted - 1
    beside = "" if others == 0 else f" and {counted(others, 'other')}"
    return f"one that requests {requested}{_selectable(least)} preempts it{beside}"


def _selectable(least: Least) -> str:
    """The labels and the priority class of the made-up workload, as rules of a PreemptionConfig read them."""
    found = None if least.decision is None else least.decision.preemptor.selectable
    if found is None:
        return ""
    labels = ",".join(f"{key}={value}" for key, value in sorted(found.labels.items()))
    named = f" in priority class {found.priority_class}" if found.priority_class else ""
    return f"{f' with labels {labels}' if labels else ''}{named}"


def _older(seen: Seen, exposure: Exposure) -> OlderShape | None:
    if seen.older is None or seen.older.target is None or seen.older_than is None:
        return None
    before, reason = format_instant(seen.older_than), seen.older.target.reason.label
    rules = _rules(seen.older)
    return OlderShape(
        waits_since_before=before,
        reason=reason,
        rules=rules,
        text=f"an equal, of priority {exposure.victim.priority}, that waits since before {before}: "
        f"{reason}, by {_rules_text(seen.older)}",
    )


def _summary(exposure: Exposure) -> str:
    victim = f"{exposure.victim.key} (priority {exposure.victim.priority})"
    by_least: dict[tuple[int, int | None], list[str]] = {}
    for seen in exposure.seen:
        least = seen.spans[0].least
        if least.priority is not None:
            by_least.setdefault((least.priority, least.most), []).append(seen.cluster_queue)
    unknown = [
        seen.cluster_queue
        for seen in exposure.seen
        if seen.spans[0].least.open_from is not None and not seen.spans[0].least.unknown
    ]
    doubt = f"; of {names(unknown)} not every size was tried" if unknown else ""
    unmodelled = [found for seen in exposure.seen if (found := seen.spans[0].least.unknown)]
    if unmodelled:
        doubt += f"; {'; '.join(dict.fromkeys(unmodelled))}"
    if doubt and not by_least:
        return f"Who could preempt {victim} is not known in full{_until(exposure)}{doubt}"
    if not by_least:
        return f"No new workload of any size could preempt {victim} now{_until(exposure)}"
    first = sorted(by_least.items(), key=lambda found: found[0][0])[:MOST_NAMED]
    who = ", or ".join(f"{least_text(*bounds)} in {names(queues)}" for bounds, queues in first)
    return f"A new workload of the right size could preempt {victim} now with {who}{_until(exposure)}{doubt}"


def _until(exposure: Exposure) -> str:
    """How its own ClusterQueue sees it later."""
    own = exposure.seen[0]
    if len(own.spans) < 2:
        return ""
    before, after = own.spans[0].least.priority, own.spans[1].least.priority
    until = format_instant(own.spans[1].start)
    if after == exposure.victim.priority and (before is None or before > after):
        return f"; it is protected from new equals until {until}"
    return f"; that changes at {until}"
