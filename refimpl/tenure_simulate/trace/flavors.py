"""One decision of the trace engine in trees: the flavor of each resource, and the targets.

Whatever calls a search is compiled with all of it once more, so most of this is compiled into its caller.
"""

from __future__ import annotations

from typing import NamedTuple

from tenure.model import FlavorMode
from tenure.rules import flavors
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.heroes.tables import USAGE
from tenure_simulate.core.nodes import available, potential
from tenure_simulate.core.tables import LOWER_PRIORITY, TIME_EXPIRED, Forest, Policy, Work
from tenure_simulate.trace.heroes import (
    carry_out,
    follows,
    forest_beside,
    forest_searched,
    is_hero,
    way_of_hero,
)
from tenure_simulate.trace.tables import (
    FIT,
    FOUND_END,
    FOUND_FIRST,
    NO_CANDIDATES,
    NO_FIT,
    PREEMPT,
    SEARCHED,
    HeroTables,
    Table,
    TracePlay,
    Trees,
    TreeTables,
    path_of,
    usage_of,
)
from tenure_simulate.trace.trees import level_of, policy_of, search

mode_without_search = compiled_rule(flavors.mode_without_search)
mode_after_search = compiled(flavors.mode_after_search)
is_preferred = compiled_rule(flavors.is_preferred)
tries_next_flavor = compiled_rule(flavors.tries_next_flavor)

_FITS, _LACKS = int(FlavorMode.FIT), int(FlavorMode.NO_FIT)
_NOTHING = -1


class _Fungibility(NamedTuple):
    """As `tenure.model.FlavorFungibility`."""

    when_can_borrow: int
    when_can_preempt: int


@compiled
def _has_own_target(work: Work, first: int, end: int) -> bool:
    for found in range(first, end):  # noqa: SIM110 - compiled code has no generators
        if LOWER_PRIORITY <= work.basis[found] <= TIME_EXPIRED:
            return True
    return False


@inlined
def _search_alone(
    trees: Trees, heroes: HeroTables | None, policy: Policy, place: int, used: int, at: int, amount: int
) -> FlavorMode:
    """Search for targets for one flavor-resource; how it could be assigned then (KQ-540)."""
    tables, work = trees.tables, trees.work
    tables.at[0], tables.amount[0], tables.needed[0] = at, amount, at
    search(trees, policy, place, used, 1, 1, heroes, trees.fair, trees.classical)
    tables.counts[SEARCHED] = at
    first, end = tables.counts[FOUND_FIRST], tables.counts[FOUND_END]
    return mode_after_search(first < end, _has_own_target(work, first, end))


@inlined
def _way_by_quota(
    tables: TreeTables, forest: Forest, usage: Table, place: int, at: int, request: int, most: int
) -> tuple[FlavorMode, int]:
    """How quota alone would serve a request (KQ-520), and the level; `most` could ever be had."""
    node, path = tables.node[place], path_of(tables, place)
    level, below_root = level_of(forest, tables, usage, place, at, request)
    mode = mode_without_search(
        request,
        max(0, available(forest, usage, path, at)),
        most,
        forest.nominal[node, at],
        below_root or tables.may_borrow[place] == 1,
    )
    return mode, level


@compiled
def _way(
    trees: Trees, heroes: HeroTables | None, place: int, used: int, at: int, request: int
) -> tuple[FlavorMode, int]:
    """How a flavor could serve a request, as far as that shows without a search, and the level."""
    tables = trees.tables
    usage, node = usage_of(tables, used), tables.node[place]
    if heroes is None:
        most = tables.potential[node, at]
        return _way_by_quota(tables, trees.forest, usage, place, at, request, most)
    else:  # noqa: RET505 - the compiler leaves out a whole branch
        path = path_of(tables, place)
        carry_out(heroes, path, used)
        if is_hero(heroes, path):
            return way_of_hero(heroes, tables, used, place, at, request), 0
        forest = forest_beside(trees.forest, heroes, used)
        most = potential(forest, path, at)
        return _way_by_quota(tables, forest, usage, place, at, request, most)


@compiled
def _level_after(
    trees: Trees, heroes: HeroTables | None, place: int, used: int, at: int, request: int
) -> int:
    """The level of a request once the targets of a search for it alone have left."""
    tables, left = trees.tables, trees.work.usage
    if heroes is None:
        return level_of(trees.forest, tables, left, place, at, request)[0]
    else:  # noqa: RET505 - the compiler leaves out a whole branch
        forest, path = forest_beside(trees.forest, heroes, used), path_of(tables, place)
        if is_hero(heroes, path):
            return 0
        if tables.counts[FOUND_FIRST] == tables.counts[FOUND_END]:
            return level_of(forest, tables, usage_of(tables, used), place, at, request)[0]
        if follows(heroes, path):
            searched = forest_searched(trees.forest, heroes)
            return level_of(searched, tables, heroes.books.now[USAGE], place, at, request)[0]
        return level_of(forest, tables, left, place, at, request)[0]


@inlined
def _try_resource(
    trees: Trees,
    heroes: HeroTables | None,
    policy: Policy,
    job: int,
    place: int,
    used: int,
    option: int,
    resource: int,
) -> None:
    """Write down how a flavor could serve a resource (KQ-520)."""
    tables = trees.tables
    at, request = tables.options[option, resource], tables.requests[job, resource]
    mode, level = _way(trees, heroes, place, used, at, request)
    if mode == FlavorMode.NO_CANDIDATES:
        mode = _search_alone(trees, heroes, policy, place, used, at, request)
        level = _level_after(trees, heroes, place, used, at, request)
    tried = tables.tried
    tried.column[resource], tried.mode[resource], tried.level[resource] = at, mode, level


