"""What a turn of a play writes: `write_turn` is read, and nothing else in a cycle may write the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import z3

from tenure.model import TurnResult, Workload
from tenure.oracle.decide import Decision
from tenure_play import actors, changes, cycle, engine, queues
from tenure_play.actors import Actor, Phase
from tenure_play.state import PlayState
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.registry import PYTHON, theorem
from tenure_proofs.theorems.standins import INT, token
from tenure_proofs.theorems.taken import everywhere, known, modelled
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Cells, Row, State, Way
from tenure_proofs.trusted.procedures import POINT, Invariant, Law, Table, read_procedure
from tenure_proofs.trusted.specified import GIVEN, Conclusion, leaves
from tenure_proofs.trusted.symbols import SymEnum, SymInt, SymToken, as_term
from tenure_proofs.trusted.writers import may_write, writing

RUNS = Conclusion("PO-ANY-351", "who is admitted runs", lambda phase: phase == int(Phase.RUNNING))
STOPS = Conclusion("PO-ANY-351", "who is evicted runs no more", lambda phase: phase != int(Phase.RUNNING))
WRITES = Conclusion(
    "PO-ANY-354",
    "in a turn only a head that is admitted begins to run, and only targets of one that preempts stop",
    lambda admits, preempts, is_head, is_target, ran, runs: (
        runs == z3.Or(z3.And(admits, is_head), z3.And(ran, z3.Not(z3.And(preempts, is_target))))
    ),
)
"""Of what the turn comes to, and of any workload: whether it is the head, or a target; and runs then."""
PROMISES = (
    "in a turn the preemptor of the head's ClusterQueue is who `preemptor_after` says, and no other changes"
)

_phase, _key, _actor, _queue = (z3.Function(name, INT, INT) for name in ("phase", "key", "actor", "queue"))
_place = z3.Function("place of the first target that it is", INT, INT)
_after = z3.Function("preemptor after", *[INT] * 4)
_BEFORE, _PREEMPTORS = (
    Cells(z3.Const(name, z3.ArraySort(INT, INT)), z3.Int("objects")) for name in ("shown", "preemptors")
)
_COUNT, _KEYS = z3.Int("how many targets"), z3.Int("how many names")
_HEAD = Made(Actor, {"": token("head"), "key": SymInt(z3.Int("name")), "queue": SymInt(z3.Int("its queue"))})
_TURN = "for handled in heads:\n    self.changes.settle(handled)", "write_turn(handled, self.world)"
_RELEASES = "for target, equal in victims:\n    self._is_evicted(entry, target, equal=equal)"


def _victim(place: Any) -> z3.ArithRef:
    victim: z3.ArithRef = _actor(_key(place))
    return victim


def _is_target(actor: Any, within: Any = _COUNT) -> z3.BoolRef:
    """Whether it is one of the first targets."""
    return z3.And(_place(actor) >= 0, _place(actor) < within, _victim(_place(actor)) == actor)


def _shown(of: Any, said: Conclusion) -> Law:
    """What a workload shows after a step, and what is said of what it does then."""

    def law(_: State, *handed: Value) -> SymToken:
        told = [term for value in handed for term in leaves(value)]
        then = z3.Function(of.__name__, *(term.sort() for term in told), INT)(*told)
        known(said.of(_phase(then)))
        return SymToken(then)

    return Law(law, of=of)


def _does(_: State, workload: Value) -> SymEnum:
    return SymEnum(Phase, _phase(as_term(workload, SymToken)))


def _promised(_: State, preemptor: Value, key: Value, result: Value) -> SymToken:
    terms = as_term(preemptor, SymToken), as_term(key, int), z3.IntVal(int(result))
    return SymToken(_after(*terms))


LAWS = {
    "admitted": _shown(actors.admitted, RUNS),
    "evicted": _shown(actors.evicted, STOPS),
    "phase_of": Law(_does, of=actors.phase_of),
    "preemptor_after": Law(_promised, of=queues.preemptor_after),
}


@theorem("PO-ANY-354", size="any number of workloads, targets and ClusterQueues")
def a_turn_writes_what_it_comes_to_and_nothing_else_in_a_cycle_does(
    function: Callable[..., Any] = cycle.write_turn,
) -> Iterator[Part]:
    """Kueue main of August 2026, scheduling cycle: what changes with the turn of a head.

    A head that is admitted runs, and the targets of one that preempts run no more. No other workload changes.
    The preemptor of the head's ClusterQueue is who `preemptor_after` says; others stay. A cycle calls
    `write_turn` once for each head. Besides, it only releases targets whose pods end at once (PO-ANY-351).
    """
    modelled("an attribute is written only by a function that names it, or names one that writes it", PYTHON)
    for result in TurnResult:
        for part in _of_one(function, result):
            yield replace(part, place=f"{result.name}: {part.place}")
    for attribute, expected in {"preemptor": _TURN, "workload": (*_TURN, _RELEASES)}.items():
        names = may_write(attribute, engine)
        found = *writing(engine.Player._cycle, names), *writing(changes.Changes.settle, names)
        yield Part(attribute, (), (("nothing else in a cycle may write it", z3.BoolVal(found == expected)),))


def _of_one(function: Callable[..., Any], result: TurnResult) -> Iterator[Part]:
    admits, preempts = (z3.BoolVal(result == one) for one in (TurnResult.ADMITTED, TurnResult.PREEMPTING))
    head, queue = _HEAD.fields[""].term, _queue(_HEAD.fields["queue"].term)

    def target(place: Any) -> Made:
        workload = Made(Workload, {"key": SymInt(_key(place))})
        return Made(object, {"workload": workload, "reason": token("reason")})

    decision = Made(Decision, {"assignment": token("assignment"), "targets": Row(target, _COUNT)})
    world = {
        "actors": Table(lambda at: Made(Actor, {"": SymToken(_actor(at))}), _KEYS),
        "queues": Table(lambda at: Made(queues.PendingQueue, {"": SymToken(_queue(at))}), _KEYS),
        "clock": SymInt(z3.Int("clock")),
    }

    def shows(names: State, point: Any, within: Any) -> Labelled:
        before, then = _BEFORE.term[point], names[".workload"].term[point]
        ran, runs = (_phase(workload) == int(Phase.RUNNING) for workload in (before, then))
        is_head, is_target = point == head, _is_target(point, within)
        evicted = z3.And(is_target, _phase(before) != int(Phase.TERMINATING))
        written = z3.Or(z3.And(admits, is_head), z3.And(preempts, evicted))
        return [
            WRITES.goal(admits, preempts, is_head, is_target, ran, runs),
            ("no other is written", z3.Or(written, then == before)),
        ]

    def of(way: Way) -> Labelled:
        old, then = (cells.term[POINT] for cells in (_PREEMPTORS, way.names[".preemptor"]))
        promised = _after(old, _HEAD.fields["key"].term, int(result))
        return [
            *shows(way.names, POINT, _COUNT),
            ("its preemptor", then == z3.If(queue == POINT, promised, old)),
        ]

    loop = Invariant(
        lambda steps, _, here, point: shows(here, point, steps),
        lambda steps, _: [POINT, steps],
        everywhere(
            (
                "a target is in the play",
                GIVEN,
                lambda place, _: z3.And(_key(place) < _KEYS, _key(place) >= 0),
            ),
            (
                "the first place of a target",
                GIVEN,
                lambda place, _: z3.Implies(
                    z3.And(place >= 0, place < _COUNT),
                    z3.And(_is_target(_victim(place)), _place(_victim(place)) <= place),
                ),
            ),
        ),
    )
    given = {
        "handled": Made(
            cycle.Handled,
            {"result": result, "entry": Made(cycle.Nominee, {"actor": _HEAD, "decision": decision})},
        ),
        "world": Made(PlayState, world),
    }
    yield from read_procedure(
        seeing(function, **LAWS),
        given,
        of,
        facts=(_HEAD.fields["queue"].term >= 0, _HEAD.fields["queue"].term < _KEYS, _COUNT >= 0),
        loops=(loop,),
        stored={"workload": _BEFORE, "preemptor": _PREEMPTORS},
    )
