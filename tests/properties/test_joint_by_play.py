"""The joint effect of `tenure diff` on random changes is what playing a scenario of either side shows."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tenure.manifests import parse_instant
from tenure.model import SECOND
from tenure.readings import preset
from tenure_play import load_scenario, play
from tenure_play.record import Ending, Record, RecordParts, Result
from tests.command_line import tenure
from tests.objects import a_group, a_local_queue, a_queue, a_workload, admitted_to, an_object
from tests.properties.edits_by_hand import Case, Raw, cases, listed
from tests.sampling import sample

SEED = 23
EDITS, FATES, CONTENDED = sample(15, 120), sample(30, 200), sample(50, 300)
GPU = "nvidia.com/gpu"
FAIR = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
}
PARTS = RecordParts(story=False, loop=False)


@dataclass(frozen=True)
class Play:
    """What a scenario of one side shows.

    Args:
        pending: the workloads that wait at the start.
        starts: their first admissions.
        preempted: first preemptions, each with preemptor, reason, time.
        in_vain: the preemptors that wait at the end, were tried after all their victims had left, and were
            not admitted since they preempted.
    """

    pending: frozenset[str]
    starts: dict[str, int]
    preempted: dict[str, tuple[str, str, int]]
    in_vain: frozenset[str] = frozenset()

    def until(self, end: int) -> Play:
        """The same without what happens later than an instant."""
        return Play(
            self.pending,
            {key: at for key, at in self.starts.items() if at <= end},
            {key: found for key, found in self.preempted.items() if found[2] <= end},
        )


def contended(number: int) -> Case:
    """A full cohort of two ClusterQueues, in which some workloads come while the pods of victims end."""
    dice = random.Random(f"{SEED}/{number}/contended")
    quotas = {queue: dice.randint(2, 6) for queue in ("one", "two")}
    preemption = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    queues = [
        a_queue(
            queue,
            a_group("a100", resource=GPU, quota=str(quota)),
            cohortName="all",
            preemption=preemption,
            namespaceSelector={},
        )
        for queue, quota in quotas.items()
    ]
    objects = [an_object("ResourceFlavor", "a100"), *queues]
    objects += [a_local_queue(queue, "ml", queue) for queue in quotas]
    left, running = sum(quotas.values()), 0
    while left > 0:
        gpus = min(left, dice.randint(1, 4))
        queue = dice.choice(("one", "one", "two"))
        held = asking(f"runs-{running}", queue, gpus, dice.choice((10, 10, 1000)))
        objects.append(admitted_to(queue, held, "a100", "2026-03-02T13:00:00Z"))
        left, running = left - gpus, running + 1
    for place in range(3):
        waits = asking(f"waits-{place}", dice.choice(("one", "two")), dice.randint(1, 4), 100)
        if dice.random() < 0.5:
            at = f"2026-03-02T14:00:{dice.randint(1, 29):02}Z"
            waits["status"] = {"requeueState": {"count": 1, "requeueAt": at}}
        objects.append(waits)
    changed, quota = copy.deepcopy(objects), str(dice.randint(2, 8))
    changed[1]["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = quota
    path = "clusterqueue/one.spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"
    words = ["--set", f"{path}={quota}"]
    return Case(number, objects, changed, words, "2026-03-02T14:00:00Z", ("--reading", "guaranteed"))


def asking(name: str, queue: str, gpus: int, priority: int) -> Raw:
    at = f"2026-03-02T12:0{name[-1]}:00Z"
    return a_workload(name, {GPU: str(gpus)}, created=at, queueName=queue, priority=priority)


def played(case: Case, objects: list[Raw], length: str, folder: Path) -> Play:
    """A side, played by the scenario engine from a file of its own."""
    fair = [FAIR] if "--fair-sharing" in case.flags else []
    (folder / "side.json").write_bytes(listed([*objects, *fair]))
    story = {"start": case.now, "until": length, "timing": {"eviction": "30s"}, "files": ["side.json"]}
    (folder / "story.yaml").write_text(json.dumps(story), encoding="utf-8")
    reading = case.flags[case.flags.index("--reading") + 1]
    record = play(load_scenario(folder / "story.yaml"), preset(reading), PARTS)
    pending = frozenset(wait.workload for wait in record.waits if wait.start == record.start) - {
        run.workload for run in record.runs if run.start < record.start
    }
    starts: dict[str, int] = {}
    for run in sorted(record.runs, key=lambda run: run.start):
        if run.workload in pending:
            starts.setdefault(run.workload, run.start)
    preempted: dict[str, tuple[str, str, int]] = {}
    for found in record.preemptions:
        preempted.setdefault(found.victim, (found.preemptor, found.reason, found.at))
    return Play(pending, starts, preempted, frozenset(in_vain(record)))


def in_vain(record: Record) -> Iterator[str]:
    """The preemptors that do not get the quota which their victims gave back, in a play to its end."""
    tried = {head.workload: (cycle.at, head.result) for cycle in record.cycles for head in cycle.heads}
    ends = {(run.workload, run.stopped): run.end for run in record.runs if run.ended_by == Ending.PREEMPTED}
    for key in {found.preemptor for found in record.preemptions}:
        mine = [run for run in record.runs if run.workload == key]
        since = max((run.start for run in mine), default=record.start)
        left = [
            ends.get((found.victim, found.at))
            for found in record.preemptions
            if found.preemptor == key and found.at >= since
        ]
        at, result = tried[key]
        waits = all(run.ended_by == Ending.PREEMPTED for run in mine)
        is_last = result in (Result.PARKED, Result.TRIED_AGAIN)
        if waits and left and is_last and all(end is not None and end <= at for end in left):
            yield key


def shown(effect: Raw) -> Play:
    """A side of the answer."""
    starts = {start["workload"]: parse_instant(start["at"]) for start in effect["starts"]}
    preempted = {
        each["workload"]: (each["preemptor"], each["reason"], parse_instant(each["at"]))
        for each in effect["preempted"]
    }
    pending = frozenset({*starts, *effect["waiting"]})
    return Play(pending, starts, preempted, frozenset(each["preemptor"] for each in effect["inVain"]))


def differences(case: Case, folder: Path, counted: Counter[str]) -> list[str]:
    """Where the joint effect of `tenure diff` is another one than that of two plays."""
    (folder / "before.json").write_bytes(listed(case.before))
    done = tenure(
        "diff", str(folder / "before.json"), *case.words, "--now", case.now, "-o", "json", *case.flags
    )
    assert done.returncode == 0, done.stderr.decode()
    joint = json.loads(done.stdout)["joint"]
    answered = [shown(joint[side]) for side in ("before", "after")]
    ends = [parse_instant(joint[side]["until"]) for side in ("before", "after") if joint[side]["until"]]
    length = f"{(min(ends) - parse_instant(case.now)) // SECOND + 1}s" if ends else "2h"
    plays = [played(case, side, length, folder) for side in (case.before, case.after)]
    if ends:
        plays = [each.until(min(ends)) for each in plays]
    wrong = []
    before, after = plays
    for field, expected in (
        ("starts", after.starts.keys() - before.starts.keys()),
        ("noLongerStarts", before.starts.keys() - after.starts.keys()),
        ("preempted", after.preempted.keys() - before.preempted.keys()),
        ("noLongerPreempted", before.preempted.keys() - after.preempted.keys()),
    ):
        found = {each["workload"] for each in joint[field]}
        counted[field] += len(found)
        if found != expected:
            wrong.append(f"{field}: {found}, played {expected}")
    for side, answer, play_of in zip(("before", "after"), answered, plays, strict=True):
        # Where both sides are alike nothing is listed.
        concerned = {key: at for key, at in play_of.starts.items() if key in answer.pending}
        if answer.starts != concerned:
            wrong.append(f"{side} starts: {answer.starts}, played {concerned}")
        if not answer.pending <= play_of.pending:
            wrong.append(f"{side}: {answer.pending - play_of.pending} are not pending")
        if not answer.preempted.items() <= play_of.preempted.items():
            wrong.append(f"{side} preempted: {answer.preempted}, played {play_of.preempted}")
        repeats = "again and again" in joint[side]["endedText"]
        vain = play_of.in_vain & answer.pending
        if not ends and not repeats and answer.in_vain & answer.pending != vain:
            wrong.append(f"{side} in vain: {answer.in_vain}, played {vain}")
    kept = {each["preemptor"] for each in joint["after"]["inVain"]}
    ended = {each["preemptor"] for each in joint["before"]["inVain"]} - kept
    if {each["preemptor"] for each in joint["noLongerInVain"]} != ended - {*joint["after"]["notDecided"]}:
        wrong.append(f"no longer in vain: {joint['noLongerInVain']}, compared {ended}")
    counted["inVain"] += len(kept)
    counted["noLongerInVain"] += len(ended)
    counted["cut"] += bool(ends)
    return wrong


def test_the_joint_effect_of_a_change_is_that_of_two_plays(tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    count = 0
    for case in cases(EDITS, SEED):
        assert differences(case, tmp_path, counted) == [], (SEED, case.number, case.words)
        count += 1
    assert count == EDITS
    print(f"{count} edits with seed {SEED}, 0 differ; {dict(counted)}")
    # The draws are worth it: workloads start or are preempted on one side only, in both directions.
    fields = ("starts", "noLongerStarts", "preempted", "noLongerPreempted")
    assert min(counted[name] for name in fields) >= EDITS // 40, counted


def test_what_is_in_vain_before_and_after_a_change_is_so_in_two_plays(tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    for case in map(contended, range(CONTENDED)):
        assert differences(case, tmp_path, counted) == [], (SEED, case.number, case.words)
    print(f"{CONTENDED} edits with seed {SEED}, {dict(counted)}")
    assert min(counted["inVain"], counted["noLongerInVain"]) > 0, counted


def of_flip(flip: Raw) -> list[str]:
    """A change that why-not names, as words of a command line."""
    kind, _, name = flip["object"].partition("/")
    path = f"{kind.lower()}/{name}.{flip['field']}"
    return ["--unset", path] if flip["new"] == "not set" else ["--set", f"{path}={flip['new']}"]


def test_the_joint_fate_with_a_change_is_that_of_the_changed_objects(tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    for case in cases(FATES, SEED + 1):
        file = tmp_path / "cluster.json"
        file.write_bytes(listed(case.before))
        words = (str(file), "--now", case.now, "-o", "json", *case.flags)
        pending = [each for each in case.before if "queueName" in each.get("spec", {})]
        metadata = pending[case.number % len(pending)]["metadata"]
        key = f"{metadata.get('namespace', 'default')}/{metadata['name']}"
        answer = json.loads(tenure("why-not", key, *words).stdout)
        for flip in answer["counterfactuals"]["nearest"]:
            if flip["jointly"] is None:
                continue
            done = tenure("decide", "-a", *words, *of_flip(flip))
            if b"flavorFungibility" in done.stderr:
                counted["refused"] += 1  # a preference that needs another field to be changed as well
                continue
            assert done.returncode == 0, (case.number, flip, done.stderr)
            starts = {each["workload"]: each["at"] for each in json.loads(done.stdout)["joint"]["starts"]}
            assert flip["jointly"]["admittedAt"] == starts.get(key), (SEED + 1, case.number, key, flip)
            counted["starts" if key in starts else "waits"] += 1
    print(f"{FATES} clusters with seed {SEED + 1}, {dict(counted)}")
    assert min(counted["starts"], counted["waits"]) >= FATES // 20
