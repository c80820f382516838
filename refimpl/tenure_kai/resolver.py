"""Which minimum runtime counts between two queues, and whose value that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenure.errors import bad_input
from tenure.model import Action, Duration, ResolveMethod
from tenure.rules.min_runtime import counts_for_reclaim, is_resolvable, nearest_set, value_down
from tenure_kai.model import Arguments, Queue


@dataclass(frozen=True, slots=True)
class Resolution:
    """A minimum runtime, and where it comes from.

    Args:
        action: preempt or reclaim.
        min_runtime: ns.
        source: name of the queue whose value it is; None for the plugin's default.
        step: under `lca`, the lowest queue on the victim's path that has a say; None otherwise.
        ancestor: under `lca`, the lowest queue that both paths share; None without one.
        missing: names of the queues that do not exist and were needed; the default counts then.
        path: the victim's path, the top first; empty where its queue does not exist.
    """

    action: Action
    min_runtime: Duration
    source: str | None = None
    step: str | None = None
    ancestor: str | None = None
    missing: tuple[str, ...] = ()
    path: tuple[str, ...] = ()


def path_of(queues: Mapping[str, Queue], name: str) -> tuple[Queue, ...]:
    """A queue and those above it, the top first; it ends where a parent does not exist.

    Args:
        queues: by name.
        name: of the queue; one that does not exist has an empty path.

    Raises:
        InputError: the parents go in a circle. The scheduler's own walk would not end.

    Source: KAI-Scheduler, MinRuntime plugin, resolver.

    >>> [queue.name for queue in path_of({"a": Queue("a"), "b": Queue("b", "a")}, "b")]
    ['a', 'b']
    """
    found: list[Queue] = []
    seen: set[str] = set()
    queue = queues.get(name)
    while queue is not None:
        if queue.name in seen:
            circle = " in ".join([*(queue.name for queue in found), queue.name])
            raise bad_input("spec.parentQueue", circle, "parents without a circle", object=f"Queue/{name}")
        seen.add(queue.name)
        found.append(queue)
        queue = queues.get(queue.parent)
    return tuple(reversed(found))


def resolve(
    queues: Mapping[str, Queue], arguments: Arguments, action: Action, pending: str | None, victim: str | None
) -> Resolution:
    """The minimum runtime that counts for a victim.

    Args:
        queues: by name.
        arguments: of the plugin.
        action: preempt or reclaim.
        pending: name of the pending job's queue; None, or one that does not exist, for no such queue.
        victim: the same of the victim's queue.

    Raises:
        InputError: the parents of a queue that is needed go in a circle.

    Source: KAI-Scheduler, MinRuntime Plugin, Resolution Methods.

    >>> queues = {"a": Queue("a", preempt_min_runtime=5), "b": Queue("b", "a")}
    >>> resolve(queues, Arguments(), Action.PREEMPT, None, "b").source
    'a'
    """
    needed = (victim,) if action == Action.PREEMPT else (pending, victim)
    missing = tuple(name or "" for name in needed if name not in queues)
    if not is_resolvable(action, pending in queues, victim in queues):
        return Resolution(action, arguments.default(action), missing=missing)
    path = path_of(queues, victim or "")
    if action == Action.PREEMPT:
        return _nearest(path, arguments)
    return _reclaim(path, path_of(queues, pending or ""), arguments)


def _nearest(path: Sequence[Queue], arguments: Arguments) -> Resolution:
    value, source = arguments.default_preempt, None
    for queue in path:
        value = nearest_set(queue.preempt_min_runtime, value)
        source = source if queue.preempt_min_runtime is None else queue.name
    return Resolution(Action.PREEMPT, value, source, path=_names(path))


def _reclaim(path: Sequence[Queue], pending: Sequence[Queue], arguments: Arguments) -> Resolution:
    """A walk down the victim's path: a queue's parent is common while the paths agree."""
    common = {queue.name for queue in pending}
    value, source, step, ancestor = arguments.default_reclaim, None, None, None
    above: Queue | None = None
    for queue in path:
        counts = counts_for_reclaim(
            arguments.method, above is None, above is not None and above.name in common
        )
        value = value_down(queue.reclaim_min_runtime, value, counts)
        if counts and queue.reclaim_min_runtime is not None:
            source = queue.name
        if counts:
            step = queue.name
        if queue.name in common:
            ancestor = queue.name
        above = queue
    if arguments.method == ResolveMethod.QUEUE:
        step = ancestor = None
    return Resolution(Action.RECLAIM, value, source, step, ancestor, path=_names(path))


def _names(path: Sequence[Queue]) -> tuple[str, ...]:
    return tuple(queue.name for queue in path)
