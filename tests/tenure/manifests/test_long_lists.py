"""Long Lists, read item by item: what comes out is what the whole parser reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tenure.errors import InputError, Problem
from tenure.manifests import read_objects
from tenure.manifests.json_text import iterate_list
from tenure.manifests.yaml_events import parse_events
from tenure.manifests.yaml_text import iterate_yaml_list

FOOT = 'kind: List\nmetadata:\n  resourceVersion: ""\n'
Read = tuple[list[object], list[Problem]]


def by_item(text: str) -> Read | None:
    """The items as they are read one by one, and what is wrong."""
    problems: list[Problem] = []
    found = iterate_yaml_list(text, "a.yaml", problems)
    return None if found is None else ([item for _, item in found], problems)


def whole(text: str) -> Read:
    """The items of the whole document, and what is wrong."""
    documents, problems = parse_events(text, "a.yaml")
    content: Any = documents[0].content if documents else {}
    return content.get("items") or [], problems


@pytest.mark.parametrize(
    "item",
    [
        "a: 1\n  b: x y\n  c: 'it''s'\n  d: \"say \\\"x\\\"\"",
        "e: {}\n  f: []\n  g:\n  h: 2026-01-01T00:00:00Z",
        "a:\n  - b: 1\n    c:\n      d: 2\n  - 3\n  - -4\n  - http://x:1\n  e: true",
        "a:\n    - 1\n    - 2\n  b: 0.50",
        "a: |\n    text\n    - more: x\n  b: 1",
        "a: first\n    second: x",
        "a: first\n    second",
        'a: "one\n    two"\n  b: 3',
        "a: [1, 2]\n  b: {c: d}",
        "a: &x {b: 1}\n  c: *x",
        "a: 1 # remark\n  # remark\n  b: 2",
        "a: 1\n\n  b: 2",
        "a: b: c",
        "? a\n  : 1",
        "a: 1\n  a: 2",
        "a: \\t",
        "a:\n b: 1",
        "a: !!str 3",
        "- a\n  - b",
        "just text",
        "a: ~\n  <<: {b: 1}",
        "a: ''\n  b: \"\"\n  c: '\n",
        "k:{a}: 1\n  f:a: 2",
    ],
)
def test_an_item_is_read_as_the_whole_parser_reads_it(item: str) -> None:
    for around in ("{}", "- {}\n- {}", "- z: 1\n{}\n- y: 2"):
        text = f"apiVersion: v1\nitems:\n{around.replace('{}', '- ' + item)}\n{FOOT}"
        expected, wrong = whole(text)
        found = by_item(text)
        assert found is not None
        assert [str(problem) for problem in found[1]] == [str(problem) for problem in wrong]
        if not wrong:
            assert found[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "items:\n- a: 1\n",
        "items:\n- a: 1\nkind: Queue\n",
        "items:\n- a: 1\n---\nkind: List\n",
        "items:\n- a: 1\nkind: List\n---\nkind: Other\n",
        "items:\n- a: 1\nkind: List\nitems: []\n",
        "items:\n- a: 1\nkind: List\nkind: List\n",
        "items: []\nkind: List\n",
        "spec: 3\n",
        "",
    ],
)
def test_what_is_no_long_list_is_left_to_the_whole_parser(text: str) -> None:
    assert by_item(text) is None


def test_an_alias_of_an_item_before_is_read_with_the_whole_list() -> None:
    text = "items:\n- a: &x 1\n- b: 2\n- c: *x\n- d: 4\nkind: List\n"
    assert by_item(text) == ([{"a": 1}, {"b": 2}, {"c": 1}, {"d": 4}], [])


def test_a_fault_is_told_with_its_line_in_the_file() -> None:
    found = by_item("items:\n- a: 1\n- b: 2\n  b: 3\nkind: List\n")
    assert found is not None
    assert [str(problem) for problem in found[1]] == [
        "a.yaml: items[1].b: found the key 'b' a second time, in line 4, expected each key once"
    ]


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=12)
    | st.sampled_from(["a: b", "it's", "x #y", "7"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc/.-:1", min_size=1), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["metadata", "spec", "a.b/c"]), PLAIN), min_size=1, max_size=4)
)
def test_whatever_is_dumped_is_read_back(items: list[dict[str, Any]]) -> None:
    text = f"items:\n{yaml.safe_dump(items, default_flow_style=False)}{FOOT}"
    expected, wrong = whole(text)
    assert by_item(text) == (expected, wrong)


FRAGMENTS = [
    "- ",
    "  ",
    "    ",
    "a: ",
    "b:",
    "c: 1",
    "x",
    "'",
    '"',
    "|",
    "# ",
    "{}",
    "[",
    "\\",
    "- -",
    "-",
    ":",
    "é",
]


@given(st.lists(st.lists(st.sampled_from(FRAGMENTS), max_size=5).map("".join), max_size=7))
def test_any_text_is_read_like_the_whole_or_refused_like_it(lines: list[str]) -> None:
    text = "\n".join(["items:", "- a: 1", *lines, "kind: List", ""])
    found = by_item(text)
    documents, wrong = parse_events(text, "a.yaml")
    content: Any = documents[0].content if documents else None
    if found is None or (not wrong and not isinstance(content, dict)):
        return
    assert [str(problem) for problem in found[1]] == [str(problem) for problem in wrong]
    if not wrong:
        assert found[0] == content["items"]


def items_of(text: str) -> list[object] | None:
    """The items of a List in JSON; no problems."""
    problems: list[Problem] = []
    found = iterate_list(text, "a.json", problems)
    items = None if found is None else [item for _, item in found]
    assert problems == []
    return items


@given(st.lists(st.dictionaries(st.text(max_size=5), PLAIN, max_size=3), max_size=4), st.booleans())
def test_a_list_in_json_is_read_like_the_whole(items: list[Any], first: bool) -> None:
    around = {"kind": "List", "apiVersion": "v1", "metadata": {"a": "items"}}
    fields = {**around, "items": items} if first else {"items": items, **around}
    for indent in (None, 4):
        found = items_of(json.dumps(fields, indent=indent))
        assert found is None or found == items
    # kubectl's own order never needs the whole.
    assert items_of(json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4)) == items


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"items": 3, "kind": "List"}',
        '{"items": [], "kind": "Queue"}',
        '{"items": {"a": [1]}, "kind": "List"}',
        '[{"items": [], "kind": "List"}]',
        '{"kind": "L',
    ],
)
def test_json_that_is_no_list_is_left_to_the_whole_parser(text: str) -> None:
    assert items_of(text) is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            '{"items": [{"a": 1,\n}], "kind": "List"}',
            "found a syntax error (illegal trailing comma before end of object) in line 1",
        ),
        (
            '{"items": [{} {}], "kind": "List"}',
            "found a syntax error (expecting ',' or ']') in line 1, expected JSON",
        ),
        (
            '{"items": [{"a": 1, "a": 2}], "kind": "List"}',
            "a: found the key 'a' a second time, expected each key once",
        ),
        (
            '{"items": [], "kind": "List", "kind": "List"}',
            "kind: found the key 'kind' a second time, expected each key once",
        ),
        (
            '{"items": [' + "[" * 200_000 + '], "kind": "List"}',
            "found deeper nesting, expected at most 200 levels",
        ),
    ],
)
def test_what_is_wrong_with_a_list_in_json(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_objects([path])
    assert str(caught.value.problems[0]).removeprefix(f"{path}: ").startswith(error)


def test_an_empty_list_in_json_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"apiVersion": "v1", "items": [], "kind": "List"}', encoding="utf-8")
    assert read_objects([path]) == ()
