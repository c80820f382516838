"""What is proved of every state of a configuration: the encoding, its slices, and what they stand on."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
import z3

from tenure.model import NANO, Reason
from tenure.oracle.shares import weight_as_float
from tenure.oracle.tree import build_tree
from tenure.readings import preset
from tenure.rules.share import Share, borrowed_ratio, compare_shares, weighted_share
from tenure_check.analysis import campaign
from tenure_check.analysis.answer_cache import with_solvers
from tenure_check.analysis.encoded_decisions import LEVELS, Runs
from tenure_check.analysis.encoding import Pair, Priorities
from tenure_check.analysis.matrix import Effort, trees_of
from tenure_check.analysis.prover import BothSolvers
from tenure_check.analysis.ratios import FARTHEST, NEAR, Ratio
from tenure_check.analysis.scopes import MatrixRequest
from tenure_check.analysis.states import States, decided
from tenure_check.choices import Scope
from tenure_proofs.solvers import Cvc5
from tests.analyzed import ANY, KNOWN, LOWER, asked_of, cells_of
from tests.clusters import cluster, queue

EVERY_STATE = 40


def test_random_states_with_heroes_hit_nothing_that_is_proved_never_of_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert campaign.main(["--heroes", "--configurations", "1", "--states", "12", "--seed", "3"]) == 0
    assert "1 configurations with heroes" in capsys.readouterr().out


def test_random_states_hit_nothing_that_is_proved_never_and_the_encoding_accepts_what_was_decided(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert campaign.main(["--configurations", "2", "--states", "30", "--seed", "3"]) == 0
    assert "0 refuted" in capsys.readouterr().out


def test_a_campaign_that_was_stopped_goes_on_with_what_it_has_not_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--states", "2", "--seed", "4", "--kept", str(tmp_path)]
    assert campaign.main(["--configurations", "1", *words]) == 0
    assert capsys.readouterr().err == "configuration 4: 6 states; 0 refuted\n"
    assert campaign.main(["--configurations", "1", *words]) == 0
    said = capsys.readouterr()
    assert said.out == "1 configurations from seed 4, scope consistent: 6 states\n0 refuted\n"
    assert said.err == ""
    (kept,) = tmp_path.glob("??/*.json")
    kept.write_text(kept.read_text(encoding="utf-8").replace("6", "7"), encoding="utf-8")
    assert campaign.main(["--configurations", "1", *words]) == 0
    said = capsys.readouterr()
    assert "6 states" in said.out
    assert "proved again" in said.err
    assert campaign.main(["--configurations", "1", *words, "--states", "1"]) == 0
    assert capsys.readouterr().err == "configuration 4: 3 states; 0 refuted\n"


def test_random_states_after_edits_hit_nothing_that_is_proved_never_of_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ("--configurations", "1", "--states", "25", "--seed", "11", "--scope", "edited")
    assert campaign.main(arguments) == 0
    assert "scope edited" in capsys.readouterr().out


def test_states_after_edits_are_refused_where_only_admission_is_meant() -> None:
    """Seed 11: flavors that a ClusterQueue has lost, and usage beyond what is left."""
    dice, count = random.Random(11), Counter[str]()
    known, reading = campaign.draw_configuration(dice, 3, Scope.EDITED)
    (tree,) = trees_of(known)
    states = States(known, tree, reading, LEVELS, Scope.EDITED)
    asked = Runs(known, tree, reading, 2, count)
    decisions = [decided(states.drawn(dice, queue)) for queue in sorted(tree.places) for _ in range(25)]
    refused = [
        problem
        for decision in decisions
        for target in decision.targets
        for problem in asked.refused(decision, target)
    ]
    assert refused


def test_the_encodings_of_trees_and_slices_refuse_no_decision() -> None:
    """Among the random configurations are nested and fair ones, several flavors, and limits of every kind."""
    numbers, count = (1, 2, 7, 18), Counter[str]()
    print(f"configurations {numbers}")
    assert not list(campaign.refusals(numbers, 40, 5, count))
    assert count["decisions accepted"] > 25


def test_the_cells_of_a_known_configuration_have_the_verdicts_that_are_known() -> None:
    known, can = KNOWN["two flavors"]
    assert sum(said == "sat" for said in cells_of(known).values()) == can


def test_usage_at_the_start_decides_beside_usage_at_the_turn() -> None:
    """A queue of weight 0 first loses a workload of its own: with one usage its cell would be never."""
    fair = cluster(
        queue("a", "c", (4, None, None), within_cluster_queue=LOWER, reclaim_within_cohort=ANY, weight=0),
        queue("b", "c", (2, None, None)),
        fair_sharing=(),
    )
    tree = build_tree(fair, fair.cluster_queues["a"])
    pair = Pair(fair, tree, ("a", "b"), preset("guaranteed"), {})
    same = [
        pair.held["start"][place][at].term == pair.held["turn"][place][at].term
        for place in pair.queues
        for at in tree.nodes[place].quotas
    ]
    asked = pair, Priorities(1, 0), Reason.IN_COHORT_FAIR_SHARING
    assert (asked_of(*asked), asked_of(*asked, *same)) == ("sat", "unsat")


def test_values_that_were_asked_for_decide_about_no_other_question() -> None:
    known, _ = KNOWN["flat"]
    tree, names, equals = build_tree(known, known.cluster_queues["b"]), ("b", "b"), Priorities(1, 1)
    with Cvc5() as cvc5:
        solver = BothSolvers(Pair(known, tree, names, preset("as-written"), {}), names, cvc5)
        expired = solver.models(equals, Reason.IN_CLUSTER_QUEUE_TIME_BASED)
        assert next(expired) is not None
        assert solver.both(equals, Reason.IN_CLUSTER_QUEUE) == "sat"


@pytest.mark.parametrize("counts", [True, False])
def test_fewer_victims_are_looked_for_only_where_the_effort_says_so(counts: bool) -> None:
    known, _ = KNOWN["flat"]
    tree, dice, reading = build_tree(known, known.cluster_queues["b"]), random.Random(1), preset("guaranteed")
    states = States(known, tree, reading, LEVELS)
    drawn = (hit for _ in range(400) for hit in states.hits(dice, "b"))
    cell, example = next(hit for hit in drawn if hit[1].victims > 1)
    effort = Effort(fewest=1, most=1, counts_victims=counts)
    with with_solvers(jobs=1) as (analyzed, _):
        _, provers = analyzed(known, LEVELS, reading, effort, MatrixRequest([("b", 0, "b", 0)]))
        found, is_fewest = provers["b"][1].fewest(cell, example)
    assert (found.victims, is_fewest) == ((1, True) if counts else (example.victims, False))


def test_no_comparison_of_floats_leaves_the_band() -> None:
    """With what one rounding does at most, that is all there is to prove."""
    assert 1 + Fraction(1, NEAR) > FARTHEST


@pytest.mark.parametrize("number", range(EVERY_STATE))
def test_floats_of_shares_stay_within_the_band_of_the_exact_comparison(number: int) -> None:
    dice = random.Random(number)
    parts = [
        (dice.randint(1, 2 ** dice.randint(1, 50)), dice.randint(1, 2**50), dice.randint(1, 10**12))
        for _ in range(2)
    ]
    if number % 2:  # as near to each other as amounts can be
        borrowed, lendable, weight = parts[0]
        parts[1] = (borrowed * 3 + dice.randint(-1, 1), lendable * 3, weight)
    shares = [
        Share(True, borrowed_ratio(borrowed, lendable), weight_as_float(weight))
        for borrowed, lendable, weight in parts
    ]
    ratios = [Ratio(z3.IntVal(borrowed), lendable, weight) for borrowed, lendable, weight in parts]
    for share, (borrowed, lendable, weight) in zip(shares, parts, strict=True):
        exact = Fraction(1000 * NANO * borrowed, lendable * weight)
        assert 1 / FARTHEST <= Fraction(weighted_share(share)) / exact <= FARTHEST
    compared = compare_shares(*shares)
    lower, higher = (z3.is_true(z3.simplify(one.at_most(other))) for one, other in (ratios, ratios[::-1]))
    assert lower if compared < 0 else higher if compared > 0 else lower and higher
    one, other = (Fraction(borrowed, lendable * weight) for borrowed, lendable, weight in parts)
    assert lower or one > other
    assert higher or one < other
