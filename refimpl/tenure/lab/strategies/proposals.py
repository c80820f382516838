"""What the proposals add to a scenario: durations, classes whose priority grows, heroes, and a reading."""

from __future__ import annotations

from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.objects import API, Object, condition, stamp
from tenure.lab.strategies.options import PROPOSALS, Feature, Options
from tenure.readings import CHOICES, PROOFS_ONLY, preset_names

GATE = "TimeBasedSamePriorityPreemption"
DURATIONS = ("10m", "5m", "15m", "10m", "1m", "9m59s", "1h")
"""Most end exactly when one of `admitted.RESERVED` is that old."""

POLICIES = (
    {"step": 1, "max": 3, "delayForStep": "15m"},
    {"step": 2, "max": 2, "delayForStep": "40m"},
    {"step": 1, "max": 2, "delayForStep": "7m"},
    {"step": 0, "max": 1, "delayForStep": "1m"},
)
FAULTY = ({"step": -1, "max": 3, "delayForStep": "10m"}, {"step": 1, "delayForStep": "10m"})
"""What `guaranteed` refuses; few, since a decision that is refused says little."""

_CLASSES = ("aging", "patient")
_HEAD = 16
_EACH = 3


def proposal_draws(options: Options) -> int:
    """How many draws `add_proposals` takes at most.

    >>> proposal_draws(Options())
    0
    """
    if not options.features & PROPOSALS:
        return 0
    heroes = options.max_queues if options.has(Feature.HEROES) else 0
    return _HEAD + _EACH * (options.max_queues + options.max_workloads + 1) + heroes


def add_proposals(dice: Dice, options: Options, scenario: Object) -> None:
    """Give a scenario fields of the proposals, and a reading; nothing where none is asked for.

    Args:
        dice: the draws.
        options: which proposals.
        scenario: a request about Kueue as it is; changed in place.
    """
    if proposal_draws(options) == 0:
        return
    head = dice.section(_HEAD)
    scenario["reading"] = _reading(head)
    if options.has(Feature.DURATIONS):
        _add_durations(head, dice.section(_EACH * options.max_queues), scenario)
    if options.has(Feature.AGEING):
        _add_classes(head, dice.section(_EACH * (options.max_workloads + 1)), scenario)
    if options.has(Feature.HEROES):
        _add_heroes(dice, scenario)


def _reading(dice: Dice) -> object:
    """A preset, or one with a key or two changed."""
    preset = dice.pick(("guaranteed", *preset_names()))
    changed: dict[str, str] = {}
    for _ in range(2):
        key, which = dice.pick(tuple(CHOICES)), dice.up_to(255)
        if dice.chance(30):
            members = [member for member in CHOICES[key] if member != PROOFS_ONLY.get(key)]
            changed[key] = members[which % len(members)].name.lower()
    return {"preset": preset, **changed} if changed else preset


def _add_durations(head: Dice, dice: Dice, scenario: Object) -> None:
    for queue in scenario["clusterQueues"]:
        target = queue["metadata"]["name"] == scenario["targetCQ"]
        if dice.chance(95 if target else 60):
            preemption = queue["spec"].setdefault("preemption", {})
            preemption["withinClusterQueue"] = "LowerOrNewerEqualPriority"
            preemption["withinClusterQueueConfig"] = {"minAdmitDuration": dice.pick(DURATIONS)}
    incoming = scenario["incoming"]
    if head.chance(60):
        incoming["spec"]["priority"] = head.pick((1, 0, 2))
    if head.chance(30):
        incoming["status"]["conditions"] = _taken_for_its_time(head.pick((20, 35, 45)), holds=False)
    if head.chance(5):
        scenario["featureGates"][GATE] = False
    if head.chance(20) and scenario["admitted"]:
        victim = head.pick(scenario["admitted"])
        victim["status"]["conditions"] = [
            *(
                each
                for each in victim["status"]["conditions"]
                if each["type"] not in ("Evicted", "Preempted")
            ),
            _taken_for_its_time(head.pick((20, 35, 45)), holds=True)[-1],
        ]


def _add_heroes(dice: Dice, scenario: Object) -> None:
    for queue in scenario["clusterQueues"]:
        target = queue["metadata"]["name"] == scenario["targetCQ"]
        if dice.chance(60 if target else 35):
            queue["spec"].setdefault("preemption", {})["rules"] = "UberClusterQueueRules"


def _taken_for_its_time(minutes: int, *, holds: bool) -> list[Object]:
    """The conditions that a preemption for its time has left; the last is the one that stays."""
    preempted = condition("Preempted", "InClusterQueueTimeBased", minutes)
    if holds:
        return [preempted]
    lost = condition("QuotaReserved", "Pending", minutes, holds=False)
    return [lost, condition("Evicted", "Preempted", minutes), preempted]


def _add_classes(head: Dice, dice: Dice, scenario: Object) -> None:
    scenario["workloadPriorityClasses"] = [
        {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, **_class(head)}
        for name in _CLASSES
    ]
    scenario["jobs"] = {}
    for raw in (scenario["incoming"], *scenario["admitted"]):
        own = dice.section(_EACH)
        if own.chance(40):
            raw["spec"]["priorityClassRef"] = {
                "group": "kueue.x-k8s.io",
                "kind": "WorkloadPriorityClass",
                "name": own.pick(_CLASSES),
            }
            if own.chance(40):
                scenario["jobs"][f"ns/{raw['metadata']['name']}"] = stamp(own.pick((45, 60, 30)))


def _class(dice: Dice) -> Object:
    policy = dict(dice.pick((*POLICIES * 8, *FAULTY)))
    base = dice.pick((0, 1, 0, -1))
    if dice.chance(50):
        return {"value": base, "dynamicPriorityPolicy": policy}
    return {"spec": {"priority": base, "dynamicPriorityPolicy": policy}}
