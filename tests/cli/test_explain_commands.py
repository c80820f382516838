"""`tenure decide --verbose`, `tenure why` and `tenure why-not`: the same content as text, JSON and YAML."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from tenure.cli.decide import decide_command
from tenure.cli.named import split_words
from tenure.errors import InputError
from tenure.explanation.counterfactuals import CounterfactualsFound, search_counterfactuals
from tenure.resources import bundled
from tenure_play.commands.why import why_command, why_not_command
from tools import libyaml

TEAMS = ("--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
COHORT = ("--example", "shared-cohort", "--now", "2026-05-11T14:00:00Z")
HERO = ("--now", "2026-06-08T12:00:00Z")
EVAL, LONG = "team-b/job-eval-suite-d739e", "team-a/job-long-context-8a5dc"
PRETRAIN, ROLLOUT = "team-a/job-pretrain-7b-e95a1", "team-b/job-rlhf-rollout-63a0e"
ADS, LLM = "ads/job-bid-landscape-c66ef", "llm/job-pretrain-mix-9fa75"
ASKED = [
    ("decide", "-v", "-w", EVAL, *TEAMS),
    ("decide", "-v", "-w", LLM, *COHORT),
    ("decide", "-v", "-w", ADS, *COHORT, "--fair-sharing", "default"),
    ("decide", "-v", "-w", "vision/job-depth-f4d2f", *COHORT, "--counterfactuals", "0"),
    ("why", PRETRAIN, *TEAMS),
    ("why", PRETRAIN, "-w", EVAL, *TEAMS),
    ("why", ROLLOUT, "-w", LONG, *TEAMS, "--override", "same_priority_gate=either"),
    ("why-not", LONG, *TEAMS),
    ("why-not", LONG, ROLLOUT, *TEAMS),
    ("why-not", ADS, *COHORT),
    ("why-not", "nightly/job-captions-f1221", *COHORT),
]

app = typer.Typer()
app.command("decide")(decide_command)
app.command("why")(why_command)
app.command("why-not")(why_not_command)


_SEARCHED: list[tuple[tuple[Any, ...], CounterfactualsFound]] = []


def searched_once(*asked: Any) -> CounterfactualsFound:
    """What a search for counterfactuals finds, which is most of the work, for all forms."""
    found = next((search for known, search in _SEARCHED if known == asked), None)
    if found is None:
        found = search_counterfactuals(*asked)
        _SEARCHED.append((asked, found))
    return found


@pytest.fixture(autouse=True)
def _searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure.explanation.answers.search_counterfactuals", searched_once)


def said(*arguments: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def answered(*arguments: str) -> dict[str, Any]:
    """What a command answers as JSON."""
    parsed: dict[str, Any] = json.loads(said(*arguments, "-o", "json"))
    return parsed


def texts(value: Any) -> list[str]:
    """Every text under a key that sentences are under."""
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    if not isinstance(value, dict) or value.get("rule", "").startswith("TBP-"):
        return []  # the cluster uses no field of that proposal
    own = [item for key, item in value.items() if key in ("text", "why", "reason", "verdict")]
    return [
        *(item for item in own if " " in item),
        *(text for item in value.values() for text in texts(item)),
    ]


@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_json_and_yaml_say_the_same_and_are_as_the_schema_says(arguments: tuple[str, ...]) -> None:
    answer = answered(*arguments)
    assert libyaml.load(said(*arguments, "-o", "yaml")) == answer
    published = bundled("spec", "schemas", f"{arguments[0]}.schema.json")
    schema = json.loads(published.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(answer)


@pytest.mark.parametrize("arguments", [ASKED[1], ASKED[2], ASKED[9], ASKED[10]], ids=" ".join)
def test_the_text_has_every_sentence_of_the_json(arguments: tuple[str, ...]) -> None:
    text = said(*arguments)
    answer = answered(*arguments)
    decision = answer.pop("explanation", answer)["decision"]
    if arguments[0] == "why-not":
        decision.pop("request")  # findings about the request are for --verbose
    if len(decision["counts"]) == 1:
        decision.pop("counts")  # all pods were enough; nothing to tell
    assert [name for name in texts(answer) if name not in text] == []


def test_why_not_says_where_quota_is_short_what_was_tried_and_what_would_help() -> None:
    text = said("why-not", ADS, *COHORT)
    assert text.startswith(f"{ADS} is not admitted: 8 nvidia.com/gpu short on on-demand; borrowWithinCohort.")
    for line in (
        "    ClusterQueue ads uses 12 of 16; 0 available",
        "    Cohort company uses 80 of 80; 0 available: its quota binds",
        "  without borrowing: 4 of 6 candidates removed, and still 4 nvidia.com/gpu on on-demand short",
        "    passed over search/job-embedder-be27d, search/job-reranker-b56ab: when its turn came"
        " ClusterQueue search was within its quota (KQ-380)",
        f"  priority 101 instead of 100 (Workload {ADS}): would preempt"
        " nightly/job-etl-6e260, ads/job-calibrate-eaa01, taken alone; jointly it starts in about 30s, after"
        " vision/job-depth-f4d2f and search/job-index-release-e3f0b",
    ):
        assert line in text.splitlines()
    assert "spot for cpu, memory, nvidia.com/gpu: Excluded; taint cloud.example.com/spot=true" in text


def test_why_not_of_two_workloads_is_about_the_running_one() -> None:
    answer = answered("why-not", LONG, ROLLOUT, *TEAMS)
    assert (
        answer["summary"]
        == f"{ROLLOUT} is not preempted for {LONG}: it may not be preempted: minAdmitDuration is 4h"
    )
    assert answer["workload"]["workload"] == answer["victim"] == ROLLOUT
    assert {change["after"] for change in answer["counterfactuals"]["nearest"]} == {"preempted"}


def test_why_not_in_full_has_what_decide_in_full_has() -> None:
    answer = answered("why-not", LLM, *COHORT, "-v")
    explained = answered("decide", "-w", LLM, *COHORT, "-v")["explanation"]
    # What a change does jointly is answered by why-not alone.
    for flip in answer["counterfactuals"]["nearest"]:
        flip["text"], flip["jointly"] = flip["text"].partition(", taken alone; ")[0], None
    assert {key: answer[key] for key in explained} == explained
    text = re.sub(", taken alone; .*", "", said("why-not", LLM, *COHORT, "-v"))
    sections = said("decide", "-w", LLM, *COHORT, "-v").partition("\n\n")[2].rpartition("look up")[0]
    assert sections in text
    assert answered("why-not", LLM, *COHORT)["workloads"] == []


def test_what_is_accessible_to_its_queue_is_shown_while_heroes_run() -> None:
    asked = ("decide", "--example", "hero", "-w", "charlie/job-vision-hotfix-e1a0d", *HERO, "-v")
    (row,) = answered(*asked)["accessible"]
    assert (row["clusterQueue"], row["nominal"], row["bill"], row["accessible"]) == ("charlie", 200, 16, 184)
    assert "Accessible to ClusterQueue charlie while heroes run\n" in said(*asked)
    assert "accessible" not in answered("decide", "-w", LLM, *COHORT, "-v")


def test_why_without_a_preemptor_names_all_that_would_preempt_it() -> None:
    answer = answered("why", PRETRAIN, *TEAMS)
    assert [case["preemptor"] for case in answer["cases"] if case["preempted"]] == [EVAL]
    assert len(answer["cases"]) == 4
    assert answer["cases"][0]["preempted"]
    assert all(case["counterfactuals"] is None for case in answer["cases"])
    text = said("why", PRETRAIN, *TEAMS)
    first, second, *_ = text.splitlines()
    assert first == f"1 of 4 pending workloads preempts {PRETRAIN}, each decided alone: {EVAL}"
    assert second.startswith(f"A new workload of the right size could preempt {PRETRAIN} ")
    assert answer["engine"] == "reference"


def test_why_with_a_preemptor_says_what_would_spare_it() -> None:
    answer = answered("why", PRETRAIN, "-w", EVAL, *TEAMS)
    assert (
        answer["summary"]
        == f"{PRETRAIN} is preempted for {EVAL}: InClusterQueueTimeBased, by KQ-040, TBP-050, TBP-020"
    )
    (case,) = answer["cases"]
    assert {change["after"] for change in case["counterfactuals"]["nearest"]} == {"kept"}


def test_shares_are_told_with_their_numbers() -> None:
    text = said("decide", "-v", "-w", ADS, *COHORT, "--fair-sharing", "default")
    mine, theirs = (
        "ClusterQueue ads with the request is 27.778",
        "27.778 of ClusterQueue search after the removal",
    )
    assert f"the share of {mine}, equal to the {theirs}" in text


def test_partial_admission_tells_the_numbers_it_tried() -> None:
    text = said("why-not", "nightly/job-captions-f1221", *COHORT)
    lines = text[text.index("Numbers of pods") :].splitlines()
    assert lines[1:5] == [
        "  8 of main: no flavor serves it",
        "  5 of main: no flavor serves it",
        "  3 of main: fits",
        "  4 of main: no flavor serves it",
    ]


def test_no_flips_are_searched_where_none_are_asked_for() -> None:
    answer = answered("decide", "-v", "-w", EVAL, *TEAMS, "--counterfactuals", "0")
    assert answer["explanation"]["counterfactuals"] == {
        "tried": 0,
        "fields": 0,
        "complete": False,
        "worse": False,
        "nearest": [],
        "notTried": [],
    }
    assert "What would change" not in said("decide", "-v", "-w", EVAL, *TEAMS, "--counterfactuals", "0")


def test_manifests_may_stand_behind_the_victim(tmp_path: Path) -> None:
    folder = str(bundled("examples", "two-teams"))
    now = ("--now", "2026-03-02T14:00:00Z")
    named = answered("why-not", LONG, ROLLOUT, folder, *now)
    (duration,) = named["obstacles"]
    assert "minAdmitDuration: 4h" in Path(duration["file"]).read_text().splitlines()[duration["line"] - 1]
    assert named | {"obstacles": [], "summary": ""} == answered("why-not", LONG, ROLLOUT, *TEAMS) | {
        "obstacles": [],
        "summary": "",
    }
    assert answered("why-not", LONG, folder, *now)["victim"] is None
    assert answered("why", ROLLOUT, folder, "-w", LONG, *now)["cases"][0]["preemptor"] == LONG
    for words in ((folder, LONG, ROLLOUT), (ROLLOUT, LONG, folder), (ROLLOUT, folder, LONG)):
        assert answered("why-not", *words, *now) == named
    assert answered("why", folder, "rlhf-rollout", *now) == answered("why", ROLLOUT, *TEAMS)


def test_words_are_workloads_unless_a_file_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("train", "dump.yaml", "more.yaml"):
        Path(name).touch()
    assert split_words(["dump.yaml", "old", "-"]) == (["old"], ["dump.yaml", "-"])
    assert split_words(["train", "dump.yaml"]) == (["train"], ["dump.yaml"])
    assert split_words(["old"], "two-teams", most=2) == (["old"], [])
    for words, said in (
        (["dump.yaml"], "words: found dump.yaml, and no workload, expected a workload or two, and manifests"),
        (["dump.yaml", "more.yaml"], "found dump.yaml, more.yaml, and no workload"),
        (["old", "new", "one", "dump.yaml"], "found 'old', 'new', 'one', which are no files or folders"),
        (["old", "dmp.yaml"], "which are no files or folders, expected a workload or two, and manifests"),
        (["old", "dmp.yaml"], "; did you mean dump.yaml?"),
    ):
        with pytest.raises(InputError) as raised:
            split_words(words, most=2)
        assert said in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("why", EVAL, *TEAMS), f"a running workload; {EVAL} is pending: `why-not {EVAL}` shows"),
        (
            ("why-not", LONG, "nobody/at-all", *TEAMS),
            "a file or folder that exists, or one of 16 workloads that hold quota: ",
        ),
        (("decide", *TEAMS), "4 pending workloads"),
        (("decide", "-w", EVAL, *TEAMS, "--override", "newer_than"), "KEY=CHOICE"),
    ],
    ids=["pending victim", "unknown victim", "several", "override"],
)
def test_a_bad_name_is_answered_with_what_there_is(arguments: tuple[str, ...], words: str) -> None:
    done = CliRunner().invoke(app, list(arguments))
    assert isinstance(done.exception, InputError)
    assert words in str(done.exception)
