"""Blocks handed to the workers of a Dask scheduler, on any number of machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tenure.errors import InputError, Problem, bad_input
from tenure.lab.campaign.blocks import block_here
from tenure.lab.campaign.plan import Plan, code
from tenure.lab.campaign.processes import Done

AHEAD = 256
"""Blocks that the scheduler knows of at once: enough for many workers, few enough to forget."""
PATIENCE_S = 30


def on_machines(plan: Plan, numbers: Sequence[int], address: str) -> Done:
    """Blocks by whoever works for a scheduler; a block whose worker is lost is done by another one.

    Args:
        plan, numbers: which blocks of which campaign.
        address: of the scheduler, such as `tcp://10.0.0.1:8786`.

    Raises:
        InputError: Dask is not installed, nobody answers at the address, or a worker runs other code.
        ProgramFailure: the program failed as a program.
    """
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=PATIENCE_S)
    except (OSError, ValueError, TypeError) as error:
        expected = "the address of a Dask scheduler that answers, as tcp://10.0.0.1:8786"
        raise bad_input("--scheduler", address, f"{expected} ({type(error).__name__})") from None
    with client:
        yield from _finished(distributed, client, plan, iter(numbers))


def _finished(distributed: Any, client: Any, plan: Plan, numbers: Iterator[int]) -> Done:
    def submitted(number: int) -> Any:
        # Blocks of two campaigns must not be taken for each other's, nor for one that was done before.
        return client.submit(block_here, plan, number, code(), pure=False)

    waiting = {each.key: (number, each) for number in islice(numbers, AHEAD) for each in [submitted(number)]}
    finished = distributed.as_completed([each for _, each in waiting.values()])
    for future in finished:
        number, _ = waiting.pop(future.key)
        yield number, future.result()
        for following in islice(numbers, 1):
            further = submitted(following)
            waiting[further.key] = following, further
            finished.add(further)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        expected = "the extra `campaign`: pip install 'tenure[campaign]'"
        raise InputError([Problem("--scheduler", "Dask is not installed", expected)]) from None
    return distributed
