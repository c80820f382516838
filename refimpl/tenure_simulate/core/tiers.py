"""The tiers of a PreemptionConfig over arrays: removals that follow those of a strategy (PCF-080)."""

from __future__ import annotations

from tenure.rules import preemption_config
from tenure_simulate.core.bases import key_of, uses_any
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.nodes import fits, move, note_held
from tenure_simulate.core.sorting import settle
from tenure_simulate.core.tables import ELSEWHERE, NONE, OWN, SearchInput, TierTables

is_tier_tried = compiled_rule(preemption_config.is_tier_tried)


@compiled
def go_on(given: SearchInput, tiers: TierTables, taken: int, may_borrow: bool) -> tuple[int, bool]:
    """Remove the candidates of each tier in turn until the request fits.

    Args:
        given: the search; the request does not fit beside `work.usage`.
        tiers: of the PreemptionConfig.
        taken: how many workloads were removed before.
        may_borrow: whether the preemptor's queue may borrow.

    Returns:
        how many workloads are removed now, and whether the request fits.
    """
    rows, forest, _, ask, _, _, work = given
    for row in range(rows.size):
        tiers.gone[row] = False
    for place in range(taken):
        tiers.gone[work.out[place]] = True
    for tier in range(len(tiers.selected)):
        # Only where no workload was removed before may the request fit here: if a number of pods is needed.
        if not is_tier_tried(tiers.trigger[tier], fits(forest, work.usage, ask, may_borrow), False):
            continue
        if tiers.stops[tier]:
            break
        count = _gather_tier(given, tiers, tier)
        tiers.ends[0], top, settled = count, 0, 0
        for position in range(count):
            if settled <= position:
                top, settled = settle(tiers.keys, tiers.rows, tiers.ends, top, settled)
            row = tiers.rows[position]
            leave(given, row, NONE, taken)
            tiers.gone[row] = True
            taken += 1
            if fits(forest, work.usage, ask, may_borrow):
                return taken, True
    return taken, False


@compiled
def _gather_tier(given: SearchInput, tiers: TierTables, tier: int) -> int:
    """Collect the candidates of a tier; how many there are."""
    rows, ask, policy, order = given.rows, given.ask, given.policy, given.order
    count = 0
    for row in range(rows.size):
        if not tiers.selected[tier, row] or tiers.gone[row]:
            continue
        if ask.common == 1 or uses_any(rows, row, ask.is_needed):
            key = key_of(rows, row, group_in_tier(given, row), policy, order)
            tiers.keys[count], tiers.rows[count] = key, row
            count += 1
    return count


@inlined
def group_in_tier(given: SearchInput, row: int) -> int:
    """The group of a workload that only a PreemptionConfig selects."""
    return OWN if given.rows.queue[row] == given.ask.own else ELSEWHERE


@compiled
def is_selected_in(given: SearchInput, tiers: TierTables, last: int, row: int) -> bool:
    """Whether a workload is a candidate of any tier up to one."""
    for tier in range(last + 1):
        if tiers.selected[tier, row]:
            return given.ask.common == 1 or uses_any(given.rows, row, given.ask.is_needed)
    return False


@inlined
def leave(given: SearchInput, row: int, basis: int, taken: int) -> None:
    """Remove a workload, as the one after so many others."""
    rows, forest, _, ask, _, _, work = given
    move(forest, rows, row, ask.watched, work.usage, work.log, False)
    work.out[taken], work.basis[taken], work.share[taken] = row, basis, 0
    note_held(rows, row, ask, work.held, taken)
