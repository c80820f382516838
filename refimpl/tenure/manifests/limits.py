"""How much is read: limits far above what a cluster has, each stated in the error that it makes."""

from __future__ import annotations

from typing import Final

from tenure.errors import Problem

MAX_FILE: Final = 2**30
"""Bytes of one file or of standard input: about 150,000 workloads as `kubectl get -o json` prints them."""

MAX_OBJECT: Final = 4 * 2**20
"""Characters of one item of a List; an API server takes less than two million."""

MAX_DOCUMENT: Final = 8 * 2**20
"""Characters of a JSON text that is no List."""

MAX_OBJECTS: Final = 1_000_000
"""Kubernetes objects in one set of files."""

MAX_PROBLEMS: Final = 1000
"""The most problems reported together; reading ends after them."""

MAX_VALUES: Final = 500_000
"""Values in the YAML documents of one file that are no List as kubectl writes it."""

MAX_NAME: Final = 253
"""Characters of an object's name, as Kubernetes has it."""

MAX_TEXT: Final = 1024
"""Characters of a text that is looked at; no name, label or reason of Kubernetes is longer."""

MAX_ALIASED: Final = 1_000_000
"""Values that the aliases of one file stand for."""

MAX_DEPTH: Final = 200
"""Levels of nesting that are read for certain; in JSON a few hundred more may pass."""

MAX_REPEATED_KEYS: Final = 100
"""Repeated keys that are reported of one file."""

MAX_DEVIATIONS: Final = 100
"""The most problems reported about one object's shape, and as many about its fields together."""

MAX_WORKLOADS_OF_JOB: Final = 10_000
"""Workloads that are made of one manifest, such as a Deployment."""

MAX_COHORT_LEVELS: Final = 100
"""Cohorts above one another."""

MAX_VECTORS: Final = 32 * 2**20
"""Bytes of one file of vectors; the largest published one has less than one."""

MAX_TRACE: Final = 2**30
"""Bytes of a trace, after decompression."""

MAX_ROWS: Final = 5_000_000
"""Lines of a trace, its header aside."""

MAX_ROW: Final = 2**16
"""Characters of a line of a trace."""

MAX_CELLS: Final = 100_000
"""Cells of a matrix: pairs of a ClusterQueue and a priority, squared."""

MAX_WAIT: Final = 300
"""Seconds for one answer of kubectl or of git."""

MAX_LISTING: Final = 128 * 2**20
"""Bytes of git's list of the files of a revision."""

MAX_LINE: Final = 32 * 2**20
"""Bytes of one request to the oracle."""


def too_large(what: str, limit: int, file: str, field: str = "") -> Problem:
    """The problem that something is longer than its limit.

    Args:
        what: what is too long.
        limit: bytes or characters.
        file: the file as the user named it.
        field: path of the value; empty for the whole file.

    >>> print(too_large("an object", MAX_OBJECT, "a.yaml"))
    a.yaml: found an object of more than 4 MiB, expected at most 4 MiB
    """
    size = in_mebibytes(limit)
    return Problem(field, f"{what} of more than {size}", f"at most {size}", file=file)


def in_mebibytes(size: int) -> str:
    """A size in bytes or characters as an error states it.

    >>> in_mebibytes(MAX_OBJECT)
    '4 MiB'
    """
    return f"{size // 2**20} MiB"
