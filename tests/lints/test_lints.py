"""Each lint is shown one change of a small tree, and names in words what is wrong with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tenure.readings import CHOICES
from tests.command_line import run_program
from tools.lints.__main__ import run
from tools.lints.kernels import kernels
from tools.lints.pages import pages
from tools.lints.problem import Problem
from tools.lints.quotes import source_quotes
from tools.lints.readings import enum_choices
from tools.lints.source import rule_functions

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("refimpl", "proofs")

TIME_BASED = "refimpl/tenure/rules/time_based.py"
PRIORITY = "refimpl/tenure/rules/priority.py"
PRIORITY_PAGE = "spec/rules/KQ-010-lower-priority.md"
EXPIRED_PAGE = "spec/rules/TBP-020-time-expired.md"
READINGS = "spec/readings.toml"
FINDING = "spec/findings/F-001-the-guarantee-and-condition-1.md"
PLAYED_FINDING = "spec/findings/F-005-a-pending-workload-is-not-retried-when-minadmitduration-expires.md"
OBLIGATIONS = "proofs/tenure_proofs/obligations"
LAST_LINE = "    return target.priority < preemptor.priority\n"

RULES = ("priority", "queue_order", "reservation", "time_based")
# Four modules of rules with their pages, two findings with what they name, and the door. `make lint` looks
# at the whole tree.
SMALL = (
    *("refimpl/tenure/model.py", "refimpl/tenure/readings.py", "refimpl/tenure/oracle/door.py"),
    *(f"refimpl/tenure/rules/{name}.py" for name in RULES),
    *(page.path for page in pages(ROOT) if page.front["function"].split(".")[2] in RULES),
    *(READINGS, FINDING, PLAYED_FINDING),
    *(f"{OBLIGATIONS}/{name}.py" for name in ("__init__", "over_time", "time_based")),
    *("spec/vectors/time-based.json", "spec/vectors/scenarios/tbp-nothing-wakes-at-expiry.yaml"),
)


def small(root: Path) -> Path:
    """Put the small tree into a folder."""
    for name in SMALL:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree that a test may change."""
    return small(tmp_path / "copy")


@pytest.fixture(scope="session")
def before(tmp_path_factory: pytest.TempPathFactory) -> set[Problem]:
    """What the lints say of the small tree unchanged: that it has no page of coverage, and nothing else."""
    found = set(run(small(tmp_path_factory.mktemp("unchanged"))))
    assert {problem.code for problem in found} == {"TNL090"}, found
    return found


def edit(root: Path, path: str, old: str, new: str) -> None:
    """Replace the first occurrence of a text that must be there."""
    text = (root / path).read_text(encoding="utf-8")
    assert old in text, f"{path} no longer holds {old!r}"
    (root / path).write_text(text.replace(old, new, 1), encoding="utf-8")


@dataclass(frozen=True)
class Change:
    """One thing changed, and the problem that must follow.

    Args:
        code, path, words: of the problem.
        file: the file to change; created when `old` is None.
        old, new: the text replaced.
    """

    code: str
    path: str
    words: str
    file: str
    old: str | None
    new: str


def in_a_rule(code: str, line: str, words: str) -> Change:
    """A change of the body of KQ-010."""
    return Change(code, PRIORITY, words, PRIORITY, LAST_LINE, f"    {line}\n{LAST_LINE}")


def in_a_page(code: str, old: str, new: str, words: str) -> Change:
    """A change of KQ-010's page."""
    return Change(code, PRIORITY_PAGE, words, PRIORITY_PAGE, old, new)


def new_file(code: str, path: str, text: str, words: str) -> Change:
    """A file added."""
    return Change(code, path, words, path, None, text)


def around_the_door(*ways: tuple[str, str, str]) -> dict[str, Change]:
    """Files that make a target without a call of its class: what it is called, the line, what is reported."""
    path = "refimpl/tenure/shortcut.py"
    return {
        f"a target made {name}": new_file("TNL011", path, f"{line}\n", f"shortcut uses {found}")
        for name, line, found in ways
    }


