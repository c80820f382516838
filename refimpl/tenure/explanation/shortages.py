"""How much is short, and where in the tree; and what a request needs beyond all that there could ever be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.model import UNLIMITED, Amount, FlavorResource, NodeQuota
from tenure.oracle.decide import Decision, searched_request
from tenure.oracle.heroes.effective import bills_in, tree_under
from tenure.oracle.heroes.fit import room_at
from tenure.oracle.question import Attempt
from tenure.oracle.reach import free_at, if_no_hero_ran, most_at
from tenure.oracle.tree import Node, available_at, quota_at
from tenure.rules.quota import available_above, can_ever_fit, fits_quota, local_available, quota_passed_up
from tenure.units import format_amount


@dataclass(frozen=True, slots=True)
class NodeAccount:
    """One node on the path from the ClusterQueue to the root, and one flavor-resource.

    Args:
        kind: ClusterQueue or Cohort.
        name: of the object.
        usage: what is in use at the node; for a cohort, what its children pass up.
        nominal: its own nominal quota.
        quota: that, and what its children lend it.
        local_quota: the part that a lending limit keeps from its cohort.
        borrowing_limit: None for no limit.
        available: what is available here without preemption; negative where the node is in debt.
        binds: what of this node bounds the request: `quota`, `borrowingLimit`, or empty.
        billed: of a hero what others pay for, which `usage` does not count; of any other node what it and
            those below it are billed, which `quota` does not count.
        hero: whether it is a hero.

    Amounts are in base units, milli-CPU for `cpu`.
    """

    kind: str
    name: str
    usage: Amount
    nominal: Amount
    quota: Amount
    local_quota: Amount
    borrowing_limit: Amount | None
    available: Amount
    binds: str
    billed: Amount = 0
    hero: bool = False


@dataclass(frozen=True, slots=True)
class Shortage:
    """A flavor-resource that the request lacks, and where.

    Args:
        at: the flavor-resource.
        asked: how much is requested.
        available: what is available at the ClusterQueue, not below zero.
        short: the difference.
        path: the nodes from the ClusterQueue to the root.
        withheld: what lending limits keep idle at nodes beside the path, by the node's name.

    Amounts are in base units, milli-CPU for `cpu`.
    """

    at: FlavorResource
    asked: Amount
    available: Amount
    short: Amount
    path: tuple[NodeAccount, ...]
    withheld: tuple[tuple[str, Amount], ...]

    @property
    def binding(self) -> NodeAccount:
        """The node that bounds the request."""
        return next(account for account in self.path if account.binds)


def shortages(decision: Decision) -> tuple[Shortage, ...]:
    """Every flavor-resource that lacks quota, with the way up the tree.

    Args:
        decision: any decision; where nothing lacks quota, or nothing could be assigned, the answer is empty.

    Source: KQ-150, KQ-170, KQ-180, at every node.
    """
    return tuple(_shortage(decision, at) for at in sorted(decision.assignment.needs_preemption))


def _shortage(decision: Decision, at: FlavorResource) -> Shortage:
    snapshot, asked = decision.snapshot, decision.assignment.usage.get(at, 0)
    path = _path(decision)
    binding, limit = _binding(decision, at)
    free = max(0, free_at(snapshot, snapshot.usage, at))
    return Shortage(
        at=at,
        asked=asked,
        available=free,
        short=max(0, asked - free),
        path=tuple(
            _account(decision, snapshot.tree.nodes[place], at, limit if place == binding else "")
            for place in path
        ),
        withheld=tuple(_withheld(decision, at)),
    )


def _path(decision: Decision) -> tuple[int, ...]:
    """The nodes up to the root, for a hero up to the root of its subtree."""
    snapshot = decision.snapshot
    path = snapshot.tree.nodes[snapshot.place].path
    if snapshot.heroes is None or not decision.terms.hero:
        return path
    return path[: path.index(snapshot.heroes.branch_of[snapshot.place].root) + 1]


def _binding(decision: Decision, at: FlavorResource) -> tuple[int, str]:
    """The place of the node that bounds what is available, and which of its limits does."""
    snapshot = decision.snapshot
    tree, usage = snapshot.tree, snapshot.usage
    if decision.terms.hero:
        room = room_at(usage, snapshot.place, at)
        clamped = free_at(snapshot, usage, at) < room
        return (snapshot.place, "borrowingLimit") if clamped else (_path(decision)[-1], "quota")
    for place in tree.nodes[snapshot.place].path[:-1]:
        parent = tree.nodes[place].parent
        assert parent is not None
        above = available_at(tree, usage, parent, at)
        if available_above(quota_at(tree, place, at), usage[place].get(at, 0), above) < above:
            return place, "borrowingLimit"
    return tree.nodes[snapshot.place].path[-1], "quota"


def _account(decision: Decision, node: Node, at: FlavorResource, binds: str) -> NodeAccount:
    tree, usage = decision.snapshot.tree, decision.snapshot.usage
    free = available_at(tree, usage, node.place, at)
    if decision.terms.hero:
        free = free_at(decision.snapshot, usage, at)
    quota: NodeQuota = quota_at(tree, node.place, at)
    return NodeAccount(
        kind="ClusterQueue" if node.queue else "Cohort",
        name=node.name,
        usage=usage[node.place].get(at, 0),
        nominal=quota.nominal,
        quota=quota.subtree,
        local_quota=quota.local,
        borrowing_limit=quota.borrowing_limit,
        available=free,
        binds=binds,
        billed=_billed(decision, node, at),
        hero=decision.snapshot.is_hero(node.place),
    )


def _billed(decision: Decision, node: Node, at: FlavorResource) -> Amount:
    column = bills_in(decision.snapshot.usage).get(at)
    if column is None:
        return 0
    if decision.snapshot.is_hero(node.place):
        return column.credit[node.place]
    below = (member.place for member in decision.snapshot.tree.nodes if node.place in member.path)
    return sum(column.bill[place] for place in below)


def _withheld(decision: Decision, at: FlavorResource) -> Iterator[tuple[str, Amount]]:
    snapshot = decision.snapshot
    path = snapshot.tree.nodes[snapshot.place].path
    if decision.terms.hero:
        return  # what nodes keep is room for a hero, as far as limits are not honoured
    for node in snapshot.tree.nodes:
        idle = local_available(quota_at(snapshot.tree, node.place, at), snapshot.usage[node.place].get(at, 0))
        if node.place not in path and idle > 0:
            yield node.name, idle


def account_text(account: NodeAccount, at: FlavorResource) -> str:
    """One node in words.

    >>> node = NodeAccount("ClusterQueue", "ads", 12, 16, 16, 0, 8, 4, "borrowingLimit")
    >>> account_text(node, FlavorResource("a100", "nvidia.com/gpu"))
    'ClusterQueue ads uses 12 of 16, borrows at most 8; 4 available: its borrowingLimit binds'
    >>> node = NodeAccount("Cohort", "lab", 30, 0, 60, 0, None, 30, "quota", billed=40)
    >>> account_text(node, FlavorResource("a100", "nvidia.com/gpu"))
    'Cohort lab uses 30 of 60, with 40 more billed for heroes; 30 available: its quota binds'
    """
    words = f"{account.kind} {account.name} uses {amount(at, account.usage)} of {amount(at, account.quota)}"
    if account.billed:
        whose = "paid for by others" if account.hero else "billed for heroes"
        words += f", with {amount(at, account.billed)} more {whose}"
    if account.kind == "Cohort" and account.nominal:
        below = account.quota - account.nominal
        words += f" ({amount(at, account.nominal)} its own"
        words += f" and {amount(at, below)} lent by those below)" if below else ")"
    if account.local_quota:
        lent = quota_passed_up(NodeQuota(subtree=account.quota, local=account.local_quota))
        words += f", lends at most {amount(at, lent)}"
    if account.borrowing_limit is not None:
        words += f", borrows at most {amount(at, account.borrowing_limit)}"
    words += f"; {amount(at, account.available)} available"
    if account.binds:
        words += ": its borrowingLimit binds" if account.binds == "borrowingLimit" else ": its quota binds"
    return words


_MOST_NAMED = 4
"""ClusterQueues whose quotas a sum names one by one."""


def quota_sum(decision: Decision, at: FlavorResource) -> str:
    """The quotas that make the most that a request could ever have, where a Cohort has a quota of its own.

    Args:
        decision: any.
        at: the flavor-resource.

    Source: KEP-79; a Cohort's own quota comes on top of that of its ClusterQueues.
    """
    tree = decision.snapshot.tree
    nominal = [(node, quota_at(tree, node.place, at).nominal) for node in tree.nodes]
    whole = sum(number for _, number in nominal)
    cohorts = [(node.name, number) for node, number in nominal if number and node.queue is None]
    queues = [(node.name, number) for node, number in nominal if number and node.queue is not None]
    # With limits it is less than the sum; with a quota without end it is no sum.
    if not cohorts or most_at(decision.snapshot, at) != whole or whole >= UNLIMITED:
        return ""
    parts = [f"{amount(at, number)} of Cohort {name}" for name, number in cohorts]
    if len(queues) > _MOST_NAMED:
        parts.append(f"{amount(at, sum(number for _, number in queues))} of {len(queues)} ClusterQueues")
    else:
        parts += [f"{amount(at, number)} of ClusterQueue {name}" for name, number in queues]
    return f" ({' + '.join(parts)})"


def amount(at: FlavorResource, number: Amount) -> str:
    """An amount as a Kubernetes quantity, or in words where it has no end.

    >>> amount(FlavorResource("f", "cpu"), 1500), amount(FlavorResource("f", "cpu"), UNLIMITED)
    ('1500m', 'unlimited')
    """
    return "unlimited" if number == UNLIMITED else format_amount(at.resource, number)


@dataclass(frozen=True, slots=True)
class Beyond:
    """A flavor that could never have what a pod set would need of it.

    Args:
        pod_set: name of the pod set; empty where the request has only one.
        at: the flavor-resource.
        asked: how much is requested, that of earlier pod sets which got the flavor included.
        before: the part of earlier pod sets.
        most: the most that the flavor could ever have.
        without_heroes: the same while no hero runs.

    Amounts are in base units, milli-CPU for `cpu`.
    """

    pod_set: str
    at: FlavorResource
    asked: Amount
    before: Amount
    most: Amount
    without_heroes: Amount

    @property
    def text(self) -> str:
        """The same in words.

        >>> at = FlavorResource("a100", "nvidia.com/gpu")
        >>> Beyond("worker", at, asked=24, before=8, most=16, without_heroes=16).text
        'worker: 24 nvidia.com/gpu asked, 8 of them by pod sets before it, on a100 it could have 16 at most'
        >>> Beyond("", at, asked=4, before=0, most=0, without_heroes=4).text
        '4 nvidia.com/gpu asked, on a100 it could have 0 at most, and 4 while no hero runs'
        """
        who = f"{self.pod_set}: " if self.pod_set else ""
        before = f", {amount(self.at, self.before)} of them by pod sets before it" if self.before else ""
        asked = f"{who}{amount(self.at, self.asked)} {self.at.resource} asked{before}"
        most = f"{asked}, on {self.at.flavor} it could have {amount(self.at, self.most)} at most"
        if self.without_heroes == self.most:
            return most
        return f"{most}, and {amount(self.at, self.without_heroes)} while no hero runs"


def beyond_potential(decision: Decision) -> Iterator[Beyond]:
    """Where the flavors that were tried could never serve a request, in the order tried.

    Args:
        decision: one whose flavors were derived.

    Source: KQ-070.
    """
    snapshot = decision.snapshot
    unbilled = if_no_hero_ran(snapshot)
    several = len(decision.preemptor.pod_sets) > 1
    for group in decision.trial.groups:
        for choice in group.tried:
            for at, asked in choice.requested.items():
                most = most_at(snapshot, at)
                if not can_ever_fit(asked, most):
                    whose = group.pod_set_name if several else ""
                    before = asked - group.requests[at.resource]
                    yield Beyond(whose, at, asked, before, most, most_at(unbilled, at))


def still_short(decision: Decision, attempt: Attempt) -> dict[FlavorResource, Amount]:
    """By how much each flavor-resource of a request is short after an attempt; none where all fit.

    Args:
        decision: the decision.
        attempt: one of its attempts; without borrowing, what exceeds the nominal quota is short too.
    """
    snapshot, usage = decision.snapshot, attempt.usage
    tree, place = tree_under(usage, snapshot.tree), snapshot.place
    short: dict[FlavorResource, Amount] = {}
    for asked, needed in sorted(searched_request(decision.assignment).items()):
        free = max(0, free_at(snapshot, usage, asked))
        used, nominal = usage[place].get(asked, 0), quota_at(tree, place, asked).nominal
        missing = needed - free
        if not attempt.may_borrow and not fits_quota(used, needed, nominal):
            missing = max(missing, used + needed - nominal)
        if missing > 0:
            short[asked] = missing
    return short


def borrowed_while_short(decision: Decision) -> dict[FlavorResource, Amount]:
    """What a request borrows, where preemption would free all that is short if it borrowed nothing.

    Args:
        decision: any.
    """
    for attempt in decision.attempts:
        borrowed = {} if attempt.may_borrow or attempt.fits else still_short(decision, attempt)
        if borrowed and not decision.assignment.needs_preemption & borrowed.keys():
            return borrowed
    return {}


def amounts_text(amounts: dict[FlavorResource, Amount]) -> str:
    """Amounts in words.

    >>> amounts_text({FlavorResource("a100", "nvidia.com/gpu"): 3, FlavorResource("a100", "cpu"): 1500})
    '3 nvidia.com/gpu on a100 and 1500m cpu on a100'
    """
    return " and ".join(
        f"{format_amount(at.resource, amount)} {at.resource} on {at.flavor}" for at, amount in amounts.items()
    )
