"""KAI-Scheduler's MinRuntime plugin: whose value counts, and what it protects."""

from __future__ import annotations

from typing import Any

from tenure.model import SECOND, Action, ResolveMethod, Workload
from tenure.readings import KaiVersion
from tenure.rules.min_runtime import (
    counts_for_reclaim,
    default_of,
    delay_begins,
    delay_ends,
    is_answer_kept,
    is_delayed,
    is_elastic,
    is_protected,
    is_resolvable,
    keeps_minimum,
    least_members,
    must_keep_minimum,
    nearest_set,
    passes_filter,
    protection_in_session,
    value_down,
    value_in_session,
)
from tenure.rules.time_based import is_time_expired
from tenure_proofs.defining import Cases, defines
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, has_value, iff, implies, negation
from tenure_proofs.trusted.schemas import along_every_path


def _same(first: Any, second: Any) -> Any:
    """Two settings of one queue are the same: both unset, or the same value."""
    return all_of(
        iff(first.present, second.present),
        implies(first.present, first.value == second.value),
    )


@defines("PO-KMR-010", nearest_set)
def the_nearest_set_value_wins(own: Any, above: Any) -> Cases:
    """MinRuntime Plugin, Preemption Resolution: walking up until a value is found, and else the default."""
    return [(own.present, own.value), (negation(own.present), above)]


@defines("PO-KMR-020", default_of)
def a_default_is_what_the_argument_says_unless_it_is_wrong(argument: Any) -> Cases:
    """MinRuntime Plugin, Configuration Parameters; the plugin goes on with 0s where the argument is wrong."""
    right = all_of(argument.present, argument.value >= 0)
    return [(right, argument.value), (negation(right), 0)]


def _two_settings(claim: Claim, method: ResolveMethod) -> None:
    """Two trees that differ only below the step come to the same, along the victim's path.

    A queue is at the step or above it when it is top-level, or when the queue above it is the
    reclaimer's too.
    """
    first, second = claim.optional_number("first"), claim.optional_number("second")
    above, other, default = claim.numbers("above", "other", "default")
    common = claim.flag("common")
    counts, value = claim.lift(counts_for_reclaim), claim.lift(value_down)
    here = counts(method, False, common).value
    top = counts(method, True, False).value
    along_every_path(
        claim,
        at_root=implies(
            _same(first, second), value(first, default, top).value == value(second, default, top).value
        ),
        above=above == other,
        here=implies(
            implies(common, _same(first, second)),
            value(first, above, here).value == value(second, other, here).value,
        ),
    )


@obligation(
    "PO-KMR-030",
    rules=["KMR-010", "KMR-030", "KMR-040"],
    irrespective_of={
        "counts_for_reclaim(LCA, True, False)": "two settings that are the same at the top come to the same, "
        "whether or not the top-level queue counts"
    },
)
def under_lca_a_setting_below_the_step_never_matters(claim: Claim) -> None:
    """MinRuntime Plugin, Reclamation Resolution: "whilst not affecting cousin queues". By induction.

    Of queues off the victim's path nothing is asked but which of them are on both paths.
    """
    _two_settings(claim, ResolveMethod.LCA)


@obligation("PO-KMR-040", rules=["KMR-010", "KMR-030", "KMR-040"], expect=everywhere(REFUTED))
def under_queue_a_setting_below_the_step_never_matters(claim: Claim) -> None:
    """MinRuntime Plugin, Queue-based Resolution: the victim's own value counts for every reclaimer."""
    _two_settings(claim, ResolveMethod.QUEUE)


@obligation("PO-KMR-050", rules=["KMR-010", "KMR-030", "KMR-040"])
def what_is_set_at_the_step_or_above_counts(claim: Claim) -> None:
    """MinRuntime Plugin, LCA Resolution: that queue's value, and else the nearest one above it."""
    own, above = claim.optional_number("own"), claim.number("above")
    top, common = claim.flags("top", "common")
    method = claim.member("method", ResolveMethod)
    counts = claim.lift(counts_for_reclaim)(method, top, common).value
    value = claim.lift(value_down)(own, above, counts).value
    claim.prove(
        implies(any_of(top, common, method == ResolveMethod.QUEUE), counts),
        implies(all_of(counts, own.present), value == own.value),
        implies(any_of(negation(counts), negation(own.present)), value == above),
    )


