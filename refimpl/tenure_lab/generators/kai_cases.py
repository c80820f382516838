"""Random cases of KAI-Scheduler's MinRuntime plugin: the `input` of the oracle's call `minruntime`.

With Hypothesis: `st.binary(max_size=CASE_DRAWS).map(min_runtime_case)`; fewer bytes are a simpler case.
"""

from __future__ import annotations

from typing import Any, Final

from tenure.model import SECOND, Instant
from tenure.readings import KaiVersion
from tenure.units import format_instant
from tenure_lab.generators.dice import ByteDice

Object = dict[str, Any]

CASE_DRAWS: Final = 384
"""Bytes of one case."""

NOW: Final[Instant] = 1_780_322_400 * SECOND
"""2026-06-01T14:00:00Z, around which everything happens."""

_QUEUES, _ARGUMENTS, _JOBS, _TEXT, _MEMBERS, _DELAYS = 24, 8, 96, 24, 24, 96
_MOST_QUEUES, _MOST_JOBS, _MOST_GROUPS, _MOST_PODS, _MOST_STEPS = 7, 4, 3, 5, 6

_OPS: tuple[str, ...] = (
    ("filter",) * 6
    + ("validate",) * 5
    + ("sequence",) * 5
    + ("resolve",) * 3
    + ("config", "queueField", "path")
)
_DELAYED: tuple[str, ...] = ("delay",) * 4
_VALUES = (None, None, "0s", "1s", "30s", "1m", "2m", "10m", "1h", "-1s", "1ns", "1m0.5s")
_DEFAULTS = (None, "0s", "10s", "1m", "1d", "1.5h", "2w", "-1s", "soon", "")
_METHODS = (None, "lca", "queue", "queue", "LCA", "")
_AGO = (0, 1, 30, 60, 90, 120, 600, 3600)
_STATUSES = (
    *("Running",) * 6,
    *("Pending", "Gated", "Allocated", "Pipelined", "Binding", "Bound"),
    *("Releasing", "Succeeded", "Failed", "Unknown"),
)
_NUMBERS = (
    "1",
    "0",
    "7",
    "05",
    ".5",
    "1.",
    "1.25",
    "0.1234567891",
    "90",
    "15250",
    "9223372036854775807",
    ".",
)
_UNITS = ("s", "m", "h", "d", "w", "ms", "us", "\u00b5s", "ns", "D", "y", "")


def min_runtime_case(drawn: bytes, version: KaiVersion = KaiVersion.MARCH_2026) -> Object:
    """The case that some bytes stand for.

    Args:
        drawn: at most `CASE_DRAWS` bytes that count; where they end, every draw is the simplest one.
        version: the KAI-Scheduler that is asked; jobs of v0.17.0 have preemption delays too.

    >>> min_runtime_case(b"")["op"]
    'filter'
    """
    dice = ByteDice(drawn)
    if version == KaiVersion.MARCH_2026:
        return _declared(dice.section(_MEMBERS), _case(dice, dice.pick(_OPS)))
    op = dice.pick(_OPS + _DELAYED)
    case = {"reading": {"kai_version": version.name.lower()}, **_case(dice, op)}
    case = _declared(dice.section(_MEMBERS), case)
    return _delayed(dice.section(_DELAYS), case) if "jobs" in case else case


def _case(dice: ByteDice, op: str) -> Object:
    if op == "config":
        return {"op": op, "pluginArgs": _texts(dice)}
    if op == "queueField":
        fields = ("preemptMinRuntime", "reclaimMinRuntime")
        return {"op": op, "queueSpec": {name: _text(dice) for name in fields if dice.chance(80)}}
    queues = _draw_queues(dice.section(_QUEUES))
    names = [queue["name"] for queue in queues]
    case: Object = {"op": op, "queues": queues, "pluginArgs": _draw_arguments(dice.section(_ARGUMENTS))}
    if op == "path":
        return {**case, "victimQueue": dice.pick(names)}
    if op == "resolve":
        return {**case, **_action(dice), **_asked_queues(dice, names)}
    case |= {"now": format_instant(NOW), "jobs": _draw_jobs(dice.section(_JOBS), names)}
    if op == "sequence":
        return {**case, "steps": _draw_steps(dice, case, names)}
    if op == "delay":
        return {**case, "preemptor": dice.pick(case["jobs"])["name"]}
    return {**case, **_question(dice, op, case, several=True)}


