"""Links that leave the site: the repository, the sources that are quoted, issues and proposals by number."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import Final

from docs.gen.sources import ROOT
from tenure.pages import SITE, Page
from tools.accounts import CoveragePage, coverage_pages

REPOSITORY: Final = "TENURE_REPOSITORY"
"""The environment variable that says where the repository is, `https://github.com/OWNER/tenure`. The one
setting of the site: `repo_url`, `edit_uri`, `site_url` and links to files follow from it. Where it is not
set, files are named, and not linked."""
KUEUE: Final = "https://github.com/kubernetes-sigs/kueue"
KUEUE_BASE: Final = "ff69552e79ad21652c36caa97038382e55625cf7"
"""The commit of Kueue's main branch, of August 2026, that the rules of the family KQ state."""
HOSTS: Final = ("github.com", "kueue.sigs.k8s.io", "kubernetes.io")
"""Where the site's links may lead, beside the hosts of the repository and of the site."""

_KUEUE_FILES: Final = {
    "candidate order": "pkg/scheduler/preemption/common/ordering.go",
    "candidate iterator": "pkg/scheduler/preemption/classical/candidate_generator.go",
    "candidates": "pkg/scheduler/preemption/preemption.go",
    "search for targets": "pkg/scheduler/preemption/preemption.go",
    "classical preemption": "pkg/scheduler/preemption/preemption.go",
    "hierarchical": "pkg/scheduler/preemption/classical/hierarchical_preemption.go",
    "nodes that may lose workloads": "pkg/scheduler/preemption/classical/hierarchical_preemption.go",
    "order of target ClusterQueues": "pkg/scheduler/preemption/fairsharing/ordering.go",
    "preemption simulation": "pkg/scheduler/flavorassigner/flavorassigner.go",
    "flavor assigner": "pkg/scheduler/flavorassigner/flavorassigner.go",
    "flavors and node affinity": "pkg/scheduler/flavorassigner/flavorassigner.go",
    "pod set reducer": "pkg/scheduler/flavorassigner/podset_reducer.go",
    "dominant resource share": "pkg/cache/scheduler/fair_sharing.go",
    "weighted share": "pkg/cache/scheduler/fair_sharing.go",
    "fair sharing": "pkg/scheduler/preemption/preemption.go",
    "FairSharingPreemptWithinNominal": "pkg/features/kube_features.go",
    "quota amounts": "pkg/resources/amount.go",
    "subtree quota": "pkg/cache/scheduler/resource_node.go",
    "usage of cohorts": "pkg/cache/scheduler/resource_node.go",
    "availability": "pkg/cache/scheduler/resource_node.go",
    "borrowing": "pkg/cache/scheduler/resource_node.go",
    "effective priority": "pkg/util/priority/priority.go",
    "queue-order timestamp": "pkg/workload/workload.go",
    "scaling of pod sets": "pkg/workload/resources.go",
    "v1beta2": "apis/kueue/v1beta2/clusterqueue_types.go",
    "Configuration": "apis/config/v1beta2/configuration_types.go",
}
"""In which file of Kueue what a rule's source names is; the first of these that a source names decides."""
_FROM = re.compile(r"^From (?P<file>\S+), (?P<section>.+):$")
_NUMBER = re.compile(r"(?<![\w\[/])kueue#(\d+)\b(?!\])")


def repository() -> str:
    """Where the repository is; empty where nothing says so."""
    return os.environ.get(REPOSITORY, "").rstrip("/")


def site() -> str:
    """Where the site is served: as the environment says, or where GitHub serves that of a repository."""
    said = os.environ.get(SITE, "").rstrip("/")
    owner, _, name = repository().removeprefix("https://github.com/").partition("/")
    derived = (
        f"https://{owner.lower()}.github.io/{name}" if repository().startswith("https://github.com/") else ""
    )
    return said or derived


@cache
def revision() -> str:
    """The commit that the site is built from, or `main` where git does not say."""
    asked = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False, shell=False
    )
    return asked.stdout.strip() or "main"


def file_link(path: str, line: int | None = None) -> str:
    """A file of the repository, as a link where it is known where the repository is.

    Args:
        path: from the root of the repository.
        line: counted from 1.
    """
    if not repository():
        return f"`{path}`"
    return f"[`{path}`]({repository()}/blob/{revision()}/{path}{f'#L{line}' if line else ''})"


