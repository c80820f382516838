"""Theorems about loops hold of the loops as they are, and of none of them with a mistake in it."""

from __future__ import annotations

import ast
import dataclasses
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import z3
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.model import UNLIMITED, Kin, NodeQuota, TurnResult
from tenure.oracle import ageing, candidates, classical, decide, fair, fair_repairs, snapshot, tree
from tenure.oracle.heroes import effective, held
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.selection import (
    fill_back,
    fill_back_step,
    removal_step,
    remove_in_turn,
    remove_until_fits,
    rounds,
)
from tenure.oracle.tree import climb, laid_out, summed_up
from tenure.readings import preset_names
from tenure.rules.cycle import is_ahead_in_queue
from tenure.rules.eligibility import basis_for, basis_within_queue
from tenure.rules.preemption_config import (
    compared_priority,
    compares,
    is_class_selected,
    is_number_selected,
    is_selected,
)
from tenure.rules.quota import fits_request
from tenure.rules.reclaim import basis_across_queues, may_reclaim
from tenure.rules.share import basis_by_share, passes_initial_share
from tenure.versions import versioned
from tenure_kai.steady import is_reclaim_accepted, may_lose
from tenure_play import actors, cycle, engine, queues
from tenure_proofs.budgets import Budget
from tenure_proofs.command_run import exit_code
from tenure_proofs.formats.checks import checks_of
from tenure_proofs.formats.markdown import markdown_lines
from tenure_proofs.formats.problems import faults
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.report import Report, closing_line, text_lines, to_json
from tenure_proofs.solvers import Cvc5
from tenure_proofs.theorems import changing
from tenure_proofs.theorems.believed import ATTACKED
from tenure_proofs.theorems.headlines import HEADLINES
from tenure_proofs.theorems.outcome import End, assumed_by, end_of, premises_of
from tenure_proofs.theorems.played import better_by_a_turn
from tenure_proofs.theorems.proving import Proof, prove
from tenure_proofs.theorems.registry import (
    BELIEVED,
    KINDS,
    Theorem,
    all_theorems,
    circle,
    theorem,
)
from tenure_proofs.theorems.taken import modelled
from tenure_proofs.theorems.why import why_lines, why_proved
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Part
from tests.command_line import no_reader
from tests.tenure_proofs.changed import changed, fails

LITTLE = Budget(z3=1_000_000, cvc5=0)
"""Ten times what a goal costs; a wrong loop need not be refuted, it is enough that it is not proved."""


QUICK = ("PO-ANY-050", "PO-ANY-060", "PO-ANY-200")
"""`make check` proves all of them, by both solvers."""


def test_theorems_are_proved_and_told_in_every_form() -> None:
    ends = tuple(end_of(all_theorems()[identifier], None) for identifier in QUICK)
    assert [(end.theorem.id, end.detail) for end in ends if not end.as_expected] == []
    assert all(end.proof.goals >= 2 for end in ends)
    report = report_of(*ends)
    assert report.good
    assert exit_code(report) == 0
    assert f"{len(QUICK)} of any size" in closing_line(report)
    answer = versioned("prove", to_json(report))
    Draft202012Validator(schema("prove")).validate(answer)
    assert [item["id"] for item in answer["theorems"]] == list(QUICK)
    assert any(line.startswith("| PO-ANY-060: attempts are made in order") for line in markdown_lines(report))
    (suite,) = checks_of(report).suites
    assert [case.failure for case in suite.cases] == [""] * len(QUICK)


def test_the_second_solver_proves_a_theorem_too() -> None:
    with Cvc5() as cvc5:
        assert end_of(all_theorems()["PO-ANY-050"], cvc5).as_expected


def report_of(*ends: End) -> Report:
    """A report about nothing else."""
    return Report((), (), (), (), preset_names(), 1, 0, {}, 1.0, theorems=ends)


WRONG_END = Proof(3, ("keeps: in order: z3 says sat",), undecided=False, z3_s=0.0, cvc5_s=0.0)
OPEN_END = dataclasses.replace(WRONG_END, failures=("keeps: in order: z3 says unknown",), undecided=True)


@pytest.mark.parametrize(
    ("proof", "verdict", "code"),
    [(WRONG_END, Verdict.REFUTED, 1), (OPEN_END, Verdict.UNKNOWN, 3)],
    ids=["wrong", "open"],
)
def test_a_theorem_that_is_not_proved_is_told_with_the_place_that_fails(
    proof: Proof, verdict: Verdict, code: int
) -> None:
    end = End(all_theorems()["PO-ANY-010"], proof)
    report = report_of(end)
    assert (end.verdict, exit_code(report)) == (verdict, code)
    lines = list(text_lines(report))
    assert f"FAIL PO-ANY-010 expected proved, is {verdict}" in lines
    assert f"    {proof.failures[0]}" in lines
    (fault,) = faults(report)
    assert (fault.id, fault.kind, fault.text) == ("PO-ANY-010", "theorem", proof.failures[0])
    assert fault.places[0].file.endswith("tenure/oracle/selection.py")
    assert f"| **{verdict}** (unexpected) |" in "\n".join(markdown_lines(report))


