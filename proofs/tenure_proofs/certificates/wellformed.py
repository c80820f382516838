"""Whether a certificate is the proof of a question, as far as that shows without checking its steps.

This is no checker: that a step follows from its premises by its rule is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

Tree: TypeAlias = "str | list[Tree]"
"""A symbol, or the parts within a pair of parentheses."""

_TOKEN = re.compile(r'\s+|;[^\n]*|(?P<token>[()]|\|[^|]*\||"(?:[^"]|"")*"|[^\s();|"]+)')

UNPROVED = frozenset({"trust", "trust_theory_rewrite", "trust_theory_lemma", "hole", "sorry"})
"""Rules that prove nothing: cvc5 has no rule for what they say."""


class NotWellFormedError(ValueError):
    """A text is no certificate of its question; the message says where."""


def trees_of(text: str) -> list[Tree]:
    """The commands of a text.

    Raises:
        NotWellFormedError: its parentheses are not balanced, or something is no part of an expression.

    >>> trees_of("(assume @p1 (= x 0)) ; a comment")
    [['assume', '@p1', ['=', 'x', '0']]]
    """
    above: list[list[Tree]] = [[]]
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise NotWellFormedError(f"at byte {place}: {text[place : place + 20]!r} is no expression")
        place, token = match.end(), match["token"]
        if token == "(":
            above.append([])
        elif token == ")":
            if len(above) == 1:
                raise NotWellFormedError(f"at byte {place - 1}: a parenthesis closes nothing")
            closed = above.pop()
            above[-1].append(closed)
        elif token is not None:
            above[-1].append(token)
    if len(above) > 1:
        raise NotWellFormedError(f"{len(above) - 1} parentheses are open at the end")
    return above[0]


@dataclass(slots=True)
class _Terms:
    """Terms as numbers, equal terms as one, with definitions and `let` in place."""

    _numbers: dict[tuple[str | int, ...], int] = field(default_factory=dict)

    def number(self, tree: Tree, meant: dict[str, int]) -> int:
        while len(tree) == 3 and tree[0] == "let":
            bound = {name: self.number(value, meant) for name, value in map(_pair, tree[1])}
            meant, tree = {**meant, **bound}, tree[2]
        if isinstance(tree, str):
            return meant[tree] if tree in meant else self._of((tree.strip("|"),))
        if len(tree) == 2 and tree[0] == "-" and isinstance(tree[1], str) and tree[1].isdigit():
            # Z3 writes a negative number as an application, cvc5 as a number.
            return self._of((f"-{tree[1]}",))
        if len(tree) == 2 and tree[0] in ("and", "or"):
            # So does Z3 write one part of which all or any must hold.
            return self.number(tree[1], meant)
        return self._of((len(tree), *(self.number(part, meant) for part in tree)))

    def _of(self, key: tuple[str | int, ...]) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def _pair(tree: Tree) -> tuple[str, Tree]:
    if not isinstance(tree, list) or len(tree) != 2 or not isinstance(tree[0], str):
        raise NotWellFormedError(f"{tree} is no binding")
    return tree[0], tree[1]


@dataclass(slots=True)
class _Proof:
    """What has been read of a proof."""

    terms: _Terms
    asserted: frozenset[int]
    defined: dict[str, int] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    scopes: int = 0
    steps: int = 0
    shown: Tree = ""
    unproved: list[str] = field(default_factory=list)

    def read(self, command: Tree) -> None:
        match command:
            case ["declare-const" | "declare-fun" | "declare-type" | "declare-sort", str(), *_]:
                pass
            case ["define", str() as name, [], term, *_]:
                self.defined[name] = self.terms.number(term, self.defined)
            case ["define", str(), [*_], _, *_]:
                pass
            case ["assume", str() as name, term]:
                self._assume(name, term)
            case ["assume-push", str() as name, _]:
                self.scopes += 1
                self.known.add(name)
            case ["step" | "step-pop" as kind, str() as name, *rest] if rest:
                self._step(kind, name, rest)
            case _:
                raise NotWellFormedError(f"{_shown(command)} is no command of a proof")

    def _assume(self, name: str, term: Tree) -> None:
        if self.steps:
            raise NotWellFormedError(f"{name} is assumed after the first step")
        if self.terms.number(term, self.defined) not in self.asserted:
            raise NotWellFormedError(f"{name} assumes what the question does not assert: {_shown(term)}")
        self.known.add(name)

    def _step(self, kind: str, name: str, rest: list[Tree]) -> None:
        self.steps += 1
        words = [part for part in rest if isinstance(part, str)]
        if ":rule" not in rest[:-1]:
            raise NotWellFormedError(f"{name} has no rule")
        rule = rest[rest.index(":rule") + 1]
        if isinstance(rule, str) and rule in UNPROVED:
            self.unproved.append(f"{name}: {rule}")
        if ":premises" in words:
            premises = rest[rest.index(":premises") + 1 :][:1]
            unknown = [part for part in (premises or [""])[0] if part not in self.known]
            if unknown:
                raise NotWellFormedError(f"{name} uses {_shown(unknown[0])}, which nothing before it shows")
        if kind == "step-pop":
            self.scopes -= 1
            if self.scopes < 0:
                raise NotWellFormedError(f"{name} ends an assumption that none has begun")
        self.known.add(name)
        self.shown = rest[0] if rest[0] != ":rule" else ""


def _shown(tree: Tree) -> str:
    words = tree if isinstance(tree, str) else f"({' '.join(map(_shown, tree[:4]))}{' …' * (len(tree) > 4)})"
    return words if len(words) <= 80 else f"{words[:79]}…"


def steps_without_proof(script: str, proof: str) -> list[str]:
    """The steps that prove nothing, by name and rule, of a proof that is well-formed otherwise.

    Args:
        script: the question in SMT-LIB 2.
        proof: in the format CPC.

    Raises:
        NotWellFormedError: it is unbalanced, has an unknown command, assumes what is not asserted, uses what
            is not shown before, leaves an assumption of its own open, or does not end with `false`.
    """
    terms = _Terms()
    asserted = frozenset(terms.number(term, {}) for term in _asserted(script))
    read = _Proof(terms, asserted)
    for command in trees_of(proof):
        read.read(command)
    if read.scopes:
        raise NotWellFormedError(f"{read.scopes} of its own assumptions are open at the end")
    if not read.steps or read.shown != "false":
        raise NotWellFormedError(f"it ends with {_shown(read.shown) or 'nothing'}, not with false")
    return read.unproved


def _asserted(script: str) -> Iterator[Tree]:
    for command in trees_of(script):
        if isinstance(command, list) and command[:1] == ["assert"] and len(command) == 2:
            yield command[1]
