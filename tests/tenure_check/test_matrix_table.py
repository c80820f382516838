"""Matrices as tables and pictures: ClusterQueues that are alike together, many of them in few lines."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable
from itertools import product

from tenure_check.analysis.heat_map import heat_map
from tenure_check.analysis.matrix_answer import MatrixAnswer, MatrixCell, MatrixCounts, MatrixRole
from tenure_check.analysis.matrix_text import matrix_outline, sentences_of
from tenure_play.drawing.scene import DARK, LIGHT, PHONE_WIDTH, Role

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


def text_of(answer: MatrixAnswer) -> list[str]:
    return [*matrix_outline(answer).text_lines()]


def test_up_to_eight_queues_are_heads_of_columns_by_name() -> None:
    lines = text_of(matrix(8, by_priority))
    heads, *rows = lines[2:11]
    assert heads.split() == ["PREEMPTOR", "\\", "VICTIM", *(f"team-{number:02}" for number in range(8))]
    assert rows[7].split() == ["team-07", *["L--"] * 8]


def test_text_and_markdown_have_the_same_entries() -> None:
    answer = matrix(3, in_a_line)
    text, markdown = text_of(answer), [*matrix_outline(answer).markdown_lines()]
    rows = [line.split() for line in text if line.startswith("team-")]
    assert rows == [
        ["team-00", "L--", "LEH", "LEH"],
        ["team-01", "---", "L--", "LEH"],
        ["team-02", "---", "---", "L--"],
    ]
    assert [line for line in markdown if line.startswith("| `team-")] == [
        f"| `{name}` | {' | '.join(entries)} |" for name, *entries in rows
    ]


def test_many_queues_that_are_alike_are_one_row() -> None:
    lines = text_of(matrix(40, by_priority))
    assert [line.split() for line in lines[3:4]] == [
        ["1", "team-00", "…", "team-39", "(40)", "L--", "L--"],
    ]
    assert len(lines) <= 12


def test_two_kinds_of_queues_are_two_rows() -> None:
    def verdict(one: int, high: int, other: int, low: int) -> str:
        return "can" if one < 10 <= other else by_priority(one, high, other, low)

    rows = [line.split() for line in text_of(matrix(40, verdict))][3:5]
    assert rows == [
        ["1", "team-00", "…", "team-09", "(10)", "L--", "LEH", "L--"],
        ["2", "team-10", "…", "team-39", "(30)", "L--", "L--", "L--"],
    ]


def test_many_queues_that_differ_have_a_line_each() -> None:
    lines = text_of(matrix(40, in_a_line))
    rows = [line for line in lines if " team-" in line]
    assert len(rows) == 40
    assert rows[30].strip() == "31  team-30  L-- itself  ??? 36  LEH 32-35,37-40  --- the rest"


def test_sentences_name_who_preempts_whom_at_which_priority() -> None:
    cells = matrix(3, in_a_line).cells
    assert [*sentences_of(cells, {})] == [
        "team-00 can be preempted by its own workloads (higher priority only); never by team-01 and team-02",
        "team-01 can be preempted by team-00 (any priority), its own workloads (higher priority only); "
        "never by team-02",
        "team-02 can be preempted by team-00 and team-01 (any priority), its own workloads "
        "(higher priority only)",
    ]
    own = [cell for cell in cells if cell.preemptor.cluster_queue == "team-01"]
    assert [*sentences_of(own, {}, preemptor="team-01")] == [
        "team-01 can preempt its own workloads (lower priority only)",
        "team-01 can preempt team-02 (any priority)",
        "team-01 never preempts team-00",
    ]


def test_what_is_not_known_is_a_sentence_too() -> None:
    cells = [cell for cell in matrix(6, in_a_line).cells if cell.victim.cluster_queue == "team-05"]
    assert [*sentences_of(cells, {}, victim="team-05")][-1] == "not known: by team-00"


def test_a_picture_is_a_well_formed_svg_with_words_for_those_who_do_not_see_it() -> None:
    root = ElementTree.fromstring(heat_map(matrix(3, in_a_line)))
    assert root.get("role") == "img"
    title, described = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert "scope consistent, reading guaranteed" in (title.text or "")
    assert described is not None
    assert "team-00 can preempt team-00: lower can, equal never, higher never; team-01: all can;" in (
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
    assert (root.get("viewBox") or "").split()[2] == f"{PHONE_WIDTH:.0f}"
    assert {element.text for element in root.iter(f"{SVG}text")} >= {"12  team-11", "not known"}
    assert 'fill="url(#stripes-wait)"' in drawn


def test_queues_that_are_alike_share_a_row_of_the_picture_whose_diagonal_is_halved() -> None:
    def verdict(one: int, high: int, other: int, low: int) -> str:
        return by_priority(one, high, other, low) if one == other else "can"

    drawn = heat_map(matrix(40, verdict))
    entries = ElementTree.fromstring(drawn).findall(f"{SVG}g")
    assert [entry.findtext(f"{SVG}title") for entry in entries] == [
        "team-00 … team-39 (40) preempts team-00 … team-39 (40): lower can, equal never, higher never; "
        "between two of the row: all can"
    ]
    boxes = "".join(path.get("d", "") for path in ElementTree.fromstring(drawn).findall(f"{SVG}path"))
    # The paper, six bars, and the legend, in which a striped box is drawn twice and another has two halves.
    assert boxes.count("M") == 1 + 6 + 6
