"""The published vectors, read once in a process."""

from __future__ import annotations

from functools import cache

from tenure.conformance.vectors import Vector, load_vectors


@cache
def published_vectors() -> tuple[Vector, ...]:
    """Every vector; `tests/tenure/conformance/test_vectors.py` compares their files with the schema."""
    return load_vectors(checked=False)