CHANGES = {
    "greater becomes greater or equal": Change(
        "TNL030",
        TIME_BASED,
        'TBP-020 is_time_expired: the page states "now - quota_reservation_time(target, now) > '
        'min_admit_duration" (strictly more than that duration has passed since its quota was reserved), the '
        'code says "now - quota_reservation_time(target, now) >= min_admit_duration"',
        TIME_BASED,
        "now) > min_admit_duration",
        "now) >= min_admit_duration",
    ),
    "a comparison is dropped": Change(
        "TNL030",
        TIME_BASED,
        'TBP-020 is_time_expired: the page states "min_admit_duration is None" (no duration is in force), '
        "the code does not compare this",
        TIME_BASED,
        "    if min_admit_duration is None:\n        return False\n    return now -",
        "    return now -",
    ),
    "a comparison is added": in_a_rule(
        "TNL030",
        "urgent = preemptor.priority > 9",
        'KQ-010 has_lower_priority: the code says "preemptor.priority > 9", the page states nothing of it',
    ),
    "the page's table is emptied": Change(
        "TNL030",
        PRIORITY_PAGE,
        "states no comparisons",
        PRIORITY_PAGE,
        "| `target.priority <",
        "| target.priority <",
    ),
    "a solver is imported": Change(
        "TNL001",
        TIME_BASED,
        "TBP module time_based imports z3: rules are plain Python, no solver",
        TIME_BASED,
        "from tenure.model import",
        "import z3\nfrom tenure.model import",
    ),
    "the oracle is imported": Change(
        "TNL001",
        PRIORITY,
        "KQ module priority imports tenure.oracle.decide",
        PRIORITY,
        "from tenure.model import",
        "from tenure.oracle.decide import decide\nfrom tenure.model import",
    ),
    "manifests come in by a relative import": Change(
        "TNL001",
        PRIORITY,
        "KQ module priority imports tenure",
        PRIORITY,
        "from tenure.model import",
        "from .. import manifests\nfrom tenure.model import",
    ),
    "isinstance": in_a_rule(
        "TNL002",
        "narrow = isinstance(target, Workload)",
        "KQ-010 has_lower_priority calls isinstance: a rule may not ask for types",
    ),
    "identity": in_a_rule(
        "TNL003",
        "same = target is preemptor",
        "KQ-010 has_lower_priority compares identity in `target is preemptor`: use ==",
    ),
    "match": in_a_rule(
        "TNL004",
        "match target.priority:\n        case 0:\n            return False",
        "KQ-010 has_lower_priority uses match",
    ),
    "subscript": in_a_rule("TNL005", "first = target.pod_sets[0]", "KQ-010 has_lower_priority uses `target"),
    "look-up": in_a_rule("TNL005", "odd = 1 in target.pod_sets", "KQ-010 has_lower_priority looks up"),
    "float": in_a_rule("TNL006", "half = 0.5", "KQ-010 has_lower_priority uses the float 0.5"),
    "true division": in_a_rule("TNL006", "half = target.priority / 2", "KQ-010 has_lower_priority uses true"),
    "loop": in_a_rule("TNL007", "while target.evicted:\n        return False", "uses a loop"),
    "walrus": in_a_rule("TNL007", "(p := target.priority)", "KQ-010 has_lower_priority uses a walrus"),
    "lambda": in_a_rule("TNL007", "f = lambda: 1", "KQ-010 has_lower_priority uses a lambda"),
    "seven branches": in_a_rule(
        "TNL008",
        "\n    ".join(["if target.evicted:\n        return False"] * 7),
        "KQ-010 has_lower_priority has 7 branches, more than 6",
    ),
    "a helper": in_a_rule("TNL009", "helped = str(1)", "KQ-010 has_lower_priority calls str"),
    "a method": in_a_rule(
        "TNL009", "helped = target.priority.bit_length()", "calls target.priority.bit_length"
    ),
    "a target built elsewhere": new_file(
        "TNL010",
        "refimpl/tenure/oracle/shortcut.py",
        "from tenure.model import Target\n\n\ndef take(workload, reason, evidence) -> Target:\n"
        "    return Target(workload, reason, evidence)\n",
        "a target built outside the door: shortcut uses the class in `Target`; only "
        "refimpl/tenure/oracle/door.py may; take one from take_target",
    ),
    "a target built through the module": new_file(
        "TNL010",
        "refimpl/tenure/shortcut.py",
        "from tenure import model\n\nmake = model.Target\n",
        "shortcut uses the class in `model.Target`",
    ),
    "a target built under another name": new_file(
        "TNL010",
        "proofs/tenure_proofs/shortcut.py",
        "from tenure.model import Target as T\n\nmade = object.__new__(T)\n",
        "shortcut uses the class in `T`",
    ),
    "a target asked for by its name": new_file(
        "TNL010",
        "refimpl/tenure/shortcut.py",
        "import tenure.model as m\n\nmake = getattr(m, 'Target')\n",
        "shortcut uses the class in `getattr(m, 'Target')`",
    ),
    **around_the_door(
        ("without its class", "made = object.__new__(kind)", "object.__new__"),
        ("by a method asked for by name", "made = getattr(object, '__new__')(kind)", "'__new__'"),
        ("changed", "object.__setattr__(target, 'workload', other)", "object.__setattr__"),
        ("changed by its slot", "kind.workload.__set__(target, other)", "kind.workload.__set__"),
        ("changed as if it were unpickled", "target.__setstate__([other])", "target.__setstate__"),
        ("of another class, renamed", "other.__class__ = kind", "other.__class__"),
        ("by a class that no longer refuses", "kind.__init__ = init", "kind.__init__"),
        ("by a class that no longer refuses, by name", "change(kind, '__init__', init)", "'__init__'"),
        ("by a class that is changed", "type(target).workload = other", "type(target).workload"),
        ("by a class that is changed by name", "setattr(kind, name, init)", "setattr"),
        ("from bytes", "from pickle import loads", "from pickle import loads"),
        ("from a text", "exec(text)", "exec"),
        (
            "by the door's own maker",
            "from tenure.oracle.door import _make_target as make",
            "from tenure.oracle.door",
        ),
        ("by the door's own maker, asked for", "make = door._make_target", "door._make_target"),
        ("by the door's own maker, by name", "make = getattr(door, '_make_target')", "'_make_target'"),
        ("by a class that makes its own", "class A:\n    def __new__(cls): ...", "def __new__"),
    ),
    "another statement": Change(
        "TNL020",
        PRIORITY,
        'KQ-010 has_lower_priority: the docstring states "A target has lower priority when its effective '
        f'priority is below the preemptor\'s.", the page {PRIORITY_PAGE} states "A target has lower priority '
        "when its effective priority is strictly below the preemptor's.\"",
        PRIORITY,
        "priority is strictly\n    > below",
        "priority is\n    > below",
    ),
    "a page without a rule": new_file(
        "TNL020",
        "spec/rules/KQ-990-nothing.md",
        "+++\nid = 'KQ-990'\n+++\n",
        "KQ-990 has a page and no function: register it with @rule, or retire the page",
    ),
    "headings in another order": in_a_page(
        "TNL021", "## Rationale", "## Why", "KQ-010: the headings are # KQ-010: Lower priority, ## Statement"
    ),
    "the function renamed": in_a_page(
        "TNL022",
        "has_lower_priority",
        "is_lower",
        "KQ-010: the front matter's function is 'tenure.rules.priority.is_lower', the rule is "
        "tenure.rules.priority.has_lower_priority",
    ),
    "another id": in_a_page(
        "TNL022", 'id = "KQ-010"', 'id = "KQ-011"', "KQ-010: the front matter's id is 'KQ-011'"
    ),
    "an unknown reading": in_a_page(
        "TNL022", "readings = []", 'readings = ["mood"]', "KQ-010: 'mood' is no key of spec/readings.toml"
    ),
    "no statement": Change(
        "TNL023",
        PRIORITY,
        "KQ-010 has_lower_priority quotes no statement",
        PRIORITY,
        "    > A target has lower priority when its effective priority is strictly\n"
        "    > below the preemptor's.\n",
        "",
    ),
    "an obligation that uses a helper": new_file(
        "TNL050",
        "proofs/tenure_proofs/obligations/shortcut.py",
        "from tenure.rules.time_based import is_time_expired\n\n\ndef claim_it(claim):\n"
        "    claim.assume(is_time_expired(1, 2, 3))\n"
        "    claim.prove(claim.lift(is_time_expired)(1, 2, 3))\n",
        "shortcut uses is_time_expired other than as claim.lift(is_time_expired): statements import no "
        "helper of the rules",
    ),
    "a choice without an enum member": Change(
        "TNL060",
        READINGS,
        "key newer_than: the file has the choices reserved_after_created, alphabetical, "
        "tenure.readings.CHOICES reserved_after_created, queue_order",
        READINGS,
        "\nqueue_order = ",
        "\nalphabetical = ",
    ),
    "a preset that leaves a key open": Change(
        "TNL060",
        READINGS,
        "preset as-written leaves requeue_order open: set it to one of creation, eviction",
        READINGS,
        '\nrequeue_order = "creation"',
        "",
    ),
    "a finding that names no such vector": Change(
        "TNL080",
        FINDING,
        "F-001: names TBP-050/renamed, which is none of the vectors",
        FINDING,
        "TBP-050/a-newer-equal-loses-its-guaranteed-four-hours",
        "TBP-050/renamed",
    ),
    "a finding that names no such obligation": Change(
        "TNL080",
        FINDING,
        "F-001: names PO-TBP-999, which is none of the obligations",
        FINDING,
        "PO-TBP-080",
        "PO-TBP-999",
    ),
    "a finding without its repair": Change(
        "TNL080", FINDING, "its sections are", FINDING, "## The repair, and why", "## Repaired"
    ),
    "a finding that is known at no thread": Change(
        "TNL080",
        FINDING,
        "F-001: known is 'kueue#8522'; write the address of an issue or a pull request on github.com",
        FINDING,
        'status = "proposal"\n',
        'status = "proposal"\nknown = "kueue#8522"\n',
    ),
    "a finding that is fixed in no release": Change(
        "TNL080",
        FINDING,
        "F-001: a fixed finding, and no other, has the release that fixed it",
        FINDING,
        'status = "proposal"',
        'status = "fixed"',
    ),
    "a finding that names no such scenario": Change(
        "TNL080",
        PLAYED_FINDING,
        "F-005: names renamed, which is none of the scenarios",
        PLAYED_FINDING,
        'scenarios = ["tbp-nothing-wakes-at-expiry"]',
        'scenarios = ["renamed"]',
    ),
    "a finding that nothing replays": Change(
        "TNL080",
        PLAYED_FINDING,
        "F-005: names none of vectors, scenarios: a finding can be replayed",
        PLAYED_FINDING,
        'scenarios = ["tbp-nothing-wakes-at-expiry"]',
        "scenarios = []",
    ),
    "a finding without its command": Change(
        "TNL080",
        FINDING,
        "F-001: has 0 commands that replay it; write one, indented by four spaces",
        FINDING,
        "    tenure vectors run TBP-050/ --verbose\n",
        "",
    ),
    "a finding whose command replays something else": Change(
        "TNL080",
        FINDING,
        "F-001: names TBP-050/a-newer-equal-loses-its-guaranteed-four-hours, which "
        "`tenure vectors run KQ-010/ --verbose` does not replay",
        FINDING,
        "run TBP-050/",
        "run KQ-010/",
    ),
    "no Python": new_file("TNL000", "refimpl/tenure/broken.py", "def f(:\n", "is no Python"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_is_reported_in_words(change: Change, tree: Path, before: set[Problem]) -> None:
    if change.old is None:
        assert not (tree / change.file).exists()
        (tree / change.file).write_text(change.new, encoding="utf-8")
    else:
        edit(tree, change.file, change.old, change.new)
    new = [problem for problem in run(tree) if problem not in before]
    at_its_place = [problem for problem in new if (problem.code, problem.path) == (change.code, change.path)]
    assert any(change.words in problem.message for problem in at_its_place), new


def test_a_rule_without_a_page_is_reported(tree: Path) -> None:
    (tree / PRIORITY_PAGE).unlink()
    messages = [problem.message for problem in run(tree) if problem.path == PRIORITY]
    assert messages == ["KQ-010 has_lower_priority has no page: write spec/rules/KQ-010-….md"]


def test_a_rule_that_is_not_lifted_may_use_floats(tree: Path, before: set[Problem]) -> None:
    edit(tree, PRIORITY, '@rule("KQ-010")', '@rule("KQ-010", lift=False, reason="shares are floats")')
    edit(tree, PRIORITY, LAST_LINE, f"    half = 0.5\n{LAST_LINE}")
    assert set(run(tree)) == before


@pytest.mark.parametrize(
    "text",
    [
        "def f(target: Target) -> tuple[Target, ...]: ...\n",
        "def f(target: 'Target | None' = None) -> 'Target': ...\n",
        "class Record:\n    targets: tuple[Target, ...] = ()\n",
        "from typing import TypeAlias\n\nTargets: TypeAlias = tuple[Target, ...]\n",
    ],
)
def test_an_annotation_builds_no_target(text: str, tree: Path, before: set[Problem]) -> None:
    (tree / "refimpl/tenure/typed.py").write_text(f"from tenure.model import Target\n\n{text}")
    assert set(run(tree)) == before


@pytest.mark.parametrize(
    "text",
    [
        "cls = Target\n",
        "made = [Target]\n",
        "def f(make=Target): ...\n",
        "from typing import TypeAlias\n\nAlias: TypeAlias = Target\n",
        "class Mine(Target): ...\n",
        "made = Target.mro\n",
    ],
)
def test_any_other_use_is_reported(text: str, tree: Path, before: set[Problem]) -> None:
    (tree / "refimpl/tenure/typed.py").write_text(f"from tenure.model import Target\n\n{text}")
    assert {problem.code for problem in set(run(tree)) - before} == {"TNL010"}


def test_an_obligation_may_lift_and_annotate(tree: Path, before: set[Problem]) -> None:
    module = tree / "proofs/tenure_proofs/obligations/fine.py"
    module.write_text(
        "from tenure.rules import time_based\nfrom tenure.rules.terms import PreemptionTerms\n\n\n"
        "def claim_it(claim, terms: PreemptionTerms):\n"
        "    claim.prove(claim.lift(time_based.is_time_expired)(1, 2, 3))\n"
    )
    assert set(run(tree)) <= before


SEED = f"""# KEP

## Eligibility

1. **Strictly**: more than the
   duration has passed.

## Other{" "}

Nothing.
"""


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("From kep.md, Eligibility:\n\n> **Strictly**: more than\n> the duration has passed.\n", None),
        ("From kep.md, Eligibility:\n\n> **Strictly**: more than\n>\n> the duration has passed.\n", None),
        ("From kep.md, Eligibility:\n\n> At least the duration has passed.\n", "quote it word for word"),
        ("From kep.md, Other:\n\n> the duration has passed.\n", "quote it word for word"),
        ("From kep.md, Elsewhere:\n\n> Nothing.\n", 'kep.md has no section "Elsewhere"'),
        ("From kop.md, Other:\n\n> Nothing.\n", "quotes kop.md, which is none of the sources"),
        ("Somebody says:\n\n> Nothing.\n", "is quoted from nowhere"),
    ],
)
def test_quotes_are_looked_up_in_the_sources(source: str, words: str | None, tmp_path: Path) -> None:
    seeds = tmp_path / "shared" / "seeds"
    seeds.mkdir(parents=True)
    (seeds / "kep.md").write_text(SEED)
    pages = tmp_path / "repository" / "spec" / "rules"
    pages.mkdir(parents=True)
    (pages / "TBP-020-time-expired.md").write_text(f"## Source\n\n{source}\n## Readings\n")
    problems = list(source_quotes(tmp_path / "repository"))
    assert [(problem.code, problem.path) for problem in problems] == (
        [] if words is None else [("TNL040", EXPIRED_PAGE)]
    )
    assert words is None or words in problems[0].message


