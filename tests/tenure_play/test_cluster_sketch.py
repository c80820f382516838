"""A cluster and a decision as shapes and in sentences."""

from __future__ import annotations

from dataclasses import replace

from tenure.manifests.load import Loaded
from tenure.model import UNLIMITED, ClusterQueue, Cohort, FlavorResource, PreemptionRules
from tenure.readings import preset
from tenure_play.drawing.cluster import ClusterPicture, picture_of, picture_of_decision
from tenure_play.drawing.cluster_page import page_of
from tenure_play.drawing.cluster_sketch import sentences_of, sketch_of
from tenure_play.drawing.scene import PHONE_WIDTH, Box, Hatch, Label
from tests import clusters
from tests.tenure.clusters import GPU, NOW, decided, queue, running, waiting

FULL = (running("low", 2, 1), running("lower", 2, 0))


def texts(picture: ClusterPicture) -> list[str]:
    return [shape.text for shape in sketch_of(picture).shapes if isinstance(shape, Label)]


def test_a_decision_shows_its_victims_in_their_order_and_its_preemptor_below_the_bar() -> None:
    picture = picture_of_decision(decided(waiting(3), *FULL, in_queue=queue(nominal={GPU: 4})))
    (bar,) = picture.trees[0].bars
    assert [job.victim for job in picture.trees[0].jobs] == [2, 1, 0]
    assert [(piece.x, piece.width) for piece in bar.pending] == [(0, 750)]
    shown = texts(picture)
    assert [each for each in ("2 low 1", "1 lower 0", "preemptor 100") if each not in shown] == []
    boxes = [shape for shape in sketch_of(picture).shapes if isinstance(shape, Box)]
    assert sum(box.hatch == Hatch.STRIPES for box in boxes) == 3, "two victims and the legend"
    assert [*sentences_of(picture)] == [
        "q: 4 of 4 nominal in use; 3 pending; running: low 2, lower 2.",
        "preemptor in q: Preempt of lower, low.",
    ]


def test_a_request_beyond_all_quota_has_room_in_the_picture_of_its_decision() -> None:
    picture = picture_of_decision(decided(waiting(8), in_queue=queue(nominal={GPU: 4})))
    (bar,) = picture.trees[0].bars
    assert (bar.nominal, bar.pending[0].width) == (500, 1000)


def test_what_heroes_bill_lies_at_the_end_of_the_nominal_quota_instead_of_what_is_lent() -> None:
    hero = clusters.queue("h", "c", (0, None, None), rules=PreemptionRules.UBER_CLUSTER_QUEUE)
    cluster = clusters.cluster(clusters.queue("a", "c", (4, None, None)), hero)
    holds = running("run", cluster_queue="h", usage={FlavorResource("f", "gpu"): 3})
    loaded = Loaded(replace(cluster, admitted=(holds,)))
    picture = picture_of(loaded, NOW, preset("guaranteed"))
    (billed, _) = (node.bars[0] for node in picture.trees[0].below)
    assert (billed.nominal, billed.billed) == (1000, 750)
    assert billed.words == "0 of 4 nominal in use; billed 3, 1 left"
    assert "billed for a hero" in texts(picture)
    assert '<rect class="billed" x="250.0" width="750.0"' in page_of(picture, "Cluster")


def test_a_cohort_states_its_own_quota_and_an_unlimited_quota_is_no_number() -> None:
    cohort = Cohort("c", resource_groups=clusters.groups((3, None, None)))
    unlimited = clusters.queue("b", "c", (UNLIMITED, None, None))
    limited = clusters.queue("a", "c", (4, None, None))

    def words(*queues: ClusterQueue) -> str:
        loaded = Loaded(clusters.cluster(*queues, cohorts=(cohort,)))
        return picture_of(loaded, NOW, preset("guaranteed")).trees[0].bars[0].words

    assert words(limited) == "0 of 7 nominal in use; 3 nominal of its own"
    assert words(limited, unlimited) == "0 of unlimited nominal in use; 3 nominal of its own"


def test_figures_that_have_no_room_beside_a_long_name_lie_below_it() -> None:
    loaded = Loaded(clusters.cluster(clusters.queue("a" * 60, None, (4, None, None))))
    name, figures = sketch_of(picture_of(loaded, NOW, preset("guaranteed"))).shapes[:2]
    assert isinstance(name, Label)
    assert isinstance(figures, Label)
    assert figures.y > name.y + 10
    assert figures.x < PHONE_WIDTH
