"""`tenure simulate`: its figures against those that are computed by hand, and what it refuses."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.versions import KUEUE
from tenure_simulate import command_run as cli_of_simulate
from tenure_simulate import tables
from tenure_simulate import trace as engine
from tenure_simulate.trace import simulate
from tests.command_line import tenure

FOLDER = Path(__file__).parent / "trace"
HEAD = "job_id,queue,submit_s,duration_s,gpus\n"
TRACE, QUEUES = str(FOLDER / "trace.csv"), str(FOLDER / "queues.yaml")


def figures(*words: str) -> dict[str, Any]:
    done = tenure("simulate", QUEUES, "--trace", TRACE, *words, "-o", "json")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert [
        error.message for error in Draft202012Validator(schema("simulate-trace")).iter_errors(answer)
    ] == []
    return answer


def test_every_figure_is_the_one_that_is_computed_by_hand() -> None:
    # `borrows` has all 4 GPUs from 0:00:00. At 1:00:00 `owed` takes back the 2 of its team; the pods of
    # `borrows` end until 1:00:30, and `owed` works until 2:00:30. A second later `borrows` is woken, and
    # works its 2 hours again.
    answer = figures("--progress", "lost", "--after", "4h")
    (found,) = answer["settings"]
    assert answer["length"] == "5h"
    assert found["firstWait"] == {"p50": "0s", "p95": "30s", "p99": "30s"}
    assert found["allWaits"] == {"p50": "30s", "p95": "1h1s", "p99": "1h1s"}
    assert found["mostPreempted"] == {"job": "borrows", "times": 1}
    assert (found["preemptions"], found["preemptedJobs"], found["finished"]) == (1, 1, 2)
    held = (4 * 3630 + 2 * 3600 + 4 * 7200) / 3600
    assert found["heldHours"] == round(held, 2)
    assert found["lostHours"] == 4 * 1
    assert found["endingHours"] == round(4 * 30 / 3600, 2)
    assert found["utilisation"] == round(held / (4 * 5), 4)


def test_work_that_is_kept_is_done_once() -> None:
    (found,) = figures("--after", "4h")["settings"]
    assert found["lostHours"] == 0
    assert found["heldHours"] == round((4 * 3630 + 2 * 3600 + 4 * 3600) / 3600, 2)


def test_what_a_preemption_costs_by_checkpoint_and_restart_is_computed_by_hand() -> None:
    # `borrows` has worked an hour when it is preempted: of that a checkpoint every 50 minutes keeps 50, and
    # one every 2 hours keeps nothing. Its second stay begins with 5 minutes for nothing.
    (found,) = figures("--after", "4h", "--checkpoint", "50m", "--restart-cost", "5m")["settings"]
    lost, restarts, ending = 4 * 600, 4 * 300, 4 * 30
    assert (found["lostHours"], found["restartHours"]) == (round(lost / 3600, 2), round(restarts / 3600, 2))
    assert found["wastedHours"] == round((lost + restarts + ending) / 3600, 2)
    assert found["idleRuns"] == 0
    (found,) = figures("--after", "4h", "--checkpoint", "2h")["settings"]
    assert (found["lostHours"], found["restartHours"], found["idleRuns"]) == (4, 0, 1)
    (found,) = figures("--after", "4h", "--progress", "lost", "--restart-cost", "5m")["settings"]
    assert (found["lostHours"], found["restartHours"], found["idleRuns"]) == (4, round(4 / 12, 2), 1)


COHORT = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: all}
spec:
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors: [{name: gpu, resources: [{name: nvidia.com/gpu, nominalQuota: 2}]}]
"""
SHARED = """---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare]}
"""


