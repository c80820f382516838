"""The call `minruntime` of the JSON-lines oracle: one case of the plugin, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tenure.errors import InputError, Problem
from tenure.kai import asking, entries
from tenure.kai.arguments import configure, method_name
from tenure.kai.asking import Fields, Object
from tenure.kai.model import Arguments, Scene
from tenure.kai.session import Session
from tenure.kai.steps import answer_steps
from tenure.manifests import did_you_mean, printable, show

_ABOUT = ("id", "suite", "name", "op", "basis", "source", "want", "reading", "explain")
_SCENE = ("queues", "pluginArgs", "now", "jobs")
_ASKED = ("action", "preemptor", "victim", "preemptorQueue", "victimQueue", "victims", "queueSpec", "steps")
FIELDS = (*_ABOUT, *_SCENE, *_ASKED)


def answer_min_runtime(raw: object) -> Object:
    """What the plugin makes of a case.

    Args:
        raw: `op` says what is asked: `config`, `queueField`, `resolve`, `path`, `filter`, `validate` or
            `sequence`; the other fields what it is asked about. Fields that say where a case comes from
            take no part.

    Returns:
        `config`: both defaults in ns, the method, the arguments that were replaced. `queueField`: whether the
        fields decode, and what they are in ns. `resolve`: `minRuntimeNs`, and whether a queue is missing.
        `path`: the queues, the top first. `filter`: `filter`, `elastic`, `protected`, `minRuntimeNs`.
        `validate`: `validator`. `sequence`: `steps`, one result for each step.

    Raises:
        InputError: what is wrong, with field paths relative to the case.

    Source: KAI-Scheduler, MinRuntime plugin.

    >>> answer_min_runtime({"op": "config", "pluginArgs": {}})["reclaimResolveMethod"]
    'lca'
    """
    if not isinstance(raw, Mapping):
        raise InputError([Problem("input", show(raw), "an object")])
    unknown = [
        Problem(
            printable(str(key)), "an unknown field", f"one of {', '.join(FIELDS)}{did_you_mean(key, FIELDS)}"
        )
        for key in list(raw)
        if key not in FIELDS
    ]
    if unknown:
        raise InputError(unknown[:100])
    op = raw.get("op")
    if not isinstance(op, str) or op not in _OPS:
        raise entries.refused("op", op, f"one of {', '.join(_OPS)}{did_you_mean(op, _OPS)}")
    return _OPS[op](raw)


def plugin_arguments(raw: Fields) -> dict[str, str]:
    """`pluginArgs`: names to texts."""
    found = raw.get("pluginArgs")
    if not isinstance(found, Mapping | None):
        raise entries.refused("pluginArgs", found, "an object of texts")
    for name, value in (found or {}).items():
        if not isinstance(value, str):
            raise entries.refused(
                f"pluginArgs.{printable(str(name))}", value, "a text, as a ConfigMap has it"
            )
    return dict(found or {})


def scene_of(raw: Fields) -> Scene:
    """Queues, jobs and arguments of a case."""
    queues = entries.each_of(raw, "queues", entries.queue)
    jobs = entries.each_of(raw, "jobs", entries.job)
    entries.once("queues", [each.name for each in queues])
    entries.once("jobs", [each.name for each in jobs])
    return Scene({each.name: each for each in queues}, {each.name: each for each in jobs}, _arguments(raw))


def _arguments(raw: Fields) -> Arguments:
    return configure(plugin_arguments(raw)).arguments


def _config(raw: Fields) -> Object:
    configured = configure(plugin_arguments(raw))
    return {
        "defaultPreemptMinRuntimeNs": configured.arguments.default_preempt,
        "defaultReclaimMinRuntimeNs": configured.arguments.default_reclaim,
        "reclaimResolveMethod": method_name(configured.arguments.method),
        "rejected": list(configured.rejected),
    }


def _queue_field(raw: Fields) -> Object:
    spec = raw.get("queueSpec")
    if not isinstance(spec, Mapping):
        raise entries.refused("queueSpec", spec, "an object")
    try:
        values = [entries.own_value(spec, f"{name}MinRuntime") for name in entries.ACTIONS]
    except InputError:
        return {"accepted": False}
    return {"accepted": True, "preemptMinRuntimeNs": values[0], "reclaimMinRuntimeNs": values[1]}


def _fresh(ask: Callable[[Session, Fields], Object]) -> Callable[[Fields], Object]:
    """A question to a session that is asked nothing else."""

    def answered(raw: Fields) -> Object:
        now = entries.clock(raw) if raw.get("now") is not None or ask in _TIMED else 0
        return ask(Session(scene_of(raw), now), raw)

    return answered


def _sequence(raw: Fields) -> Object:
    now = entries.clock(raw) if "now" in raw else 0
    return {"steps": answer_steps(Session(scene_of(raw), now), raw)}


_TIMED = (asking.filtered_whole, asking.validated)
_OPS: Mapping[str, Callable[[Fields], Object]] = {
    "config": _config,
    "queueField": _queue_field,
    "resolve": _fresh(asking.resolved),
    "path": _fresh(asking.path),
    "filter": _fresh(asking.filtered_whole),
    "validate": _fresh(asking.validated),
    "sequence": _sequence,
}