@obligation("PO-KMR-060", rules=["KMR-010", "KMR-040", "KMR-060"])
def raising_a_set_value_never_shortens_a_protection(claim: Claim) -> None:
    """What an administrator may rely on. By induction along the victim's path, for any method."""
    low, high = claim.optional_number("low"), claim.optional_number("high")
    above, higher, default, start, now = claim.numbers("above", "higher", "default", "start", "now")
    counts = claim.flag("counts")
    claim.assume(iff(low.present, high.present), high.value >= low.value)
    value, protected = claim.lift(value_down), claim.lift(is_protected)
    along_every_path(
        claim,
        at_root=value(high, default, counts).value >= value(low, default, counts).value,
        above=higher >= above,
        here=value(high, higher, counts).value >= value(low, above, counts).value,
    )
    claim.prove(
        implies(
            all_of(higher >= above, protected(start, above, now).value), protected(start, higher, now).value
        )
    )


@obligation("PO-KMR-070", rules=["KMR-010"], expect=everywhere(REFUTED))
def setting_a_value_never_shortens_a_protection(claim: Claim) -> None:
    """KAI's plugin: a first value of a queue hides the one above, which may be longer."""
    own, above = claim.numbers("own", "above")
    claim.assume(own >= 0, above >= 0)
    value = claim.lift(nearest_set)
    claim.prove(value(own, above).value >= value(None, above).value)


@defines("PO-KMR-080", passes_filter)
def every_job_but_a_protected_one_that_is_not_elastic_passes_the_filter(elastic: Any, protected: Any) -> Any:
    """MinRuntime Plugin, Implementation Details, and Elastic Jobs Handling, item 1."""
    return any_of(elastic, negation(protected))


@defines("PO-KMR-100", is_protected)
def protection_ends_exactly_with_the_minimum_runtime(start: Any, minimum: Any, now: Any) -> Any:
    """MinRuntime Plugin, Example Workflow: "until it runs for at least 30 seconds"; none without a start."""
    return all_of(start.present, now < start.value + minimum)


@obligation("PO-KMR-110", rules=["KMR-060"], expect=everywhere(REFUTED))
def with_0s_no_job_is_protected(claim: Claim) -> None:
    """MinRuntime Plugin: "0s means workloads are instantly reclaimable"; with a stamp of the future, no."""
    start, now = claim.numbers("start", "now")
    claim.prove(negation(claim.lift(is_protected)(start, 0, now).value))


@defines("PO-KMR-120", is_elastic)
def a_job_is_elastic_exactly_if_some_sub_group_has_pods_to_spare(so_far: Any, least: Any, pods: Any) -> Any:
    """MinRuntime Plugin, Elastic Jobs Handling, for each sub-group: who is elastic by one stays elastic."""
    return any_of(so_far, pods - least > 0)


@defines("PO-KMR-140", keeps_minimum)
def every_sub_group_that_loses_pods_keeps_its_minimum(least: Any, active: Any, preempted: Any) -> Any:
    """MinRuntime Plugin, Elastic Jobs Handling, item 2; nothing else is refused."""
    return any_of(preempted == 0, active - preempted >= least)


@defines("PO-KMR-150", must_keep_minimum)
def exactly_an_elastic_protected_job_must_keep_its_minimum(elastic: Any, protected: Any) -> Any:
    """MinRuntime Plugin, Elastic Jobs Handling, item 2, in every scenario that is accepted."""
    return all_of(elastic, protected)


@obligation("PO-KMR-160", rules=["KMR-090", "KMR-100"], expect=everywhere(REFUTED))
def a_protected_job_keeps_its_minimum_in_every_accepted_scenario(claim: Claim) -> None:
    """KAI's validator alone does not promise it: a job that is not elastic is left to the filter."""
    least, active, preempted = claim.numbers("least", "active", "preempted")
    elastic = claim.flag("elastic")
    must = claim.lift(must_keep_minimum)(elastic, True).value
    keeps = claim.lift(keeps_minimum)(least, active, preempted).value
    claim.assume(least >= 1, preempted > 0, preempted <= active, active >= least, implies(must, keeps))
    claim.prove(active - preempted >= least)


@defines("PO-KMR-170", is_resolvable)
def the_default_counts_exactly_if_a_queue_that_is_needed_is_missing(
    action: Any, pending: Any, victim: Any
) -> Any:
    """MinRuntime plugin, resolver: a preemption needs the victim's queue, a reclaim both."""
    return all_of(victim, implies(action == Action.RECLAIM, pending))


