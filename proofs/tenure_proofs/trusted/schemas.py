"""Induction schemas: from one real step, or one real unfolding, to any number of them.

Each takes what has to be proved and makes goals of it. That the goals amount to the conclusion is what is
believed here; what a schema is applied to is said where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, implies, notion
from tenure_proofs.trusted.symbols import SymBool, SymInt


def along_every_path(claim: Claim, *, at_root: SymBool, above: SymBool, here: SymBool) -> None:
    """Something holds at every node of every tree.

    Every node is reached from its root in finitely many steps down. So what holds at a root, and holds at a
    node whenever it holds at the node above, holds everywhere.

    Args:
        claim: the claim it is proved in.
        at_root: it holds at an arbitrary root.
        above: it holds at the node above an arbitrary node; of that node nothing else may be assumed.
        here: it holds at the arbitrary node.
    """
    claim.prove(at_root, implies(above, here))


def over_every_sum(
    claim: Claim, holds: Callable[..., SymBool | bool], *, before: Sequence[SymInt], after: Sequence[SymInt]
) -> None:
    """Something holds of sums over any number of children.

    A sum starts at zero and takes one child after the other. So what holds of zero, and holds with one child
    more whenever it holds without it, holds of the whole sum.

    Args:
        claim: the claim it is proved in.
        holds: what holds of the sums.
        before: the sums so far; nothing else may be assumed of them.
        after: the sums with one arbitrary child more.
    """
    claim.prove(all_of(holds(*(0 for _ in before))), implies(holds(*before), holds(*after)))


def over_every_fold(
    claim: Claim, *, before: Sequence[SymBool], after: Sequence[SymBool], ends: Sequence[SymBool] = ()
) -> None:
    """An invariant holds after any number of steps of a fold.

    Args:
        claim: the claim it is proved in.
        before: the invariant, of an arbitrary state; of that state nothing else may be assumed. That it holds
            of the first state is a claim of its own.
        after: the invariant, of the state after one real step.
        ends: what the invariant amounts to.
    """
    claim.prove(implies(all_of(*before), all_of(*after, *ends)))


def lemma(step: SymBool) -> SymBool:
    """A step of a proof by cases, for the solvers alone: the case may turn out to be impossible."""
    return notion(step)


def one_after_the_other(claim: Claim, *goals: SymBool | bool) -> None:
    """Goals, of which each may use all those before it: lemmas first. Together they are plain goals.

    Args:
        claim: the claim they are proved in.
        goals: in the order in which they help each other.
    """
    claim.prove(*(implies(all_of(*goals[:index]), goal) for index, goal in enumerate(goals)))
