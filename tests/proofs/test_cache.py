"""What is kept is what asking again would say; whatever a verdict depends on, a change of it asks again."""

from __future__ import annotations

import ast
import copy
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tenure.disk import UNFINISHED
from tenure.readings import preset, preset_names
from tenure.rules.time_based import is_time_expired
from tenure_proofs import fingerprints, kept
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.bounded.spaces import Size
from tenure_proofs.bounded.trial import Part
from tenure_proofs.bridge import LiftReport
from tenure_proofs.cache import FORM, MOST_BYTES, UNFINISHED_S, UNUSED_S, Cache, default_folder
from tenure_proofs.command import Plan, run_plan
from tenure_proofs.fingerprints import UnknownCodeError, digest, modules_behind
from tenure_proofs.kept import Kept, Keys
from tenure_proofs.mutants.hunt import Hunted, all_mutants
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Obligation, Verdict, everywhere
from tenure_proofs.report import FromCache, to_json
from tenure_proofs.runner import Result, run_beside, run_obligation, stated
from tenure_proofs.solvers import Cvc5
from tenure_proofs.trusted.claim import Claim
from tests.proofs.trees import ROOT

PROTECTED = OBLIGATIONS["PO-TBP-010"]


def key(
    obligation: Obligation = PROTECTED, preset: str = "guaranteed", *, both: bool = True, seeds: int = 1
) -> str:
    """The hash under which a verdict would be kept, by a process that has looked at nothing yet."""
    return Keys().of_verdict(obligation, preset, both, seeds)


def keeping(folder: Path) -> Plan:
    """One proof, one refutation with a story, one function, a few mutants."""
    asked = ("PO-TBP-010", "PO-KQ-190")
    return Plan(asked, ("as-written", "guaranteed"), examples=3, mutants=False, cache=folder)


