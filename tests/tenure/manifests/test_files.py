"""Files, folders and standard input: what is read, and what is wrong with it in words."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tenure.errors import InputError, Problem
from tenure.manifests import SourcedObject, read_objects
from tenure.manifests.files import iterate_objects
from tenure.manifests.json_text import parse_json
from tenure.manifests.showing import NumberText
from tenure.manifests.yaml_text import parse_yaml

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files below the working directory, so that messages hold short names."""
    monkeypatch.chdir(tmp_path)

    def written(name: str, text: str) -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def content(text: str) -> Any:
    documents, problems = parse_yaml(text, "a.yaml")
    assert problems == []
    assert len(documents) == 1
    return documents[0].content


def errors(*paths: str | Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_objects(paths)
    return [str(problem) for problem in caught.value.problems]


def yaml_errors(text: str) -> list[str]:
    return [str(problem) for problem in parse_yaml(text, "a.yaml")[1]]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("a: 2026-01-01", "2026-01-01"),
        ("a: !!timestamp 2026-01-01", "2026-01-01"),
        ("a: 1:30", "1:30"),
        ("a: 12e03", "12e03"),
        ("a: 0.50", "0.50"),
        ("a: .5", ".5"),
        ("a: .nan", ".nan"),
        ("a: 08", "08"),
        ("a: !!float 1", 1),
        ("a: 010", 8),
        ("a: 0x1F", 31),
        ("a: -0b11", -3),
        ("a: 1_000", 1000),
        ("a: 0", 0),
        ("a: 0x_", "0x_"),
        ("a: yes", True),
        ("a: Off", False),
        ("a: y", "y"),
        ("a:", None),
        ("a: ~", None),
        ("a: ''", ""),
        ("a: '7'", "7"),
        ("a: !!str 7", "7"),
        ("a: |\n  7\n", "7\n"),
        ("a: +", "+"),
    ],
)
def test_plain_values(text: str, value: object) -> None:
    found = content(text)["a"]
    assert found == value
    assert type(found) in (type(value), NumberText)


def test_numbers_keep_their_digits_and_show_without_quotes() -> None:
    assert repr(content("a: 0.50")["a"]) == "0.50"
    assert repr(content("a: " + "9" * 5000)["a"]) == "9" * 38 + "..." + "9" * 38
    assert repr(parse_json('{"a": 0.50}', "a.json")[0][0].content) == "{'a': 0.50}"


def test_keys_are_the_text_that_was_written() -> None:
    assert content("1: a\nyes: b\n~: c\n2026-01-01: d") == {"1": "a", "yes": "b", "~": "c", "2026-01-01": "d"}


def test_aliases_and_merge_keys() -> None:
    text = "base: &base {a: 1, b: 2}\none: {<<: *base, b: 3}\ntwo: {<<: [{a: 4}, *base], c: 5}\nsame: *base"
    found = content(text)
    assert found["one"] == {"a": 1, "b": 3}
    assert found["two"] == {"a": 4, "b": 2, "c": 5}
    assert found["same"] == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "a: 1\nb: {c: [{d: 1, d: 2}]}",
            "b.c[0].d: found the key 'd' a second time, in line 2, expected each key once",
        ),
        ("a: &a [*a]", "found the alias *a in line 1, expected an alias of a value before it"),
        ("a: *b", "found the alias *b in line 1, expected an alias of a value before it"),
        ("a: &a 1\n---\nb: *a", "found the alias *a in line 3, expected an alias of a value before it"),
        ("a: &a b\n*a : 1", "found the alias *a in line 2, expected an alias of a value before it"),
        ("<<: 3", "found the merge key << in line 1, expected a map, or a list of maps, to merge"),
        ("{[a]: 1}", "found a map or list as key in line 1, expected keys that are plain text"),
        (
            "a: !!binary aGk=",
            "found the tag tag:yaml.org,2002:binary in line 1, expected values without a tag",
        ),
        ("!!set {a}", "found the tag tag:yaml.org,2002:set in line 1, expected values without a tag"),
        (
            "a: b: c",
            "found a syntax error (mapping values are not allowed in this context) in line 1, expected YAML",
        ),
        ("a: \x00", "found a syntax error (control characters are not allowed), expected YAML"),
        ("[" * 200_000, "found deeper nesting in line 1, expected at most 200 levels of nesting"),
        ("- " * 200_000 + "1", "found deeper nesting in line 1, expected at most 200 levels of nesting"),
    ],
)
def test_what_is_wrong_with_yaml(text: str, error: str) -> None:
    assert yaml_errors(text) == [f"a.yaml: {error}"]


