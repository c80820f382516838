"""Which attempts were made to find targets, what each came to, and why it failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.model import Amount, FairStrategy, FlavorResource, Ground
from tenure.oracle.decide import Decision
from tenure.oracle.question import Attempt, Turn
from tenure.oracle.tree import Tree
from tenure.telling.findings.comparisons import comparison_text
from tenure.telling.findings.question import amounts_text, still_short
from tenure.telling.findings.shortages import amount

STRATEGY_NAMES = {
    FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE: "LessThanOrEqualToFinalShare",
    FairStrategy.LESS_THAN_INITIAL_SHARE: "LessThanInitialShare",
}
"""The strategies as Kueue's Configuration writes them."""


@dataclass(frozen=True, slots=True)
class Lack:
    """What is still short of a flavor-resource."""

    flavor: str
    """The flavor."""
    resource: str
    """The resource."""
    amount: str
    """How much, as Kubernetes writes quantities."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A candidate that could not be taken when its turn came."""

    workload: str
    """`namespace/name`."""
    why: str
    """In words, with the values compared."""


@dataclass(frozen=True, slots=True)
class AttemptFinding:
    """An attempt to find targets."""

    name: str
    """`with borrowing`, `without borrowing`, or the strategy of fair sharing."""
    candidates: int
    """How many might be taken at its start."""
    removed: tuple[str, ...]
    """Who was removed, `namespace/name`, in order."""
    passed_over: tuple[PassedOver, ...]
    """Who could not be taken when its turn came."""
    fits: bool
    """Whether the request fits after the removals."""
    short: tuple[Lack, ...]
    """What is still short."""
    text: str
    """What it came to, in a sentence."""


def attempts(decision: Decision) -> tuple[AttemptFinding, ...]:
    """The attempts of the search for targets, in order; none where nobody needed to be asked."""
    return tuple(_attempts(decision))


def _attempts(decision: Decision) -> Iterator[AttemptFinding]:
    before, tree = 0, decision.snapshot.tree
    for attempt in () if decision.selection is None else decision.selection.attempts:
        removed = [candidate.workload.key for candidate in attempt.removed]
        short = {} if attempt.fits else still_short(decision, attempt)
        earlier = f", besides {before} removed before" if before else ""
        yield AttemptFinding(
            name=_name(decision, attempt),
            candidates=len(attempt.waiting),
            removed=tuple(removed),
            passed_over=tuple(
                PassedOver(turn.candidate.workload.key, _why_passed_over(tree, attempt, turn))
                for turn in attempt.turns
                if not turn.removed
            ),
            fits=attempt.fits,
            short=tuple(Lack(at.flavor, at.resource, amount(at, number)) for at, number in short.items()),
            text=_text(len(attempt.waiting), removed, attempt.fits, short) + earlier,
        )
        # Only fair sharing goes on from what was removed before.
        before += len(removed) if attempt.strategy is not None else 0


def spared(decision: Decision) -> tuple[str, ...]:
    """Who was removed and given its quota back by fill-back, `namespace/name`."""
    selection = decision.selection
    return () if selection is None else tuple(each.workload.key for each in selection.spared)


def _name(decision: Decision, attempt: Attempt) -> str:
    if decision.terms.hero:
        return "as a hero"
    if attempt.strategy is not None:
        return STRATEGY_NAMES[attempt.strategy]
    return "with borrowing" if attempt.may_borrow else "without borrowing"


def _why_passed_over(tree: Tree, attempt: Attempt, turn: Turn) -> str:
    ground = turn.candidate.evidence.ground
    if turn.shares is not None:
        rule = "KQ-420" if ground == Ground.FINAL_SHARE else "KQ-430"
        return f"{comparison_text(tree, turn)} ({rule})"
    if attempt.may_borrow and ground == Ground.WITHOUT_BORROWING:
        return "it may be taken only while the preemptor's queue does not borrow (KQ-380)"
    assert turn.within is not None
    node = tree.nodes[turn.within]
    kind = "ClusterQueue" if node.queue else "Cohort"
    return f"when its turn came {kind} {node.name} was within its quota (KQ-380)"


def _text(candidates: int, removed: list[str], fits: bool, short: dict[FlavorResource, Amount]) -> str:
    of = f"{len(removed)} of {candidates} candidate{'' if candidates == 1 else 's'}"
    if fits:
        return f"the request fits after the removal of {of}"
    # A number of pods may be short, which the search for targets does not count.
    lacks = f"{amounts_text(short)} short" if short else "nothing that the search counts is short"
    if not candidates:
        return f"nobody may be taken; {lacks}"
    if not removed:
        return f"none of {candidates} could be taken when its turn came; {lacks}"
    return f"{of} removed, and still {lacks}"
