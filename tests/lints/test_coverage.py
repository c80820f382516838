"""TNL090 is shown one changed copy after another, of a page of coverage and of its source."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest

from tools.accounts import parse
from tools.lints.coverage import coverage
from tools.lints.known import KINDS
from tools.lints.quotes import seeds_folder

ROOT = Path(__file__).resolve().parents[2]
CHANGED = ("spec/coverage", "spec/findings", "spec/rules")
LINKED = ("obligation", "vector", "scenario", "validation", "effect", "manifest")
READ = ("refimpl", "proofs", "spec/readings.toml", "spec/vectors")
PAGE = "spec/coverage/kep-8522.md"
SOURCE = "kep-8522-time-based-same-priority-preemption.md"
KAI_PAGE = "spec/coverage/kai-minruntime-plugin.md"
RENDERED = "kai-minruntime-plugin-rendered.txt"
NEEDS_SOURCES = pytest.mark.skipif(
    not seeds_folder(ROOT).is_dir(), reason="the sources are not beside the repository"
)


@cache
def linked_names(kind: str) -> set[str]:
    """The names of a kind that is in linked folders alone: they are the same in every tree."""
    return KINDS[kind](ROOT)


@pytest.fixture(autouse=True)
def _linked_names_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    once = {kind: lambda _, kind=kind: linked_names(kind) for kind in LINKED}
    monkeypatch.setattr("tools.lints.coverage.KINDS", {**KINDS, **once})


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What TNL090 reads: copies of what tests change, with the sources where there are any, and links."""
    root = tmp_path / "repository"
    for part in CHANGED:
        shutil.copytree(ROOT / part, root / part)
    for part in READ:
        (root / part).symlink_to(ROOT / part)
    if seeds_folder(ROOT).is_dir():
        shutil.copytree(seeds_folder(ROOT), seeds_folder(root))
    return root


def messages(root: Path) -> list[str]:
    return [problem.message for problem in coverage(root)]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} no longer holds {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_copy_is_clean(tree: Path) -> None:
    assert messages(tree) == []


def test_without_its_sources_the_rest_is_checked(tree: Path) -> None:
    shutil.rmtree(seeds_folder(tree), ignore_errors=True)
    edit(tree / PAGE, "rule TBP-020; obligation PO-TBP-020", "rule TBP-025; obligation PO-TBP-020")
    assert messages(tree) == ["8522-098: names rule TBP-025, which does not exist"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("finding F-027", "finding F-999", "names finding F-999, which does not exist"),
        ("reading newer_than", "reading mood", "names reading mood, which does not exist"),
        ("obligation PO-TBP-120", "obligation PO-TBP-125", "names obligation PO-TBP-125"),
        ("vector KQ-040/one", "vector KQ-040/won", "names vector KQ-040/won-priority-above"),
        ("scenario tbp-the-third", "scenario tbp-the-fourth", "names scenario tbp-the-fourth-of-three"),
        ("effect labels", "effect smell", "names effect smell, which does not exist"),
        ("config FieldValueInvalid", "config FieldValueWrong", "time_based_config FieldValueWrong, which"),
        ("manifest schema.With", "manifest schema.Without", "schema.WithoutinClusterQueueConfig, which"),
        ("rule KQ-030", "law KQ-030", "'law' is no kind of account; there are rule, finding, reading"),
        ("process: a date", "process: ", "process needs a reason"),
        ("8522-098 `", "8522-098 `0", "8522-098: the hash is 0"),
    ],
)
def test_what_a_page_says_is_checked(tree: Path, old: str, new: str, words: str) -> None:
    edit(tree / PAGE, old, new)
    found = messages(tree)
    assert any(words in message for message in found), found


@pytest.mark.parametrize(
    ("identifier", "word"),
    [("8522-086", "must"), ("8522-098", "should"), ("8522-077", "can"), ("8522-079", ">")],
)
def test_a_normative_sentence_is_not_put_aside(tree: Path, identifier: str, word: str) -> None:
    page = tree / PAGE
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if line.startswith(identifier))
    lines[number] = " ".join(lines[number].split()[:2]) + " not normative: it was inconvenient\n"
    while lines[number + 1].strip():
        del lines[number + 1]
    page.write_text("".join(lines), encoding="utf-8")
    wanted = f'{identifier}: says "{word}", and so is normative: name its rule, error, effect or finding'
    assert wanted in messages(tree)


def test_an_edited_sentence_is_noticed_without_the_source(tree: Path) -> None:
    shutil.rmtree(seeds_folder(tree), ignore_errors=True)
    edit(tree / PAGE, "> `minAdmitDuration` must be at least 1 minute.", "> `minAdmitDuration` is 1 minute.")
    (message,) = messages(tree)
    assert message.startswith("8522-086: the hash is ")
    assert message.endswith("one of them was changed")


