"""Preemptions of random plays, asked about afterwards from the objects of a later instant.

The play knows the preemptor, the reason and the rules. What is answered from the objects alone is confirmed,
named by the record only, or not known; it is never anything else.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from tenure.errors import InputError
from tenure.manifests import Loaded, SourcedObject, build
from tenure.model import Instant
from tenure.readings import Reading, preset, preset_names
from tenure_play import Record, Scenario, parse_scenario, play
from tenure_play.export import cluster_at
from tenure_play.postmortem.answer import past_answer, preemption_record
from tenure_play.postmortem.answer_types import Certainty, PastAnswer
from tenure_play.postmortem.record import preemptor_of, record_of
from tenure_play.record import Preemption
from tests.properties.cuts import drawn
from tests.tenure_play.plays import queue, scenario, submit

GONE = "the victim is no longer there"
AGAIN = "it has quota again: a line names the preemption"
SEVERAL = "confirmed, and a second chain of rules is not excluded"
WRONG = "WRONG"
MOST = 12
"""So many preemptions of one play are asked about; in a loop there would be hundreds."""


def crowded(dice: Random) -> dict[str, Any]:
    """A scenario of many workloads: cohorts in cohorts, two flavors, quotas that are edited, deletions."""
    names = ["a", "b", "c", "d"][: dice.randint(2, 4)]
    above = {name: dice.choice(("top", "one", "two")) for name in names}
    cohorts = [
        {"kind": "Cohort", "metadata": {"name": name}, "spec": {"parentName": "top"}}
        for name in ("one", "two")
    ]
    queues = [_crowded_queue(dice, name, above[name], dice.random() < 0.4) for name in names]
    count = dice.randint(6, 16)
    events = [
        submit(
            f"{dice.randrange(900)}s",
            f"w{number}",
            dice.choice(names),
            dice.randint(1, 3),
            dice.randint(0, 3),
        )
        for number in range(count)
    ]
    for event in events:
        if dice.random() < 0.4:
            event["submit"]["work"] = f"{dice.randint(30, 600)}s"
    events += [
        {"at": f"{dice.randrange(900)}s", "delete": f"w{dice.randrange(count)}"}
        for _ in range(dice.randint(0, 3))
    ]
    if dice.random() < 0.25:
        edited = _crowded_queue(dice, names[0], above[names[0]], dice.random() < 0.4)
        edited["spec"] = {"resourceGroups": edited["spec"]["resourceGroups"]}
        events.append({"at": f"{dice.randrange(900)}s", "edit": edited})
    objects: list[dict[str, Any]] = [{"kind": "ResourceFlavor", "metadata": {"name": "spot"}}, *cohorts]
    if dice.random() < 0.4:
        fair = {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}
        objects.append(
            {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "fairSharing": fair}
        )
    return scenario(queues, events, objects=objects, until="20m", maxCycles=3000)


def _crowded_queue(dice: Random, name: str, cohort: str, two: bool) -> dict[str, Any]:
    within = dice.choice(("LowerOrNewerEqualPriority", "LowerPriority", "Never"))
    preemption: dict[str, Any] = {
        "withinClusterQueue": within,
        "reclaimWithinCohort": dice.choice(("Any", "Any", "LowerPriority", "Never")),
    }
    if preemption["reclaimWithinCohort"] != "Never" and dice.random() < 0.4:
        preemption["borrowWithinCohort"] = {
            "policy": "LowerPriority",
            "maxPriorityThreshold": dice.randint(0, 3),
        }
    made = queue(name, dice.randint(0, 5), cohort, preemption=preemption)
    if two:
        quotas = {"name": "cpu", "nominalQuota": dice.randint(0, 3)}
        made["spec"]["resourceGroups"][0]["flavors"].append({"name": "spot", "resources": [quotas]})
    return made


def asked_of(seed: int) -> Iterator[tuple[str, str, str]]:
    """What is answered about the preemptions of one play, the last rule of each, and what is wrong."""
    dice = Random(f"past {seed}")
    made = parse_scenario(drawn(seed) if seed % 2 else crowded(dice))
    reading = preset(dice.choice(preset_names()))
    try:
        record = play(made, reading)
    except InputError:
        return
    found = list(record.preemptions)
    for preemption in found if len(found) <= MOST else dice.sample(found, MOST):
        verdict, wrong = _asked(made, reading, record, preemption, _later(dice, record, preemption))
        yield verdict, preemption.rules[-1], wrong


def _later(dice: Random, record: Record, preemption: Preemption) -> Instant:
    """Half of the instants are soon, before anything else may have happened to the victim."""
    end = min(record.end, preemption.at + 60 * 10**9) if dice.random() < 0.5 else record.end
    return dice.randint(preemption.at, end)


def _asked(
    made: Scenario, reading: Reading, record: Record, preemption: Preemption, at: Instant
) -> tuple[str, str]:
    objects, clock = cluster_at(made, reading, at)
    loaded = build(SourcedObject("", object_) for object_ in objects)
    last = [other for other in record.preemptions if other.victim == preemption.victim and other.at <= at][-1]
    return judged(loaded, clock, reading, last)


def judged(loaded: Loaded, now: Instant, reading: Reading, truth: Preemption) -> tuple[str, str]:
    """What is answered about the last preemption of a workload, and what of it is wrong.

    Args:
        loaded: the cluster of a later instant.
        now: its clock.
        reading: that it was decided under.
        truth: what did happen.
    """
    found = preemption_record(loaded, truth.victim)
    if found is None:
        return _without_record(loaded, truth)
    answer = past_answer(loaded, found, now, reading, counterfactuals=0)
    wrong = "; ".join(_differences(answer, truth, loaded))
    if wrong:
        return f"{WRONG}, {answer.certainty}", wrong
    several = answer.certainty == Certainty.CONFIRMED and len(answer.chains) > 1
    return (SEVERAL if several else str(answer.certainty)), ""


def _without_record(loaded: Loaded, truth: Preemption) -> tuple[str, str]:
    running = [workload for workload in loaded.cluster.admitted if workload.key == truth.victim]
    if not running:
        return GONE, ""
    record = record_of(loaded, running[0].key, running[0].uid)
    if record is None or record.parsed is None:
        return WRONG, "no line about it"
    named = preemptor_of(loaded, record.parsed).key
    return (AGAIN, "") if named in ("", truth.preemptor) else (WRONG, f"the line names {named}")


def _differences(answer: PastAnswer, truth: Preemption, loaded: Loaded) -> Iterator[str]:
    there = {workload.key for workload in (*loaded.cluster.admitted, *loaded.cluster.pending)}
    expected = truth.preemptor if truth.preemptor in there else None
    if answer.preemptor != expected:
        yield f"preemptor {answer.preemptor}, not {expected}"
    if answer.reason != truth.reason:
        yield f"reason {answer.reason}, not {truth.reason}"
    chains = [chain.rules for chain in answer.chains]
    if truth.rules not in chains:
        yield f"rules {chains}, not {truth.rules}"


def counted(seeds: Iterable[int]) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How often what is answered of preemptions by each rule, and every wrong answer with its seed."""
    found: Counter[tuple[str, str]] = Counter()
    problems = []
    for seed in seeds:
        for verdict, rule, wrong in asked_of(seed):
            found[verdict, rule] += 1
            if wrong:
                problems.append(f"seed {seed}: {wrong}")
    return found, problems


def main() -> int:
    """Ask about many: `python -m tests.properties.past --n 200 --seed 1`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found, problems = counted(range(asked.seed, asked.seed + asked.n))
    print(f"{asked.n} plays from seed {asked.seed}, {found.total()} preemptions asked about")
    for verdict in sorted({verdict for verdict, _ in found}):
        rules = {rule: count for (said, rule), count in sorted(found.items()) if said == verdict}
        told = ", ".join(f"{count} by {rule}" for rule, count in rules.items())
        print(f"  {sum(rules.values()):5} {verdict} ({told})")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
