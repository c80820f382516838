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
    a_turn_for_everybody,
    few_preemptions,
    no_return,
)
from tenure_proofs.registry import Verdict, everywhere, obligation
from tenure_proofs.trusted.claim import Claim

REFUTED = Verdict.REFUTED
TURN_RULES = ["TBP-030", "KQ-020", *DOOR_RULES]


@obligation("PO-TBP-301", rules=[*DOOR_RULES, "KQ-320"], expect=everywhere(REFUTED))
def a_victim_cannot_take_a_workload_of_its_cohort_before_the_duration_has_passed(claim: Claim) -> None:
    """Reclaiming within a cohort asks for no minAdmitDuration: KEP-8522, Non-Goals, Cross-ClusterQueue."""
    no_return(claim, ONE_QUEUE)


@obligation("PO-TBP-302", rules=DOOR_RULES, expect=everywhere(REFUTED))
def a_victim_whose_priority_changes_cannot_be_back_before_the_duration_has_passed(claim: Claim) -> None:
    """KEP-8522, Integration tests 3: lower priority is taken whatever it has run; KEP-754 makes it lower."""
    no_return(claim, AGEING)


@obligation("PO-TBP-303", rules=DOOR_RULES, expect=everywhere(REFUTED))
def a_victim_cannot_be_back_before_the_duration_has_passed_though_clocks_go_back(claim: Claim) -> None:
    """KEP-8522, Controller Restart: all timing is by stamps; one that is dated back protects for less."""
    no_return(claim, CLOCK)


@obligation("PO-TBP-321", rules=DOOR_RULES, expect=everywhere(REFUTED))
def a_place_changes_hands_that_rarely_with_the_feature_off_too(claim: Claim) -> None:
    """KEP-8522, Goals: without minAdmitDuration Kueue's newer-equal rule protects nobody."""
    few_preemptions(claim, FEATURE)


@obligation("PO-TBP-322", rules=[*DOOR_RULES, "KQ-320"], expect=everywhere(REFUTED))
def a_place_changes_hands_that_rarely_in_a_cohort_too(claim: Claim) -> None:
    """KEP-8522, Non-Goals: preemption across ClusterQueues is not time-based."""
    few_preemptions(claim, ONE_QUEUE)


@obligation("PO-TBP-323", rules=DOOR_RULES, expect=everywhere(REFUTED))
def a_place_changes_hands_that_rarely_among_priorities_too(claim: Claim) -> None:
    """KEP-8522, Integration tests 3: a lower priority is preempted before its time."""
    few_preemptions(claim, EQUALS)


@obligation("PO-TBP-324", rules=DOOR_RULES, expect=everywhere(REFUTED))
def a_place_changes_hands_that_rarely_where_priorities_change_too(claim: Claim) -> None:
    """KEP-8522 with KEP-754: an equal that waits can come to stand above."""
    few_preemptions(claim, AGEING)


@obligation("PO-TBP-325", rules=DOOR_RULES, expect=everywhere(REFUTED))
def a_place_changes_hands_that_rarely_where_clocks_go_back_too(claim: Claim) -> None:
    """KEP-8522, Controller Restart: all timing is by stamps."""
    few_preemptions(claim, CLOCK)


@obligation("PO-TBP-331", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_with_the_feature_off_too(claim: Claim) -> None:
    """KEP-8522, Motivation: the first workload admitted monopolizes resources."""
    a_turn_for_everybody(claim, FEATURE)


@obligation("PO-TBP-332", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_in_a_cohort_too(claim: Claim) -> None:
    """KEP-8522, Non-Goals: what holds its place in another ClusterQueue never expires."""
    a_turn_for_everybody(claim, ONE_QUEUE)


@obligation("PO-TBP-333", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_among_priorities_too(claim: Claim) -> None:
    """KEP-8522, Story 2, is about equals: a lower priority waits behind every higher one."""
    a_turn_for_everybody(claim, EQUALS)


@obligation("PO-TBP-334", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_where_priorities_change_too(claim: Claim) -> None:
    """KEP-8522 with KEP-754: a victim whose priority has grown comes back before the others."""
    a_turn_for_everybody(claim, AGEING)


@obligation("PO-TBP-335", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_where_clocks_go_back_too(claim: Claim) -> None:
    """KEP-8522, Controller Restart: where a reservation is dated back, a neighbour's time ends later."""
    a_turn_for_everybody(claim, CLOCK)


@obligation("PO-TBP-336", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_where_the_victims_stamp_is_lost_too(claim: Claim) -> None:
    """KEP-8522, Story 2: without the stamp of its Preempted condition a victim stands where it stood."""
    a_turn_for_everybody(claim, STAMP)


@obligation("PO-TBP-337", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_where_others_than_the_head_are_served_too(claim: Claim) -> None:
    """KEP-8522, Story 2, under BestEffortFIFO: who fits may overtake who does not."""
    a_turn_for_everybody(claim, HEAD)


@obligation("PO-TBP-338", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_where_creations_are_dated_back_too(claim: Claim) -> None:
    """KEP-8522, Story 2: an arrival with an earlier stamp stands before who waits."""
    a_turn_for_everybody(claim, ARRIVALS)


@obligation("PO-TBP-339", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_within_the_millisecond_of_an_eviction_too(claim: Claim) -> None:
    """KEP-8522, Story 2: of two victims of one instant the uid decides, so the later may stand first."""
    a_turn_for_everybody(claim, PAST)


@obligation("PO-TBP-340", rules=TURN_RULES, expect=everywhere(REFUTED))
def each_has_its_turn_in_time_while_nobody_looks_too(claim: Claim) -> None:
    """KEP-8522 is silent on who looks when a duration has passed; Kueue waits for an event."""
    a_turn_for_everybody(claim, AWAKE)
