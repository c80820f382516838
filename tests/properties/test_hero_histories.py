"""Histories of clusters with heroes: what must hold holds, and fails where a rule is wrong.

`python -m tests.properties.hero_histories` is the long run; a failure names the seed that it takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tenure.oracle import leaving
from tenure.oracle.heroes import billing, fit
from tenure.oracle.selection import Chain, FillBack
from tests.properties.hero_histories import play
from tests.sampling import sample

FEW = range(sample(60, 300))
EXERCISED = (
    "a hero takes from a hero",
    "checked: a hero's subtree borrows no more from outside than before",
    "checked: no victim could be spared",
    "checked: with no hero running standard queues are decided as Kueue does",
    "checked: what a standard queue takes suffices",
    "hero NoCandidates",
    "histories: classical",
    "histories: fair sharing",
    "histories: nested heroes",
    "histories: peer heroes",
    "histories: three levels of cohorts",
    "histories: two flavors",
    "quota edited",
    "standard Preempt",
)


def _nothing(rest: int, billed_usage: int) -> int:
    return 0 * (rest + billed_usage)


def _all_to_the_first(bill: int, weight: int, before: int, *_: Any) -> int:
    return bill if before == 0 and weight > 0 else 0


def _always(usage: int, request: int, accessible: int, room: int) -> bool:
    return usage + request + accessible + room is not None


def _giving_nobody_back(removed: Chain[Any], usage: Any, fits: Any, add: Any) -> FillBack[Any, Any]:
    del fits, add
    kept = None
    for item in removed:
        kept = Chain(item, kept)
    assert kept is not None
    return FillBack(usage, kept, None)


WRONG: dict[str, tuple[ModuleType, str, Callable[..., Any]]] = {
    "bills and credits are equal": (billing, "credit_of_hero", _nothing),
    "what is billed leaves the tree as quota": (billing, "effective_nominal", lambda nominal, *_: nominal),
    "a bill is between zero and the nominal quota": (billing, "share_of_bill", _all_to_the_first),
    "no hero is above its Accessible": (fit, "hero_request_fits", _always),
    "no victim could be spared": (leaving, "fill_back", _giving_nobody_back),
    "no victim of a standard queue could be spared": (leaving, "fill_back", _giving_nobody_back),
}
"""What fails when a function is another one, by the claim."""


def test_what_must_hold_after_every_step_holds() -> None:
    counts: Counter[str] = Counter()
    for seed in FEW:
        counts += play(seed)
    assert [name for name in EXERCISED if not counts[name]] == []


@pytest.mark.parametrize("claim", WRONG)
def test_a_wrong_rule_is_found(claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, other = WRONG[claim]
    monkeypatch.setattr(module, name, other)
    failed = set()
    for seed in FEW:
        try:
            play(seed)
        except AssertionError as error:
            failed.add(str(error).partition("not so: ")[2])
    assert claim in failed
