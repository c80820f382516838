"""Findings: for each rule which of its answers count as a yes, and for each basis its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from tenure.explanation.identifiers import RuleId
from tenure.model import (
    MINUTE,
    UNLIMITED,
    Attempts,
    Basis,
    FlavorMode,
    PolicyFault,
    PriorityMode,
    Reason,
    TurnResult,
)
from tenure.rules.queue_order import queue_order_timestamp


@dataclass(frozen=True, slots=True)
class Remark:
    """A rule's finding about a decision."""

    rule: RuleId
    """Its identifier."""
    holds: bool
    """Whether it applies: a yes of a yes-or-no rule; for the others, not the plain case."""
    text: str
    """The values compared."""


def remark(rule: str, result: object, text: str, **given: object) -> Remark:
    """A finding: a rule and whether its answer counts as a yes.

    Args:
        rule: its identifier.
        result: its answer; of a rule without yes or no, `ACCEPTS` decides whether that counts as a yes.
        text: the values compared.
        given: the arguments that `ACCEPTS` looks at, by name.

    >>> remark("KQ-040", Basis.NONE, "policy Never does not allow it").holds
    False
    """
    return Remark(rule, accepts(rule, given, result), text)


BASIS_RULES: dict[Basis, tuple[str, ...]] = {
    Basis.NONE: (),
    Basis.LOWER_PRIORITY: ("KQ-040", "KQ-010"),
    Basis.NEWER_EQUAL: ("KQ-040", "TBP-050", "TBP-040"),
    Basis.TIME_EXPIRED: ("KQ-040", "TBP-050", "TBP-020"),
    Basis.HIERARCHICAL: ("KQ-320", "KQ-330", "KQ-350"),
    Basis.WITHOUT_BORROWING: ("KQ-320", "KQ-330", "KQ-360"),
    Basis.WHILE_BORROWING: ("KQ-320", "KQ-330", "KQ-340"),
    Basis.WITHIN_NOMINAL: ("KQ-400", "KQ-330", "KQ-410"),
    Basis.FINAL_SHARE: ("KQ-400", "KQ-330", "KQ-420"),
    Basis.INITIAL_SHARE: ("KQ-400", "KQ-330", "KQ-430"),
    Basis.HERO: ("UCQ-310", "UCQ-340"),
}
"""The rules by which each basis allows a workload to be preempted, outermost first."""

CONFIG_RULES: tuple[str, ...] = ("PCF-070", "PCF-080")
"""The rules by which a PreemptionConfig allows a workload to be preempted, outermost first."""

Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Accepting:
    """What an accepting answer of a rule is.

    Args:
        words: the same in words.
        test: of the arguments by name, and the answer.
    """

    words: str
    test: Callable[[Arguments, Any], bool]


def accepts(rule: str, given: Arguments, result: object) -> bool:
    """Whether an answer of a rule counts as a yes.

    Args:
        rule: its identifier.
        given: its arguments, by name.
        result: the answer: yes or no, or what `ACCEPTS` judges.
    """
    return result if isinstance(result, bool) else ACCEPTS[rule].test(given, result)


def _answer(words: str, test: Callable[[Any], bool]) -> Accepting:
    def accepts(_given: Arguments, result: Any) -> bool:
        return test(result)

    return Accepting(words, accepts)


def _question(words: str, test: Callable[[Arguments], bool]) -> Accepting:
    def accepts(given: Arguments, _said: Any) -> bool:
        return test(given)

    return Accepting(words, accepts)


def _above_zero(words: str) -> Accepting:
    return _answer(words, lambda result: result > 0)


_BASIS = _answer("there is a basis", lambda result: result != Basis.NONE)

