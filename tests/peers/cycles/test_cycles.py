"""What Kueue v0.19.2 did in the first cycles of some clusters, recorded, is what `tenure next` begins with.

Written again by `python -m tests.peers.cycles --peer build/kueue-peer --n 14 --seed 7 --record FILE`, and
with `--plays` for clusters that random plays have come to, with `--loops` for the loops of kueue#14543.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.peers.cycles.__main__ import main
from tests.peers.cycles.compare import compared
from tests.peers.cycles.draws import DrawnCycle, all_loops, drawn_cycles, played_cycles

FILE = Path(__file__).with_name("recorded.json")
RECORDED = json.loads(FILE.read_text())
PLAYED = json.loads(FILE.with_name("recorded_plays.json").read_text())
LOOPED = json.loads(FILE.with_name("recorded_loops.json").read_text())
ANSWERS: dict[int, dict[str, Any]] = {cycle["index"]: cycle["answer"] for cycle in RECORDED["cycles"]}
PEER = """
import json, sys
known = {cycle["index"]: cycle["answer"] for cycle in json.load(open(sys.argv[1]))["cycles"]}
for line in sys.stdin:
    asked = json.loads(line)
    version = {"id": asked["id"], "output": {"kueue": "recorded"}}
    print(json.dumps(known[asked["id"]] if asked["call"] == "cycle" else version), flush=True)
"""

Head = dict[str, Any]


@pytest.fixture(scope="module")
def clusters() -> dict[int, DrawnCycle]:
    return {drawn.index: drawn for drawn in drawn_cycles(max(ANSWERS) + 1, RECORDED["seed"])}


def test_every_recorded_cycle_is_ours(clusters: dict[int, DrawnCycle]) -> None:
    assert clusters.keys() == ANSWERS.keys()
    fates: set[str] = set()
    for index, drawn in clusters.items():
        found, ours, _ = compared(drawn, ANSWERS[index])
        assert found == [], index
        fates.update(fate.result for turns in ours.values() for fate in (*turns.handled, *turns.impossible))
    assert {"admitted", "preempting", "skipped", "waits"} <= fates


def test_every_recorded_cycle_of_a_play_is_ours() -> None:
    answers = {cycle["index"]: cycle["answer"] for cycle in PLAYED["cycles"]}
    fates: set[str] = set()
    for drawn in played_cycles(max(answers) + 1, PLAYED["seed"]):
        found, ours, _ = compared(drawn, answers.pop(drawn.index))
        assert found == [], drawn.index
        fates.update(fate.result for turns in ours.values() for fate in (*turns.handled, *turns.impossible))
    assert answers == {}
    assert {"admitted", "preempting", "skipped", "waits"} <= fates


def test_every_cycle_of_the_loops_of_kueue_14543_is_ours() -> None:
    answers = {cycle["index"]: cycle["answer"] for cycle in LOOPED["cycles"]}
    for drawn in all_loops():
        found, ours, _ = compared(drawn, answers.pop(drawn.index))
        assert (found, ours != {}) == ([], True), drawn.index
    assert answers == {}


CHANGES: list[tuple[str, Callable[[Head], object]]] = [
    ("preempted", lambda head: head.update(preempted=[])),
    ("preempted", lambda head: head["preempted"][0].update(reason="Other")),
    ("mode", lambda head: head.update(mode="NoFit")),
    ("workload", lambda head: head.update(workload="ns/another")),
    ("inHeap", lambda head: head.update(inHeap=not head["inHeap"])),
]


@pytest.mark.parametrize(
    "number", range(len(CHANGES)), ids=[f"{n}-{field}" for n, (field, _) in enumerate(CHANGES)]
)
def test_another_fate_is_a_difference(number: int, clusters: dict[int, DrawnCycle]) -> None:
    _, change = CHANGES[number]
    for index, answer in ANSWERS.items():
        altered = copy.deepcopy(answer)
        heads = [head for variant in altered["output"]["variants"] for head in variant if head["preempted"]]
        for head in heads:
            change(head)
        if heads:
            assert compared(clusters[index], altered)[0] != [], index
            return
    pytest.fail("no recorded head preempts")


def test_another_order_is_a_difference(clusters: dict[int, DrawnCycle]) -> None:
    noticed = 0
    for index, answer in ANSWERS.items():
        altered = copy.deepcopy(answer)
        if altered["output"]["stable"] and len(altered["output"]["heads"]) > 1:
            altered["output"]["variants"][0].reverse()
            noticed += bool(compared(clusters[index], altered)[0])
    assert noticed > 0


def test_what_goes_on_with_its_next_flavor_is_counted_and_no_difference(
    clusters: dict[int, DrawnCycle],
) -> None:
    for index, answer in ANSWERS.items():
        altered = copy.deepcopy(answer)
        heads = [
            head
            for variant in altered["output"]["variants"]
            for head in variant
            if head["requeue"] in ("NoFit", "PreemptionNoCandidates") and not head["inHeap"]
        ]
        for head in heads:
            head.update(inHeap=True, pendingFlavors=True)
        if heads:
            found, _, scanning = compared(clusters[index], altered)
            assert (found, scanning > 0) == ([], True)
            heads[0]["pendingFlavors"] = False
            assert compared(clusters[index], altered)[0] != []
            return
    pytest.fail("no recorded head waits aside")


def test_the_campaign_counts_and_fails_where_anything_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peer, wrong = tmp_path / "peer.py", tmp_path / "wrong.json"
    peer.write_text(PEER)
    words = ["--n", str(max(ANSWERS) + 1), "--seed", str(RECORDED["seed"])]
    assert main(["--peer", f"{sys.executable} {peer} {FILE}", *words]) == 0
    assert f"cycles: 0 differences; {len(ANSWERS)} clusters" in capsys.readouterr().out
    altered = copy.deepcopy(RECORDED)
    for cycle in altered["cycles"]:
        for variant in cycle["answer"]["output"]["variants"]:
            variant.clear()
    wrong.write_text(json.dumps(altered))
    assert main(["--peer", f"{sys.executable} {peer} {wrong}", *words]) == 1
    assert "ours: ('ns/" in capsys.readouterr().err


def test_a_play_that_preempts_without_end_is_asked_about_before_its_loop() -> None:
    (drawn,) = played_cycles(307, seed=1, start=306)
    assert drawn.request["pending"]
