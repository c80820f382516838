"""The relations of `trusted.transitions`, asked about real workloads: formulas compiled to Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from tenure.model import Evidence, Kin, Workload
from tenure.oracle.door import take_target
from tenure.readings import preset
from tenure.rules.time_based import requeue_timestamp
from tenure_proofs.premises import any_terms
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.domains import constant, domain_of, leaves, presence
from tenure_proofs.trusted.symbols import SymBool
from tenure_proofs.trusted.transitions import OneQueue, is_evicted, is_reserved, is_served_within
from tests.tenure_proofs.evaluated import truth_of

Values = Mapping[str, int | bool]


class Place(NamedTuple):
    """A constant of a formula: the fields down to its value, its name, and the name of its presence."""

    path: tuple[str, ...]
    constant: str
    presence: str


_PLACES: dict[tuple[str, type[Any]], tuple[Place, ...]] = {}


@cache
def relation(reading: str) -> dict[str, SymBool]:
    """The parts of the transition relation, about workloads `before` and `after` and an instant `now`."""
    claim = Claim(preset(reading))
    before, after, now = (
        claim.record("before", Workload),
        claim.record("after", Workload),
        claim.number("now"),
    )
    queue = OneQueue(
        any_terms(claim), claim.lift(requeue_timestamp), claim.lift(take_target), claim.record("kin", Kin)
    )
    taken = queue.takes(before, after, claim.record("evidence", Evidence), now)
    return {
        "is evicted": is_evicted(before, after, claim.flag("by_time"), now),
        "is reserved": is_reserved(before, after, queue.terms.cluster_queue, now),
        "is ahead": queue.is_ahead(before, after),
        "heads": queue.heads(before, after),
        "waits": queue.is_pending(before),
        "holds": queue.holds_a_place(before),
        "takes": taken.defined,
        "is served in time": is_served_within(
            claim.number("delay"), now, possible=claim.flag("possible"), since=claim.number("since")
        ),
    }


def says(part: str, reading: str, **values: Any) -> bool:
    """What the transition relation says of these values."""
    return compiled(part, reading)(values_of(values))


@cache
def compiled(part: str, reading: str) -> Callable[[Values], bool]:
    """A part of the relation as a Python function of its constants."""
    return truth_of(relation(reading)[part].term)


def values_of(values: Mapping[str, Any]) -> dict[str, int | bool]:
    """Every constant of some arguments by name; a text is its rank among those that occur."""
    found = [leaf for name, value in values.items() for leaf in _leaves(name, value)]
    texts = sorted({value for _, value in found if isinstance(value, str)})
    ranks = {text: rank for rank, text in enumerate(texts)}
    return {name: ranks[value] if isinstance(value, str) else value for name, value in found}


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    for place in _places(name, type(value)):
        found = value
        for part in place.path:
            found = getattr(found, part)
        if place.presence:
            yield place.presence, found is not None
        if found is not None:
            yield place.constant, found


def _places(name: str, kind: Any) -> tuple[Place, ...]:
    """Where the constants of an argument of a type are found in it."""
    known = _PLACES.get((name, kind))
    if known is None:
        known = _PLACES[name, kind] = tuple(
            Place(
                tuple(leaf.split(".")[1:]),
                constant(leaf, scalar).decl().name(),
                presence(leaf).decl().name() if optional else "",
            )
            for leaf, scalar, optional in leaves(name, domain_of(kind))
        )
    return known
