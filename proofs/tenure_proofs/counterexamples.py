"""A refuted claim as a story: the smallest values, rebuilt as manifests, replayed through the oracle."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import z3

from tenure.conformance.protocol import answer
from tenure.model import MINUTE, SECOND, Basis, WithinClusterQueue, Workload
from tenure.rules.eligibility import basis_within_queue
from tenure.rules.terms import PreemptionTerms
from tenure.units import format_instant
from tenure_proofs.asked import Shared
from tenure_proofs.hero_scenarios import HeroCase, hero_case
from tenure_proofs.models import build, concrete, rank_of, replay, text_of
from tenure_proofs.premises import fixed_by
from tenure_proofs.scenarios import scenario_of, story_of
from tenure_proofs.solvers import Question, solver_that_knows
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.domains import Domain, Record, Scalar, constant, leaves, presence

EPOCH = 1_767_603_600 * SECOND
"""Where stories begin: 2026-01-05T09:00:00Z, a Monday morning, in ns."""

PREFERRED: dict[str, int] = {
    "min_admit_duration": 4 * 60 * MINUTE,
    "priority": 100,
    "within_cluster_queue": int(WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY),
    "time_based_preemption": 1,
    "priority_sorting_within_cohort": 1,
}
"""The value that a reader expects where nothing else is needed; other numbers prefer 0, times `EPOCH`."""

CORNERS = 3
"""How often to ask for anything nearer at all, before the rest is halved."""

MINIMISING = 1_000_000
"""Steps of the solver for one question about something smaller; where that is too few, the larger stays.

Steps and no seconds, so that a counterexample is the same on a machine that does much else.
"""

TIMES = ("now", "created_at", "quota_reserved_at", "_evicted_at", "_preempted_at")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Values that satisfy every fact and break a goal.

    Args:
        values: every argument, by name.
        story: what happens, line by line; empty when the claim is not about one decision.
        scenario: the oracle's request that shows it, with the expected answer; None as above.
        difference: what did not replay; empty when everything did.
    """

    values: dict[str, Any]
    story: tuple[str, ...]
    scenario: dict[str, Any] | None
    difference: str


def find_counterexample(claim: Claim, question: Question, shared: Shared) -> Counterexample:
    """The smallest counterexample, replayed."""
    wanted = tuple((name, str(domain)) for name, domain in claim.symbols.items())
    model = shared.once(("smallest", wanted), question, lambda: _smallest(claim, question))
    if model is None:
        return Counterexample({}, (), None, "no values within the budget when asked again")
    values = {
        name: _value(claim, name, claim.symbols[name], model)
        if name in claim.symbols
        else concrete(made, model)
        for name, made in claim.arguments.items()
    }
    difference = next((found for call in claim.calls if (found := replay(call, model))), "")
    if difference or not is_one_decision(claim):
        return Counterexample(values, (), None, difference)
    case = hero_case(values)
    if case is not None:
        return _of_a_hero(case, claim, values)
    preemptor, target, terms, now = (values[name] for name in ("preemptor", "target", "terms", "now"))
    if target.cluster_queue != terms.cluster_queue:  # the stories here are about one queue
        return Counterexample(values, (), None, difference)
    preemptor, target = _named(preemptor, target)
    scenario = scenario_of(preemptor, target, terms, now, claim.reading)
    said = answer(scenario)
    difference = _replayed_difference(said, preemptor, target, terms, now)
    return Counterexample(values, story_of(preemptor, target, terms, now, said), scenario, difference)


def _of_a_hero(case: HeroCase, claim: Claim, values: dict[str, Any]) -> Counterexample:
    preemptor, target = _named(case.preemptor, case.target)
    case = dataclasses.replace(case, preemptor=preemptor, target=target)
    scenario = case.scenario(values["now"], claim.reading)
    said = answer(scenario)
    story = case.story(values["now"], said)
    if "error" in said:
        refused = said["error"]["message"]
        return Counterexample(values, story, scenario, f"the oracle refuses the rebuilt manifests: {refused}")
    taken = [entry["workload"] for entry in said["output"]["preempted"]]
    differs = (case.target.key in taken) != case.is_taken
    found = f"the rules say {case.is_taken}, the oracle preempts {taken}" if differs else ""
    return Counterexample(values, story, scenario, found)