def test_every_repeated_key_is_reported() -> None:
    assert len(yaml_errors("a: 1\na: 2\na: 3\n---\nb: {c: 1, c: 2}")) == 3


def test_aliases_may_not_multiply() -> None:
    layers = ["a0: &a0 [1, 1, 1]"]
    layers += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    assert yaml_errors("\n".join(layers)) == [
        "a.yaml: found aliases of aliases in line 7, expected at most 1000000 values through aliases"
    ]


def test_documents_before_a_syntax_error_are_kept() -> None:
    documents, problems = parse_yaml("a: 1\n---\nb: [", "a.yaml")
    assert [document.content for document in documents] == [{"a": 1}]
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"a": 1, "a": 2}', "a: found the key 'a' a second time, expected each key once"),
        (
            "[{}, [2,\n ]]",
            "found a syntax error (illegal trailing comma before end of array) in line 1, expected JSON",
        ),
        ('{"a": 1 "b"}', "found a syntax error (expecting ',' delimiter) in line 1, expected JSON"),
        ("[1,}", "found a syntax error (expecting value) in line 1, expected JSON"),
        ("\n]", "found a syntax error (expecting value) in line 2, expected JSON"),
        ("", "found a syntax error (expecting value) in line 1, expected JSON"),
        ("[" * 200_000, "found deeper nesting, expected at most 200 levels of nesting"),
    ],
)
def test_what_is_wrong_with_json(text: str, error: str) -> None:
    problems = parse_json(text, "a.json")[1]
    assert len(problems) == 1
    assert str(problems[0]).startswith("a.json: ")
    assert str(problems[0]).endswith(error)


def test_a_list_is_read_item_by_item(write: Write) -> None:
    inner = {"kind": "List", "apiVersion": "v1", "items": [{"kind": "B"}]}
    path = write("a.json", json.dumps({"kind": "List", "items": [{"kind": "A"}, inner, {"kind": "C"}]}))
    assert [sourced.object["kind"] for sourced in read_objects([path])] == ["A", "B", "C"]


def test_items_of_a_typed_list_inherit_kind_and_version(write: Write) -> None:
    path = write(
        "a.yaml", "kind: WorkloadList\napiVersion: x/v1\nitems:\n- metadata: {name: a}\n- {kind: Other}\n"
    )
    assert [sourced.object for sourced in read_objects([path])] == [
        {"apiVersion": "x/v1", "kind": "Workload", "metadata": {"name": "a"}},
        {"apiVersion": "x/v1", "kind": "Other"},
    ]


def test_a_kind_that_merely_ends_like_a_list(write: Write) -> None:
    assert read_objects([write("a.yaml", "kind: AllowList\nspec: {}")])[0].object["kind"] == "AllowList"


def test_a_link_in_a_folder_does_not_lead_out_of_it(tmp_path: Path) -> None:
    folder, secret = tmp_path / "cluster", tmp_path / "secret"
    folder.mkdir()
    secret.write_text("hunter2\n", encoding="utf-8")
    (folder / "a.yaml").symlink_to(secret)
    (folder / "b.yaml").write_text("kind: Cohort\n", encoding="utf-8")
    (folder / "c.yaml").symlink_to("b.yaml")
    problems: list[Problem] = []
    found = list(iterate_objects([folder], problems))
    assert [Path(sourced.file).name for sourced in found] == ["b.yaml", "c.yaml"]
    assert [Path(problem.file).name for problem in problems] == ["a.yaml"]
    assert "hunter2" not in str(problems)