def without_time(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what differs from run to run."""
    for item in report["obligations"]:
        for verdict in item["verdicts"].values():
            del verdict["seconds"]
    return {name: value for name, value in report.items() if name not in ("seconds", "kept")}


def test_what_is_kept_is_what_asking_again_says(tmp_path: Path) -> None:
    fresh, again = (run_plan(keeping(tmp_path)) for _ in range(2))
    assert fresh.kept == FromCache()
    assert again.kept == FromCache(len(fresh.lifted), len(fresh.results), 0)
    assert without_time(to_json(again)) == without_time(to_json(fresh))
    assert {result.verdict for result in again.results} == {Verdict.PROVED, Verdict.REFUTED}


def test_whole_decisions_depend_on_the_oracle_the_size_and_the_part() -> None:
    part = Part("one queue", Size.SMALL, 0, 2)
    other = (replace(part, family="trees"), replace(part, size=Size.DEEP), replace(part, number=1))
    assert len({Keys().of_part(changed) for changed in (part, *other, replace(part, of=3))}) == 5
    assert Keys().of_part(part) == Keys().of_part(replace(part))
    behind = modules_behind("tenure_proofs.bounded.trial")
    assert {"tenure.oracle.selection", "tenure.rules.reclaim", "tenure_proofs.bounded.policies"} <= set(
        behind
    )


def test_mutants_are_kept_too(tmp_path: Path) -> None:
    plan = Plan(("PO-KQ-190",), ("guaranteed",), with_cvc5=False, examples=1, cache=tmp_path)
    fresh, again = (run_plan(plan) for _ in range(2))
    assert again.kept.mutants == len(fresh.mutants) > 0
    assert again.mutants == fresh.mutants


def test_nothing_is_kept_where_no_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run_plan(replace(keeping(tmp_path), only=("PO-KQ-190",), cache=None))
    assert list(tmp_path.iterdir()) == []


def test_the_hash_is_the_same_in_every_process() -> None:
    assert key() == key()


def test_what_is_asked_is_part_of_the_hash() -> None:
    asked = [
        key(),
        key(preset="released"),
        key(seeds=2),
        key(both=False),
        key(replace(PROTECTED, budget=replace(PROTECTED.budget, cvc5=1))),
        key(replace(PROTECTED, expect=everywhere(Verdict.PROVED) | {"guaranteed": Verdict.REFUTED})),
        key(replace(PROTECTED, also={"guaranteed+wake=events": Verdict.PROVED})),
        key(replace(PROTECTED, id="PO-TBP-011")),
        key(replace(PROTECTED, rules=("TBP-020",))),
        key(replace(PROTECTED, irrespective_of={"TBP-020": "told for the story"})),
    ]
    assert len(set(asked)) == len(asked)


BEHIND = {"PO-TBP-010", "PO-UCQ-300", "PO-UCQ-060", "PO-KQ-240", "PO-TBP-300"}
"""Obligations that have premises, schemas, ancestors, folds and transitions behind them."""


def behind(obligation: Obligation) -> set[str]:
    """The modules that count for an obligation, the packages around them included."""
    modules = modules_behind(obligation.statement.__module__, *kept.ASKS, without=kept.REPLAYS)
    return {part for name in modules for part in fingerprints._path_to(name)}


@pytest.fixture
def otherwise(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Makes one module another than it is."""
    right = fingerprints._module

    def change(name: str) -> None:
        def wrong(text: str) -> fingerprints.Module:
            return right(text)._replace(digest="changed") if text == name else right(text)

        monkeypatch.setattr(fingerprints, "_module", wrong)
        kept._code.cache_clear()

    yield change
    kept._code.cache_clear()


@pytest.mark.parametrize("identifier", sorted(BEHIND))
def test_every_module_behind_a_verdict_is_part_of_its_hash(
    identifier: str, otherwise: Callable[[str], None]
) -> None:
    right = key(OBLIGATIONS[identifier])
    for name in sorted(behind(OBLIGATIONS[identifier])):
        otherwise(name)
        assert key(OBLIGATIONS[identifier]) != right, name
    otherwise("tenure.apps.cli.app")
    assert key(OBLIGATIONS[identifier]) == right


def test_what_statements_are_made_of_is_behind_them() -> None:
    found = set().union(*(behind(OBLIGATIONS[identifier]) for identifier in BEHIND))
    trusted = [path.stem for path in (ROOT / "proofs/tenure_proofs/trusted").glob("*.py")]
    rules = [path.stem for path in (ROOT / "refimpl/tenure/rules").glob("*.py")]
    assert {f"tenure_proofs.trusted.{name}" for name in trusted} - found <= {
        "tenure_proofs.trusted.__init__",
        "tenure_proofs.trusted.ast_lifter",
        "tenure_proofs.trusted.bits",
        "tenure_proofs.trusted.induction",
        "tenure_proofs.trusted.loops",
        "tenure_proofs.trusted.procedures",
    }
    assert {f"tenure.rules.{name}" for name in rules} - found == {"tenure.rules.__init__"}
    assert {"tenure_proofs.premises", "tenure.oracle.door", "tenure.oracle.selection"} <= found


def test_all_code_that_runs_for_a_verdict_is_behind_it() -> None:
    seed = random.randrange(2**32)
    files: dict[str, str] = {}
    by_module = {obligation.statement.__module__: behind(obligation) for obligation in OBLIGATIONS.values()}
    file_of = {name: str(fingerprints._file(name)) for name in set().union(*by_module.values())}
    for obligation in random.Random(seed).sample(list(OBLIGATIONS.values()), 50):
        counted = {file_of[name] for name in by_module[obligation.statement.__module__]}
        ran = code_of(partial(stated, obligation, Claim(preset("guaranteed"))))
        files |= dict.fromkeys(ran - counted, obligation.id)
    ran = code_of(partial(run_obligation, OBLIGATIONS["PO-TBP-300"], "guaranteed", None))
    assert ran - set(file_of.values()) == set()
    assert files == {}, f"seed {seed}"


def code_of(do: Callable[[], object]) -> set[str]:
    """The files of ours whose code runs while something is done."""
    found: set[str] = set()

    def look(frame: FrameType, event: str, _: object) -> None:
        found.add(frame.f_code.co_filename)

    before = sys.gettrace()
    sys.settrace(look)
    try:
        do()
    finally:
        sys.settrace(before)
    ours = tuple(str(ROOT / package) for package in ("refimpl", "proofs"))
    return {file for file in found if file.startswith(ours)}


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        (b">= MINUTE,", b">= 0,", True),
        (b">= MINUTE,", b">= MINUTE,  # why", False),
        (b"MINUTE, WithinClusterQueue", b"SECOND as MINUTE, WithinClusterQueue", True),
    ],
)
def test_a_modules_source_counts_and_no_comment_in_it(
    before: bytes, after: bytes, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(path: Path) -> bytes:
        text = path.read_bytes()
        assert path.name != "premises.py" or text.count(before) == 1
        return text.replace(before, after) if path.name == "premises.py" else text

    right = fingerprints._module("tenure_proofs.premises").digest
    monkeypatch.setattr(fingerprints, "source", changed)
    wrong = fingerprints._module.__wrapped__("tenure_proofs.premises").digest
    assert (wrong != right) == counts


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("from . import logic", {"tenure_proofs.trusted.logic"}),
        ("from .. import premises, nothing", {"tenure_proofs.premises", "tenure_proofs"}),
        ("from .logic import all_of", {"tenure_proofs.trusted.logic"}),
        ("import tenure.rules.share as share, json", {"tenure.rules.share"}),
        ("from tenure import rules", {"tenure.rules"}),
        ("from tenurely import rules", set()),
    ],
)
def test_every_way_to_import_is_seen(text: str, modules: set[str]) -> None:
    (node,) = ast.parse(text).body
    assert set(fingerprints._imported(node, "tenure_proofs.trusted")) == modules


