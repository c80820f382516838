"""Ten wrong encodings of a preemption: random states and real decisions refute each."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

import tenure_proofs.analysis
from tenure_proofs.analysis import campaign, encoding, prover, slices

FOLDER = Path(tenure_proofs.analysis.__file__).parent

WRONG: dict[str, tuple[str, str, str]] = {
    "the victim's queue exceeds its quota without it too": (
        "encoding.py",
        'z3.Bool("E.over_quota") == self._all_exceed("turn", self.v)',
        'z3.Bool("E.over_quota") == self._all_exceed("final", self.v)',
    ),
    "every cohort up to the root exceeds its quota": (
        "encoding.py",
        "for index in places_below(self.tree, place, common)])",
        "for index in self.tree.nodes[place].path])",
    ),
    "none but the victim leaves": (
        "encoding.py",
        "yield z3.And(start >= turn, turn >= back)",
        "yield z3.And(start == turn, turn == back)",
    ),
    "the request fits beside the victim": (
        "encoding.py",
        'yield self._fits("final")',
        'yield self._fits("back")',
    ),
    "an attempt with borrowing is one without": (
        "encoding.py",
        "for may_borrow in (False, True))",
        "for may_borrow in (True, False))",
    ),
    "a victim's initial share is counted without it": (
        "encoding.py",
        '"less" if ground == Ground.FINAL_SHARE else "charged"',
        '"less"',
    ),
    "a share of weight zero is a small one": (
        "encoding.py",
        "return z3.Or(other.borrowed > 0, self.borrowed <= 0)",
        "return self.borrowed <= 0",
    ),
    "the second strategy is left out": (
        "encoding.py",
        "if len(strategies) > 1 else ()",
        "if len(strategies) > 2 else ()",
    ),
    "a victim was admitted after the preemptor was created": (
        "encoding.py",
        'z3.Int("V.quota_reserved_at") >= z3.Int("V.created_at")',
        'z3.Int("V.quota_reserved_at") >= z3.Int("P.created_at")',
    ),
    "the others of a slice borrow nothing": (
        "slices.py",
        "limit = reduce(plus, limits) if len(limits) == len(quotas) else None",
        "limit = 0",
    ),
}
"""What must be refuted, by random states or by decisions that the encoding refuses: file, right and wrong."""


@contextmanager
def changed(file: str, right: str, wrong: str) -> Iterator[None]:
    """The analysis with one line of a module changed."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    assert text.count(right) == 1
    real = {"encoding.py": encoding, "slices.py": slices}[file]
    made = ModuleType(real.__name__)
    sys.modules[real.__name__] = made
    try:
        exec(compile(text.replace(right, wrong), file, "exec"), vars(made))
    finally:
        sys.modules[real.__name__] = real
    with pytest.MonkeyPatch.context() as patch:
        for user in (campaign, prover):
            for name in ("Pair", "slice_of"):
                if hasattr(made, name) and hasattr(user, name):
                    patch.setattr(user, name, getattr(made, name))
        yield


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_encoding_is_refuted(mistake: str) -> None:
    with changed(*WRONG[mistake]):
        assert next(campaign.refutations(range(1, 200), 60, 3, Counter()), None)
