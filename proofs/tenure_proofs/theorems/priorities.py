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

from tenure.model import Cluster, PolicyFault, Settings, WorkloadPriorityClass
from tenure.oracle import ageing, snapshot
from tenure.readings import Reading
from tenure.rules.dynamic_priority import priority_in_decision
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict, reading_of
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.theorems.standins import only_of, token
from tenure_proofs.theorems.taken import standing
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.loops import Given, every, returned
from tenure_proofs.trusted.symbols import SymBool, SymEnum, SymInt, as_term


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


@standing(
    ("the preemptor is seen through it", "PO-ANY-235"),
    ("so is every workload that runs in the tree", BELIEVED),
    ("what a class gives after some time is what it gives after some number of steps", "PO-DYN-110"),
    ("a workload's class is found by its name", BELIEVED),
)
def _seen(claim: _OfDecisions, workload: Any, grown: Any, gate: SymBool) -> _Seen:
    """The priority of a workload as a decision sees it, where its class gives it a priority."""
    cluster = Made(Cluster, {"settings": Made(Settings, {"priority_boost": gate})})
    given = {"workload": workload, "cluster": cluster, "now": token("now"), "reading": token("reading")}
    seen, needed = returned(
        seeing(claim.compared, grown_priority=_Stands(grown, *given.values())),
        **given,
    )
    claim.goals.append(every(needed))
    return _Seen(SymInt(as_term(seen, int)))


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


@theorem(
    "PO-ANY-255",
    about=(snapshot._compared, ageing._given_by),
    size="every workload that a decision sees through its effective priority, of any class, at any instant",
)
def no_decision_compares_a_priority_below_the_base_or_above_the_max_of_an_accepted_class(
    compared: Callable[..., Any] = snapshot._compared,
    grown: Callable[..., Any] = ageing._given_by,
) -> Iterator[Part]:
    """KEP-754, DynamicPriorityPolicy: what PO-DYN-010 says of DYN-070, of what a decision compares.

    A class that the reading refuses gives no priority at all: there is no decision then.
    """
    obligation = OBLIGATIONS["PO-DYN-010"]
    for column, verdict in {**obligation.expect, **obligation.also}.items():
        if verdict == Verdict.PROVED:
            claim = _OfDecisions(reading_of(column))
            claim.compared = compared
            obligation.state(claim)
            yield Part(f"under {column}", tuple(claim.facts), (("it holds", every(claim.goals)),))
    yield from _grown(grown)