@defines("PO-KMR-180", value_in_session)
def a_kept_value_is_what_resolving_again_would_give_while_queues_are_the_same(
    kept: Any, resolved: Any
) -> Cases:
    """MinRuntime Plugin, Caching: the value of the first question, so of each one while it stays the same."""
    return [(kept.present, kept.value), (negation(kept.present), resolved)]


@obligation("PO-KMR-190", rules=["KMR-110"], expect=everywhere(REFUTED))
def a_kept_value_is_what_resolving_again_would_give(claim: Claim) -> None:
    """KAI's caches: a queue that changes within a session is not noticed."""
    kept, resolved = claim.optional_number("kept"), claim.number("resolved")
    claim.prove(claim.lift(value_in_session)(kept, resolved).value == resolved)


@defines("PO-KMR-200", protection_in_session)
def the_first_answer_of_a_session_is_that_of_the_clock(kept: Any, by_the_clock: Any) -> Cases:
    """MinRuntime Plugin, Caching. Later answers are the first one, which never errs against the victim."""
    return [(kept.present, kept.value), (negation(kept.present), by_the_clock)]


@obligation("PO-KMR-210", rules=["KMR-060", "KMR-120"], expect=everywhere(REFUTED))
def every_answer_of_a_session_is_that_of_the_clock(claim: Claim) -> None:
    """KAI's caches: a protection that ends within a session goes on until the session ends."""
    start, minimum, first, now = claim.numbers("start", "minimum", "first", "now")
    claim.assume(now >= first, first >= start, minimum >= 0)
    protected = claim.lift(is_protected)
    at_first, at_last = protected(start, minimum, first).value, protected(start, minimum, now).value
    claim.prove(iff(claim.lift(protection_in_session)(at_first, at_last).value, at_last))


@defines("PO-KMR-220", is_answer_kept)
def only_march_2026_keeps_answers_and_none_without_a_start_time(start: Any, version: Any) -> Any:
    """MinRuntime plugin of March 2026: a job may get its first stamp within a session; v0.17.0 asks again."""
    return all_of(start.present, version == KaiVersion.MARCH_2026)


def _keeps_a_pod(claim: Claim, version: KaiVersion) -> None:
    """A protected job's sub-group that has a pod keeps one in every accepted scenario."""
    member = claim.optional_number("member")
    active, preempted = claim.numbers("active", "preempted")
    least = claim.lift(least_members)(member, True, version).value
    elastic = claim.lift(is_elastic)(False, least, active).value
    passes = claim.lift(passes_filter)(elastic, True).value
    must = claim.lift(must_keep_minimum)(elastic, True).value
    keeps = claim.lift(keeps_minimum)(least, active, preempted).value
    claim.assume(active > 0, preempted >= 0, preempted <= active, passes, implies(must, keeps))
    claim.prove(active - preempted >= 1)


@obligation(
    "PO-KMR-280",
    rules=["KMR-070", "KMR-080", "KMR-090", "KMR-100", "KMR-140"],
    irrespective_of={
        "is_elastic(False, least_members(member, True, MARCH_2026), active)": "a protected job that is not "
        "elastic does not pass the filter"
    },
)
def in_march_2026_a_sub_group_of_a_protected_job_keeps_a_pod(claim: Claim) -> None:
    """KAI-Scheduler, PodGroup and its snapshot: of a job with one sub-group, whose minimum is at least 1."""
    _keeps_a_pod(claim, KaiVersion.MARCH_2026)


@obligation(
    "PO-KMR-290", rules=["KMR-070", "KMR-080", "KMR-090", "KMR-100", "KMR-140"], expect=everywhere(REFUTED)
)
def in_v0_17_a_sub_group_of_a_protected_job_keeps_a_pod(claim: Claim) -> None:
    """KAI-Scheduler v0.17.0: a minimum of 0 makes the job elastic, and nothing has to stay."""
    _keeps_a_pod(claim, KaiVersion.V0_17)


