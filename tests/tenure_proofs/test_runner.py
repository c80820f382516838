"""Every way in which an obligation can end, each on an obligation made for it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

import pytest
import z3

from tenure.model import MINUTE, Basis, Evidence, Kin, Workload
from tenure.oracle.door import take_target
from tenure.readings import preset, preset_names
from tenure.rules.registry import all_rules, get_rule
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import is_time_expired, queue_preemption_reason
from tenure_proofs import runner
from tenure_proofs.asked import Shared
from tenure_proofs.bridge import LiftReport
from tenure_proofs.budgets import CLOCK, FLOOR, Budget
from tenure_proofs.counterexamples import Counterexample
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import Obligation, Statement, Verdict, everywhere, obligation
from tenure_proofs.report import stories, text_lines
from tenure_proofs.runner import Result, run_beside, run_obligation, verdict_of
from tenure_proofs.solvers import Cvc5, Question, Z3Answer, ask_z3, words_of_z3
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.logic import is_set, negation, value_of
from tests.command_line import PATIENCE_S
from tests.tenure_proofs import programs
from tests.tenure_proofs.test_mutants import report_of


def made(statement: Statement, expect: Verdict = Verdict.PROVED, budget: Budget = FLOOR) -> Obligation:
    """An obligation that no other test sees."""
    return Obligation("PO-TBP-999", ("TBP-020",), statement, everywhere(expect), budget, "")


def ended(statement: Statement, *, expect: Verdict = Verdict.PROVED, cvc5: Cvc5 | None = None) -> Result:
    """How a statement ends under the default reading."""
    return run_obligation(made(statement, expect), "guaranteed", cvc5)


def true(claim: Claim) -> None:
    """At its reservation no workload has used up a minute."""
    now = claim.number("now")
    target = claim.record("target", Workload)
    claim.assume(is_set(target, "quota_reserved_at"), value_of(target, "quota_reserved_at") == now)
    claim.prove(negation(claim.lift(is_time_expired)(target, now, MINUTE).value))


def false(claim: Claim) -> None:
    """Nobody ever uses up a minute."""
    target, now = claim.record("target", Workload), claim.number("now")
    claim.prove(negation(claim.lift(is_time_expired)(target, now, MINUTE).value))


def worker(code: str, grace_s: float = PATIENCE_S) -> Cvc5:
    """A second solver that runs a few lines of Python in place of cvc5."""
    return Cvc5((sys.executable, "-c", code), grace_s=grace_s)


def always(said: str) -> Cvc5:
    """A second solver that always says the same."""
    return worker(f"import sys, json\nfor _ in sys.stdin: print(json.dumps({said!r}), flush=True)")


def test_a_true_claim_is_proved_by_both_solvers() -> None:
    with Cvc5() as cvc5:
        result = ended(true, cvc5=cvc5)
    assert (result.verdict, result.as_expected) == (Verdict.PROVED, True)
    assert result.solvers == {"z3": "unsat", "cvc5": "unsat"}


def test_a_false_claim_is_refuted_with_values_that_break_it() -> None:
    with Cvc5() as cvc5:
        result = ended(false, cvc5=cvc5)
    assert (result.verdict, result.as_expected) == (Verdict.REFUTED, False)
    assert result.counterexample is not None
    target, now = (result.counterexample.values[name] for name in ("target", "now"))
    assert is_time_expired(target, now, MINUTE)
    assert result.counterexample.difference == ""


def test_a_claim_expected_to_be_false_that_becomes_provable_is_not_as_expected() -> None:
    result = ended(true, expect=Verdict.REFUTED)
    assert (result.verdict, result.as_expected) == (Verdict.PROVED, False)


def test_facts_that_contradict_each_other_are_vacuous() -> None:
    def contradictory(claim: Claim) -> None:
        now = claim.number("now")
        claim.assume(now > 1, now < 1)
        claim.prove(now == 0)

    result = ended(contradictory)
    assert (result.verdict, result.as_expected) == (Verdict.VACUOUS, False)


def test_an_enum_outside_its_members_makes_no_claim_true() -> None:
    def impossible(claim: Claim) -> None:
        basis = claim.member("basis", Basis)
        claim.assume(*(basis != member for member in Basis))
        claim.prove(claim.lift(queue_preemption_reason)(basis).defined)

    assert ended(impossible).verdict == Verdict.VACUOUS


def test_a_statement_without_goal_claims_nothing() -> None:
    def silent(claim: Claim) -> None:
        claim.assume(claim.number("now") > 1)

    result = ended(silent)
    assert (result.verdict, result.detail) == (Verdict.ERROR, "the statement claims nothing")


def test_a_rule_outside_the_subset_is_not_liftable() -> None:
    def unreadable(claim: Claim) -> None:
        claim.prove(claim.lift(programs.true_division)(claim.number("now")).value)

    result = ended(unreadable)
    assert result.verdict == Verdict.ERROR
    assert result.detail.startswith("not liftable: true_division: `a / 2` in line 2")


def test_what_the_door_hands_on_is_one_argument_and_no_other() -> None:
    claim = Claim(preset("guaranteed"))
    preemptor, target = claim.record("preemptor", Workload), claim.record("target", Workload)
    terms, evidence, now = any_terms(claim), claim.record("evidence", Evidence), claim.number("now")
    made = claim.lift(take_target)(preemptor, target, evidence, terms, now, claim.record("kin", Kin))
    handed = [made.hands_on("workload", item).term for item in (target, preemptor, evidence)]
    assert [z3.is_true(item) for item in handed] == [True, False, False]
    with pytest.raises(LiftError, match="take_target hands on no argument as reason"):
        made.hands_on("reason", target)
    with pytest.raises(LiftError, match="is_time_expired builds no record"):
        claim.lift(is_time_expired)(target, now, now).hands_on("workload", target)


def test_an_obligation_whose_rule_was_renamed_is_an_error_that_names_it() -> None:
    result = run_obligation(replace(made(true), rules=("TBP-020", "TBP-999")), "guaranteed", None)
    assert (result.verdict, result.as_expected) == (Verdict.ERROR, False)
    assert result.detail == "no rule is called TBP-999: it was renamed or withdrawn"
    text = "\n".join(text_lines(report_of(result)))
    assert "FAIL PO-TBP-999 under guaranteed: expected proved, is error: no rule is called TBP-999" in text
    assert "TBP-999: no such rule" in text


def test_a_counterexample_is_printed_once_with_its_readings() -> None:
    titled = replace(made(false, Verdict.REFUTED), title="nothing is used up")
    shared, other = (Counterexample({}, (story,), None, "") for story in ("it runs on", "it ends"))
    results = [
        Result(titled, reading, Verdict.REFUTED, counterexample=example)
        for reading, example in zip(preset_names(), (shared, other, shared), strict=False)
    ]
    first, second, third = preset_names()[:3]
    (story,) = stories(report_of(*results))
    assert story.title.startswith(f"PO-TBP-999 is refuted under {first}, {second} and {third}: ")
    assert story.lines[1] == "it runs on"
    assert story.lines[-1] == f"{second}: by a similar counterexample, which -o json has"


def test_a_statement_that_raises_is_an_error_and_no_crash() -> None:
    def broken(claim: Claim) -> None:
        claim.prove(claim.lift(get_rule("TBP-999").function)(claim.number("now")).value)

    result = ended(broken)
    assert (result.verdict, result.detail) == (Verdict.ERROR, "the statement raises KeyError('TBP-999')")


@pytest.mark.parametrize("statement", [true, false])
def test_solvers_that_disagree_are_an_error_and_never_a_verdict(statement: Callable[[Claim], None]) -> None:
    with always("sat" if statement is true else "unsat") as cvc5:
        result = ended(statement, cvc5=cvc5)
    assert (result.verdict, result.counterexample) == (Verdict.ERROR, None)
    assert set(result.solvers.values()) == {"sat", "unsat"}
    assert result.detail == "; ".join(f"{solver} says {said}" for solver, said in result.solvers.items())


def test_what_the_second_solver_does_not_know_is_unknown() -> None:
    with always("unknown") as cvc5:
        result = ended(true, cvc5=cvc5)
    assert (result.verdict, result.detail) == (Verdict.UNKNOWN, "z3 says unsat; cvc5 says unknown")


SLEEPS = "import time; time.sleep(10_000)"
"""Far longer than any test waits."""
SLEEPS_ON_BIG_NUMBERS = """
import sys, json, time
for line in sys.stdin:
    if "424242" in line:
        time.sleep(10_000)
    print(json.dumps("unsat"), flush=True)
