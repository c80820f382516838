"""A page for the findings of each source: stories, what is seen when replayed; and the list of all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.gen.cases import Pictures
from docs.gen.charts import Views
from docs.gen.drawing import shown
from docs.gen.elsewhere import cited
from docs.gen.markdown import UNSEARCHED, Fills, Pages, at, code, folded, heading, link, linked, table
from docs.gen.openings import Openings, played_of_findings
from docs.gen.sources import ROOT, vectors
from docs.gen.upstream import first_findings, reported
from tenure.pages import FAMILIES, Page, finding_page
from tenure.reference.proposals import claims_of, proposals
from tenure.reference.statements import StatedObligation
from tools.lints.findings import STANDING, THREAD
from tools.lints.pages import findings

FINDINGS = "findings/index.md"
SOURCES = {
    "KEP-8522": FAMILIES["TBP"],
    "KEP-754": FAMILIES["DYN"],
    "KEP-8826": FAMILIES["UCQ"],
    "KEP-13396": FAMILIES["PCF"],
    "KEP-9876": FAMILIES["PPR"],
    "KEP-14468": FAMILIES["RBO"],
    "KAI-Scheduler": FAMILIES["KMR"],
    "Kueue": "Kueue, as released",
}
"""The sources, in the order of the list."""
OPENING = (
    "Replay each of these findings by its command, and see what repairs it: where the source contradicts "
    "itself, or the scheduler that it describes."
)


def finding_pages(pictures: Pictures, views: Views, openings: Openings) -> Pages:
    """A page for each source."""
    found: dict[str, list[str]] = {}
    for page in findings(ROOT):
        path = finding_page(page).partition("#")[0]
        if path not in found:
            found[path] = [f"# Findings: {source_of(page)}", OPENING, *_proposal(str(page.front["source"]))]
        found[path].extend(_finding(page, pictures, views, openings))
    return {path: "\n\n".join(parts) + "\n" for path, parts in found.items()}


def _proposal(source: str) -> Iterator[str]:
    """What became of a source's proposal, and which of its claims hold; nothing for other sources."""
    name = next((name for name in proposals() if re.match(rf"{name}(?!\d)", source)), None)
    if name is None:
        return
    proposal = proposals()[name]
    yield f"[{name}]({proposal['thread']}), {proposal['title']}. {proposal['status']} {proposal['why']}"
    refuted, proved = claims_of(name)
    command = f"`tenure show {name}`"
    yield (
        f"{len(proved)} claims are proved under every reading, {len(refuted)} are refuted under one or more: "
        f"{command} lists them, with `-o markdown` for a pull request."
    )
    rows = [[link(claim.id), claim.claim, _readings(claim)] for claim in refuted if claim.title]
    if rows:
        yield table(["Headline claim", "In words", "Refuted under"], rows)


def _readings(claim: StatedObligation) -> str:
    return ", ".join(reading for reading, verdict in claim.expected.items() if verdict == "refuted")


def finding_list() -> Fills:
    """The list of findings."""
    listed = "\n\n".join(_list()) or "None yet."
    return {FINDINGS: {"findings": listed}}


def source_of(page: Page) -> str:
    """The source that a finding is about, in the words of the list.

    Raises:
        ValueError: it is none of `SOURCES`.
    """
    source = str(page.front.get("source", ""))
    for name, words in SOURCES.items():
        if source.startswith(name):
            return words
    raise ValueError(f"{page.id} is about {source!r}, which has no place in docs/gen/findings.py")


STATUSES = {
    "proposal": "proposal closed",
    "answered": "answered by a later revision",
    "shipped": "open upstream",
    "fixed": "fixed upstream",
}
"""What has become of a finding: the proposal was closed with it; a later revision of the proposal decides it;
a released scheduler behaves so; one did, and a later release does not."""


