"""The meaning of `-`: standard input, or what a program gives in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from tenure.manifests.naming import ANYWHERE, Home


@dataclass(slots=True)
class StandardInput:
    """An input without a path.

    Args:
        name: what messages call it.
        read: all its bytes, the same each time; None for standard input, which is read once.
        home: where names of its workloads without a namespace are looked for; it may be known only after
            reading.
        warnings: what could not be read, and what is assumed instead; likewise.
        again: gives an input that reads the same source once more; None where that is not possible.
    """

    name: str = "stdin"
    read: Callable[[], bytes] | None = None
    home: Home = ANYWHERE
    warnings: list[str] = field(default_factory=list)
    again: Callable[[], StandardInput] | None = None


_STANDARD_INPUT: Final = StandardInput()
_given: ContextVar[StandardInput] = ContextVar("given", default=_STANDARD_INPUT)


def given() -> StandardInput:
    """The meaning of `-`.

    >>> given().name
    'stdin'
    """
    return _given.get()


@contextmanager
def in_place_of_stdin(replacement: StandardInput) -> Iterator[None]:
    """Let `-` stand for something else.

    >>> with in_place_of_stdin(StandardInput("cluster", bytes)):
    ...     given().name
    'cluster'
    """
    token = _given.set(replacement)
    try:
        yield
    finally:
        _given.reset(token)
