"""What the plan says of two ClusterQueues is what the tree says: assumption 11, on every small tree.

Proofs about heroes begin where `plan.kin_between` asks UCQ-060. The truth values that it asks with are read
from the tree in a loop's way, so they are compared here with an independent computation, on every tree of at
most four cohorts and four ClusterQueues; and every change of an expression of `kin_between` is noticed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise, product

import pytest

from tenure.model import Cluster, ClusterQueue, Cohort, Kin, PreemptionRules
from tenure.oracle.heroes.plan import HeroPlan, kin_between, plan_heroes
from tenure.oracle.tree import Tree, build_tree
from tenure.readings import parse_reading
from tenure_proofs.mutants.comparisons import off_by_one_changes, operator_changes
from tenure_proofs.mutants.forms import form_changes
from tenure_proofs.mutants.mutant import Change, Mutant, mutants_of, places, with_part
from tenure_proofs.mutants.values import value_changes

COHORTS, QUEUES = 4, 4
SCOPES = {scope: parse_reading({"preset": "guaranteed", "hero_scope": scope}) for scope in ("branch", "tree")}


@dataclass(frozen=True)
class Shape:
    """A tree: the parent of every cohort but the first, the root; the cohort of every queue."""

    parents: tuple[int, ...]
    queues: tuple[int, ...]

    def is_below(self, cohort: int, upper: int) -> bool:
        """Whether a cohort is another, or is below it: no walk of the oracle's."""
        return cohort == upper or (cohort > 0 and self.is_below(self.parents[cohort - 1], upper))

    def cluster(self, heroes: tuple[bool, ...]) -> Cluster:
        """The tree as objects."""
        queues = {
            f"q{index}": ClusterQueue(
                f"q{index}",
                cohort=f"c{cohort}",
                rules=PreemptionRules.UBER_CLUSTER_QUEUE if hero else PreemptionRules.DEFAULT,
            )
            for index, (cohort, hero) in enumerate(zip(self.queues, heroes, strict=True))
        }
        above = {f"c{below + 1}": f"c{cohort}" for below, cohort in enumerate(self.parents)}
        return Cluster(queues, cohorts={name: Cohort(name, parent) for name, parent in above.items()})

    def kin(self, heroes: tuple[bool, ...], mine: int, theirs: int, whole_tree: bool) -> Kin:
        """What two queues are to each other."""
        upper, lower = self.queues[mine], self.queues[theirs]
        both = heroes[mine] and heroes[theirs]
        scope = 0 if whole_tree else upper
        return Kin(
            hero=heroes[theirs],
            in_scope=heroes[mine] and self.is_below(lower, scope),
            above=both and upper != lower and self.is_below(lower, upper),
            peer=both and upper == lower and mine != theirs,
        )


def shapes(cohorts: int, queues: int) -> Iterator[Shape]:
    """Every tree within a bound. Which of several queues is called what makes no other tree."""
    for size in range(1, cohorts + 1):
        for parents in product(*(range(index) for index in range(1, size))):
            for number in range(1, queues + 1):
                for queued in combinations_with_replacement(range(size), number):
                    yield Shape(parents, queued)


@dataclass(frozen=True)
class Case:
    """The heroes of a tree, and what the plan makes of them."""

    shape: Shape
    heroes: tuple[bool, ...]
    tree: Tree
    plan: HeroPlan | None
    scope: str

    def differences(self) -> Iterator[str]:
        """Two queues, what is said of them, and what is so."""
        for mine, theirs in product(range(len(self.heroes)), repeat=2):
            places = self.tree.places
            said = kin_between(self.plan, places[f"q{mine}"], places[f"q{theirs}"])
            expected = self.shape.kin(self.heroes, mine, theirs, self.scope == "tree")
            if not any(self.heroes):
                expected = Kin()
            if said != expected:
                yield f"{self.shape}, heroes {self.heroes}, {mine} to {theirs}: {said}, expected {expected}"


