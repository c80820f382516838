"""Functions with their source changed, where what reads a source finds it."""

from __future__ import annotations

import hashlib
import inspect
import linecache
import textwrap
from collections.abc import Callable
from typing import Any

from tenure_proofs.budgets import Budget
from tenure_proofs.theorems.proving import prove
from tenure_proofs.theorems.registry import all_theorems

LITTLE = Budget(z3=1_000_000, cvc5=0)


def changed(function: Callable[..., Any], *changes: tuple[str, str], **others: Any) -> Callable[..., Any]:
    """A copy of a function with texts of its source replaced.

    Args:
        function: which.
        changes: what is replaced once, and by what; it must be there.
        others: what some of the names that the function sees stand for.
    """
    source = textwrap.dedent(inspect.getsource(function))
    for before, after in changes:
        assert source.count(before) >= 1, f"{before!r} is not in {function.__name__}"
        source = source.replace(before, after, 1)
    return made(
        f"from __future__ import annotations\n{source}", function.__name__, function.__globals__, others
    )


def made(source: str, name: str, sees: dict[str, Any], others: dict[str, Any]) -> Callable[..., Any]:
    """The function of a name that a source defines."""
    file = f"<changed {hashlib.sha256(source.encode()).hexdigest()}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = {**sees, **others}
    exec(compile(source, file, "exec"), names)
    function: Callable[..., Any] = names[name]
    return function


def fails(identifier: str, parameter: str, function: Callable[..., Any], failure: str) -> bool:
    """Whether a theorem about a changed function is not proved, in a place and at a goal that end so."""
    parts = all_theorems()[identifier].parts(**{parameter: function})
    # One part after the other: the first that fails so is enough.
    failures = (said.split(": z3 says")[0] for part in parts for said in prove([part], None, LITTLE).failures)
    return any(said.endswith(failure) for said in failures)