REGISTERED = """
import json, tenure.rules
from tenure.rules.registry import all_rules
print(json.dumps([[e.id, f"{e.function.__module__}.{e.function.__qualname__}", e.lift] for e in all_rules()]))
"""


def test_the_text_of_the_rules_is_what_their_package_registers() -> None:
    # In a process of its own: here other tests may have imported a module that the package does not.
    asked = subprocess.run([sys.executable, "-c", REGISTERED], capture_output=True, check=True)
    assert json.loads(asked.stdout) == [
        [function.id, function.dotted, function.lifted] for function in rule_functions(ROOT)
    ]


def test_the_text_of_the_readings_is_what_is_imported() -> None:
    imported = {key: [member.name.lower() for member in enum] for key, enum in CHOICES.items()}
    assert enum_choices(ROOT) == imported


def test_what_is_printed_or_written_past_the_one_place_is_named() -> None:
    text = (
        "import sys\nimport tempfile\n\nimport typer\n\nprint(1)\ntyper.echo('a')\n"
        "sys.stdout.write('a')\nsys.stderr.writelines(['a'])\ntempfile.mkstemp()\n"
    )
    path = "refimpl/tenure/cli/decide.py"
    command = ["ruff", "check", "--output-format=concise", "--no-cache", "--stdin-filename", path, "-"]
    ran = on_the_copy(ROOT, *command, given=text)
    assert re.findall(r":(\d+):\d+: (\w+)", ran.stdout) == [
        ("6", "T201"),
        *((str(line), "TID251") for line in range(7, 11)),
    ]


