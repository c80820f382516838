"""Keep one comment on a pull request of GitHub: it is made by the first run, and updated by the next ones.

A step of the Action runs it; the standard library is enough. A hidden marker separates the comments of
several jobs. A comment of another user is left alone, whatever it holds. Without the permission for it there
is a warning; the verdict is that of the step before.

Source: GitHub REST API, issue comments: GET and POST /repos/{repository}/issues/{number}/comments,
PATCH /repos/{repository}/issues/comments/{id}.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

LONGEST: Final = 60_000
"""Characters of a comment; GitHub refuses more than 65,536."""
MOST_PAGES: Final = 30
"""Pages of a hundred comments that are looked at."""
AUTHOR: Final = "github-actions[bot]"
"""Who writes with the token of a workflow."""
WARNING: Final = "::warning title=tenure::"
TIMEOUT_S: Final = 30.0


class _NoRedirect(HTTPRedirectHandler):
    """A redirect would carry the token elsewhere."""

    def redirect_request(self, *args: Any) -> None:
        """None is followed."""


def main() -> str:
    """Make or update the comment; what came of it."""
    summary = os.environ.get("TENURE_SUMMARY")
    if not summary:
        return "no comment: there is no summary"
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = (event.get("pull_request") or {}).get("number")
    if not isinstance(number, int):
        return "no comment: this is no pull request"
    marker = _marker()
    body = f"{marker}\n{_cut(Path(summary).read_text(encoding='utf-8'))}"
    repository = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    try:
        known = next(_own(f"{repository}/{number}/comments", marker), None)
        if known is None:
            _call("POST", f"{repository}/{number}/comments", {"body": body})
        else:
            _call("PATCH", f"{repository}/comments/{known}", {"body": body})
    except HTTPError as error:
        expected = "permissions: pull-requests: write; a pull request from a fork has none"
        return f"{WARNING}comment: found status {error.code} of the API, expected {expected}"
    except (URLError, TimeoutError, ValueError) as error:
        return f"{WARNING}comment: found no answer of the API, a {type(error).__name__}"
    return f"comment {'made' if known is None else 'updated'}"


def _marker() -> str:
    names = ("GITHUB_WORKFLOW", "GITHUB_JOB", "TENURE_COMMAND", "TENURE_PATHS")
    key = hashlib.sha256("\0".join(os.environ.get(name, "") for name in names).encode()).hexdigest()
    return f"<!-- tenure {key[:16]} -->"


def _cut(text: str) -> str:
    """A summary that is not too long, cut before the details that do not fit."""
    if len(text) <= LONGEST:
        return text
    at = text.rfind("\n<details>", 0, LONGEST)
    return f"{text[: max(at, 0)]}\n\nMore is in the summary of the job.\n"


def _own(path: str, marker: str) -> Iterator[int]:
    """The comments that earlier runs have made."""
    for page in range(1, MOST_PAGES + 1):
        found = _call("GET", f"{path}?per_page=100&page={page}")
        for comment in found:
            is_own = (comment.get("user") or {}).get("login") == AUTHOR
            if is_own and (comment.get("body") or "").startswith(marker):
                yield int(comment["id"])
        if len(found) < 100:
            return


def _call(method: str, path: str, content: dict[str, str] | None = None) -> Any:
    request = Request(
        os.environ.get("GITHUB_API_URL", "https://api.github.com") + path,
        data=None if content is None else json.dumps(content).encode(),
        method=method,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['TENURE_TOKEN']}",
            "Content-Type": "application/json",
            "User-Agent": "tenure",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with build_opener(_NoRedirect).open(request, timeout=TIMEOUT_S) as answer:
        return json.load(answer)


if __name__ == "__main__":
    print(main())
