"""Matrices as tables and pictures: ClusterQueues that are alike together, many of them in few lines."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable
from itertools import product

from tenure_check.analysis.heat_map import heat_map
from tenure_check.analysis.matrix_table import matrix_lines
from tenure_check.analysis.matrix_types import MatrixAnswer, MatrixCell, MatrixCounts, MatrixRole
from tenure_play.drawing.scene import DARK, LIGHT, Role

SVG = "{http://www.w3.org/2000/svg}"


def matrix(count: int, verdict: Callable[[int, int, int, int], str]) -> MatrixAnswer:
    """The answer about so many ClusterQueues: a verdict by preemptor, its priority, victim, its priority."""
    cells = tuple(
        MatrixCell(
            preemptor=MatrixRole(f"team-{one:02}", f"p{high}", high),
            victim=MatrixRole(f"team-{other:02}", f"p{low}", low),
            verdict=verdict(one, high, other, low),
            reasons=(),
            why="",
        )
        for one, other in product(range(count), repeat=2)
        for high, low in product((0, 1), repeat=2)
    )
    number = Counter(cell.verdict for cell in cells)
    return MatrixAnswer(
        scope="consistent",
        premises=(),
        reading="guaranteed",
        kueue=None,
        fair_sharing=False,
        seed=0,
        states=1,
        solvers={"z3": "4"},
        counts=MatrixCounts(number["never"], number["can"], number["?"]),
        cells=cells,
        warnings=(),
    )


def by_priority(one: int, high: int, other: int, low: int) -> str:
    return "can" if high > low else "never"


def in_a_line(one: int, high: int, other: int, low: int) -> str:
    """Each reclaims from those after it, and some cells are not known."""
    if one < other:
        return "can" if other - one != 5 else "?"
    return by_priority(one, high, other, low) if one == other else "never"


def test_many_queues_that_are_alike_are_one_row() -> None:
    lines = list(matrix_lines(matrix(40, by_priority)))
    assert [line.split() for line in lines[3:4]] == [
        ["1", "c..", "c..", "team-00", "…", "team-39", "(40)"],
    ]
    assert len(lines) <= 12


def test_two_kinds_of_queues_are_two_rows() -> None:
    def verdict(one: int, high: int, other: int, low: int) -> str:
        return "can" if one < 10 <= other else by_priority(one, high, other, low)

    rows = [line.split() for line in matrix_lines(matrix(40, verdict))][3:5]
    assert rows == [
        ["1", "c..", "ccc", "c..", "team-00", "…", "team-09", "(10)"],
        ["2", "c..", "c..", "c..", "team-10", "…", "team-39", "(30)"],
    ]


def test_many_queues_that_differ_have_a_line_each() -> None:
    lines = list(matrix_lines(matrix(40, in_a_line)))
    rows = [line for line in lines if " team-" in line]
    assert len(rows) == 40
    assert rows[30] == " 31  team-30  c.. itself  ??? 36  ccc 32-35,37-40  ... the rest"
    assert max(map(len, lines)) <= 110


def test_a_picture_is_a_well_formed_svg_with_words_for_those_who_do_not_see_it() -> None:
    root = ElementTree.fromstring(heat_map(matrix(3, in_a_line)))
    assert root.get("role") == "img"
    title, described = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert "scope consistent, reading guaranteed" in (title.text or "")
    assert described is not None
    assert "team-00 may preempt team-00: lower can, equal never, higher never; team-01: all can;" in (
        described.text or ""
    )
    entries = root.findall(f"{SVG}g")
    assert len(entries) == 9
    told = [entry.findtext(f"{SVG}title") for entry in entries]
    assert told[3] == "team-01 preempts team-00: all never"


def test_a_picture_has_the_colours_of_both_schemes_and_fits_a_phone() -> None:
    drawn = heat_map(matrix(12, in_a_line))
    for theme in (LIGHT, DARK):
        assert f"--same-queue: {theme[Role.SAME_QUEUE]}" in drawn
    assert "prefers-color-scheme: dark" in drawn
    root = ElementTree.fromstring(drawn)
    assert (root.get("viewBox") or "").split()[2] == "420"
    assert {element.text for element in root.iter(f"{SVG}text")} >= {"12  team-11", "not known"}
    assert 'fill="url(#stripes-wait)"' in drawn


def test_queues_that_are_alike_share_a_row_of_the_picture_whose_diagonal_is_halved() -> None:
    def verdict(one: int, high: int, other: int, low: int) -> str:
        return by_priority(one, high, other, low) if one == other else "can"

    drawn = heat_map(matrix(40, verdict))
    entries = ElementTree.fromstring(drawn).findall(f"{SVG}g")
    assert [entry.findtext(f"{SVG}title") for entry in entries] == [
        "team-00 … team-39 (40) preempts team-00 … team-39 (40): lower can, equal never, higher never; "
        "others of the row: all can"
    ]
    boxes = "".join(path.get("d", "") for path in ElementTree.fromstring(drawn).findall(f"{SVG}path"))
    # The paper, six bars, and the legend, in which a striped box is drawn twice and another has two halves.
    assert boxes.count("M") == 1 + 6 + 6
