"""Blocks that compare the optimized core with the reference."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.lab.campaign.cores import REFUSED, WAYS, Compared, Way, compare, protocol_differs
from tenure.lab.campaign.plan import Plan
from tenure.lab.campaign.tally import AGREE, Difference, Tally, victims_text
from tenure.lab.scenarios import draw_for_core
from tenure.lab.writing import write_request
from tenure.model import PreemptionRules

LEFT = "left to the reference"
DIFFERS = "the core differs"
FAULT = "a fault"
READS_OTHERWISE = "its manifests read as another scenario"
PROTOCOL = "the oracle's answers differ"
THROUGH_MANIFESTS = "through manifests"


def core_block(plan: Plan, number: int) -> Tally:
    """Draw the scenarios of a block, and decide each by both.

    >>> tally = core_block(Plan(20, 8522), 0)
    >>> tally.scenarios, tally.failed
    (20, 0)
    """
    tally = Tally()
    for index in plan.indices(number):
        add_scenario(tally, plan, index)
    return tally


def add_scenario(tally: Tally, plan: Plan, index: int) -> None:
    """Draw one scenario, decide it by both, and count what came of it."""
    request, way = draw_for_core(plan.seed, index, plan.heroes), WAYS[index % len(WAYS)]
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


def verdict_of(compared: Compared) -> str:
    """What came of it, in words.

    >>> verdict_of(Compared(None, None, left="ClusterQueue.rules"))
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
    """The first verdict on a scenario that is a failure, whichever way it is asked; empty if none is."""
    verdicts = (verdict_of(compare(request, way)) for way in Way)
    found = next(filter(is_failure, verdicts), "")
    return found or _read_again(request)


def _read_again(request: DecideRequest) -> str:
    scenario = write_request(request)
    if read_decide_request(scenario) != request:
        return READS_OTHERWISE
    return PROTOCOL if protocol_differs(scenario) else ""


def _count(tally: Tally, compared: Compared) -> None:
    assert compared.reference is not None
    outcome, victims, _ = compared.reference
    tally.decisions[outcome] += 1
    if victims:
        tally.victims[victims_text(len(victims))] += 1
        tally.reasons.update({reason for _, _, reason in victims})


def _traits(request: DecideRequest, way: Way) -> Iterator[str]:
    cluster = request.cluster
    queues = cluster.cluster_queues.values()
    yield "classical" if cluster.settings.fair_sharing is None else "fair sharing"
    yield f"reading {request.reading.name}"
    yield way.value
    if any(each.rules == PreemptionRules.UBER_CLUSTER_QUEUE for each in queues):
        yield "with heroes"
    if any(each.min_admit_duration is not None for each in queues):
        yield "with minAdmitDuration"
    if cluster.growing:
        yield "with classes whose priority grows"
    if len(cluster.flavors) > 1:
        yield "several flavors"