@pytest.mark.parametrize(("added", "preempted"), [(COHORT, 0), (COHORT + SHARED, 3)])
def test_fair_sharing_lets_a_job_borrow_what_a_larger_borrower_has(
    tmp_path: Path, added: str, preempted: int
) -> None:
    # team-a has all 6 GPUs, of which 4 are borrowed. A job of team-b that asks for 3 would borrow 1, so that
    # without fair sharing it waits. With it three jobs of team-a are preempted, after which both borrow 1.
    queues, trace = tmp_path / "queues.yaml", tmp_path / "trace.csv"
    queues.write_text(Path(QUEUES).read_text(encoding="utf-8") + added, encoding="utf-8")
    jobs = "".join(f"j{number},team-a,0,7200,1\n" for number in range(6))
    trace.write_text(HEAD + jobs + "borrows,team-b,3600,3600,3\n", encoding="utf-8")
    done = tenure("simulate", str(queues), "--trace", str(trace), "-o", "json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["settings"]
    assert found["preemptions"] == preempted


def test_heroes_beside_fair_sharing_are_left_to_play_by_name(tmp_path: Path) -> None:
    queues, trace = tmp_path / "queues.yaml", tmp_path / "trace.csv"
    queues.write_text(Path(QUEUES).read_text(encoding="utf-8") + SHARED, encoding="utf-8")
    trace.write_text(HEAD + "a,team-a,0,1,1\n", encoding="utf-8")
    hero = ("--sweep", "clusterqueue/team-a.spec.preemption.rules=UberClusterQueueRules")
    done = tenure("simulate", str(queues), "--trace", str(trace), *hero)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"queues: found heroes beside fair sharing, expected what --trace can simulate" in done.stderr
    assert tenure("simulate", str(QUEUES), "--trace", str(trace), *hero).returncode == 0


def test_what_queues_hold_borrow_ask_for_and_are_owed_is_computed_by_hand() -> None:
    # team-b has none of its 2 GPUs from 1:00:00, when `owed` comes, until the pods of `borrows` have ended at
    # 1:00:30. team-a is owed nothing while `borrows` waits: its request of 4 fits no quota of its own.
    (found,) = figures("--after", "4h")["settings"]
    lends, own = found["queues"][1], found["queues"][0]
    assert (lends["queue"], lends["nominal"], lends["regained"]) == ("team-b", 2, 1)
    assert (lends["owedHours"], lends["longestRegain"]) == (round(2 * 30 / 3600, 2), "30s")
    assert lends["regain"] == dict.fromkeys(("p50", "p95", "p99"), "30s")
    assert (lends["heldHours"], lends["borrowedHours"]) == (2, 0)
    assert lends["askedHours"] == round(2 * 3630 / 3600, 2)
    assert (own["owedHours"], own["regained"], own["longestRegain"]) == (0, 0, "0s")
    assert own["heldHours"] == round(4 * (3630 + 3600) / 3600, 2)
    assert own["borrowedHours"] == round(2 * (3630 + 3600) / 3600, 2)
    assert own["askedHours"] == round(4 * (3630 + 3601 + 3600) / 3600, 2)
    assert (found["owedHours"], found["regain"]["p99"]) == (0.02, "30s")


def test_what_happens_during_the_warm_up_does_not_count() -> None:
    # After 90 minutes `owed` has joined already, and `borrows` was preempted; 3.5 hours are left.
    (found,) = figures("--after", "4h", "--warm-up", "90m")["settings"]
    assert (found["jobs"], found["finished"], found["preemptions"], found["owedHours"]) == (0, 0, 0, 0)
    held = (2 * 1830 + 4 * 3600) / 3600
    assert (found["heldHours"], found["utilisation"]) == (round(held, 2), round(held / (4 * 3.5), 4))
    (found,) = figures("--after", "4h", "--warm-up", "30m")["settings"]
    assert (found["jobs"], found["allWaits"]["p99"], found["preemptions"]) == (1, "30s", 1)
    assert found["confidence"] is None


def test_a_play_that_ends_early_counts_what_waits_and_runs_until_then() -> None:
    (found,) = figures("--after", "10s")["settings"]
    assert (found["finished"], found["neverStarted"]) == (0, 1)
    assert found["allWaits"]["p99"] == "10s"
    assert found["utilisation"] == 1


def test_sweeps_are_every_combination_and_a_duration_protects_equals_of_one_queue(tmp_path: Path) -> None:
    equals = tmp_path / "equals.csv"
    jobs = ("a,team-a,0,20000,2", "b,team-b,0,20000,2", "c,team-a,60,20000,2")
    equals.write_text(HEAD + "\n".join(jobs), encoding="utf-8")
    sweeps = ("--sweep", "reading=guaranteed,released", "--sweep", "minAdmitDuration=off,1h")
    done = tenure("simulate", QUEUES, "--trace", str(equals), *sweeps, "--after", "90m", "-o", "csv")
    heads, *lines = csv.reader(io.StringIO(done.stdout.decode()))
    found = {line[0]: dict(zip(heads, line, strict=True)) for line in lines}
    assert {name: row["preemptions"] for name, row in found.items()} == {
        "reading=guaranteed minAdmitDuration=off": "0",
        "reading=guaranteed minAdmitDuration=1h": "1",
        "reading=released minAdmitDuration=off": "0",
        "reading=released minAdmitDuration=1h": "0",
    }
    assert found["reading=guaranteed minAdmitDuration=1h"]["first p99"] == "0.99"
    assert b"setting 4 of 4 is done" in done.stderr


def test_a_field_can_be_swept_and_columns_have_other_names(tmp_path: Path) -> None:
    packed = tmp_path / "jobs.csv.gz"
    text = (FOLDER / "trace.csv").read_text(encoding="utf-8").replace("gpus", "size").replace("team-b", "b")
    packed.write_bytes(gzip.compress(text.encode()))
    field = "clusterqueue/team-b.spec.preemption.reclaimWithinCohort=Any,Never"
    words = ("--size-column", "size", "--other-queue", "team-b", "--sweep", field)
    done = tenure("simulate", QUEUES, "--trace", str(packed), *words, "-o", "json")
    assert [row["preemptions"] for row in json.loads(done.stdout)["settings"]] == [1, 0]


def test_processors_are_counted_whole_in_hours(tmp_path: Path) -> None:
    queues = tmp_path / "queues.yaml"
    queues.write_text(
        Path(QUEUES).read_text(encoding="utf-8").replace("nvidia.com/gpu", "cpu"), encoding="utf-8"
    )
    words = (str(queues), "--trace", TRACE, "--progress", "lost", "--after", "4h", "-o", "json")
    (found,) = json.loads(tenure("simulate", *words).stdout)["settings"]
    assert (found["lostHours"], found["heldHours"], found["utilisation"]) == (4, 14.03, 0.7017)


def test_the_text_begins_with_its_inputs_and_ends_with_tables() -> None:
    lines = tenure("simulate", QUEUES, "--trace", TRACE, "--checkpoint", "50m").stdout.decode().splitlines()
    digest = hashlib.sha256(Path(TRACE).read_bytes()).hexdigest()
    assert lines[0] == "2 jobs of trace.csv on 4 GPUs, simulated for 2h."
    assert lines[1] == f"  trace: {TRACE}, sha256 {digest[:12]}"
    assert lines[3].endswith(f"Kueue {KUEUE}+proposals, reading guaranteed")
    assert lines[4] == (
        "  a preemption costs: the work since the last checkpoint, one every 50m, a restart of 0s, "
        "30s of terminating pods"
    )
    waits = lines.index("Waits in hours")
    quota = lines.index("Where the GPU-hours go")
    assert (
        lines[waits + 1].split()
        == " ".join(["setting", *(c.head for c in tables.WAIT_COLUMNS)]).upper().split()
    )
    assert (
        lines[quota + 1].split()
        == " ".join(["setting", *(c.head for c in tables.HOUR_COLUMNS)]).upper().split()
    )
    assert lines[waits + 2].split() == ["as", "written", "0.00", "0.01", "0.01", "0.01", "0.99", "0.99"]
    assert lines[quota + 2].split()[2:5] == ["8.00", "6.02", "75.21"]


def test_inputs_are_named_by_hashes_that_do_not_depend_on_files_and_their_order(tmp_path: Path) -> None:
    first, *others = Path(QUEUES).read_text(encoding="utf-8").split("---\n")
    one, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    one.write_text(first, encoding="utf-8")
    other.write_text("---\n".join(others), encoding="utf-8")
    answers = [
        json.loads(tenure("simulate", *queues, "--trace", TRACE, "-o", "json").stdout)
        for queues in ((str(one), str(other)), (str(other), str(one)))
    ]
    assert answers[0] == answers[1]
    inputs = figures("--warm-up", "30m", "--seed", "7")["inputs"]
    assert inputs["queuesSha256"] == answers[0]["inputs"]["queuesSha256"]
    assert (inputs["queues"], inputs["warmUp"], inputs["seed"]) == ([QUEUES], "30m", 7)
    changed = ("--sweep", "clusterqueue/team-b.spec.preemption.reclaimWithinCohort=Never")
    assert figures(*changed)["inputs"]["queuesSha256"] == inputs["queuesSha256"]


NEVER = ("--sweep", "clusterqueue/team-b.spec.preemption.reclaimWithinCohort=Any,Never")


@pytest.mark.parametrize("words", [(), ("-o", "markdown")])
def test_a_sentence_compares_each_setting_with_the_first(words: tuple[str, ...]) -> None:
    # By hand: without reclaim `owed` waits for `borrows` from 1:00:00 to 2:00:00, and no work is lost;
    # with it `borrows` waits from 1:00:30 to 2:00:31 and loses 4 times 10 minutes and 30 seconds.
    asked = ("simulate", QUEUES, "--trace", TRACE, *NEVER, "--checkpoint", "50m", "--after", "4h", *words)
    text = tenure(*asked).stdout.decode()
    field = "clusterqueue/team-b.spec.preemption.reclaimWithinCohort"
    assert f"Against {field}=Any" in text
    change = "Never: p95 wait 1.00 h as before, and 0.70 fewer GPU-hours lost (7.0% → 0.0% of those held)"
    assert change in text
    assert f"for short waits and few hours lost: {field}=Never, p95 wait 1.00 h" in text
    preferred = tenure(*asked, "--prefer", "waste").stdout.decode()
    assert "for short waits" not in preferred
    assert (
        f"for few hours lost: {field}=Never, p95 wait 1.00 h and 0.0% of the held GPU-hours lost" in preferred
    )


def test_jobs_are_grouped_by_queue_size_or_priority() -> None:
    # The same play as above: of team-a only `borrows` joins, of team-b only `owed`.
    (found,) = figures("--progress", "lost", "--after", "4h", "--by", "queue")["settings"]
    borrows, owed = found["groups"]
    assert (borrows["group"], borrows["jobs"], borrows["preemptions"]) == ("team-a", 1, 1)
    assert (borrows["allWaits"]["p50"], borrows["lostHours"], borrows["endingHours"]) == ("1h1s", 4, 0.03)
    assert (owed["group"], owed["allWaits"]["p99"], owed["preemptions"], owed["lostHours"]) == (
        "team-b",
        "30s",
        0,
        0,
    )
    (found,) = figures("--by", "priority")["settings"]
    assert [(group["group"], group["jobs"]) for group in found["groups"]] == [("0", 2)]
    lines = tenure("simulate", QUEUES, "--trace", TRACE, "--by", "size").stdout.decode().splitlines()
    waits = lines.index("Waits in hours")
    assert [line.split()[:4] for line in lines[waits + 3 : waits + 5]] == [
        ["as", "written:", "2", "0.01"],
        ["as", "written:", "4", "0.00"],
    ]


def test_what_is_done_is_kept_when_the_user_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Any] = []

    def interrupted(*words: Any, **options: Any) -> Any:
        if played:
            raise KeyboardInterrupt
        played.append(words)
        return simulate(*words, **options)

    monkeypatch.setattr(engine, "simulate", interrupted)
    words = ("--sweep", "minAdmitDuration=off,1h,4h", "-o", "json")
    done = tenure("simulate", QUEUES, "--trace", TRACE, *words)
    answer = json.loads(done.stdout)
    assert (done.returncode, len(answer["settings"]), answer["complete"]) == (130, 1, False)
    assert b"interrupted: 1 of 3 settings are done" in done.stderr