def cases(cohorts: int, queues: int, scope: str) -> Iterator[Case]:
    """Every choice of heroes in every tree within a bound."""
    for shape in shapes(cohorts, queues):
        for heroes in product((False, True), repeat=len(shape.queues)):
            cluster = shape.cluster(heroes)
            tree = build_tree(cluster, cluster.cluster_queues["q0"])
            yield Case(shape, heroes, tree, plan_heroes(tree, SCOPES[scope]), scope)


@pytest.mark.parametrize("scope", SCOPES)
def test_on_every_tree_of_four_cohorts_and_four_queues_heroes_stand_as_the_proofs_assume(scope: str) -> None:
    asked = 0
    for case in cases(COHORTS, QUEUES, scope):
        assert next(case.differences(), None) is None
        asked += 1
    print(f"every tree of at most {COHORTS} cohorts and {QUEUES} ClusterQueues, {scope}: {asked} cases")
    assert asked == sum(2 ** len(shape.queues) for shape in shapes(COHORTS, QUEUES)) > 5000


def test_in_every_small_tree_a_path_is_a_walk_up_and_a_node_has_all_that_are_below_it() -> None:
    for shape in shapes(COHORTS, QUEUES):
        cluster = shape.cluster((False,) * len(shape.queues))
        nodes = build_tree(cluster, cluster.cluster_queues["q0"]).nodes
        lower = [below for node in nodes for below in (*node.queues, *node.cohorts)]
        assert sorted(lower) == list(range(1, len(nodes)))
        for node in nodes:
            assert all(nodes[below].path == (below, *node.path) for below in (*node.queues, *node.cohorts))


def test_the_trees_are_all_there_are() -> None:
    # Rooted trees whose nodes are numbered from the root down: 1, 1, 2, 6.
    assert len({shape.parents for shape in shapes(4, 1)}) == 10
    assert all(first <= second for shape in shapes(4, 4) for first, second in pairwise(shape.queues))


def test_a_queue_without_cohort_has_no_kin() -> None:
    queue = ClusterQueue("q", rules=PreemptionRules.UBER_CLUSTER_QUEUE)
    tree = build_tree(Cluster({"q": queue}), queue)
    assert kin_between(plan_heroes(tree, SCOPES["branch"]), 0, 0) == Kin()


def membership_changes(_function: object, definition: ast.FunctionDef) -> Iterator[Change]:
    """What is in a path is not, and the other way round; and being a hero brings a queue into scope."""
    for place, node in places(definition):
        match node:
            case ast.Compare(left=left, ops=[ast.In()], comparators=others):
                yield Change(place, node, ast.Compare(left, [ast.NotIn()], others))
            case ast.Call(keywords=keywords) if keywords:
                scope = next(keyword.value for keyword in keywords if keyword.arg == "scope_contains")
                hero = next(keyword.value for keyword in keywords if keyword.arg == "target_hero")
                yield Change(place, node, with_part(node, scope, ast.BoolOp(ast.Or(), [scope, hero])))


FAMILIES = (operator_changes, off_by_one_changes, form_changes, value_changes, membership_changes)
CHANGES = tuple(mutants_of("KIN", kin_between, FAMILIES))
SMALL = tuple(case for scope in SCOPES for case in cases(3, 3, scope))


def is_noticed(case: Case) -> bool:
    """Whether the changed function says something else, or breaks."""
    try:
        return any(case.differences())
    except (AttributeError, TypeError, KeyError, IndexError):
        return True


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.before} -> {change.after}")
def test_every_change_of_what_the_plan_asks_with_is_noticed(change: Mutant) -> None:
    with change.applied():
        assert any(map(is_noticed, SMALL))


def test_there_are_changes_to_notice() -> None:
    assert len(CHANGES) >= 19
    assert any("or other is not None" in change.after for change in CHANGES)