ACCEPTS: Mapping[str, Accepting] = {
    "DYN-010": _above_zero("some time has passed"),
    "PCF-030": Accepting("the base is compared", lambda given, _: given["mode"] == PriorityMode.BASE),
    "PPR-020": Accepting(
        "it is admitted later than its quota was reserved",
        lambda given, result: result != given["target"].quota_reserved_at,
    ),
    "DYN-020": _above_zero("it has grown by a step"),
    "DYN-030": Accepting("another priority than the base", lambda given, result: result != given["base"]),
    "DYN-040": _answer("there is a fault", lambda result: result != PolicyFault.NONE),
    "DYN-050": Accepting("another priority than the base", lambda given, result: result != given["base"]),
    "DYN-060": Accepting(
        "a later step than the first", lambda given, result: _after_the_first(given, result)
    ),
    "DYN-070": _question("its class has a policy", lambda given: given["grown"] is not None),
    "KQ-020": Accepting("not its creation", lambda given, result: result != given["workload"].created_at),
    "KQ-030": _question("there is a stamp", lambda given: given["target"].quota_reserved_at is not None),
    "KQ-040": _BASIS,
    "KQ-080": Accepting("a boost counts", lambda given, result: result != given["base"]),
    "KQ-100": _answer("the sum is unlimited", lambda result: result == UNLIMITED),
    "KQ-110": _question("one of the two is unlimited", lambda given: UNLIMITED in given.values()),
    "KQ-120": _above_zero("some quota is local"),
    "KQ-130": _above_zero("some quota is lent"),
    "KQ-140": _above_zero("some usage reaches the cohort"),
    "KQ-150": _above_zero("some local quota is left"),
    "KQ-160": Accepting("more than its own quota", lambda given, result: result > given["quota"].subtree),
    "KQ-170": Accepting("the borrowing limit binds", lambda given, result: result < given["above"]),
    "KQ-180": _above_zero("something is available"),
    "KQ-210": _above_zero("something is left for the node above"),
    "KQ-230": _answer(
        "already evicted, or an equal that has exceeded its time",
        lambda result: result.running == 0 or result.unexpired == 0,
    ),
    "KQ-300": _BASIS,
    "KQ-310": _answer("a reason of the cohort", lambda result: result > Reason.IN_CLUSTER_QUEUE_TIME_BASED),
    "KQ-320": _BASIS,
    "KQ-360": _answer("an attempt without borrowing", lambda result: result != Attempts.BORROWING),
    "KQ-400": _BASIS,
    "KQ-440": _above_zero("the ratio is above zero"),
    "KQ-450": _above_zero("the first share is higher"),
    "KQ-460": _above_zero("the share is above zero"),
    "KQ-470": _above_zero("something is borrowed"),
    "KQ-520": _answer("it fits, or a search decides", lambda result: result != FlavorMode.NO_FIT),
    "KQ-540": _answer("there are targets", lambda result: result != FlavorMode.NO_CANDIDATES),
    "KQ-600": Accepting("fewer pods", lambda given, result: result < given["count"]),
    "KQ-610": Accepting("another amount", lambda given, result: result != given["request"]),
    "UCQ-040": Accepting("the parent cohort", lambda given, result: result == given["parent"]),
    "UCQ-060": _answer("one hero above the other, or peers", lambda result: result.above or result.peer),
    "UCQ-100": _above_zero("something is billed to others"),
    "UCQ-110": _above_zero("something can be billed"),
    "UCQ-120": Accepting("no less than is used", lambda given, result: result == given["billed_usage"]),
    "UCQ-130": _above_zero("the node is billed"),
    "UCQ-140": _above_zero("the hero is credited"),
    "UCQ-150": _above_zero("the node is billed"),
    "UCQ-160": Accepting("another quota", lambda given, result: result != given["nominal"]),
    "UCQ-170": Accepting("less usage", lambda given, result: result < given["usage"]),
    "UCQ-180": Accepting("a wider limit", lambda given, result: result != given["limit"]),
    "UCQ-190": Accepting("a lower limit", lambda given, result: result != given["limit"]),
    "UCQ-200": _above_zero("something is unlocked"),
    "UCQ-210": Accepting("all of its subtree", lambda given, result: result == given["subtree"]),
    "UCQ-220": _answer("it is clamped", lambda result: result is not None),
    "UCQ-230": Accepting("more room", lambda given, result: result > given["room"]),
    "UCQ-250": _answer("it fits, or a search decides", lambda result: result != FlavorMode.NO_FIT),
    "UCQ-260": Accepting("all of it", lambda given, result: result == given["amount"]),
    "UCQ-310": _BASIS,
    "UCQ-320": _answer("of another queue, beyond its quota", lambda result: result == 0),
    "UCQ-330": _answer("preempted by a hero", lambda result: result == Reason.UBER_CQ_PREEMPTION),
    "KMR-010": _question("its own value is set", lambda given: given["own"] is not None),
    "KMR-020": _above_zero("the default protects"),
    "KMR-040": _question("the queue has a say", lambda given: given["counts"]),
    "KMR-110": _question("the session has resolved it before", lambda given: given["kept"] is not None),
    "KMR-140": _above_zero("a pod must stay"),
    "KMR-150": Accepting("a later eviction", lambda given, result: result != given["created"]),
    "KMR-160": _answer("there is a delay", lambda result: result is not None),
    "RBO-020": _question("not the first reclaim", lambda given: given["before"] is not None),
    "RBO-030": _question("it replaces one", lambda given: given["before"] is not None),
    "CYC-060": _answer("it is admitted, or preempts", lambda result: result <= TurnResult.PREEMPTING),
    "CYC-110": _above_zero("something is kept"),
    "CYC-130": Accepting("the gap is not over", lambda given, result: result > given["now"]),
    "CYC-140": _question("a wake is planned already", lambda given: given["planned"]),
    "CYC-150": _question("more than the least duration", lambda given: given["min_admit_duration"] > MINUTE),
    "CYC-160": Accepting("a fraction is dropped", lambda given, result: result != given["instant"]),
    "CYC-170": _above_zero("work is lost"),
    "CYC-180": Accepting("progress counts", lambda given, result: result < given["work"]),
    "TBP-010": _answer("a duration is in force", lambda result: result is not None),
    "TBP-030": Accepting("from its preemption", lambda given, result: result != _as_in_kueue(given)),
    "TBP-050": _BASIS,
    "TBP-070": _answer("expired", lambda result: result == Reason.IN_CLUSTER_QUEUE_TIME_BASED),
}
"""For every rule that answers no yes or no."""


def _after_the_first(given: Arguments, result: int) -> bool:
    workload = given["workload"]
    first = workload.ages_since + given["policy"].delay_for_step
    return bool(result > first)


def _as_in_kueue(given: Arguments) -> int:
    terms = given["terms"]
    return queue_order_timestamp(
        given["workload"], terms.requeuing_timestamp, terms.priority_sorting_within_cohort
    )
