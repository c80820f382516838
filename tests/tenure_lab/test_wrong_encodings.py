"""Wrong encodings and wrong slices: the decisions of one configuration that is known to do refute each."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from tenure.readings import preset
from tenure_check.analysis import (
    campaign,
    encoded_decisions,
    encoding,
    heroes,
    ratios,
    selection_proof,
    symbolic_usage,
    tree_slices,
)
from tenure_check.choices import Scope
from tests.analyzed import KNOWN
from tests.docs.blocks import ROOT

STATES = 60
QUEUES = 5


class Trial(NamedTuple):
    """A configuration, a scope, and whether it has heroes, or PreemptionConfigs."""

    configuration: str | int
    scope: Scope
    has_heroes: bool
    has_configs: bool


@dataclass(frozen=True)
class Wrong:
    """A mistake, and the configuration that notices it: a known one, or the number of a random one."""

    where: ModuleType
    right: str
    wrong: str
    noticed_in: str | int
    scope: Scope = Scope.CONSISTENT
    has_heroes: bool = False
    has_configs: bool = False

    @property
    def trial(self) -> Trial:
        """The configuration."""
        with_heroes = self.has_heroes or self.where is heroes
        return Trial(self.noticed_in, self.scope, with_heroes, self.has_configs)


WRONG: dict[str, Wrong] = {
    "the victim's queue exceeds its quota without it too": Wrong(
        encoding,
        'z3.Bool("E.over_quota") == self._all_exceed("turn", self.v)',
        'z3.Bool("E.over_quota") == self._all_exceed("final", self.v)',
        2,
    ),
    "every cohort up to the root exceeds its quota": Wrong(
        symbolic_usage,
        "for index in places_below(self.tree, place, common)])",
        "for index in self.tree.nodes[place].path])",
        2,
    ),
    "none but the victim leaves": Wrong(
        symbolic_usage,
        "yield z3.And(start >= turn, turn >= back)",
        "yield z3.And(start == turn, turn == back)",
        2,
    ),
    "who leaves before the victim exceeds its quota at the end": Wrong(
        encoding,
        'self._all_exceed("start", place))  # or',
        'self._all_exceed("final", place))  # or',
        2,
    ),
    "the request fits beside the victim": Wrong(
        encoding,
        'yield self._fits("final")',
        'yield self._fits("back")',
        1,
    ),
    "an attempt with borrowing is one without": Wrong(
        symbolic_usage,
        "for may_borrow in (False, True))",
        "for may_borrow in (True, False))",
        1,
    ),
    "need is read at the victim's turn": Wrong(
        symbolic_usage,
        'traced, usage = self._folds.traced, self._usage["start"]',
        'traced, usage = self._folds.traced, self._usage["turn"]',
        5,
    ),
    "advantage is read at the end": Wrong(
        encoding,
        'usage, place = self._usage["start"], self.p',
        'usage, place = self._usage["final"], self.p',
        "tree",
    ),
    "a victim's initial share is counted without it": Wrong(
        encoding,
        '"less" if basis == Basis.FINAL_SHARE else "charged"',
        '"less"',
        1,
    ),
    "a share of weight zero is a small one": Wrong(
        ratios,
        "return z3.Or(other.borrowed > 0, self.borrowed <= 0)",
        "return self.borrowed <= 0",
        23,
    ),
    "the second strategy is left out": Wrong(
        encoding,
        "if len(strategies) > 1 else ()",
        "if len(strategies) > 2 else ()",
        1,
    ),
    "a victim was admitted after the preemptor was created": Wrong(
        encoding,
        'z3.Int("V.quota_reserved_at") >= z3.Int("V.created_at")',
        'z3.Int("V.quota_reserved_at") >= z3.Int("P.created_at")',
        1,
    ),
    "in every state something is left at every node": Wrong(
        symbolic_usage,
        'self._usage["start"], node.place, at)) >= 0',
        'self._usage["start"], node.place, at)) > 0',
        1,
    ),
    "the others of a slice borrow nothing": Wrong(
        tree_slices,
        "limit = reduce(plus, limits) if len(limits) == len(quotas) else None",
        "limit = 0",
        1,
    ),
    "the others of a slice use their nominal quota at most": Wrong(
        tree_slices,
        "nominal=lent, subtree=lent, local=0, borrowing_limit=limit",
        "nominal=lent, subtree=sum(quota.nominal for quota in quotas), local=0, borrowing_limit=0",
        1,
    ),
    "the others of a slice use nothing": Wrong(
        tree_slices,
        "nominal=lent, subtree=lent, local=0, borrowing_limit=limit",
        "nominal=0, subtree=0, local=0, borrowing_limit=0",
        1,
    ),
    "the others of a slice borrow together what the least of them may": Wrong(
        tree_slices,
        "limit = reduce(plus, limits) if",
        "limit = min(limits) if",
        19,
    ),
    "the others of a slice that have no limit borrow nothing": Wrong(
        tree_slices,
        "if len(limits) == len(quotas) else None",
        "if limits else None",
        1,
    ),
    "a cohort between a ClusterQueue and the root is left out": Wrong(
        tree_slices,
        "path = (place, *above)\n        self._nodes[place] = node",
        "path = (place, *above[-1:])\n        self._nodes[place] = node",
        7,
    ),
    "a lending limit is ignored": Wrong(
        tree_slices,
        "quotas=node.quotas,",
        "quotas={at: NodeQuota(quota.nominal, quota.subtree, 0, quota.borrowing_limit) "
        "for at, quota in node.quotas.items()},",
        1,
    ),
    "the request fits beside the only victim": Wrong(
        symbolic_usage,
        "(self.victim[at].term if place == self.v else 0)\n            for place, at",
        "0\n            for place, at",
        1,
    ),
    "after edits nothing is short at any node": Wrong(
        symbolic_usage,
        "if self._scope == Scope.CONSISTENT:\n            yield from self._of_consistent_states()",
        "if True:\n            yield from self._of_consistent_states()",
        11,
        Scope.EDITED,
    ),
    "after edits a ClusterQueue uses no more than it could ever have": Wrong(
        symbolic_usage,
        "if self._scope == Scope.CONSISTENT else MOST",
        "if True else MOST",
        11,
        Scope.EDITED,
    ),
    "after edits workloads hold only what their ClusterQueue covers": Wrong(
        symbolic_usage,
        "return self.tree.nodes[place if self._scope == Scope.CONSISTENT else 0].quotas",
        "return self.tree.nodes[place].quotas",
        11,
        Scope.EDITED,
    ),
    "what is not asked for has to be in reach too": Wrong(
        encoding,
        "yield z3.Or(self.request[at].term == 0, z3.Not(term_of(mode == FlavorMode.NO_FIT)))",
        "yield z3.Not(term_of(mode == FlavorMode.NO_FIT))",
        45,
        has_heroes=True,
    ),
    "heroes bill nothing": Wrong(
        heroes,
        "return 0, nominal  # PO-UCQ-335",
        "return nominal, nominal",
        5,
    ),
    "heroes that bill all of their usage bill nothing": Wrong(
        heroes,
        "return nominal - WIDE, nominal + (",
        "return nominal, nominal + (",
        8,
    ),
    "a bill leaves the cohort above as it is": Wrong(
        heroes,
        "else max(0, known.subtree - WIDE)",
        "else known.subtree",
        5,
    ),
    "no cohort has more because of heroes": Wrong(
        heroes,
        "more = WIDE if",
        "more = 0 if",
        3,
    ),
    "a borrowing limit does not rise with a bill": Wrong(
        heroes,
        "made.term + term_of(nominal) == limit + known.nominal",
        "made.term == limit",
        5,
    ),
    "a lending limit does not fall with a bill": Wrong(
        heroes,
        "0, limit)  # UCQ-190",
        "limit, limit)",
        30,
    ),
    "a standard queue uses its nominal quota at most": Wrong(
        heroes,
        "quota.nominal + quota.borrowing_limit\n",
        "quota.nominal\n",
        1,
    ),
    "a hero is related to its victim as that is to it": Wrong(
        heroes,
        "kin_between(plan, *places)",
        "kin_between(plan, *places[::-1])",
        1,
    ),
    "whom a rule selects is a candidate of a policy": Wrong(
        encoding,
        "        if by_config:\n            # Under",
        "        if False:\n            # Under",
        6,
        has_configs=True,
    ),
    "a config makes no search": Wrong(
        symbolic_usage,
        "self._configured = queue.preemption_config is not None",
        "self._configured = False",
        7,
        has_configs=True,
    ),
    "a label that is not listed is no number": Wrong(
        selection_proof,
        "        yield z3.Implies(self.is_number, z3",
        "        yield z3.Implies(self.value >= len(self.listed), z3.Not(self.is_number))\n"
        "        yield z3.Implies(self.is_number, z3",
        2,
        has_configs=True,
    ),
    "the fallback is ignored": Wrong(
        selection_proof,
        "fallback = None if number.fallback is None else SymInt(z3.IntVal(number.fallback))",
        "fallback = None",
        5,
        has_configs=True,
    ),
    "a comparison has the preemptor on the left": Wrong(
        selection_proof,
        "for priority in (cell.low, cell.high))",
        "for priority in (cell.high, cell.low))",
        2,
        has_configs=True,
    ),
    "an invalid selector stops every tier": Wrong(
        selection_proof,
        "if other.trigger <= rule.trigger and fault_of(other)",
        "if fault_of(other)",
        9,
        has_configs=True,
    ),
    "a workload has a priority class": Wrong(
        selection_proof,
        "names = self._selections.class_names(priority)",
        "names = self._selections.class_names(priority)[-1:]",
        0,
        has_configs=True,
    ),
    "a hero asks for no more than a standard queue may": Wrong(
        heroes,
        "if not self.terms.hero:\n            yield from super()._of_the_request()",
        "if True:\n            yield from super()._of_the_request()",
        1,
    ),
}
"""By name. A mistake by which facts say less, such as shares before the request, or others of a slice that
lend beyond their limits, refuses no decision and proves no wrong *never*: nothing here notices it."""


MADE = {tree_slices: "slice_of", selection_proof: "SelectionProof"}
"""What decisions are laid before, other than a pair."""


@contextmanager
def changed(mistake: Wrong) -> Iterator[None]:
    """Decisions laid before encodings of which one expression is changed."""
    text = source_of(mistake.where)
    assert text.count(mistake.right) == 1
    with pytest.MonkeyPatch.context() as patch:
        made = run_again(mistake.where, text.replace(mistake.right, mistake.wrong), patch)
        if mistake.where in (symbolic_usage, ratios):
            made = run_again(encoding, source_of(encoding), patch)
        if mistake.has_heroes:
            made = run_again(heroes, source_of(heroes), patch)
        name = "HeroPair" if mistake.trial.has_heroes else MADE.get(mistake.where, "Pair")
        patch.setattr(encoded_decisions, name, getattr(made, name))
        yield


def source_of(module: ModuleType) -> str:
    """The text of a module."""
    return Path(module.__file__ or "").read_text(encoding="utf-8")


def run_again(module: ModuleType, text: str, patch: pytest.MonkeyPatch) -> ModuleType:
    """A module made from a text, in the place of the one of that name."""
    made = ModuleType(module.__name__)
    patch.setitem(sys.modules, module.__name__, made)
    exec(compile(text, str(module.__file__), "exec"), vars(made))
    return made


def refused_in(trial: Trial) -> list[str]:
    """The first decision that is refused in a configuration, if any is."""
    if isinstance(trial.configuration, int):
        kind = {"heroes": trial.has_heroes, "configs": trial.has_configs}
        found = campaign.refusals([trial.configuration], STATES, QUEUES, Counter(), trial.scope, **kind)
    else:
        known, _ = KNOWN[trial.configuration]
        dice = random.Random(1)
        found = campaign.refusals_in(known, preset("guaranteed"), dice, STATES, Counter(), trial.scope)
    return list(islice(found, 1))


def test_the_page_says_how_many_there_are() -> None:
    text = (ROOT / "docs" / "explanation" / "what-analyze-proves.md").read_text(encoding="utf-8")
    page = " ".join(text.split())
    assert f"makes {len(WRONG)} mistakes in the encoding" in page


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_encoding_is_refuted(mistake: str) -> None:
    wrong = WRONG[mistake]
    with changed(wrong):
        assert refused_in(wrong.trial)


@pytest.mark.parametrize(
    "trial", sorted({wrong.trial for wrong in WRONG.values() if not wrong.has_configs}, key=str)
)
def test_the_right_one_is_not(trial: Trial) -> None:
    """Those with PreemptionConfigs are among the numbers of `test_decisions_are_accepted_by_encodings`."""
    assert not refused_in(trial)
