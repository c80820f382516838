"""What no lifter may read, by kind, each put into random functions that are liftable otherwise."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.tenure_proofs.written import Function, function_of

EXPRESSIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a question about a type": ("bool", ("isinstance(a, int)", "(type(a) == int)", "issubclass(bool, int)")),
    "a look-up": ("int", ("TABLE[a]", "TABLE.get(a, 2)", "{0: 1, 1: 2}[a]")),
    "membership": ("bool", ("(a in (1, 2))", "(a in {1, 2})", "(a not in TABLE)")),
    "a list": ("int", ("[a, 1][0]", "sum([a, 1])", "[*(a, 1)][0]")),
    "a comprehension": ("int", ("sum([item for item in (a, 1)])", "len({item for item in (a, 1)})")),
    "a generator": ("bool", ("any(item > a for item in (1, 2))", "all(item for item in (a, 1))")),
    "a function without a name": ("int", ("(lambda x: x + 1)(a)",)),
    "an assignment in an expression": ("int", ("(w := a)",)),
    "a float": ("bool", ("(a > 0.5)", "(float(a) > 1)", "(a / 2 > 1)")),
    "another operator": (
        "int",
        ("(a ** 2)", "(a & 3)", "(a | 1)", "(a ^ 1)", "(a << 1)", "(a >> 1)", "(~a)"),
    ),
    "a builtin": ("int", ("abs(a)", "int(a)", "divmod(a, 2)[0]", "hash(a)", "len((a, 1))", "sum((a, 1))")),
    "the least of a tuple": (
        "int",
        ("min((a, 1))", "max(a, 1, key=abs)", "max(1, a, default=3)", "min(*(a, 1))"),
    ),
    "a part of a number": ("int", ("a.real", "a.bit_length()", "a.numerator")),
    "an attribute by its name": ("int", ("getattr(JOB, 'priority')", "vars(programs)['THRESHOLD']")),
    "a property": ("int", ("JOB.urgency", "Job.urgency.fget(JOB)")),
    "a text": ("bool", ("('x' == 'x')", "(f'{a}' == '1')", "'x'.startswith('x')", "(str(a) < 'b')")),
    "an identity": (
        "bool",
        ("(a is THRESHOLD)", "(a is True)", "(Colour.RED is Colour.RED)", "(a is not 3)"),
    ),
    "a member of a number": ("bool", ("(Colour(a) == Colour.RED)", "(Colour['RED'] == Colour.RED)")),
    "arithmetic on truth values": ("int", ("((a > 0) + 1)", "(-(a > 0))", "max(a > 0, 2)")),
    "an operand of `and`": ("int", ("(a and 3)", "(a or 3)", "(a and a)")),
    "the truth of an object": ("bool", ("(not None)", "(not JOB)", "(not (a, 1))", "(not Colour.RED)")),
    "arguments by stars": ("int", ("early_return(*(a,))", "early_return(**{'a': a})")),
    "a call that raises": ("int", ("early_return()", "early_return(a, a)", "early_return(b=a)")),
    "a value of either type": ("int", ("(a if a > 0 else True)", "(a if a > 0 else Colour.RED)")),
    "records compared": ("bool", ("(JOB == JOB)", "(JOB != None)", "(Ticket(JOB, a) == Ticket(JOB, a))")),
    "a record or None": ("bool", ("((JOB if a > 0 else None) is None)",)),
    "the order of tuples": ("bool", ("((a, 1) < (a, 2))", "((1, a) >= (a, 1))")),
    "a part by a number": ("int", ("(a, 1)[a % 2]", "(a, 1)[0:1][0]", "(a, 1)[-1]", "(a, 1)[2]")),
    "a class that is no plain record": (
        "int",
        ("Doubled(a).value", "Twice(a).value", "Loud(a).value", "Mutable(a).value"),
    ),
    "a mutable default": ("int", ("counting(a)",)),
    "an object of a module": ("int", ("programs.THRESHOLD", "Settings.limit")),
}
"""Our word for the type of each, and ways to write it; `a` is a number."""

STATEMENTS: dict[str, tuple[str, ...]] = {
    "a loop": ("for w in (1, 2):\n        a = a + w", "while a < 0:\n        a = 0"),
    "an exception caught": (
        "try:\n        a = a + 1\n    except TypeError:\n        a = 0",
        "try:\n        a = a + 1\n    finally:\n        a = a - 1",
    ),
    "a context": ("with contextlib.suppress(ValueError):\n        a = a + 1",),
    "an assertion": ("assert a == a",),
    "an assignment of another form": (
        "a += 1",
        "w: int = a",
        "w = x = a",
        "w, *x = (a, 1, 2)",
        "[w, x] = (a, 1)",
    ),
    "a deletion": ("w = a\n    del w",),
    "a global name": ("global THRESHOLD",),
    "a definition inside": ("def w(x):\n        return x", "class W:\n        x = 1"),
    "a match": ("match a:\n        case 1:\n            a = 2",),
    "an import": ("import math", "from operator import add"),
    "a call for its effect": ("early_return(a)", "print"),
    "a name on one path only": ("if a > 3:\n        THRESHOLD = 1\n    a = a + THRESHOLD",),
    "nothing returned": ("if a > 3:\n        return",),
}
"""What may come before the first statement."""

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "a generator function": (
        "def written(a: int) -> int:\n    return a\n    yield a\n",
        "async def written(a: int) -> int:\n    return a\n",
    ),
    "any number of arguments": (
        "def written(a: int, *others: int) -> int:\n    return a\n",
        "def written(a: int, **others: int) -> int:\n    return a\n",
    ),
    "a decorator": (
        "def twice(function):\n"
        "    @functools.wraps(function)\n"
        "    def inner(a):\n"
        "        return function(a) if a < 10**15 else 0\n"
        "    return inner\n\n"
        "@twice\ndef written(a: int) -> int:\n    return a\n",
        "@functools.cache\ndef written(a: int) -> int:\n    return a\n",
        "def same(function):\n    return function\n\n@same\ndef written(a: int) -> int:\n    return a\n",
    ),
    "names of another function": (
        "def outer():\n    step = 3\n"
        "    def written(a: int) -> int:\n        return a + step\n    return written\n\n"
        "def other(a: int) -> int:\n    return a\n\nother = outer()\n\n"
        "def written(a: int) -> int:\n    return other(a)\n",
    ),
    "another code than the source's": (
        "def other(a: int) -> int:\n    return a + 1\n\n"
        "def doctored(function):\n    function.__code__ = other.__code__.replace(co_name='written',\n"
        "        co_firstlineno=function.__code__.co_firstlineno)\n    return function\n\n"
        "def rule(_):\n    return doctored\n\n"
        '@rule("TBP-010")\ndef written(a: int) -> int:\n    return a\n',
    ),
    "no source": (
        "def written(a: int) -> int:\n    return made(a)\n\n"
        "exec('def made(a):\\n    return a + 1')\n\n"
        "def last(a: int) -> int:\n    return written(a)\n",
    ),
    "a name that is Python's no more": (
        "def min(a, b):\n    return [a, b][0]\n\ndef written(a: int) -> int:\n    return min(a, 2)\n",
    ),
    "a call without an end": ("def written(a: int) -> int:\n    return 0 if a < 0 else written(a - 1)\n",),
    "no return": ("def written(a: int) -> int:\n    if a > 0:\n        return a\n",),
    "another type than declared": (
        "def written(a: int) -> bool:\n    return a\n",
        "def written(a: int) -> int:\n    return a > 0\n",
        "def written(a: int) -> Ticket:\n    return Ticket(JOB, place=a > 0)\n",
    ),
}
"""Whole sources, the function last."""


def _expression(kind: str, ways: tuple[str, ...]) -> Callable[[random.Random], Function]:
    return lambda draw: function_of(draw, {kind: draw.choice(ways)})


def _statement(ways: tuple[str, ...]) -> Callable[[random.Random], Function]:
    def write(draw: random.Random) -> Function:
        function = function_of(draw)
        head, definition, body = function.source.rpartition("def written(")
        first, _, rest = body.partition("\n")
        source = f"import contextlib\n\n{head}{definition}{first}\n    {draw.choice(ways)}\n{rest}"
        return Function(source, function.parameters)

    return write


def _whole(ways: tuple[str, ...]) -> Callable[[random.Random], Function]:
    return lambda draw: Function(f"import functools\n\n{draw.choice(ways)}", {"a": "int"})


KINDS: dict[str, Callable[[random.Random], Function]] = {
    **{name: _expression(*pair) for name, pair in EXPRESSIONS.items()},
    **{name: _statement(ways) for name, ways in STATEMENTS.items()},
    **{name: _whole(ways) for name, ways in FUNCTIONS.items()},
}
"""Writes a function with something of a kind."""