"""


def hasty(clock_s: float) -> Budget:
    """A budget whose clock ends first."""
    return replace(FLOOR, clock_s=clock_s)


def question(number: int, clock_s: float = 0.1) -> Question:
    """A question that mentions a number."""
    return Question((z3.Int("a") == number,), hasty(clock_s))


def test_a_silent_solver_is_killed_and_the_next_question_meets_a_fresh_one() -> None:
    with worker(SLEEPS_ON_BIG_NUMBERS) as cvc5:
        assert cvc5.ask(question(1)) == "unsat"
        silent = cvc5._process
        cvc5.grace_s = 0.2
        assert cvc5.ask(question(424242)) == "error: cvc5 was silent for 0.3 s and was killed"
        assert silent is not None
        assert silent.poll() is not None, "the silent process still runs"
        cvc5.grace_s = PATIENCE_S
        assert cvc5.ask(question(2)) == "unsat"


def test_an_obligation_with_a_silent_solver_is_an_error_that_says_so() -> None:
    # The clock is Z3's too, which needs some time of it.
    with worker(SLEEPS, grace_s=0.6 - PATIENCE_S) as cvc5:
        result = run_obligation(made(true, budget=hasty(PATIENCE_S)), "guaranteed", cvc5)
    assert result.verdict == Verdict.ERROR
    assert result.detail == "z3 says unsat; cvc5 says error: cvc5 was silent for 0.6 s and was killed"


class Long(Question):
    """A question that no pipe holds."""

    def smt2(self) -> str:
        return "; filler\n" * 40_000 + "(check-sat)\n"


def test_a_solver_that_never_reads_a_long_question_is_killed_in_time() -> None:
    assert len(Long((), hasty(0.1)).smt2()) > 4 * 65_536
    with worker(SLEEPS, grace_s=0.2) as cvc5:
        said = cvc5.ask(Long((), hasty(0.1)))
        assert said == "error: cvc5 did not read the question for 0.3 s and was killed"
        assert cvc5._process is None


def test_a_long_question_reaches_a_solver_that_reads_slowly() -> None:
    slow = (
        "import sys, json, time\n"
        "while part := sys.stdin.buffer.read1(20_000):\n"
        "    time.sleep(0.01)\n"
        "    if part.endswith(b'\\n'): print(json.dumps('sat'), flush=True)"
    )
    with worker(slow) as cvc5:
        assert cvc5.ask(Long((), hasty(1))) == "sat"


def test_a_solver_that_dies_while_it_is_asked_is_an_error() -> None:
    with worker("import sys; sys.stdin.buffer.read1(10)") as cvc5:
        assert cvc5.ask(Long((), hasty(1))) == "error: cvc5's process ended"


def test_a_solver_that_dies_is_an_error() -> None:
    with worker("import sys; sys.stdin.readline()") as cvc5:
        assert ended(true, cvc5=cvc5).detail == "z3 says unsat; cvc5 says error: cvc5's process ended"


# The pipes of the process that ended must not be left open either: warnings are errors here.
def test_a_solver_that_ended_between_questions_is_started_again() -> None:
    with worker("import sys, json; sys.stdin.readline(); print(json.dumps('unsat'))") as cvc5:
        for number in (1, 2):
            assert cvc5.ask(question(number)) == "unsat"
            assert cvc5._process is not None
            cvc5._process.wait()


def test_a_solver_that_prints_no_answer_is_an_error() -> None:
    with worker("import sys\nfor _ in sys.stdin: print('Segmentation fault', flush=True)") as cvc5:
        result = ended(true, cvc5=cvc5)
    assert result.verdict == Verdict.ERROR
    assert "cvc5 says error" in result.detail


def test_a_solver_that_stops_inside_its_answer_is_killed_in_time() -> None:
    # Half a line makes the pipe readable; waiting for the rest of it must end as well.
    whole, half = (
        f"sys.stdin.readline(); print({said!r}, end='', flush=True)" for said in ('"sat"\n', '"uns')
    )
    with worker(f"import sys; {whole}; {half}; {SLEEPS}") as cvc5:
        assert cvc5.ask(question(1)) == "sat"
        cvc5.grace_s = 0.2
        assert cvc5.ask(question(1)) == "error: cvc5 was silent for 0.3 s and was killed"


def test_a_mistake_in_the_script_is_the_real_workers_error() -> None:
    class Malformed(Question):
        def smt2(self) -> str:
            return "(set-logic ALL)(assert nonsense)(check-sat)"

    with Cvc5() as cvc5:
        assert cvc5.ask(Malformed((), FLOOR)).startswith("error: ")
        assert cvc5.ask(question(1, clock_s=PATIENCE_S)) == "sat"


def test_what_z3_does_not_know_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def nonlinear(claim: Claim) -> None:
        a, b = claim.number("a"), claim.number("b")
        claim.assume(a > 1, b > 1)
        claim.prove(a * a * a != b * b + 2)

    # The witness of the facts is found; only the claim itself is not.
    monkeypatch.setattr(runner, "words_of_z3", lambda *_: {"z3": "unknown"})
    result = ended(nonlinear)
    assert (result.verdict, result.as_expected) == (Verdict.UNKNOWN, False)


def test_facts_without_witness_in_the_budget_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "ask_z3", lambda *_: Z3Answer("unknown", None, CLOCK))
    result = ended(true)
    why = "no witness of the facts: z3 says unknown: the clock has struck"
    assert (result.verdict, result.detail) == (Verdict.UNKNOWN, why)


def test_seeds_that_disagree_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def moody(question: Question, seeds: int) -> dict[str, str]:
        return words_of_z3(question, seeds) | {"z3 seed 2": "sat"}

    monkeypatch.setattr(runner, "words_of_z3", moody)
    result = run_obligation(made(true), "guaranteed", None, seeds=3)
    assert (result.verdict, list(result.solvers)) == (Verdict.ERROR, ["z3", "z3 seed 1", "z3 seed 2"])


def test_a_formula_that_python_does_not_agree_with_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def since_now(claim: Claim) -> None:
        target, now = claim.record("target", Workload), claim.number("now")
        claim.assume(is_set(target, "quota_reserved_at"), value_of(target, "quota_reserved_at") < now)
        claim.prove(claim.lift(quota_reservation_time)(target, now).value == now)

    claim = Claim(preset("guaranteed"))
    since_now(claim)
    call = claim.calls[0]
    formula = type(call.formula)(z3.Int("now"), z3.BoolVal(True))
    traces = {next(iter(claim.traces)): type(call)(call.function, call.arguments, formula)}
    result = run_obligation(made(since_now), "guaranteed", None, shared=Shared(dict(traces)))
    assert result.verdict == Verdict.ERROR
    assert result.detail.startswith("quota_reservation_time: tracer and syntax lifter differ (sat)")
    # Where both lifters were wrong alike, plain Python would still disagree.
    monkeypatch.setattr("tenure_proofs.asked.check_call", lambda _: LiftReport("", 0, ""))
    result = run_obligation(made(since_now), "guaranteed", None, shared=Shared(dict(traces)))
    assert result.verdict == Verdict.ERROR
    assert result.detail.startswith("the witness does not replay: quota_reservation_time returns")


class Counting:
    """A second solver that counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, _: Question) -> str:
        self.asked += 1
        return "unsat"


