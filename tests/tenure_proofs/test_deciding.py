"""Between the searches and the door no step with a mistake is proved."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure.oracle import classical, decide, fair, partial
from tenure.oracle.heroes import search as heroes
from tenure.oracle.leaving import selection_after
from tenure.oracle.partial import halved
from tenure.oracle.search import find_targets
from tenure_proofs.budgets import Budget
from tenure_proofs.theorems import deciding, three_searches
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.proving import prove
from tenure_proofs.theorems.registry import all_theorems
from tenure_proofs.trusted.domains import LiftError
from tests.tenure_proofs.changed import changed

LITTLE = Budget(z3=1_000_000, cvc5=0)

MISTAKES: dict[str, tuple[Callable[..., Any], Callable[..., Any], str, str]] = {
    "nobody is handed on": (
        deciding._handed_on,
        decide.decide,
        "() if chosen.selection is None else chosen.selection.kept",
        "()",
    ),
    "all candidates are handed on": (
        deciding._handed_on,
        decide.decide,
        "chosen.selection.kept",
        "chosen.selection.candidates",
    ),
    "the door is asked about another priority": (
        deciding._handed_on,
        decide.decide,
        "preemptor = with_effective_priority(",
        "effective = with_effective_priority(",
    ),
    "an inactive ClusterQueue searches": (
        deciding._tried,
        decide._try,
        "if snapshot.queue.inactive:",
        "if not snapshot.queue.inactive:",
    ),
    "a given assignment needs no search": (
        deciding._tried,
        decide._try,
        "given, (), searched(given)",
        "given, (), None",
    ),
    "a search at another instant": (
        deciding._tried,
        decide._try,
        "partial(_searched, snapshot, preemptor, terms, now, search)",
        "partial(_searched, snapshot, preemptor, now, terms, search)",
    ),
    "a search where quota suffices": (
        deciding._asked,
        decide._searched,
        "assignment.fits and assignment.needs_preemption",
        "assignment.fits",
    ),
    "searched for other pods than counted": (
        deciding._searched_for_its_own,
        partial._tried,
        "assigned.groups, search(assigned.assignment)",
        "assigned.groups, assigned.groups",
    ),
    "another trial than that after so many steps": (
        lambda function: deciding._of_some_pods(partial._after, function),
        partial._noted,
        "trial = after(step)",
        "trial = after(step + 1)",
    ),
    "a trial is not noted": (
        lambda function: deciding._of_some_pods(partial._after, function),
        partial._noted,
        "    trials.append(trial)\n",
        "",
    ),
    "more pods after more steps": (
        lambda function: deciding._of_some_pods(function, partial._noted),
        partial._after,
        "step, steps)",
        "steps - step, steps)",
    ),
    "the last that finds no place": (
        deciding._halved,
        halved,
        "chosen, end = trial, step",
        "end = step",
    ),
    "a step is left out": (deciding._halved, halved, "first = step + 1", "first = step + 2"),
    "it never ends": (deciding._halved, halved, "first = step + 1", "first = step"),
    "the fewest pods are not tried": (
        deciding._halved,
        halved,
        "everything, 0, steps + 1",
        "everything, 0, steps",
    ),
    "fewer pods are not tried where they may be": (
        all_theorems()["PO-ANY-355"].statement,
        partial.try_counts,
        "is_served(everything) or not may_reduce",
        "is_served(everything) or may_reduce",
    ),
    "fewer pods are counted from another number": (
        all_theorems()["PO-ANY-355"].statement,
        partial.try_counts,
        "full - fewest for",
        "full + fewest for",
    ),
    "pods without targets find a place": (
        deciding._finds,
        partial.is_served,
        " and not trial.assignment.needs_preemption",
        "",
    ),
    "heroes share fairly": (
        all_theorems()["PO-ANY-240"].statement,
        find_targets,
        "question.terms.hero:",
        "question.terms.hero and not question.terms.fair_sharing:",
    ),
    "a repair is searched by where none is chosen": (
        all_theorems()["PO-ANY-240"].statement,
        find_targets,
        "fair_sharing_repair != FairSharingRepair.NONE",
        "fair_sharing_repair == FairSharingRepair.NONE",
    ),
    "a PreemptionConfig is passed over": (
        all_theorems()["PO-ANY-240"].statement,
        find_targets,
        "question.snapshot.queue.preemption_config is not None",
        "question.snapshot.queue.preemption_config is None",
    ),
    "somebody where it does not fit": (
        all_theorems()["PO-ANY-245"].statement,
        selection_after,
        "if not end.fits:",
        "if end.fits:",
    ),
    "evidence is not completed": (
        all_theorems()["PO-ANY-245"].statement,
        selection_after,
        "completed(candidate) for",
        "candidate for",
    ),
    "usage before filling back": (
        all_theorems()["PO-ANY-245"].statement,
        selection_after,
        "usage=filled.usage",
        "usage=end.usage",
    ),
    "filled back by what borrows": (
        three_searches._classically,
        classical.select_classically,
        "fitting(leaving, borrowing)",
        "fitting(leaving, not borrowing)",
    ),
    "an attempt asks as if it borrowed": (
        all_theorems()["PO-ANY-246"].statement,
        classical._attempt,
        "fitting(leaving, may_borrow)",
        "fitting(leaving, True)",
    ),
    "an attempt says that it fits": (
        all_theorems()["PO-ANY-246"].statement,
        classical._attempt,
        "end.usage, end.fits,",
        "end.usage, True,",
    ),
    "no attempt is made": (
        three_searches._classically,
        classical.select_classically,
        "until_one_fits(_choices(question, candidates),",
        "until_one_fits((),",
    ),
    "attempts as if there were no candidates": (
        three_searches._classically,
        classical.select_classically,
        "_choices(question, candidates)",
        "_choices(question, ())",
    ),
    "attempts without candidates": (
        three_searches._classically,
        classical.select_classically,
        "partial(_attempt, leaving, candidates)",
        "partial(_attempt, leaving, ())",
    ),
    "attempts stop for another reason": (
        three_searches._classically,
        classical.select_classically,
        "tried, _has_found)",
        "tried, tried)",
    ),
    "evidence of another attempt": (
        three_searches._classically,
        classical.select_classically,
        "partial(_in_attempt, borrowing)",
        "partial(_in_attempt, leaving)",
    ),
    "the attempt completes no evidence": (
        three_searches._classically,
        classical.select_classically,
        "partial(_in_attempt, borrowing)",
        "partial(borrowing, _in_attempt)",
    ),
    "who stands is asked as if it borrowed": (
        all_theorems()["PO-ANY-246"].statement,
        classical._attempt,
        "Turns(leaving, may_borrow)",
        "Turns(leaving, True)",
    ),
    "the second strategy is told as the first": (
        all_theorems()["PO-ANY-247"].statement,
        fair.played,
        "_attempt(candidates, end, tournament.strategies[0])",
        "_attempt(candidates, end, tournament.strategies[1])",
    ),
    "fair sharing does not borrow": (
        three_searches._fairly,
        fair.select_fairly,
        "fitting(leaving, True)",
        "fitting(leaving, False)",
    ),
    "the second strategy begins anew": (
        all_theorems()["PO-ANY-247"].statement,
        fair.played,
        "Round(end.usage,",
        "Round(tournament.leaving.usage,",
    ),
    "the second strategy forgets": (
        all_theorems()["PO-ANY-247"].statement,
        fair.played,
        "by_queue(first.rejected), removed=end.removed",
        "by_queue(first.rejected)",
    ),
    "the second strategy is left out": (
        all_theorems()["PO-ANY-247"].statement,
        fair.played,
        "if end.fits or not tournament.goes_again:",
        "if end.fits or tournament.goes_again:",
    ),
    "who is taken stays": (
        all_theorems()["PO-ANY-120"].statement,
        fair._take,
        "found, usage = _found(candidate, evidence), without(state.usage, candidate)",
        "found, usage = _found(candidate, evidence), state.usage",
    ),
    "who is taken is not noted": (
        all_theorems()["PO-ANY-120"].statement,
        fair._take,
        "removed=Chain(found, state.removed)",
        "removed=state.removed",
    ),
    "it fits as before": (
        all_theorems()["PO-ANY-120"].statement,
        fair._take,
        "fits(usage, True)",
        "fits(state.usage, True)",
    ),
    "who is taken is told to fit": (
        all_theorems()["PO-ANY-120"].statement,
        fair._take,
        "fits=fits(usage, True)",
        "fits=True",
    ),
    "the first strategy plays twice": (
        all_theorems()["PO-ANY-247"].statement,
        fair.played,
        "partial(second_step, tournament)",
        "partial(first_step, tournament)",
    ),
    "rounds stop for another reason": (
        all_theorems()["PO-ANY-247"].statement,
        fair.played,
        "partial(first_step, tournament), _has_ended)",
        "partial(first_step, tournament), by_queue)",
    ),
    "the tournament's end is that of its first strategy": (
        all_theorems()["PO-ANY-247"].statement,
        fair.played,
        "return Played((first, second), _removal(end))",
        "return Played((first, second), _removal(again))",
    ),
    "fair sharing keeps what no tournament has found": (
        three_searches._fairly,
        fair.select_fairly,
        "played(tournament, candidates)",
        "played(tournament, ())",
    ),
    "candidates leave for another reason": (
        all_theorems()["PO-ANY-246"].statement,
        classical._attempt,
        "fits, leaving.without",
        "fits, leaving.beside",
    ),
    "a hero does not fill back": (
        three_searches._for_hero,
        heroes.select_for_hero,
        "end, search.fits, search.beside",
        "end, search.fits, search.without",
    ),
    "a hero begins elsewhere": (
        three_searches._for_hero,
        heroes.select_for_hero,
        "search.candidates, search.start,",
        "search.candidates, search.rank,",
    ),
}


def _ignoring(tree: ast.Module) -> Iterator[str]:
    """Every law that does not look at something that it is handed, beside the arrays before it."""
    defined = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        body: list[ast.AST]
        match node:
            case ast.Call(func=ast.Name(id="Law"), args=[ast.Lambda() as law, *_]):
                handed, body = law.args, [law.body]
            case ast.Call(func=ast.Name(id="Law"), args=[ast.Name(id=name), *_]) if name in defined:
                handed, body = defined[name].args, [*defined[name].body]
            case _:
                continue
        given = [*handed.args[1:], *([handed.vararg] if handed.vararg else [])]
        used = {inner.id for part in body for inner in ast.walk(part) if isinstance(inner, ast.Name)}
        if any(argument.arg not in used for argument in given):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def test_no_law_ignores_what_it_is_handed() -> None:
    """What a law ignores a theorem does not depend on: any other value might be handed on there."""
    folder = Path(deciding.__file__).parent
    sources = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    found = {name: list(_ignoring(ast.parse(source))) for name, source in sources.items()}
    assert {name: laws for name, laws in found.items() if laws} == {}


def test_a_law_that_ignores_something_is_found() -> None:
    wrong = "def law(_, one, two): return one\nLaw(law)\nLaw(lambda *_: 0)\nLaw(lambda _, one: 0)"
    assert len(list(_ignoring(ast.parse(wrong)))) == 3
    assert list(_ignoring(ast.parse("Law(lambda _, one: one)\nLaw(lambda *handed: handed[3])"))) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_step_with_a_mistake_is_proved(mistake: str) -> None:
    parts, function, right, wrong = MISTAKES[mistake]
    assert any(prove([part], None, LITTLE).failures for part in parts(changed(function, (right, wrong))))


@pytest.mark.parametrize("identifier", all_theorems())
def test_every_loop_and_step_of_the_reference_is_read_as_it_is_now(identifier: str) -> None:
    parts = list(all_theorems()[identifier].parts())
    assert all(part.goals for part in parts)


def test_a_name_that_a_function_does_not_see_stands_for_nothing() -> None:
    with pytest.raises(LiftError, match="halved sees no _tired"):
        seeing(halved, _tired=None)
