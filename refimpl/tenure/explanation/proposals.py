"""Which proposals a cluster uses a field of; the rules of the others are left out of text."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from tenure.explanation.remarks import Remark
from tenure.model import Cluster, PreemptionRules

_FAMILIES = {"TBP": "KEP-8522", "UCQ": "KEP-8826", "DYN": "KEP-754"}
_AMONG_EQUALS = ("TBP-040", "TBP-050")
"""Rules that decide about equals without the proposal's field too, as part of KQ-040."""


def proposals_in(cluster: Cluster) -> tuple[str, ...]:
    """The proposals of which a cluster uses a field.

    Args:
        cluster: the cluster.

    >>> proposals_in(Cluster({}))
    ()
    """
    queues = cluster.cluster_queues.values()
    used = {
        "KEP-8522": any(queue.min_admit_duration is not None for queue in queues),
        "KEP-8826": any(queue.rules != PreemptionRules.DEFAULT for queue in queues),
        "KEP-754": any(grown.policy is not None for grown in cluster.growing.values()),
    }
    return tuple(proposal for proposal, is_used in used.items() if is_used)


def shown_rules(rules: Iterable[str], proposals: Container[str]) -> str:
    """Some rules in a text, without those of proposals that are not used.

    Args:
        rules: their identifiers.
        proposals: those that are used.

    >>> shown_rules(("KQ-040", "TBP-050", "TBP-040"), ())
    'KQ-040'
    """
    return ", ".join(name for name in rules if _is_shown(name, proposals))


def shown_remarks(remarks: Iterable[Remark], proposals: Container[str]) -> Iterator[Remark]:
    """Some findings, without those of proposals that are not used.

    Args:
        remarks: the findings.
        proposals: those that are used.

    >>> [(found.rule, found.text) for found in shown_remarks([Remark("TBP-040", True, "newer")], ())]
    [('KQ-040', 'newer')]
    """
    for found in remarks:
        if _is_shown(found.rule, proposals):
            yield found
        elif found.rule in _AMONG_EQUALS:
            yield replace(found, rule="KQ-040")


def _is_shown(name: str, proposals: Container[str]) -> bool:
    proposal = _FAMILIES.get(name.partition("-")[0])
    return proposal is None or proposal in proposals


def clock_text(now: str, reading: str, proposals: Container[str]) -> str:
    """The clock of an answer, and its reading where that can make a difference.

    Args:
        now: RFC 3339.
        reading: in words.
        proposals: those that are used.

    >>> clock_text("2026-03-02T14:00:00Z", "guaranteed", ())
    'clock 2026-03-02T14:00:00Z'
    """
    return f"clock {now}, reading {reading}" if proposals else f"clock {now}"
