"""Of the tournament no step with a mistake is proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import z3

from tenure.oracle import fair
from tenure_proofs.theorems.proving import prove
from tenure_proofs.theorems.registry import all_theorems
from tenure_proofs.trusted.domains import LiftError
from tests.tenure_proofs.changed import LITTLE, changed, fails

VISITED, ROUND = "PO-ANY-105", "PO-ANY-115"
REFUSED = "it cannot be read"

Function = Callable[..., Any]

MISTAKES: dict[str, tuple[str, str, Function, str, str, str]] = {
    "a cohort on the path has to borrow": (
        VISITED,
        "cohort_stay",
        fair._cohort_stays,
        "cohort.place in tournament.path",
        "False",
        "KQ-480, and one is visited below",
    ),
    "the preemptor's ClusterQueue has to borrow": (
        VISITED,
        "queue_stay",
        fair._queue_stays,
        "queue.place == tournament.own",
        "False",
        "KQ-480",
    ),
    "a cohort need not stay": (
        VISITED,
        "cohort_stay",
        fair._cohort_stays,
        "if not stays_in_tournament(cohort.share.borrowing, cohort.place in tournament.path):",
        "if False:",
        "KQ-480, and one is visited below",
    ),
    "a cohort below which none is visited": (
        VISITED,
        "cohort_stay",
        fair._cohort_stays,
        "_winner(tournament, state, cohort.place) is not None",
        "True",
        "KQ-480, and one is visited below",
    ),
    "the first of equal cohorts": (
        VISITED,
        "cohort_beat",
        fair._cohort_beats,
        "cohort_wins(compare_shares(cohort.share, best.share))",
        "compare_shares(cohort.share, best.share) > 0",
        "KQ-500",
    ),
    "the lower share": (
        VISITED,
        "queue_beat",
        fair._queue_beats,
        "compare_shares(queue.share, best.share)",
        "compare_shares(best.share, queue.share)",
        "KQ-490 and KQ-220",
    ),
    "whose first candidate stands last": (
        VISITED,
        "queue_beat",
        fair._queue_beats,
        "_first_at(state, queue.place), _first_at(state, best.place)",
        "_first_at(state, best.place), _first_at(state, queue.place)",
        "KQ-490 and KQ-220",
    ),
    "queues at which no candidate waits": (
        VISITED,
        "best_queue",
        fair._best_queue,
        "_waiting_among(state, tournament.tree.nodes[cohort].queues)",
        "tournament.tree.nodes[cohort].queues",
        "a candidate waits there",
    ),
    "a queue at which none waits is among them": (
        VISITED,
        "waiting",
        fair._waiting_among,
        "if _waits_at(state, place):",
        "if place == place:",
        REFUSED,
    ),
    "the queues at which none waits": (
        VISITED,
        "waiting",
        fair._waiting_among,
        "if _waits_at",
        "if not _waits_at",
        "the queues among which one is chosen are those at which a candidate waits",
    ),
    "a queue at which one waits is left out": (
        VISITED,
        "waiting",
        fair._waiting_among,
        "waiting.append(place)",
        "waiting = []",
        "none is left out",
    ),
    "the queues of the root": (
        VISITED,
        "best_queue",
        fair._best_queue,
        "nodes[cohort]",
        "nodes[0]",
        "none that stays is ahead",
    ),
    "queues in place of cohorts": (
        VISITED,
        "best_cohort",
        fair._best_cohort,
        "nodes[cohort].cohorts",
        "nodes[cohort].queues",
        "none that stays is ahead",
    ),
    "staying for beating": (
        VISITED,
        "best_cohort",
        fair._best_cohort,
        "partial(_cohort_stays, tournament, state), _cohort_beats",
        "partial(_cohort_beats, tournament, state), _cohort_stays",
        REFUSED,
    ),
    "shares without the request": (
        VISITED,
        "contenders",
        fair._contenders,
        "state.charged",
        "state.usage",
        REFUSED,
    ),
    "another one's share": (
        VISITED,
        "contenders",
        fair._contenders,
        "share_of(state.charged, place)",
        "share_of(state.charged, place - 1)",
        "its place and share, with the request",
    ),
    "a queue before an equal cohort": (
        VISITED,
        "winner",
        fair._winner,
        "_cohort_beats(winner, queue)",
        "not _cohort_beats(queue, winner)",
        "by share, the cohort of equals",
    ),
    "a cohort without a queue beside it is left out": (
        VISITED,
        "winner",
        fair._winner,
        "queue is None or _cohort_beats(winner, queue)",
        "queue is not None and _cohort_beats(winner, queue)",
        "defined",
    ),
    "the same cohort again": (
        VISITED,
        "winner",
        fair._winner,
        "return _winner(tournament, state, winner.place)",
        "return _winner(tournament, state, cohort)",
        "defined",
    ),
    "the cohort itself is visited": (
        VISITED,
        "winner",
        fair._winner,
        "return _winner(tournament, state, winner.place)",
        "return winner.place",
        "by share, the cohort of equals",
    ),
    "visited whether a candidate waits or not": (
        VISITED,
        "next_queue",
        fair.next_queue,
        "tournament.own if _waits_at(state, tournament.own) else None",
        "tournament.own",
        "alone, the ClusterQueue of the preemptor if one waits",
    ),
    "the root's parent": (
        VISITED,
        "next_queue",
        fair.next_queue,
        "nodes[tournament.own].parent is None",
        "nodes[0].parent is None",
        "in a tree, from the root down",
    ),
    "from another node down": (
        VISITED,
        "next_queue",
        fair.next_queue,
        "_winner(tournament, state, 0)",
        "_winner(tournament, state, 1)",
        "in a tree, from the root down",
    ),
    "who had its turn waits on": (
        ROUND,
        "first_step",
        fair.first_step,
        "candidate, state = _pop(state, place)\n        facts",
        "candidate, _ = _pop(state, place)\n        facts",
        "each step gives one its turn",
    ),
    "who is taken waits on": (
        ROUND,
        "first_step",
        fair.first_step,
        "candidate, state = _pop(state, place)\n        return",
        "candidate, _ = _pop(state, place)\n        return",
        "it ends, or fewer wait",
    ),
    "shares are compared in the preemptor's ClusterQueue": (
        ROUND,
        "first_step",
        fair.first_step,
        "place == tournament.own or tournament.claims_nominal",
        "tournament.claims_nominal",
        "where no shares are compared the first is taken",
    ),
    "another strategy than the first": (
        ROUND,
        "first_step",
        fair.first_step,
        "BASES[tournament.strategies[0]]",
        "Basis.INITIAL_SHARE",
        "on no basis",
    ),
    "who may not be preempted is taken": (
        ROUND,
        "first_step",
        fair.first_step,
        "evidence.basis != Basis.NONE",
        "evidence.basis == Basis.NONE",
        "on no basis",
    ),
    "who is rejected is forgotten": (
        ROUND,
        "first_step",
        fair.first_step,
        "        state = _rejecting(state, candidate, facts, shares)\n",
        "",
        "each is noted",
    ),
    "the first queue ends the tournament": (
        ROUND,
        "first_step",
        fair.first_step,
        "    return state\n",
        "    return _ended(state)\n",
        "it ends exactly if no queue is left to visit",
    ),
    "taken on another basis": (
        ROUND,
        "first_step",
        fair.first_step,
        "return _take(tournament, state, candidate, evidence, shares)",
        "return _take(tournament, state, candidate, _without_comparison(tournament, candidate), shares)",
        "who is taken may be",
    ),
    "the second strategy comes back": (
        ROUND,
        "second_step",
        fair.second_step,
        "_pop_all(",
        "_pop(",
        "all of the queue had their turn",
    ),
    "the second of a queue is popped": (ROUND, "pop", fair._pop, "waiting[0]", "waiting[1]", "defined"),
    "the first of a queue waits on": (ROUND, "pop", fair._pop, "waiting[1:]", "waiting[:-1]", "defined"),
    "all of a queue wait on": (
        ROUND,
        "pop_all",
        fair._pop_all,
        "place, ()",
        "place, _waiting_at(state, place)[::-1]",
        "defined",
    ),
    "the second strategy leaves all waiting": (
        ROUND,
        "second_step",
        fair.second_step,
        "candidate, state = _pop_all",
        "candidate, _ = _pop_all",
        "it ends, or fewer wait",
    ),
    "the second strategy compares final shares": (
        ROUND,
        "second_step",
        fair.second_step,
        "Basis.INITIAL_SHARE",
        "Basis.FINAL_SHARE",
        "it is taken exactly if it may be",
    ),
    "the second strategy takes who may not be preempted": (
        ROUND,
        "second_step",
        fair.second_step,
        "evidence.basis == Basis.NONE",
        "evidence.basis != Basis.NONE",
        "it is taken exactly if it may be",
    ),
    "the end is none": (
        ROUND,
        "ended",
        fair._ended,
        "over=True",
        "over=False",
        "it ends exactly if no queue is left to visit",
    ),
    "the end forgets who was removed": (ROUND, "ended", fair._ended, "state.removed", "None", REFUSED),
    "who is rejected is not noted": (
        ROUND,
        "rejecting",
        fair._rejecting,
        "state.waiting, turns,",
        "state.waiting, state.turns,",
        "each is noted",
    ),
    "who is rejected makes it fit": (
        ROUND,
        "rejecting",
        fair._rejecting,
        "fits=state.fits",
        "fits=True",
        "it goes on",
    ),
    "who is taken stays in use": (
        ROUND,
        "take",
        fair._take,
        "without(state.usage, candidate)",
        "state.usage",
        "it is taken exactly if it may be",
    ),
    "who is taken stays charged": (
        ROUND,
        "take",
        fair._take,
        "charged=uncharged(state.charged, candidate)",
        "charged=without(state.charged, candidate)",
        "who is taken may be",
    ),
    "who is taken is noted as found": (
        ROUND,
        "take",
        fair._take,
        "_turned(found, True,",
        "_turned(candidate, True,",
        "as many are noted as have had their turn",
    ),
    "who is taken ends the tournament": (
        ROUND,
        "take",
        fair._take,
        "fits=fits(usage, True),",
        "fits=fits(usage, True), over=True,",
        "it ends exactly if no queue is left to visit",
    ),
    "usage without the request is lost": (
        ROUND,
        "rejecting",
        fair._rejecting,
        "state.usage, state.charged",
        "state.charged, state.charged",
        "nothing in use changes, and none is removed",
    ),
}
"""What is changed, and the claim that does not hold any more."""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_step_of_the_tournament_with_a_mistake_is_proved(mistake: str) -> None:
    identifier, parameter, function, right, wrong, claim = MISTAKES[mistake]
    try:
        noticed = fails(identifier, parameter, changed(function, (right, wrong)), claim)
    except LiftError:
        noticed = claim == REFUSED
    assert noticed


@pytest.mark.parametrize("identifier", [VISITED, ROUND])
def test_what_the_tournament_is_proved_of_is_what_runs(identifier: str) -> None:
    parts = list(all_theorems()[identifier].parts())
    assert [failure for part in parts for failure in prove([part], None, LITTLE).failures] == []
    for part in parts:
        # What contradicts itself would prove anything.
        assert prove([replace(part, goals=(("false", z3.BoolVal(False)),))], None).failures
