"""Selection as folds: remove candidates in order until the request fits, then fill back.

Each loop is a fold of a pure step that is given `fits`, `add` and `remove`; nothing here knows what
an amount is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_Attempt = TypeVar("_Attempt")
_Choice = TypeVar("_Choice")
_State = TypeVar("_State")
_Usage = TypeVar("_Usage")
_Item = TypeVar("_Item")
_Rank = TypeVar("_Rank", bound=tuple[Any, ...] | int)


@dataclass(frozen=True, slots=True)
class Chain(Generic[_Item]):
    """A list that shares its rest with the lists it was made from, so that a step costs the same each time.

    Args:
        head: what was put in front last.
        rest: the list before; None when this is its only element.

    >>> list(Chain(1, Chain(2)))
    [1, 2]
    """

    head: _Item
    rest: Chain[_Item] | None = None

    def __iter__(self) -> Iterator[_Item]:
        chain: Chain[_Item] | None = self
        while chain is not None:
            yield chain.head
            chain = chain.rest


@dataclass(frozen=True, slots=True)
class Removal(Generic[_Usage, _Item]):
    """State of the removing fold.

    Args:
        usage: what is in use after the removals so far.
        removed: who has been removed, the last one first.
        fits: whether the request fits now.
    """

    usage: _Usage
    removed: Chain[_Item] | None
    fits: bool


@dataclass(frozen=True, slots=True)
class FillBack(Generic[_Usage, _Item]):
    """State of the filling-back fold.

    Args:
        usage: what is in use after giving back the `spared`.
        kept: removed candidates that stay removed, in the order of removal.
        spared: removed candidates that keep their quota after all, in the order of removal.
    """

    usage: _Usage
    kept: Chain[_Item]
    spared: Chain[_Item] | None


def as_tuple(chain: Chain[_Item] | None) -> tuple[_Item, ...]:
    """The items of a chain, the first in front first; none of None.

    >>> as_tuple(Chain(2, Chain(1))), as_tuple(None)
    ((2, 1), ())
    """
    return () if chain is None else tuple(chain)


def in_order(chain: Chain[_Item] | None) -> tuple[_Item, ...]:
    """The items of a chain in the order in which they were put in front; none of None.

    >>> in_order(Chain(2, Chain(1)))
    (1, 2)
    """
    return as_tuple(chain)[::-1]


def some_of(chain: Chain[_Item] | None) -> Chain[_Item]:
    """A chain that is there, as its caller knows."""
    assert chain is not None
    return chain


def removal_step(
    state: Removal[_Usage, _Item],
    candidate: _Item,
    stands: Callable[[_Usage, _Item], bool],
    fits: Callable[[_Usage], bool],
    remove: Callable[[_Usage, _Item], _Usage],
) -> Removal[_Usage, _Item]:
    """Remove one more candidate, unless it may no longer be preempted.

    >>> removal_step(Removal(5, None, False), 2, lambda u, c: True, lambda u: u <= 3, lambda u, c: u - c)
    Removal(usage=3, removed=Chain(head=2, rest=None), fits=True)
    """
    if not stands(state.usage, candidate):
        return state
    usage = remove(state.usage, candidate)
    return Removal(usage, Chain(candidate, state.removed), fits(usage))


def fill_back_step(
    state: FillBack[_Usage, _Item],
    candidate: _Item,
    fits: Callable[[_Usage], bool],
    add: Callable[[_Usage, _Item], _Usage],
) -> FillBack[_Usage, _Item]:
    """Give one removed candidate its quota back, if the request still fits then.

    >>> fill_back_step(FillBack(1, Chain(9), None), 2, lambda u: u <= 3, lambda u, c: u + c)
    FillBack(usage=3, kept=Chain(head=9, rest=None), spared=Chain(head=2, rest=None))
    """
    usage = add(state.usage, candidate)
    if fits(usage):
        return FillBack(usage, state.kept, Chain(candidate, state.spared))
    return FillBack(state.usage, Chain(candidate, state.kept), state.spared)


def remove_until_fits(
    candidates: Iterable[_Item],
    usage: _Usage,
    stands: Callable[[_Usage, _Item], bool],
    fits: Callable[[_Usage], bool],
    remove: Callable[[_Usage, _Item], _Usage],
) -> Removal[_Usage, _Item]:
    """Remove candidates from the front until the request fits, at least one.

    >>> end = remove_until_fits([1, 2, 4], 7, lambda u, c: True, lambda u: u <= 4, lambda u, c: u - c)
    >>> end.usage, list(end.removed), end.fits
    (4, [2, 1], True)
    """
    state: Removal[_Usage, _Item] = Removal(usage, None, fits=False)
    for candidate in candidates:
        state = removal_step(state, candidate, stands, fits, remove)
        if state.fits:
            break
    return state


def remove_in_turn(
    candidates: Iterable[_Item],
    usage: _Usage,
    rank: Callable[[_Usage], Callable[[_Item], _Rank]],
    at_turn: Callable[[_Usage, _Item], _Item],
    fits: Callable[[_Usage], bool],
    remove: Callable[[_Usage, _Item], _Usage],
) -> Removal[_Usage, _Item]:
    """Remove candidates until the request fits, at least one, in an order that may change with each removal.

    Args:
        candidates: all of them; each has one turn.
        usage: what is in use with none of them removed.
        rank: of candidates, beside what is in use; the lowest of those that wait has its turn.
        at_turn: the same candidate, as it is beside what is in use.

    >>> last = lambda usage: lambda one: -one
    >>> end = remove_in_turn([1, 2], 5, last, lambda u, c: c, lambda u: u < 4, lambda u, c: u - c)
    >>> list(end.removed), end.fits
    ([2], True)
    """
    state: Removal[_Usage, _Item] = Removal(usage, None, fits=False)
    waiting = tuple(candidates)
    for _ in candidates:
        first, waiting = first_of(waiting, rank, state.usage)
        candidate = at_turn(state.usage, first)
        left = remove(state.usage, candidate)
        state = Removal(left, Chain(candidate, state.removed), fits(left))
        if state.fits:
            break
    return state


def first_of(
    waiting: tuple[_Item, ...], rank: Callable[[_Usage], Callable[[_Item], _Rank]], usage: _Usage
) -> tuple[_Item, tuple[_Item, ...]]:
    """The item with the lowest rank beside what is in use, and the others.

    >>> first_of((2, 1, 3), lambda usage: lambda item: usage * item, -1)
    (3, (2, 1))
    """
    first = min(waiting, key=rank(usage))
    return first, tuple(item for item in waiting if item is not first)


def attempts_until_one_fits(
    choices: Iterable[_Choice],
    attempt_of: Callable[[_Choice], _Attempt],
    fits: Callable[[_Attempt], bool],
) -> Chain[_Attempt] | None:
    """Make one attempt after the other, and none after the first that fits; the last one in front.

    >>> list(attempts_until_one_fits((1, 2, 3), lambda choice: choice * 10, lambda attempt: attempt == 20))
    [20, 10]
    """
    made: Chain[_Attempt] | None = None
    for choice in choices:
        attempt = attempt_of(choice)
        made = Chain(attempt, made)
        if fits(attempt):
            break
    return made


def rounds(
    waiting: Iterable[_Item],
    state: _State,
    step: Callable[[_State], _State],
    ended: Callable[[_State], bool],
) -> _State:
    """Take one step after the other, at most one for each item that waits, and none after one that ends it.

    Args:
        waiting: who has a turn in some step, unless an earlier one has ended it.
        state: before the first step; none that has ended.

    >>> rounds("abc", 0, lambda taken: taken + 1, lambda taken: taken == 2)
    2
    """
    for _ in waiting:
        state = step(state)
        if ended(state):
            break
    return state


def best_of(
    items: Iterable[_Item],
    nothing: _Item,
    stays: Callable[[_Item], bool],
    beats: Callable[[_Item, _Item], bool],
) -> _Item | None:
    """Of those that stay, the one that no other beats; each is compared with the best before it.

    Args:
        nothing: the placeholder for the best while there is none; it is never compared.

    >>> best_of([1, 4, 3, 8], 0, lambda item: item < 5, lambda item, best: item > best)
    4
    """
    found, best = False, nothing
    for item in items:
        if stays(item) and (not found or beats(item, best)):
            found, best = True, item
    return best if found else None


def fill_back(
    removed: Chain[_Item],
    usage: _Usage,
    fits: Callable[[_Usage], bool],
    add: Callable[[_Usage, _Item], _Usage],
) -> FillBack[_Usage, _Item]:
    """Give back, from the second last removed to the first, every workload whose removal is not needed.

    Args:
        removed: the last one first; after that one the request fits.
        usage: what is in use with all of them removed.

    >>> end = fill_back(Chain(4, Chain(2, Chain(1))), 0, lambda u: u <= 2, lambda u, c: u + c)
    >>> end.usage, list(end.kept), list(end.spared)
    (2, [1, 4], [2])
    """
    state: FillBack[_Usage, _Item] = FillBack(usage, Chain(removed.head), None)
    for candidate in removed.rest or ():
        state = fill_back_step(state, candidate, fits, add)
    return state