def test_a_theorem_about_a_loop_that_is_not_read_is_an_error() -> None:
    def unread() -> Any:
        raise LiftError("For in line 3")

    end = end_of(dataclasses.replace(all_theorems()["PO-ANY-010"], statement=unread), None)
    assert (end.verdict, end.detail) == (Verdict.ERROR, "not readable: For in line 3")


@pytest.mark.parametrize(
    ("identifier", "about", "size"),
    [("PO-ANY-010", (climb,), "any"), ("PO-KQ-010", (climb,), "any"), ("PO-ANY-999", (), "any")],
    ids=["in use", "another family", "about nothing"],
)
def test_a_theorem_is_registered_once_and_says_about_what(identifier: str, about: Any, size: str) -> None:
    with pytest.raises(ValueError, match=identifier):
        theorem(identifier, about=about, size=size)(all_theorems()["PO-ANY-010"].statement)


def test_every_assumption_has_a_proof_or_it_is_believed() -> None:
    proofs = {*OBLIGATIONS, *all_theorems(), *KINDS}
    assumed = [(claim.id, place) for claim in all_theorems().values() for _, place in claim.uses]
    assert [pair for pair in assumed if pair[1] not in proofs] == []


def test_no_theorem_assumes_itself() -> None:
    of_reference = {
        name: claim for name, claim in all_theorems().items() if ".core_" not in claim.statement.__module__
    }
    assert [way for identifier in of_reference if (way := circle(identifier, all_theorems()))] == []


def test_a_circle_of_assumptions_is_found_and_ends_the_claim_as_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = all_theorems()["PO-ANY-060"], all_theorems()["PO-ANY-240"]
    theorems = {
        first.id: _using(first, ("one", second.id), ("another", "PO-KQ-230")),
        second.id: _using(second, ("the other", first.id)),
    }
    assert circle(first.id, theorems) == (first.id, second.id, first.id)
    monkeypatch.setattr("tenure_proofs.theorems.outcome.all_theorems", lambda: theorems)
    end = end_of(theorems[first.id], None)
    assert (end.verdict, end.detail) == (
        Verdict.ERROR,
        "it assumes itself: PO-ANY-060, PO-ANY-240, PO-ANY-060",
    )
    assert exit_code(report_of(end)) != 0


def _using(claim: Theorem, *premises: tuple[str, str]) -> Theorem:
    """The same claim where it takes more for granted, which no formula says."""

    def statement() -> Iterator[Part]:
        for words, by in premises:
            modelled(words, by)
        yield from claim.parts()

    return dataclasses.replace(claim, statement=statement)


@pytest.mark.parametrize(
    ("by", "detail"),
    [
        (BELIEVED, "believes 'it rains', which nothing attacks"),
        ("PO-KQ-999", "uses 'it rains' of PO-KQ-999, which nothing proves"),
        ("PO-KQ-645", "uses 'it rains' of PO-KQ-645, which nothing proves"),
        ("PO-KQ-230", ""),
    ],
    ids=["not attacked", "no claim", "a refuted claim", "a proved claim"],
)
def test_what_is_used_is_recorded_and_has_a_proof_or_an_attack(by: str, detail: str) -> None:
    end = end_of(_using(all_theorems()["PO-ANY-060"], ("it rains", by)), None)
    assert (end.detail, dict(end.uses)) == (detail, {("it rains", by): "modelled"})


def test_what_a_claim_uses_is_what_its_statement_uses_and_nothing_is_written_twice() -> None:
    for claim in map(all_theorems().get, QUICK):
        assert claim is not None
        assert claim.uses == end_of(claim, None).uses
    formed = all_theorems()["PO-ANY-020"].uses
    assert formed["it fits all the more when more are out", "PO-KQ-230"] == "lemma"


def test_why_a_claim_is_proved_is_a_tree_down_to_what_is_believed() -> None:
    lines = list(why_lines("PO-ANY-245"))
    assert lines[0] == f"PO-ANY-245: {all_theorems()['PO-ANY-245'].words}"
    assert f"  PO-ANY-020: {all_theorems()['PO-ANY-020'].words}" in lines
    assert any(line.startswith("    PO-KQ-230: ") for line in lines)
    assert "  assumed as written, what stands for: as_tuple, in_order, some_of" in lines
    assert lines[-1].startswith("below it: ")
    assert " 2 Python facts, " in [*why_lines("PO-ANY-115")][-1]
    assert sum(line.endswith("(its branches are above)") for line in why_lines("PO-ANY-370")) > 0
    answer = versioned("prove-why", why_proved("PO-ANY-255").model_dump(mode="json", by_alias=True))
    Draft202012Validator(schema("prove-why")).validate(answer)
    below_it = [claim["id"] for claim in answer["claims"]]
    assert below_it[0] == "PO-ANY-255"
    assert set(answer["beliefs"]) <= ATTACKED.keys()
    (alone,) = why_proved("PO-KQ-230").claims
    assert (alone.id, alone.assumes) == ("PO-KQ-230", [])


