"""The obligations of the rules that a decision of the site's playground asked, proved or refuted in the page.

Z3 alone answers there, since there is no cvc5 for a browser; `tenure prove` asks both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from tenure.as_json import as_json
from tenure_proofs.asked import Shared
from tenure_proofs.obligations import OBLIGATIONS, claim_text, source_text
from tenure_proofs.registry import Obligation, Verdict
from tenure_proofs.runner import run_obligation

_SHARED = Shared()
"""Formulas and answers, for as long as the page is open."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """An obligation that the page offers."""

    id: str
    """Its identifier."""
    words: str
    """The claim in a sentence."""
    rules: tuple[str, ...]
    """The rules it is about."""
    expected: str
    """What is expected under the reading: proved or refuted."""


@dataclass(frozen=True, slots=True)
class Judged:
    """How an obligation ended."""

    id: str
    """Its identifier."""
    words: str
    """The claim in a sentence."""
    verdict: str
    """proved, refuted, or why it is neither."""
    as_expected: bool
    """Whether it ended so as is published."""
    seconds: float
    """How long it took."""
    story: tuple[str, ...]
    """The counterexample, a line each; empty for a proved one."""
    detail: str
    """Why, where the verdict is not plain."""


def claimed(rules: Iterable[str], reading: str) -> str:
    """The obligations about some rules, as JSON: headlines first, then those about the fewest rules.

    Args:
        rules: identifiers; none asks for all obligations.
        reading: a preset's name.

    >>> json.loads(claimed(["TBP-020"], "as-written"))[0]["id"]
    'PO-TBP-010'
    """
    wanted = set(rules)
    about = [claim for claim in OBLIGATIONS.values() if wanted & set(claim.rules) or not wanted]
    about.sort(key=lambda claim: (not claim.title, len(claim.rules)))
    return json.dumps([as_json(_claim(claim, reading)) for claim in about])


def _claim(obligation: Obligation, reading: str) -> Claimed:
    expected = obligation.expected_under(reading)
    return Claimed(obligation.id, claim_text(obligation), tuple(obligation.rules), str(expected))


def judged(identifier: str, reading: str) -> str:
    """One obligation run under a reading, as JSON.

    Args:
        identifier: the obligation.
        reading: a preset's name.

    Raises:
        KeyError: there is no such obligation.

    >>> json.loads(judged("PO-KQ-010", "guaranteed"))["verdict"]
    'proved'
    """
    obligation = OBLIGATIONS[identifier]
    result = run_obligation(obligation, reading, None, shared=_SHARED)
    example = result.counterexample if result.verdict == Verdict.REFUTED else None
    told = Judged(
        obligation.id,
        claim_text(obligation),
        str(result.verdict),
        result.as_expected,
        round(result.seconds, 3),
        () if example is None else tuple(example.story),
        result.detail or source_text(obligation),
    )
    return json.dumps(as_json(told))
