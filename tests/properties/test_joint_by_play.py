"""The joint effect of `tenure diff` on random changes is what playing a scenario of either side shows."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tenure.manifests import parse_instant
from tenure.readings import preset
from tenure_play import load_scenario, play
from tenure_play.record import RecordParts
from tests.command_line import tenure
from tests.properties.edits_by_hand import Case, Raw, cases, listed
from tests.sampling import sample

SEED = 23
EDITS, FATES = sample(15, 300), sample(30, 500)
FAIR = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
}
PARTS = RecordParts(heads=False, story=False, loop=False)


@dataclass(frozen=True)
class Play:
    """What a scenario of one side shows: first admissions; first preemptions with preemptor, reason, time."""

    pending: frozenset[str]
    starts: dict[str, int]
    preempted: dict[str, tuple[str, str, int]]

    def until(self, end: int) -> Play:
        """The same without what happens later than an instant."""
        return Play(
            self.pending,
            {key: at for key, at in self.starts.items() if at <= end},
            {key: found for key, found in self.preempted.items() if found[2] <= end},
        )


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
    return Play(pending, starts, preempted)


def shown(effect: Raw) -> Play:
    """A side of the answer."""
    starts = {start["workload"]: parse_instant(start["at"]) for start in effect["starts"]}
    preempted = {
        each["workload"]: (each["preemptor"], each["reason"], parse_instant(each["at"]))
        for each in effect["preempted"]
    }
    return Play(frozenset({*starts, *effect["waiting"]}), starts, preempted)


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
    length = "24h" if ends else "2h"
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
    counted["inVain"] += len(joint["after"]["inVain"])
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
