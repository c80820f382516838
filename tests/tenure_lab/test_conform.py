"""`tenure conform` against small programs: what it reports, keeps, makes small and ends with."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections import Counter
from pathlib import Path
from textwrap import dedent
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.app import main
from tenure.cli.bundled import schema
from tenure.pools import Hands
from tenure_lab import verdicts
from tenure_lab.campaigns import BLOCK, CampaignPlan, Tally, read_tally
from tenure_lab.choices import Mode
from tenure_lab.conform_report import summary
from tenure_lab.generators.options import KUEUE_FEATURES, Feature
from tenure_lab.generators.scenarios import examples
from tenure_lab.pool import blocks_done
from tenure_lab.programs import Program
from tenure_lab.shrinking import shrink
from tenure_lab.verdicts import Kind, Sides, sides_of
from tests.published import published_vectors
from tools import libyaml

Object = dict[str, Any]

SEED = 20261120

HEAD = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    given = request.get("input", {})
    if request["call"] == "version":
        answer = {"output": {"fake": "v1"}}
    else:
        answer = None
"""
TAIL = """
    print(json.dumps({"id": request["id"], **answer}), flush=True)
"""
ALWAYS_FIT = '        answer = {"output": {"decision": "Fit", "preempted": [], "stable": True}}'
# Otherwise than all others, wherever two workloads or more hold quota.
ODD = """
        odd = len(given["admitted"]) >= 2
        answer = {"output": {"decision": "NoFit" if odd else "Fit", "preempted": [], "stable": True}}
"""
# By chance, which it admits only to who asks often.
FICKLE = """
        fit, other = ({"decision": name, "preempted": []} for name in ("Fit", "NoFit"))
        often = request.get("repeat", 1) > 1
        answer = {"output": {**other, "stable": not often, "variants": [fit, other] if often else []}}
"""


def script(folder: Path, body: str, tail: str = TAIL) -> list[str]:
    """A peer that is a few lines of Python."""
    path = folder / "peer.py"
    path.write_text(HEAD + body + tail, encoding="utf-8")
    return [sys.executable, str(path)]


def fit(request: Object) -> Object:
    """Our side, where the oracle itself is beside the point: everything fits."""
    return {"id": request["id"], "output": {"decision": "Fit", "preempted": []}}


@pytest.fixture(name="everything_fits")
def _everything_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "our_answer", fit)


def tally_of(command: list[str], count: int, **more: Any) -> Tally:
    """What one process counts of scenarios that a program is asked."""
    plan = CampaignPlan(count, SEED, command=tuple(command), **more)
    whole = Tally()
    for _, tally in blocks_done(plan, plan.blocks(), Hands()):
        whole.merge(tally)
    return whole


def run(*words: str) -> int:
    """The command in this process, with a seed that is printed; its exit code."""
    print("tenure conform", shlex.join(words))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["tenure", "conform", *words])
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0)


def drawn(command: list[str], count: int, *more: str) -> tuple[str, ...]:
    """The options for random scenarios alone."""
    scenarios = ("--no-vectors", "--scenarios", str(count), "--seed", str(SEED))
    return ("--exec", shlex.join(command), *scenarios, *more)


