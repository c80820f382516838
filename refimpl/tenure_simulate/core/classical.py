"""Classical preemption over arrays: who may be preempted, the attempts, and who is."""

from __future__ import annotations

from tenure.model import Attempts, WithinClusterQueue
from tenure.rules import quota, reclaim
from tenure_simulate.core.amounts import minus
from tenure_simulate.core.bases import classical_basis, key_of, may_reclaim_any, offers, terms_in
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.nodes import (
    clear_groups,
    copy_tree,
    exceeds,
    exceeds_below,
    fill_back,
    fits,
    fits_plainly,
    fits_quota,
    is_plain,
    leave_plainly,
    move,
    note_held,
    quota_at,
)
from tenure_simulate.core.sorting import settle
from tenure_simulate.core.tables import (
    ADVANTAGE,
    ELSEWHERE,
    NONE,
    OWN,
    Array,
    Ask,
    Forest,
    SearchInput,
    TierTables,
    Work,
)
from tenure_simulate.core.tiers import go_on, group_in_tier, is_selected_in, is_tier_tried, leave

attempts_for = compiled_rule(reclaim.attempts)
is_below_nominal = compiled_rule(reclaim.is_below_nominal)
remaining_request = compiled_rule(quota.remaining_request, minus=minus)
stands_in_attempt = compiled_rule(reclaim.stands_in_attempt)

FEWEST_LOADED, LOADED = 16, 64
"""How many candidates are looked up together: memory answers many questions at once, and each one late."""


@compiled
def classify(given: SearchInput) -> None:
    """The group of every ClusterQueue that is looked into, and the cohort it has in common (KQ-350)."""
    _, forest, usage, ask, policy, _, work = given
    path, remaining = ask.path, work.log[0]
    clear_groups(forest, path, work.group)
    if policy.within != WithinClusterQueue.NEVER and forest.active[ask.own]:
        work.group[ask.own] = OWN
    work.common[ask.own] = ask.own
    if not may_reclaim_any(policy):
        return
    for index in range(len(ask.amount)):
        remaining[index] = ask.amount[index]
    advantage = False
    for step in range(1, len(path)):
        fit = _fits_below(forest, usage, ask, path[step - 1], remaining)
        advantage = advantage or fit
        _classify_below(forest, usage, ask, path[step], path[step - 1], advantage, work)


@compiled
def _fits_below(forest: Forest, usage: Array, ask: Ask, node: int, remaining: Array) -> bool:
    """Whether the rest of a request fits a node's quota; what is left of it then goes up."""
    fit = True
    for index in range(len(ask.at)):
        at = ask.at[index]
        fit = fit and fits_quota(usage[node, at], remaining[index], forest.subtree[node, at])
        remaining[index] = remaining_request(remaining[index], quota_at(forest, node, at), usage[node, at])
    return fit


@compiled
def _classify_below(
    forest: Forest, usage: Array, ask: Ask, cohort: int, skipped: int, advantage: bool, work: Work
) -> None:
    node = cohort + 1
    while node < forest.end[cohort]:
        if node == skipped or not exceeds(forest, usage, node, ask.needed):
            node = forest.end[node]
            continue
        if forest.active[node]:
            work.group[node] = ADVANTAGE if advantage else ELSEWHERE
            work.common[node] = cohort
        node += 1


@compiled
def gather(given: SearchInput) -> tuple[int, int, int]:
    """Collect all candidates.

    Returns:
        how many there are, how many of them elsewhere, and how many with advantage.
    """
    rows, _, _, _, policy, order, work = given
    count, elsewhere, advantaged = 0, 0, 0
    for row in range(rows.size):
        if not offers(given, row):
            continue
        group = work.group[rows.queue[row]]
        elsewhere += int(group != OWN)
        advantaged += int(group == ADVANTAGE)
        work.keys[count], work.rows[count] = key_of(rows, row, group, policy, order), row
        count += 1
    return count, elsewhere, advantaged


@compiled
def attempts(given: SearchInput, elsewhere: int, advantaged: int) -> tuple[bool, bool]:
    """Whether the first attempt may borrow, and whether there is an opposite one (KQ-360)."""
    own, below = given.ask.own, True
    for at in given.ask.needed:
        below = below and is_below_nominal(given.usage[own, at], given.forest.nominal[own, at])
    found = attempts_for(elsewhere > 0, advantaged > 0, below, terms_in(given.policy))
    return found != Attempts.WITHOUT_THEN_BORROWING, found != Attempts.BORROWING


@inlined
def stands(forest: Forest, node: int, basis: int, ask: Ask, may_borrow: bool, work: Work) -> bool:
    """Whether a candidate whose turn has come may still be preempted (KQ-380).

    Args:
        node, basis: its queue's node, and on what basis it would be preempted.
    """
    own = work.group[node] == OWN
    over_quota = own or exceeds_below(forest, work.usage, node, work.common[node], ask.needed)
    return bool(stands_in_attempt(own, over_quota, basis, may_borrow))


@compiled
def load(given: SearchInput, start: int, end: int) -> None:
    """Look up queue, basis and holdings of candidates, side by side in their order."""
    rows, work = given.rows, given.work
    for position in range(start, end):
        row = work.rows[position]
        node = rows.queue[row]
        work.node[position] = node
        work.basis[position] = classical_basis(rows, row, work.group[node], given.policy)
        work.share[position] = 0
        note_held(rows, row, given.ask, work.held, position)


