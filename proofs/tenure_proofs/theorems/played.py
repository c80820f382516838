"""What a play does to its workloads: which of them has its turn, what a step writes, and makes better."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import z3

from tenure.choices import Outcome
from tenure.engines import Batch
from tenure.model import Assignment, Cluster, ClusterQueue, Reason, TurnResult, Workload
from tenure.readings import preset_names
from tenure.rules.cycle import awaits_targets, persisted
from tenure.rules.dynamic_priority import priority_in_decision
from tenure.rules.time_based import requeue_timestamp
from tenure_play import actors, cycle
from tenure_play.actors import Phase
from tenure_play.queues import PendingQueue, preemptor_after
from tenure_play.scenario import QueueGates, Scenario
from tenure_play.state import PlayState, Snapshots
from tenure_proofs.premises import any_terms, duration_is_in_force
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.registry import PYTHON, theorem
from tenure_proofs.theorems.standins import INT, only_of, same, token, truth_of
from tenure_proofs.theorems.taken import modelled
from tenure_proofs.theorems.written import PROMISES, RUNS, STOPS, WRITES
from tenure_proofs.trusted.ast_lifter import Made, Value, lift
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.domains import Record, domain_of
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.logic import any_of, is_set, negation
from tenure_proofs.trusted.loops import MEMBERS, Row, Way
from tenure_proofs.trusted.procedures import Law, read_procedure
from tenure_proofs.trusted.specified import Conclusion
from tenure_proofs.trusted.symbols import (
    SymBool,
    SymEnum,
    SymInt,
    SymOptional,
    SymText,
    SymToken,
    Term,
    as_term,
)

STEPS = (actors.admitted, actors.evicted, actors.released)
OTHERS = ("pods_ready_evicted_at", "admission_check_evicted_at")
"""Evictions that are no preemption: a play makes none, and a workload may come with one."""


BY_REASON = {
    "time_based_preempted_at": Reason.IN_CLUSTER_QUEUE_TIME_BASED,
    "preempted_while_borrowing_at": Reason.IN_COHORT_RECLAIM_WHILE_BORROWING,
}
"""What is written of a preemption, by its reason."""


def _replaced(workload: Value, **changes: Value) -> Value:
    """`dataclasses.replace`."""
    return Made(Workload, {**workload.fields, **changes})


REPLACE = Law(lambda _, workload, changes: _replaced(workload, **changes), of=_replaced)


def _workload(claim: Claim) -> tuple[Any, Made]:
    """An arbitrary workload, as rules take it and as what is written into."""
    found, domain = claim.record("workload", Workload), domain_of(Workload)
    assert isinstance(domain, Record)
    known = {name: getattr(found, name) for name, _ in domain.fields}
    rest = {field.name: token(field.name) for field in fields(Workload) if field.name not in known}
    return found, Made(Workload, {**known, **rest})


@theorem("PO-ANY-351", about=STEPS, size="any workload of a play, under every preset")
def a_workload_of_a_play_keeps_its_priority_and_the_time_that_it_queues_from(
    *steps: Callable[..., Any],
) -> Iterator[Part]:
    """Kueue main of August 2026, conditions of a Workload: what each step of a play writes, and nothing else.

    As in PO-ANY-340 no duration is in force, no class changes a priority, and gate
    PrioritySortingWithinCohort is on. A workload that comes evicted because its pods were not ready or by an
    admission check queues from its creation once it has been admitted: its place changes that one time, and
    never again, since a play writes no such eviction. Who is admitted runs, who is evicted terminates, and
    who is released waits.
    """
    modelled("`dataclasses.replace` changes the fields that it names, and no other", PYTHON)
    for preset in preset_names():
        for step in steps or STEPS:
            yield from _of_one(step, preset)


def _of_one(step: Callable[..., Any], preset: str) -> Iterator[Part]:
    claim = Claim(reading_of(preset))
    workload, written = _workload(claim)
    terms, boosts = any_terms(claim), claim.flag("priority boost")
    claim.assume(negation(duration_is_in_force(terms)), terms.priority_sorting_within_cohort)
    of_others = any_of(*(is_set(workload, name) for name in OTHERS))
    usage, queue, clock = token("usage"), SymText(z3.Int("queue")), SymInt(z3.Int("clock"))
    does = {"admitted": Phase.RUNNING, "evicted": Phase.TERMINATING, "released": Phase.WAITING}[step.__name__]
    stamp, reason = SymInt(lift(persisted, clock).value), SymEnum(Reason, z3.Int("reason"))
    given: dict[str, Value] = {"workload": written, "clock": clock}
    laws: dict[str, Value] = {"replace": REPLACE}
    if step.__name__ == "admitted":
        given |= {"queue": queue, "assignment": Made(Assignment, {"usage": usage})}
        laws["dict"] = only_of(usage, usage)
        writes = dict.fromkeys((*OTHERS, *BY_REASON, "requeue_at"))
        writes |= {"quota_reserved_at": stamp, "admission_delay": SymInt(z3.IntVal(0)), "evicted": False}
        writes |= {"cluster_queue": queue, "usage": usage}
    elif step.__name__ == "evicted":
        given["reason"] = reason
        writes = {name: SymOptional(reason == why, stamp) for name, why in BY_REASON.items()}
        writes["evicted"] = True
    else:
        del given["clock"]
        laws["NOTHING_USED"] = usage
        writes = {"quota_reserved_at": None, "admission_delay": None, "cluster_queue": None, "usage": usage}

    def of(way: Way) -> Labelled:
        then: Made = way.value
        queued = [lift(requeue_timestamp, one, terms).value for one in (written, then)]
        seen = [lift(priority_in_decision, one, None, boosts).value for one in (written, then)]
        once = z3.And(z3.BoolVal(step.__name__ == "admitted"), of_others.term)
        expected = {**written.fields, **writes}
        runs, does_then = _phase(written) == int(Phase.RUNNING), _phase(then)
        of_one_that_runs = z3.Implies(runs, does_then == int(does))
        return [
            ("what it does then", of_one_that_runs if does == Phase.TERMINATING else does_then == int(does)),
            *(said.goal(does_then) for phase, said in SAID.items() if phase == does),
            ("its priority", seen[0] == seen[1]),
            ("the time that it queues from", z3.Or(once, queued[0] == queued[1])),
            *((f"its {name}", _alike(value, expected[name])) for name, value in then.fields.items()),
        ]

    yield from read_procedure(seeing(step, **laws), given, of, facts=tuple(claim.facts))


SAID = {Phase.RUNNING: RUNS, Phase.TERMINATING: STOPS}
"""What others use of who is admitted, and of who is evicted."""


def _phase(workload: Made) -> z3.ArithRef:
    found = lift(actors.phase_of, workload).value
    return z3.IntVal(found) if isinstance(found, int) else found


def _alike(one: Value, other: Value) -> z3.BoolRef:
    """Whether two fields are the same; tokens, texts and numbers that may be missing among them."""
    mine, theirs = (
        found if isinstance(found, SymOptional) else SymOptional(found is not None, found)
        for found in (one, other)
    )
    there, also = (as_term(found.present, bool) for found in (mine, theirs))
    both = mine.value is not None and theirs.value is not None
    equal = _term(mine.value) == _term(theirs.value) if both else z3.BoolVal(True)
    return z3.And(there == also, z3.Implies(there, equal))


def _term(value: Value) -> z3.ExprRef:
    term: z3.ExprRef = value.term if isinstance(value, Term) else z3.BoolVal(value)
    return term


@theorem("PO-ANY-352", size="any number of ClusterQueues")
def a_queue_has_one_head_in_a_scheduling_cycle(
    function: Callable[..., Any] = cycle.heads_of, one: Callable[..., Any] = cycle.head_of
) -> Iterator[Part]:
    """Kueue main of August 2026, heads of a scheduling cycle: what is taken out of its heap, and decided on.

    Of an inactive ClusterQueue none is taken out. The decision is about the workload that was taken out, and
    about that ClusterQueue.
    """
    modelled("the keys of a dict are distinct", PYTHON)
    count, place = z3.Ints("count place")
    head = z3.Function("head of", INT, INT)
    there = z3.And(place >= 0, place < count)

    def of(way: Way) -> Labelled:
        return [
            ("one of each", way.value.size == count),
            ("its own", z3.Implies(there, way.value.at(place).term == head(place))),
        ]

    own_head = Law(lambda _, queue: SymToken(head(queue.term)))
    yield from read_procedure(function, {"queues": Row(SymToken, count), "head_of": own_head}, of)
    for queue in (None, *(Made(ClusterQueue, {"inactive": inactive}) for inactive in (True, False))):
        for popped in (None, TRIED):
            yield from _head(one, queue, popped)


TRIED = Made(actors.Actor, {"workload": token("workload"), "key": SymInt(z3.Int("key"))})


def _head(function: Callable[..., Any], queue: Made | None, popped: Made | None) -> Iterator[Part]:
    name, decision, queued = token("name"), token("decision"), token("queued from")
    waits, first = (
        SymOptional(SymBool(z3.Bool("one waits")), SymInt(z3.Int("who"))),
        SymBool(z3.Bool("first")),
    )
    cluster = Made(Cluster, {"cluster_queues": Made(dict, {"get": only_of(queue, name)})})
    scenario = Made(Scenario, {"gates": Made(QueueGates, {"preemptors_first": first})})
    tried = popped if queue is not None and not queue.fields["inactive"] else None
    world = {"cluster": cluster, "scenario": scenario, "queued_from": only_of(queued, tried)}
    batch = Made(Batch, {"decide": only_of(decision, TRIED.fields["workload"], name)})

    def of(way: Way) -> Labelled:
        if tried is None:
            return [("none", z3.BoolVal(way.value is None))]
        found = way.value
        waiting = z3.And(waits.present.term, waits.value.term == tried.fields["key"].term)
        return [
            ("who was taken out", same(found["actor"], tried)),
            ("decided on", same(found["decision"], decision)),
            ("since when it queues", same(found["queued_from"], queued)),
            ("whether it is the preemptor", truth_of(found["is_preemptor"]) == waiting),
            ("goes first only then", truth_of(found["goes_first"]) == z3.And(waiting, first.term)),
        ]

    taken_out = Law(lambda _: popped)
    given = {
        "world": Made(PlayState, world),
        "snapshots": Made(Snapshots, {"batch": batch}),
        "named": (name, Made(PendingQueue, {"pop": taken_out, "preemptor": waits})),
    }
    yield from read_procedure(seeing(function, Nominee=NOMINEE), given, of)


PARKED = Conclusion(
    "PO-ANY-353",
    "a head is parked only where its decision finds nothing, and in no StrictFIFO ClusterQueue",
    lambda strict, nothing, parked: z3.Implies(parked, z3.And(nothing, z3.Not(strict))),
)


@theorem("PO-ANY-353", size="any head of any cycle")
def a_head_is_admitted_only_where_it_fits_and_preempts_only_targets_that_no_earlier_head_preempts(
    function: Callable[..., Any] = cycle.turn_of,
) -> Iterator[Part]:
    """Kueue main of August 2026, scheduling cycle: CYC-050 and CYC-060 of a head on its turn.

    It preempts only where its decision is Preempt, and is admitted only where that is Fit: either beside all
    that earlier heads of the cycle have been given. It is parked only where its decision has found nothing.
    """
    flags = {name: SymBool(z3.Bool(name)) for name in ("strict", "defers", "overlaps")}
    outcome, fits = z3.Int("outcome"), z3.Bool("it still fits")
    numbers = {name: number for number, name in enumerate(Outcome.__members__)}

    def is_one_of(*names: str) -> z3.BoolRef:
        return z3.Or(*(outcome == numbers[name] for name in names))

    def of(way: Way) -> Labelled:
        found = as_term(way.value, TurnResult)
        admitted, preempts = (found == int(one) for one in (TurnResult.ADMITTED, TurnResult.PREEMPTING))
        free = z3.And(fits, z3.Not(flags["overlaps"].term), z3.Not(flags["defers"].term))
        nothing, strict = is_one_of("NO_FIT", "NO_CANDIDATES"), flags["strict"].term
        parked = found == int(TurnResult.PARKED)
        return [
            ("admitted exactly where it fits", admitted == z3.And(is_one_of("FIT"), free)),
            ("preempts exactly where it has found targets", preempts == z3.And(is_one_of("PREEMPT"), free)),
            ("parked exactly where nothing is found", parked == z3.And(nothing, z3.Not(strict))),
            PARKED.goal(strict, nothing, parked),
        ]

    one_of_all = z3.And(outcome >= 0, outcome < len(numbers))
    given = {"outcome": SymInt(outcome), "still_fits": Law(lambda _: SymBool(fits)), **flags}
    outcomes = Made(Outcome, {name: SymInt(z3.IntVal(number)) for name, number in numbers.items()})
    yield from read_procedure(seeing(function, Outcome=outcomes), given, of, facts=(one_of_all,))


def _nominee(**parts: Value) -> Value:
    """`Nominee`, which is no frozen record."""
    return parts


NOMINEE = Law(lambda _, parts: parts, of=_nominee)


_POINT, _HEAD = (z3.Int(name) for name in ("any workload", "head"))
_RAN, _RUNS, _OUT = (z3.Const(name, MEMBERS) for name in ("ran", "runs", "targets"))
LEAVES, BEHIND = _OUT[_POINT], _HEAD < _POINT
"""Any workload is a target; it is behind the head in the order."""
_OWN = (z3.Bool("its ClusterQueue has a preemptor"), z3.Int("preemptor"))
_FIRST = (z3.Bool("others have preemptors"), z3.Int("the first of these"))


def _counts(at: Any, runs: Callable[[Any], Any], promised: tuple[tuple[Any, Any], ...]) -> Any:
    """2 for who runs, 1 for a preemptor that waits, 0 for the others and for all behind a preemptor."""
    behind = z3.Or(*(z3.And(there, who < at) for there, who in promised))
    waits = z3.Or(*(z3.And(there, who == at) for there, who in promised))
    return z3.If(behind, 0, z3.If(runs(at), 2, z3.If(waits, 1, 0)))


def better_by_a_turn(
    result: TurnResult, known: tuple[Any, ...], place: str = "", function: Any = preemptor_after
) -> Iterator[Part]:
    """That a turn makes better what runs or was promised quota; where nothing is, fewer run, or as many.

    Args:
        result: what the turn comes to.
        known: from which follows that any workload that `LEAVES` is `BEHIND`.
        place: added to the name of the part.
        function: who is the preemptor of the ClusterQueue then.
    """
    modelled(PROMISES, WRITES.by)
    admits, preempts = (result == one for one in (TurnResult.ADMITTED, TurnResult.PREEMPTING))
    waits = z3.is_true(z3.simplify(lift(awaits_targets, result).value))
    turn = z3.BoolVal(admits), z3.BoolVal(preempts)
    writes = [WRITES.of(*turn, at == _HEAD, _OUT[at], _RAN[at], _RUNS[at]) for at in (_HEAD, _POINT, _OWN[1])]

    def of(way: Way) -> Labelled:
        who = way.value
        found = who if isinstance(who, SymOptional) else SymOptional(who is not None, who)
        there = as_term(found.present, bool)
        own = (there, _HEAD if found.value is None else as_term(found.value, int))
        then, now = (
            [_counts(at, running, (preemptor, _FIRST)) for at in (_HEAD, _POINT)]
            for running, preemptor in ((lambda at: _RAN[at], _OWN), (lambda at: _RUNS[at], own))
        )
        again = z3.And(_OWN[0], _OWN[1] == _HEAD)
        rises = z3.Or(admits, z3.And(waits, z3.Not(again)))
        return [
            ("it is better", z3.Implies(rises, then[0] < now[0])),
            ("none before the head counts otherwise", z3.Implies(_POINT < _HEAD, then[1] == now[1])),
            ("it is the same", z3.Implies(z3.Not(rises), then[1] == now[1])),
            ("no more run", z3.Or(admits, z3.Implies(_RUNS[_POINT], _RAN[_POINT]))),
            ("who is the preemptor waits", z3.Implies(there, z3.Not(_RUNS[own[1]]))),
        ]

    waiting = [z3.Implies(there, z3.Not(_RAN[who])) for there, who in (_OWN, _FIRST)]
    if admits or waits:
        waiting += [z3.Implies(there, who >= _HEAD) for there, who in (_OWN, _FIRST)]
    facts = (*known, *writes, *waiting, z3.Implies(_FIRST[0], _FIRST[1] != _HEAD), z3.Not(_RAN[_HEAD]))
    given = {
        "preemptor": SymOptional(SymBool(_OWN[0]), SymInt(_OWN[1])),
        "key": SymInt(_HEAD),
        "result": result,
    }
    for part in read_procedure(function, given, of, facts=facts):
        yield replace(part, place=f"{result.name}{place}: {part.place}")
