"""What Tenure writes says which version it has, and what reads refuses another one by its name."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tenure import __version__
from tenure.cli.bundled import schema, schema_names
from tenure.conformance.protocol import answer
from tenure.versions import KAI, KUEUE, form
from tenure_lab.campaign_journal import new_journal
from tenure_lab.campaigns import CampaignPlan
from tenure_proofs.cache import FORM, Cache
from tenure_simulate.core.arrays import load
from tests.command_line import tenure
from tools import libyaml
from tools.schemas import READ, WRITTEN

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "stability.md"
NUMBER = re.compile(r"(?<=/)\d+")
NEWER = "/99"
NOW = ("--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
JOB = "team-b/job-eval-suite-d739e"


def of_answers(name: str) -> list[dict[str, Any]]:
    """The shapes of one answer or another."""
    found = schema(name)
    return [found["$defs"][part["$ref"].rpartition("/")[2]] for part in found.get("anyOf", ())] or [found]


@pytest.mark.parametrize("name", sorted(WRITTEN.keys() - {"oracle-answer"}))
def test_an_answer_begins_with_its_form_and_with_who_answers(name: str) -> None:
    for shape in of_answers(name):
        assert list(shape["properties"])[:2] == ["schema", "tenure"]
        assert shape["required"][:2] == ["schema", "tenure"]
        assert shape["properties"]["schema"]["const"] == form(name)


@pytest.mark.parametrize("name", sorted(READ))
def test_what_is_read_may_say_its_form(name: str) -> None:
    written = json.dumps(schema(name))
    assert f'"const": "{form(name.replace("oracle-request", "oracle"))}"' in written


# Neither a decision nor anything that is deduced of one: what is stated, copied or listed.
OF_NO_SCHEDULER = {
    "example",
    "schemas",
    "show",
    "vectors",
    "prove",
    "campaign",
    "conform",
    "oracle-answer",
    "prove-why",
}
HAS_NO_READING = {
    "validate": "no preset changes what an API server refuses, but for KEP-8826's fields; see its options",
    "test": "each expectation has that of its file",
}


@pytest.mark.parametrize("name", sorted(set(schema_names()) & WRITTEN.keys() - OF_NO_SCHEDULER))
def test_what_depends_on_a_scheduler_and_a_reading_says_which(name: str) -> None:
    for shape in of_answers(name):
        fields = shape["properties"]
        if name == "simulate":
            if "simulations" not in fields:
                continue  # a list of names
            fields = schema(name)["$defs"]["Record"]["properties"]
            assert {"kueue", "kai"} <= fields.keys()
        if "causes" in fields:
            continue  # of a workload that is not queued nothing is decided
        assert ("kai" if name.startswith("kai-") else "kueue") in fields
        assert "reading" in fields or name in HAS_NO_READING or name.startswith("kai-")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("decide", ("decide", *NOW, "-w", JOB)),
        ("pending", ("decide", *NOW, "--all-pending")),
        ("simulate", ("simulate", "--scenario", "tbp-it-2-rotation")),
        ("accessible", ("show", *NOW)),
        ("validate", ("validate", "--example", "two-teams")),
        ("vectors", ("vectors", "run", "TBP-020")),
        ("show", ("show", "KQ-320")),
    ],
)
def test_an_answer_says_its_form_first(name: str, words: tuple[str, ...]) -> None:
    said = json.loads(tenure(*words, "-o", "json").stdout)
    assert (said["schema"], said["tenure"]) == (form(name), __version__)
    assert list(said)[:2] == ["schema", "tenure"]
    printed = libyaml.load(tenure(*words, "-o", "yaml").stdout)
    assert (printed["schema"], printed["tenure"]) == (form(name), __version__)


def test_a_play_is_of_one_scheduler() -> None:
    for scenario, expected in (
        ("tbp-it-2-rotation", ("0.19+proposals", None)),
        ("kai-session-remembers", (None, KAI)),
    ):
        said = json.loads(tenure("simulate", "--scenario", scenario, "-o", "json").stdout)
        assert [(play["kueue"], play["kai"]) for play in said["simulations"]] == [expected]


def test_the_schedulers_are_those_that_are_compared_with() -> None:
    kueue, kai = (ROOT / folder / "go.mod" for folder in ("go/kueue", "tests/peers/kai"))
    assert f"sigs.k8s.io/kueue v{KUEUE}." in kueue.read_text(encoding="utf-8")
    assert f"KAI-scheduler v{KAI}" in kai.read_text(encoding="utf-8")


def test_the_oracle_says_its_version_and_refuses_another_one() -> None:
    said = answer({"id": 1, "call": "version"})["output"]
    assert said == {
        "tenure": __version__,
        "protocol": form("oracle"),
        "kueue": "0.19+proposals",
        "kai": KAI,
    }
    assert "output" in answer({"id": 1, "call": "version", "protocol": form("oracle")})
    error = answer({"id": 1, "call": "version", "protocol": "tenure-oracle/99"})["error"]
    assert (error["code"], error["field"]) == ("bad-input", "protocol")
    assert error["message"] == "protocol: found 'tenure-oracle/99', expected tenure-oracle/1"


def another(kind: str, folder: Path) -> tuple[bytes, str]:
    """What is said of data of another version, and where that is."""
    return REFUSED[kind](folder)


def of_vectors(folder: Path) -> tuple[bytes, str]:
    """A file of vectors."""
    text = (ROOT / "spec" / "vectors" / "quota.json").read_text(encoding="utf-8")
    (folder / "quota.json").write_text(text.replace("tenure-vectors/1", f"tenure-vectors{NEWER}"), "utf-8")
    return tenure("vectors", "run", "--folder", str(folder)).stderr, "quota.json: schema"


def of_a_file(command: str, name: str, text: str) -> Callable[[Path], tuple[bytes, str]]:
    """A file of a user."""

    def said(folder: Path) -> tuple[bytes, str]:
        file = folder / "x.tenure.yaml"
        file.write_text(f"schema: tenure-{name}{NEWER}\n{text}", encoding="utf-8")
        done = tenure(command, str(file))
        assert done.returncode == 2
        return done.stderr, ": schema"

    return said


def of_a_baseline(folder: Path) -> tuple[bytes, str]:
    """What a user accepts of changes."""
    file = folder / "accepted.yaml"
    file.write_text(f"schema: tenure-baseline{NEWER}\naccepted: []\n", encoding="utf-8")
    queues = str(ROOT / "examples" / "two-teams")
    done = tenure("analyze", "diff", queues, queues, "--fail-on", "any", "--baseline", str(file))
    assert done.returncode == 2
    return done.stderr, ": schema"


def of_a_campaign(folder: Path) -> tuple[bytes, str]:
    """A campaign's journal."""
    path = folder / "kept.jsonl"
    with new_journal(path, CampaignPlan(1000, 1)):
        pass
    path.write_text(NUMBER.sub(NEWER[1:], path.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    done = tenure("campaign", "--resume", str(path))
    assert done.returncode == 2
    return done.stderr, "kept.jsonl: line 1: schema"


def of_kept_verdicts(folder: Path) -> tuple[bytes, str]:
    """A kept verdict; it is told, and found out again."""
    heard: list[str] = []
    cache = Cache(folder / "kept", heard.append)
    cache.put("ab12", {"verdict": "proved"})
    (path,) = (folder / "kept").glob("??/*.json")
    path.write_text(path.read_text(encoding="utf-8").replace(FORM, f"tenure-proof-cache{NEWER}"), "utf-8")
    assert cache.get("ab12") is None
    return heard[0].encode(), "ab12.json: form"


def of_a_program(folder: Path) -> tuple[bytes, str]:
    """A program that speaks another version of the protocol."""
    program = folder / "program.py"
    version = json.dumps({"id": "version", "output": {"mine": "1", "protocol": f"tenure-oracle{NEWER}"}})
    program.write_text(f"input(); print({version!r}, flush=True); input()", encoding="utf-8")
    done = tenure("conform", "--exec", shlex.join([sys.executable, str(program)]), "--scenarios", "1")
    assert done.returncode == 2
    return done.stderr, "output.protocol"


def of_arrays(folder: Path) -> tuple[bytes, str]:
    """Arrays of the optimized core."""
    path = folder / "kept.npz"
    np.savez(path, form=np.array([f"tenure-arrays{NEWER}"]))
    with pytest.raises(ValueError, match="its form is") as refused:
        load(path)
    return str(refused.value).replace("its form is", "its form: found").encode(), "its form"


REFUSED: dict[str, Callable[[Path], tuple[bytes, str]]] = {
    "vectors": of_vectors,
    "scenario": of_a_file("simulate", "scenario", "until: 1h\n"),
    "kai-scenario": of_a_file("simulate", "kai-scenario", "scheduler: kai\nuntil: 1h\n"),
    "expectations": of_a_file("test", "expectations", "manifests: .\nvalidate: valid\n"),
    "baseline": of_a_baseline,
    "campaign-journal": of_a_campaign,
    "proof-cache": of_kept_verdicts,
    "oracle": of_a_program,
    "arrays": of_arrays,
}
"""What reads each form, given another version of it."""


@pytest.mark.parametrize("kind", REFUSED)
def test_another_version_is_refused_by_its_name(kind: str, tmp_path: Path) -> None:
    said, where = another(kind, tmp_path)
    message = said.decode()
    assert f"{where}: found" in message
    assert f"tenure-{kind}{NEWER}" in message
    assert form(kind) in message.partition("expected")[2]


def test_every_form_is_on_the_page_and_is_tried_here() -> None:
    sources = [path for folder in ("refimpl", "proofs") for path in (ROOT / folder).rglob("*.py")]
    named = {
        name
        for path in sources
        for name in re.findall(r'\bform\("([\w-]+)"\)', path.read_text(encoding="utf-8"))
    }
    answers = {"decide", "vectors"}  # the example of `form`, and what is an answer and a file
    internal = {"arrays"}  # files of the core that no command writes
    assert named == REFUSED.keys() | answers - {"vectors"}
    page = PAGE.read_text(encoding="utf-8")
    assert [kind for kind in REFUSED.keys() - internal if form(kind) not in page] == []
