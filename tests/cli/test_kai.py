"""`tenure kai`: answers, exit codes, and what is wrong with an input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.resources import bundled
from tests.command_line import tenure

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ("--example", "kai-departments")
NOW = ("--now", "2026-06-01T14:00:00Z")
CHECKOUT = ("-w", "serving/checkout")


def said(*arguments: str, code: int = 0) -> str:
    """What a command prints."""
    done = tenure("kai", *arguments)
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode()


def asked(name: str, *arguments: str, code: int = 0) -> Any:
    """A JSON answer that is as its schema says."""
    answer = json.loads(said(name, *arguments, "-o", "json", code=code))
    assert [error.message for error in Draft202012Validator(schema(f"kai-{name}")).iter_errors(answer)] == []
    return answer


def test_a_protected_job_is_told_until_when_and_by_whose_value() -> None:
    told = said("filter", *EXAMPLE, *NOW, *CHECKOUT, "--victim", "vision/pretrain", code=1)
    assert told == said("filter", CHECKOUT[1], *EXAMPLE, *NOW, "--victim", "vision/pretrain", code=1)
    assert told.splitlines()[0] == (
        "vision/pretrain may not be considered as a victim for serving/checkout: protected until 14:05:00 by "
        "queue platform's reclaimMinRuntime 10m, the common ancestor"
    )
    other = said("filter", *EXAMPLE, *NOW, "-w", "vision/ablation", "--victim", "serving/ranker", code=1)
    assert "by queue production's reclaimMinRuntime 1m, one step below the common ancestor platform" in other


def test_every_running_job_is_asked_about() -> None:
    answer = asked("filter", *EXAMPLE, *NOW, *CHECKOUT)
    assert {item["victim"]: item["passes"] for item in answer["victims"]} == {
        "vision/pretrain": False,
        "vision/sweep": True,
        "speech/align": True,
        "speech/distil": True,
        "serving/ranker": False,
    }


def test_the_method_may_be_another() -> None:
    answer = asked(
        "filter",
        *EXAMPLE,
        *NOW,
        *CHECKOUT,
        "--victim",
        "vision/pretrain",
        "--argument",
        "reclaimResolveMethod=queue",
    )
    assert (answer["method"], answer["victims"][0]["minRuntime"]) == ("queue", "0s")


@pytest.mark.parametrize(
    ("victims", "code"),
    [
        (("vision/sweep",), 1),
        (("vision/sweep=sweep-0,sweep-1",), 0),
        (("speech/distil=distil-leader-0",), 1),
        (("speech/distil=distil-worker-0", "vision/sweep=sweep-0"), 0),
        (("speech/align",), 0),
    ],
    ids=str,
)
def test_a_scenario_is_accepted_or_refused(victims: tuple[str, ...], code: int) -> None:
    options = [part for name in victims for part in ("--victim", name)]
    answer = asked("validate", *EXAMPLE, *NOW, *CHECKOUT, *options, code=code)
    assert answer["accepted"] is (code == 0)


def test_a_value_is_resolved_with_its_reason() -> None:
    answer = asked("resolve", *EXAMPLE, "--victim-queue", "speech", "--pending-queue", "vision")
    assert (answer["minRuntime"], answer["source"], answer["action"]) == ("3m", "speech", "reclaim")
    assert asked("resolve", *EXAMPLE, "--victim-queue", "speech")["minRuntime"] == "10m"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("filter",), "found 'nothing', expected files"),
        (("filter", *EXAMPLE), "the pending PodGroup"),
        (("filter", *EXAMPLE, "-w", "serving/chekout"), "did you mean serving/checkout?"),
        (("filter", *EXAMPLE, *CHECKOUT, "--action", "reclam"), "did you mean reclaim?"),
        (("filter", *EXAMPLE, *CHECKOUT, "--argument", "x"), "NAME=VALUE"),
        (("filter", *EXAMPLE, "elsewhere", *CHECKOUT), "not both"),
        (("validate", *EXAMPLE, *CHECKOUT), "at least one victim"),
        (("validate", *EXAMPLE, *CHECKOUT, "--victim", "vision/sweep=x"), "a pod of the job"),
        (("resolve", *EXAMPLE, "--victim-queue", "visoin"), "did you mean vision?"),
        (("resolve", "gone.yaml", "--victim-queue", "a"), "no such file"),
    ],
    ids=str,
)
def test_what_cannot_be_answered_says_what_would(arguments: tuple[str, ...], words: str) -> None:
    done = tenure("kai", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
    assert f"see tenure kai {arguments[0]} --help" in done.stderr.decode()


def test_manifests_come_from_standard_input_and_warnings_go_to_standard_error() -> None:
    queue: dict[str, Any] = {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "a"}}
    queue["spec"] = {"preemptMinRuntime": "-1s"}
    done = tenure("kai", "resolve", "-", "--victim-queue", "a", stdin=json.dumps(queue).encode())
    assert done.stdout.startswith(b"-1s for a job in a")
    assert b"negative" in done.stderr


def test_a_job_that_runs_is_answered_as_if_it_waited_with_a_warning() -> None:
    asked = ("filter", *EXAMPLE, "--now", "2026-06-01T14:00:00Z", "-w")
    done = tenure("kai", *asked, "vision/pretrain")
    warning = "PodGroup vision/pretrain: every pod of it runs already: answered as if it waited"
    assert done.stderr.decode().count(warning) == 1
    assert warning in json.loads(tenure("kai", *asked, "vision/pretrain", "-o", "json").stdout)["warnings"]
    assert b"runs already" not in tenure("kai", *asked, "serving/checkout").stderr


def test_pairs_says_for_every_two_queues_what_resolve_says_of_them() -> None:
    answer = json.loads(tenure("kai", "pairs", *EXAMPLE, "-o", "json").stdout)
    queues = ["serving", "speech", "vision"]
    asked = [(pair["victimQueue"], pair["pendingQueue"]) for pair in answer["pairs"]]
    assert sorted(asked) == [(victim, pending) for victim in queues for pending in queues]
    for pair in answer["pairs"]:
        words = ("--victim-queue", pair["victimQueue"], "--pending-queue", pair["pendingQueue"])
        alone = json.loads(tenure("kai", "resolve", *EXAMPLE, *words, "-o", "json").stdout)
        same = ("action", "minRuntimeNs", "minRuntime", "source")
        assert [pair[field] for field in same] == [alone[field] for field in same]
        assert pair["level"] is None or alone["path"][pair["level"]] == pair["source"]
    assert [error.message for error in Draft202012Validator(schema("kai-pairs")).iter_errors(answer)] == []


def test_pairs_says_until_when_a_job_is_protected_that_started_then() -> None:
    text = tenure("kai", "pairs", *EXAMPLE, "--started", "2026-06-01T13:55:00Z").stdout.decode()
    assert (
        "vision     speech          reclaim  2026-06-01T13:55:00Z  queue vision's reclaimMinRuntime 0s"
        in text
    )


def test_pairs_of_many_queues_are_a_bounded_table() -> None:
    queues = [
        {
            "apiVersion": "scheduling.run.ai/v2",
            "kind": "Queue",
            "metadata": {"name": f"q{number:03}"},
            "spec": {"reclaimMinRuntime": f"{number}m"},
        }
        for number in range(60)
    ]
    done = tenure(
        "kai", "pairs", "-", stdin=json.dumps({"kind": "List", "apiVersion": "v1", "items": queues}).encode()
    )
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "60 queues, 3600 pairs, method lca"
    assert len(lines) < 50
    assert lines[-1] == "(80 more rows: --all prints them)"


def test_pairs_takes_no_action_because_every_pair_has_its_own() -> None:
    done = tenure("kai", "pairs", *EXAMPLE, "--action", "reclaim")
    assert done.returncode == 2
    assert b"--action: found 'reclaim', expected nothing" in done.stderr


def test_a_pending_job_that_waits_for_its_delay_may_preempt_no_job(tmp_path: Path) -> None:
    group = {
        "apiVersion": "scheduling.run.ai/v2alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "late", "namespace": "serving", "creationTimestamp": "2026-06-01T13:58:00Z"},
        "spec": {"queue": "serving", "minMember": 1, "preemptionDelay": "5m"},
    }
    file = tmp_path / "late.json"
    file.write_text(json.dumps(group), encoding="utf-8")
    files = (str(bundled("examples", "kai-departments")), str(file), *NOW, "-w", "serving/late")
    before = asked("filter", *files)
    assert before["delayedUntil"] is None
    assert "spec.preemptionDelay has no effect before v0.17.0" in " ".join(before["warnings"])
    answer = asked("filter", *files, "--kai-version", "v0_17", code=1)
    assert answer["delayedUntil"] == "2026-06-01T14:03:00Z"
    assert not any(victim["passes"] for victim in answer["victims"])
    assert answer["kai"] == "0.17.0"
    said("filter", *files, "--kai-version", "v9", code=2)
