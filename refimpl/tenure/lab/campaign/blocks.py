"""One block of a campaign: drawn, decided twice, counted."""

from __future__ import annotations

import threading
from types import TracebackType

from tenure.errors import bad_input
from tenure.lab.campaign.plan import Plan, code
from tenure.lab.campaign.tally import Tally
from tenure.lab.conform.compare import Comparison


class Worker:
    """Does blocks of one plan; it keeps the program that is compared, where there is one.

    Args:
        plan: of the campaign.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._sides: Comparison | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._sides is not None:
            self._sides.program.close()

    def run(self, number: int) -> Tally:
        """Draw and compare the scenarios of a block.

        Raises:
            ProgramFailure: the program failed as a program.
        """
        if not self._plan.command:
            from tenure.lab.campaign.core_blocks import core_block

            return core_block(self._plan, number)
        from tenure.lab.campaign.program_blocks import program_block

        return program_block(self._plan, number, self.sides)

    @property
    def sides(self) -> Comparison:
        """The program and the reference; the program starts when it is first asked for.

        Raises:
            ProgramFailure: it cannot be started, or does not answer.
        """
        if self._sides is None:
            from tenure.lab.campaign.program_blocks import conform_plan
            from tenure.lab.conform.run import comparison

            self._sides = comparison(conform_plan(self._plan))
        return self._sides


_workers: dict[Plan, Worker] = {}
"""Of this process; they end with it."""
_one_at_a_time = threading.Lock()


def block_here(plan: Plan, number: int, by: str) -> Tally:
    """A block in this process, for whoever hands out blocks.

    Args:
        plan: of the campaign.
        number: of the block.
        by: the code that the campaign is about.

    Raises:
        InputError: this process runs other code.
        ProgramFailure: the program failed as a program.
    """
    if code() != by:
        raise bad_input(
            "worker", f"code {code()}", f"the code of the campaign, {by}: install the same Tenure"
        )
    with _one_at_a_time:  # a program answers one batch after another
        if plan not in _workers:
            _workers[plan] = Worker(plan)
        return _workers[plan].run(number)
