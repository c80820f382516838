"""Cells that can be are asked of a peer, and what another peer says is a difference."""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tenure.conformance.requests import DecideRequest
from tenure.model import Workload
from tenure_check.analysis.campaign import draw_configuration, with_heroes
from tenure_lab.programs import our_answer
from tenure_lab.verdicts import AnswerPair, Kind, Verdict, classify
from tests.peers.cells import __main__ as command_line
from tests.peers.cells.__main__ import is_confirmed, said_of
from tests.peers.cells.draws import MOST_QUEUES, READING, DrawnCell, as_released, drawn_cells

PEER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    said = {"decision": "NoCandidates", "preempted": []} if asked["call"] == "decide" else {"kueue": "none"}
    print(json.dumps({"id": asked["id"], "output": said}), flush=True)
"""
CONFIGURATION = 1


@pytest.fixture(scope="module")
def cell() -> DrawnCell:
    (drawn,) = drawn_cells(1, CONFIGURATION)
    return drawn


def asked(drawn: DrawnCell, theirs: dict[str, Any]) -> AnswerPair:
    ours = our_answer({"id": 0, "call": "decide", "input": drawn.request})
    return AnswerPair(drawn.request, ours, theirs, classify(drawn.request, ours, theirs))


def answer(drawn: DrawnCell) -> dict[str, Any]:
    return copy.deepcopy(our_answer({"id": 0, "call": "decide", "input": drawn.request}))


def test_an_example_is_a_request_that_preempts_the_victim_of_its_cell(cell: DrawnCell) -> None:
    assert said_of(cell, asked(cell, answer(cell))) == "confirmed"


def test_of_a_configuration_with_heroes_states_are_asked_about_in_which_none_acts() -> None:
    configured, _ = draw_configuration(random.Random(CONFIGURATION), MOST_QUEUES)
    cluster, _ = with_heroes(random.Random(CONFIGURATION), configured, READING)
    heroes = {name for name, queue in cluster.cluster_queues.items() if queue.rules.name != "DEFAULT"}
    others = sorted(set(cluster.cluster_queues) - heroes)
    running = Workload("x", "w", "w", priority=0, created_at=0, cluster_queue=others[0])

    def state(queue: str, admitted: Workload) -> DecideRequest:
        return DecideRequest(replace(cluster, admitted=(admitted,)), running, queue, 0, READING, None, False)

    assert as_released(state(others[0], replace(running, cluster_queue=min(heroes)))) is None
    assert as_released(state(min(heroes), running)) is None
    released = as_released(state(others[0], running))
    assert released is not None
    assert {queue.rules.name for queue in released.cluster.cluster_queues.values()} == {"DEFAULT"}


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "another victim": lambda output: output["preempted"][0].update(workload="x/another"),
    "another reason": lambda output: output["preempted"][0].update(reason="Other"),
    "another ClusterQueue": lambda output: output["preempted"][0].update(clusterQueue="other"),
    "no victim": lambda output: output.update(preempted=[]),
    "another decision": lambda output: output.update(decision="Fit"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_answer_is_a_difference(cell: DrawnCell, change: str) -> None:
    theirs = answer(cell)
    CHANGES[change](theirs["output"])
    assert not is_confirmed(cell, asked(cell, theirs))


def test_where_a_tie_is_left_to_chance_one_of_the_variants_has_to_have_the_victim(cell: DrawnCell) -> None:
    ours = answer(cell)
    left = Verdict(Kind.UNSTABLE)
    for variants, confirmed in (([{**ours["output"], "preempted": []}, ours["output"]], True), ([], False)):
        theirs = {"output": {"decision": "NoCandidates", "stable": False, "variants": variants}}
        assert is_confirmed(cell, AnswerPair(cell.request, ours, theirs, left)) is confirmed


def test_a_peer_that_preempts_nothing_confirms_no_cell(
    cell: DrawnCell, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_line, "drawn_cells", lambda count, *_, **__: iter([cell] * count))
    peer = tmp_path / "peer.py"
    peer.write_text(PEER)
    assert command_line.main(["--peer", f"{sys.executable} {peer}", "--n", "2", "--repeat", "1"]) == 1
    assert "cells: 2 differences; 1 configurations from 1" in capsys.readouterr().out