def test_what_is_no_object(write: Write) -> None:
    first = "kind: List\nitems: [3, {kind: A}, null]\n---\njust text\n"
    path = write("a.yaml", f"{first}---\nkind: List\n---\nkind: List\nitems: {{}}\n")
    assert errors(path) == [
        "a.yaml: items[0]: found a number in the document of line 1, expected a Kubernetes object (a map)",
        "a.yaml: items[2]: found nothing in the document of line 1, expected a Kubernetes object (a map)",
        "a.yaml: found text in the document of line 3, expected a Kubernetes object (a map)",
        "a.yaml: items: found nothing, expected a list of Kubernetes objects",
        "a.yaml: items: found a map, expected a list of Kubernetes objects",
    ]


def test_an_empty_list_is_a_document(write: Write) -> None:
    assert (
        read_objects([write("a.yaml", "kind: List\nitems: []"), write("b.yaml", "kind: List\nitems:")]) == ()
    )


def test_a_folder_is_read_in_the_order_of_names(write: Write) -> None:
    write("all/b.yaml", "kind: B1\n---\n---\nkind: B2\n")
    write("all/a/z.yml", "\ufeffkind: A")
    write("all/c.json", '{"kind": "C"}')
    write("all/notes.md", "# no manifest")
    write("all/empty.yaml", "# only a remark\n")
    assert [(sourced.file, sourced.object["kind"]) for sourced in read_objects(["all"])] == [
        ("all/a/z.yml", "A"),
        ("all/b.yaml", "B1"),
        ("all/b.yaml", "B2"),
        ("all/c.json", "C"),
    ]


def test_everything_that_cannot_be_read_is_named(write: Write) -> None:
    write("one/notes.md", "")
    write("two/remark.yaml", "# only a remark\n")
    write("three/bad.yaml", "kind: [")
    Path("three/latin.yaml").write_bytes(b"kind: A\nname: caf\xe9\n")
    assert errors("one", "two", "three", "absent.yaml", "\x00") == [
        "one: found no file named *.yaml, *.yml or *.json, expected at least one Kubernetes object",
        "two: found no document, expected at least one Kubernetes object",
        "three/bad.yaml: found a syntax error (did not find expected node content) in line 2, expected YAML",
        "three/latin.yaml: found byte 0xe9 in line 2, expected text in UTF-8",
        "absent.yaml: found no such file or folder, expected a file or folder to read",
        "\\x00: found a null character in the path, expected a file or folder to read",
    ]


