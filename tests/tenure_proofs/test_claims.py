"""Claims in words: each reads as a sentence, with names as Kubernetes' API writes them."""

from __future__ import annotations

import json
import re

import pytest

from tenure.claims import PUNCTUATED, WRITTEN
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.obligations import OBLIGATIONS, claim_text
from tenure_proofs.theorems.registry import all_theorems
from tests.command_line import tenure, tenure_process

CLAIMS = {
    **{identifier: claim_text(obligation) for identifier, obligation in OBLIGATIONS.items()},
    **{identifier: theorem.words for identifier, theorem in all_theorems().items()},
    **{identifier: postcondition.words for identifier, postcondition in POSTCONDITIONS.items()},
}
NAMES = (
    *(obligation.statement.__name__ for obligation in OBLIGATIONS.values()),
    *(theorem.statement.__name__ for theorem in all_theorems().values()),
    *(postcondition.claim.__name__ for postcondition in POSTCONDITIONS.values()),
)
TAKEN_APART = re.compile(
    r"\b(heros|\w+sss|kueues?|kai|kep|clusterqueues?|cluster queues?)\b| s\b"
    r"|\b(min (admit duration|count)|within cohort|best effort|condition one)\b"
    r"|\b(reclaim|policy is) (any|never)\b"
    r"|\b(cores|jobs|preemptors|victims) (creation|priority|queue|sums|timestamp)\b"
)
"""Possessives without an apostrophe, and names of the API in words of their own."""


def test_no_claim_takes_a_name_apart() -> None:
    found = {name: words for name, words in CLAIMS.items() if TAKEN_APART.search(words) or "_" in words}
    assert found == {}


@pytest.mark.parametrize(
    "words",
    [
        "a heros workload",
        "a hero s subtree",
        "the classs base",
        "two clusterqueues are related",
        "in its cluster queue",
        "before min admit duration has passed",
        "the preemptors queue",
        "as in kueue",
        "the policy is never",
    ],
)
def test_a_name_that_is_taken_apart_is_found(words: str) -> None:
    assert TAKEN_APART.search(words)


def test_every_word_that_is_written_otherwise_occurs_in_a_claim() -> None:
    plain = [name.replace("_", " ") for name in NAMES]
    assert [part for part in WRITTEN if not any(re.search(rf"\b{part}\b", words) for words in plain)] == []
    assert [part for part in PUNCTUATED if not any(part in words for words in CLAIMS.values())] == []


def test_why_a_claim_is_proved_names_claims_as_sentences() -> None:
    claim = "no decision preempts a hero's workload but for a hero above or a peer of higher priority"
    below = "the relation of two ClusterQueues is that in the tree"
    lines = tenure_process("prove", "--why", "PO-ANY-220").stdout.decode().splitlines()
    assert lines[0] == f"PO-ANY-220: {claim}"
    assert f"  PO-ANY-205: {below}" in lines
    answer = json.loads(tenure("prove", "--why", "PO-ANY-220", "-o", "json").stdout)
    assert {"PO-ANY-220": claim, "PO-ANY-205": below}.items() <= {
        entry["id"]: entry["claim"] for entry in answer["claims"]
    }.items()
    assert tenure("show", "PO-ANY-220").stdout.decode().startswith(lines[0])
