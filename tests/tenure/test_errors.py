"""What an InputError says."""

from __future__ import annotations

import pytest

from tenure.errors import InputError, Problem


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Problem("", "3", "4"), "found 3, expected 4"),
        (Problem("now", "3", "4"), "now: found 3, expected 4"),
        (Problem("", "3", "4", object="Cohort/all"), "Cohort/all: found 3, expected 4"),
        (Problem("", "3", "4", file="a.yaml"), "a.yaml: found 3, expected 4"),
        (Problem("spec", "3", "4", "Cohort/all", "a.yaml"), "a.yaml: Cohort/all: spec: found 3, expected 4"),
    ],
)
def test_a_problem_says_its_place_as_far_as_it_has_one(problem: Problem, said: str) -> None:
    assert str(problem) == str(InputError([problem])) == said
