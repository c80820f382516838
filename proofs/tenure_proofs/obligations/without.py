"""KEP-8522 over time: each assumption of `over_time.py` is necessary, since without it the claim is false."""

from __future__ import annotations

from tenure_proofs.obligations.over_time import (
    AGEING,
    ARRIVALS,
    AWAKE,
    CLOCK,
    DOOR_RULES,
    EQUALS,
    FEATURE,
    HEAD,
    ONE_QUEUE,
    PAST,
    STAMP,
    every_workload_gets_a_turn,
    few_preemptions,
    no_return,
)
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim

TURN_RULES = ["TBP-030", "KQ-020", *DOOR_RULES]


@obligation("PO-TBP-301", rules=[*DOOR_RULES, "KQ-320"], expect=everywhere(REFUTED))
def a_victim_cannot_preempt_in_its_cohort_before_the_duration_has_passed(claim: Claim) -> None:
    """Reclaiming within a cohort asks for no minAdmitDuration: KEP-8522, Non-Goals, Cross-ClusterQueue."""
    no_return(claim, ONE_QUEUE)


@obligation("PO-TBP-302", rules=DOOR_RULES, expect=everywhere(REFUTED))
def a_victim_whose_priority_changes_cannot_be_back_before_the_duration_has_passed(claim: Claim) -> None:
    """KEP-8522, Integration tests 3: lower priority is preempted at any time; KEP-754 makes it lower."""
    no_return(claim, AGEING)


@obligation("PO-TBP-303", rules=DOOR_RULES, expect=everywhere(REFUTED))
def a_victim_cannot_be_back_before_the_duration_has_passed_though_clocks_go_back(claim: Claim) -> None:
    """KEP-8522, Controller Restart: all timing is by stamps; one that is dated back protects for less."""
    no_return(claim, CLOCK)


@obligation("PO-TBP-321", rules=DOOR_RULES, expect=everywhere(REFUTED))
def preemptions_are_that_rare_even_with_the_feature_off(claim: Claim) -> None:
    """KEP-8522, Goals: without minAdmitDuration Kueue's newer-equal rule protects no workload."""
    few_preemptions(claim, FEATURE)


@obligation("PO-TBP-322", rules=[*DOOR_RULES, "KQ-320"], expect=everywhere(REFUTED))
def preemptions_are_that_rare_even_in_a_cohort(claim: Claim) -> None:
    """KEP-8522, Non-Goals: preemption across ClusterQueues is not time-based."""
    few_preemptions(claim, ONE_QUEUE)


@obligation("PO-TBP-323", rules=DOOR_RULES, expect=everywhere(REFUTED))
def preemptions_are_that_rare_even_among_different_priorities(claim: Claim) -> None:
    """KEP-8522, Integration tests 3: a lower priority is preempted before its time."""
    few_preemptions(claim, EQUALS)


@obligation("PO-TBP-324", rules=DOOR_RULES, expect=everywhere(REFUTED))
def preemptions_are_that_rare_even_when_priorities_change(claim: Claim) -> None:
    """KEP-8522 with KEP-754: an equal that waits can come to be above."""
    few_preemptions(claim, AGEING)


@obligation("PO-TBP-325", rules=DOOR_RULES, expect=everywhere(REFUTED))
def preemptions_are_that_rare_even_when_clocks_go_back(claim: Claim) -> None:
    """KEP-8522, Controller Restart: all timing is by stamps."""
    few_preemptions(claim, CLOCK)


@obligation("PO-TBP-331", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_with_the_feature_off(claim: Claim) -> None:
    """KEP-8522, Motivation: the first workload admitted monopolizes resources."""
    every_workload_gets_a_turn(claim, FEATURE)


@obligation("PO-TBP-332", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_in_a_cohort(claim: Claim) -> None:
    """KEP-8522, Non-Goals: what holds its place in another ClusterQueue never expires."""
    every_workload_gets_a_turn(claim, ONE_QUEUE)


@obligation("PO-TBP-333", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_among_different_priorities(claim: Claim) -> None:
    """KEP-8522, Story 2, is about equals: a lower priority waits behind every higher one."""
    every_workload_gets_a_turn(claim, EQUALS)


@obligation("PO-TBP-334", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_when_priorities_change(claim: Claim) -> None:
    """KEP-8522 with KEP-754: a victim whose priority has grown comes back before the others."""
    every_workload_gets_a_turn(claim, AGEING)


@obligation("PO-TBP-335", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_when_clocks_go_back(claim: Claim) -> None:
    """KEP-8522, Controller Restart: where a reservation is dated back, a neighbour's time ends later."""
    every_workload_gets_a_turn(claim, CLOCK)


@obligation("PO-TBP-336", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_when_the_victims_timestamp_is_lost(claim: Claim) -> None:
    """KEP-8522, Story 2: without the stamp of its Preempted condition a victim keeps its position."""
    every_workload_gets_a_turn(claim, STAMP)


@obligation("PO-TBP-337", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_when_others_than_the_head_are_admitted(claim: Claim) -> None:
    """KEP-8522, Story 2, under BestEffortFIFO: who fits may overtake who does not."""
    every_workload_gets_a_turn(claim, HEAD)


@obligation("PO-TBP-338", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_when_creations_are_dated_back(claim: Claim) -> None:
    """KEP-8522, Story 2: an arrival with an earlier stamp comes before who waits."""
    every_workload_gets_a_turn(claim, ARRIVALS)


@obligation("PO-TBP-339", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_when_created_within_a_millisecond_of_an_eviction(claim: Claim) -> None:
    """KEP-8522, Story 2: of two victims of one instant the uid decides, so the later may come first."""
    every_workload_gets_a_turn(claim, PAST)


@obligation("PO-TBP-340", rules=TURN_RULES, expect=everywhere(REFUTED))
def every_workload_runs_in_time_even_without_scheduling_cycles(claim: Claim) -> None:
    """KEP-8522 is silent on who looks when a duration has passed; Kueue waits for an event."""
    every_workload_gets_a_turn(claim, AWAKE)
