"""A solver's values as states: for each ClusterQueue one workload that stays, and those that leave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import z3

from tenure.analysis.states import NAMESPACE, AskedCell
from tenure.conformance.requests import DecideRequest
from tenure.model import Amount, Cluster, FlavorResource, Instant, PodSet, Workload
from tenure.readings import Reading
from tenure_proofs.analysis.encoding import MOMENTS, STAMPS, Pair

HIGHEST = 10**6
"""Of workloads that stay: nothing preempts them by priority."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What the values leave open.

    Args:
        staying: the priority of who stays: as none, the preemptor's, the victim's, or none below it.
        later: the priority of who leaves after the victim, likewise.
    """

    staying: int
    later: int


def requests_of(
    pair: Pair, cluster: Cluster, reading: Reading, cell: AskedCell, model: z3.ModelRef
) -> Iterator[DecideRequest]:
    """The states that values may stand for, the likeliest first."""
    below = min(cell.low, cell.high - 1)
    for staying in (HIGHEST, cell.low, cell.high, -HIGHEST):
        for later in (cell.high - 1, below, cell.high, cell.low):
            yield _Written(pair, cluster, reading, cell, model).request(Arrangement(staying, later))


class _Written:
    def __init__(
        self, pair: Pair, cluster: Cluster, reading: Reading, cell: AskedCell, model: z3.ModelRef
    ) -> None:
        self._pair, self._cluster, self._reading = pair, cluster, reading
        self._cell, self._model = cell, model
        self._now = self._number(z3.Int("now"))

    def request(self, arrangement: Arrangement) -> DecideRequest:
        """The state of one arrangement."""
        running = (self._victim(), *self._others(arrangement))
        cluster = replace(self._cluster, admitted=running, pending=(), local_queues={})
        return DecideRequest(
            cluster,
            self._preemptor(),
            self._cell.preemptor,
            self._now,
            self._reading,
            assignment=None,
            explained=False,
        )

    def _number(self, term: Any) -> int:
        value: int = self._model.eval(term, model_completion=True).as_long()
        return value

    def _stamps(self, workload: str) -> dict[str, Any]:
        return {
            name: self._number(z3.Int(f"{workload}.{name}"))
            if z3.is_true(self._model.eval(z3.Bool(f"{workload}.{name}?"), model_completion=True))
            else None
            for name in STAMPS
            if name != "created_at"
        }

    def _victim(self) -> Workload:
        usage = {at: self._number(amount.term) for at, amount in self._pair.victim.items()}
        return Workload(
            namespace=NAMESPACE,
            name="victim",
            uid="m",
            priority=self._cell.low,
            created_at=self._number(z3.Int("V.created_at")),
            cluster_queue=self._cell.victim,
            usage={at: amount for at, amount in usage.items() if amount},
            **self._stamps("V"),
        )

    def _preemptor(self) -> Workload:
        asked: dict[str, dict[str, Amount]] = {}
        for at, amount in self._pair.request.items():
            if (wanted := self._number(amount.term)) and at.resource != "pods":
                asked.setdefault(at.flavor, {})[at.resource] = wanted
        stamps: dict[str, Any] = {**self._stamps("P"), "quota_reserved_at": None}
        return Workload(
            namespace=NAMESPACE,
            name="pending",
            uid="p",
            priority=self._cell.high,
            created_at=self._number(z3.Int("P.created_at")),
            pod_sets=tuple(PodSet(f"set{number}", 1, part) for number, part in enumerate(asked.values())),
            **stamps,
        )

    def _others(self, arrangement: Arrangement) -> Iterator[Workload]:
        reserved = self._number(z3.Int("V.quota_reserved_at"))
        before = max(0, reserved - 1)
        first = min(self._cell.low, self._cell.high - 1)
        for place in self._pair.queues:
            start, turn, back, final = (self._held(moment, place) for moment in MOMENTS)
            yield from self._other("stays", place, final, arrangement.staying, 0)
            yield from self._other("later", place, _less(turn, back), arrangement.later, before)
            yield from self._other("earlier", place, _less(start, turn), first, self._now)

    def _held(self, moment: str, place: int) -> dict[FlavorResource, Amount]:
        return {at: self._number(held.term) for at, held in self._pair.held[moment][place].items()}

    def _other(
        self, name: str, place: int, usage: dict[FlavorResource, Amount], priority: int, reserved: Instant
    ) -> Iterator[Workload]:
        usage = {at: amount for at, amount in usage.items() if amount}
        if usage:
            yield Workload(
                namespace=NAMESPACE,
                name=f"{name}-{place}",
                uid=name,
                priority=priority,
                created_at=0,
                quota_reserved_at=reserved,
                cluster_queue=self._pair.tree.nodes[place].name,
                usage=usage,
            )


def _less(
    one: dict[FlavorResource, Amount], other: dict[FlavorResource, Amount]
) -> dict[FlavorResource, Amount]:
    return {at: amount - other[at] for at, amount in one.items()}