def _declared(dice: ByteDice, case: Object) -> Object:
    """The case with the minimum of some sub-groups as a PodGroup declares it."""
    if "jobs" not in case:
        return case
    jobs = [
        {**job, "subGroups": [_member(dice, group) for group in job["subGroups"]]} for job in case["jobs"]
    ]
    return {**case, "jobs": jobs}


def _member(dice: ByteDice, group: Object) -> Object:
    if not dice.chance(20):
        return group
    made = {key: value for key, value in group.items() if key != "minAvailable"}
    return {**made, "minMember": dice.pick((None, 0, 1, 2, 3))}


def _delayed(dice: ByteDice, case: Object) -> Object:
    """The case with the fields of v0.17.0: delays, evictions, and pods that do not end."""
    jobs = [
        {
            **job,
            "created": _start(dice),
            "lastEviction": _start(dice) if dice.chance(50) else None,
            "preemptionDelay": dice.pick(_VALUES),
            "subGroups": [
                {**group, "pods": [_stuck(dice, pod) for pod in group["pods"]]} for group in job["subGroups"]
            ],
        }
        for job in case["jobs"]
    ]
    steps = [_delayed_step(dice, step, jobs) for step in case.get("steps", ())]
    return {**case, "jobs": jobs, **({"steps": steps} if steps else {})}


def _stuck(dice: ByteDice, pod: Object) -> Object:
    return {**pod, "status": "StuckInReleasing"} if dice.chance(8) else pod


def _delayed_step(dice: ByteDice, step: Object, jobs: list[Object]) -> Object:
    """The step, or in its place one about a delay at the same instant."""
    if not dice.chance(35):
        return step
    at = {"now": step["now"]} if "now" in step else {}
    if dice.chance(40):
        return {"op": "setLastEviction", "job": dice.pick(jobs)["name"], "lastEviction": _start(dice), **at}
    return {"op": "delay", "preemptor": dice.pick(jobs)["name"], **at}


def _draw_queues(dice: ByteDice) -> list[Object]:
    names = [f"q{index}" for index in range(dice.up_to(_MOST_QUEUES - 1) + 1)]
    return [
        {
            "name": name,
            # Only queues before it: a circle would not end in the scheduler.
            "parent": "gone"
            if dice.chance(3)
            else dice.pick(["", *names[:index], *names[max(0, index - 1) : index]]),
            "preemptMinRuntime": dice.pick(_VALUES),
            "reclaimMinRuntime": dice.pick(_VALUES),
        }
        for index, name in enumerate(names)
    ]


def _draw_arguments(dice: ByteDice) -> Object:
    drawn = {
        "defaultPreemptMinRuntime": dice.pick(_DEFAULTS),
        "defaultReclaimMinRuntime": dice.pick(_DEFAULTS),
        "reclaimResolveMethod": dice.pick(_METHODS),
    }
    return {name: value for name, value in drawn.items() if value is not None}


def _draw_jobs(dice: ByteDice, names: list[str]) -> list[Object]:
    return [
        {
            "name": f"j{index}",
            "queue": _queue(dice, names),
            "lastStart": _start(dice),
            "subGroups": _groups(dice, index),
        }
        for index in range(dice.up_to(_MOST_JOBS - 2) + 2)
    ]


def _queue(dice: ByteDice, names: list[str]) -> str:
    return "gone" if dice.chance(4) else dice.pick(names)


