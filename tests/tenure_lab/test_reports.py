"""What a campaign tells, and of a program too."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

from jsonschema import Draft202012Validator

from tenure.as_json import as_json
from tenure.cli.bundled import schema
from tenure.reports import report_text
from tenure.versions import versioned
from tenure_lab.campaign_report import ReportedDifference, campaign_checks, campaign_lines, report_of
from tenure_lab.campaigns import CampaignPlan, Tally
from tests.command_line import tenure, tenure_process

TALLY = Tally(
    scenarios=1500,
    failed=1,
    verdicts=Counter({"agree": 1499, "the core differs": 1}),
    decisions=Counter(Preempt=900, Fit=600),
    victims=Counter({"1": 500, "2": 400}),
)
TOLD = ReportedDifference(305, "the core differs", "tenure campaign --seed 7 --index 305", "x.json", "{}\x00")
STOPPED = report_of(CampaignPlan(2000, 7), TALLY, (TOLD,), complete=False)


def test_the_answer_is_as_its_schema_says() -> None:
    Draft202012Validator(schema("campaign")).validate(versioned("campaign", as_json(STOPPED)))


def test_a_person_reads_what_differs_and_that_it_was_stopped() -> None:
    lines = list(campaign_lines(STOPPED))
    assert lines[:3] == [
        "FAIL index 305: the core differs",
        "     again with tenure campaign --seed 7 --index 305",
        "     made small in x.json",
    ]
    assert "     99.93 %      1499  agree" in lines
    assert lines[-1] == (
        "campaign: the optimized core, 1 of 1500 scenarios differ; stopped, 2000 were planned"
    )


def test_junit_counts_what_differs_and_has_each_that_is_told() -> None:
    (suite,) = ET.fromstring(report_text(campaign_checks(STOPPED), "junit"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1500", "1", "1")
    (failed,) = suite.findall("testcase/failure")
    assert failed.get("message") == "the core differs"
    assert "tenure campaign --seed 7 --index 305" in (failed.text or "")


def test_a_program_is_compared_and_its_campaign_goes_on(tmp_path: Path) -> None:
    asked = ("campaign", "--exec", "oracle", "--scenarios", "12", "--seed", "3", "-o", "json")
    done = tenure_process(*asked, cwd=tmp_path)
    said = json.loads(done.stdout)
    assert (done.returncode, said["scenarios"], said["failed"]) == (0, 12, 0)
    assert said["verdicts"] == [{"what": "agree", "count": 12}]
    resumed = ("campaign", "--resume", "tenure-campaign.jsonl", "-o", "json")
    assert b"found no program" in tenure(*resumed, cwd=tmp_path).stderr
    again = tenure_process(*resumed, "--exec", "oracle", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, done.stdout)


def test_one_scenario_again(tmp_path: Path) -> None:
    done = tenure("campaign", "--seed", "7", "--index", "305", "-o", "json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["scenarios"]) == (0, 1)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_asked_together_is_bad_input(tmp_path: Path) -> None:
    done = tenure("campaign", "--exec", "oracle", "--index", "3", cwd=tmp_path)
    assert done.returncode == 2
    assert b"--index" in done.stderr
    done = tenure("campaign", "--resume", "nowhere.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert b"a campaign's journal" in done.stderr