def test_a_lemma_that_needs_nothing_names_its_proof() -> None:
    well = Part("lemma", (), (("all is well", z3.BoolVal(True)),))
    bare = dataclasses.replace(all_theorems()["PO-ANY-240"], statement=lambda: iter([well]))
    assert end_of(bare, None).detail == "shows nothing of 'all is well'"


def test_premises_are_listed_and_counted_with_how_they_enter_and_what_discharges_them() -> None:
    end = end_of(all_theorems()["PO-ANY-020"], None)
    assert assumed_by([end]) == (
        "assumed: 3 proved elsewhere, 0 believed (0 distinct), 0 about Python, 2 definitions, 1 inductions, "
        "0 own hypotheses, 0 stand-ins (0 distinct); 1 of them as lemmas of a step, "
        "0 as facts about every point"
    )
    listed = list(premises_of([end]))
    assert "    PO-KQ-230; used by PO-ANY-020 (lemma)" in listed
    assert "    definition; used by PO-ANY-020 (fact)" in listed
    attacked = premises_of([end_of(all_theorems()["PO-ANY-383"], None)])
    assert any(
        line.endswith("triples of shares, seed 37; used by PO-ANY-383 (modelled)") for line in attacked
    )


def test_falling_in_a_tree_is_shown_of_a_preemption_and_names_its_condition() -> None:
    parts = list(all_theorems()["PO-ANY-387"].statement())
    names = {part.place for part in parts}
    assert {"a preemption", "in the end, under as-written", "at its turn, under as-written"} <= names
    assert any(
        "a preemption lifts no cohort above the common one" in line for line in why_lines("PO-ANY-387")
    )


