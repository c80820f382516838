"""Checks a folder of certificates again, without a solver: `python -m tenure_proofs.certificates DIR`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tenure.cli.terminal import complain, print_lines
from tenure.errors import InputError
from tenure_proofs.certificates.checking import checked, checker_of
from tenure_proofs.certificates.writing import lines_of, read_index


def main(arguments: list[str] | None = None) -> int:
    """Print what becomes of each certificate.

    Returns:
        0 when none is refused or missing, 1 when one is, 2 when there is no index or no such checker.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of `tenure prove --certificates`")
    parser.add_argument("--checker", help="program that checks each proof, as tenure prove has it")
    asked = parser.parse_args(arguments)
    try:
        checker = checker_of(asked.checker) if asked.checker else None
        entries = [checked(entry, asked.folder, checker) for entry in read_index(asked.folder).certificates]
    except InputError as error:
        complain("error", error)
        return 2
    print_lines(lines_of(entries))
    return 1 if any(entry.status in ("refused", "missing") for entry in entries) else 0


if __name__ == "__main__":
    sys.exit(main())
