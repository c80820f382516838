"""The syntax lifter's formula says what plain execution does; what is outside its subset it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tenure_proofs.bridge import check_lifting
from tenure_proofs.crosscheck.parameters import formula_of as from_syntax
from tenure_proofs.trusted.domains import LiftError
from tests.tenure_proofs import programs
from tests.tenure_proofs.programs import named


@pytest.mark.parametrize(
    "function",
    [
        *programs.LIFTABLE,
        programs.modulo_of_a_constant,
        programs.many_branches,
        programs.many_forks_on_fresh_terms,
    ],
    ids=named,
)
def test_the_formula_says_what_execution_does(function: Callable[..., Any]) -> None:
    assert programs.differences(function, from_syntax(function)) == []


def test_a_chain_stops_at_the_first_comparison_that_fails() -> None:
    function = programs.chained_comparison_that_stops_early
    assert programs.differences(function, from_syntax(function)) == []


REFUSED = {
    programs.identity_of_an_enum: "Is of a SymEnum and <Colour.RED: 0> is outside the subset of rules",
    programs.true_division: "`a / 2` in line 2 is outside the subset of rules",
    programs.dictionary_look_up: "`TABLE[a]` in line",
    programs.dictionary_look_up_on_one_branch: "`TABLE[a]` in line",
    programs.text_against_a_literal: "'team-a' is no constant that a rule may use",
    programs.assignment_to_a_field: "`job.priority` in line 2 is outside the subset of rules",
    programs.never_returning: "never_returning never returns",
    programs.computed_property: "Job has no field urgency that a rule may read",
    programs.loop: "For in line",
    programs.augmented_assignment: "AugAssign in line",
    programs.forgotten_return: "a path ends without a return",
    # Builtins: the message names what was called.
    programs.float_call: "float",
    programs.int_call: "int",
    programs.isinstance_dependent: "<class 'int'> is no constant that a rule may use",
    programs.absolute_value: "abs",
}


@pytest.mark.parametrize("function", REFUSED, ids=named)
def test_what_is_outside_the_subset_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(LiftError, match=re.escape(REFUSED[function])):
        from_syntax(function)


@pytest.mark.parametrize(
    "function", [programs.call_with_a_default, programs.record_with_a_default], ids=named
)
def test_a_default_is_read_or_refused(function: Callable[..., Any]) -> None:
    try:
        formula = from_syntax(function)
    except LiftError:
        return
    assert programs.differences(function, formula) == []


@pytest.mark.parametrize(
    "function",
    [
        programs.enums_of_two_classes,
        programs.enum_against_a_foreign_member,
        programs.identity_of_an_enum,
        programs.isinstance_dependent,
        programs.dictionary_look_up_on_one_branch,
    ],
    ids=named,
)
def test_what_one_lifter_would_read_wrongly_the_pair_refuses(function: Callable[..., Any]) -> None:
    with pytest.raises(LiftError):
        check_lifting(function, 1, 0)
