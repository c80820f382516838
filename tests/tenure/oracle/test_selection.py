"""Removing and filling back, for any way of telling whether a request fits that is monotone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.oracle.selection import Chain, FillBack, Removal, fill_back, remove_until_fits

MANY = settings(deadline=None, print_blob=True, max_examples=100)
Left = frozenset[int]


@dataclass(frozen=True)
class Fit:
    """A monotone fit: a request fits once all of one of some sets have left."""

    enough: tuple[Left, ...]

    def __call__(self, left: Left) -> bool:
        return any(group <= left for group in self.enough)


def remove(left: Left, who: int) -> Left:
    return left | {who}


def anybody(left: Left, who: int) -> bool:
    return True


def removed_until(candidates: list[int], fits: Fit) -> Removal[Left, int]:
    """The removing fold."""
    return remove_until_fits(candidates, frozenset[int](), anybody, fits, remove)


def in_order(chain: Chain[int] | None) -> list[int]:
    """A chain as a list."""
    return list(chain or ())


def give_back(left: Left, who: int) -> Left:
    return left - {who}


CANDIDATES = st.permutations(range(6)).flatmap(lambda order: st.integers(1, 6).map(lambda n: order[:n]))
# Every monotone fit is of this form; `no removal is needed` is the caller's business, not selection's.
FITS = st.lists(st.frozensets(st.integers(0, 7), min_size=1, max_size=4), max_size=4).map(
    lambda groups: Fit(tuple(groups))
)


@MANY
@given(CANDIDATES, FITS)
def test_removal_stops_at_the_first_fit(candidates: list[int], fits: Fit) -> None:
    removal = removed_until(candidates, fits)
    prefixes = [frozenset(candidates[: count + 1]) for count in range(len(candidates))]
    fitting = [count for count, prefix in enumerate(prefixes, start=1) if fits(prefix)]
    assert removal.fits == bool(fitting)
    count = fitting[0] if fitting else len(candidates)
    assert in_order(removal.removed) == candidates[:count][::-1]
    assert removal.usage == frozenset(candidates[:count])


@MANY
@given(CANDIDATES, st.lists(st.frozensets(st.integers(6, 9), min_size=1), max_size=3))
def test_nobody_fits_when_all_together_are_not_enough(candidates: list[int], groups: list[Left]) -> None:
    removal = removed_until(candidates, Fit(tuple(groups)))
    assert (removal.fits, in_order(removal.removed)) == (False, candidates[::-1])


def test_without_candidates_nothing_fits_even_if_no_removal_is_needed() -> None:
    none: list[int] = []
    removal = remove_until_fits(none, frozenset[int](), anybody, lambda _: True, remove)
    assert (removal.fits, removal.removed) == (False, None)


def test_at_least_one_leaves() -> None:
    # A given assignment may say that quota is short where it is not: Kueue takes the first one then too.
    removal = remove_until_fits([1, 2], frozenset[int](), anybody, lambda _: True, remove)
    assert in_order(removal.removed) == [1]


def test_a_candidate_that_is_no_longer_eligible_is_passed_over() -> None:
    fits = Fit((frozenset({1, 3}),))

    def stands(left: Left, who: int) -> bool:
        return who != 2 or 1 not in left

    removal = remove_until_fits([1, 2, 3, 4], frozenset[int](), stands, fits, remove)
    assert (in_order(removal.removed), removal.usage) == ([3, 1], frozenset({1, 3}))


@st.composite
def fitting(draw: st.DrawFn) -> tuple[list[int], Fit]:
    """Candidates and a fit that all of them together reach."""
    candidates = draw(CANDIDATES)
    groups = st.frozensets(st.sampled_from(candidates), min_size=1)
    return candidates, Fit(tuple(draw(st.lists(groups, min_size=1, max_size=4))))


def filled(candidates: list[int], fits: Fit) -> FillBack[Left, int]:
    """Both folds."""
    removal = removed_until(candidates, fits)
    assert removal.removed is not None
    return fill_back(removal.removed, removal.usage, fits, give_back)


@MANY
@given(fitting())
def test_what_stays_removed_is_sufficient(selection: tuple[list[int], Fit]) -> None:
    candidates, fits = selection
    state = filled(candidates, fits)
    assert fits(frozenset(state.kept))
    assert state.usage == frozenset(state.kept)


@MANY
@given(fitting())
def test_what_stays_removed_is_irredundant(selection: tuple[list[int], Fit]) -> None:
    candidates, fits = selection
    kept = list(filled(candidates, fits).kept)
    assert not any(fits(frozenset(fewer)) for fewer in combinations(kept, len(kept) - 1))


@MANY
@given(fitting())
def test_everyone_removed_is_kept_or_spared_in_the_order_of_removal(selection: tuple[list[int], Fit]) -> None:
    candidates, fits = selection
    state = filled(candidates, fits)
    spared = in_order(state.spared)
    removed = [candidate for candidate in candidates if candidate in (*state.kept, *spared)]
    assert removed == candidates[: len(removed)]
    assert list(state.kept) == [number for number in removed if number in state.kept]
    assert spared == [number for number in removed if number not in state.kept]


@MANY
@given(fitting())
def test_the_last_one_removed_is_never_spared(selection: tuple[list[int], Fit]) -> None:
    candidates, fits = selection
    state = filled(candidates, fits)
    assert list(state.kept)[-1] == candidates[len([*state.kept, *in_order(state.spared)]) - 1]


def test_fill_back_begins_with_the_second_last() -> None:
    # 1 or 2 may stay, not both: the later of them is asked first.
    fits = Fit((frozenset({1, 3}), frozenset({2, 3})))
    assert list(filled([1, 2, 3], fits).kept) == [1, 3]


def test_where_the_request_fits_already_one_target_too_many_is_kept() -> None:
    def fits(usage: int) -> bool:
        return usage <= 4

    removal = remove_until_fits([1], 3, lambda *_: True, fits, lambda usage, item: usage - item)
    assert removal.removed is not None
    end = fill_back(removal.removed, removal.usage, fits, lambda usage, item: usage + item)
    assert fits(3)
    assert list(end.kept) == [1]
