"""Every size at once: the requests for which a search for targets comes out alike, found by making it.

A search without shares does nothing with a request but add and subtract quota and compare. So the amounts
that it is given here note up to where each comparison would have come out as it did. What they leave is a box
around the request in which every request ends with the same targets, and the rest is searched likewise until
nothing is left. A request does more only by what it lacks: the flavor-resources of which it asks more than
is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from tenure.explanation.risk.policy import Prospect
from tenure.model import UNLIMITED, Amount, FlavorResource, Workload
from tenure.oracle.assignment import PODS
from tenure.oracle.question import Question, Selection
from tenure.oracle.search import find_targets

Range: TypeAlias = tuple[Amount, Amount]
"""The smallest and the largest amount."""

Box: TypeAlias = dict[FlavorResource, Range]
"""The requests whose amounts are each in a range."""


@dataclass(slots=True)
class Comparisons:
    """Where the comparisons of a search would have come out as they did.

    Args:
        box: the amounts of each flavor-resource.
        lost: whether something was done with an amount that is not noted.
        shares: whether shares were counted with an amount, of which comparisons are not noted.
    """

    box: Box
    lost: bool = False
    shares: bool = False

    def narrow(self, at: FlavorResource, least: Amount | None, most: Amount | None) -> None:
        """No less, and no more, than so much would have come out alike."""
        low, high = self.box[at]
        self.box[at] = (low if least is None else max(low, least), high if most is None else min(high, most))


class Noting(int):
    """An amount of a request, plus or minus a constant, that notes what it is compared with.

    >>> gpu = FlavorResource("f", "gpu")
    >>> noted = Comparisons({gpu: (1, 100)})
    >>> 7 + Noting.of(5, gpu, noted) <= 20, noted.box[gpu]
    (True, (1, 13))
    >>> 9 - Noting.of(5, gpu, noted) > 6, noted.box[gpu]
    (False, (3, 13))
    """

    at: FlavorResource
    noted: Comparisons
    sign: int
    constant: int

    @classmethod
    def of(cls, amount: Amount, at: FlavorResource, noted: Comparisons) -> Noting:
        """An amount itself."""
        return cls._made(amount, at, noted, 1, 0)

    @classmethod
    def _made(
        cls, amount: Amount, at: FlavorResource, noted: Comparisons, sign: int, constant: int
    ) -> Noting:
        made = cls(sign * amount + constant)
        made.at, made.noted, made.sign, made.constant = at, noted, sign, constant
        return made

    def _moved(self, sign: int, constant: int) -> Noting:
        amount = self.sign * (int(self) - self.constant)
        return self._made(amount, self.at, self.noted, sign, constant)

    def _plain(self, other: object) -> int:
        """The other side of an operation, which must be a constant."""
        if isinstance(other, Noting) or not isinstance(other, int):
            self.noted.lost = True
        return int.__int__(other) if isinstance(other, int) else 0

    def _is_below(self, bound: int) -> bool:
        below = int(self) < bound
        if self.sign > 0:
            edge = bound - self.constant
            self.noted.narrow(self.at, *((None, edge - 1) if below else (edge, None)))
        else:
            edge = self.constant - bound
            self.noted.narrow(self.at, *((edge + 1, None) if below else (None, edge)))
        return below

    def __add__(self, other: object) -> int:
        if isinstance(other, Noting):  # only shares add up what is asked of several flavors
            self.noted.shares = True
            return int(self) + int(other)
        return self._moved(self.sign, self.constant + self._plain(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> Noting:
        return self._moved(self.sign, self.constant - self._plain(other))

    def __rsub__(self, other: object) -> Noting:
        return self._moved(-self.sign, self._plain(other) - self.constant)

    def __neg__(self) -> Noting:
        return self._moved(-self.sign, -self.constant)

    def __lt__(self, other: object) -> bool:
        return self._is_below(self._plain(other))

    def __le__(self, other: object) -> bool:
        return self._is_below(self._plain(other) + 1)

    def __gt__(self, other: object) -> bool:
        return not self._is_below(self._plain(other) + 1)

    def __ge__(self, other: object) -> bool:
        return not self._is_below(self._plain(other))

    def __eq__(self, other: object) -> bool:
        bound = self._plain(other)
        return not self._is_below(bound) and self._is_below(bound + 1)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return self != 0

    def _lose(self, *_: object) -> Any:
        """What is done with an amount and cannot be noted; nothing is concluded from such a search."""
        self.noted.lost = True
        return NotImplemented

    __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = _lose
    __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = _lose
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = _lose

    def __float__(self) -> float:
        self.noted.shares = True
        return float(int.__int__(self))

    def __hash__(self) -> int:
        self.noted.lost = True
        return int.__hash__(self)


MOST_LOOKED_AT = 40_000
"""So many running workloads the searches for one answer look at, at most, where every size is tried."""

PART = 8_000
"""So many of them where every size is tried for the workloads of one ClusterQueue at one instant."""

A_SEARCH = 20
"""What a search costs besides, counted in running workloads."""


FAIRLY = 2
"""So many times as much a search by shares does with each of them."""


@dataclass(slots=True)
class Budget:
    """How many running workloads searches may still look at: a bound that no machine's speed moves."""

    left: int = MOST_LOOKED_AT

    @contextmanager
    def part(self) -> Iterator[Budget]:
        """A part of it, for one question among several; what is not spent comes back."""
        part = Budget(min(self.left, PART))
        self.left -= part.left
        yield part
        self.left += max(0, part.left)

    def spend(self, prospect: Prospect, searches: int = 1) -> bool:
        """Whether so many more searches are within the budget; they are charged."""
        running = sum(map(len, prospect.snapshot.running.values()))
        self.left -= searches * (A_SEARCH + running * (FAIRLY if prospect.terms.fair_sharing else 1))
        return self.left >= 0