def _named(preemptor: Workload, target: Workload) -> tuple[Workload, Workload]:
    """Both with the names that stories call them by."""
    return (
        dataclasses.replace(preemptor, namespace="team-a", name="preemptor", uid="preemptor"),
        dataclasses.replace(target, namespace="team-b", name="target", uid="target"),
    )


def _replayed_difference(
    said: dict[str, Any], preemptor: Workload, target: Workload, terms: PreemptionTerms, now: int
) -> str:
    """What the oracle, fed with manifests, decides otherwise than the rule on the values."""
    if "error" in said:
        return f"the oracle refuses the rebuilt manifests: {said['error']['message']}"
    taken = [entry["workload"] for entry in said["output"]["preempted"]]
    basis = basis_within_queue(preemptor, target, terms, now)
    if (target.key in taken) != (basis != Basis.NONE):
        return f"the rule finds {basis.name}, the oracle preempts {taken}"
    return ""


def is_one_decision(claim: Claim) -> bool:
    """Whether a claim is about one preemptor, target, terms and clock, so that its values make a scenario."""
    return {"preemptor", "target", "terms", "now"} <= set(claim.symbols)


def _value(claim: Claim, name: str, domain: Domain, model: z3.ModelRef) -> Any:
    value = build(domain, name, model)
    if isinstance(domain, Record) and domain.cls is PreemptionTerms:
        return dataclasses.replace(value, **fixed_by(claim.reading))
    return value


def _smallest(claim: Claim, question: Question) -> z3.ModelRef | None:
    """Minimise the distance of one leaf after the other from what a reader expects.

    None when the solver finds nothing within its budget this time.
    """
    said, solver = solver_that_knows(question)
    if said != "sat":
        return None
    solver.set("rlimit", MINIMISING)
    model = _hold(solver, solver.model(), [fact.translate(solver.ctx) for fact in _presentable(claim)])
    wanted = [_Wanted(term.translate(solver.ctx), value) for term, value in _preferences(claim, question)]
    return _near(solver, model, wanted).translate(z3.main_ctx())


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A leaf, and the value that a reader expects of it."""

    term: z3.ArithRef
    value: int

    @property
    def distance(self) -> z3.ArithRef:
        return z3.If(self.term >= self.value, self.term - self.value, self.value - self.term)


def _hold(solver: z3.Solver, model: z3.ModelRef, facts: list[z3.BoolRef]) -> z3.ModelRef:
    """Add every fact that can still hold, the earlier ones first; half of them at a time while all can."""
    found = _together(solver, model, facts)
    if found is not None or len(facts) < 2:
        return found or model
    middle = len(facts) // 2
    model = _hold(solver, model, facts[:middle])
    return _hold(solver, model, facts[middle:])


def _near(solver: z3.Solver, model: z3.ModelRef, wanted: list[_Wanted]) -> z3.ModelRef:
    """Values as near as can be, the earlier leaves first; most of them can have the very values."""
    if not wanted:
        return model
    found = _together(solver, model, [leaf.term == leaf.value for leaf in wanted])
    if found is not None:
        return found
    if len(wanted) == 1:
        return _approach(solver, model, wanted[0].distance)
    middle = len(wanted) // 2
    model = _near(solver, model, wanted[:middle])
    return _near(solver, model, wanted[middle:])


def _together(solver: z3.Solver, model: z3.ModelRef, facts: list[z3.BoolRef]) -> z3.ModelRef | None:
    """Values for which all these facts hold as well, which then stay; None when there are none."""
    if all(z3.is_true(model.eval(fact, model_completion=True)) for fact in facts):
        solver.add(*facts)
        return model
    solver.push()
    solver.add(*facts)
    if str(solver.check()) == "sat":
        return solver.model()
    solver.pop()
    return None


def _approach(solver: z3.Solver, model: z3.ModelRef, distance: z3.ArithRef) -> z3.ModelRef:
    """Values with the least distance, which is not 0; the model given satisfies everything so far."""
    low, high = 1, model.eval(distance, model_completion=True).as_long()
    tried = 0
    while low < high:
        # What a solver answers is often the least already, or a corner away from it; so that is asked first.
        middle = high - 1 if tried < CORNERS else (low + high) // 2
        tried += 1
        solver.push()
        solver.add(distance <= middle)
        if str(solver.check()) == "sat":
            model = solver.model()
            high = model.eval(distance, model_completion=True).as_long()
        else:
            low = middle + 1
        solver.pop()
    solver.add(distance <= high)
    return model


def _presentable(claim: Claim) -> Iterator[z3.BoolRef]:
    """Facts that a real cluster's objects have; each is added only where the counterexample allows it."""
    named = [
        (leaf, scalar, optional)
        for name, d in claim.symbols.items()
        for leaf, scalar, optional in leaves(name, d)
    ]
    for leaf, scalar, optional in named:
        if optional:
            wanted = leaf.endswith(("quota_reserved_at", "min_admit_duration")) and "preemptor" not in leaf
            yield presence(leaf) == wanted
        if scalar.sort is int and leaf.endswith(TIMES):
            yield constant(leaf, scalar) >= EPOCH
            yield (constant(leaf, scalar) - EPOCH) % SECOND == 0
        if scalar.sort is int and leaf.endswith("min_admit_duration"):
            yield constant(leaf, scalar) % MINUTE == 0
        if scalar.sort is bool and leaf.endswith("evicted"):
            yield z3.Not(constant(leaf, scalar))
    yield from _happened_in_order(claim)


