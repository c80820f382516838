"""Decisions of a scheduler that draws, at each visit anew, the order in which it visits sibling cohorts.

A Go map is iterated in an order of its own each time. The reference goes by name; here it decides about a
tree whose cohorts stand in another order whenever somebody looks at them.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping
from typing import Any

from tenure.conformance.rendering import render_decision
from tenure.conformance.requests import read_decide_request
from tenure.oracle.decide import decide
from tenure.oracle.snapshot import Snapshot, take_snapshot


class DrawnOrder(tuple[int, ...]):
    """Places of sibling cohorts; iterated, they come in an order that is drawn.

    >>> order = DrawnOrder.of((1, 2, 3), random.Random(1))
    >>> list(order), list(order), list(order)
    ([2, 3, 1], [3, 1, 2], [1, 3, 2])
    """

    _drawing: random.Random

    @classmethod
    def of(cls, places: tuple[int, ...], drawing: random.Random) -> DrawnOrder:
        """The places, in orders that are drawn."""
        order = cls(places)
        order._drawing = drawing
        return order

    def __iter__(self) -> Iterator[int]:
        places = list(super().__iter__())
        self._drawing.shuffle(places)
        return iter(places)


def drawn_decisions(scenario: Mapping[str, Any], draws: int) -> Iterator[Mapping[str, Any]]:
    """The `output` of call `decide` if sibling cohorts are visited in drawn orders, drawn time and again.

    Args:
        scenario: the `input` of a legal request.
        draws: how often; the same numbers are drawn for every scenario.
    """
    asked = read_decide_request(scenario)
    about = asked.preemptor, asked.queue, asked.now, asked.reading, asked.assignment
    snapshot = take_snapshot(asked.cluster, asked.queue, asked.now, asked.reading)
    for draw in range(draws):
        yield render_decision(decide(asked.cluster, *about, _drawn(snapshot, random.Random(draw))))


def _drawn(snapshot: Snapshot, drawing: random.Random) -> Snapshot:
    nodes = tuple(
        dataclasses.replace(node, cohorts=DrawnOrder.of(node.cohorts, drawing))
        for node in snapshot.tree.nodes
    )
    return dataclasses.replace(snapshot, tree=dataclasses.replace(snapshot.tree, nodes=nodes))
