"""Pictures of decisions: the tree of cohorts, quota and what is billed, who runs, who leaves, who asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from docs.gen.drawing import LETTER, WIDTH, words
from tenure.conformance.requests import read_cluster_request, read_decide_request
from tenure.engines import Engine, decide
from tenure.errors import InputError
from tenure.model import UNLIMITED, Amount, Cluster, ClusterQueue, FlavorResource, Instant, Workload
from tenure.oracle.heroes.accessible import Account, accessible_trees
from tenure.readings import Reading
from tenure.units import format_amount
from tenure_play.drawing.scene import Box, Hatch, Role, Sketch, Stroke

MOST = 3
"""Of more flavors and resources than these a picture would say nothing."""
_LEFT, _STEP, _BAR, _SMALL, _LINE = 8.0, 16.0, 20.0, 10, 1.5
_KINDS = {
    "runs": Box(0, 0, 16, 11, Role.FREE),
    "protected": Box(0, 0, 16, 11, Role.PROTECTED),
    "preempted, in this order": Box(0, 0, 16, 11, Role.PAPER, Role.SAME_QUEUE, Hatch.STRIPES, line=_LINE),
    "asks": Box(0, 0, 16, 11, None, Role.TEXT, line=_LINE, dash=(4, 3)),
    "billed for a hero": Box(0, 0, 16, 11, Role.LOOP, Role.LOOP_EDGE, line=_LINE),
    "nominal quota": Box(0, 0, 16, 11, None, Role.MUTED, line=_LINE),
}
"""How everything is drawn, as it is in the legend."""


@dataclass(frozen=True)
class Scene:
    """What a picture shows.

    Args:
        cluster, now, reading: what was asked about.
        incoming: the pending workload, if there is one.
        queue: where.
        asked: what it asks for.
        leaving: the victims' keys, in their order.
        said: what was decided, in words.
    """

    cluster: Cluster
    now: Instant
    reading: Reading
    incoming: Workload | None = None
    queue: str = ""
    asked: Mapping[FlavorResource, Amount] = field(default_factory=dict)
    leaving: tuple[str, ...] = ()
    said: str = ""

    @cached_property
    def accounts(self) -> dict[tuple[str, FlavorResource], Account]:
        """What heroes bill, by queue and flavor-resource; what is below a cycle of Cohorts has no tree."""
        queues = {name: queue for _, name, queue in _rows(self.cluster) if queue is not None}
        trees = accessible_trees(replace(self.cluster, cluster_queues=queues), self.now, self.reading)
        return {
            (node.name, account.flavor_resource): account
            for tree in trees
            for node in tree
            if node.is_queue
            for account in node.accounts
        }

    @cached_property
    def columns(self) -> list[FlavorResource]:
        """The flavor-resources that it is about."""
        known = sorted({at for queue in self.cluster.cluster_queues.values() for at in queue.nominal()})
        return [at for at in known if at in self.asked] or known


def scene_of(call: str, given: Mapping[str, Any]) -> Scene | None:
    """The scene of an oracle's request; None when there is nothing to be drawn of it.

    Args:
        call: `decide` or `accessible`; of other calls there is no scene.
        given: its input, with the reading.
    """
    try:
        if call == "accessible":
            checked = read_cluster_request(given)
            return Scene(checked.cluster, checked.now, checked.reading)
        return _decided(given) if call == "decide" else None
    except InputError:
        return None


def _decided(given: Mapping[str, Any]) -> Scene:
    checked = read_decide_request(given)
    decision = decide(
        Engine.REFERENCE,
        checked.cluster,
        checked.preemptor,
        checked.queue,
        checked.now,
        checked.reading,
        checked.assignment,
    )
    return Scene(
        checked.cluster,
        checked.now,
        checked.reading,
        decision.preemptor,
        checked.queue,
        decision.assignment.usage,
        tuple(target.workload.key for target in decision.targets),
        str(decision.outcome),
    )


def drawn(scene: Scene) -> tuple[str, Sketch] | None:
    """A scene in words, and its picture; None of one with too many flavors and resources, or with none."""
    if not 0 < len(scene.columns) <= MOST:
        return None
    sketch = Sketch(width=WIDTH)
    for column in scene.columns:
        if len(scene.columns) > 1:
            sketch.add(
                words((_LEFT, sketch.bottom + 18), f"{column.resource} on {column.flavor}", Role.MUTED)
            )
        _Panel(scene, column, sketch).draw()
    _legend(sketch)
    return " ".join(told(scene)), sketch


def told(scene: Scene) -> Iterator[str]:
    """What a picture shows, in sentences."""
    for column in scene.columns:
        of = f" {column.resource} on {column.flavor}" if len(scene.columns) > 1 else ""
        for name, queue in sorted(scene.cluster.cluster_queues.items()):
            nominal = queue.nominal().get(column, 0)
            running = _running(scene, name, column)
            names = ", ".join(
                f"{workload.name} {_amount(column, workload.usage[column])}" for workload in running
            )
            used = sum(workload.usage[column] for workload in running)
            yield (
                f"{name} uses {_amount(column, used)} of {_amount(column, nominal)}{of}"
                f"{': ' if names else ''}{names}."
            )
    if scene.incoming is not None:
        leaving = ", ".join(key.rpartition("/")[2] for key in scene.leaving)
        taken = f" of {leaving}" if leaving else ""
        yield f"{scene.incoming.name} asks in {scene.queue}: {scene.said}{taken}."


@dataclass
class _Panel:
    """One flavor-resource of a scene."""

    scene: Scene
    column: FlavorResource
    sketch: Sketch

    def draw(self) -> None:
        for depth, name, queue in _rows(self.scene.cluster):
            left, base = _LEFT + _STEP * depth, self.sketch.bottom + 22
            if queue is None:
                self._cohort(left, base, name)
            else:
                self._queue(left, base, queue)
            if depth:
                bend = (left - _STEP + 5, base - 4)
                branch = ((bend[0], base - 22), bend, (left - 3, bend[1]))
                self.sketch.add(Stroke(branch, Role.WAIT, _LINE))

    def _cohort(self, left: float, base: float, name: str) -> None:
        self.sketch.add(words((left, base), name, bold=True))
        cohort = self.scene.cluster.cohorts.get(name)
        own = sum(
            quotas.nominal.get(self.column.resource, 0)
            for group in (cohort.resource_groups if cohort else ())
            for quotas in group.flavors
            if quotas.flavor == self.column.flavor
        )
        told = f"cohort, owns {_amount(self.column, own)}" if own else "cohort"
        self.sketch.add(words((WIDTH - _LEFT, base), told, Role.MUTED, align="right", size=11))

    def _queue(self, left: float, base: float, queue: ClusterQueue) -> None:
        nominal = queue.nominal().get(self.column, 0)
        account = self.scene.accounts.get((queue.name, self.column))
        running = _running(self.scene, queue.name, self.column)
        used = sum(workload.usage[self.column] for workload in running)
        bar = base + 6
        told = self._account(used, nominal, account)
        self.sketch.add(words((left, base), queue.name, bold=True))
        self.sketch.add(words((WIDTH - _LEFT, base), told, Role.MUTED, align="right", size=11))
        scale = (WIDTH - _LEFT - left) / max(1, self._widest)
        if account is not None and account.bill > 0:
            billed = min(account.bill, nominal)
            self._box("billed for a hero", left + (nominal - billed) * scale, bar, billed * scale)
        at = left
        for workload in running:
            at = self._workload(workload, queue, at, bar, scale)
        if self.scene.incoming is not None and self.scene.queue == queue.name:
            self._asks(at, bar, scale)
        if nominal:
            self._box("nominal quota", left, bar, nominal * scale)

    def _account(self, used: Amount, nominal: Amount, account: Account | None) -> str:
        said = f"uses {_amount(self.column, used)} of {_amount(self.column, nominal)}"
        if account is None or not account.bill:
            return said
        left = "" if account.accessible == UNLIMITED else f", {_amount(self.column, account.accessible)} left"
        return f"{said}, billed {_amount(self.column, account.bill)}{left}"

    def _workload(
        self, workload: Workload, queue: ClusterQueue, at: float, bar: float, scale: float
    ) -> float:
        width = workload.usage[self.column] * scale
        name = f"{workload.name} {workload.priority}" if self._told_apart else workload.name
        if workload.key in self.scene.leaving:
            self._box("preempted, in this order", at, bar, width - 1)
            order = str(self.scene.leaving.index(workload.key) + 1)
            name = name if len(f"{order} {name}") * LETTER < width - 8 else ""
            label = f"{order} {name}".strip()
            wide = len(label) * LETTER * 0.95 + 4
            if width > wide + 2:
                middle = at + width / 2
                self.sketch.add(Box(middle - wide / 2, bar + 3, wide, _BAR - 6, Role.PAPER))
                self._label(middle, bar, label, bold=True)
        else:
            protected = _is_protected(workload, queue, self.scene.now)
            self._box("protected" if protected else "runs", at, bar, width - 1)
            if len(name) * LETTER < width - 4:
                role = Role.PAPER if protected else Role.TEXT
                self._label(at + width / 2, bar, name, role)
        return at + width

    def _asks(self, at: float, bar: float, scale: float) -> None:
        assert self.scene.incoming is not None
        width = self.scene.asked.get(self.column, 0) * scale
        if not width:
            return
        self._box("asks", at + 1, bar + 1, width - 3, height=_BAR - 2)
        name = self.scene.incoming.name
        name = f"{name} {self.scene.incoming.priority}" if self._told_apart else name
        if len(name) * LETTER < width - 6:
            self._label(at + width / 2, bar, name)

    def _box(self, kind: str, left: float, top: float, width: float, height: float = _BAR) -> None:
        box = replace(_KINDS[kind], x=left, y=top, width=max(width, 0), height=height)
        self.sketch.show(kind, box)

    def _label(
        self, middle: float, bar: float, text: str, role: Role = Role.TEXT, *, bold: bool = False
    ) -> None:
        """Words in the middle of a bar."""
        self.sketch.add(words((middle, bar + 14), text, role, align="center", bold=bold, size=_SMALL))

    @cached_property
    def _told_apart(self) -> bool:
        """Whether there is more than one priority."""
        running = self.scene.cluster.admitted
        waiting = () if self.scene.incoming is None else (self.scene.incoming,)
        return len({item.priority for item in (*running, *waiting)}) > 1

    @cached_property
    def _widest(self) -> Amount:
        """The most that a queue has, uses and asks for."""
        return max(
            max(
                queue.nominal().get(self.column, 0),
                sum(workload.usage[self.column] for workload in _running(self.scene, name, self.column))
                + (self.scene.asked.get(self.column, 0) if name == self.scene.queue else 0),
            )
            for name, queue in self.scene.cluster.cluster_queues.items()
        )


def _rows(cluster: Cluster) -> Iterator[tuple[int, str, ClusterQueue | None]]:
    """The nodes of all trees from above to below: how deep, the name, and the queue of which it is one."""
    above = {queue.cohort: None for queue in cluster.cluster_queues.values() if queue.cohort}
    above |= dict.fromkeys(cluster.cohorts)
    above |= {cohort.parent: None for cohort in cluster.cohorts.values() if cohort.parent}
    parents = {name: getattr(cluster.cohorts.get(name), "parent", None) for name in above}
    yield from _below(cluster, parents, None, 0)


def _below(
    cluster: Cluster, parents: Mapping[str, str | None], parent: str | None, depth: int
) -> Iterator[tuple[int, str, ClusterQueue | None]]:
    for name, queue in sorted(cluster.cluster_queues.items()):
        if queue.cohort == parent:
            yield depth, name, queue
    for name in sorted(name for name, above in parents.items() if above == parent):
        yield depth, name, None
        yield from _below(cluster, parents, name, depth + 1)


def _running(scene: Scene, queue: str, column: FlavorResource) -> list[Workload]:
    mine = [
        workload
        for workload in scene.cluster.admitted
        if workload.cluster_queue == queue and workload.usage.get(column)
    ]
    return sorted(
        mine,
        key=lambda workload: (
            workload.key in scene.leaving,
            -workload.priority,
            workload.quota_reserved_at or 0,
        ),
    )


def _is_protected(workload: Workload, queue: ClusterQueue, now: Instant) -> bool:
    lasts, since = queue.min_admit_duration, workload.quota_reserved_at
    return lasts is not None and since is not None and now - since <= lasts


def _amount(column: FlavorResource, amount: Amount) -> str:
    return "no limit" if amount == UNLIMITED else format_amount(column.resource, amount)


def _legend(sketch: Sketch) -> None:
    left, base = _LEFT, sketch.bottom + 24
    for kind, box in _KINDS.items():
        if kind not in sketch.used:
            continue
        wide = 24 + len(kind) * LETTER
        if left + wide > WIDTH:
            left, base = _LEFT, base + 18
        sketch.add(replace(box, x=left, y=base - 10))
        sketch.add(words((left + 21, base), kind, Role.MUTED, size=11))
        left += wide + 8
