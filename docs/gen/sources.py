"""What the generated pages are made from: rules, obligations, vectors, and where each is explained."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tenure.conformance.divergences import all_divergences
from tenure.conformance.vectors import Vector, load_vectors
from tenure.pages import DIVERGENCES_PAGE, anchor, finding_page, obligation_page
from tenure_play import AnyScenario, load_scenarios
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.theorems.registry import all_theorems
from tools.lints.known import scenarios as scenario_names
from tools.lints.pages import findings, pages

ROOT = Path(__file__).resolve().parents[2]
OBLIGATIONS_PAGE = "proofs/obligations.md"
VECTORS_PAGE = "vectors/index.md"
SCENARIO_FILES = "spec/vectors/scenarios"


@cache
def places() -> Mapping[str, str]:
    """Where below `docs/` every rule, finding, obligation, vector, scenario and divergence is explained."""
    of_rules = {page.id: f"rules/{page.name}" for page in pages(ROOT)}
    of_findings = {page.id: finding_page(page) for page in findings(ROOT)}
    known = ((obligation, obligation_page(obligation)) for obligation in (*OBLIGATIONS, *all_theorems()))
    obligations = {obligation: page for obligation, page in known if page is not None}
    cases = {vector.id: f"{vectors_page(vector.file.stem)}#{anchor(vector.id)}" for vector in vectors()}
    divergences = {
        divergence.id: f"{DIVERGENCES_PAGE}#{anchor(divergence.id)}" for divergence in all_divergences()
    }
    played = {
        f"{word}{name}": f"{scenarios_page(name)}#{anchor(name)}"
        for name in scenario_names(ROOT)
        for word in ("", "scenario ")
    }
    return of_rules | of_findings | obligations | cases | divergences | played


def identifier_addresses() -> dict[str, str]:
    """Where below the site each identifier is explained, by the identifier in capitals.

    >>> identifier_addresses()["F-001"]
    'findings/kep-8522/#f-001'
    """
    return {
        name.upper(): place.replace(".md", "/", 1)
        for name, place in places().items()
        if not name.startswith("scenario ")
    }


def vectors_page(area: str) -> str:
    """The page of an area's vectors."""
    return f"vectors/{area}.md"


def scenarios_page(name: str) -> str:
    """The page of a scenario, that of all whose names begin alike.

    >>> scenarios_page("tbp-the-third-of-three")
    'scenarios/tbp.md'
    """
    return f"scenarios/{name.partition('-')[0]}.md"


def written_pages() -> list[str]:
    """The pages that are written by hand, by their paths below `docs/`."""
    return sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))


def edited(page: str) -> str | None:
    """The file that a page is written in, from `docs/`; None where code makes it.

    >>> edited("rules/TBP-020-time-expired.md"), edited("tutorial.md"), edited("findings/kep-754.md")
    ('../spec/rules/TBP-020-time-expired.md', 'tutorial.md', None)
    """
    if (ROOT / "docs" / page).is_file():
        return page
    return f"../spec/{page}" if (ROOT / "spec" / page).is_file() else None


@cache
def vectors() -> tuple[Vector, ...]:
    """The published vectors; there may be none."""
    return load_vectors(ROOT / "spec" / "vectors", checked=False)


@cache
def scenarios() -> tuple[AnyScenario, ...]:
    """The published scenarios, by name."""
    return tuple(sorted(load_scenarios([str(ROOT / SCENARIO_FILES)]), key=lambda item: item.name))


def place_of(function: Callable[..., Any]) -> str:
    """The file that a function is in, from the root of the repository."""
    return Path(inspect.getsourcefile(function) or "").resolve().relative_to(ROOT).as_posix()
