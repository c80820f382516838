"""Theorems about loops, with the seconds of each solver: `python -m tenure_proofs.theorems`."""

from __future__ import annotations

import sys

from tenure.cli.terminal import discard, print_lines
from tenure_proofs.solvers import Cvc5
from tenure_proofs.theorems.outcome import end_of, lines_of, premises_of
from tenure_proofs.theorems.registry import all_theorems


def main() -> int:
    """Print a table, what is not proved, and all premises; the exit code says whether all is proved.

    Returns:
        0 when both solvers prove every theorem, 1 otherwise.
    """
    with Cvc5() as cvc5:
        ends = [end_of(theorem, cvc5) for theorem in all_theorems().values()]
    try:
        print_lines([*lines_of(ends), "", *premises_of(ends)])
        sys.stdout.flush()
    except BrokenPipeError:
        # A reader who has seen enough is no failure.
        discard(sys.stdout)
    return 0 if all(end.as_expected for end in ends) else 1


if __name__ == "__main__":
    sys.exit(main())