def test_processes_say_what_one_says_and_what_is_done_is_kept_when_the_user_interrupts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("--sweep", "minAdmitDuration=off,1h,4h", "-o", "json")
    alone = tenure("simulate", QUEUES, "--trace", TRACE, *words)
    together = tenure("simulate", QUEUES, "--trace", TRACE, *words, "--jobs", "2")
    assert (together.returncode, together.stdout) == (0, alone.stdout)
    assert together.stderr.count(b"is done") == 3

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_of_simulate._Watch, "done_with", interrupted)
    done = tenure("simulate", QUEUES, "--trace", TRACE, *words, "--jobs", "2")
    answer = json.loads(done.stdout)
    assert (done.returncode, len(answer["settings"]), answer["complete"]) == (130, 1, False)


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (None, (), "trace.csv: found no such file or folder, expected a trace as CSV"),
        ("job,queue\n", (), "job_id: found no such column, expected one of job, queue"),
        (
            HEAD + "a,team-a,0,1,1\n",
            ("--priority-column", "prio"),
            "prio: found no such column, expected one of",
        ),
        (HEAD, (), "job_id: found no job, expected at least one"),
        (
            HEAD + "a,team-a,0,1,1\na,team-a,0,1,1\n",
            (),
            "line 3, job_id: found 'a', expected each job once; line 2 has it too",
        ),
        (HEAD + "a,team-a,soon,1,1\n", (), "line 2, submit_s: found 'soon', expected seconds, a number"),
        (HEAD + "a,team-a,0,-1,1\n", (), "line 2, duration_s: found '-1', expected seconds that are not"),
        (
            HEAD + "a,team-c,0,1,1\n",
            (),
            "line 2, queue: found 'team-c', expected a ClusterQueue (team-a, team-b)",
        ),
        (
            HEAD + "a,team-a,0,1,half\n",
            (),
            "line 2, gpus: found 'half', expected a whole amount of nvidia.com/gpu",
        ),
        (
            HEAD + "a,team-a,0,1,0.22\n",
            (),
            "line 2, gpus: found '0.22', expected a whole amount of nvidia.com/gpu",
        ),
        (
            HEAD + "a,team-a,0,1,1\n",
            ("--sweep", "reading=exact"),
            "--sweep: found 'exact', expected a reading:",
        ),
        (
            HEAD + "a,team-a,0,1,1\n",
            ("--sweep", "nothing"),
            "--sweep: found 'nothing', expected KEY=VALUE,...",
        ),
        (
            HEAD + "a,team-a,0,1,1\n",
            ("--sweep", "reading=released", "--sweep", "reading=released"),
            "each key once",
        ),
        (
            HEAD + f"a,team-a,0,1,{2**40}\n",
            (),
            "queues: found amounts that may saturate, expected what --trace",
        ),
        (
            HEAD + "a,team-a,0,1,1\n",
            ("--eviction", "400000h"),
            "--eviction: found '400000h', expected a duration above 0s, at most 87600h",
        ),
        (
            HEAD + "a,team-a,0,1,1\n",
            ("--eviction", "0s"),
            "--eviction: found '0s', expected a duration above 0s",
        ),
        (
            HEAD + "a,team-a,0,1,1\n",
            ("--checkpoint", "1h", "--progress", "lost"),
            "--checkpoint: found '1h', expected no checkpoints with --progress lost",
        ),
        (
            HEAD + "a,team-a,0,1,1\n",
            ("--warm-up", "1h"),
            "--warm-up: found '1h', expected less than the simulation, 1h",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str | None, words: tuple[str, ...], said: str) -> None:
    shutil.copy(QUEUES, tmp_path / "queues.yaml")
    trace = tmp_path / "trace.csv"
    if text is not None:
        trace.write_text(text, encoding="utf-8")
    done = tenure("simulate", str(tmp_path / "queues.yaml"), "--trace", str(trace), *words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