def test_the_very_same_question_is_asked_once_and_another_again() -> None:
    def depends(claim: Claim) -> None:
        target, now = claim.record("target", Workload), claim.number("now")
        early = 1 if claim.reading.name == "released" else 0
        claim.assume(is_set(target, "quota_reserved_at"), value_of(target, "quota_reserved_at") == now)
        claim.prove(negation(claim.lift(is_time_expired)(target, now - early, MINUTE).value))

    asked = []
    for statement in (true, depends):
        second, shared = Counting(), Shared()
        for reading in preset_names():
            result = run_obligation(made(statement), reading, cast(Cvc5, second), shared=shared)
            assert (result.verdict, result.reading) == (Verdict.PROVED, reading)
        asked.append(second.asked)
    assert asked == [1, 2]


def test_an_answer_is_another_with_more_seeds() -> None:
    shared = Shared()
    one, two = (run_obligation(made(true), "guaranteed", None, seeds, shared).solvers for seeds in (1, 2))
    assert (list(one), list(two)) == (["z3"], ["z3", "z3 seed 1"])


def test_what_the_quick_solver_does_not_know_is_asked_of_the_slow_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Ignorant:
        def __init__(self, ctx: z3.Context) -> None: ...

        def set(self, *_: object) -> None: ...

        def add(self, *_: object) -> None: ...

        def check(self) -> str:
            return "unknown"

        def statistics(self) -> list[tuple[str, int]]:
            return []

        def reason_unknown(self) -> str:
            return "it is ignorant"

    monkeypatch.setattr(z3, "SimpleSolver", Ignorant)
    assert ask_z3(question(1, clock_s=5)).said == "sat"
    monkeypatch.setattr(z3, "Solver", Ignorant)
    answer = ask_z3(question(1, clock_s=5))
    assert (answer.words, answer.model) == ("unknown: it is ignorant", None)