def test_what_imports_by_a_name_that_is_made_while_it_runs_is_never_kept() -> None:
    with pytest.raises(UnknownCodeError, match=r"tenure\.apps\.cli\.commands imports by import_module"):
        modules_behind("tenure.apps.cli.commands")


def test_whatever_else_is_kept_depends_on_the_code_behind_it(otherwise: Callable[[str], None]) -> None:
    keys, everybody = Keys(), tuple(OBLIGATIONS.values())
    mutant = next(mutant.id for mutant in all_mutants().values() if mutant.rule == "TBP-020")

    def hashes() -> tuple[str, str, str]:
        return (
            keys.of_lifting(is_time_expired, 50, 0),
            keys.of_mutant(mutant, everybody, ("guaranteed",)),
            keys.of_part(Part("one queue", Size.SMALL, 0, 2)),
        )

    right = hashes()
    expected = {
        "tenure.rules.share": (True, True, True),
        "tenure_proofs.bridge": (True, True, False),
        "tenure_proofs.trusted.ast_lifter": (True, True, True),
        "tenure_proofs.mutants.hunt": (False, True, False),
        "tenure_proofs.obligations.time_based": (False, True, False),
        "tenure.oracle.classical": (False, True, True),
        "tenure_proofs.bounded.policies": (False, False, True),
        "tenure.apps.cli.app": (False, False, False),
    }
    for name, changes in expected.items():
        otherwise(name)
        assert tuple(one != other for one, other in zip(hashes(), right, strict=True)) == changes, name


def test_every_obligation_has_a_hash_of_its_own() -> None:
    assert len({key(obligation) for obligation in OBLIGATIONS.values()}) == len(OBLIGATIONS)


def warned(folder: Path) -> tuple[Cache, list[str]]:
    heard: list[str] = []
    return Cache(folder, heard.append), heard


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob("*/*") if path.is_file())


def deep(_: str) -> bytes:
    """More lists in each other than Python reads."""
    return b"[" * 200_000


