"""The one door: the only place where a target of preemption is constructed."""

from __future__ import annotations

from tenure.model import Basis, Evidence, Instant, Kin, Reason, SelectedBy, Target, Workload
from tenure.rules.eligibility import basis_for, preemption_reason
from tenure.rules.preemption_config import is_selected
from tenure.rules.terms import PreemptionTerms


class NotAllowed(ValueError):  # noqa: N818 - it names what the door answers, as the design does
    """The evidence does not allow this workload to be preempted."""


def _make_target(workload: Workload, reason: Reason, evidence: Evidence) -> Target:
    """Past the class, which refuses every caller; statement by statement, as the lifter reads it."""
    made = object.__new__(Target)
    object.__setattr__(made, "workload", workload)
    object.__setattr__(made, "reason", reason)
    object.__setattr__(made, "evidence", evidence)
    return made


def take_target(
    preemptor: Workload,
    target: Workload,
    evidence: Evidence,
    terms: PreemptionTerms,
    now: Instant,
    kin: Kin,
) -> Target:
    """Construct a target, if the evidence is what the rule finds.

    The headline invariants are proved of this function: whatever a selection does, no workload becomes a
    target without passing here.

    Args:
        preemptor: the pending workload.
        target: a workload that holds quota.
        evidence: the evidence that allows it.
        terms: what holds for the preemptor.
        now: the scheduling cycle's one clock value, ns since the epoch.
        kin: how the target's ClusterQueue is related to the preemptor's, as far as heroes are concerned.

    Raises:
        NotAllowed: the evidence is no basis, or not the one that KQ-300 finds.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> low, high = (Workload("h", str(p), "u", priority=p, created_at=0, cluster_queue="q") for p in (1, 2))
    >>> take_target(high, low, Evidence(Basis.LOWER_PRIORITY), terms_of(
    ...     ClusterQueue("q"), Settings(), preset("guaranteed")), now=0, kin=Kin())
    Traceback (most recent call last):
    ...
    tenure.oracle.door.NotAllowed: h/2 may not preempt h/1: the evidence is LOWER_PRIORITY, KQ-300 finds NONE
    """
    found = basis_for(preemptor, target, evidence, terms, now, kin)
    if found == Basis.NONE or evidence.basis != found:
        raise NotAllowed(
            f"{preemptor.key} may not preempt {target.key}: "
            f"the evidence is {evidence.basis.name}, KQ-300 finds {found.name}"
        )
    return _make_target(workload=target, reason=preemption_reason(found), evidence=evidence)


def take_configured_target(preemptor: Workload, target: Workload, selected: SelectedBy) -> Target:
    """Construct a target that a PreemptionConfig selects, if that is what the rule finds.

    Nothing that is proved of `take_target` holds of these: a PreemptionConfig may select any workload.

    Args:
        preemptor: the pending workload.
        target: a workload that holds quota.
        selected: the evidence that selects it.

    Raises:
        NotAllowed: PCF-070 does not find it selected.

    >>> from tenure.model import SelectorFacts, Trigger
    >>> low, high = (Workload("h", str(p), "u", priority=p, created_at=0, cluster_queue="q") for p in (1, 2))
    >>> facts = SelectorFacts(*[True] * 7, False)
    >>> take_configured_target(high, low, SelectedBy("c", Trigger.ALWAYS, (("r", (0,)),), facts))
    Traceback (most recent call last):
    ...
    tenure.oracle.door.NotAllowed: h/2 may not preempt h/1: PCF-070 does not find it selected by c rule r/0
    """
    if not is_selected(selected.facts):
        raise NotAllowed(
            f"{preemptor.key} may not preempt {target.key}: "
            f"PCF-070 does not find it selected by {selected.config} rule {selected.words}"
        )
    return _make_target(workload=target, reason=Reason.CONFIGURABLE_PREEMPTION, evidence=Evidence(Basis.NONE))
