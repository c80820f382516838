"""The pages of rules and findings, `spec/rules` and `spec/findings`, read as text; and where to read them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from tenure.resources import bundled

_FENCE = "+++"
_ROW = re.compile(r"^\| `(?P<code>.+?)` \| (?P<words>.+) \|$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page with its number, counted from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class StatedComparison:
    """A row of a page's table of comparisons."""

    code: str
    words: str
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page of `spec/rules/` or `spec/findings/`.

    Args:
        path: relative to the root, with forward slashes.
        front: the front matter; empty if missing or not TOML.
        headings: `(level, text)` in order.
        sections: the lines below each second-level heading.
        body: everything below the front matter, unchanged.
    """

    path: str
    front: dict[str, Any]
    headings: tuple[tuple[int, str], ...]
    sections: dict[str, tuple[Line, ...]]
    body: str

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name

    @property
    def title(self) -> str:
        """The title that the front matter gives."""
        return str(self.front.get("title", ""))

    @property
    def id(self) -> str:
        """The identifier that the file's name begins with."""
        return "-".join(Path(self.path).stem.split("-")[:2])

    @property
    def slug(self) -> str:
        """The rest of the file's name."""
        return "-".join(Path(self.path).stem.split("-")[2:])

    @property
    def statement(self) -> str:
        """The blockquote of section Statement, joined."""
        return joined([line.text[1:] for line in self.section("Statement") if line.text.startswith(">")])

    def section(self, heading: str) -> tuple[Line, ...]:
        """The lines below a heading; empty when the page does not have it."""
        return self.sections.get(heading, ())

    def comparisons(self) -> list[StatedComparison]:
        """The rows of section Comparisons."""
        rows = ((line, _ROW.match(line.text)) for line in self.section("Comparisons"))
        return [StatedComparison(row["code"], row["words"], line.number) for line, row in rows if row]


