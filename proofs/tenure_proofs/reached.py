"""Which functions a function calls, or may call: those that its code names, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from tenure.rules.registry import all_rules


def functions_reached(*begin: Any) -> frozenset[FunctionType]:
    """Functions and classes' methods that are named by these functions, these included, and so on.

    >>> from tenure.rules.time_based import is_time_expired
    >>> sorted(function.__name__ for function in functions_reached(is_time_expired))
    ['is_time_expired', 'quota_reservation_time']
    """
    seen: dict[int, Any] = {}
    rest = list(begin)
    while rest:
        thing = rest.pop()
        if id(thing) not in seen:
            seen[id(thing)] = thing
            rest.extend(_named_by(thing))
    return frozenset(thing for thing in seen.values() if isinstance(thing, FunctionType))


def rules_reached(*begin: Any) -> list[str]:
    """The identifiers of the rules among these functions and what they reach, in order.

    >>> from tenure.rules.time_based import is_time_expired
    >>> rules_reached(is_time_expired)
    ['KQ-030', 'TBP-020']
    """
    reached = functions_reached(*begin)
    return [entry.id for entry in all_rules() if entry.function in reached]


def _named_by(thing: Any) -> Iterator[Any]:
    """What a thing leads to; of what is no code of ours nothing."""
    match thing:
        case FunctionType() if _is_ours(thing.__module__):
            yield from _named_in(thing)
        case type() if _is_ours(thing.__module__):
            yield from vars(thing).values()
            yield from thing.__bases__
        case tuple() | list() | set() | frozenset():
            yield from thing
        case Mapping():
            yield from thing.values()
        case _:
            # Of methods, properties, caches and partials the functions that they are made of.
            yield from (getattr(thing, name, None) for name in ("__wrapped__", "__func__", "func", "fget"))


def _named_in(function: FunctionType) -> Iterator[Any]:
    yield getattr(function, "__wrapped__", None)
    yield from function.__defaults__ or ()
    yield from (cell.cell_contents for cell in function.__closure__ or ())
    known = function.__globals__
    yield from (known[name] for name in _names(function.__code__) if name in known)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_ours(module: str | None) -> bool:
    return module is not None and module.startswith(("tenure.", "tenure_", "tests."))
