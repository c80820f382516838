"""Which attempts were made to find targets, what each came to, and why it failed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from tenure.model import Amount, FairStrategy, FlavorResource, Ground
from tenure.oracle.classical import MAY_BORROW, attempt, attempts_of
from tenure.oracle.decide import Decision
from tenure.oracle.heroes.search import HeroSearch
from tenure.oracle.question import OWN, Candidate, Question, Selection
from tenure.oracle.tree import Usage
from tenure.telling.findings.comparisons import Phase, phases
from tenure.telling.findings.question import amounts_text, question_of, still_short
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
    """The attempts of the search for targets, in order; none where nobody needed to be asked.

    Source: KQ-360, KQ-380 and KQ-400 to KQ-430, asked again.
    """
    selection = decision.selection
    if selection is None:
        return ()
    question = question_of(decision)
    if decision.terms.hero:
        return (_by_hero(question, selection),)
    if decision.terms.fair_sharing:
        return tuple(_fairly(question, selection.candidates))
    return tuple(_classically(question, selection.candidates))


def spared(decision: Decision) -> tuple[str, ...]:
    """Who was removed and given its quota back by fill-back, `namespace/name`."""
    selection = decision.selection
    return () if selection is None else tuple(each.workload.key for each in selection.spared)


def _by_hero(question: Question, selection: Selection) -> AttemptFinding:
    """A hero's only attempt; all candidates are removed where they do not suffice."""
    search = HeroSearch(question)
    removed = selection.removed or selection.candidates
    usage = search.start
    for candidate in removed:
        usage = search.without(usage, candidate)
    keys = [each.workload.key for each in removed]
    fits = bool(selection.kept)
    return _finding(question, "as a hero", selection.candidates, keys, (), usage, fits, may_borrow=True)


def _classically(question: Question, candidates: tuple[Candidate, ...]) -> Iterator[AttemptFinding]:
    for may_borrow in MAY_BORROW[attempts_of(question, candidates)]:
        removal = attempt(question, candidates, may_borrow)
        removed = [each.workload.key for each in removal.removed or ()][::-1]
        yield _finding(
            question,
            "with borrowing" if may_borrow else "without borrowing",
            candidates,
            removed,
            tuple(_passed_over(question, candidates, removed, may_borrow)),
            removal.usage,
            removal.fits,
            may_borrow,
        )
        if removal.fits:
            return


def _passed_over(
    question: Question, candidates: tuple[Candidate, ...], removed: list[str], may_borrow: bool
) -> Iterator[PassedOver]:
    """Walk through the removals again, and say of each candidate that is not among them why."""
    usage, gone = question.snapshot.usage, set(removed)
    left = len(removed)
    for candidate in candidates:
        key = candidate.workload.key
        if key in gone:
            usage, left = question.without(usage, candidate), left - 1
        elif left or not question.fits(usage, may_borrow=may_borrow) or not removed:
            yield PassedOver(key, _why_passed_over(question, candidate, usage, may_borrow))


def _why_passed_over(question: Question, candidate: Candidate, usage: Usage, may_borrow: bool) -> str:
    if may_borrow and candidate.evidence.ground == Ground.WITHOUT_BORROWING:
        return "it may be taken only while the preemptor's queue does not borrow (KQ-380)"
    tree = question.tree_under(usage)
    for place in tree.nodes[candidate.place].path:
        if place == candidate.common:
            break
        if not question.exceeds_quota(usage, place):
            node = tree.nodes[place]
            kind = "ClusterQueue" if node.queue else "Cohort"
            return f"when its turn came {kind} {node.name} was within its quota (KQ-380)"
    assert candidate.group == OWN or not may_borrow
    return "it could not be taken (KQ-380)"


def _fairly(question: Question, candidates: tuple[Candidate, ...]) -> Iterator[AttemptFinding]:
    settings = question.snapshot.cluster.settings
    strategies = settings.fair_sharing or tuple(FairStrategy)
    waiting, before = candidates, 0
    for phase in phases(question, candidates) or (None,):
        removed = [] if phase is None else [turn.candidate.workload.key for turn in phase.turns if turn.taken]
        finding = _finding(
            question,
            STRATEGY_NAMES[strategies[1 if phase is not None and phase.second else 0]],
            waiting,
            removed,
            () if phase is None else tuple(_rejected(phase)),
            question.snapshot.usage if phase is None else phase.end.usage,
            phase is not None and phase.end.fits,
            may_borrow=True,
        )
        earlier = f", besides {before} removed before" if before else ""
        yield dataclasses.replace(finding, text=finding.text + earlier)
        waiting = () if phase is None else tuple(phase.end.rejected or ())
        before += len(removed)


def _rejected(phase: Phase) -> Iterator[PassedOver]:
    for turn in phase.turns:
        if turn.taken or turn.comparison is None:
            continue
        rule = "KQ-420" if turn.comparison.strategy == "LessThanOrEqualToFinalShare" else "KQ-430"
        yield PassedOver(turn.candidate.workload.key, f"{turn.comparison.text} ({rule})")


def _finding(
    question: Question,
    name: str,
    candidates: tuple[Candidate, ...],
    removed: list[str],
    passed_over: tuple[PassedOver, ...],
    usage: Usage,
    fits: bool,
    may_borrow: bool,
) -> AttemptFinding:
    short = {} if fits else still_short(question, usage, may_borrow=may_borrow)
    return AttemptFinding(
        name=name,
        candidates=len(candidates),
        removed=tuple(removed),
        passed_over=passed_over,
        fits=fits,
        short=tuple(Lack(at.flavor, at.resource, amount(at, number)) for at, number in short.items()),
        text=_text(len(candidates), removed, fits, short),
    )


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
