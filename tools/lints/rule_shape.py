"""TNL002 to TNL009: what the body of a rule may not contain, because a lifter could not see through it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from tools.lints.problem import Problem
from tools.lints.source import MODEL, RuleFunction, body, imports, nodes, parse, rule_functions

_MAX_BRANCHES = 6
_TYPE_QUESTIONS = {"isinstance", "issubclass", "type", "hasattr", "getattr"}
_ARITHMETIC = {"min", "max", "abs"}

_Finding: TypeAlias = tuple[ast.AST, str, str]
_Check: TypeAlias = Callable[[ast.AST], str | None]


def rule_shape(root: Path) -> Iterator[Problem]:
    """TNL002 to TNL009: the bodies of all rules that are lifted."""
    functions = rule_functions(root)
    rules = {function.dotted for function in functions}
    classes = _model_classes(root)
    for function in functions:
        if function.lifted:
            for node, code, message in _findings(function, rules, classes):
                line = getattr(node, "lineno", function.node.lineno)
                yield Problem(function.path, line, code, f"{function.label} {message}")


def _findings(function: RuleFunction, rules: set[str], classes: set[str]) -> Iterator[_Finding]:
    callable_names = _callable_names(function, rules, classes)
    branches: list[ast.AST] = []
    for node in nodes(body(function.node)):
        for code, check in _CHECKS.items():
            message = check(node)
            if message is not None:
                yield node, code, message
        # Asking for types and float() have codes of their own.
        if isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id in callable_names | _TYPE_QUESTIONS | {"float"}
        ):
            yield node, "TNL009", f"calls {ast.unparse(node.func)}: a rule calls other rules, min, max, abs"
        if isinstance(node, ast.If | ast.IfExp):
            branches.append(node)
    if len(branches) > _MAX_BRANCHES:
        yield (
            function.node,
            "TNL008",
            f"has {len(branches)} branches, more than {_MAX_BRANCHES}: split it into rules of their own",
        )


def _asks_for_a_type(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in _TYPE_QUESTIONS:
            return f"calls {name}: a rule may not ask for types, a symbolic value has another one"
    return None


def _asks_for_identity(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Compare):
        return None
    for operator, right in zip(node.ops, node.comparators, strict=True):
        is_none = isinstance(right, ast.Constant) and right.value is None
        if isinstance(operator, ast.Is | ast.IsNot) and not is_none:
            return (
                f"compares identity in `{ast.unparse(node)}`: use == (only `is None` is visible to a lifter)"
            )
    return None


def _matches(node: ast.AST) -> str | None:
    if isinstance(node, ast.Match):
        return "uses match: write if, class patterns ask for types"
    return None


def _looks_up(node: ast.AST) -> str | None:
    if isinstance(node, ast.Subscript | ast.Dict | ast.Set | ast.List):
        return f"uses `{ast.unparse(node)}`: a rule takes scalars, look-ups belong in the oracle"
    if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
        return f"looks up `{ast.unparse(node)}`: compare with ==, look-ups belong in the oracle"
    return None


def _uses_floats(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=float() | complex()):
            shown = f"the float {ast.unparse(node)}"
        case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            shown = f"true division in `{ast.unparse(node)}`"
        case ast.Call(func=ast.Name(id="float")):
            shown = "float()"
        case _:
            return None
    return f"uses {shown}: rules are about integers"


_FORBIDDEN_FORMS: dict[type[ast.AST], str] = {
    ast.For: "a loop",
    ast.While: "a loop",
    ast.AsyncFor: "a loop",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Lambda: "a lambda",
    ast.Try: "try",
    ast.TryStar: "try",
    ast.With: "with",
    ast.AsyncWith: "with",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Await: "await",
    ast.NamedExpr: "a walrus",
    ast.AugAssign: "an augmented assignment",
    ast.FunctionDef: "a nested function",
    ast.AsyncFunctionDef: "a nested function",
    ast.ClassDef: "a nested class",
}


def _uses_a_forbidden_form(node: ast.AST) -> str | None:
    form = _FORBIDDEN_FORMS.get(type(node))
    return None if form is None else f"uses {form}: a rule is plain decisions, loops belong in the oracle"


_CHECKS: dict[str, _Check] = {
    "TNL002": _asks_for_a_type,
    "TNL003": _asks_for_identity,
    "TNL004": _matches,
    "TNL005": _looks_up,
    "TNL006": _uses_floats,
    "TNL007": _uses_a_forbidden_form,
}


def _callable_names(function: RuleFunction, rules: set[str], classes: set[str]) -> set[str]:
    imported = {
        local
        for name, local, _ in imports(function.module.tree, package="tenure.rules")
        if name in rules or name in classes
    }
    own = f"tenure.rules.{function.module.name}."
    return _ARITHMETIC | imported | {name.removeprefix(own) for name in rules if name.startswith(own)}


def _model_classes(root: Path) -> set[str]:
    """The enums and frozen records of the model, which are values to a lifter."""
    if not (root / MODEL).exists():
        return set()
    return {
        f"tenure.model.{node.name}"
        for node in parse(root, MODEL).tree.body
        if isinstance(node, ast.ClassDef)
        and (
            any(ast.unparse(base) in {"IntEnum", "NamedTuple"} for base in node.bases)
            or any(ast.unparse(decorator).startswith("dataclass") for decorator in node.decorator_list)
        )
    }