@compiled
def select(given: SearchInput) -> tuple[int, int, bool]:
    """Find targets: classify, collect, and search with as much sorting as it takes.

    Returns:
        start and end in `work.out` of the victims, in the order of removal, and whether that attempt lets
        the preemptor's queue borrow.
    """
    _, forest, usage, ask, _, _, work = given
    classify(given)
    count, elsewhere, advantaged = gather(given)
    work.ends[0], top, settled, plain = count, 0, 0, is_plain(forest, usage, ask)
    may_borrow, again = attempts(given, elsewhere, advantaged)
    while True:
        copy_tree(forest, usage, ask.path, work.usage)
        taken, top, settled, fit = _attempt(given, count, top, settled, may_borrow, plain)
        if fit:
            kept = fill_back(forest, given.rows, ask, may_borrow, taken, work)
            return taken - kept, taken, may_borrow
        if not again:
            copy_tree(forest, usage, ask.path, work.usage)
            return 0, 0, may_borrow
        may_borrow, again = not may_borrow, False


@compiled
def select_beside_config(given: SearchInput, tiers: TierTables) -> tuple[int, int, bool]:
    """As `select`; each attempt goes on with the tiers of a PreemptionConfig (PCF-080)."""
    _, forest, usage, ask, _, _, work = given
    classify(given)
    count, elsewhere, advantaged = gather(given)
    work.ends[0], top, settled, plain = count, 0, 0, is_plain(forest, usage, ask)
    may_borrow, again = attempts(given, elsewhere, advantaged)
    while True:
        copy_tree(forest, usage, ask.path, work.usage)
        taken, top, settled, fit = _attempt(given, count, top, settled, may_borrow, plain)
        if tiers.merged:
            taken, fit = _begin_again(given, tiers, taken, fit, may_borrow)
        elif not fit:
            taken, fit = go_on(given, tiers, taken, may_borrow)
        if fit:
            kept = fill_back(forest, given.rows, ask, may_borrow, taken, work)
            return taken - kept, taken, may_borrow
        if not again:
            copy_tree(forest, usage, ask.path, work.usage)
            return 0, 0, may_borrow
        may_borrow, again = not may_borrow, False


@compiled
def _begin_again(
    given: SearchInput, tiers: TierTables, taken: int, fit: bool, may_borrow: bool
) -> tuple[int, bool]:
    """Begin an attempt again with each tier, sorted among all candidates before it (PCF-110)."""
    _, forest, usage, ask, _, _, work = given
    for tier in range(len(tiers.selected)):
        if fit and tiers.waits[tier]:
            break
        if not is_tier_tried(tiers.trigger[tier], fit, False):
            continue
        if tiers.stops[tier]:
            break
        copy_tree(forest, usage, ask.path, work.usage)
        taken, fit = _merged_attempt(given, tiers, tier, may_borrow)
    return taken, fit


@compiled
def _merged_attempt(given: SearchInput, tiers: TierTables, tier: int, may_borrow: bool) -> tuple[int, bool]:
    """Take candidates of `spec.preemption` and of all tiers up to one until the request fits."""
    rows, forest, _, ask, policy, order, work = given
    count, taken, top, settled = 0, 0, 0, 0
    for row in range(rows.size):
        offered, selected = offers(given, row), is_selected_in(given, tiers, tier, row)
        if offered or selected:
            group = work.group[rows.queue[row]] if offered else group_in_tier(given, row)
            tiers.keys[count], tiers.rows[count] = key_of(rows, row, group, policy, order), row
            count += 1
    tiers.ends[0] = count
    for position in range(count):
        if settled <= position:
            top, settled = settle(tiers.keys, tiers.rows, tiers.ends, top, settled)
        row = tiers.rows[position]
        node, basis = rows.queue[row], NONE
        if offers(given, row):
            basis = classical_basis(rows, row, work.group[node], policy)
            if not stands(forest, node, basis, ask, may_borrow, work):
                basis = NONE
        if basis == NONE and not is_selected_in(given, tiers, tier, row):
            continue
        leave(given, row, basis, taken)
        taken += 1
        if fits(forest, work.usage, ask, may_borrow):
            return taken, True
    return taken, False


@compiled
def _attempt(
    given: SearchInput, count: int, top: int, settled: int, may_borrow: bool, plain: bool
) -> tuple[int, int, int, bool]:
    """Take candidates until the request fits; how many, how far they are sorted now, and whether it fits.

    Args:
        count: how many there are.
        top, settled: how far they are sorted, see `settle`.
        plain: see `is_plain`.
    """
    rows, forest, _, ask, _, _, work = given
    taken, position, loaded = 0, 0, 0
    while position < count:
        if position >= loaded:
            loaded = min(count, position + min(LOADED, FEWEST_LOADED + position))
            while settled < loaded:
                top, settled = settle(work.keys, work.rows, work.ends, top, settled)
            load(given, position, loaded)
        row, node, here = work.rows[position], work.node[position], position
        position += 1
        if not stands(forest, node, work.basis[here], ask, may_borrow, work):
            continue
        work.out[taken], work.basis[taken] = row, work.basis[here]
        for index in range(len(ask.at)):
            work.held[index, taken] = work.held[index, here]
        taken += 1
        if plain:
            leave_plainly(forest, ask, work, node, taken - 1)
            fit = fits_plainly(forest, work.usage, ask, may_borrow)
        else:
            move(forest, rows, row, ask.watched, work.usage, work.log, False)
            fit = fits(forest, work.usage, ask, may_borrow)
        if fit:
            return taken, top, settled, True
    return taken, top, settled, False
