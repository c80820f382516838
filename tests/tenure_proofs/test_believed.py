"""Every premise that no claim proves is attacked: random states, one of which might refute it.

Each attack finds a wrong version of what its premise is about. What a state is, and how many are drawn, is in
`tenure_proofs.theorems.believed`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any, TypeAlias
from unittest import mock

import numpy as np
import pytest

from docs.gen.markdown import sentence
from docs.gen.theorems import premises, stand_ins
from tenure.choices import Outcome
from tenure.errors import InputError
from tenure.model import (
    Cluster,
    ClusterQueue,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.assignment import with_counts
from tenure.oracle.decide import Decision, decide
from tenure.oracle.shares import weight_as_float
from tenure.readings import Reading, preset
from tenure.rules import share
from tenure.rules.share import Share, borrowed_ratio
from tenure_play import Scenario, parse_scenario
from tenure_play.actors import evicted
from tenure_play.cycle import Nominee
from tenure_play.engine import Player
from tenure_proofs.theorems.believed import ATTACKED, SEED
from tenure_proofs.theorems.outcome import discharged
from tenure_proofs.theorems.registry import BELIEVED, PYTHON, all_theorems
from tenure_simulate.core import sorting
from tests.sampling import sample
from tools.stages import STAGES, longer_of

Attack: TypeAlias = Callable[[range], Iterator[None]]
"""Draws states by their numbers; yields whenever the premise has held, and fails where it does not hold."""


def shares_in_one_order(states: range) -> Iterator[None]:
    dice = Random(SEED)

    def drawn() -> Share:
        borrowed, lendable = dice.randrange(4), dice.choice((0, 1, 2, 3, dice.randrange(1, 2**62)))
        large = dice.random() < 0.3
        ratio = borrowed_ratio(dice.randrange(1, 2**62) if large else borrowed, lendable)
        weight = dice.choice((0, 1, 3, 10**9, 3 * 10**9, dice.randrange(1, 2**62)))
        return Share(ratio > 0, ratio, weight_as_float(weight))

    for _ in states:
        one, other, third = drawn(), drawn(), drawn()
        compare = share.compare_shares
        assert compare(one, one) == 0
        assert compare(one, other) == -compare(other, one)
        assert compare(one, other) < 0 or compare(other, third) < 0 or compare(one, third) >= 0
        yield


class Looked(Player):
    """A play that is looked at after every cycle."""

    look: Callable[[Looked], None]

    def _cycle(self) -> None:
        super()._cycle()
        self.look(self)


FLAVORS: Sequence[str] = ("f",)
"""Of each resource group of `one_queue`."""


def one_queue(dice: Random) -> dict[str, Any]:
    """A scenario of one ClusterQueue, whose jobs have up to three pod sets and end when they like."""
    groups: list[dict[str, Any]] = [
        {
            "coveredResources": [resource],
            "flavors": [
                {"name": f"{resource}-{name}", "resources": [{"name": resource, "nominalQuota": quota}]}
                for name, quota in zip(FLAVORS, dice.choices((2, 3, 4), k=len(FLAVORS)), strict=True)
            ],
        }
        for resource in ("cpu", "memory")[: dice.randint(1, 2)]
    ]
    named = [flavor["name"] for group in groups for flavor in group["flavors"]]
    within = dice.choice(("LowerPriority", "LowerOrNewerEqualPriority"))
    configured = {"kueue.x-k8s.io/preemption-config-name": "pair"} if dice.random() < 0.1 else {}
    spec = {
        "preemption": {"withinClusterQueue": within},
        "resourceGroups": groups,
    }
    return {
        "title": "one ClusterQueue",
        "until": "20m",
        "objects": [
            *({"kind": "ResourceFlavor", "metadata": {"name": name}, **_labelled(name)} for name in named),
            *((FAIR,) if dice.random() < 0.3 else ()),
            CONFIG,
            {"kind": "ClusterQueue", "metadata": {"name": "q", "annotations": configured}, "spec": spec},
            {"kind": "LocalQueue", "metadata": {"namespace": "default", "name": "q"}, "spec": LOCAL},
        ],
        "events": [_job(dice, number, len(groups)) for number in range(dice.randint(4, 9))],
        "maxCycles": 400,
    }


LOCAL = {"clusterQueue": "q"}
FAIR = {"kind": "Configuration", "fairSharing": {}}
CONFIG: dict[str, Any] = {
    "apiVersion": "kueue.x-k8s.io/v1alpha1",
    "kind": "PreemptionConfig",
    "metadata": {"name": "pair"},
    "spec": {
        "rules": [
            {
                "name": "smaller",
                "activationPolicy": {"trigger": "InsufficientQuota"},
                "candidateSelectors": [
                    {
                        "scope": "WithinClusterQueue",
                        "priority": {"mode": "Base", "comparison": "LessThanOrEqual"},
                        "numericLabels": [{"key": "nodes", "comparison": "LessThan"}],
                    }
                ],
            }
        ]
    },
}


def _labelled(flavor: str) -> dict[str, Any]:
    return {"spec": {"nodeLabels": {"type": flavor[-1]}}}


def _job(dice: Random, number: int, resources: int) -> dict[str, Any]:
    pod_sets = []
    for place in range(dice.choice((1, 2, 2, 3))):
        asked = [name for name in ("cpu", "memory")[:resources] if dice.random() < 0.8]
        pod: dict[str, Any] = {
            "containers": [{"resources": {"requests": {name: dice.choice((1, 1, 2)) for name in asked}}}]
        }
        if len(FLAVORS) > 1 and dice.random() < 0.5:
            pod["nodeSelector"] = {"type": dice.choice(FLAVORS)}
        pod_sets.append({"name": f"p{place}", "count": dice.choice((1, 1, 2)), "template": {"spec": pod}})
    if dice.random() < 0.2:
        pod_sets[0]["minCount"] = 1
    spec = {"queueName": "q", "priority": dice.randint(0, 3), "podSets": pod_sets}
    metadata = {"name": f"j{number}", "labels": {"nodes": str(dice.randint(0, 3))}}
    submit = {"manifest": {"metadata": metadata, "spec": spec}}
    ends = {"work": f"{dice.randint(20, 400)}s"} if dice.random() < 0.5 else {}
    eviction = dice.choice((0, 3, 7, 20, 60))
    return {"at": f"{dice.randint(0, 300)}s", "submit": {**submit, **ends, "eviction": f"{eviction}s"}}


def draw_alone(number: int) -> tuple[Scenario, Reading]:
    return parse_scenario(one_queue(Random(f"{SEED} {number}"))), preset("guaranteed")


def with_fewer(dice: Random, entry: Nominee) -> Workload:
    """The workload of a head with as many pods as were decided on, or with fewer, and no other number."""
    workload, decided = entry.actor.workload, entry.decision.trial.counts
    fewer = [dice.choice((count, dice.randint(1, count))) for count in decided]
    asked = with_counts(workload.pod_sets, fewer)
    fixed = (replace(pods, min_count=None, full_count=None) for pods in asked)
    return replace(workload, pod_sets=tuple(fixed))


def targets_are_found_again(states: range) -> Iterator[None]:
    for number in states:
        player, dice, found = Looked(*draw_alone(number)), Random(f"{SEED} {number}"), list[Outcome]()

        def look(player: Looked, dice: Random = dice, found: list[Outcome] = found) -> None:
            for entry in (handled.entry for handled in player.handled if handled.entry.decision.targets):
                cluster, clock = entry.decision.snapshot.cluster, player.world.clock
                victims = {target.workload.key: target.reason for target in entry.decision.targets}
                for _ in range(4):
                    left = tuple(
                        evicted(one, victims[one.key], clock) if one.key in victims else one
                        for one in cluster.admitted
                        if dice.random() < 0.7
                    )
                    then = replace(cluster, admitted=left)
                    later = clock + dice.randrange(10**11)
                    asked = then, with_fewer(dice, entry), entry.actor.queue, later, player.world.reading
                    found.append(decide(*asked).outcome)

        player.look = look
        with suppress(InputError):
            player.play()
        assert {*found} <= {Outcome.FIT, Outcome.PREEMPT}
        yield from (None for _ in found)


def test_a_preemptor_that_lacks_pods_is_left_without_targets_once_its_victims_have_left() -> None:
    """Why the premise excludes quota for pods: what the search leaves out, no victim has to free."""
    quota = FlavorQuotas("f", {"cpu": 4, "pods": 4})
    queue = ClusterQueue(
        "q",
        (ResourceGroup(("cpu", "pods"), (quota,)),),
        within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY,
    )
    waiting = Workload("ns", "w", "u", priority=1, created_at=0, pod_sets=(PodSet("main", 2, {"cpu": 2}),))

    def running(name: str, priority: int, pods: int) -> Workload:
        usage = {FlavorResource("f", "cpu"): 1, FlavorResource("f", "pods"): pods}
        made = Workload("ns", name, name, priority, created_at=0, quota_reserved_at=0)
        return replace(made, cluster_queue="q", usage=usage)

    def decided(*admitted: Workload) -> Decision:
        cluster = Cluster({"q": queue}, admitted, flavors={"f": ResourceFlavor("f")})
        return decide(cluster, waiting, "q", 1, preset("guaranteed"))

    low, high = running("low", 0, pods=1), running("high", 2, pods=3)
    assert [target.workload.name for target in decided(low, high).targets] == ["low"]
    assert decided(high).outcome == Outcome.NO_CANDIDATES


def keys_have_64_bits(states: range) -> Iterator[None]:
    dice, laid_out = Random(SEED), sorting.laid_out

    def exact(*fields: Any) -> Any:
        keys = laid_out(*fields)
        low, age, tie, recent, ties = fields
        rows = zip(low.tolist(), age.tolist(), tie.tolist(), strict=True)
        assert keys.tolist() == [laid_out(*row, int(recent), int(ties)) for row in rows]
        assert keys.dtype == np.int64
        return keys

    for _ in states:
        count, spread = dice.randint(1, 12), dice.choice((2, 2**20, 2**31, 2**33, 2**62))
        first, second = ([dice.randrange(-spread, spread) for _ in range(count)] for _ in range(2))
        ties = np.array(dice.sample(range(count), count), dtype=np.int32)
        with mock.patch.object(sorting, "laid_out", exact):
            keys, _ = sorting.make_keys(np.array(first), np.array(second), ties, Counter())
        assert min(keys) >= 0
        yield


ABOVE_LEAST = sorting._above_least
"""As it is, for a wrong version of it."""

ATTACKS: dict[str, tuple[Attack, Any, str, Any]] = {
    "two shares compare as their places in one order": (
        shares_in_one_order,
        share,
        "compare_shares",
        lambda one, other: 0 if abs(one.ratio - other.ratio) < 400 else 1 if one.ratio > other.ratio else -1,
    ),
    "with no cohort, second flavor or quota for pods, as many or fewer pods find a place if fewer run": (
        targets_are_found_again,
        sys.modules[__name__],
        "FLAVORS",
        ("f", "g"),
    ),
    "what is packed are numbers of 64 bits": (
        keys_have_64_bits,
        sorting,
        "_above_least",
        lambda values: ABOVE_LEAST(values).astype(np.int32),
    ),
}
"""By premise: its attack, and a wrong version of a function, which the attack finds."""


def test_every_premise_without_a_proof_has_an_attack_and_every_attack_its_stage() -> None:
    assumed = {words for claim in all_theorems().values() for words, by in claim.uses if by == BELIEVED}
    assert assumed == ATTACKS.keys() == ATTACKED.keys()
    assert "tests/tenure_proofs/test_believed.py" in [file for stage in STAGES for file in longer_of(stage)]


def test_the_page_lists_every_premise_with_its_attack() -> None:
    entries = [{"id": claim.id, "assumes": dict(list(claim.uses))} for claim in all_theorems().values()]
    lines = premises(entries).splitlines()[2:]
    shown = {tuple(line.split(" | ")[:2]) for line in lines}
    of_python = {words for claim in all_theorems().values() for words, by in claim.uses if by == PYTHON}
    kinds = {**dict.fromkeys(ATTACKED, BELIEVED), **dict.fromkeys(of_python, PYTHON)}
    assert shown <= {(f"| {sentence(words)}", discharged(words, by)) for words, by in kinds.items()}
    assert len(lines) == len(kinds)


def test_the_page_lists_for_which_functions_something_stands() -> None:
    entries = [{"id": claim.id, "assumes": dict(list(claim.uses))} for claim in all_theorems().values()]
    said = stand_ins(entries)
    assert "`_choices`" in said
    # A theorem is about each of these.
    assert not [name for name in ("`remove_until_fits`", "`selection_after`", "`rounds`") if name in said]


@pytest.mark.parametrize("premise", ATTACKED)
def test_no_random_state_refutes_a_premise(premise: str) -> None:
    states, kind = ATTACKED[premise]
    drawn = sample(max(10, states // 100), states)
    held = sum(1 for _ in ATTACKS[premise][0](range(drawn)))
    print(f"{drawn} {kind}, seed {SEED}: held {held} times")
    assert held > drawn / 20


@pytest.mark.parametrize("premise", ATTACKED)
def test_an_attack_finds_a_wrong_version(premise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    attack, owner, name, wrong = ATTACKS[premise]
    monkeypatch.setattr(owner, name, wrong)
    with pytest.raises(AssertionError):
        list(attack(range(max(100, ATTACKED[premise][0] // 100))))
