"""Examples on rules' pages that a reader changes: age and duration, growing priority, the bill of a hero.

Every number and every word is made here, by the rules themselves over a grid of inputs. The script of
the page (`assets/lessons.js`) only looks them up; nothing is guessed between two points of the grid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, Final

from docs.gen.drawing import shown, themed
from docs.gen.lesson import Control, Kind, Lesson, still, title_of
from docs.gen.markdown import UNSEARCHED, Pages
from tenure.model import (
    MINUTE,
    Basis,
    Cluster,
    ClusterQueue,
    DynamicPriorityPolicy,
    FlavorQuotas,
    FlavorResource,
    PreemptionRules,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.heroes.accessible import accessible_trees
from tenure.readings import Reading, preset, preset_names
from tenure.rules.dynamic_priority import priority_at
from tenure.rules.eligibility import basis_within_queue
from tenure.rules.terms import terms_of
from tenure.rules.time_based import basis_among_equals
from tenure.units import format_duration
from tenure_play.drawing.scene import Role

SCRIPT: Final = "assets/lessons.js"
FOLDER: Final = "rules/lessons"

HOUR: Final = 60 * MINUTE
QUEUE: Final = ClusterQueue("q", within_cluster_queue=WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY)
DURATIONS: Final = (None, HOUR, 4 * HOUR)
AGES: Final = tuple(
    sorted({*range(0, 6 * HOUR + 1, 15 * MINUTE), *(lasts + 1 for lasts in DURATIONS if lasts is not None)})
)
"""Since the victim's quota was reserved: quarters of an hour, and one nanosecond more than each duration."""
RESERVED_AT: Final = 24 * HOUR
WAITED: Final = 10 * MINUTE
"""How long the victim waited for its quota."""
CREATED: Final = {
    "before the victim": -2 * WAITED,
    "while the victim waited": -WAITED // 2,
    "just now": None,
}
"""When the pending workload was created, from the victim's admission; None for now."""
_BASES: Final = {Basis.NONE: "p", Basis.NEWER_EQUAL: "n", Basis.TIME_EXPIRED: "e"}


@cache
def lessons() -> Mapping[str, Lesson]:
    """Each by the rule whose page it is on."""
    return {"TBP-020": _age_and_duration(), "DYN-050": _growing_priority(), "UCQ-130": _bill_of_a_hero()}


def lesson_pictures() -> Pages:
    """The still pictures, SVG by path below `docs/`."""
    files: Pages = {}
    for lesson in lessons().values():
        files |= themed(f"{FOLDER}/{lesson.name}", still(lesson), title_of(lesson))
    return files


def lesson_of(rule: str) -> Iterator[str]:
    """The part of a rule's page, Markdown; nothing of a rule without an example of this kind."""
    if rule not in lessons():
        return
    lesson = lessons()[rule]
    yield f"## Try it{UNSEARCHED}"
    yield lesson.intro
    chosen = [control.start for control in lesson.controls]
    picture = shown(f"{FOLDER}/{lesson.name}", " ".join(lesson.sentences(chosen)), "picture")
    table = json.dumps(lesson.table(), separators=(",", ":"), ensure_ascii=False)
    yield (
        f'<div class="lesson" markdown>\n\n{picture}\n\n</div>\n\n'
        f'<script type="application/json" class="lesson-table">{table}</script>\n'
        f'<script defer src="@{SCRIPT}"></script>'
    )


def basis_at(lasts: int | None, created: int | None, age: int, reading: Reading) -> Basis:
    """On what basis an equal may preempt a victim that has run for so long (TBP-050, by TBP-020)."""
    now = RESERVED_AT + age
    born = now if created is None else RESERVED_AT + created
    preemptor = Workload("default", "pending", "u1", priority=0, created_at=born)
    victim = Workload(
        "default", "victim", "u2", priority=0, created_at=RESERVED_AT - WAITED, quota_reserved_at=RESERVED_AT
    )
    terms = terms_of(replace(QUEUE, min_admit_duration=lasts), Settings(), reading)
    return basis_among_equals(preemptor, victim, terms, now)