DAMAGES: dict[str, tuple[Callable[[str], str | bytes], str]] = {
    "half of it": (lambda text: text[: len(text) // 2], ""),
    "nothing": (lambda _: "", ""),
    "a list": (lambda _: "[]", "no kept answer"),
    "deep": (deep, ""),
    "too deep": (lambda text: text.replace('"proved"', "[" * 40 + "]" * 40), "deeper than 32 levels"),
    "too large": (lambda text: text + " " * MOST_BYTES, "larger than 1048576 bytes"),
    "no text": (lambda _: b"\xff\xfe", "can't decode"),
    "no number": (lambda text: text.replace('"proved"', "NaN"), "NaN is no number"),
    "another verdict": (lambda text: text.replace("proved", "refuted"), "damaged"),
    "another form": (
        lambda text: text.replace(FORM, "tenure-proof-cache/0"),
        f"form: found 'tenure-proof-cache/0', expected {FORM}",
    ),
    "one field more": (lambda text: text.replace("{", '{"more": 1, ', 1), "no kept answer"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_warned_of_and_written_again(tmp_path: Path, damage: str) -> None:
    change, why = DAMAGES[damage]
    cache, heard = warned(tmp_path)
    cache.put("ab12", {"verdict": "proved"})
    (path,) = files(tmp_path)
    changed = change(path.read_text())
    path.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    assert cache.get("ab12") is None
    assert len(heard) == 1
    assert heard[0].startswith(f"{path}: ")
    assert f"{why}" in heard[0]
    cache.put("ab12", {"verdict": "proved"})
    assert cache.get("ab12") == {"verdict": "proved"}


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_link_to_what_has_no_end(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def a_link_to_the_very_file(path: Path) -> None:
    path.symlink_to(path.rename(path.with_name("elsewhere")))


def a_second_name(path: Path) -> None:
    path.with_name("elsewhere").hardlink_to(path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_file_that_others_write(path: Path) -> None:
    path.chmod(0o622)


def a_folder_that_others_write(path: Path) -> None:
    path.parent.chmod(0o777)


def a_whole_folder_that_others_write(path: Path) -> None:
    path.parents[1].chmod(0o770)


def a_linked_folder(path: Path) -> None:
    path.parent.symlink_to(path.parent.rename(path.parents[1] / "elsewhere"))


UNFIT = (
    a_pipe,
    a_link_to_what_has_no_end,
    a_link_to_the_very_file,
    a_second_name,
    a_folder,
    a_file_that_others_write,
    a_folder_that_others_write,
    a_whole_folder_that_others_write,
    a_linked_folder,
)


@pytest.mark.skipif(sys.platform == "win32", reason="files are protected otherwise there")
@pytest.mark.parametrize("make", UNFIT, ids=lambda make: make.__name__)
def test_what_is_no_file_of_the_users_own_is_not_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    cache, heard = warned(tmp_path / "kept")
    cache.put("ab12", 1)
    assert cache.get("ab12") == 1
    make(tmp_path / "kept" / "ab" / "ab12.json")
    assert cache.get("ab12") is None
    assert len(heard) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="files are protected otherwise there")
def test_a_file_of_another_user_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, heard = warned(tmp_path)
    cache.put("ab12", 1)
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert cache.get("ab12") is None
    assert f"belongs to user {tmp_path.stat().st_uid}" in heard[0]


def test_however_many_files_are_unfit_one_is_warned_of(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    for name in ("ab12", "cd34", "ef56"):
        cache.put(name, 1)
    for path in files(tmp_path):
        path.write_text("")
    assert [cache.get(name) for name in ("ab12", "cd34", "ef56")] == [None] * 3
    assert len(heard) == 1


def test_a_file_under_another_name_is_not_believed(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    cache.put("ab12", 1)
    (path,) = files(tmp_path)
    path.rename(path.with_name("ab13.json"))
    assert cache.get("ab13") is None
    assert len(heard) == 1


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_file_that_is_not_finished_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def broken(*_: object) -> None:
        raise error

    cache, _ = warned(tmp_path)
    monkeypatch.setattr(Path, "replace", broken)
    with suppress(KeyboardInterrupt):
        cache.put("ab12", 1)
    assert list(files(tmp_path)) == []


def test_what_a_killed_run_was_writing_is_removed_by_a_later_one(tmp_path: Path) -> None:
    cache, _ = warned(tmp_path)
    cache.put("ab12", 1)
    old, new = (tmp_path / "ab" / f"{name}{UNFINISHED}" for name in ("old", "new"))
    for path in (old, new):
        path.write_text("")
    os.utime(old, (time.time() - 2 * UNFINISHED_S,) * 2)
    cache.tidy()
    assert {path.name for path in files(tmp_path)} == {"ab12.json", new.name}


def test_a_folder_that_cannot_be_written_is_warned_of_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache, heard = warned(tmp_path / "file")
    for name in ("ab12", "cd34"):
        assert cache.get(name) is None
        cache.put(name, 1)
    assert len([name for name in heard if "nothing is kept there" in name]) == 1


def _put_many(folder: Path) -> None:
    cache = Cache(folder, lambda text: pytest.fail(text))
    for number in range(50):
        cache.put("ab12", {"filler": "x" * 5000, "number": number})
        value = cache.get("ab12")
        assert value["filler"] == "x" * 5000


def test_processes_that_keep_the_same_at_once_do_each_other_no_harm(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_put_many, args=(tmp_path,)) for _ in range(3)]
    for spawn_process in others:
        spawn_process.start()
    for spawn_process in others:
        spawn_process.join()
    assert [spawn_process.exitcode for spawn_process in others] == [0, 0, 0]
    assert [path.name for path in files(tmp_path)] == ["ab12.json"]


def test_what_is_not_asked_for_is_removed_after_a_run_that_added_something(tmp_path: Path) -> None:
    cache, _ = warned(tmp_path)
    for name in ("ab12", "cd34"):
        cache.put(name, 1)
    for path in files(tmp_path):
        os.utime(path, (time.time() - 2 * UNUSED_S,) * 2)
    cache.get("ab12")
    cache.tidy()
    assert [path.name for path in files(tmp_path)] == ["ab12.json"]


def test_only_sound_answers_are_kept() -> None:
    for verdict in (Verdict.UNKNOWN, Verdict.ERROR, Verdict.VACUOUS):
        assert kept.verdict_form(Result(PROTECTED, "guaranteed", verdict)) is None
        beside = replace(
            Result(PROTECTED, "guaranteed", Verdict.PROVED), beside=(Result(PROTECTED, "released", verdict),)
        )
        assert kept.verdict_form(beside) is None
    assert kept.lifting_form(LiftReport("f", 1, "they differ")) is None
    assert kept.mutant_form(Hunted("MU-1", "KQ-060", "a", "b", "survived")) is None


def kept_result() -> dict[str, Any]:
    """A verdict with a column beside it, as it is kept."""
    with Cvc5() as cvc5:
        form = kept.verdict_form(run_beside(OBLIGATIONS["PO-TBP-300"], "guaranteed", cvc5))
    assert form is not None
    assert form["beside"]
    return form


FORGED: dict[str, Callable[[dict[str, Any]], object]] = {
    "no solver's answer": lambda value: value.update(solvers={}),
    "one solver's answer": lambda value: value["solvers"].pop("cvc5"),
    "another solver's answer": lambda value: value["solvers"].update(yices="unsat"),
    "an answer that says the opposite": lambda value: value["solvers"].update(cvc5="sat"),
    "an answer that knows nothing": lambda value: value["solvers"].update(z3="unknown"),
    "another verdict": lambda value: value.update(verdict="refuted"),
    "a verdict that does not exist": lambda value: value.update(verdict="vacuous"),
    "another reading": lambda value: value.update(reading="released"),
    "nothing beside it": lambda value: value.update(beside=[]),
    "a forged answer beside it": lambda value: value["beside"][0].update(solvers={}),
    "something beside what is beside it": lambda value: value["beside"][0].update(
        beside=copy.deepcopy(value["beside"])
    ),
    "a counterexample of what is proved": lambda value: value.update(
        counterexample={"values": {}, "story": [], "scenario": None, "oracle": None}
    ),
    "one field more": lambda value: value.update(more=1),
    "one field less": lambda value: value.pop("detail"),
    "a text for a number": lambda value: value.update(seconds="1"),
    "less than no time": lambda value: value.update(seconds=-1.0),
    "a list for an object": lambda value: value.update(solvers=[]),
}


@pytest.fixture(scope="module")
def right() -> dict[str, Any]:
    return kept_result()


@pytest.mark.parametrize("forgery", FORGED)
def test_a_verdict_that_no_run_has_kept_is_asked_again(
    forgery: str, right: dict[str, Any], tmp_path: Path
) -> None:
    cache, heard = warned(tmp_path)
    answers = kept.verdicts(cache, Keys(), with_cvc5=True, seeds=1)
    asked = ("PO-TBP-300", "guaranteed")
    assert is_believed(answers, asked, right)
    assert heard == []
    wrong = copy.deepcopy(right)
    FORGED[forgery](wrong)
    assert not is_believed(answers, asked, wrong)
    assert len(heard) == 1


def is_believed(answers: Kept[Any, Any], task: Any, value: Any) -> bool:
    """Whether a kept answer is accepted as the answer."""
    key = answers._key(task)
    assert key is not None
    answers._cache.put(key, value)
    return answers._known(task, key) is not None


def test_a_refuted_claim_has_its_counterexample(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    answers = kept.verdicts(cache, Keys(), with_cvc5=False, seeds=2)
    form = kept.verdict_form(run_obligation(PROTECTED, "as-written", None, seeds=2))
    assert form is not None
    assert is_believed(answers, (PROTECTED.id, "as-written"), form)
    for wrong in ({**form, "counterexample": None}, {**form, "verdict": "proved"}):
        assert not is_believed(answers, (PROTECTED.id, "as-written"), wrong)
    assert len(heard) == 1


def test_a_counterexample_of_another_oracle_is_replayed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, heard = warned(tmp_path)
    answers = kept.verdicts(cache, Keys(), with_cvc5=False, seeds=1)
    form = kept.verdict_form(run_obligation(PROTECTED, "as-written", None))
    assert is_believed(answers, (PROTECTED.id, "as-written"), form)
    monkeypatch.setattr(kept, "package_digest", lambda _: "another")
    assert not is_believed(answers, (PROTECTED.id, "as-written"), form)
    assert heard == []


def test_a_comparison_of_lifters_that_no_run_has_kept_is_made_again(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    answers = kept.lifts(cache, Keys(), examples=3, random_seed=0)
    right = {"function": "is_time_expired", "examples": 3, "problem": "", "undecided": False}
    assert is_believed(answers, "TBP-020", right)
    changes = ({"function": "f"}, {"examples": 4}, {"problem": "they differ"}, {"undecided": 0}, {"more": 1})
    for change in changes:
        assert not is_believed(answers, "TBP-020", {**right, **change}), change
    assert len(heard) == 1


def test_a_mutant_that_nothing_known_has_noticed_is_tried_again(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    mutant = next(mutant for mutant in all_mutants().values() if mutant.rule == "TBP-020")
    rule, before, after = mutant.change
    right = {"id": mutant.id, "rule": rule, "before": before, "after": after}
    killed = {**right, "outcome": "killed", "by": "PO-TBP-020 under as-written: refuted, not proved"}
    answers = kept.fates(cache, Keys())
    assert is_believed(answers, mutant.id, killed)
    assert is_believed(answers, mutant.id, {**killed, "outcome": "equivalent", "by": ""})
    changes = (
        {"by": ""},
        {"by": "PO-KQ-060 under as-written: refuted, not proved"},
        {"outcome": "signed", "by": "because"},
        {"outcome": "survived"},
        {"outcome": "equivalent"},
        {"after": "True"},
        {"more": 1},
    )
    for change in changes:
        assert not is_believed(answers, mutant.id, {**killed, **change}), change
    assert len(heard) == 1


def test_decisions_that_were_not_all_judged_are_made_again(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    part = Part("one queue", Size.SMALL, 1, 8)
    names = [[claim, preset] for claim in POSTCONDITIONS for preset in preset_names()]
    right: dict[str, Any] = {
        "family": "one queue",
        "clusters": 2,
        "decisions": 6,
        "tallies": [[*name, 2, 0, None] for name in names],
    }
    answers = kept.bounded_parts(cache, Keys())
    assert is_believed(answers, part, right)
    changes = (
        {"family": "trees"},
        {"decisions": 1},
        {"clusters": "2"},
        {"tallies": right["tallies"][1:]},
        {"tallies": [[*names[0], 1, 2, 9], *right["tallies"][1:]]},
        {"tallies": [[*names[0], 2, 1, None], *right["tallies"][1:]]},
        {"tallies": [[*names[0], 2, 1, 8], *right["tallies"][1:]]},
        {"more": 1},
    )
    for change in changes:
        assert not is_believed(answers, part, {**right, **change}), change
    assert len(heard) == 1


def test_the_users_cache_folder_is_where_xdg_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_folder() == Path("/somewhere/tenure/proofs")
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert default_folder() == Path.home() / ".cache/tenure/proofs"


def test_a_hash_is_of_plain_values_only() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    with pytest.raises(UnknownCodeError):
        digest(object())