def test_a_mutants_verdict_is_the_runs_verdict() -> None:
    assert verdict_of(made(true), "released", Shared()) == Verdict.PROVED
    assert verdict_of(made(false), "released", Shared()) == Verdict.REFUTED
    assert verdict_of(made(lambda _: None), "released", Shared()) == Verdict.ERROR


@pytest.mark.parametrize(
    ("identifier", "rules", "expect"),
    [
        ("PO-TBP-10", ["TBP-020"], everywhere(Verdict.PROVED)),
        ("PO-TBP-010", ["TBP-020"], everywhere(Verdict.PROVED)),
        ("PO-TBP-998", [], everywhere(Verdict.PROVED)),
        ("PO-TBP-998", ["TBP-020"], {"guaranteed": Verdict.PROVED}),
        ("PO-TBP-998", ["TBP-020"], everywhere(Verdict.VACUOUS)),
    ],
    ids=["malformed", "taken", "no rules", "a preset left out", "vacuous expected"],
)
def test_an_obligation_that_promises_too_little_is_not_registered(
    identifier: str, rules: list[str], expect: dict[str, Verdict]
) -> None:
    with pytest.raises(ValueError, match=identifier):
        obligation(identifier, rules=rules, expect=expect)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("guaranteed", "is no further column"),
        ("guaranteed+wake=at_expiry+requeue_order=creation", "is no further column"),
        ("guaranteed+wake=never", "found 'never'"),
        ("generous+wake=events", "found 'generous'"),
    ],
    ids=["a preset", "choices in another order", "no such choice", "no such preset"],
)
def test_a_further_column_is_a_preset_with_choices_in_their_order(column: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        obligation(
            "PO-TBP-998",
            rules=["TBP-020"],
            expect=everywhere(Verdict.PROVED),
            also={column: Verdict.PROVED},
        )


def test_a_further_column_cannot_expect_anything_but_proved_or_refuted() -> None:
    vacuous = {"guaranteed+wake=events": Verdict.VACUOUS}
    with pytest.raises(ValueError, match="under guaranteed"):
        obligation("PO-TBP-998", rules=["TBP-020"], expect=everywhere(Verdict.PROVED), also=vacuous)


def asked_beside(expected: Verdict) -> Result:
    """A true claim with one column beside the default preset."""
    also = {"guaranteed+wake=events": expected, "released+wake=at_expiry": expected}
    return run_beside(replace(made(true), also=also), "guaranteed", None)


def test_the_columns_beside_a_preset_are_asked_with_it_and_no_others() -> None:
    result = asked_beside(Verdict.PROVED)
    assert [column.reading for column in result.beside] == ["guaranteed+wake=events"]
    assert (result.as_expected, result.detail) == (True, "under guaranteed+wake=events proved, as expected")


def test_a_preset_beside_which_a_column_ends_otherwise_is_not_as_expected() -> None:
    result = asked_beside(Verdict.REFUTED)
    assert (result.verdict, result.as_expected) == (Verdict.PROVED, False)
    assert result.detail == "under guaranteed+wake=events expected refuted, is proved"


def test_every_obligation_expects_a_verdict_for_every_preset() -> None:
    assert {
        identifier
        for identifier, obligation in OBLIGATIONS.items()
        if set(obligation.expect) != set(preset_names())
    } == set()


def test_every_obligation_names_rules_that_exist() -> None:
    known = {entry.id for entry in all_rules()}
    assert {rule for obligation in OBLIGATIONS.values() for rule in obligation.rules} <= known


def test_every_claim_that_fails_under_one_preset_says_where_it_is_from() -> None:
    assert [obligation.id for obligation in _unsourced()] == []


def _unsourced() -> Iterator[Obligation]:
    for claimed in OBLIGATIONS.values():
        if Verdict.REFUTED in claimed.expect.values() and not re.search(
            r"KEP-\d|Kueue|KAI's|KAI-Scheduler|MinRuntime [Pp]lugin", claimed.statement.__doc__ or ""
        ):
            yield claimed
