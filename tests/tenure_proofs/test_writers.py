"""Which functions may write an attribute is found by names, and what names do not show is refused."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tenure_play import changes, engine
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.writers import may_write, writing
from tests.tenure_proofs.changed import changed

STORE = """
class Store:
    def __init__(self):
        self.kept = 0

    def put(self, value):
        self.kept = value

    def look(self):
        return self.kept
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    """The module `use` of a package that has `store` and `other`, with the given statements in `use`."""
    (folder := tmp_path / "written").mkdir()
    for name, source in {
        "__init__": "",
        "store": STORE,
        "use": request.param,
        "other": "from written import store\ndef away(it): it.put(1)",
    }.items():
        (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "written"]:
        monkeypatch.delitem(sys.modules, name)
    return importlib.import_module("written.use")


IMPORTS = "from written.store import Store\n"


@pytest.mark.parametrize(
    ("package", "found"),
    [
        (f"{IMPORTS}def new(): return Store()\ndef looks(it): return it.look()", {"put"}),
        (
            f"{IMPORTS}def one(it): it.put(1)\ndef two(it):\n    def inner(): one(it)\n    inner()",
            {"put", "one", "two", "inner"},
        ),
        (f"{IMPORTS}def adds(it): it.kept += 1", {"put", "adds"}),
        (f"{IMPORTS}def both(it): it.kept, other = 1, 2", {"put", "both"}),
        (
            f"{IMPORTS}class Made:\n    def __post_init__(self): self.of.put(1)\ndef makes(): Made()",
            {"put", "Made", "makes"},
        ),
        ("def late():\n    from written import other\n    return other", {"put", "away"}),
        ("def away(it): it.put(1)", set()),
    ],
    indirect=["package"],
)
def test_whoever_names_a_writer_may_write(package: ModuleType, found: set[str]) -> None:
    assert may_write("kept", package) == found


@pytest.mark.parametrize(
    "package",
    [
        f"{IMPORTS}def hands_on(it): return it.put",
        f"{IMPORTS}ALIAS = Store.put",
        f"{IMPORTS}def hands_on(it):\n    def inner(): it.put(1)\n    return inner",
        f"{IMPORTS}def hands_on(it): return lambda: it.put(1)",
        f"{IMPORTS}def late(those): yield [it.put(1) for it in those]",
        f"{IMPORTS}def late(those): return (it.put(1) for it in those)",
        f"{IMPORTS}def computed(it, name): setattr(it, name, 1)",
        f"{IMPORTS}def computed(it): vars(it)['kept'] = 1",
        f"{IMPORTS}class Other:\n    def __len__(self): return self.of.put(1)",
    ],
    indirect=True,
)
def test_what_may_write_unseen_is_refused(package: ModuleType) -> None:
    with pytest.raises(LiftError, match="may write kept unseen"):
        may_write("kept", package)


def test_a_statement_of_a_cycle_that_would_write_is_found() -> None:
    names = may_write("workload", engine)
    before = "self.changes.dirty = False"
    cycle = changed(engine.Player._cycle, (before, f"{before}\n    self.changes.apply(task)"))
    assert writing(cycle, names) == ("self.changes.apply(task)", *writing(engine.Player._cycle, names))
    twice = changed(
        changes.Changes.settle, ("write_turn(handled, self.world)", "[write_turn(handled, self.world)] * 2")
    )
    assert writing(twice, names)[0] == "[write_turn(handled, self.world)] * 2"