def test_a_page_of_excerpts_is_checked_without_its_source(tree: Path) -> None:
    page = "spec/coverage/kep-13396.md"
    edit(tree / page, "rule PCF-010\n", "rule PCF-011\n")
    assert [message.partition(": ")[2] for message in messages(tree)] == [
        "names rule PCF-011, which does not exist"
    ]


@NEEDS_SOURCES
def test_an_edited_sentence_is_named_with_the_one_of_the_source(tree: Path) -> None:
    edit(tree / PAGE, "> `minAdmitDuration` must be at least 1 minute.", "> `minAdmitDuration` is 1 minute.")
    found = messages(tree)
    assert any('8522-086: "`minAdmitDuration` is 1 minute." is not in' in name for name in found)
    assert any(
        '"`minAdmitDuration` must be at least 1 minute." is not accounted for' in name for name in found
    )


@NEEDS_SOURCES
def test_an_entry_that_is_removed_is_named(tree: Path) -> None:
    text = (tree / PAGE).read_text(encoding="utf-8")
    page = parse(PAGE, text)
    (tree / PAGE).write_text(text.replace(text[text.index("8522-086 ") : text.index("8522-087 ")], ""))
    assert len(page.entries) == 133
    message, counted = messages(tree)
    assert "has 132 sentences and 133 lines" in counted
    assert '"`minAdmitDuration` must be at least 1 minute." is not accounted for in this place' in message
    assert message.startswith(f"{SOURCE}:")


@NEEDS_SOURCES
def test_an_entry_in_another_place_is_named(tree: Path) -> None:
    text = (tree / PAGE).read_text(encoding="utf-8")
    first, second, third = (text.index(f"8522-{number} ") for number in ("083", "084", "085"))
    (tree / PAGE).write_text(text[:first] + text[second:third] + text[first:second] + text[third:])
    assert any("8522-08" in message and "in this place" in message for message in messages(tree))


@NEEDS_SOURCES
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("must be at least 1 minute", "must be at least 2 minutes", "8522-086: "),
        ("### Webhook Validation\n", "### Webhooks\n", "the headings are not those of"),
        (
            "### Webhook Validation\n\n",
            "### Webhook Validation\n\nIt must also be a duration.\n\n",
            "be a duration.",
        ),
        ("- Feature gate removed\n", "", '8522-115: "Feature gate removed" is not in'),
    ],
)
def test_a_change_of_the_source_is_named(tree: Path, old: str, new: str, words: str) -> None:
    edit(seeds_folder(tree) / SOURCE, old, new)
    assert any(words in message for message in messages(tree))


@NEEDS_SOURCES
def test_another_source_is_reported(tree: Path) -> None:
    edit(tree / PAGE, SOURCE, "kep-1.md")
    assert "accounts for kep-1.md, which is none of the sources" in messages(tree)


def test_a_rule_a_reading_and_a_finding_that_nothing_names_are_reported(tree: Path) -> None:
    text = (tree / PAGE).read_text(encoding="utf-8")
    changed = (
        text.replace("TBP-070; ", "KQ-310; ").replace("reading newer_than; ", "").replace("F-027", "F-024")
    )
    (tree / PAGE).write_text(changed, encoding="utf-8")
    assert sorted(messages(tree)) == [
        "finding F-027 is named by no sentence of its source",
        "reading newer_than is named by no sentence of its source",
        "rule TBP-070 is named by no sentence of its source",
    ]


def test_a_page_that_is_gone_is_reported(tree: Path) -> None:
    (tree / "spec/coverage/kep-754.md").unlink()
    assert "no page accounts for KEP-754, which the rules DYN-… are from" in messages(tree)


@NEEDS_SOURCES
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("walking up the queue hierarchy", "walking down the queue hierarchy", "parts from kai-minruntime"),
        (
            "of each scheduling session.",
            "of each scheduling session. Or not.",
            "goes on where kai-minruntime",
        ),
    ],
)
def test_two_forms_of_a_source_say_the_same(tree: Path, old: str, new: str, words: str) -> None:
    edit(seeds_folder(tree) / RENDERED, old, new)
    assert any(f"{RENDERED} {words}" in message for message in messages(tree))


@NEEDS_SOURCES
def test_a_second_form_that_is_gone_is_reported(tree: Path) -> None:
    edit(tree / KAI_PAGE, RENDERED, "kai.txt")
    assert "accounts for kai.txt too, which is none of the sources" in messages(tree)


def test_an_identifier_that_is_issued_twice_is_reported(tree: Path) -> None:
    edit(tree / PAGE, "8522-087 ", "8522-086 ")
    assert "8522-086 is issued 2 times: give one of them the next free number" in messages(tree)


@NEEDS_SOURCES
def test_a_line_that_a_sentence_is_not_on_is_named(tree: Path) -> None:
    edit(tree / "spec/coverage/kep-754.md", "  28, 29, 31,", "  28, 29, 32,")
    assert messages(tree) == ["754-003 is on line 31 of kep-754-time-dependent-priority.md, not on 32"]
