"""What is kept is what asking again would say; whatever a verdict depends on, a change of it asks again."""

from __future__ import annotations

import copy
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tenure.disk import UNFINISHED
from tenure.readings import preset_names
from tenure_proofs import fingerprints, kept
from tenure_proofs.answer import KeptShape
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.bounded.spaces import Size
from tenure_proofs.bounded.trial import Part
from tenure_proofs.bridge import LiftReport
from tenure_proofs.cache import FORM, MOST_BYTES, UNFINISHED_S, UNUSED_S, Cache, default_folder
from tenure_proofs.command_run import Plan, run_plan
from tenure_proofs.fingerprints import code_digest, key_of, package_digest
from tenure_proofs.kept import Kept
from tenure_proofs.mutants.hunt import Hunted, all_mutants
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.report import NOTHING_KEPT, to_json
from tenure_proofs.runner import Result, run_beside, run_obligation
from tenure_proofs.solvers import Cvc5

PROTECTED = OBLIGATIONS["PO-TBP-010"]


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
    assert fresh.kept == NOTHING_KEPT
    assert again.kept == KeptShape(lifted=len(fresh.lifted), results=len(fresh.results), mutants=0, bounded=0)
    assert without_time(to_json(again)) == without_time(to_json(fresh))
    assert {result.verdict for result in again.results} == {Verdict.PROVED, Verdict.REFUTED}


def test_mutants_are_kept_too(tmp_path: Path) -> None:
    plan = Plan(("PO-KQ-190",), ("guaranteed",), with_cvc5=False, examples=1, cache=tmp_path)
    fresh, again = (run_plan(plan) for _ in range(2))
    assert again.kept.mutants == len(fresh.mutants) > 0
    assert again.mutants == fresh.mutants


def test_nothing_is_kept_where_no_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run_plan(replace(keeping(tmp_path), only=("PO-KQ-190",), cache=None))
    assert list(tmp_path.iterdir()) == []


def test_a_change_of_any_file_of_a_solver_or_of_the_question_is_another_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("verdict", "PO-TBP-010", "guaranteed", True, 1)
    other = [("verdict", "PO-TBP-010", "guaranteed", True, 2), ("lifting", *asked[1:]), asked[1:]]
    assert len({key_of(*question) for question in (asked, *other)}) == 4
    right = key_of(*asked)
    monkeypatch.setattr(fingerprints, "_versions", lambda: ["z3-solver 4.0"])
    assert key_of(*asked) != right
    monkeypatch.undo()
    package = tmp_path / "ours"
    package.mkdir()
    names = ("__init__.py", "below/table.toml", "below/rule.py")
    for name in names:
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    digests = [package_digest("ours")]
    for name in names:
        (package / name).write_text("# changed", encoding="utf-8")
        digests.append(package_digest("ours"))
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "rule.pyc").write_text("compiled", encoding="utf-8")
    assert len({*digests, package_digest("ours")}) == 4
    assert package_digest("tenure") != package_digest("tenure_proofs")


def test_the_tables_of_the_specification_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = code_digest()
    (tmp_path / "readings.toml").write_text("changed", encoding="utf-8")
    monkeypatch.setattr(fingerprints, "bundled", lambda _: tmp_path)
    assert fingerprints.code_digest.__wrapped__() != right


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
    "too large": (lambda text: text + " " * MOST_BYTES, f"larger than {MOST_BYTES} bytes"),
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
        counterexample={"values": {}, "story": [], "scenario": None}
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
    answers = kept.verdicts(cache, with_cvc5=True, seeds=1)
    asked = ("PO-TBP-300", "guaranteed")
    assert is_believed(answers, asked, right)
    assert heard == []
    wrong = copy.deepcopy(right)
    FORGED[forgery](wrong)
    assert not is_believed(answers, asked, wrong)
    assert len(heard) == 1


def is_believed(answers: Kept[Any, Any], task: Any, value: Any) -> bool:
    """Whether a kept answer is accepted as the answer."""
    key = key_of(*answers._asked(task))
    answers._cache.put(key, value)
    return answers._known(task, key) is not None


def test_a_refuted_claim_has_its_counterexample(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    answers = kept.verdicts(cache, with_cvc5=False, seeds=2)
    form = kept.verdict_form(run_obligation(PROTECTED, "as-written", None, seeds=2))
    assert form is not None
    assert is_believed(answers, (PROTECTED.id, "as-written"), form)
    for wrong in ({**form, "counterexample": None}, {**form, "verdict": "proved"}):
        assert not is_believed(answers, (PROTECTED.id, "as-written"), wrong)
    assert len(heard) == 1


def test_a_comparison_of_lifters_that_no_run_has_kept_is_made_again(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    answers = kept.lifts(cache, examples=3, random_seed=0)
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
    answers = kept.fates(cache)
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
    presets = preset_names()

    def with_first(**first: int | None) -> dict[str, Any]:
        tally: dict[str, int | None] = {"claimed": 2, "broken": 0, "first": None}
        tallies = {claim: dict.fromkeys(presets, tally) for claim in POSTCONDITIONS}
        return {**tallies, "WD-010": {**tallies["WD-010"], presets[0]: {**tally, **first}}}

    right: dict[str, Any] = {
        "family": "one queue",
        "clusters": 2,
        "decisions": 6,
        "tallies": with_first(),
    }
    answers = kept.bounded_parts(cache)
    assert is_believed(answers, part, right)
    changes = (
        {"family": "trees"},
        {"decisions": 1},
        {"clusters": "2"},
        {"tallies": {"WD-010": right["tallies"]["WD-010"]}},
        {"tallies": with_first(claimed=1, broken=2, first=9)},
        {"tallies": with_first(broken=1)},
        {"tallies": with_first(broken=1, first=8)},
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