def sizes_that_preempt(
    prospect: Prospect, preemptor: Workload, budget: Budget
) -> Iterator[dict[FlavorResource, Amount] | None]:
    """Requests for which the search preempts the victim, one of every box; None where the rest is not known.

    Where nothing more comes, no workload of any other size preempts the victim: of any number of pod sets and
    any flavors, since the search is made for sums.

    Args:
        prospect: the victim, and the ClusterQueue of the made-up workload.
        preemptor: the made-up workload.
        budget: what may be spent.
    """
    boxes = list(_all_requests(prospect))
    while boxes:
        box = boxes.pop()
        search = _BoxSearch(prospect, preemptor, box, budget)
        known = search.known()
        if known is None:
            yield None
            return
        boxes += rest_of(box, known)
        if search.preempts:
            yield {at: high for at, (_, high) in known.items() if high > 0}


def _all_requests(prospect: Prospect) -> Iterator[Box]:
    """All requests for which targets are searched, by what they request and what of that they lack."""
    covered = tuple(prospect.snapshot.tree.nodes[prospect.snapshot.place].quotas)
    for chosen in product(*(_choices(prospect, at) for at in covered)):
        box = dict(zip(covered, chosen, strict=True))
        if any(box[at][0] >= prospect.first(at) for at in prospect.held):
            yield box


def _choices(prospect: Prospect, at: FlavorResource) -> Iterator[Range]:
    """Nothing of a flavor-resource, what is free at most, or more than that."""
    first = prospect.first(at)
    yield (0, 0)
    if first > 1 and at.resource != PODS:
        yield (1, first - 1)
    if at in prospect.short and first <= prospect.largest(at):
        # A search does not request pods: that they are short is all that counts.
        yield (first, first) if at.resource == PODS else (first, min(prospect.largest(at), UNLIMITED - 1))


class _BoxSearch:
    """Searches in one box, all of which lack the same flavor-resources.

    Args:
        prospect, preemptor, budget: as for `sizes_that_preempt`.
        box: the requests.
    """

    def __init__(self, prospect: Prospect, preemptor: Workload, box: Box, budget: Budget) -> None:
        self._prospect, self._preemptor, self._budget, self._box = prospect, preemptor, budget, box
        self._needed = frozenset(at for at, (low, _) in box.items() if low >= prospect.first(at))
        self.preempts = False

    def known(self) -> Box | None:
        """The requests that end as the largest one does; None where that is not known.

        A larger request only makes shares of the preemptor's side greater, and what requests more fits less
        often. So where two requests end in the same turns, all between them do: along a line they are one
        range, whose end is found by halving.
        """
        noted = Comparisons(dict(self._box))
        largest = {at: high for at, (_, high) in self._box.items()}
        found = self._made({at: Noting.of(amount, at, noted) for at, amount in largest.items()})
        if found is None or noted.lost:
            return None
        self.preempts = any(candidate.workload.key == self._prospect.victim.key for candidate in found.kept)
        return self._alike(found, largest, noted.box) if noted.shares else noted.box

    def _alike(self, found: Selection, largest: Mapping[FlavorResource, Amount], box: Box) -> Box | None:
        corner, turns = dict(largest), _turns(found)
        for at, (low, high) in box.items():
            least, most = low, high
            while least < most:
                middle = (least + most) // 2
                other = self._made({**corner, at: middle})
                if other is None:
                    return None
                if _turns(other) == turns:
                    most = middle
                else:
                    least = middle + 1
            corner[at] = most
        return {at: (least, largest[at]) for at, least in corner.items()}

    def _made(self, amounts: Mapping[FlavorResource, Amount]) -> Selection | None:
        """The search for a request; None beyond the budget."""
        if not self._budget.spend(self._prospect):
            return None
        request = {
            at: amount for at, amount in amounts.items() if self._box[at][1] > 0 and at.resource != PODS
        }
        prospect = self._prospect
        return find_targets(
            Question(prospect.snapshot, self._preemptor, self._needed, request, prospect.terms, prospect.now)
        )


def _turns(found: Selection) -> tuple[object, ...]:
    """Everything that a search has decided, in order."""
    attempts = tuple(
        (attempt.fits, tuple((turn.candidate.workload.key, turn.removed) for turn in attempt.turns))
        for attempt in found.attempts
    )
    return attempts, tuple(candidate.workload.key for candidate in found.spared)


def rest_of(box: Box, known: Box) -> Iterator[Box]:
    """What is left of a box without another one inside it, in boxes that share nothing."""
    left = dict(box)
    for at, (low, high) in known.items():
        below, above = left[at][0], left[at][1]
        if below < low:
            yield {**left, at: (below, low - 1)}
        if high < above:
            yield {**left, at: (high + 1, above)}
        left[at] = (low, high)