@compiled
def _is_together(tables: TreeTables, job: int, place: int, resource: int, other: int) -> bool:
    """Whether a job requests another resource of the group of one."""
    first = tables.first_option
    return bool(tables.requests[job, other] > 0 and first[place, other] == first[place, resource])


@inlined
def _try_option(
    trees: Trees,
    heroes: HeroTables | None,
    policy: Policy,
    job: int,
    place: int,
    used: int,
    option: int,
    resource: int,
) -> tuple[int, int]:
    """Try a flavor for all resources of a group; mode and level of the worst."""
    tables = trees.tables
    mode, level, preference = _FITS, 0, tables.preference[place]
    for other in range(tables.requests.shape[1]):
        if _is_together(tables, job, place, resource, other):
            _try_resource(trees, heroes, policy, job, place, used, option, other)
            found, height = tables.tried.mode[other], tables.tried.level[other]
            if is_preferred(mode, level, found, height, preference):
                mode, level = found, height
    return mode, level


@compiled
def _choose_option(tables: TreeTables, job: int, place: int, resource: int) -> None:
    """What was tried for a group is chosen."""
    tried, chosen = tables.tried, tables.chosen
    for other in range(tables.requests.shape[1]):
        if _is_together(tables, job, place, resource, other):
            chosen.column[other], chosen.mode[other] = tried.column[other], tried.mode[other]
            chosen.level[other] = tried.level[other]
            tables.columns[job, other] = tried.column[other]


@inlined
def _choose(
    trees: Trees, heroes: HeroTables | None, policy: Policy, job: int, place: int, used: int, resource: int
) -> int:
    """Choose a flavor for the group of a resource; the mode of the worst, NoFit where there is none."""
    tables = trees.tables
    best, best_level, preference = _LACKS, 0, tables.preference[place]
    fungibility = _Fungibility(tables.when_can_borrow[place], tables.when_can_preempt[place])
    for option in range(tables.first_option[place, resource], tables.end_option[place, resource]):
        mode, level = _try_option(trees, heroes, policy, job, place, used, option, resource)
        if not tries_next_flavor(mode, level, fungibility):
            _choose_option(tables, job, place, resource)
            return mode
        if is_preferred(mode, level, best, best_level, preference):
            _choose_option(tables, job, place, resource)
            best, best_level = mode, level
    return best


@inlined
def _assign(
    trees: Trees, heroes: HeroTables | None, policy: Policy, job: int, place: int, used: int
) -> tuple[bool, int, int]:
    """Choose the flavors of a job; whether there are some, how many resources lack quota, and the level."""
    tables, waits, lacking, level = trees.tables, False, 0, 0
    for resource in range(tables.requests.shape[1]):
        tables.columns[job, resource] = _NOTHING
    for resource in range(tables.requests.shape[1]):
        if tables.requests[job, resource] == 0 or tables.columns[job, resource] != _NOTHING:
            continue
        mode = _choose(trees, heroes, policy, job, place, used, resource)
        if mode == _LACKS:
            return False, 0, 0
        waits = waits or mode != _FITS
    for resource in range(tables.requests.shape[1]):
        if tables.columns[job, resource] != _NOTHING:
            lacking += int(tables.chosen.mode[resource] != _FITS)
            level = max(level, tables.chosen.level[resource])
    # A group of which the worst way is to fit counts as fitting, even where another resource lacks quota.
    return True, lacking if waits else 0, level


@inlined
def _search_together(
    trees: Trees, heroes: HeroTables | None, policy: Policy, job: int, place: int, used: int
) -> None:
    """Search for targets for all requests of a job, unless that was the last search."""
    tables, requested, lacking = trees.tables, 0, 0
    for resource in range(tables.requests.shape[1]):
        at = tables.columns[job, resource]
        if at == _NOTHING:
            continue
        tables.at[requested], tables.amount[requested] = at, tables.requests[job, resource]
        requested += 1
        if tables.chosen.mode[resource] != _FITS:
            tables.needed[lacking] = at
            lacking += 1
    if requested > 1 or tables.counts[SEARCHED] != tables.at[0]:
        search(trees, policy, place, used, requested, lacking, heroes, trees.fair, trees.classical)


@compiled
def decide_for(play: TracePlay, job: int, used: int, first: int) -> tuple[int, int, int]:
    """Decide about a job beside a row of usage; `columns` has what it would get.

    Args:
        play: the play; jobs that leave are no candidates.
        job: the job.
        used: row of the usage.
        first: where its targets are written down.

    Returns:
        the outcome, how far up the tree quota would come from, and the number of targets.
    """
    trees, heroes, place = play.trees, play.heroes, play.jobs.queue[job]
    tables, policy, targets = trees.tables, policy_of(play, job, place), play.found
    tables.counts[SEARCHED] = _NOTHING
    fits, lacking, level = _assign(trees, heroes, policy, job, place, used)
    if not fits:
        return NO_FIT, 0, 0
    if lacking == 0:
        return FIT, level, 0
    _search_together(trees, heroes, policy, job, place, used)
    work, begin, end = trees.work, tables.counts[FOUND_FIRST], tables.counts[FOUND_END]
    for found in range(begin, end):
        targets[first + found - begin, 0] = tables.holder[work.out[found]]
        targets[first + found - begin, 1] = work.basis[found]
    return PREEMPT if end > begin else NO_CANDIDATES, level, end - begin
