"""Mistakes that people made or nearly made, written by hand: no other family makes them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from tenure_proofs.mutants.mutant import Change, places

REAL_BUGS: tuple[tuple[str, str, str, str], ...] = (
    (
        "is_time_expired",
        "now - quota_reservation_time(target, now)",
        "now - target.created_at",
        "a workload that waited for hours has used up its protection before it starts",
    ),
    (
        "is_time_expired",
        "now - quota_reservation_time(target, now) > min_admit_duration",
        "now > quota_reservation_time(target, now)",
        "the duration is forgotten: whoever has run at all has expired",
    ),
    (
        "quota_reservation_time",
        "now",
        "0",
        "a reservation without a stamp counts from 1970, as a zero time would in Go",
    ),
    (
        "is_newer_equal",
        "quota_reservation_time(target, now) > preemptor.created_at",
        "target.created_at > preemptor.created_at",
        "the creation is compared where the proposal names the reservation",
    ),
    (
        "requeue_timestamp",
        "workload.time_based_preempted_at + REQUEUE_EPSILON",
        "workload.time_based_preempted_at",
        "a victim ties with whoever was created at its eviction, and the lower uid goes first",
    ),
    (
        "basis_among_equals",
        "is_time_expired(target, now, duration_in_force(terms))",
        "is_time_expired(target, now, terms.min_admit_duration)",
        "a duration that is not in force expires workloads all the same",
    ),
    (
        "elapsed_steps",
        "(elapsed + delay_for_step - 1) // delay_for_step",
        "(elapsed + delay_for_step) // delay_for_step",
        "rounding up that adds one at an exact multiple",
    ),
    (
        "dynamic_priority",
        "max(LEAST_PRIORITY, min(base + steps * policy.step, policy.max))",
        "min(base + steps * policy.step, policy.max)",
        "nothing stops a negative step at the least 32-bit integer",
    ),
    (
        "is_protected",
        "now < started_at + min_runtime",
        "now <= started_at + min_runtime",
        "KAI and the proposal differ at this one instant",
    ),
    (
        "usage_passed_up",
        "max(0, minus(usage, quota.local))",
        "minus(usage, quota.local)",
        "usage below the local quota passes a debt up the tree",
    ),
    (
        "local_available",
        "max(0, minus(quota.local, usage))",
        "minus(quota.local, usage)",
        "usage above the local quota makes what is available negative",
    ),
    (
        "persisted",
        "instant - instant % SECOND",
        "instant",
        "protected time ends up to a second later than the object in the cluster says",
    ),
    (
        "protection_ended_at",
        "reserved_at + min_admit_duration + 1",
        "reserved_at + min_admit_duration",
        "the cycle finds no workload whose time is used up, and no other cycle follows",
    ),
    (
        "is_kept_at_head",
        "preemptor and (not strict)",
        "preemptor",
        "in a StrictFIFO queue a higher priority that comes while victims terminate waits",
    ),
    (
        "wins_tournament",
        "mine.queued_at < theirs.queued_at",
        "mine.queued_at <= theirs.queued_at",
        "the order of a cycle depends on more than shares, priorities, times and names",
    ),
    (
        "wake_due_at",
        "planned_at if planned else now + retry",
        "now + retry",
        "every event delays the wake of those before it: while there are events no workload is woken",
    ),
)
"""The function, the right source, the wrong one, and what would be seen."""


def real_bug_changes(function: Callable[..., Any], definition: ast.FunctionDef) -> Iterator[Change]:
    """The mistakes in one function, where its source is still what they are mistakes of."""
    for name, before, after, _ in REAL_BUGS:
        if name == function.__name__:
            here = _places_of(before, definition)
            if here:
                place, node = here[-1]
                yield Change(place, node, ast.parse(after, mode="eval").body)


def _places_of(source: str, definition: ast.FunctionDef) -> list[tuple[int, ast.expr]]:
    return [(place, node) for place, node in places(definition) if ast.unparse(node) == source]