@pytest.mark.parametrize(
    ("comparison", "named"),
    [
        ("rows.priority[row] < policy.priority", True),
        ("policy.now - rows.reserved[row] > policy.duration", True),
        ("jobs[victim, QUEUED] > jobs[job, QUEUED]", True),
        ("jobs[victim, PRIORITY] == jobs[job, PRIORITY]", True),
        ("share <= 0", True),
        ("is_lower(rows.priority[row], policy.priority)", False),
        ("policy.duration >= 0", False),
        ("-FARTHEST < priority < FARTHEST", False),
        ("books.now[USAGE, node] > books.now[SUBTREE, node]", False),
    ],
)
def test_a_comparison_that_a_rule_makes_is_named_in_kernels(
    comparison: str, named: bool, tmp_path: Path
) -> None:
    for name in ("simulate/core/bases.py", "simulate/trace/trees.py", "play/cycle.py"):
        file = tmp_path / "refimpl" / f"tenure_{name}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"def told() -> bool:\n    return {comparison}\n", encoding="utf-8")
    found = [(problem.path, problem.line, problem.code) for problem in kernels(tmp_path)]
    paths = ("refimpl/tenure_simulate/core/bases.py", "refimpl/tenure_simulate/trace/trees.py")
    assert found == ([(path, 2, "TNL130") for path in paths] if named else [])