def numbered(text: str) -> str:
    """A text in which every issue is a link.

    >>> numbered("see kueue#1974")
    'see [kueue#1974](https://github.com/kubernetes-sigs/kueue/issues/1974)'
    """
    return _NUMBER.sub(lambda found: f"[{found[0]}]({KUEUE}/issues/{found[1]})", text)


def kueue_link(source: str) -> str:
    """What a rule's front matter says of its source, with a link to the file of Kueue that it is in.

    >>> kueue_link("Kueue main of August 2026, subtree quota").rpartition("/")[2]
    'resource_node.go)'
    """
    for named, path in _KUEUE_FILES.items():
        if "Kueue" in source and named in source:
            return f"{source}: [`{path}`]({KUEUE}/blob/{KUEUE_BASE}/{path})"
    return source


def source_of_finding(page: Page) -> tuple[str, str]:
    """What a finding is about, in words, and where that can be read."""
    said = str(page.front["source"])
    for source in _sources().values():
        named = f"KEP-{source.front['prefix']}" if "discussion" in source.front else "KAI-Scheduler"
        if said.startswith(named):
            return said, str(source.front["document"])
    raise ValueError(f"{page.id} is about {said!r}, of which no page of spec/coverage says where it is")


def documents() -> dict[str, str]:
    """Where each proposal is discussed, by its name, `KEP-8522`; a page about one links it."""
    return {
        f"KEP-{page.front['prefix']}": f"{KUEUE}/issues/{page.front['prefix']}"
        for page in _sources().values()
        if "discussion" in page.front
    }


def cited(text: str) -> str:
    """A page of a rule or of a finding in which every quotation links its document, commit and line.

    Above a quotation the page says which: `From kep-754-time-dependent-priority.md, Proposal:`.
    """
    return "\n".join(_cited(text.splitlines()))


def _cited(lines: list[str]) -> Iterator[str]:
    named: tuple[CoveragePage, str] | None = None
    passage: list[str] = []
    for line in [*lines, ""]:
        if line.startswith("> "):
            passage.append(line)
            continue
        if passage:
            yield from passage
            yield from _reference(named, passage)
            passage = []
        found = _FROM.match(line)
        if found is not None and found["file"] in _sources():
            named = _sources()[found["file"]], found["section"]
            yield f"From [{source_name(named[0])}]({_document(named[0])}), {found['section']}:"
            continue
        if line and line != ">":
            named = None
        yield line


def _reference(named: tuple[CoveragePage, str] | None, passage: list[str]) -> Iterator[str]:
    if named is None:
        return
    words, address = place_of_quote(named[0], " ".join(line[2:] for line in passage), named[1])
    yield f"> <small>[{words}]({address})</small>"


def place_of_quote(page: CoveragePage, quote: str, section: str) -> tuple[str, str]:
    """Where a quotation can be read: in words, and its address.

    Args:
        page: the page of coverage of its source.
        quote: the words.
        section: the heading that they are below, or one further up.
    """
    words = _plain(quote)
    entries = list(zip(page.entries, page.front.get("lines", ()), strict=False))
    here = [pair for pair in entries if pair[0].sentence.section.lstrip("# ") == section]
    for entry, line in (*here, *entries):
        sentence = _plain(entry.sentence.text)
        if sentence and (sentence in words or words in sentence):
            return line_of(page, line)
    return line_of(page, 0)


def line_of(page: CoveragePage, line: int) -> tuple[str, str]:
    """A line of a source, in words and as an address; 0 is what only an earlier revision says."""
    if not line:
        return "in an earlier revision", str(page.front.get("discussion", page.front["document"]))
    return f"{commit_of(page)[:7]}, line {line}", f"{_document(page)}#L{line}"


def commit_of(page: CoveragePage) -> str:
    """The commit at which a source is read."""
    return PurePosixPath(page.front["document"]).parts[5]


def source_name(page: CoveragePage) -> str:
    """What a source is called: `KEP-754`, or its title."""
    return f"KEP-{page.front['prefix']}" if "discussion" in page.front else page.title


def _document(page: CoveragePage) -> str:
    # GitHub shows lines of Markdown when it is asked for its text.
    return f"{page.front['document']}?plain=1"


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


@cache
def _sources() -> dict[str, CoveragePage]:
    """The pages of coverage that say where their source can be read, by the name of the source's file."""
    return {str(page.front["source"]): page for page in coverage_pages(ROOT) if "document" in page.front}