def _list() -> Iterator[str]:
    written = list(findings(ROOT))
    if not written:
        return
    yield "## The five that matter first"
    yield "Each has a text for an issue upstream, with manifests."
    yield "\n".join(f"1. {link(page.id)}: {page.front['actual']}" for page in first_findings())
    yield f"## All findings{UNSEARCHED}"
    yield '<div class="chosen" data-by="2,3,4,5" data-sorted markdown>'
    yield table(
        ["Finding", "Title", "Severity", "Status", "Field", "Source"],
        [
            [
                link(page.id),
                f"{page.title}{_known(page, ' ({})')}",
                _severity(page),
                STATUSES[page.front["status"]],
                f"`{page.front['field']}`",
                source_of(page).partition(",")[0],
            ]
            for page in written
        ],
    )
    yield "</div>"


def _severity(page: Page) -> str:
    """In words, with what it is sorted by."""
    severity = page.front["severity"]
    return f'<span data-rank="{STANDING["severity"].index(severity)}">{severity}</span>'


def _known(page: Page, words: str) -> str:
    """A link to where it is known upstream, in these words; nothing where we know of no such place."""
    found = THREAD.fullmatch(page.front.get("known", ""))
    return words.format(f"[{found['project']}#{found['number']}]({found[0]})") if found else ""


def _standing(page: Page) -> str:
    """What a maintainer wants to know before the story."""
    key = page.front.get("reading")
    reading = f" Reading key [`{key}`](../reference/readings.md#{key})." if key else ""
    status = STATUSES[page.front["status"]]
    release = f" in {page.front['release']}" if "release" in page.front else ""
    stands = f"{status}{release}{_known(page, ', known as {}')}"
    return f"Severity {page.front['severity']}; {stands}; field `{page.front['field']}`.{reading}"


def _opened(page: Page, openings: Openings) -> str:
    """Its smallest vector, or scenario, in the playground."""
    shown = openings.link(page.id)
    return f"{shown}: {openings.same[page.id]}." if shown else ""


def _finding(page: Page, pictures: Pictures, views: Views, openings: Openings) -> Iterator[str]:
    """The story of a finding; what is seen and said when it is replayed is folded."""
    played = list(played_of_findings().get(page.id, ()))
    cases = [item for item in page.front.get("vectors", []) if item in pictures]
    title, _, story = page.body.strip().partition("\n")
    yield heading(2, title.removeprefix("# "), page.id)
    yield f"{_standing(page)} {_opened(page, openings)}"
    yield re.sub("^## ", "### ", linked(cited(story)).strip(), flags=re.MULTILINE)
    shown = [*_charts(played, views), *_pictures(cases, pictures)]
    if shown:
        yield folded("In pictures", shown)
    yield folded("Replay it, and what it rests on", [*_replay(page, played), *_named(page, played)])
    yield from reported(page)


def _charts(played: list[str], views: Views) -> Iterator[str]:
    for name in played:
        for readings, path, words in views[name]:
            yield f"[{name}]({at(name)}) under {readings}:"
            yield shown(path, words, "chart")


def _pictures(cases: list[str], pictures: Pictures) -> Iterator[str]:
    about = {vector.id: vector.data for vector in vectors()}
    for case in cases:
        data = about[case]
        reading = data["reading"] if isinstance(data["reading"], str) else "a reading of its own"
        yield f"{linked(data['comment'])} ([vector]({at(case)}), under {reading})"
        yield shown(*pictures[case], "picture")


def _replay(page: Page, played: list[str]) -> Iterator[str]:
    commands = [f"tenure simulate --scenario {name} --all-readings" for name in played]
    commands += [f"tenure vectors run {item} --verbose" for item in page.front.get("vectors", [])]
    commands += [f"tenure prove --only {item} --no-mutants" for item in page.front.get("obligations", [])]
    if commands:
        yield code("sh", "\n".join(commands))


def _named(page: Page, played: list[str]) -> Iterator[str]:
    cases = {vector.id: vector.data["rules"] for vector in vectors()}
    rules = sorted({rule for item in page.front.get("vectors", []) for rule in cases.get(item, [])})
    for words, named in (
        ("Rules", rules),
        ("Obligations", page.front.get("obligations", [])),
        ("Vectors", page.front.get("vectors", [])),
        ("Scenarios", played),
    ):
        if named:
            yield f"{words}: {', '.join(map(link, named))}."