def test_the_command_exits_with_1_and_sorts(tree: Path) -> None:
    edit(tree, TIME_BASED, "now) > min_admit_duration", "now) >= min_admit_duration")
    edit(tree, PRIORITY, "from tenure.model", "import z3\nfrom tenure.model")
    ran = run_program(sys.executable, "-m", "tools.lints", "--root", str(tree), cwd=ROOT)
    lines = [line for line in ran.stdout.splitlines() if ": TNL" in line]
    assert ran.returncode == 1, ran.stderr
    assert lines == sorted(lines)
    assert any(line.startswith(f"{PRIORITY}:") and " TNL001 KQ module priority" in line for line in lines)
    assert any(line.startswith(f"{TIME_BASED}:") and " TNL030 TBP-020" in line for line in lines)


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A copy of the packages and of their contracts that a test may change."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def on_the_copy(root: Path, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command of the environment on the packages of a copy."""
    return subprocess.run(
        [Path(sys.executable).parent / command[0], *command[1:]],
        cwd=root,
        # The installed packages are the real tree, which must not be what is checked here.
        env={**os.environ, "PYTHONPATH": f"{root}/refimpl{os.pathsep}{root}/proofs", "NO_COLOR": "1"},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Run the import contracts of a copy on that copy's own packages."""
    found = on_the_copy(root, "python", "-c", "import tenure, tenure_proofs; print(tenure.__file__)")
    assert found.stdout.startswith(str(root)), found
    return on_the_copy(root, "lint-imports", "--no-cache", "--config", "pyproject.toml")


def test_an_upward_import_breaks_its_contract(packages: Path) -> None:
    model = packages / "refimpl/tenure/model.py"
    with model.open("a", encoding="utf-8") as text:
        text.write("\nimport tenure.oracle\n")
    ran = lint_imports(packages)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "Floors of tenure: model < readings < rules < oracle" in ran.stdout
    assert "tenure.model is not allowed to import tenure.oracle" in ran.stdout


def test_the_contracts_hold_in_an_unchanged_copy(packages: Path) -> None:
    ran = lint_imports(packages)
    assert ran.returncode == 0, ran.stdout + ran.stderr
