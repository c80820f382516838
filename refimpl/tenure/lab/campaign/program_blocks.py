"""Blocks that compare a program with the reference, as `tenure conform` does."""

from __future__ import annotations

from tenure.lab.campaign.plan import Plan
from tenure.lab.campaign.tally import Difference, Tally, victims_text
from tenure.lab.conform import run
from tenure.lab.conform.compare import Comparison
from tenure.lab.conform.verdicts import FAILURES, Mode


def conform_plan(plan: Plan) -> run.Plan:
    """The same plan in the words of `tenure.lab.conform`."""
    return run.Plan(
        command=plan.command,
        count=plan.scenarios,
        seed=plan.seed,
        repeat=plan.repeat,
        options=plan.options,
        mode=Mode(plan.mode),
        reading=plan.reading,
        patience=plan.patience,
        partial=plan.partial,
    )


def program_block(plan: Plan, number: int, sides: Comparison) -> Tally:
    """Draw the scenarios of a block, and ask both sides.

    Args:
        plan: of the campaign.
        number: of the block.
        sides: the program and the reference.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    part = run.work(conform_plan(plan), number, sides)
    histogram = part.histogram
    return Tally(
        scenarios=histogram.scenarios,
        failed=sum(
            count for verdict, count in histogram.verdicts.items() if verdict.startswith(tuple(FAILURES))
        ),
        verdicts=histogram.verdicts,
        decisions=histogram.decisions,
        victims=type(histogram.reasons)(
            {victims_text(number): count for number, count in histogram.victims.items()}
        ),
        reasons=histogram.reasons,
        traits=histogram.traits,
        differences=[
            Difference(found.index, str(found.compared.verdict), found.compared.scenario)
            for found in part.failures
        ],
    )
