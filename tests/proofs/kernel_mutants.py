"""Every kernel of the core that a theorem is about, changed in one place at a time: what fails then.

`python -m tests.proofs.kernel_mutants --every 20 --seed 1` tries each twentieth change, in an order that the
seed draws; `--only PO-ANY-58` those of kernels that such theorems are about. A survivor says the same, or the
theorem says too little.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from tenure.apps.cli.terminal import print_text
from tenure_proofs.budgets import FLOOR
from tenure_proofs.mutants.hunt import FAMILIES
from tenure_proofs.mutants.mutant import Mutant, mutants_of
from tenure_proofs.theorems.listed import THEOREMS
from tenure_proofs.theorems.outcome import UNREADABLE
from tenure_proofs.theorems.proving import prove
from tenure_proofs.theorems.registry import Theorem

KILLED, REFUSED, SURVIVED = "killed", "refused", "survived"


def kernels_of(only: str) -> Iterator[tuple[Callable[..., Any], list[Theorem]]]:
    """The kernels that theorems are about whose identifiers begin so, each with all theorems about it."""
    about: dict[Callable[..., Any], list[Theorem]] = defaultdict(list)
    for theorem in THEOREMS.values():
        for function in theorem.about:
            if function.__module__.startswith("tenure.fast"):
                about[function].append(theorem)
    for function, theorems in about.items():
        if any(theorem.id.startswith(only) for theorem in theorems):
            yield function, theorems


def fate(mutant: Mutant, theorems: list[Theorem]) -> tuple[str, str]:
    """Whether a theorem notices a change, and where; refused is what no longer can be read."""
    refused = ""
    with mutant.applied():
        for theorem in theorems:
            try:
                for part in theorem.statement():
                    proof = prove([part], budget=FLOOR)
                    if proof.failures:
                        return KILLED, f"{theorem.id}: {proof.failures[0]}"
            except UNREADABLE as error:
                refused = refused or f"{theorem.id}: {error}"
    return (REFUSED, refused) if refused else (SURVIVED, "")


def main(arguments: list[str] | None = None) -> int:
    """Print each survivor, and a line for each kernel.

    Returns:
        0 when none survives, 1 otherwise.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="PO-ANY", help="beginning of the theorems' identifiers")
    parser.add_argument("--every", type=int, default=1, help="of how many changes one is tried")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    theorems = dict(kernels_of(chosen.only))
    mutants = [
        mutant
        for function in theorems
        for mutant in mutants_of(f"{function.__module__}.{function.__name__}", function, FAMILIES)
    ]
    random.Random(chosen.seed).shuffle(mutants)
    tried = mutants[:: chosen.every]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in tried:
        outcome, by = fate(mutant, theorems[mutant.function])
        counts[mutant.rule][outcome] += 1
        if outcome == SURVIVED:
            print_text(f"survived {mutant.rule} at {mutant.place}: {mutant.before} -> {mutant.after}\n")
        elif chosen.every == 1:
            print_text(f"{outcome} {mutant.rule}: {mutant.before} -> {mutant.after}: {by[:150]}\n")
    total = sum(counts.values(), Counter[str]())
    for kernel, of in sorted(counts.items()):
        print_text(f"{kernel}: {', '.join(f'{number} {outcome}' for outcome, number in of.items())}\n")
    said = f"{len(tried)} of {len(mutants)} changes of {len(theorems)} kernels"
    print_text(f"seed {chosen.seed}: {said}: {dict(total)}\n")
    return 1 if total[SURVIVED] else 0


if __name__ == "__main__":
    sys.exit(main())