def _age_and_duration() -> Lesson:
    readings = [preset(name) for name in preset_names()]
    ages = tuple(
        f"{format_duration(age - 1)} and 1 ns" if age % MINUTE else format_duration(age) for age in AGES
    )
    return Lesson(
        name="age-and-duration",
        intro="A workload runs, and another of the same priority waits in its ClusterQueue. Move the "
        "slider: may the waiting one preempt it? Each cell is an age for which the rule was asked.",
        controls=(
            Control(
                "duration",
                "minAdmitDuration",
                tuple("off" if lasts is None else format_duration(lasts) for lasts in DURATIONS),
                2,
            ),
            Control("created", "The pending workload was created", tuple(CREATED)),
            Control("age", "Age of the victim, since its quota was reserved", ages, ages.index("3h")),
        ),
        tracks=tuple(reading.name for reading in readings),
        kinds={
            "p": Kind("may not be preempted", Role.PROTECTED),
            "n": Kind("may be preempted, as newer", Role.SAME_QUEUE, 0.5),
            "e": Kind("may be preempted, as its time has expired", Role.TIME_BASED, 0.5),
        },
        cells=[
            ["".join(_BASES[basis_at(lasts, created, age, reading)] for age in AGES) for reading in readings]
            for lasts, created in product(DURATIONS, CREATED.values())
        ],
        numbers={},
        is_series=True,
        said=(
            "With minAdmitDuration {duration}, a victim that has run for {age}, and a pending workload that "
            "was created {created}:",
            *(f"{reading.name}: {{{reading.name}}}." for reading in readings),
        ),
    )


