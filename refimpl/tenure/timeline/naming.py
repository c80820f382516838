"""What workloads and jobs are called in scenarios."""

from __future__ import annotations


def key_of(name: str, keys: list[str]) -> str | None:
    """The full name of a workload that is called by it, or by its last part alone where that is enough.

    >>> key_of("a", ["ml/a", "ml/b"]), key_of("a", ["ml/a", "x/a"])
    ('ml/a', None)
    """
    if name in keys:
        return name
    found = [key for key in keys if key.rpartition("/")[2] == name]
    return found[0] if len(found) == 1 else None
