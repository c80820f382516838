"""The tree: which cohorts there are, and which ClusterQueue is where."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.options import Options

QUEUES = (1, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 12)
LEVELS = (0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4)
EXTRA_COHORTS = (0, 0, 0, 1, 1, 2, 3)
MOST_COHORTS = LEVELS[-1] + EXTRA_COHORTS[-1]


@dataclass(frozen=True, slots=True)
class Tree:
    """The shape of a scenario.

    Args:
        cohorts: parent by cohort, None for a root; parents come first.
        queues: cohort by ClusterQueue, None for one that stands alone.
        target: the ClusterQueue of the incoming workload.
    """

    cohorts: dict[str, str | None]
    queues: dict[str, str | None]
    target: str

    def root_of(self, queue: str) -> str:
        """The root above a ClusterQueue; itself when it stands alone.

        >>> Tree({"c0": None, "c1": "c0"}, {"q0": "c1"}, "q0").root_of("q0")
        'c0'
        """
        above = self.queues[queue]
        name = queue
        while above is not None:
            name, above = above, self.cohorts[above]
        return name


def draw_tree(dice: Dice, options: Options) -> Tree:
    """Draw a tree of at most the levels and queues of the options.

    >>> draw_tree(Dice(b""), Options())
    Tree(cohorts={}, queues={'q0': None}, target='q0')
    """
    count = min(dice.pick(QUEUES), options.max_queues)
    levels = min(dice.pick(LEVELS), options.max_depth)
    cohorts = _cohorts(dice, levels) if levels else {}
    places: list[str | None] = [*cohorts, *cohorts, *cohorts]
    if not cohorts or count > 2:
        places.append(None)
    queues: dict[str, str | None] = {f"q{index}": dice.pick(places) for index in range(count)}
    # A preemptor with a cohort finds more to decide than one without.
    grouped = [name for name, cohort in queues.items() if cohort is not None]
    target = dice.pick([*grouped, *grouped, *grouped, *queues])
    return Tree(cohorts, queues, target)


def _cohorts(dice: Dice, levels: int) -> dict[str, str | None]:
    """A chain of all levels first, then more cohorts wherever there is a level left."""
    names: list[str] = [f"c{level}" for level in range(levels)]
    cohorts: dict[str, str | None] = {
        name: names[index - 1] if index else None for index, name in enumerate(names)
    }
    level = {name: index + 1 for index, name in enumerate(names)}
    for index in range(levels, levels + dice.pick(EXTRA_COHORTS)):
        parents: list[str | None] = [each for each in cohorts if level[each] < levels]
        parent = dice.pick([*parents, *parents, None])
        cohorts[f"c{index}"] = parent
        level[f"c{index}"] = level[parent] + 1 if parent is not None else 1
    return cohorts