def _happened_in_order(claim: Claim) -> Iterator[z3.BoolRef]:
    now = z3.Int("now")
    for name, domain in claim.symbols.items():
        if isinstance(domain, Record) and domain.cls is Workload:
            created, reserved = z3.Int(f"{name}.created_at"), z3.Int(f"{name}.quota_reserved_at")
            yield created <= reserved
            if "now" in claim.symbols:
                yield z3.And(created <= now, reserved <= now)


def _preferences(claim: Claim, question: Question) -> Iterator[tuple[z3.ArithRef, int]]:
    mentioned = question.constants()
    named = [
        (leaf, scalar)
        for name, domain in claim.symbols.items()
        for leaf, scalar, _ in leaves(name, domain)
        if leaf in mentioned
    ]
    # Durations first: a story about four hours reads better than one about an instant.
    for leaf, scalar in sorted(named, key=lambda pair: not pair[0].endswith("min_admit_duration")):
        term = constant(leaf, scalar)
        if scalar.sort is bool:
            term = z3.If(term, z3.IntVal(1), z3.IntVal(0))
        yield term, _preferred(leaf, scalar)


def _preferred(leaf: str, scalar: Scalar) -> int:
    if scalar.sort is int and leaf.endswith(TIMES):
        return EPOCH
    return PREFERRED.get(leaf.rpartition(".")[2], 0)


def shown(value: Any) -> str:
    """A value of a counterexample as a reader wants it: times as times, records without empty fields."""
    if dataclasses.is_dataclass(value):
        parts = (
            f"{field.name}={_shown_field(field.name, getattr(value, field.name))}"
            for field in dataclasses.fields(value)
            if getattr(value, field.name) not in (None, "", (), {}, False, text_of(0))
            and field.name not in ("namespace", "name", "uid", "queue_name")
        )
        return ", ".join(parts)
    return _shown_field("", value)


def _shown_field(name: str, value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and type(value) is int and abs(value) >= EPOCH:
        return format_instant(value)
    if name == "min_admit_duration" and value is not None:
        return f"{value / MINUTE:g}m"
    if name == "cluster_queue" and value is not None:
        return f"queue {rank_of(value)}"
    return getattr(value, "name", str(value))