def test_every_lemma_and_every_fact_about_every_point_names_what_discharges_it() -> None:
    folder = Path(sys.modules[end_of.__module__].__file__ or "").parent
    calls = [
        node
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    lemmas = [ast.unparse(call) for call in calls if _gives_more(call)]
    facts = [item.value for call in calls for item in call.keywords if item.arg == "everywhere"]
    assert lemmas == []
    assert {fact.partition("(")[0] for fact in map(ast.unparse, facts)} == {
        "everywhere",
        OF_A_DEFINITION,
        OF_A_LAW,
    }
    assert _gives_more(ast.parse("Lemma('x', needs, gives)", mode="eval").body)


OF_A_DEFINITION, OF_A_LAW = "lambda point: [EVERY.at", "kept"


def _gives_more(call: ast.AST) -> bool:
    """Whether a lemma gives something else than it needs, and that is not `Taken` from elsewhere."""
    match call:
        case ast.Call(func=ast.Name(id="Lemma"), args=[_, needs, gives]):
            return ast.unparse(gives) != ast.unparse(needs) and not (
                ast.unparse(gives).startswith("Taken(") or ast.unparse(needs) == "z3.BoolVal(True)"
            )
    return False


def test_what_is_unlimited_does_not_come_back_so_that_the_bound_is_sharp() -> None:
    quotas = [NodeQuota()]
    more = climb(quotas, [UNLIMITED - 2], 1, adding=True)
    assert climb(quotas, more.copy(), 1, adding=False) == [UNLIMITED - 2]
    full = climb(quotas, [UNLIMITED - 1], 1, adding=True)
    assert climb(quotas, full.copy(), 1, adding=False) == [UNLIMITED]


FILL, STEP = "state = fill_back_step(state, candidate, fits, add)", "removed.rest or ()"

WRONG_LOOPS: dict[str, tuple[str, Callable[..., Any], str, str, str]] = {
    "the last is not kept": (
        "PO-ANY-020",
        fill_back,
        "Chain(removed.head)",
        "None",
        "first: the last is kept",
    ),
    "stops when one is kept": (
        "PO-ANY-020",
        fill_back,
        FILL,
        f"{FILL}\n        if not fits(add(usage, candidate)):\n            break",
        "break: kept and spared partition the removed",
    ),
    "asks who stands at first": (
        "PO-ANY-010",
        remove_until_fits,
        "removal_step(state,",
        "removal_step(Removal(usage, state.removed, state.fits),",
        "break: exactly those that stand at their turn",
    ),
    "one candidate has no round": (
        "PO-ANY-110",
        rounds,
        "in waiting",
        "in waiting[1:]",
        "first: each round gives one its turn",
    ),
    "a hero does not ask the last one": (
        "PO-ANY-070",
        remove_in_turn,
        "in candidates",
        "in candidates[:-1]",
        "ends: all were removed, or it fits",
    ),
    "a hero ranks all of them at first": (
        "PO-ANY-070",
        remove_in_turn,
        "rank, state.usage",
        "rank, usage",
        "keeps: each was first at its turn",
    ),
    "a change forgets the last node": (
        "PO-ANY-052",
        tree._change,
        "for step, here in enumerate(path)",
        "for step, here in enumerate(path[:-1])",
        "returns: defined",
    ),
    "release forgets local quota": (
        "PO-ANY-040",
        climb,
        "if quota.local:",
        "if quota.local != 0 and adding:",
        "keeps: what goes on is what more is passed up",
    ),
    "occupy forgets local quota": (
        "PO-ANY-030",
        climb,
        "if quota.local:",
        "if quota.local != 0 and not adding:",
        "keeps: what goes on is what more is passed up",
    ),
    "subtree quota for local": (
        "PO-ANY-040",
        climb,
        "if quota.local:",
        "if quota.subtree:",
        "keeps: what goes on is what more is passed up",
    ),
    "writes nothing": (
        "PO-ANY-030",
        climb,
        "        used[place] = after\n",
        "",
        "keeps: conserved below",
    ),
    "counts itself twice": (
        "PO-ANY-025",
        laid_out,
        "above.append(path)",
        "above.append(up)",
        "keeps: each is below one that is laid out",
    ),
    "lays out for ever": (
        "PO-ANY-025",
        laid_out,
        "member = waiting.pop()",
        "member = waiting.pop()\n        waiting.append(member)",
        "keeps: it ends",
    ),
    "counts all that is in use below": (
        "PO-ANY-045",
        summed_up,
        "usage_passed_up(quota, used[place])",
        "used[place]",
        "keeps: its own, and what is passed up",
    ),
    "counts the nodes above first": (
        "PO-ANY-045",
        summed_up,
        "reversed(links)",
        "links",
        "keeps: its own, and what is passed up",
    ),
    "writes to the node below": (
        "PO-ANY-030",
        climb,
        "used[place] = after",
        "used[place - 1] = after",
        "defined: defined",
    ),
}

WRONG_STEPS: dict[str, tuple[str, Callable[..., Any], Callable[..., Any], str, str, str]] = {
    "drops the kept": (
        "PO-ANY-020",
        fill_back,
        fill_back_step,
        "Chain(candidate, state.kept)",
        "state.kept",
        "keeps: kept or spared",
    ),
    "spares whom it has to keep": (
        "PO-ANY-600",
        fill_back,
        fill_back_step,
        "if fits(usage):",
        "if not fits(usage):",
        "keeps: none is spared",
    ),
    "forgets whom it removed": (
        "PO-ANY-010",
        remove_until_fits,
        removal_step,
        "Chain(candidate, state.removed)",
        "Chain(candidate)",
        "keeps: usage is without those removed",
    ),
}


def _failures(claim: str, function: Callable[..., Any]) -> list[str]:
    return [
        failure.split(": z3 says")[0]
        for failure in prove(all_theorems()[claim].parts(function), None, LITTLE).failures
    ]


@pytest.mark.parametrize("mistake", WRONG_LOOPS)
def test_no_loop_with_a_mistake_is_proved(mistake: str) -> None:
    claim, function, right, wrong, failure = WRONG_LOOPS[mistake]
    assert failure in _failures(claim, changed(function, (right, wrong)))


@pytest.mark.parametrize("mistake", WRONG_STEPS)
def test_no_step_with_a_mistake_is_proved(mistake: str) -> None:
    claim, function, step, right, wrong, failure = WRONG_STEPS[mistake]
    others = {step.__name__: changed(step, (right, wrong))}
    assert failure in _failures(claim, changed(function, **others))


WRONG_OFFERS: dict[str, tuple[str, str, Callable[..., Any], str, str, str]] = {
    "all that a queue has in common is offered": (
        "PO-ANY-365",
        "offers",
        classical._offers_elsewhere,
        "if advantage is not None and nodes[place].queue is not None:",
        "if nodes[place].queue is not None:",
        "as many",
    ),
    "cohorts are offered": (
        "PO-ANY-365",
        "offers",
        classical._offers_elsewhere,
        " and nodes[place].queue is not None",
        "",
        "a ClusterQueue that is reached",
    ),
    "a queue is offered as its cohort": (
        "PO-ANY-365",
        "offers",
        classical._offers_elsewhere,
        "_offer_elsewhere(question, place, cohort,",
        "_offer_elsewhere(question, cohort, cohort,",
        "of those before",
    ),
    "an advantage makes no other group": (
        "PO-ANY-365",
        "offer",
        classical._offer_elsewhere,
        "WITH_ADVANTAGE if advantage else ELSEWHERE",
        "ELSEWHERE if advantage else WITH_ADVANTAGE",
        "its group",
    ),
    "an advantage is forgotten": (
        "PO-ANY-365",
        "offer",
        classical._offer_elsewhere,
        "advantage=advantage",
        "advantage=False",
        "its advantage",
    ),
    "the first item is written at every place": (
        "PO-ANY-052",
        "writing",
        tree.write_at,
        "new[step]",
        "new[0]",
        "so far",
    ),
    "who leaves a hero stays counted": (
        "PO-ANY-057",
        "changing",
        held._changed,
        "{**held.counts, place: {**counts, **counted}}",
        "held.counts",
        "by one that holds each",
    ),
    "who leaves takes its ClusterQueue with it": (
        "PO-ANY-057",
        "changing",
        held._changed,
        "{**before, **after}",
        "after",
        "by its amounts",
    ),
    "nothing is less than before": (
        "PO-ANY-057",
        "by",
        held._by,
        "minus(before, more)",
        "max(minus(before, more), before)",
        "by its amounts",
    ),
    "who comes back leaves once more": (
        "PO-ANY-057",
        "coming",
        effective.effective_beside,
        "held_beside(",
        "held_without(",
        "what is counted of what is held then",
    ),
    "bills that stay are forgotten": (
        "PO-ANY-057",
        "holding",
        effective._holding,
        "usage.frozen, usage.watched",
        "usage.watched, usage.watched",
        "what is counted of what is held then",
    ),
    "what was held goes on": (
        "PO-ANY-057",
        "whole",
        effective.effective_usage,
        "amounts, tree, held, bills",
        "amounts, tree, frozen, bills",
        "what is counted of what is held then",
    ),
    "a candidate is in no group": (
        "PO-ANY-368",
        "candidate",
        candidates._candidate,
        "offer.place, offer.group",
        "offer.group, offer.place",
        "its group",
    ),
    "the own queue is offered whatever its policy": (
        "PO-ANY-368",
        "own_offers",
        candidates.own_offers,
        "== WithinClusterQueue.NEVER",
        "!= WithinClusterQueue.NEVER",
        "one, unless none is preempted",
    ),
    "what is offered elsewhere is offered twice": (
        "PO-ANY-368",
        "offers",
        classical._offers,
        "        offers.append(offer)",
        "        offers.append(offer)\n        offers.append(offer)",
        "as many",
    ),
    "of the own queue none is seen": (
        "PO-ANY-368",
        "seen",
        classical._has_own_candidate,
        "return True",
        "return False",
        "none is offered of the own ClusterQueue where no candidate is seen in it",
    ),
    "an advantage somewhere is none": (
        "PO-ANY-370",
        "advantage",
        classical._has_advantage_somewhere,
        "any(advantages())",
        "not any(advantages())",
        "one in a subtree around",
    ),
}


def test_what_is_written_to_a_list_of_one_item_is_covered() -> None:
    *_, whole = changing._written(tree.write_at)
    solver = z3.Solver()
    solver.add(*whole.hypotheses, changing.NODES == 1, z3.Int("places") == 1)
    assert solver.check() == z3.sat


@pytest.mark.parametrize("mistake", WRONG_OFFERS)
def test_no_offer_with_a_mistake_is_proved(mistake: str) -> None:
    claim, parameter, function, right, wrong, failure = WRONG_OFFERS[mistake]
    assert fails(claim, parameter, changed(function, (right, wrong)), failure)


def _rule_changed(
    function: Callable[..., Any], *changes: tuple[str, str], **others: Any
) -> Callable[..., Any]:
    """A copy of a rule that is not registered."""
    return changed(function, *changes, rule=lambda _: lambda copy: copy, **others)


PAST_THE_DOOR = ("_taken(snapshot, preemptor, chosen, terms, now) for", "chosen for")
LESS_OR_EQUAL = ("share < 0", "share <= 0")
EQUAL_ALLOWED = _rule_changed(
    basis_by_share, passes_initial_share=_rule_changed(passes_initial_share, LESS_OR_EQUAL)
)
STRICT = "return has_lower_priority(preemptor, target)"

WRONG_RULES: dict[str, tuple[str, Callable[..., Any], str]] = {
    "LowerPriority reclaims from equals": (
        "PO-ANY-330",
        _rule_changed(
            basis_for,
            basis_across_queues=_rule_changed(
                basis_across_queues,
                may_reclaim=_rule_changed(
                    may_reclaim, (STRICT, "return not has_lower_priority(target, preemptor)")
                ),
            ),
        ),
        "under as-written: it is before",
    ),
    "fair sharing forgets the policy": (
        "PO-ANY-330",
        _rule_changed(
            basis_for,
            basis_by_share=_rule_changed(
                basis_by_share, ("if not may_reclaim(preemptor, target, terms):", "if False:")
            ),
        ),
        "under as-written: it is before",
    ),
    "the door opens for every reclaim": (
        "PO-ANY-340",
        _rule_changed(
            basis_for,
            basis_across_queues=_rule_changed(
                basis_across_queues, ("if not may_reclaim(preemptor, target, terms):", "if False:")
            ),
        ),
        "PREEMPTING under as-written: returns: none before the head counts otherwise",
    ),
    "the door is told of a later instant": (
        "PO-ANY-210",
        changed(decide._decided, ("terms, now) for chosen", "terms, now + 1) for chosen")),
        "under guaranteed: it holds",
    ),
    "heroes' workloads are preempted past the door": (
        "PO-ANY-220",
        changed(decide._decided, PAST_THE_DOOR),
        "under guaranteed: it holds",
    ),
    "workloads elsewhere are preempted past the door": (
        "PO-ANY-230",
        changed(decide._decided, PAST_THE_DOOR),
        "under guaranteed: it holds",
    ),
    "a preemptor is not kept at the head": (
        "PO-ANY-350",
        _rule_changed(is_ahead_in_queue, ("return sticks", "return other_sticks")),
        "two heads: it is ahead",
    ),
    "LessThan selects an equal": (
        "PO-ANY-335",
        _rule_changed(
            is_number_selected,
            compares=_rule_changed(
                compares, ("return candidate < preemptor", "return candidate <= preemptor")
            ),
        ),
        "a candidate with a number, a preemptor with one, with a fallback: the label falls, or does not rise",
    ),
    "numbers are compared the other way round": (
        "PO-ANY-335",
        _rule_changed(
            is_number_selected,
            ("compares(comparison, candidate, preemptor)", "compares(comparison, preemptor, candidate)"),
        ),
        "a candidate with a number, a preemptor with one, with a fallback: the label falls, or does not rise",
    ),
    "a preemptor without a number selects": (
        "PO-ANY-335",
        _rule_changed(
            is_number_selected, ("return preemptor is not None and", "return preemptor is None or")
        ),
        "a candidate with a number, a preemptor without one, without a fallback: it is not selected",
    ),
    "a candidate without a number is selected": (
        "PO-ANY-335",
        _rule_changed(
            is_number_selected,
            ("if candidate is None:\n        return False", "if candidate is None:\n        return True"),
        ),
        "a candidate without a number, a preemptor with one, without a fallback: it is not selected",
    ),
    "an equal leaves": (
        "PO-ANY-345",
        _rule_changed(compares, ("candidate < preemptor", "candidate <= preemptor")),
        "PREEMPTING: returns: none before the head counts otherwise",
    ),
    "a request for more than is available fits": (
        "PO-ANY-605",
        _rule_changed(fits_request, ("max(0, free)", "max(0, free) + 1")),
        "decided again: it is Fit",
    ),
    "only equals are preempted": (
        "PO-ANY-630",
        _rule_changed(
            basis_for,
            basis_across_queues=_rule_changed(
                basis_across_queues,
                may_reclaim=_rule_changed(
                    may_reclaim, (STRICT, "return target.priority == preemptor.priority")
                ),
            ),
        ),
        "under as-written: the higher may too",
    ),
    "the initial share allows equality": (
        "PO-ANY-380",
        _rule_changed(basis_for, basis_by_share=EQUAL_ALLOWED),
        "in the end, under as-written: both end below",
    ),
    "the final share allows all": (
        "PO-ANY-382",
        _rule_changed(basis_by_share, ("and passes_final_share(evidence.share)", "")),
        "a victim, under as-written: its side ends as high",
    ),
    "an equal queued later is before": (
        "PO-ANY-385",
        _rule_changed(
            basis_within_queue, ("if has_lower_priority(preemptor, target):", "if preemptor.priority:")
        ),
        "PREEMPTING under as-written: returns: none before the head counts otherwise",
    ),
    "in a tree the initial share allows equality": (
        "PO-ANY-387",
        _rule_changed(basis_for, basis_by_share=EQUAL_ALLOWED),
        "in the end, under as-written: both end below",
    ),
    "a repair with a check keeps what it found": (
        "PO-ANY-383",
        changed(fair_repairs._selected, ("in _CHECKED", "== 1")),
        "returns: checked, or as it was found",
    ),
    "a locked share is that of the turn": (
        "PO-ANY-386",
        changed(fair.compared, ("else tournament.locked", "else charged")),
        "returns: both shares",
    ),
    "the sum of squares over steady shares is refused": (
        "PO-ANY-394",
        changed(is_reclaim_accepted, ("return job > 0 and", "return job > 16 and")),
        "ends: it is accepted",
    ),
    "a victim may lose what it may keep": (
        "PO-ANY-395",
        changed(is_reclaim_accepted, may_lose=changed(may_lose, (" < victim.keep", " < 0"))),
        "keeps: so far",
    ),
    "what frees the request does not fit": (
        "PO-ANY-390",
        _rule_changed(fits_request, ("max(0, free)", "max(0, free) - 1")),
        "one victim: it suffices",
    ),
    "the rest of a queue is removed as well": (
        "PO-ANY-360",
        changed(
            remove_until_fits,
            removal_step=changed(removal_step, ("not stands(state.usage, candidate)", "state.fits")),
        ),
        "keeps: it leaves while the rest is over quota",
    ),
}


def test_every_headline_has_a_theorem_about_decisions() -> None:
    titled = {identifier for identifier, obligation in OBLIGATIONS.items() if obligation.title}
    assert titled == set(HEADLINES)
    assert {theorem for theorem, *_ in HEADLINES.values()} <= set(all_theorems())


def test_a_class_that_is_refused_gives_no_priority_and_no_other_is_compared() -> None:
    claim = all_theorems()["PO-ANY-255"].statement
    accepting = changed(ageing._given_by, ("fault != PolicyFault.NONE", "fault == PolicyFault.NONE"))
    boosted = changed(snapshot._compared, ("cluster.settings", "not cluster.settings"))
    for parts in (claim(grown=accepting), claim(compared=boosted)):
        assert prove(parts, None, LITTLE).failures
    assert not prove(claim(), None).failures


MEASURED: dict[str, tuple[str, Callable[..., Any], str, str, str]] = {
    "a step goes up": ("compared", compares, "candidate < preemptor", "candidate > preemptor", "a step"),
    "an equal falls": ("compared", compares, "candidate < preemptor", "candidate <= preemptor", "a step"),
    "what does not rise may": ("compared", compares, "candidate <= preemptor", "True", "mode Base"),
    "Base is boosted": ("priority", compared_priority, "return base", "return effective", "mode Base"),
    "Boosted is the base": ("priority", compared_priority, "return effective", "return base", "mode Boosted"),
    "numbers are passed over": ("selected", is_selected, "and facts.numbers", "", "a candidate"),
    "priorities are passed over": ("selected", is_selected, "and facts.priority", "", "a candidate"),
    "labels are passed over": ("selected", is_selected, "facts.labels and", "", "a candidate"),
    "a bound is exclusive": (
        "number",
        is_number_selected,
        "candidate < minimum",
        "candidate <= minimum",
        "two numbers that no bound tells apart",
    ),
    "a bound counts without a comparison alone": (
        "number",
        is_number_selected,
        "maximum is not None and",
        "maximum is not None and comparison is None and",
        "a number that is compared",
    ),
    "no class is a listed one": (
        "name",
        is_class_selected,
        "matched or not any_matched",
        "True",
        "the name of a priority class",
    ),
}


@pytest.mark.parametrize("mistake", MEASURED)
def test_a_rule_by_which_no_measure_falls_is_not_proved(mistake: str) -> None:
    parameter, function, right, wrong, place = MEASURED[mistake]
    others = {parameter: _rule_changed(function, (right, wrong))}
    failures = prove(all_theorems()["PO-ANY-335"].parts(**others), None, LITTLE).failures
    assert any(failure.startswith(place) for failure in failures)


SEEN_THROUGH: dict[str, tuple[str, Callable[..., Any], str, str]] = {
    "by another name": ("of_class", ageing.grown_priority, "(workload.priority_class)", "(now)"),
    "without a policy": ("of_class", ageing.grown_priority, "growing.policy is None", "False"),
    "at another instant": (
        "around",
        snapshot._around,
        "cluster, now, reading) for",
        "cluster, queue, reading) for",
    ),
    "not at all": ("around", snapshot._around, "_by_queue(tree, seen)", "_by_queue(tree, inside)"),
}


WRITTEN: dict[str, tuple[Callable[..., Any], str, str]] = {
    "a victim queues anew": (actors.evicted, "evicted=True,", "evicted=True, created_at=stamp,"),
    "a victim gets another priority": (actors.evicted, "evicted=True,", "evicted=True, priority=stamp,"),
    "an eviction that is no preemption": (
        actors.evicted,
        "evicted=True,",
        "evicted=True, admission_check_evicted_at=stamp,",
    ),
    "an earlier eviction stays": (actors.admitted, "pods_ready_evicted_at=None,", ""),
    "a boost is lost": (actors.released, "usage=", "priority_boost=0, usage="),
}


@pytest.mark.parametrize("mistake", WRITTEN)
def test_no_step_of_a_play_that_moves_a_workload_is_proved(mistake: str) -> None:
    step, right, wrong = WRITTEN[mistake]
    parts = all_theorems()["PO-ANY-351"].parts(changed(step, (right, wrong)))
    assert prove(parts, None, LITTLE).failures


@pytest.mark.parametrize(
    ("right", "wrong", "result"),
    [
        ("return key", "return preemptor", TurnResult.WAITS_FOR_TARGETS),
        ("preemptor == key", "preemptor != key", TurnResult.ADMITTED),
        ("result == TurnResult.ADMITTED and", "", TurnResult.PARKED),
        ("return None if result", "return key if result", TurnResult.ADMITTED),
    ],
)
def test_no_wrong_preemptor_after_a_turn_is_proved(right: str, wrong: str, result: TurnResult) -> None:
    function = changed(queues.preemptor_after, (right, wrong))
    assert prove(better_by_a_turn(result, (), function=function), None, LITTLE).failures


@pytest.mark.parametrize(("right", "wrong"), [("is None", "is not None"), ("workload.evicted", "True")])
def test_no_wrong_phase_of_a_workload_is_proved(
    right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actors, "phase_of", changed(actors.phase_of, (right, wrong)))
    assert prove(all_theorems()["PO-ANY-351"].parts(actors.admitted), None, LITTLE).failures


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("must_still_fit(nothing_found, defers, overlaps) and still_fits()", "still_fits()"),
        ("outcome == Outcome.PREEMPT)", "outcome != Outcome.PREEMPT)"),
        ("defers, fits,", "defers, True,"),
    ],
)
def test_no_turn_with_a_mistake_is_proved(right: str, wrong: str) -> None:
    function = changed(cycle.turn_of, (right, wrong))
    assert prove(all_theorems()["PO-ANY-353"].parts(function), None, LITTLE).failures


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("decided(actor.workload, name)", "decided(actor.workload, actor)"),
        ("or of_it.inactive", "or False"),
        ("goes_first=waits and", "goes_first=True and"),
    ],
)
def test_no_head_with_a_mistake_is_proved(right: str, wrong: str) -> None:
    function = changed(cycle.head_of, (right, wrong))
    assert prove(all_theorems()["PO-ANY-352"].parts(one=function), None, LITTLE).failures


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("victim.workload = evicted", "head.workload = evicted"),
        ("!= Phase.TERMINATING", "!= Phase.RUNNING"),
        ("head.workload = admitted", "other = admitted"),
        ("world.queues[head.queue]", "world.queues[head.key]"),
        ("head.key, result", "head.key, TurnResult.SKIPPED"),
    ],
)
def test_no_turn_that_writes_something_else_is_proved(right: str, wrong: str) -> None:
    function = changed(cycle.write_turn, (right, wrong))
    assert prove(all_theorems()["PO-ANY-354"].parts(function), None, LITTLE).failures


