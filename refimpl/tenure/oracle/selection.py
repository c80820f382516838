"""Selection as folds: remove candidates in order until the request fits, then fill back.

Each loop is a fold of a pure step that is given `fits`, `add` and `remove`; nothing here knows what
an amount is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

_Usage = TypeVar("_Usage")
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Removal(Generic[_Usage]):
    """State of the removing fold.

    Args:
        usage: what is in use after the removals so far.
        removed: how many candidates, from the front, have been removed.
        fits: whether the request fits now.
    """

    usage: _Usage
    removed: int
    fits: bool


@dataclass(frozen=True, slots=True)
class FillBack(Generic[_Usage, _Item]):
    """State of the filling-back fold.

    Args:
        usage: what is in use after giving back the `spared`.
        kept: removed candidates that stay removed, in the order of removal.
        spared: removed candidates that keep their quota after all.
    """

    usage: _Usage
    kept: tuple[_Item, ...]
    spared: tuple[_Item, ...]


def removal_step(
    state: Removal[_Usage],
    candidate: _Item,
    fits: Callable[[_Usage], bool],
    remove: Callable[[_Usage, _Item], _Usage],
) -> Removal[_Usage]:
    """Remove one more candidate, unless the request fits already.

    >>> removal_step(Removal(usage=5, removed=0, fits=False), 2, lambda u: u <= 3, lambda u, c: u - c)
    Removal(usage=3, removed=1, fits=True)
    """
    if state.fits:
        return state
    usage = remove(state.usage, candidate)
    return Removal(usage, state.removed + 1, fits(usage))


def fill_back_step(
    state: FillBack[_Usage, _Item],
    candidate: _Item,
    fits: Callable[[_Usage], bool],
    add: Callable[[_Usage, _Item], _Usage],
) -> FillBack[_Usage, _Item]:
    """Give one removed candidate its quota back, if the request still fits then.

    >>> fill_back_step(FillBack(usage=1, kept=(9,), spared=()), 2, lambda u: u <= 3, lambda u, c: u + c)
    FillBack(usage=3, kept=(9,), spared=(2,))
    """
    usage = add(state.usage, candidate)
    if fits(usage):
        return FillBack(usage, state.kept, (candidate, *state.spared))
    return FillBack(state.usage, (candidate, *state.kept), state.spared)


def remove_until_fits(
    candidates: Sequence[_Item],
    usage: _Usage,
    fits: Callable[[_Usage], bool],
    remove: Callable[[_Usage, _Item], _Usage],
) -> Removal[_Usage]:
    """Remove candidates from the front until the request fits, at least one.

    >>> remove_until_fits([1, 2, 4], 7, lambda u: u <= 4, lambda u, c: u - c)
    Removal(usage=4, removed=2, fits=True)
    """
    state: Removal[_Usage] = Removal(usage, 0, fits=False)
    for candidate in candidates:
        state = removal_step(state, candidate, fits, remove)
    return state


def fill_back(
    removed: Sequence[_Item],
    usage: _Usage,
    fits: Callable[[_Usage], bool],
    add: Callable[[_Usage, _Item], _Usage],
) -> FillBack[_Usage, _Item]:
    """Give back, from the second last removed to the first, whoever need not leave after all.

    Args:
        removed: at least one, in the order of removal; after the last of them the request fits.
        usage: what is in use with all of them removed.

    >>> fill_back([1, 2, 4], 0, lambda u: u <= 2, lambda u, c: u + c)
    FillBack(usage=2, kept=(1, 4), spared=(2,))
    """
    state: FillBack[_Usage, _Item] = FillBack(usage, (removed[-1],), ())
    for candidate in reversed(removed[:-1]):
        state = fill_back_step(state, candidate, fits, add)
    return state
