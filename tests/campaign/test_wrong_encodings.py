"""Ten wrong encodings of a preemption: random states and real decisions refute each."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from tenure_proofs.analysis import campaign, encoding, prover

WRONG: dict[str, tuple[str, str]] = {
    "the victim's queue exceeds its quota without it too": (
        'z3.Bool("E.over_quota") == self._all_exceed("turn", self.v)',
        'z3.Bool("E.over_quota") == self._all_exceed("final", self.v)',
    ),
    "every cohort up to the root exceeds its quota": (
        "for index in places_below(self.tree, place, common)])",
        "for index in self.tree.nodes[place].path])",
    ),
    "none but the victim leaves": (
        "yield z3.And(start >= turn, turn >= back)",
        "yield z3.And(start == turn, turn == back)",
    ),
    "the request fits beside the victim": (
        'yield self._fits("final")',
        'yield self._fits("back")',
    ),
    "an attempt with borrowing is one without": (
        "for may_borrow in (False, True))",
        "for may_borrow in (True, False))",
    ),
    "a victim's initial share is counted without it": (
        '"less" if ground == Ground.FINAL_SHARE else "charged"',
        '"less"',
    ),
    "a share of weight zero is a small one": (
        "return z3.Or(other.borrowed > 0, self.borrowed <= 0)",
        "return self.borrowed <= 0",
    ),
    "the second strategy is left out": (
        "if len(strategies) > 1 else ()",
        "if len(strategies) > 2 else ()",
    ),
    "a victim was admitted after the preemptor was created": (
        'z3.Int("V.quota_reserved_at") >= z3.Int("V.created_at")',
        'z3.Int("V.quota_reserved_at") >= z3.Int("P.created_at")',
    ),
    "in every state something is left at every node": (
        'self._usage["start"], node.place, at)) >= 0',
        'self._usage["start"], node.place, at)) > 0',
    ),
}
"""What must be refuted, by a state that hits what is never or by a refused decision: right and wrong."""


@contextmanager
def changed(right: str, wrong: str) -> Iterator[None]:
    """The encoding with one expression changed."""
    text = Path(encoding.__file__).read_text(encoding="utf-8")
    assert text.count(right) == 1
    made = ModuleType(encoding.__name__)
    sys.modules[encoding.__name__] = made  # where its dataclasses look for it
    try:
        exec(compile(text.replace(right, wrong), encoding.__file__, "exec"), vars(made))
    finally:
        sys.modules[encoding.__name__] = encoding
    with pytest.MonkeyPatch.context() as patch:
        for user in (campaign, prover):
            patch.setattr(user, "Pair", made.Pair)
        yield


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_encoding_is_refuted(mistake: str) -> None:
    with changed(*WRONG[mistake]):
        assert next(campaign.refutations(range(1, 200), 60, 3, Counter()), None)
