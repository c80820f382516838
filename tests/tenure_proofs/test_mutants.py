"""Wrong rules are told from right ones, and the report says what is wrong in the rule's own words."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure.model import MINUTE, Workload
from tenure.oracle.selection import Chain, FillBack, fill_back_step
from tenure.rules.quota import fits_quota
from tenure.rules.registry import all_rules
from tenure.rules.time_based import is_time_expired
from tenure_proofs.bridge import LiftReport
from tenure_proofs.command_run import Plan, exit_code, run_plan
from tenure_proofs.mutants import hunt, real_bugs, signed
from tenure_proofs.mutants.comparisons import off_by_one_changes, operator_changes
from tenure_proofs.mutants.hunt import DOOR, Hunted, all_mutants, hunt_one, mutated
from tenure_proofs.mutants.mutant import Change, Mutant, mutants_of, places
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.report import Report, text_lines
from tenure_proofs.runner import Result, run_obligation

READINGS = ("as-written", "released", "guaranteed")
AT_THE_THRESHOLD = OBLIGATIONS["PO-TBP-020"]
RUN_A_MINUTE = Workload("ns", "w", "u", priority=0, created_at=0, quota_reserved_at=0)


def greater_or_equal() -> Mutant:
    """`>` to `>=` in TBP-020."""
    (found,) = [
        mutant
        for mutant in all_mutants().values()
        if mutant.rule == "TBP-020" and mutant.after.endswith(">= min_admit_duration")
    ]
    return found


def report_of(*results: Result, mutants: tuple[Hunted, ...] = (), unnamed: tuple[str, ...] = ()) -> Report:
    """A report of nothing but these."""
    return Report(
        lifted=(),
        results=results,
        mutants=mutants,
        unnamed=unnamed,
        readings=("guaranteed",),
        seeds=1,
        random_seed=0,
        versions={"z3": "0"},
        seconds=1.0,
    )


def test_greater_or_equal_changes_the_rule_itself_at_the_threshold_only() -> None:
    with greater_or_equal().applied():
        changed = [is_time_expired(RUN_A_MINUTE, MINUTE + late, MINUTE) for late in (-1, 0, 1)]
    right = [is_time_expired(RUN_A_MINUTE, MINUTE + late, MINUTE) for late in (-1, 0, 1)]
    assert (changed, right) == ([False, True, True], [False, False, True])


def test_greater_or_equal_is_killed_by_the_claim_about_the_threshold() -> None:
    hunted = hunt_one(greater_or_equal().id, [AT_THE_THRESHOLD], READINGS)
    assert hunted.outcome == "killed"
    assert hunted.by == "PO-TBP-020 under as-written: refuted, not proved"


def test_the_report_of_greater_or_equal_speaks_the_rules_own_words() -> None:
    with greater_or_equal().applied():
        report = report_of(run_obligation(AT_THE_THRESHOLD, "guaranteed", None))
    text = "\n".join(text_lines(report))
    assert not report.good
    assert "FAIL PO-TBP-020 under guaranteed: expected proved, is refuted" in text
    assert "the claim: exactly at the threshold a workload is kept" in text
    assert (
        "TBP-020: A target has exceeded minAdmitDuration when strictly more than that duration has passed "
        "since its quota was reserved." in text
    )


def test_a_mutant_that_no_obligation_is_asked_about_survives() -> None:
    hunted = hunt_one(greater_or_equal().id, [OBLIGATIONS["PO-KQ-060"]], READINGS)
    assert hunted.outcome == "survived"
    report = report_of(mutants=(hunted,))
    assert not report.good
    assert f"SURVIVED {hunted.id}: {hunted.before} -> {hunted.after}" in "\n".join(text_lines(report))


# A handful: `tenure prove` tries them all.
@pytest.mark.parametrize("rule", ["KQ-010", "KQ-060", "KQ-080", "TBP-010", "TBP-070"])
def test_every_mutant_of_a_rule_is_killed_or_is_the_rule(rule: str) -> None:
    wrong = [mutant.id for mutant in all_mutants().values() if mutant.rule == rule]
    assert wrong
    outcomes = {name: hunt_one(name, list(OBLIGATIONS.values()), READINGS) for name in wrong}
    assert [hunted for hunted in outcomes.values() if hunted.outcome == "survived"] == []
    assert all(hunted.by for hunted in outcomes.values() if hunted.outcome != "equivalent")


def test_every_comparison_of_the_door_has_mutants() -> None:
    door = [mutant for mutant in all_mutants().values() if mutant.rule == DOOR]
    assert {mutant.before for mutant in door} >= {"found == Basis.NONE", "evidence.basis != found"}
    assert not [mutant for mutant in door if "key" in mutant.before], "what an error says is no decision"


def test_what_compares_nothing_is_changed_in_whatever_else_it_decides_by() -> None:
    boosted = [mutant.after for mutant in all_mutants().values() if mutant.rule == "KQ-080"]
    assert set(boosted) >= {"not boost_gate", "base - boost", "base", "boost"}


def test_every_lifted_rule_has_mutants() -> None:
    changed = {mutant.rule for mutant in all_mutants().values()}
    assert {entry.id for entry in all_rules() if entry.lift} - changed == set()


@pytest.mark.parametrize("bug", real_bugs.REAL_BUGS, ids=lambda bug: f"{bug[0]}: {bug[2]}")
def test_a_bug_that_was_made_once_is_a_mutant_that_is_killed(bug: tuple[str, str, str, str]) -> None:
    (mutant,) = [
        mutant
        for mutant in all_mutants().values()
        if (mutant.function.__name__, mutant.before, mutant.after) == bug[:3]
    ]
    assert hunt_one(mutant.id, list(OBLIGATIONS.values()), READINGS).outcome == "killed", bug[3]


def test_few_mutants_are_signed_and_each_is_one_that_nothing_kills() -> None:
    mine = [mutant for mutant in all_mutants().values() if mutant.change in signed.signed_by_hand()]
    assert len(mine) == len(signed.signed_by_hand()) <= signed.MOST * len(all_mutants())
    fates = {mutant.id: hunt_one(mutant.id, list(OBLIGATIONS.values()), READINGS).outcome for mutant in mine}
    assert set(fates.values()) <= {"signed"}, fates


@pytest.mark.parametrize(
    "text",
    ['[[mutant]]\nrule = "KQ-060"', '[[mutant]]\nrule="a"\nbefore="b"\nafter="c"\nreason=" "\n'],
    ids=["a part is missing", "an empty reason"],
)
def test_a_signature_without_a_reason_is_an_error(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "signed.toml").write_text(text)
    monkeypatch.setattr(signed, "files", lambda _: tmp_path)
    signed.signed_by_hand.cache_clear()
    with pytest.raises(ValueError, match="needs rule, before, after and reason"):
        signed.signed_by_hand()
    signed.signed_by_hand.cache_clear()


def test_a_survivor_that_is_signed_has_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = greater_or_equal()
    monkeypatch.setattr(hunt, "signed_by_hand", lambda: {mutant.change: "because"})
    hunted = hunt_one(mutant.id, [OBLIGATIONS["PO-KQ-060"]], READINGS)
    assert (hunted.outcome, hunted.by) == ("signed", "because")
    assert report_of(mutants=(hunted,)).good


def test_what_no_lifter_reads_is_counted_apart() -> None:
    text = next(mutant for mutant in all_mutants().values() if mutant.after == "first.uid < second.uid - 1")
    hunted = hunt_one(text.id, [OBLIGATIONS["PO-TBP-230"]], READINGS)
    assert hunted.outcome == "unreadable"
    assert hunted.by == "PO-TBP-230 under as-written: error, not proved"
    assert "1 refused by the lifter" in "\n".join(text_lines(report_of(mutants=(hunted,))))


def test_what_no_solver_knows_kills_no_mutant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hunt, "verdict_of", lambda *_: Verdict.UNKNOWN)
    hunted = hunt_one(greater_or_equal().id, [AT_THE_THRESHOLD], READINGS)
    assert (hunted.outcome, hunted.by) == ("survived", "PO-TBP-020 under as-written: unknown, not proved")
    assert f"{hunted.after}; {hunted.by}" in "\n".join(text_lines(report_of(mutants=(hunted,))))


def test_a_steps_mutant_is_killed_by_what_it_does_and_not_by_a_source_that_is_missing() -> None:
    steps = [
        mutant
        for mutant in all_mutants().values()
        if mutant.rule.endswith(("removal_step", "fill_back_step"))
    ]
    fates = {mutant.id: hunt_one(mutant.id, list(OBLIGATIONS.values()), READINGS) for mutant in steps}
    assert {hunted.outcome for hunted in fates.values()} == {"killed"}, fates
    with steps[0].applied():
        assert steps[0].after in inspect.getsource(steps[0].function)


def test_every_family_makes_something_and_no_change_is_made_twice() -> None:
    for family in hunt.FAMILIES:
        assert any(list(mutants_of(*named, (family,))) for named in mutated().items()), family
    places = [(mutant.rule, mutant.place, mutant.after) for mutant in all_mutants().values()]
    assert len(places) == len(set(places))


def test_a_form_mutant_changes_the_step_itself() -> None:
    (negated,) = [
        mutant
        for mutant in all_mutants().values()
        if mutant.function is fill_back_step and mutant.after == "not fits(usage)"
    ]
    state: FillBack[int, int] = FillBack(0, Chain(9), None)
    with negated.applied():
        wrong = fill_back_step(state, 2, lambda usage: usage <= 3, lambda usage, item: usage + item)
    right = fill_back_step(state, 2, lambda usage: usage <= 3, lambda usage, item: usage + item)
    assert (list(wrong.kept), list(right.kept)) == ([2, 9], [9])


def test_a_mutant_is_gone_after_an_exception() -> None:
    right = is_time_expired.__code__

    def broken() -> None:
        with greater_or_equal().applied():
            assert is_time_expired.__code__ is not right
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    assert is_time_expired.__code__ is right
    assert not is_time_expired(RUN_A_MINUTE, MINUTE, MINUTE)


def test_a_mutant_keeps_the_functions_signature() -> None:
    before = inspect.signature(fits_quota)
    for mutant in mutants_of("KQ-060", fits_quota, hunt.FAMILIES):
        with mutant.applied():
            assert inspect.signature(fits_quota) == before
            assert fits_quota(usage=1, request=1, quota=4) in (True, False)


def test_only_a_mutant_that_is_the_rule_is_proved_equivalent() -> None:
    def larger(a: int, b: int) -> int:
        return a if a > b else b

    # Of two equal numbers either is the larger, so `>=` changes nothing and `<` everything.
    made = mutants_of("KQ-999", larger, (operator_changes, off_by_one_changes))
    assert {mutant.after: hunt.is_equivalent(mutant) for mutant in made} == {
        "a >= b": True,
        "a < b": False,
        "a > b + 1": False,
    }


def test_a_refuted_claim_that_should_hold_is_not_as_expected() -> None:
    with greater_or_equal().applied():
        result = run_obligation(AT_THE_THRESHOLD, "guaranteed", None)
    assert (result.verdict, result.expected, result.as_expected) == (Verdict.REFUTED, Verdict.PROVED, False)


def test_a_rule_that_no_obligation_names_fails_the_run_in_its_own_words() -> None:
    report = report_of(unnamed=("TBP-020",))
    assert report.faults == ("1 rules without obligation",)
    text = "\n".join(text_lines(report))
    assert "FAIL TBP-020: no obligation names it: A target has exceeded minAdmitDuration" in text


@pytest.mark.parametrize("verdict", [Verdict.UNKNOWN, Verdict.ERROR])
def test_what_has_no_verdict_is_undecided_unless_something_else_is_wrong(verdict: Verdict) -> None:
    open_ = Result(AT_THE_THRESHOLD, "guaranteed", verdict)
    report = report_of(open_)
    assert (report.good, report.undecided) == (False, True)
    assert report.faults == ("1 obligations undecided",)
    assert not report_of(open_, unnamed=("TBP-020",)).undecided
    for wrong in (Verdict.REFUTED, Verdict.VACUOUS):
        assert not report_of(open_, Result(AT_THE_THRESHOLD, "guaranteed", wrong)).undecided
    assert not report_of(Result(AT_THE_THRESHOLD, "guaranteed", Verdict.PROVED)).undecided


@pytest.mark.parametrize(("open_", "code"), [(True, 3), (False, 1)])
def test_a_function_that_no_solver_compares_is_undecided_and_another_is_wrong(open_: bool, code: int) -> None:
    lifted = LiftReport("is_time_expired", 1, "something", undecided=open_)
    report = dataclasses.replace(report_of(), lifted=(lifted,))
    assert (report.good, report.undecided) == (False, open_)
    assert exit_code(report) == code


def test_what_is_asked_for_alone_still_meets_the_obligations_that_kill_its_mutants() -> None:
    report = run_plan(Plan(only=("PO-KQ-060",), readings=("guaranteed",), with_cvc5=False, examples=1))
    assert report.good, report.faults
    assert {hunted.rule for hunted in report.mutants} == {"KQ-060", "KQ-100"}


STEPS = tuple(
    f"tenure.oracle.{step}"
    for step in (
        *(f"decide.{name}" for name in ("decide", "_try", "question_of", "_decided", "_taken")),
        *("partial._tried", "leaving.selection_after"),
        *(f"classical.{name}" for name in ("select_classically", "_attempt", "_has_found")),
        *(f"fair.{name}" for name in ("select_fairly", "played", "_take")),
        "heroes.search.select_for_hero",
    )
)
"""What a decision and its searches hand on, one to the next."""


def wiring_changes(_: Callable[..., Any], definition: ast.FunctionDef) -> Iterator[Change]:
    """Every argument of a call exchanged with the next one, or with nothing."""
    for place, node in places(definition):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for position, given in enumerate(node.args):
                following = node.args[(position + 1) % len(node.args)]
                for other in (following, ast.Tuple([], ast.Load())):
                    if ast.unparse(other) != ast.unparse(given):
                        wrong = [*node.args[:position], other, *node.args[position + 1 :]]
                        yield Change(place, node, ast.Call(node.func, wrong, node.keywords))


@pytest.mark.parametrize("step", STEPS)
def test_no_step_hands_on_another_value_unnoticed(step: str) -> None:
    """Nor one that no family changes so: a law that ignores what it is handed would let it pass."""
    wrong = list(mutants_of(step, hunt.of_theorems()[step], (wiring_changes,)))
    fates = {mutant.change: hunt._not_proved_any_more(mutant)[0] for mutant in wrong}
    assert [change for change, fate in fates.items() if fate not in ("killed", "unreadable")] == []


@pytest.mark.parametrize("step", STEPS)
def test_every_mutant_of_a_step_ends_in_a_verdict_or_is_refused_by_name(step: str) -> None:
    wrong = [mutant.id for mutant in all_mutants().values() if mutant.rule == step]
    fates = {name: hunt_one(name, (), ()) for name in wrong}
    noticed = [hunted for hunted in fates.values() if hunted.outcome != "signed"]
    assert [hunted for hunted in noticed if hunted.outcome not in ("killed", "unreadable")] == []
    assert all(hunted.by.startswith("PO-ANY-") for hunted in noticed)