def pages_in(folder: Path, root: Path) -> Iterator[Page]:
    """The pages of a folder, by file name.

    Args:
        folder: `spec/rules` or `spec/findings`.
        root: what their paths are relative to.
    """
    for path in sorted(folder.glob("*.md")):
        yield parse_page(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def parse_page(path: str, text: str) -> Page:
    """A page.

    Args:
        path: relative to the root of the specification or the repository, with forward slashes.
        text: the text of the file.

    >>> parse_page("spec/rules/KQ-010-a-title.md", '+++\\ntitle = "A title"\\n+++\\n').title
    'A title'
    """
    lines = [Line(number, content) for number, content in enumerate(text.splitlines(), start=1)]
    front, content = _split_front(lines)
    headings: list[tuple[int, str]] = []
    sections: dict[str, list[Line]] = {}
    current: list[Line] = []
    for line in content:
        heading = re.match(r"^(#+) (.+)$", line.text)
        if heading is None:
            current.append(line)
            continue
        headings.append((len(heading[1]), heading[2]))
        current = sections.setdefault(heading[2], []) if len(heading[1]) == 2 else []
    body = "\n".join(line.text for line in content).strip() + "\n"
    return Page(path, front, tuple(headings), {name: tuple(found) for name, found in sections.items()}, body)


def _split_front(lines: list[Line]) -> tuple[dict[str, Any], list[Line]]:
    fences = [index for index, line in enumerate(lines) if line.text == _FENCE]
    if len(fences) < 2 or fences[0] != 0:
        return {}, lines
    import tomllib

    try:
        front = tomllib.loads("\n".join(line.text for line in lines[1 : fences[1]]))
    except tomllib.TOMLDecodeError:
        front = {}
    return front, lines[fences[1] + 1 :]


def joined(lines: Iterable[str]) -> str:
    """Lines as one line, any run of white space as one space.

    >>> joined(["strictly more ", "  than"])
    'strictly more than'
    """
    return re.sub(r"\s+", " ", " ".join(lines)).strip()


SITE: Final = "TENURE_SITE"
"""The environment variable with the address of the built site, `https://docs.example.org/tenure`."""

FAMILIES: Final = {
    "KQ": "Kueue as released",
    "TBP": "KEP-8522, time-based preemption",
    "UCQ": "KEP-8826, Uber and Hero ClusterQueues",
    "DYN": "KEP-754, time-dependent priority",
    "KMR": "KAI's MinRuntime plugin",
    "CYC": "Queues and scheduling cycles over time",
    "PCF": "KEP-13396, PreemptionConfig",
    "PPR": "KEP-9876, preemption protection",
    "RBO": "KEP-14468, reclaim back-off",
    "AN": "What holds in every state of a configuration",
}
"""The families of rules and obligations, and what they are about."""

RULE: Final = re.compile(rf"(?<![\w-])(?:{'|'.join(FAMILIES)})-\d{{3}}\b")
"""A rule's identifier."""

IDENTIFIER: Final = re.compile(
    rf"(?<![\w/-])(?:PO-ANY|(?:PO-)?(?:{'|'.join(FAMILIES)}))-\d{{3}}\b(?![\w/-])"
    r"|(?<![\w/-])(?:F|DV)-\d{3}\b"
)
"""The identifier of a rule, an obligation, a theorem, a finding or a divergence; no part of a vector's."""

COMMANDS_PAGE: Final = "reference/cli.md"
COMMAND_PAGES: Final = "reference/commands"
DIVERGENCES_PAGE: Final = "reference/divergences.md"
THEOREMS_PAGE: Final = "proofs/any-size.md"
FEW: Final = 7
"""An obligation about more rules than these belongs to no single one of them."""


def anchor(identifier: str) -> str:
    """The fragment of an identifier's heading.

    >>> anchor("TBP-020/exactly-at-the-threshold-is-kept")
    'tbp-020-exactly-at-the-threshold-is-kept'
    """
    return identifier.lower().replace("/", "-")


def family_of(identifier: str) -> str:
    """The family of a rule or of an obligation.

    >>> family_of("TBP-020"), family_of("PO-TBP-020")
    ('TBP', 'TBP')
    """
    return identifier.removeprefix("PO-").partition("-")[0]


def obligation_page(identifier: str) -> str | None:
    """Where on the site an obligation is explained; theorems of any size have one page.

    An obligation is on the page of the highest of its rules, those of its family first: higher rules are
    made of lower ones. Where it names more than `FEW` rules, or is about a configuration, its family has a
    page for it. None for an identifier that is not recorded.

    >>> obligation_page("PO-TBP-010")
    'rules/TBP-050-when-an-equal-may-be-preempted.md#po-tbp-010'
    >>> obligation_page("PO-ANY-010"), obligation_page("PO-AN-010")
    ('proofs/any-size.md#po-any-010', 'proofs/claims-an.md#po-an-010')
    """
    family = family_of(identifier)
    if family == "ANY":
        return f"{THEOREMS_PAGE}#{anchor(identifier)}"
    rules = rules_of_obligations().get(identifier)
    if not rules:
        return None
    page = claims_page(family)
    if family != "AN" and len(rules) <= FEW:
        own = [rule for rule in rules if family_of(rule) == family]
        (file,) = bundled("spec", "rules").glob(f"{max(own or rules)}-*.md")
        page = f"rules/{file.name}"
    return f"{page}#{anchor(identifier)}"


def claims_page(family: str) -> str:
    """The page of a family's obligations that belong to no single rule."""
    return f"proofs/claims-{family.lower()}.md"


def finding_page(page: Page) -> str:
    """Where on the site a finding is explained: each source has a page for all of its findings."""
    source = re.match(r"[\w-]+", str(page.front.get("source", "")))
    return f"findings/{source[0].lower() if source else 'other'}.md#{anchor(page.id)}"


def site_address(page: str) -> str | None:
    """The address of a page of the site; None where the environment does not say where the site is.

    Args:
        page: its path below `docs/`, with or without a fragment.
    """
    site = os.environ.get(SITE, "").rstrip("/")
    if not site:
        return None
    path, hash_, fragment = page.partition("#")
    served = path.removesuffix(".md").removesuffix("index")
    return f"{site}/{served.rstrip('/')}/{hash_}{fragment}" if served else f"{site}/{hash_}{fragment}"


def address_of(identifier: str) -> str | None:
    """Where to read on about a rule, a finding, an obligation or a divergence.

    Args:
        identifier: as `IDENTIFIER` finds them.

    Returns:
        its page of the site where `TENURE_SITE` says where that is, else the file that comes with Tenure and
        states it; None where there is neither.

    >>> (address_of("TBP-020") or "").rpartition("/")[2]
    'TBP-020-time-expired.md'
    """
    family = family_of(identifier)
    if identifier.startswith("PO-"):
        page = obligation_page(identifier)
        return (site_address(page) if page else None) or _modules().get(identifier)
    if family == "DV":
        there = site_address(f"{DIVERGENCES_PAGE}#{anchor(identifier)}")
        return there or bundled("spec", "divergences.toml").as_uri()
    folder = "findings" if family == "F" else "rules"
    for file in bundled("spec", folder).glob(f"{identifier}-*.md"):
        named = f"{folder}/{file.name}"
        page = finding_page(parse_page(named, file.read_text(encoding="utf-8"))) if family == "F" else named
        return site_address(page) or file.as_uri()
    return None


def obligation_modules() -> Iterator[Path]:
    """The modules of obligations, and of theorems; none where the package of the proofs is not there.

    They are read as text: to import them takes the solvers, which need not be installed.
    """
    found = find_spec("tenure_proofs")
    for folder in (found.submodule_search_locations if found is not None else None) or ():
        for chapter in ("obligations", "theorems"):
            yield from sorted(Path(folder, chapter).glob("*.py"))


@cache
def _modules() -> dict[str, str]:
    """The address of the module that registers an obligation, by identifier."""
    registered = re.compile(r'^@(?:obligation|defines|theorem)\(\s*"(PO-[A-Z]+-\d{3})"', re.MULTILINE)
    return {
        identifier: path.as_uri()
        for path in obligation_modules()
        for identifier in registered.findall(path.read_text(encoding="utf-8"))
    }


@cache
def rules_of_obligations() -> Mapping[str, tuple[str, ...]]:
    """The rules that each obligation is about, by its identifier, as `spec/traceability.txt` records them.

    >>> rules_of_obligations()["PO-CYC-020"]
    ('CYC-010',)
    """
    text = bundled("spec", "traceability.txt").read_text(encoding="utf-8")
    recorded = re.findall(r"^obligation (\S+) is about (.+)$", text, re.MULTILINE)
    return {identifier: tuple(rules.split(", ")) for identifier, rules in recorded}