def test_agreement_ends_with_0_and_a_histogram(
    tmp_path: Path, everything_fits: None, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(*drawn(script(tmp_path, ALWAYS_FIT), 30))
    said = capsys.readouterr().out
    assert code == 0
    assert f"30 random scenarios, seed {SEED}" in said
    assert "100.00 %        30  agree" in said
    assert said.splitlines()[-1] == "conform: fake v1 conforms (mode victims)"


def test_a_difference_ends_with_1_is_made_small_and_kept(
    tmp_path: Path, everything_fits: None, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.jsonl"
    code = run(*drawn(script(tmp_path, ODD), 20, "--show", "1", "--keep", str(kept), "-o", "json"))
    report = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    (line,) = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    (told,) = report["disagreements"]
    assert code == 1
    Draft202012Validator(schema("conform")).validate(report)
    assert (report["conforms"], report["name"], report["drawn"]["seed"]) == (False, "fake v1", SEED)
    assert len(line["input"]["admitted"]) == 2
    assert len({item["status"]["admission"]["clusterQueue"] for item in line["input"]["admitted"]}) <= 2
    assert json.loads(told["request"]) == line
    index = told["case"].removeprefix(f"seed {SEED} index ")
    assert told["about"] == f"again with --seed {SEED} --index {index}"
    assert told["verdict"] == "unexplained"
    assert "theirs   NoFit" in told["lines"]


def test_a_difference_in_junit_has_the_request_to_ask_again(
    tmp_path: Path, everything_fits: None, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(*drawn(script(tmp_path, ODD), 20, "--show", "1", "-o", "junit"))
    suites = ET.fromstring(capsys.readouterr().out.split("\n", 1)[1])
    (failure,) = suites.iter("failure")
    assert code == 1
    assert failure.get("message", "").startswith("unexplained: again with --seed")
    assert json.loads((failure.text or "").splitlines()[-1])["call"] == "decide"
    counts = {suite.get("name"): int(suite.get("failures", "")) for suite in suites}
    assert counts["vectors"] == 0
    assert counts["random scenarios"] > 0


def test_an_index_is_drawn_again_alone(tmp_path: Path, everything_fits: None) -> None:
    command = script(tmp_path, ODD)
    found = tally_of(command, 40).differences[-1]
    assert tally_of(command, 1, only=(found.index,)).differences == [found]


def test_chance_in_the_peer_is_asked_for_before_a_difference_counts(
    tmp_path: Path, everything_fits: None
) -> None:
    tally = tally_of(script(tmp_path, FICKLE), 10)
    assert (tally.failed, tally.differences) == (0, [])
    assert tally.verdicts == {"peer unstable": 10}


def test_every_scenario_is_answered_once_whatever_the_jobs(tmp_path: Path) -> None:
    # Processes of their own ask the real oracle, so the verdicts are not looked at here.
    command = tuple(script(tmp_path, ALWAYS_FIT))
    plan = CampaignPlan(BLOCK + 20, SEED, command=command, max_workloads=1, max_queues=1, max_depth=0)
    for jobs in (1, 2):
        blocks = sorted(blocks_done(plan, plan.blocks(), Hands(jobs)), key=lambda done: done[0])
        assert [(number, tally.scenarios) for number, tally in blocks] == [(0, BLOCK), (1, 20)]


def test_large_batches_do_not_block(tmp_path: Path, everything_fits: None) -> None:
    # Far more than a pipe holds, in both directions.
    body = ALWAYS_FIT.replace('"Fit"', '"F" + "i" * 9 + "t"')
    with Program(script(tmp_path, body)) as peer:
        requests = [
            {"id": index, "call": "decide", "input": {"pad": "x" * 20_000}, "repeat": 1}
            for index in range(200)
        ]
        assert [entry["id"] for entry in peer.ask(requests)] == list(range(200))


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        ("\n    sys.exit(0)\n", "ended before it answered"),
        ("\n    print('hello', flush=True)\n", "not JSON"),
        ("\n    print(json.dumps({'id': 'other', **answer}), flush=True)\n", "no answer"),
        ("\n    print(json.dumps({'id': request['id']}), flush=True)\n", "no answer"),
        ("\n    import time; time.sleep(600)\n", "gave no answer within 0.5 s"),
    ],
)
def test_a_program_that_fails_as_one_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tail: str, words: str
) -> None:
    patience = ("--timeout", "0.5") if "sleep" in tail else ()
    code = run(*drawn(script(tmp_path, ALWAYS_FIT, tail), 5, *patience))
    assert code == 2
    error = capsys.readouterr().err
    assert words in error
    assert "error: --exec: " in error


def test_a_program_that_does_not_exist_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--exec", "/nowhere/program", "--scenarios", "1") == 2
    assert "cannot be started" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["", "  ", "adapter 'open"])