TEMPLATE = "kind: ClusterQueue\nmetadata:\n  name: {{ .Values.name }}\n"
OTHERS: dict[str, tuple[str, str]] = {
    "template.yaml": (TEMPLATE, "1 Helm template"),
    "values.yaml": ("name: batch\nreplicas: 2\n", "1 of another tool"),
    "Chart.yaml": ("apiVersion: v2\nname: queues\nversion: 0.1.0\n", "1 of another tool"),
    "kustomization.yaml": ("resources:\n- queue.yaml\n", "1 of another tool"),
    "patch.yaml": ("- {op: replace, path: /spec/cohortName, value: a}\n", "1 JSON patch"),
    "patch.json": ('[{"op": "remove", "path": "/spec/cohortName"}]', "1 JSON patch"),
    "hooks.yaml": ("- repo: local\n", "1 of another tool"),
    "tags.yaml": ("a: [\n", "1 that cannot be parsed"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_without_an_object_is_passed_over_in_a_folder(name: str, write: Write) -> None:
    write("all/a.yaml", "kind: A\n")
    text, sort = OTHERS[name]
    write(f"all/{name}", text)
    (found,) = read_objects(["all"])
    assert (found.file, found.object) == ("all/a.yaml", {"kind": "A"})
    note = f"all: passed over 1 file without a Kubernetes object: {sort} (all/{name})"
    assert found.note == note
    # A file that is named itself is meant as a manifest, and so is one of a folder without any.
    assert read_or_refused(f"all/{name}") == read_or_refused("alone", lambda: write(f"alone/{name}", text))


def read_or_refused(path: str, prepared: Callable[[], object] = lambda: None) -> list[str]:
    """What is read, or is wrong; whatever folder it is in."""
    prepared()
    try:
        return [str(found.object) for found in read_objects([path])]
    except InputError as error:
        return [str(problem).partition(": ")[2] for problem in error.problems]


def test_a_template_is_called_one(write: Write) -> None:
    assert errors(write("template.yaml", TEMPLATE)) == [
        "template.yaml: found a template in line 3, expected YAML; "
        "render it first: helm template CHART | tenure validate -"
    ]
    write("my charts/queues/Chart.yaml", "name: queues\n")
    template = write("my charts/queues/templates/q.yaml", TEMPLATE)
    assert errors(template)[0].endswith("helm template 'my charts/queues' | tenure validate -")


def test_a_template_of_queues_is_named_with_what_to_do(write: Write) -> None:
    write("all/a.yaml", "kind: A\n")
    write("all/values.yaml", "a: 1\n")
    write("all/queue.yaml", f"apiVersion: kueue.x-k8s.io/v1beta2\n{TEMPLATE}")
    (found,) = read_objects(["all"])
    assert found.note == (
        "all: passed over 2 files without a Kubernetes object: 1 Helm template, 1 of another tool; "
        "templates of queues or workloads are not looked at (all/queue.yaml); "
        "render it first: helm template CHART | tenure validate -"
    )


@pytest.mark.parametrize("head", ["", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"])
def test_an_overlay_is_named_with_the_command_that_renders_it(head: str, write: Write) -> None:
    write("all/base/q.yaml", "kind: A\n")
    write("all/base/kustomization.yaml", f"{head}resources: [q.yaml]\n")
    (*_, found) = read_objects(["all"])
    assert "kubectl" not in found.note
    write("all/prod/kustomization.yaml", f"{head}resources: [../base]\npatches: [path: p.yaml]\n")
    write("all/test/kustomization.yaml", f"{head}resources: [../base]\nnamePrefix: a-\n")
    (*_, found) = read_objects(["all"])
    assert found.note.endswith(
        "all/prod, all/test: kustomizations with patches or other changes, which are not applied here; "
        "render first: kubectl kustomize all/prod | tenure validate -"
    )


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything"
)
def test_a_file_without_permission(write: Write) -> None:
    write("a.yaml", "kind: A").chmod(0)
    assert errors("a.yaml") == ["a.yaml: found permission denied, expected a file or folder to read"]


@pytest.mark.parametrize(
    "text", ["kind: A\n", '{"kind": "A"}', '{"kind": "A"} # YAML\n', '\n {"kind":\n\t"A"}']
)
def test_standard_input_may_be_yaml_or_json(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="ascii"))
    assert read_objects(["-"]) == (SourcedObject("stdin", {"kind": "A"}),)


def test_empty_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert errors("-") == ["stdin: found no document, expected at least one Kubernetes object"]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_reads_what_was_written_as_json(value: Any) -> None:
    documents, problems = parse_json(json.dumps(value), "a.json")
    assert (documents[0].content, problems) == (value, [])


@given(st.dictionaries(st.text(alphabet="ab1.~ ", min_size=1), PLAIN, max_size=4))
def test_reads_what_was_written_as_yaml(value: Any) -> None:
    text = yaml.safe_dump(value, allow_unicode=False)
    documents, problems = parse_yaml(text, "a.yaml")
    assert (documents[0].content, problems) == (value, [])


@given(st.text(alphabet="ab:-[]{},&*!|>'\"#\n \t?<~%@0.", max_size=60))
def test_any_text_is_read_or_named_as_wrong(text: str) -> None:
    documents, problems = parse_yaml(text, "a.yaml")
    assert documents or problems or not text.strip(" \t\n") or "#" in text or "%" in text
