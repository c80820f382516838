"""Python read as text: modules, the names they import, and the rules among their functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tenure.pages import joined

RULES = Path("refimpl/tenure/rules")
ORACLE = Path("refimpl/tenure/oracle")
MODEL = Path("refimpl/tenure/model.py")
OBLIGATIONS = Path("proofs/tenure_proofs/obligations")
_FILES = 1024
"""Of so many files the syntax trees are kept: several lints read the same ones."""


@dataclass(frozen=True, slots=True)
class Module:
    """A parsed file.

    Args:
        path: relative to the root, with forward slashes.
        name: the module's short name, `time_based`.
        tree: its syntax tree.
    """

    path: str
    name: str
    tree: ast.Module


@dataclass(frozen=True, slots=True)
class RuleFunction:
    """A function under `@rule`.

    Args:
        id: the identifier it registers.
        module: where it is.
        node: its syntax tree.
        lifted: whether the lifters read it, so that the restrictions on a rule's body apply.
    """

    id: str
    module: Module
    node: ast.FunctionDef
    lifted: bool

    @property
    def path(self) -> str:
        """The file it is in."""
        return self.module.path

    @property
    def label(self) -> str:
        """How a message names it: `TBP-020 is_time_expired`."""
        return f"{self.id} {self.node.name}"

    @property
    def dotted(self) -> str:
        """The name a page gives it: `tenure.rules.time_based.is_time_expired`."""
        return f"tenure.rules.{self.module.name}.{self.node.name}"


def modules(root: Path, folder: Path) -> Iterator[Module]:
    """Every Python file below a folder, by path; none when there is no such folder."""
    for path in sorted((root / folder).rglob("*.py")):
        yield parse(root, path.relative_to(root))


def parse(root: Path, path: Path) -> Module:
    """One Python file.

    Raises:
        SyntaxError: it is no Python; `filename` is the path relative to the root.
    """
    text = (root / path).read_text(encoding="utf-8")
    return Module(path.as_posix(), path.stem, _tree(path.as_posix(), text))


@lru_cache(_FILES)
def _tree(path: str, text: str) -> ast.Module:
    return ast.parse(text, filename=path)


@lru_cache(_FILES)
def all_nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Every node of a file, as `ast.walk` finds them."""
    return tuple(ast.walk(tree))


def rule_functions(root: Path) -> list[RuleFunction]:
    """Every function under `@rule`, by identifier."""
    found = [
        RuleFunction(identifier, module, node, lifted)
        for module in modules(root, RULES)
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef)
        for identifier, lifted in _registrations(node)
    ]
    return sorted(found, key=lambda function: function.id)


def _registrations(node: ast.FunctionDef) -> Iterator[tuple[str, bool]]:
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(
                func=ast.Name(id="rule") | ast.Attribute(attr="rule"),
                args=[ast.Constant(value=str(identifier))],
            ):
                says = {keyword.arg: ast.unparse(keyword.value) for keyword in decorator.keywords}
                yield identifier, says.get("lift") != "False"


def body(node: ast.FunctionDef) -> list[ast.stmt]:
    """A function's statements without its docstring."""
    return node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body


def nodes(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node below some statements, annotations of local variables left out."""
    pending: list[ast.AST] = list(statements)
    while pending:
        node = pending.pop()
        yield node
        pending += [
            child
            for child in ast.iter_child_nodes(node)
            if not (isinstance(node, ast.AnnAssign) and child is node.annotation)
        ]


def comparisons(node: ast.FunctionDef) -> list[ast.Compare]:
    """Every comparison in a function's body, in source order."""
    found = [part for part in nodes(body(node)) if isinstance(part, ast.Compare)]
    return sorted(found, key=lambda compare: (compare.lineno, compare.col_offset))


def quoted_statement(node: ast.FunctionDef) -> str | None:
    """The `>` lines of a function's docstring, joined; None when there is none."""
    lines = (ast.get_docstring(node) or "").splitlines()
    quoted = [line[1:] for line in lines if line == ">" or line.startswith("> ")]
    return joined(quoted) or None


def imports(tree: ast.Module, package: str = "") -> Iterator[tuple[str, str, ast.stmt]]:
    """Every imported thing, wherever in the file the import is.

    Args:
        tree: a file.
        package: the package that relative imports start from.

    Yields:
        what is imported, the local name that it binds, and the statement. `import a.b` gives `a.b` and
        `a`; `from a import b` gives `a.b` and `b`.
    """
    for node in all_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, alias.asname or alias.name.split(".")[0], node
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield f"{_origin(node, package)}.{alias.name}", alias.asname or alias.name, node


def _origin(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parents = package.split(".")
    base = parents[: len(parents) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


def dotted_name(node: ast.expr) -> str | None:
    """`a.b.c` of a chain of names, None for any other expression.

    >>> dotted_name(ast.parse("a.b.c", mode="eval").body)
    'a.b.c'
    """
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted_name(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    return None
