"""A whole campaign against small peers: what it reports, keeps, makes small and ends with."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tenure.strategies import CHUNK, chunk, examples
from tests.peers.campaign import compare
from tests.peers.campaign.__main__ import arguments, main
from tests.peers.campaign.compare import Comparison
from tests.peers.campaign.histogram import Histogram
from tests.peers.campaign.programs import Program, command_of
from tests.peers.campaign.run import Plan, parts
from tests.peers.campaign.shrinking import shrink
from tests.peers.campaign.summary import summary
from tests.peers.campaign.verdicts import Kind

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
# Otherwise than everybody else, wherever two workloads or more hold quota.
ODD = """
        odd = len(given["admitted"]) >= 2
        answer = {"output": {"decision": "NoFit" if odd else "Fit", "preempted": [], "stable": True}}
"""
# By chance, which it admits only to who asks often.
FICKLE = """
        fit, other = ({"decision": name, "preempted": []} for name in ("Fit", "NoFit"))
        often = request["repeat"] > 1
        answer = {"output": {**other, "stable": not often, "variants": [fit, other] if often else []}}
"""


def script(folder: Path, body: str, tail: str = TAIL) -> list[str]:
    """A peer that is a few lines of Python."""
    path = folder / "peer.py"
    path.write_text(HEAD + body + tail, encoding="utf-8")
    return [sys.executable, str(path)]


def fit(request: Object) -> Object:
    """Our side, where the oracle itself is beside the point: everything fits."""
    assert "repeat" not in request
    return {"id": request["id"], "output": {"decision": "Fit", "preempted": []}}


@pytest.fixture(name="everything_fits")
def _everything_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "our_answer", fit)


def run(*words: str) -> int:
    """The command, with a seed that is printed."""
    print("python -m tests.peers.campaign", shlex.join(words))
    return main(words)


def peer_of(command: list[str]) -> str:
    """As `--peer` takes it."""
    return shlex.join(command)


def test_agreement_ends_with_0_and_a_histogram(
    tmp_path: Path, everything_fits: None, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run("--peer", peer_of(script(tmp_path, ALWAYS_FIT)), "--n", "30", "--seed", str(SEED))
    said = capsys.readouterr().out
    assert code == 0
    assert "30 scenarios" in said
    assert "100.00 %       30  agree" in said
    assert f"seed {SEED}" in said


def test_a_difference_ends_with_1_is_made_small_and_kept(
    tmp_path: Path, everything_fits: None, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.jsonl"
    command = peer_of(script(tmp_path, ODD))
    code = run("--peer", command, "--n", "20", "--seed", str(SEED), "--shrink", "1", "--keep", str(kept))
    said = capsys.readouterr().err
    (line,) = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    assert code == 1
    assert len(line["input"]["admitted"]) == 2
    assert len({each["status"]["admission"]["clusterQueue"] for each in line["input"]["admitted"]}) <= 2
    assert (line["seed"], line["verdict"], line["peer"]) == (SEED, "unexplained", "v1")
    assert f"--seed {SEED} --only {line['index']}" in said
    assert "theirs   NoFit" in said


def test_an_index_is_drawn_again_alone(tmp_path: Path, everything_fits: None) -> None:
    command = tuple(script(tmp_path, ODD))
    (whole,) = parts(Plan(command, 40, SEED))
    found = whole.failures[-1]
    (alone,) = parts(Plan(command, 1, SEED, only=(found.index,)))
    assert [each.compared.scenario for each in alone.failures] == [found.compared.scenario]


def test_chance_in_the_peer_is_asked_for_before_a_difference_counts(
    tmp_path: Path, everything_fits: None
) -> None:
    (part,) = parts(Plan(tuple(script(tmp_path, FICKLE)), 10, SEED))
    assert part.failures == []
    assert part.histogram.verdicts == {"peer unstable": 10}


def test_every_scenario_is_answered_once_whatever_the_jobs(tmp_path: Path) -> None:
    # Processes of their own ask the real oracle, so the verdicts are not looked at here.
    command = tuple(script(tmp_path, ALWAYS_FIT))
    counts = [
        sum(part.histogram.scenarios for part in parts(Plan(command, CHUNK + 20, SEED, jobs=jobs)))
        for jobs in (1, 2)
    ]
    drawn = len(chunk(SEED, 0)) + len(chunk(SEED, 1)[:20])
    assert counts == [drawn, drawn]


def test_large_batches_do_not_block(tmp_path: Path, everything_fits: None) -> None:
    # Far more than a pipe holds, in both directions.
    body = ALWAYS_FIT.replace('"Fit"', '"F" + "i" * 9 + "t"')
    with Program(script(tmp_path, body)) as peer:
        requests = [
            {"id": index, "call": "decide", "input": {"pad": "x" * 20_000}, "repeat": 1}
            for index in range(200)
        ]
        assert [each["id"] for each in peer.ask(requests)] == list(range(200))


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        ("\n    sys.exit(0)\n", "ended before"),
        ("\n    print('hello', flush=True)\n", "not JSON"),
        ("\n    print(json.dumps({'id': 'other', **answer}), flush=True)\n", "no answer"),
        ("\n    print(json.dumps({'id': request['id']}), flush=True)\n", "no answer"),
    ],
)
def test_a_peer_that_fails_as_a_program_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tail: str, words: str
) -> None:
    code = run("--peer", peer_of(script(tmp_path, ALWAYS_FIT, tail)), "--n", "5", "--seed", str(SEED))
    assert code == 2
    assert words in capsys.readouterr().err


def test_a_peer_that_does_not_exist_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--peer", "/nowhere/peer", "--n", "1") == 2
    assert "cannot be started" in capsys.readouterr().err


def test_an_error_of_either_side_is_no_silent_agreement(tmp_path: Path, everything_fits: None) -> None:
    body = '        answer = {"error": {"code": "panic", "message": "", "field": ""}}'
    (part,) = parts(Plan(tuple(script(tmp_path, body)), 5, SEED))
    assert {each.compared.verdict.kind for each in part.failures} == {Kind.PEER_ERROR}
    assert part.histogram.verdicts == {"peer error panic": 5}


def test_a_fault_of_ours_costs_one_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(request: Object) -> Object:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("tenure.conformance.protocol.answer", fault)
    (part,) = parts(Plan(tuple(script(tmp_path, ALWAYS_FIT)), 3, SEED))
    assert part.histogram.verdicts == {"our error internal": 3}


def test_the_own_oracle_is_a_peer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--peer", "oracle", "--n", "20", "--seed", str(SEED)) == 0
    assert "100.00 %       20  agree" in capsys.readouterr().out


def test_a_peer_is_a_command_line() -> None:
    assert command_of("'/some where/peer' --repeat 2") == ["/some where/peer", "--repeat", "2"]


@pytest.mark.parametrize("words", [["--n", "0"], ["--jobs", "-1"], ["--only", "x"], ["--without", "x"]])
def test_wrong_arguments_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        arguments(["--peer", "p", *words])


def test_shrinking_keeps_the_difference_and_drops_the_rest() -> None:
    print(f"examples(200, {SEED})")
    large = max(examples(200, SEED), key=lambda each: len(each["admitted"]))
    last = large["admitted"][-1]["metadata"]["name"]

    def keeps(scenario: Object) -> bool:
        return any(each["metadata"]["name"] == last for each in scenario["admitted"])

    before = json.dumps(large)
    small = shrink(large, keeps)
    assert [each["metadata"]["name"] for each in small["admitted"]] == [last]
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


def test_histograms_merge(tmp_path: Path, everything_fits: None) -> None:
    with Program(script(tmp_path, ODD)) as peer:
        compared = Comparison(peer).all_of(list(examples(20, SEED)))
    whole, halves = Histogram(), Histogram()
    for each in compared:
        whole.add(each)
    for half in (compared[:7], compared[7:]):
        part = Histogram()
        for each in half:
            part.add(each)
        halves.merge(part)
    assert halves == whole
    assert list(halves.lines()) == list(whole.lines())


def test_a_histogram_counts_victims_reasons_and_partial_admission(
    tmp_path: Path, everything_fits: None
) -> None:
    body = """
        taken = [{"workload": name, "clusterQueue": "q0", "reason": "InClusterQueue"} for name in "abcd"]
        asked = given["incoming"]["spec"]["podSets"]
        pods = [{"name": each["name"], "count": each["count"] - 1} for each in asked]
        answer = {"output": {"decision": "Preempt", "preempted": taken, "assignment": {"podSets": pods}}}
