"""The headline invariant about priorities: in the words of its obligation, what a decision compares.

Where the obligation asks DYN-070, here the function of `tenure.oracle.snapshot` is read through which a
decision sees every workload; and where it says that a class is accepted, that of `tenure.oracle.ageing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import z3

from tenure.model import (
    Cluster,
    DynamicPriorityPolicy,
    PolicyFault,
    Settings,
    Workload,
    WorkloadPriorityClass,
)
from tenure.oracle import ageing, snapshot
from tenure.readings import Reading
from tenure.rules.dynamic_priority import priority_in_decision
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict, reading_of
from tenure_proofs.theorems.deciding import SEEN
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.registry import PYTHON, theorem
from tenure_proofs.theorems.standins import INT, only_of, same, token
from tenure_proofs.theorems.taken import modelled, standing
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Given, Row, State, Way, every, returned
from tenure_proofs.trusted.procedures import Law, read_procedure
from tenure_proofs.trusted.symbols import SymBool, SymEnum, SymInt, SymToken, as_term


class _Stands(Given):
    """What stands for a function: what it comes to where it is handed these."""

    def __init__(self, value: Value, *expected: Value) -> None:
        super().__init__(len(expected), int, partial(only_of(value, *expected).value, {}))

    def __call__(self, *given: Any) -> Any:
        return self.meaning(*given)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a decision compares as a workload's priority, where it sees the workload at all."""

    value: SymInt


class _OfDecisions(Claim):
    """A claim in which what a decision sees stands for DYN-070."""

    compared: Callable[..., Any]

    def lift(self, function: Callable[..., Any]) -> Any:
        return partial(_seen, self) if function is priority_in_decision else super().lift(function)


@standing(("what a class gives after some time is what it gives after some number of steps", "PO-DYN-110"))
def _seen(claim: _OfDecisions, workload: Any, grown: Any, gate: SymBool) -> _Seen:
    """The priority of a workload as a decision sees it, where its class gives it a priority."""
    cluster = Made(Cluster, {"settings": Made(Settings, {"priority_boost": gate})})
    given = {"workload": workload, "cluster": cluster, "now": token("now"), "reading": token("reading")}
    seen, needed = returned(
        seeing(claim.compared, grown_priority=_Stands(grown, *given.values())),
        **given,
    )
    claim.goals.append(every(needed))
    compared = SymInt(z3.Int("the priority of what a decision is handed"))
    claim.facts.append(SEEN.of(compared, SymInt(as_term(seen, int))))
    return _Seen(compared)


def _grown(function: Callable[..., Any]) -> Iterator[Part]:
    """A class that the reading accepts gives what DYN-050 says; of another nothing is returned."""
    fault = SymEnum(PolicyFault, z3.Int("fault"))
    said, base = (SymInt(z3.Int(name)) for name in ("what DYN-050 says", "base"))
    reading = Made(Reading, {name: token(name) for name in ("invalid_class", "priority_steps")})
    invalid, steps = (reading.fields[name] for name in ("invalid_class", "priority_steps"))
    policy, workload, now = token("policy"), token("workload"), SymInt(z3.Int("now"))
    found, needed = returned(
        seeing(
            function,
            policy_fault=_Stands(fault, base, policy, invalid),
            priority_at=_Stands(said, workload, base, policy, now, steps),
        ),
        growing=Made(WorkloadPriorityClass, {"base": base}),
        policy=policy,
        workload=workload,
        now=now,
        reading=reading,
    )
    accepted = fault.term == int(PolicyFault.NONE)
    yield Part(
        "what a class gives",
        (),
        (
            ("only where the reading accepts it", every(needed) == accepted),
            ("what DYN-050 says", as_term(found, int) == said.term),
        ),
    )


