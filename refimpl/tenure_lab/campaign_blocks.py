"""One block of a campaign: drawn, decided twice, counted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import TracebackType

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.errors import bad_input
from tenure.keeping import code
from tenure_lab.campaigns import AGREE, CampaignPlan, Difference, Tally, victims_text
from tenure_lab.choices import Mode
from tenure_lab.engines_compared import REFUSED, WAYS, Approach, DecidedTwice, compare, protocol_differs
from tenure_lab.generators.predicates import plain_traits_of
from tenure_lab.generators.scenarios import draw_for_core, drawn_example
from tenure_lab.generators.writing import write_request
from tenure_lab.verdicts import Sides, sides_of

LEFT = "left to the reference"
DIFFERS = "the core differs"
FAULT = "a fault"
READS_OTHERWISE = "its manifests read as another scenario"
PROTOCOL = "the oracle's answers differ"
THROUGH_MANIFESTS = "through manifests"


def core_block(plan: CampaignPlan, number: int) -> Tally:
    """Draw the scenarios of a block, and decide each by both.

    >>> tally = core_block(CampaignPlan(20, 8522), 0)
    >>> tally.scenarios, tally.failed
    (20, 0)
    """
    tally = Tally()
    for index in plan.indices(number):
        add_scenario(tally, plan, index)
    return tally


def add_scenario(tally: Tally, plan: CampaignPlan, index: int) -> None:
    """Draw one scenario, decide it by both, and count what came of it."""
    request, way = draw_for_core(plan.seed, index, plan.heroes, plan.configs), WAYS[index % len(WAYS)]
    verdict = ""
    tally.scenarios += 1
    if index % plan.manifests == 0:
        tally.traits[THROUGH_MANIFESTS] += 1
        verdict = _read_again(request)
    compared = compare(request, way)
    verdict = verdict or verdict_of(compared)
    tally.verdicts[verdict] += 1
    tally.traits.update(_traits(request, way))
    if compared.reference is not None:
        _count(tally, compared)
    if is_failure(verdict):
        tally.fail(Difference(index, verdict, write_request(request)))


def verdict_of(compared: DecidedTwice) -> str:
    """What came of it, in words.

    >>> verdict_of(DecidedTwice(None, None, left="ClusterQueue.rules"))
    'left to the reference: ClusterQueue.rules'
    """
    if compared.fault:
        return f"{FAULT}: {compared.fault.partition(':')[0]}"
    if compared.left == REFUSED:
        return REFUSED
    if compared.left:
        return f"{LEFT}: {compared.left}"
    return AGREE if compared.agree else DIFFERS


def is_failure(verdict: str) -> bool:
    """Whether a verdict is neither agreement nor something that the core does not answer."""
    return not verdict.startswith((AGREE, REFUSED, LEFT))


def failure(request: DecideRequest) -> str:
    """The first verdict on a scenario that is a failure, by whichever approach; empty if none is."""
    verdicts = (verdict_of(compare(request, way)) for way in Approach)
    found = next(filter(is_failure, verdicts), "")
    return found or _read_again(request)


def _read_again(request: DecideRequest) -> str:
    scenario = write_request(request)
    if read_decide_request(scenario) != request:
        return READS_OTHERWISE
    return PROTOCOL if protocol_differs(scenario) else ""


def _count(tally: Tally, compared: DecidedTwice) -> None:
    assert compared.reference is not None
    outcome, victims, _ = compared.reference
    tally.decisions[outcome] += 1
    if victims:
        tally.victims[victims_text(len(victims))] += 1
        tally.reasons.update({reason for _, _, reason in victims})


def _traits(request: DecideRequest, way: Approach) -> Iterator[str]:
    yield from plain_traits_of(request)
    yield f"reading {request.reading.name}"
    yield way.value
    if len(request.cluster.flavors) > 1:
        yield "several flavors"


def program_block(plan: CampaignPlan, number: int, sides: Sides) -> Tally:
    """Draw the scenarios of a block, and ask both sides.

    Args:
        plan: of the campaign.
        number: of the block.
        sides: the program and the reference.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    tally, options = Tally(), plan.options
    chosen = {"reading": plan.reading} if plan.reading else {}
    drawn = [(index, *drawn_example(plan.seed, index, options)) for index in plan.indices(number)]
    pairs = sides.all_of([{**scenario, **chosen} for _, _, scenario in drawn])
    for (index, request, _), pair in zip(drawn, pairs, strict=True):
        tally.add(index, request, pair)
    return tally


class Worker:
    """Does blocks of one plan; it keeps the program that is compared, where there is one.

    Args:
        plan: of the campaign.
    """

    def __init__(self, plan: CampaignPlan) -> None:
        self._plan = plan
        self._sides: Sides | None = None

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
            return core_block(self._plan, number)
        return program_block(self._plan, number, self.sides)

    @property
    def sides(self) -> Sides:
        """The program and the reference; the program starts when it is first needed.

        Raises:
            ProgramFailure: it cannot be started, or does not answer.
        """
        if self._sides is None:
            plan = self._plan
            self._sides = sides_of(
                plan.command,
                plan.patience,
                repeat=plan.repeat,
                mode=Mode(plan.mode),
                partial=plan.partial,
            )
        return self._sides


_workers: dict[CampaignPlan, Worker] = {}
"""Of this process; they end with it."""
_one_at_a_time = threading.Lock()


def block_here(plan: CampaignPlan, number: int, by: str) -> Tally:
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