def test_no_cycle_that_writes_a_workload_beside_its_turns_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    before = "self.changes.dirty = False"
    wrong = changed(engine.Player._cycle, (before, f"{before}\n    self.changes.settle(self.handled[0])"))
    monkeypatch.setattr(engine.Player, "_cycle", wrong)
    failures = prove(all_theorems()["PO-ANY-354"].parts(), None, LITTLE).failures
    assert {failure.split(":")[0] for failure in failures} == {"workload", "preemptor"}


@pytest.mark.parametrize("mistake", SEEN_THROUGH)
def test_no_mistake_about_the_priority_that_a_workload_is_seen_with_is_proved(mistake: str) -> None:
    parameter, function, right, wrong = SEEN_THROUGH[mistake]
    parts = all_theorems()["PO-ANY-255"].parts(**{parameter: changed(function, (right, wrong))})
    assert prove(parts, None, LITTLE).failures


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("branch.root in path", "parent in path"),
        ("nodes[theirs].path", "nodes[mine].path"),
        ("preemptor_hero=branch is not None", "preemptor_hero=other is not None"),
        ("parent == nodes[theirs].parent", "parent == nodes[mine].parent"),
        ("mine == theirs", "mine != theirs"),
        ("return STRANGERS", "return HERO"),
    ],
)
def test_no_mistake_about_how_two_clusterqueues_are_related_is_proved(right: str, wrong: str) -> None:
    function = changed(kin_between, (right, wrong), HERO=Kin(hero=True))
    failures = prove(all_theorems()["PO-ANY-205"].parts(function), None, LITTLE).failures
    assert failures


@pytest.mark.parametrize("mistake", WRONG_RULES)
def test_no_rule_with_a_mistake_excludes_a_loop(mistake: str) -> None:
    claim, function, failure = WRONG_RULES[mistake]
    assert failure in _failures(claim, function)


@pytest.mark.parametrize("order", ["set({})", "sorted({})", "removed.rest", "filter(None, {})"])
def test_fill_back_in_an_order_that_is_not_known_is_refused(order: str) -> None:
    with pytest.raises(LiftError, match="order of"):
        list(all_theorems()["PO-ANY-020"].parts(changed(fill_back, (STEP, order.format(STEP)))))


def test_a_reader_who_closes_the_table_early_is_no_failure() -> None:
    one = "from tenure_proofs.theorems import __main__ as table\n"
    one += "found = table.all_theorems()['PO-ANY-050']; table.all_theorems = lambda: {'PO-ANY-050': found}\n"
    command = [sys.executable, "-c", f"{one}import sys\nsys.exit(table.main())"]
    with no_reader() as writing:
        ends = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    assert (ends.returncode, ends.stderr) == (0, "")