"""
    histogram = Histogram()
    with Program(script(tmp_path, body)) as peer:
        for each in Comparison(peer, compare.CONFIRM).all_of(list(examples(5, SEED))):
            histogram.add(each)
    assert histogram.victims == {3: 5}
    assert histogram.reasons == {"InClusterQueue": 5}
    assert histogram.victim_reasons == {"InClusterQueue": 20}
    assert histogram.traits["partial admission"] == 5


def test_a_summary_names_every_object(tmp_path: Path, everything_fits: None) -> None:
    print(f"examples(50, {SEED})")
    with Program(script(tmp_path, ODD)) as peer:
        for each in Comparison(peer).all_of(list(examples(50, SEED))):
            text = "\n".join(summary(each))
            for kind in ("clusterQueues", "cohorts", "admitted"):
                assert all(raw["metadata"]["name"] in text for raw in each.scenario[kind])
            assert "<- target" in text


def test_a_feature_may_be_left_out(tmp_path: Path, everything_fits: None) -> None:
    without = arguments(["--peer", "p", "--without", "partial,limits"]).without
    with_all, left_out = (
        [each.compared.scenario for part in parts(plan) for each in part.failures]
        for plan in (
            Plan(tuple(script(tmp_path, ODD)), 60, SEED),
            Plan(tuple(script(tmp_path, ODD)), 60, SEED, without=without),
        )
    )
    assert '"minCount"' in json.dumps(with_all)
    assert '"minCount"' not in json.dumps(left_out)
