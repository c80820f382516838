"""Write the answers again, or ask the real scheduler: `python -m tests.threads --write`, `--peer COMMAND`."""

from __future__ import annotations

import argparse

from tenure_lab.programs import Program, command_of
from tests.threads.folders import threads
from tests.threads.peer import agreement, request


def main() -> int:
    """Do what is asked; 1 if the scheduler disagrees about a thread."""
    parser = argparse.ArgumentParser("python -m tests.threads", description=__doc__)
    parser.add_argument("--write", action="store_true", help="run every command, and write its answer.txt")
    parser.add_argument("--peer", help="command line of the peer to compare the decisions with")
    parser.add_argument("--repeat", type=int, default=20, help="how often the peer decides each")
    given = parser.parse_args()
    if given.write:
        for thread in threads():
            (thread.folder / "answer.txt").write_text(thread.said(), encoding="utf-8")
    return _compare(given.peer, given.repeat) if given.peer else 0


def _compare(peer: str, repeat: int) -> int:
    found = 0
    with Program(command_of(peer)) as program:
        print(" ".join(program.named()))
        for thread in threads():
            asked = request(thread)
            (said,) = program.ask([{"id": thread.number, "call": "decide", "input": asked, "repeat": repeat}])
            agrees, told = agreement(thread, asked, said)
            found += not agrees
            print(f"{'agrees' if agrees else 'DIFFERS'}  {told}")
    return min(found, 1)


if __name__ == "__main__":
    raise SystemExit(main())