def test_a_command_line_without_a_program_ends_with_2(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--exec", command, "--scenarios", "1") == 2
    assert f"error: --exec: found {command!r}, expected a program and" in capsys.readouterr().err


def test_an_error_of_either_side_is_no_silent_agreement(tmp_path: Path, everything_fits: None) -> None:
    body = '        answer = {"error": {"code": "panic", "message": "", "field": ""}}'
    tally = tally_of(script(tmp_path, body), 5)
    assert [found.verdict for found in tally.differences] == [f"{Kind.PEER_ERROR} panic"] * 5
    assert tally.verdicts == {"peer error panic": 5}


def test_a_fault_of_ours_costs_one_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(request: Object) -> Object:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("tenure.conformance.protocol.answer", fault)
    assert tally_of(script(tmp_path, ALWAYS_FIT), 3).verdicts == {"our error internal": 3}


def test_the_own_oracle_conforms_in_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    scenarios = ("--scenarios", "20", "--seed", str(SEED), "--with", "durations", "--with", "ageing")
    asked = ("--mode", "explained", "--call", "decide", "--call", "minruntime")
    assert run("--exec", "oracle", *asked, *scenarios, "--reading", "as-written") == 0
    said = capsys.readouterr().out
    vectors = sum(1 for vector in published_vectors() if vector.data["call"] in ("decide", "minruntime"))
    assert f"100.00 % {vectors:9}  agree" in said
    assert "100.00 %        20  agree" in said
    assert said.splitlines()[-1].endswith("conforms (mode explained, reading as-written)")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--scenarios", "-1"), "Invalid value for '--scenarios'"),
        (("--without", "limit"), "--without: found 'limit', expected one of limits, "),
        (("--call", "decided"), "--call: found 'decided', expected one of decide, "),
        (("--only", "XX-"), "--only: found 'XX-', expected the beginning of some vector's identifier"),
        (("--reading", "nonsense"), "found 'nonsense'"),
        (("--max-depth", "9"), "--max-depth: found 9, expected 0 to 4"),
        (("--no-vectors", "--scenarios", "0"), "expected vectors, scenarios, or both"),
        (("--without-family", "XX"), "--without-family: found 'XX', expected one of DYN, KMR, "),
        (("--at-least", "50"), "--at-least: found 50, expected --partial beside it"),
    ],
)
def test_wrong_options_are_refused(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--exec", "oracle", *words) == 2
    assert said in capsys.readouterr().err


# Answers some of the requests, by their turn, as the reference does.
SOME = """
        from tenure.conformance.protocol import answer as reference
        turn += 1
        answer = {"error": {"code": "not-modelled", "message": "", "field": ""}}
        answer = reference(request) if turn in answered else answer
"""


def families_asked() -> list[str]:
    """The family of each vector, in the order in which they are asked."""
    decisions = (vector for vector in published_vectors() if vector.data["call"] == "decide")
    return [vector.id.partition("-")[0] for vector in decisions]


def partial(folder: Path, answered: set[int], *more: str) -> tuple[str, ...]:
    """The options for the vectors alone, asked of a program that answers those of these numbers."""
    command = script(folder, SOME)
    path = Path(command[1])
    path.write_text(f"turn, answered = -1, {answered}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    return ("--exec", shlex.join(command), "--partial", "--scenarios", "0", *more)


def test_who_leaves_nearly_everything_out_does_not_conform(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    families = families_asked()
    first = {families.index(family) for family in families}
    code = run(*partial(tmp_path, first, "-o", "json"))
    report = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    Draft202012Validator(schema("conform")).validate(report)
    assert (code, report["conforms"], report["atLeast"]) == (1, False, 95)
    assert report["coverage"] == [
        {"family": family, "vectors": count, "answered": 1} for family, count in Counter(families).items()
    ]
    assert run(*partial(tmp_path, first, "--at-least", "1")) == 1
    said = capsys.readouterr().out
    assert f"vectors: found {len(first)} of {len(families)} answered, expected at least 1 %" in said
    assert "nothing agrees" not in said


def test_a_family_that_is_left_out_whole_is_excluded_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    families = families_asked()
    words = partial(
        tmp_path, {turn for turn, family in enumerate(families) if family != "DYN"}, "--at-least", "90"
    )
    assert run(*words) == 1
    asked = families.count("DYN")
    assert f"DYN: found 0 of {asked} vectors answered, expected at least one" in capsys.readouterr().out
    assert run(*words, "-o", "junit") == 1
    suites = ET.fromstring(capsys.readouterr().out.split("\n", 1)[1])
    assert {suite.get("name"): suite.get("failures") for suite in suites}["coverage"] == "1"
    words = partial(tmp_path, set(range(len(families))), "--without-family", "DYN")
    assert run(*words) == 0
    assert capsys.readouterr().out.endswith("(mode victims, at least 95 % answered, without DYN)\n")


def test_shrinking_keeps_the_difference_and_drops_the_rest() -> None:
    print(f"examples(200, {SEED})")
    large = max(examples(200, SEED), key=lambda entry: len(entry["admitted"]))
    last = large["admitted"][-1]["metadata"]["name"]

    def keeps(scenario: Object) -> bool:
        return any(item["metadata"]["name"] == last for item in scenario["admitted"])

    before = json.dumps(large)
    small = shrink(large, keeps)
    assert [item["metadata"]["name"] for item in small["admitted"]] == [last]
    assert small["cohorts"] == []
    assert small["featureGates"] == {}
    assert json.dumps(large) == before


def test_shrinking_asks_no_more_than_it_may() -> None:
    asked = []

    def keeps(scenario: Object) -> bool:
        asked.append(scenario)
        return False

    (first,) = examples(1, SEED)
    assert shrink(first, keeps, most=3) is first
    assert len(asked) == min(3, len(asked))


def test_tallies_merge_and_are_written_and_read(tmp_path: Path, everything_fits: None) -> None:
    command = script(tmp_path, ODD)
    whole = tally_of(command, 20)
    halves = Tally()
    for half in (range(7), range(7, 20)):
        halves.merge(tally_of(command, 1, only=tuple(half)))
    assert whole.failed > 5
    assert halves == whole
    assert read_tally(json.loads(json.dumps(whole.written()))) == whole


def test_a_tally_counts_victims_reasons_and_partial_admission(tmp_path: Path, everything_fits: None) -> None:
    body = """
        taken = [{"workload": name, "clusterQueue": "q0", "reason": "InClusterQueue"} for name in "abcd"]
        asked = given["incoming"]["spec"]["podSets"]
        pods = [{"name": pod_set["name"], "count": pod_set["count"] - 1} for pod_set in asked]
        answer = {"output": {"decision": "Preempt", "preempted": taken, "assignment": {"podSets": pods}}}
"""
    tally = tally_of(script(tmp_path, body), 5, repeat=verdicts.CONFIRM)
    assert tally.victims == {"3 or more": 5}
    assert tally.reasons == {"InClusterQueue": 5}
    assert tally.traits["partial admission"] == 5


# Keeps every workload where the reference preempts some, and preempts all where it keeps some.
CONTRARY = """
        admitted = given.get("admitted") or []
        taken = [
            {
                "workload": f"{raw['metadata']['namespace']}/{raw['metadata']['name']}",
                "clusterQueue": raw["status"]["admission"]["clusterQueue"],
                "reason": "InClusterQueue",
            }
            for raw in admitted
        ]
        answer = {"output": {"decision": "Preempt", "preempted": taken if len(taken) == 1 else []}}
"""


def test_a_failure_says_which_rule_keeps_or_preempts_and_the_simplest_comes_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = shlex.join(script(tmp_path, CONTRARY))
    assert run("--exec", command, "--only", "KQ-040", "--scenarios", "0", "-o", "json") == 1
    printed = capsys.readouterr().out
    told = json.loads(printed[printed.index("{") :])["disagreements"]
    sizes = [len(str(json.loads(failure["request"])["input"])) for failure in told]
    assert sizes == sorted(sizes)
    because = [
        line for failure in told for line in failure["lines"] if " is kept: " in line or " is pre" in line
    ]
    kept = "default/a is kept: it may not be preempted: policy Never does not allow it (KQ-040)"
    assert f"         {kept}" in because
    assert len(because) == len(told)


def test_the_simplest_failure_of_each_rule_comes_before_a_second_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = shlex.join(script(tmp_path, CONTRARY))
    chosen = "--only", "KQ-040", "--only", "KQ-050"
    assert run("--exec", command, *chosen, "--scenarios", "0", "--show", "2") == 1
    printed = capsys.readouterr().out
    failed = re.findall(r"FAIL ([A-Z]+-\d+)/(\S+): ", printed)
    assert {rule for rule, _ in failed} == {"KQ-040", "KQ-050"}
    assert all(f"again    --only {rule}/{name} --scenarios 0" in printed for rule, name in failed)
    assert "answered otherwise, by rule" in printed
    closing = re.search(r"does not conform \(mode victims\): (\d+) answers differ", printed)
    by_rule = re.findall(r"(\d+)  KQ-0[45]0$", printed, re.MULTILINE)
    assert closing is not None
    assert sum(map(int, by_rule)) == int(closing[1])


@pytest.mark.parametrize(
    ("beginning", "reason"),
    [
        ("KQ-040/", "is preempted: InClusterQueue"),
        ("KQ-640/no-flavor-at-all", "ns/new is not admitted: resourceGroups is empty: "),
    ],
)
def test_a_program_for_which_everything_fits_is_told_why_not(
    beginning: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = shlex.join(script(tmp_path, ALWAYS_FIT))
    assert run("--exec", command, "--only", beginning, "--scenarios", "0", "--call", "decide") == 1
    assert reason in capsys.readouterr().out


# Takes equals for lower priorities, knows no borrowingLimit, and refuses topologies.
WRONG = """
        from tenure.conformance.protocol import answer as right
        given["incoming"]["spec"]["priority"] = given["incoming"]["spec"].get("priority", 0) + 1
        for queue in given["clusterQueues"]:
            for group in queue["spec"].get("resourceGroups") or ():
                for quota in (quota for flavor in group["flavors"] for quota in flavor["resources"]):
                    quota.pop("borrowingLimit", None)
        answer = {"output": right({"id": 1, "call": "decide", "input": given}).get("output", {})}
        if "topologyName" in str(given):
            answer = {"error": {"code": "not-modelled", "message": "no topologies", "field": ""}}
"""


def test_a_failure_names_the_limit_or_the_age_that_the_program_overlooks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = (
        "KQ-040/without-the-duration-a-new-arrival-takes-no-equal",
        "KQ-160/one-more-than-the-borrowing-limit-can-never-be-had",
        "KQ-170/beyond-the-borrowing-limit-nothing-is-available",
        "UCQ-220/to-the-letter-the-limit-bounds-all",
        "KQ-630/a-level-that-the-topology-lacks",
    )
    only = [word for case in cases for word in ("--only", case)]
    command = shlex.join(script(tmp_path, WRONG))
    assert run("--exec", command, *only, "--scenarios", "0", "--call", "decide") == 1
    printed = capsys.readouterr().out
    assert "queued 2026-03-02T14:58:00Z, preemptor 2026-03-02T14:59:30Z, so not newer (TBP-040)" in printed
    assert "minAdmitDuration is not set" not in printed
    assert (
        "borrowingLimit of nvidia.com/gpu on a100 is 1: 4 requested, and at most 3 can be had (KQ-160)"
        in printed
    )
    assert (
        "without preemption 1 nvidia.com/gpu on a100 is short: 2 requested, 1 available; ClusterQueue a "
        "uses 3 with nominalQuota 2, and it may borrow 2 (borrowingLimit, KQ-170)"
    ) in printed
    assert "borrowingLimit of nvidia.com/gpu on h100 is 3: 4 requested, and at most 3 can be had" in printed
    assert (
        "peer error not-modelled: a refusal counts as a failure; --partial counts refusals apart" in printed
    )
    assert "refusals count as failures; --partial counts them apart" in printed
    assert re.findall(r"FAIL ([A-Z]+-\d+)/", printed)[-1] == "KQ-630"


def test_what_is_left_out_is_counted_by_the_programs_own_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = """
        why = "no cohorts" if given.get("cohorts") else "no running\\n workloads"
        answer = {"error": {"code": "not-modelled", "message": why, "field": ""}}
"""
    command = shlex.join(script(tmp_path, body))
    assert run("--exec", command, "--only", "KQ-0", "--scenarios", "0", "--partial") == 1
    printed = capsys.readouterr().out
    assert "left out as not modelled, in the program's words" in printed
    assert "no running workloads" in printed


def test_a_summary_names_every_object(tmp_path: Path, everything_fits: None) -> None:
    print(f"examples(50, {SEED})")
    with Program(script(tmp_path, ODD)) as peer:
        for answer_pair in Sides(peer).all_of(list(examples(50, SEED))):
            lines = list(summary(answer_pair))
            text = "\n".join(lines)
            for kind in ("clusterQueues", "cohorts", "admitted"):
                assert all(raw["metadata"]["name"] in text for raw in answer_pair.scenario[kind])
            scenario = dedent("\n".join(lines[lines.index("scenario") + 1 :]))
            assert libyaml.load(scenario) == answer_pair.scenario


def test_a_feature_may_be_left_out(tmp_path: Path, everything_fits: None) -> None:
    without = KUEUE_FEATURES - {Feature.PARTIAL, Feature.LIMITS}
    command = script(tmp_path, ODD)
    with_all, left_out = (
        [found.scenario for found in tally_of(command, 60, features=tuple(features)).differences]
        for features in (KUEUE_FEATURES, without)
    )
    assert '"minCount"' in json.dumps(with_all)
    assert '"minCount"' not in json.dumps(left_out)


def test_only_kueue_has_signed_divergences(tmp_path: Path) -> None:
    other = script(tmp_path, ALWAYS_FIT)
    kueue = tmp_path / "kueue.py"
    kueue.write_text(
        Path(other[1]).read_text(encoding="utf-8").replace('"fake"', '"kueue"'), encoding="utf-8"
    )
    for command, signed in ((other, False), ([sys.executable, str(kueue)], True)):
        sides = sides_of(command, 30.0)
        with sides.program:
            assert (sides.explain is not None) is signed


@pytest.mark.parametrize(
    ("mode", "code"),
    [(Mode.OUTCOME, 0), (Mode.VICTIMS, 0), (Mode.ORDERED, 1), (Mode.EXPLAINED, 1)],
)
def test_a_mode_asks_for_more_than_the_one_before(
    tmp_path: Path, mode: Mode, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = [
        {"workload": f"ns/{name}", "clusterQueue": "q", "reason": "InClusterQueue", "rules": ["KQ-010"]}
        for name in "ab"
    ]

    def ours(request: Object) -> Object:
        return {"id": request["id"], "output": {"decision": "Preempt", "preempted": taken}}

    monkeypatch.setattr(verdicts, "our_answer", ours)
    body = f"        answer = {{'output': {{'decision': 'Preempt', 'preempted': {taken[::-1]!r}}}}}"
    assert run(*drawn(script(tmp_path, body), 3, "--mode", mode.value, "--show", "0")) == code


def test_a_vector_that_the_reference_refuses_is_to_be_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Everything fits, so what the reference refuses is answered, and that is told.
    code = run("--exec", shlex.join(script(tmp_path, ALWAYS_FIT)), "--scenarios", "0", "-o", "json")
    report = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    assert code == 1
    assert report["drawn"] is None
    refused = [vector for vector in published_vectors() if "error" in vector.data["expect"]]
    fits = [vector for vector in published_vectors() if vector.data["expect"].get("decision") == "Fit"]
    assert refused
    asked = [vector for vector in published_vectors() if vector.data["call"] == "decide"]
    agreeing = {item["what"]: item["count"] for item in report["vectors"]}
    assert sum(agreeing.values()) == len(asked)
    assert agreeing["agree"] == len(fits)
