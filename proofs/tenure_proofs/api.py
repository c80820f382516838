"""`tenure_proofs.prove`: one's own claims about rules and decisions, for every state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import unwrap
from pathlib import Path
from traceback import walk_tb

from tenure.answer import Answer
from tenure.conformance.requests import read_decide_request
from tenure.errors import InputError
from tenure.outline import Item, Outline, Part, TitledList
from tenure.readings import Reading, parse_reading
from tenure.rules.registry import all_rules
from tenure_play.drawing.cluster import picture_of_decision
from tenure_play.drawing.cluster_sketch import sentences_of, sketch_of
from tenure_play.drawing.svg import svg
from tenure_proofs.budgets import UNRECORDED
from tenure_proofs.counterexamples import Counterexample, shown
from tenure_proofs.obligations import claim_text
from tenure_proofs.registry import Obligation, Statement, Verdict, everywhere
from tenure_proofs.runner import run_obligation
from tenure_proofs.solvers import Cvc5
from tenure_proofs.trusted.claim import Claim, Lifted
from tenure_proofs.trusted.domains import LiftError

__all__ = ["OwnClaim", "prove"]


@dataclass(frozen=True, slots=True)
class OwnClaim:
    """How a claim ended."""

    claim: str
    """The name of its function, in words."""
    reading: str
    """The reading, by its name."""
    verdict: str
    """`proved`: both solvers exclude every counterexample; `refuted`; `vacuous`: no state is as assumed;
    `unknown`; or `error`, of a claim that cannot be read as a formula."""
    why: str = ""
    """Why it is neither; empty where it is."""
    solvers: dict[str, str] = field(default_factory=dict)
    """What each solver answered about a counterexample: `unsat` where there is none."""
    story: tuple[str, ...] = ()
    """The smallest counterexample, line by line; of a claim about one decision."""
    uses: tuple[str, ...] = ()
    """What it lifts of Tenure: a rule by its identifier, any other function by its name; none, and the claim
    is about the given formula only."""
    values: dict[str, str] = field(default_factory=dict)
    """The smallest counterexample: the arguments by name, as Python writes them."""


def prove(claim: Statement, *, reading: str | Reading = "guaranteed", seeds: int = 1) -> Answer[OwnClaim]:
    """Prove a claim for every state, by Z3 and cvc5, or find the smallest state that breaks it.

    Args:
        claim: a function that writes what it assumes and what it claims into a
            `tenure_proofs.trusted.claim.Claim`; its name is the claim in words.
        reading: see `tenure.readings`.
        seeds: how many random seeds Z3 is asked with.

    Raises:
        InputError: no such reading.

    >>> from tenure.model import Workload
    >>> from tenure.rules.time_based import is_time_expired
    >>> from tenure_proofs.trusted.logic import is_set, negation, value_of
    >>> def a_job_that_has_just_started_is_protected(claim):
    ...     job, now = claim.record("job", Workload), claim.number("now")
    ...     duration = claim.number("duration")
    ...     claim.assume(duration > 0, is_set(job, "quota_reserved_at"))
    ...     claim.assume(value_of(job, "quota_reserved_at") == now)
    ...     claim.prove(negation(claim.lift(is_time_expired)(job, now, duration).value))
    >>> prove(a_job_that_has_just_started_is_protected)
    <own-claim: Proved for every state under guaranteed: a job that has just started is protected.>
    """
    chosen = parse_reading(reading, for_proofs=True)
    lifted: dict[str, None] = {}
    problems: list[str] = []

    @wraps(claim)
    def stated(own: Claim) -> None:
        try:
            claim(own)
        except Exception as error:
            problems.append(f"{_place(claim, error)}{_said(error)}")
            raise
        lifted.update(dict.fromkeys(_uses(own)))

    obligation = Obligation("own claim", (), stated, everywhere(Verdict.PROVED), UNRECORDED, "")
    with Cvc5() as cvc5:
        result = run_obligation(obligation, chosen.name, cvc5, seeds)
    example = result.counterexample if result.verdict == Verdict.REFUTED else None
    found = OwnClaim(
        claim_text(obligation),
        chosen.name,
        result.verdict.value,
        "" if result.verdict in (Verdict.PROVED, Verdict.REFUTED) else next(iter(problems), result.detail),
        dict(result.solvers),
        () if example is None else example.story,
        (*lifted,),
        {} if example is None else {name: repr(value) for name, value in example.values.items()},
    )
    values = {} if example is None else {name: shown(value) for name, value in example.values.items()}
    return Answer("own-claim", found, _outline(found, values), picture=_picture(example))


def _said(error: Exception) -> str:
    if isinstance(error, AttributeError) and isinstance(error.obj, Lifted):
        return "a lifted call is no truth value: its .value is what the function returns"
    return str(error) if isinstance(error, LiftError) else f"{type(error).__name__}: {error}"


def _place(claim: Statement, error: Exception) -> str:
    """The line of a claim's file that an error comes from, for the start of a message."""
    file = unwrap(claim).__code__.co_filename
    frames = walk_tb(error.__traceback__)
    lines = [line for frame, line in frames if frame.f_code.co_filename == file]
    here = Path.cwd()
    shown = Path(file).relative_to(here) if Path(file).is_relative_to(here) else file
    return f"{shown}:{lines[-1]}: " if lines else ""


def _uses(claim: Claim) -> Iterator[str]:
    """What a claim lifts of Tenure."""
    rules = {entry.function: entry.id for entry in all_rules()}
    for call in claim.calls:
        if call.function.__module__.split(".")[0].startswith("tenure"):
            yield rules.get(call.function, call.function.__name__)


def _outline(found: OwnClaim, shown_values: Mapping[str, str]) -> Outline:
    match found.verdict:
        case Verdict.PROVED:
            alone = "; it uses no rule or decision of Tenure: this is about the given formula only"
            about = "" if found.uses else alone
            first = f"Proved for every state under {found.reading}: {found.claim}{about}."
        case Verdict.REFUTED:
            first = f"Refuted under {found.reading}: {found.claim}."
        case _:
            first = f"Not known under {found.reading}: {found.claim}; {found.why or found.verdict}"
    parts: list[Part] = [first]
    if found.story:
        parts.append(TitledList("Smallest counterexample", [*map(Item, found.story)]))
    elif shown_values:
        values = [Item(f"{name}: {value or 'any'}") for name, value in shown_values.items()]
        parts.append(TitledList("Smallest counterexample", values))
    solvers = ", ".join(f"{name} {answer}" for name, answer in found.solvers.items())
    return Outline("Claim", [*parts, *([f"a counterexample: {solvers}"] if solvers else [])])


def _picture(example: Counterexample | None) -> str:
    if example is None or example.scenario is None:
        return ""
    try:
        picture = picture_of_decision(read_decide_request(example.scenario["input"]).decided())
    except InputError:
        return ""
    sketch = sketch_of(picture)
    whole = replace(sketch, height=sketch.height or sketch.bottom + 2)
    return svg(whole, "The decision that breaks the claim", " ".join(sentences_of(picture)))