def _start(dice: ByteDice) -> str | None:
    """Mostly a time at whose other end a minimum runtime may just be over."""
    if dice.chance(10):
        return None if dice.chance(60) else "0001-01-01T00:00:00Z"
    ago = dice.pick(_AGO) * SECOND + dice.pick((0, 0, 1, -1, SECOND // 2))
    return format_instant(NOW + ago if dice.chance(5) else NOW - ago)


def _groups(dice: ByteDice, job: int) -> list[Object]:
    return [
        {
            "name": "default" if index == 0 else f"g{index}",
            "minAvailable": dice.pick((1, 1, 2, 3, 0, 4)),
            "pods": [
                {"name": f"j{job}-{index}-{pod}", "status": dice.pick(_STATUSES)}
                for pod in range(dice.up_to(_MOST_PODS))
            ],
        }
        for index in range(dice.pick((1, 1, 1, 2, _MOST_GROUPS)))
    ]


def _action(dice: ByteDice) -> Object:
    return {"action": dice.pick(("reclaim", "reclaim", "preempt"))}


def _asked_queues(dice: ByteDice, names: list[str]) -> Object:
    return {key: None if dice.chance(4) else _queue(dice, names) for key in ("preemptorQueue", "victimQueue")}


def _question(dice: ByteDice, op: str, case: Object, *, several: bool) -> Object:
    jobs = case["jobs"]
    chosen_call = {
        **_action(dice),
        "preemptor": jobs[0]["name"] if dice.chance(70) else dice.pick(jobs)["name"],
    }
    if op != "validate":
        return {**chosen_call, "victim": dice.pick(jobs[1:])["name"]}
    # The scheduler checks several victims in no order, and ends with the first that refuses.
    chosen = jobs[1:] if several and dice.chance(40) else [dice.pick(jobs[1:])]
    return {**chosen_call, "victims": [{"job": job["name"], "pods": _taken(dice, job)} for job in chosen]}


def _taken(dice: ByteDice, job: Object) -> list[str]:
    names = [pod["name"] for group in job["subGroups"] for pod in group["pods"]]
    taken = [name for name in names if dice.chance(40)]
    return taken + taken[:1] if dice.chance(5) else taken


def _draw_steps(dice: ByteDice, case: Object, names: list[str]) -> list[Object]:
    """Steps whose clock never goes back: that of the scheduler does not."""
    clock = NOW
    steps = []
    for _ in range(dice.up_to(_MOST_STEPS) + 1):
        step = _step(dice, case, names)
        if dice.chance(15):
            clock += dice.pick(_AGO) * SECOND + dice.up_to(1)
            step["now"] = format_instant(clock)
        steps.append(step)
    return steps


def _step(dice: ByteDice, case: Object, names: list[str]) -> Object:
    op = dice.pick(("filter", "filter", "validate", "validate", "resolve", "protected", "change"))
    if op == "change":
        return _change(dice, case, names)
    if op == "resolve":
        return {"op": op, **_action(dice), **_asked_queues(dice, names)}
    return {"op": op, **_question(dice, op, case, several=False)}


def _change(dice: ByteDice, case: Object, names: list[str]) -> Object:
    op = dice.pick(("closeOpenSession", "setLastStart", "setQueue", "setPodStatus", "addPod", "openSession"))
    job = dice.pick(case["jobs"][1:])
    if op == "setLastStart":
        return {"op": op, "job": job["name"], "lastStart": _start(dice)}
    if op == "setQueue":
        values = {f"{name}MinRuntime": dice.pick(_VALUES) for name in ("preempt", "reclaim")}
        return {"op": op, "queue": dice.pick(names), **values}
    pods = [pod["name"] for group in job["subGroups"] for pod in group["pods"]]
    if op == "addPod" or (op == "setPodStatus" and not pods):
        added = {"subGroup": "default", "pod": f"{job['name']}-new", "status": dice.pick(_STATUSES)}
        return {"op": "addPod", "job": job["name"], **added}
    if op == "setPodStatus":
        return {"op": op, "job": job["name"], "pod": dice.pick(pods), "status": dice.pick(_STATUSES)}
    return {"op": op}


def _texts(dice: ByteDice) -> Object:
    names = ("defaultPreemptMinRuntime", "defaultReclaimMinRuntime")
    drawn: Object = {name: _text(dice.section(_TEXT)) for name in names if dice.chance(85)}
    method = dice.pick(_METHODS)
    return drawn if method is None else {**drawn, "reclaimResolveMethod": method}


def _text(dice: ByteDice) -> str:
    """A text that is or looks like a duration."""
    terms = "".join(dice.pick(_NUMBERS) + dice.pick(_UNITS) for _ in range(dice.up_to(3) + 1))
    return dice.pick(("", "", "", "-", "+")) + ("0" if dice.chance(5) else terms)
