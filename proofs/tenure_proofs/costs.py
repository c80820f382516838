"""Writes `budgets.toml` again: `python -m tenure_proofs.costs`, of all that has no record yet.

`--all` asks about every obligation again: after a new release of a solver, or a change of what lifts.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path

from tenure.disk import write_file
from tenure.processes import spawning
from tenure.readings import preset_names
from tenure_proofs.asked import Shared
from tenure_proofs.budgets import UNRECORDED, Cost, recorded
from tenure_proofs.cvc5_worker import answer
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Obligation, reading_of
from tenure_proofs.runner import question_of, stated
from tenure_proofs.solvers import Question, ask_z3
from tenure_proofs.trusted.claim import Claim

SEEDS = 6
"""As many as `make check` asks Z3 with."""

HEAD = """\
# The most units of work that one answer about an obligation has cost, over presets, further columns and
# seeds. Written by `python -m tenure_proofs.costs`, not by hand; `budgets.py` says what is granted for it.
"""


def cost_of(identifier: str) -> Cost:
    """What the dearest answer about an obligation costs each solver, rounded up.

    Raises:
        ValueError: a statement that cannot be lifted, or a question that a solver has no answer to.
    """
    shared = Shared()
    asked = [
        shared.once("cost", question, partial(_asked, identifier, question))
        for question in _questions(OBLIGATIONS[identifier], shared)
    ]
    return Cost(*(rounded_up(max(units)) for units in zip(*asked, strict=True)))


def _questions(obligation: Obligation, shared: Shared) -> Iterator[Question]:
    for preset in preset_names():
        for column in (preset, *obligation.columns_beside(preset)):
            claim = Claim(reading_of(column), shared.traces)
            problem = stated(obligation, claim)
            if problem:
                raise ValueError(f"{obligation.id} under {column}: {problem}")
            yield Question(tuple(claim.facts), UNRECORDED)
            yield Question(question_of(claim, obligation).facts, UNRECORDED)


def _asked(identifier: str, question: Question) -> tuple[int, int]:
    answers = [ask_z3(question, seed) for seed in range(SEEDS)]
    said, cvc5_work = answer(question.smt2(), UNRECORDED.cvc5, UNRECORDED.clock_s)
    words = {z3_answer.words for z3_answer in answers} | {said}
    if len(words) > 1 or not words <= {"sat", "unsat"}:
        raise ValueError(f"{identifier}: the solvers say {', '.join(sorted(words))}")
    return max(z3_answer.work for z3_answer in answers), cvc5_work


def rounded_up(units: int) -> int:
    """With two digits that are not 0.

    >>> rounded_up(7), rounded_up(1201), rounded_up(1300)
    (7, 1300, 1300)
    """
    step = int(10 ** max(0, len(str(units)) - 2))
    return -(-units // step) * step


def written(costs: Mapping[str, Cost]) -> str:
    """The file."""
    lines = (f"{name} = {{ z3 = {cost.z3}, cvc5 = {cost.cvc5} }}\n" for name, cost in sorted(costs.items()))
    return HEAD + "".join(lines)


def with_costs_of(identifiers: Iterable[str]) -> dict[str, Cost]:
    """What is recorded about obligations that there are, with these asked about again."""
    again = sorted(identifiers)
    # Fresh processes, each with little to do: formulas differ a little with what was lifted before.
    with spawning().Pool(os.cpu_count(), maxtasksperchild=8) as pool:
        found = dict(zip(again, pool.imap(cost_of, again), strict=True))
    return {name: cost for name, cost in recorded().items() if name in OBLIGATIONS} | found


def main() -> None:
    """Ask about what has no record, what is named, or everything, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m tenure_proofs.costs", description=__doc__)
    parser.add_argument("--all", action="store_true", help="every obligation, not those without a record")
    again = OBLIGATIONS.keys() - (() if parser.parse_args().all else recorded().keys())
    path = Path(str(files(__package__).joinpath("budgets.toml")))
    write_file(path, written(with_costs_of(again)))
    print(f"{path.name}: {len(again)} of {len(OBLIGATIONS)} obligations asked about")


if __name__ == "__main__":
    # Processes that are started find no function of a program, only those of modules.
    from tenure_proofs.costs import main as run

    run()