def _of_its_class(function: Callable[..., Any]) -> Iterator[Part]:
    """The class that counts is the one under the workload's own name for it, where that has a policy."""
    name, now, reading, grown = (token(known) for known in ("class", "now", "reading", "grown"))
    workload = Made(Workload, {"priority_class": name})
    policy = Made(DynamicPriorityPolicy, {"": token("policy")})
    for growing in (None, *(Made(WorkloadPriorityClass, {"policy": own}) for own in (None, policy))):
        named = Made(dict, {"get": only_of(growing, name)})
        given_by = only_of(grown, growing, policy, workload, now, reading)
        grows = growing is not None and growing.fields["policy"] is not None

        def of(way: Way, expected: Value = grown if grows else None) -> Labelled:
            return [("by its own class", same(way.value, expected))]

        cluster = Made(Cluster, {"growing": named})
        given = {"workload": workload, "cluster": cluster, "now": now, "reading": reading}
        yield from read_procedure(seeing(function, _given_by=given_by), given, of)


def _running(function: Callable[..., Any]) -> Iterator[Part]:
    """What runs in a snapshot is what is seen of the admitted workloads of its tree, each of them alone."""
    modelled("what is sorted into a dict of lists is what was given", PYTHON)
    names = ("cluster", "queue", "now", "reading")
    given, tree, used = {name: token(name) for name in names}, token("tree"), token("used")
    cluster = Made(Cluster, {"admitted": token("admitted"), "": given["cluster"]})
    asked = (cluster, given["now"], given["reading"])
    seen_as, count, any_one = z3.Function("seen as", INT, INT), z3.Int("count"), z3.Int("any one")

    def seen(_: State, workload: Value, *handed: Value) -> Value:
        exact = z3.is_true(z3.simplify(same(handed, asked)))
        return SymToken(seen_as(workload.term)) if exact else workload

    def through(_: State, where: Value, workloads: Row) -> Value:
        exact = z3.And(same(where, tree), workloads.size == count)
        right = z3.And(exact, workloads.at(any_one).term == seen_as(any_one))
        return SymToken(z3.If(right, 1, 0))

    read = seeing(
        function,
        build_tree=only_of(tree, cluster, given["queue"]),
        _running_in=only_of(Row(SymToken, count), tree, cluster.fields["admitted"]),
        with_effective_priority=Law(seen),
        _by_queue=Law(through),
        _held_by_queue=Law(lambda _, running: SymToken(z3.If(running.term == 1, used.term, -1))),
        snapshot_of=Law(lambda _, *handed: handed),
    )
    expected = (cluster, given["queue"], tree, SymToken(z3.IntVal(1)), used, given["reading"])

    def of(way: Way) -> Labelled:
        return [("what runs is what is seen", same(way.value, expected))]

    in_tree = z3.And(any_one >= 0, any_one < count)
    yield from read_procedure(read, {**given, "cluster": cluster}, of, facts=(in_tree,))


@theorem(
    "PO-ANY-255",
    about=(snapshot._compared, snapshot._around, ageing.grown_priority, ageing._given_by),
    size="the preemptor and every workload that runs in its tree, of any class, at any instant",
)
def no_decision_compares_a_priority_below_the_base_or_above_the_max_of_an_accepted_class(
    compared: Callable[..., Any] = snapshot._compared,
    grown: Callable[..., Any] = ageing._given_by,
    of_class: Callable[..., Any] = ageing.grown_priority,
    around: Callable[..., Any] = snapshot._around,
) -> Iterator[Part]:
    """KEP-754, DynamicPriorityPolicy: what PO-DYN-010 says of DYN-070, of what a decision compares.

    A class that the reading refuses gives no priority at all: there is no decision then. Every workload that
    runs in a snapshot is seen so as well, with the clock and the reading that the snapshot is taken with, and
    by the class that the cluster has under the workload's own name for it. Of a snapshot that a decision is
    handed, this is its caller's part.
    """
    obligation = OBLIGATIONS["PO-DYN-010"]
    for column, verdict in {**obligation.expect, **obligation.also}.items():
        if verdict == Verdict.PROVED:
            claim = _OfDecisions(reading_of(column))
            claim.compared = compared
            obligation.state(claim)
            yield Part(f"under {column}", tuple(claim.facts), (("it holds", every(claim.goals)),))
    yield from _grown(grown)
    yield from _of_its_class(of_class)
    yield from _running(around)
