"""A difference made small, and kept as a vector that the runner takes as it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tenure.conformance.observing import observed_rules
from tenure.conformance.requests import read_decide_request
from tenure.conformance.vectors import expected_from, formatted
from tenure.errors import InputError
from tenure.lab.campaign.blocks import Worker
from tenure.lab.campaign.plan import Plan
from tenure.lab.campaign.tally import Difference
from tenure.lab.conform.programs import our_answer
from tenure.lab.conform.shrinking import shrink

Object = dict[str, Any]

FLAG = "Campaign"
FLAGS = {FLAG: "Found by a campaign, where the reference and another engine decided otherwise."}
UNNAMED = "KQ-060"
"""The rule that a vector is named after where none accepts anything."""


@dataclass(frozen=True, slots=True)
class Small:
    """A difference as it is told.

    Args:
        index: which scenario of the seed.
        verdict: what came of it.
        scenario: the smallest `input` that still shows it.
    """

    index: int
    verdict: str
    scenario: Object


def small(plan: Plan, found: Difference) -> Small:
    """The same difference in the smallest scenario that dropping finds.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    if plan.command:
        return _small_of_program(plan, found)
    from tenure.lab.campaign.core_blocks import failure

    def keeps(scenario: Object) -> bool:
        try:
            return failure(read_decide_request(scenario)) == wanted
        except (InputError, KeyError, IndexError, StopIteration):
            return False  # too small to be a scenario

    wanted = failure(read_decide_request(found.scenario))
    # Some faults show in what was drawn only, not in what is read of its manifests.
    smallest = shrink(found.scenario, keeps) if wanted else found.scenario
    return Small(found.index, found.verdict, smallest)


def _small_of_program(plan: Plan, found: Difference) -> Small:
    from tenure.lab.conform.smallest import smallest

    with Worker(plan) as worker:
        compared = smallest(worker.sides.one(found.scenario), worker.sides)
    return Small(found.index, found.verdict, compared.scenario)


def write_vector(folder: Path, plan: Plan, each: Small) -> Path:
    """Write a file with one vector: what the reference answers, which the other engine does not.

    Args:
        folder: of such files; made where it is missing. `tenure vectors run --folder` takes it.
        plan: where the seed is.
        each: the difference.
    """
    given = {key: value for key, value in each.scenario.items() if key != "reading"}
    request = {"id": None, "call": "decide", "input": {**each.scenario, "explain": True}}
    with observed_rules() as seen:
        said = our_answer(request)
    rules = sorted({rule.rule for rule in seen if rule.accepts}) or [UNNAMED]
    case = f"seed-{plan.seed}-index-{each.index}".replace("--", "-minus-")
    area = f"difference-{_letters(plan.seed)}-{_letters(each.index)}"
    vector = {
        "id": f"{rules[0]}/{case}",
        "rules": rules,
        "verdict": "accept",
        "flags": [FLAG],
        "comment": f"{each.verdict}; {again(plan, each.index)}",
        "reading": each.scenario.get("reading") or plan.reading or "guaranteed",
        "call": "decide",
        "input": given,
        "expect": expected_from(said),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{area}.json"
    path.write_text(formatted({"area": area, "flags": FLAGS, "vectors": [vector]}), encoding="utf-8")
    return path


def again(plan: Plan, index: int) -> str:
    """The command that draws and decides one scenario again.

    >>> again(Plan(1000, 7), 305)
    'tenure campaign --seed 7 --index 305'
    """
    if not plan.command:
        heroes = "" if plan.heroes == Plan(0, 0).heroes else f" --heroes {plan.heroes}"
        return f"tenure campaign --seed {plan.seed} --index {index}{heroes}"
    from tenure.lab.campaign.program_blocks import conform_plan
    from tenure.lab.conform.smallest import again as options

    return f"tenure conform --exec … --no-vectors {options(conform_plan(plan), index)}"


def request_line(each: Small) -> str:
    """The request, for the oracle of either side."""
    request = {"id": each.index, "call": "decide", "input": each.scenario}
    return json.dumps(request, separators=(",", ":"), ensure_ascii=False)


def _letters(number: int) -> str:
    """A number in the letters that names of vector files may have.

    >>> _letters(305), _letters(-1)
    ('daf', 'm-b')
    """
    text = "".join(chr(ord("a") + int(digit)) for digit in str(abs(number)))
    return f"m-{text}" if number < 0 else text
