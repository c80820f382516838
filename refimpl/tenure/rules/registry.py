"""`@rule`: gives a plain function its identifier and returns it unchanged."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ID = re.compile(r"^(KQ|TBP|UCQ|DYN|KMR|CYC|PCF|PPR|RBO)-\d{3}$")


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """A registered rule.

    Args:
        id: its identifier, issued once and never reused.
        function: the rule itself.
        lift: whether the lifters turn it into a formula.
        reason: why not, when they do not.
    """

    id: str
    function: Callable[..., Any]
    lift: bool
    reason: str


_RULES: dict[str, RuleEntry] = {}


def rule(identifier: str, *, lift: bool = True, reason: str = "") -> Callable[[_Function], _Function]:
    """Register a function as the one implementation of a rule.

    Args:
        identifier: `KQ-`, `TBP-`, `UCQ-`, `DYN-`, `KMR-`, `CYC-` or `PCF-` and three digits.
        lift: False for the closed list of rules that no lifter can read.
        reason: why it cannot be lifted; required with `lift=False`.

    Raises:
        ValueError: a malformed identifier, or one in use, or `lift=False` without a reason.

    >>> rule("TBP-7")
    Traceback (most recent call last):
    ...
    ValueError: 'TBP-7' is no rule identifier: a family of KQ, TBP, UCQ, DYN, KMR, CYC, PCF, PPR, \
RBO, and three digits
    """
    if not _ID.match(identifier):
        raise ValueError(
            f"{identifier!r} is no rule identifier: a family of KQ, TBP, UCQ, DYN, KMR, CYC, PCF, PPR, "
            "RBO, and three digits"
        )
    if not lift and not reason:
        raise ValueError(f"{identifier}: a rule that is not lifted needs a reason")

    def register(function: _Function) -> _Function:
        if identifier in _RULES:
            raise ValueError(f"{identifier} is in use by {_RULES[identifier].function.__qualname__}")
        _RULES[identifier] = RuleEntry(identifier, function, lift, reason)
        return function

    return register


def all_rules() -> tuple[RuleEntry, ...]:
    """Every rule, by identifier."""
    return tuple(_RULES[identifier] for identifier in sorted(_RULES))


def get_rule(identifier: str) -> RuleEntry:
    """The rule of an identifier.

    Raises:
        KeyError: no rule has it.
    """
    return _RULES[identifier]
