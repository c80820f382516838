"""YAML read line by line: what comes out is what the whole parser reads, and PyYAML may be absent."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from tenure.manifests.showing import NumberText
from tenure.manifests.yaml_events import parse_events
from tenure.manifests.yaml_text import PlainReader, plain_documents
from tests.command_line import run_program
from tests.tenure.manifests.test_long_lists import FRAGMENTS, PLAIN

REPOSITORY = Path(__file__).parents[3]
LINES = st.lists(
    st.lists(st.sampled_from([*FRAGMENTS, "---", " #", "...", "~"]), max_size=5).map("".join), max_size=9
)


def agrees(text: str) -> bool:
    """Whether the text is plain; then the whole parser reads the same documents, and finds nothing wrong."""
    found = plain_documents(text)
    if found is None:
        return False
    documents, problems = parse_events(text, "a.yaml")
    assert (found, []) == ([(document.content, document.line) for document in documents], problems)
    return True


@given(LINES.map("\n".join))
@example("# remark\n\n---\na: 1\n---\n---\nb:\n# remark\n  c:\n  - d\n")
@example("a: 1\n- b")
@example("a:\n- b\nc: 1\n- d")
@example("  a: 1\n  b: 2\nc: 3")
@example("- a\n- b: 1\n  c: 2\n- - d")
@example("a: 1\n...\nb: 2")
def test_whatever_is_read_is_what_the_whole_parser_reads(text: str) -> None:
    agrees(text)


@given(LINES.map("\n".join))
@example("a: 1\nb:\n- c: 1\n  d: {}\n- e\nf:")
@example("- a:\n    b: 1")
@example("a: []\nb: 1")
def test_documents_alike_are_read_like_the_whole(text: str) -> None:
    # From the third on it is known where each value goes.
    agrees("\n---\n".join([text, text, text.replace("1", "2"), text]))


def test_items_alike_share_no_map_or_list() -> None:
    reader = PlainReader()
    items = [reader.read(["- a: {}", "  b:", "  - c: 1"])[0] for _ in range(4)]
    for item in items:
        assert item == {"a": {}, "b": [{"c": 1}]}
        item["a"]["d"] = item["b"][0]["c"] = 2
        item["b"].append(3)


@given(st.dictionaries(st.sampled_from(["metadata", "spec", "a.b/c"]), PLAIN, min_size=1))
def test_what_is_dumped_is_read_like_the_whole(content: dict[str, object]) -> None:
    agrees(yaml.safe_dump(content, default_flow_style=False))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "---\n---\n",
        "a: 1\n---\n",
        "# remark\n\na:\n# remark\n- b\n\n-  c\nd: 2\n",
        "a:\n    b: 1\nc: {}\nd:\n- []\n-   x\n",
        "a:\nb:\n",
        "- a:\n  - b\n  c:\n      d: e\n- f\n",
    ],
)
def test_plain_documents_are_read_without_the_whole_parser(text: str) -> None:
    assert agrees(text) == ("-  " not in text)


@pytest.mark.parametrize("value", ["{}", "[]"])
def test_each_empty_map_or_list_is_its_own(value: str) -> None:
    found = plain_documents(f"a:\n  x: {value}\nb:\n  x: {value}\n")
    assert found is not None
    content = found[0][0]
    assert isinstance(content, dict)
    assert content["a"]["x"] is not content["b"]["x"]


def test_deep_nesting_and_long_texts_are_left_to_the_bounds_of_the_whole_parser() -> None:
    deep = "\n".join(f"{' ' * level}a:" for level in range(150))
    assert plain_documents(deep) is None
    assert plain_documents("a: 1\n" + "- b\n" * 200_000) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, True) for word in ("yes", "on", "true", "True", "ON")),
        *((word, False) for word in ("no", "No", "off", "false", "FALSE")),
        *((word, None) for word in ("~", "null", "Null", "NULL")),
        *(
            (word, 511)
            for word in ("0777", "0o777", "0O777", "0_777", "+0777", "0x1FF", "0X1_FF", "511", "5_11")
        ),
        *((word, -3) for word in ("-3", "-0b11", "-0B11", "-03", "-0o3", "-0x3")),
        ("00", 0),
        *((word, word) for word in ("0o8", "0b2", "0x", "0o", "190:20:30", "2026-01-02", "=", "nO", "yEs")),
        *((word, NumberText(word)) for word in ("1e3", "1.10", "1.", "-.5", "+.5", "08", "1e+3", "1_0.5")),
    ],
)
def test_scalars_are_what_kubectl_reads(text: str, value: object) -> None:
    """As sigs.k8s.io/yaml 1.6.0 reads them, with the digits of fractions kept."""
    found = plain_documents(f"a: {text}\n")
    documents, _ = parse_events(f"a: {text}\n", "a.yaml")
    contents = [documents[0].content] if found is None else [documents[0].content, found[0][0]]
    for content in contents:
        assert isinstance(content, dict)
        assert (content["a"], type(content["a"])) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("a: 'it''s one\n  two'\nb: 3\n", {"a": "it's one two", "b": 3}),
        ('- a: "one: # two\n    \\"three\\""\n', [{"a": 'one: # two "three"'}]),
        ("a: one\n  two\n  three\nb: 3\n", {"a": "one two three", "b": 3}),
        ("a: |\n  {x: 1}\n   y\nb: 1\n", {"a": "{x: 1}\n y\n", "b": 1}),
        ("- a: |-\n    x\n  b: 2\n", [{"a": "x", "b": 2}]),
        ('k:{"a":"b"}:\n  .: {}\n  f:x:y: 3\n', {'k:{"a":"b"}': {".": {}, "f:x:y": 3}}),
    ],
)
def test_text_over_several_lines_is_read_without_pyyaml(text: str, content: object) -> None:
    found, (documents, problems) = plain_documents(text), parse_events(text, "a.yaml")
    assert found == [(content, 1)]
    assert ([document.content for document in documents], problems) == ([content], [])


@pytest.mark.parametrize(
    "text",
    [
        "a: 'one\n\n  two'\n",
        "a: one\n\n  two\n",
        "a: one\n# three\n  two\n",
        "a: 'one\ntwo'\n",
        "a: 'one\n---\n  two'\n",
        'a: "one\\\n  two"\n',
        "a: 'b' c\n  d'\n",
        "a: {}\n  b\n",
        "a: |\n  x\n\n  y\n",
        "a: |\n    x\n  y\n",
        "a: |\n",
    ],
)
def test_other_text_over_several_lines_is_left_to_pyyaml(text: str) -> None:
    assert plain_documents(text) is None


def test_recorded_examples_need_no_pyyaml() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (REPOSITORY / "examples").glob("*/*.yaml")]
    recorded = [text for text in texts if text.startswith("# Recorded")]
    assert len(recorded) > 10
    for text in recorded:
        documents, _ = parse_events(text, "a.yaml")
        assert plain_documents(text) == [(document.content, document.line) for document in documents]


WITHOUT = """
import sys
sys.modules["yaml"] = None
from tenure.manifests import read_objects
from tenure.errors import InputError
for path in sys.argv[1:]:
    try:
        print(len(read_objects([path])))
    except InputError as error:
        print(error)
"""


def test_dumps_are_read_where_pyyaml_is_not_installed(tmp_path: Path) -> None:
    dump, flow = tmp_path / "dump.yaml", tmp_path / "flow.yaml"
    dump.write_text("items:\n- kind: A\n- kind: B\nkind: List\n", encoding="utf-8")
    flow.write_text("metadata: {name: a}\n", encoding="utf-8")
    queues = REPOSITORY / "examples" / "two-teams" / "queues.yaml"
    done = run_program(sys.executable, "-c", WITHOUT, dump, queues, flow, check=True)
    assert done.stdout.splitlines() == [
        "2",
        "7",
        f"{flow}: found more of YAML than kubectl writes, or YAML that is wrong, "
        "expected one key or value a line, or PyYAML to be installed",
    ]