STEPS: Final = (100, 200, 400)
DELAYS: Final = (HOUR, 2 * HOUR)
MOST: Final = (450, 1000)
BASE, FIXED = 100, 500
TIMES: Final = tuple(range(0, 8 * HOUR + 1, HOUR // 2))


def grown_at(reading: Reading, step: int, delay: int, most: int, at: int) -> int:
    """The priority of the class that grows, so long after the Job was created (DYN-050)."""
    workload = Workload("default", "ageing", "u1", priority=0, created_at=0)
    return priority_at(workload, BASE, DynamicPriorityPolicy(step, most, delay), at, reading.priority_steps)


def order_of(grown: int) -> str:
    """Which of the two may preempt the other in one ClusterQueue (KQ-040): `b`elow, `e`qual or `a`bove."""
    terms = terms_of(
        replace(QUEUE, within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY),
        Settings(),
        preset("guaranteed"),
    )
    ageing = Workload("default", "ageing", "u1", priority=grown, created_at=0)
    fixed = Workload("default", "fixed", "u2", priority=FIXED, created_at=0)
    if basis_within_queue(fixed, ageing, terms, 0) != Basis.NONE:
        return "b"
    return "a" if basis_within_queue(ageing, fixed, terms, 0) != Basis.NONE else "e"


def _growing_priority() -> Lesson:
    readings = _alike(lambda reading: [grown_at(reading, 100, HOUR, 1000, at) for at in TIMES])
    choices = [*product(readings.values(), STEPS, DELAYS, MOST)]
    grown = [[grown_at(*choice, at) for at in TIMES] for choice in choices]
    return Lesson(
        name="growing-priority",
        intro=f"The priority of one class begins at {BASE} and grows; that of another stays {FIXED}. Both "
        "are in one ClusterQueue with `withinClusterQueue: LowerPriority`. Move the slider: who may preempt "
        "whom? Each bar is a time for which the rule was asked.",
        controls=(
            Control("reading", "Reading", tuple(readings)),
            Control("step", "step", tuple(map(str, STEPS)), 1),
            Control("delay", "delayForStep", tuple(map(format_duration, DELAYS))),
            Control("max", "max", tuple(map(str, MOST)), 1),
            Control("time", "Time since the Job was created", tuple(map(format_duration, TIMES)), 5),
        ),
        tracks=("priority",),
        kinds={
            "b": Kind("the fixed class may preempt the growing one", Role.FREE),
            "e": Kind("neither may preempt the other", Role.WAIT),
            "a": Kind("the growing class may preempt the fixed one", Role.PROTECTED),
        },
        cells=[["".join(map(order_of, values))] for values in grown],
        numbers={"grown": [value for values in grown for value in values]},
        is_series=True,
        said=(f"After {{time}} the growing class has {{grown}}, the fixed one {FIXED}: {{priority}}.",),
        tall=110.0,
        heights=("grown", max(MOST)),
        line=(FIXED, f"priority {FIXED}"),
    )


OWNED: Final = {"alpha": 8, "bravo": 5, "hero": 3}
TOTAL: Final = sum(OWNED.values())
_GPU: Final = FlavorResource("gpu", "nvidia.com/gpu")


def bills(used: int, reading: Reading) -> Mapping[str, int]:
    """What each ClusterQueue is billed when the hero uses so much (UCQ-130)."""
    queues = {
        name: ClusterQueue(
            name,
            (ResourceGroup((_GPU.resource,), (FlavorQuotas(_GPU.flavor, {_GPU.resource: nominal}),)),),
            cohort="lab",
            rules=PreemptionRules.UBER_CLUSTER_QUEUE if name == "hero" else PreemptionRules.DEFAULT,
        )
        for name, nominal in OWNED.items()
    }
    runs = Workload(
        "default",
        "run",
        "u",
        priority=0,
        created_at=0,
        quota_reserved_at=0,
        cluster_queue="hero",
        usage={_GPU: used},
    )
    cluster = Cluster(queues, (runs,) if used else (), flavors={_GPU.flavor: ResourceFlavor(_GPU.flavor)})
    (tree,) = accessible_trees(cluster, 1, reading)
    return {node.name: node.accounts[0].bill for node in tree if node.name in OWNED}


def _bill_of_a_hero() -> Lesson:
    amounts = range(TOTAL + 1)
    readings = _alike(lambda reading: [sorted(bills(used, reading).items()) for used in amounts])
    billed = [(used, bills(used, reading)) for reading, used in product(readings.values(), amounts)]
    return Lesson(
        name="bill-of-a-hero",
        intro="A hero runs on the quota of the other ClusterQueues of its cohort. Move the slider: who is "
        "billed? Move it back, as workloads of the hero end, and see what returns. Each cell is one GPU.",
        controls=(
            Control("reading", "Reading", tuple(readings), len(readings) - 1),
            Control("used", "GPUs that the hero uses", tuple(map(str, amounts)), 9),
        ),
        tracks=tuple(f"{name} owns {nominal}" for name, nominal in OWNED.items()),
        kinds={
            "l": Kind("not billed", Role.FREE),
            "b": Kind("billed for the hero", Role.LOOP_EDGE, 0.5),
        },
        cells=[["l" * (OWNED[name] - bill[name]) + "b" * bill[name] for name in OWNED] for _, bill in billed],
        numbers={
            "all": [sum(bill.values()) for _, bill in billed],
            **{name: [bill[name] for _, bill in billed] for name in OWNED},
            **{f"{name}_left": [OWNED[name] - bill[name] for _, bill in billed] for name in OWNED},
        },
        is_series=False,
        said=(
            f"The hero uses {{used}} of {TOTAL} GPUs, and owns {OWNED['hero']}. Billed in all: {{all}}.",
            *(f"{name} is billed {{{name}}} and keeps {{{name}_left}}." for name in OWNED if name != "hero"),
            "The hero itself is billed {hero}.",
        ),
    )


def _alike(asked: Callable[[Reading], Any]) -> dict[str, Reading]:
    """The presets under which the rule says the same together, with one of them."""
    together: dict[str, list[str]] = {}
    for name in preset_names():
        together.setdefault(str(asked(preset(name))), []).append(name)
    return {" and ".join(names): preset(names[0]) for names in together.values()}