@obligation("PO-KMR-300", rules=["KMR-150", "KMR-160", "KMR-170"])
def a_pending_job_waits_exactly_for_its_delay_after_its_creation_and_its_last_eviction(claim: Claim) -> None:
    """KAI-Scheduler, Preemption Delay, Behavior; without a positive delay, and before v0.17.0, not at all."""
    created, evicted = claim.number("created"), claim.optional_number("last_eviction")
    delay, now = claim.optional_number("delay"), claim.number("now")
    ends, waits = claim.lift(delay_ends), claim.lift(is_delayed)
    begins = claim.lift(delay_begins)(created, evicted).value
    end = ends(KaiVersion.V0_17, delay, begins)
    positive = all_of(delay.present, delay.value > 0)
    begun = any_of(now - created < delay.value, all_of(evicted.present, now - evicted.value < delay.value))
    claim.prove(
        negation(ends(KaiVersion.MARCH_2026, delay, begins).is_set),
        negation(waits(None, now).value),
        iff(end.is_set, positive),
        implies(positive, iff(waits(end.some, now).value, begun)),
    )


@obligation("PO-KMR-310", rules=["KMR-150", "KMR-160", "KMR-170"], expect=everywhere(REFUTED))
def a_pending_job_may_evict_once_its_delay_has_passed_since_its_creation(claim: Claim) -> None:
    """KAI-Scheduler, Preemption Delay, Behavior: each eviction of the job begins the delay again."""
    created, evicted = claim.number("created"), claim.optional_number("last_eviction")
    delay, now = claim.optional_number("delay"), claim.number("now")
    claim.assume(delay.present, delay.value > 0, now - created >= delay.value, evicted.value <= now)
    begins = claim.lift(delay_begins)(created, evicted).value
    end = claim.lift(delay_ends)(KaiVersion.V0_17, delay, begins).some
    claim.prove(negation(claim.lift(is_delayed)(end, now).value))


@obligation("PO-KMR-230", rules=["KMR-060", "TBP-020"])
def kai_and_kep_8522_differ_at_one_instant_only(claim: Claim) -> None:
    """KAI protects strictly before the end, KEP-8522 preempts strictly after it."""
    target, start = claim.record("target", Workload), claim.number("start")
    minimum, now = claim.numbers("minimum", "now")
    claim.assume(has_value(target, "quota_reserved_at", start))
    protected = claim.lift(is_protected)(start, minimum, now).value
    expired = claim.lift(is_time_expired)(target, now, minimum).value
    claim.prove(
        implies(now - start != minimum, iff(protected, negation(expired))),
        implies(now - start == minimum, all_of(negation(protected), negation(expired))),
    )


@obligation("PO-KMR-240", rules=["KMR-060", "TBP-020"], expect=everywhere(REFUTED))
def kai_and_kep_8522_protect_for_the_same_time(claim: Claim) -> None:
    """At the instant at which the duration is full KEP-8522 still keeps whom KAI lets go."""
    target, start = claim.record("target", Workload), claim.number("start")
    minimum, now = claim.numbers("minimum", "now")
    claim.assume(has_value(target, "quota_reserved_at", start), minimum > 0, now >= start)
    protected = claim.lift(is_protected)(start, minimum, now).value
    expired = claim.lift(is_time_expired)(target, now, minimum).value
    claim.prove(iff(protected, negation(expired)))


@obligation("PO-KMR-260", rules=["KMR-060"], expect=everywhere(REFUTED))
def a_timestamp_in_whole_seconds_protects_for_the_whole_minimum_runtime(claim: Claim) -> None:
    """KAI-Scheduler keeps the stamp as an annotation in whole seconds; what is cut off is lost."""
    start, minimum, now, cut_off = claim.numbers("start", "minimum", "now", "cut_off")
    claim.assume(cut_off >= 0, cut_off < SECOND)
    protected = claim.lift(is_protected)
    exact, read = protected(start, minimum, now).value, protected(start - cut_off, minimum, now).value
    claim.prove(iff(read, exact))


@defines("PO-KMR-320", least_members)
def a_minimum_is_what_is_declared_unless_it_is_below_the_least_of_its_version(
    member: Any, in_sub_group: Any, version: Any
) -> Cases:
    """KAI-Scheduler, PodGroup and its snapshot: at least 1; from v0.17.0 at least 0 in a sub-group."""
    from_0 = all_of(in_sub_group, version == KaiVersion.V0_17)
    declared = all_of(member.present, member.value >= 1)
    return [
        (declared, member.value),
        (all_of(negation(declared), from_0), 0),
        (all_of(negation(declared), negation(from_0)), 1),
    ]
