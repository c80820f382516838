"""A name that was renamed works, warns, names the new one, and is not gone from the public surface."""

from __future__ import annotations

from pathlib import Path

import pytest

import tenure
from tenure import deprecation
from tests.command_line import tenure as run
from tools import surface

SAYS = "is {} since Tenure 0.2; the former name goes with the next minor release"


def rename(monkeypatch: pytest.MonkeyPatch, was: str, now: str) -> None:
    """As the commit does that renames it."""
    monkeypatch.setitem(deprecation.FORMER, was, (now, "0.2"))


def test_a_python_name_warns_where_it_is_used_and_is_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rename(monkeypatch, "python tenure.decide_each", "python tenure.decide_all")
    with pytest.warns(DeprecationWarning, match="decide_each") as warned:
        found = tenure.decide_each  # type: ignore[attr-defined]
    assert found is tenure.decide_all
    (warning,) = warned
    assert str(warning.message) == "tenure.decide_each " + SAYS.format("tenure.decide_all")
    assert warning.filename == __file__


def test_a_name_that_never_was_is_an_ordinary_error() -> None:
    with pytest.raises(AttributeError, match="module 'tenure' has no attribute 'decide_each'"):
        tenure.decide_each  # type: ignore[attr-defined]  # noqa: B018 - looking is what fails


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (("vectors", "run", "TBP-010", "--told"), ("vectors", "run", "TBP-010", "--verbose")),
        (("vectors", "run", "TBP-010", "--form=json"), ("vectors", "run", "TBP-010", "--output=json")),
    ],
)
def test_an_option_is_told_on_standard_error_and_nothing_else_changes(
    was: tuple[str, ...], now: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rename(monkeypatch, "option tenure vectors run --told", "option tenure vectors run --verbose")
    rename(monkeypatch, "option tenure vectors run --form", "option tenure vectors run --output")
    old, new = (word[-1].partition("=")[0] for word in (was, now))
    done, expected = run(*was), run(*now)
    assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout)
    assert (expected.returncode, expected.stderr) == (0, b"")
    assert done.stderr.decode() == f"warning: {old} {SAYS.format(new)}\n"


def test_a_command_is_told_on_standard_error_and_nothing_else_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rename(monkeypatch, "command tenure look-up", "command tenure show")
    rename(monkeypatch, "command tenure vectors lint", "command tenure vectors check")
    for was, now in (
        (("look-up", "KQ-010"), ("show", "KQ-010")),
        (("vectors", "lint"), ("vectors", "check")),
    ):
        done, expected = run(*was), run(*now)
        assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout)
        old, new = (next(word for word in words if word not in ("vectors", "KQ-010")) for words in (was, now))
        assert done.stderr.decode() == f"warning: {old} {SAYS.format(new)}\n"


def test_a_value_of_several_words_is_handed_on_whole() -> None:
    done = run("conform", "--exec", "no-such-program with words", "--scenarios", "0", "--only", "TBP-020")
    assert b"no-such-program with words cannot be started" in done.stderr
    assert b"'of several words'" in run("show", "of several words").stderr


def test_behind_two_dashes_nothing_is_an_option(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rename(monkeypatch, "option tenure validate --tell", "option tenure validate --strict")
    (tmp_path / "--tell").write_text("{}")
    assert b"warning: --tell" not in run("validate", "--", "--tell", cwd=tmp_path).stderr
    assert b"warning: --tell" in run("validate", "--tell", "--", "--tell", cwd=tmp_path).stderr


def test_what_is_deprecated_is_not_gone_with_its_options_and_parameters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = ["command tenure look-up", "option tenure look-up --all", "argument tenure look-up identifier"]
    before += [
        line.replace("decide_all", "decide_each") for line in surface.present() if _of_decide_all(line)
    ]
    assert any("(" in line for line in before)
    gone, _ = surface.changes(before, surface.surface())
    assert gone == before
    rename(monkeypatch, "command tenure look-up", "command tenure show")
    rename(monkeypatch, "python tenure.decide_each", "python tenure.decide_all")
    gone, _ = surface.changes(before, surface.surface())
    assert gone == []
    assert not {*before} & {*surface.present()}


def _of_decide_all(line: str) -> bool:
    return line == "python tenure.decide_all" or line.startswith("python tenure.decide_all(")


@pytest.mark.parametrize(
    ("was", "now", "error"),
    [
        ("python tenure.decide_each", "python tenure.decide_every", "found nothing by that name"),
        ("option tenure show --told", "option tenure show --shown", "found nothing public that is called"),
        (
            "python tenure.model.Job",
            "python tenure.model.Workload",
            "expected tenure.model.__getattr__ to end with",
        ),
    ],
)
def test_an_entry_that_does_not_work_is_told(
    was: str, now: str, error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rename(monkeypatch, was, now)
    assert surface.main([]) == 1
    (said,) = capsys.readouterr().out.splitlines()
    assert said.startswith(f"tenure.deprecation.FORMER: {was}: ")
    assert error in said
