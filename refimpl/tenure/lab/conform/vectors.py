"""The published vectors, asked of a program."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from tenure.conformance.vectors import Vector, load_vectors
from tenure.errors import bad_input
from tenure.lab.conform.compare import Compared, Comparison

BATCH = 32
"""How many are asked at once: few enough to see progress in between."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A vector, and what came of it."""

    vector: Vector
    compared: Compared


def chosen_vectors(
    calls: Collection[str], beginnings: Collection[str] = (), folder: Path | None = None
) -> list[Vector]:
    """The vectors to ask about.

    Args:
        calls: calls of the protocol that the program answers.
        beginnings: of identifiers; none for all.
        folder: of vector files; None for the published ones.

    Raises:
        InputError: a beginning with which no vector begins; a file that is none.

    >>> {each.data["call"] for each in chosen_vectors(["minruntime"])}
    {'minruntime'}
    """
    vectors = load_vectors(folder)
    for beginning in beginnings:
        if not any(each.id.startswith(beginning) for each in vectors):
            raise bad_input("--only", beginning, "the beginning of some vector's identifier")
    return [
        each
        for each in vectors
        if each.data["call"] in calls and (not beginnings or each.id.startswith(tuple(beginnings)))
    ]


def ask_vectors(vectors: list[Vector], sides: Comparison, reading: str = "") -> Iterator[Asked]:
    """Ask about each, a batch at a time; what counts is what the reference says now.

    Args:
        vectors: which.
        sides: whom.
        reading: the preset that decides; empty for each vector's own.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    for start in range(0, len(vectors), BATCH):
        batch = vectors[start : start + BATCH]
        requests = [each.request() for each in batch]
        chosen = {"reading": reading} if reading else {}
        compared = sides.answers([(each["call"], {**each["input"], **chosen}) for each in requests])
        yield from (Asked(vector, each) for vector, each in zip(batch, compared, strict=True))
