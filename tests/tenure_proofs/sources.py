"""Sources with one place changed: what can be drawn, and how a running process gets a change."""

from __future__ import annotations

import ast
import gc
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType

from tenure_proofs.mutants.comparisons import off_by_one_changes, operator_changes
from tenure_proofs.mutants.forms import form_changes
from tests.tenure_proofs.trees import ROOT

OPERATORS = (operator_changes, off_by_one_changes, form_changes)
"""What is done to a function: comparisons, connectives, conditions, sums and calls, wrong in each way."""

FOLDERS = {"oracle": "refimpl/tenure/oracle", "simulation": "refimpl/tenure_play"}
"""The areas that are more than rules, and where they are."""

DECIDES_NOTHING = tuple(
    f"refimpl/tenure_play/{name}"
    for name in ("charts", "commands", "diff", "drawing", "forecast", "postmortem")
)
"""Asks what was played, prints it and draws it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One place of a source, and what is put there.

    Args:
        area: `rules`, `oracle` or `simulation`.
        file: below the root.
        function: its name within the file, `Class.method`.
        before, after: the place's source, right and wrong, as `ast.unparse` writes it.
        start, end: where the place begins and ends: line from 1, column from 0 in UTF-8.
    """

    area: str
    file: str
    function: str
    before: str
    after: str
    start: tuple[int, int]
    end: tuple[int, int]

    @property
    def place(self) -> str:
        """For people."""
        return f"{self.file.removeprefix('refimpl/')}:{self.start[0]} {self.function}"

    @property
    def change(self) -> tuple[str, str, str, str]:
        """What stays the same when lines move."""
        return self.file, self.function, self.before, self.after

    def changed(self, text: str) -> str:
        """The file's text with the place changed."""
        (first, begins), (last, ends) = self.start, self.end
        lines = text.splitlines(keepends=True)
        before = lines[first - 1].encode()[:begins]
        after = lines[last - 1].encode()[ends:]
        whole = (before + f"({self.after})".encode() + after).decode()
        return "".join((*lines[: first - 1], whole, *lines[last:]))


def edits_of(area: str) -> list[Edit]:
    """Every change of an operator in an area that is a folder.

    Texts, and what is raised or asserted, decide nothing and are left out.
    """
    return [
        edit
        for path in sorted((ROOT / FOLDERS[area]).rglob("*.py"))
        if not path.relative_to(ROOT).as_posix().startswith(DECIDES_NOTHING)
        for edit in _edits_in(area, path)
    ]


def _edits_in(area: str, path: Path) -> Iterator[Edit]:
    file = path.relative_to(ROOT).as_posix()
    for name, definition in functions_of(ast.parse(path.read_text(encoding="utf-8"))):
        passed_over = set(_decides_nothing(definition))
        said: set[tuple[int, str]] = set()
        for family in OPERATORS:
            for change in family(len, definition):  # these families ask the source alone
                after = ast.unparse(change.after)
                if id(change.before) in passed_over or (change.place, after) in said:
                    continue
                said.add((change.place, after))
                yield edit_at(area, file, name, change.before, after)


def edit_at(area: str, file: str, function: str, node: ast.expr, after: str, above: int = 0) -> Edit:
    """The change of an expression.

    Args:
        area, file, function, after: as in `Edit`.
        node: the expression.
        above: how many lines the file has above the source that the expression was read from.
    """
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start, end = (above + node.lineno, node.col_offset), (above + node.end_lineno, node.end_col_offset)
    return Edit(area, file, function, ast.unparse(node), after, start, end)


def functions_of(tree: ast.Module | ast.ClassDef, within: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function of a source with its name, `Class.method`; those inside of another belong to that."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield within + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions_of(node, f"{within}{node.name}.")


def _decides_nothing(definition: ast.FunctionDef) -> Iterator[int]:
    for node in ast.walk(definition):
        if isinstance(node, ast.JoinedStr | ast.Assert):
            yield from (id(part) for part in ast.walk(node))


def swap(file: str, text: str) -> None:
    """Give every function of a file the body that it has in another text of that file.

    Args:
        file: below the root, in `refimpl`.
        text: of the whole file.

    Raises:
        ValueError: the text differs outside of functions, where nothing is executed again.
    """
    path = ROOT / file
    # Whoever imports it first afterwards would find in it what the file says.
    import_module(".".join(Path(file).with_suffix("").parts[1:]).removesuffix(".__init__"))
    if _outside(path.read_text(encoding="utf-8")) != _outside(text):
        raise ValueError(f"{file} differs outside of functions, and they alone can be exchanged")
    wanted = defaultdict(list)
    for code in _codes(compile(text, str(path), "exec")):
        wanted[code.co_qualname].append(code)
    for function in _functions_from(path):
        number = [code.co_firstlineno for code in _known(path)[function.__code__.co_qualname]].index(
            function.__code__.co_firstlineno
        )
        function.__code__ = wanted[function.__code__.co_qualname][number]


def _outside(text: str) -> str:
    """A source without the bodies of its functions."""

    class Emptied(ast.NodeTransformer):
        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
            node.body = [ast.Pass()]
            return node

    return ast.dump(Emptied().visit(ast.parse(text)))


@cache
def _known(path: Path) -> dict[str, list[CodeType]]:
    known = defaultdict(list)
    for code in _codes(compile(path.read_text(encoding="utf-8"), str(path), "exec")):
        known[code.co_qualname].append(code)
    return dict(known)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of every function of a source, in the order of their lines."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _codes(const)


def _functions_from(path: Path) -> list[FunctionType]:
    return [
        object_
        for object_ in gc.get_objects()
        if type(object_) is FunctionType and object_.__code__.co_filename == str(path)
    ]
