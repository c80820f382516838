"""What lies around the bytes: names of files, folders, caches, peers and kubectl, each hostile in turn.

    python -m tests.hostile.around --n 2000 --seed 1
    python -m tests.hostile.around --seed 1 --only 17

Every case is a command with its exit code in the documented set, no traceback, and nothing printed that a
terminal would obey. It is bounded in processor time and memory, so that a busy machine changes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tenure.cli import kubectl_main, main
from tenure_proofs.cache import Cache
from tests.cikit.fake_kubectl import fake_kubectl, objects_in
from tests.command_line import PATIENCE_S, called
from tests.hostile import corpus
from tests.hostile.mutations import damaged, mutated
from tests.hostile.trials import peak_memory

ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLE: Final = ROOT / "tests" / "cikit" / "sample"
NOW: Final = "2026-03-02T14:00:00Z"
LIMIT: Final = 60.0
"""Seconds of processor time in which a case ends; one that does not would never."""
FORMS: Final = ("-otext", "-ojson", "-oyaml")
CHECKED: Final = (*FORMS, "-ojunit", "-osarif", "-ogithub")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case: in a few words, and what must not happen and did."""

    said: str
    fault: str = ""


class _StillRunning(BaseException):
    """A case takes more processor time than any may; nothing that the command catches."""


NAMES: Final = (
    "plain",
    "with space",
    "-",
    "--",
    "-o",
    "--help",
    "--report=junit=planted",
    "\x1b[2J\x1b]0;owned\x07",
    "line\nbreak",
    "::error file=x::obeyed",
    "\u202egnp",
    "é" * 100,
    "x" * 240,
    "x" * 250,
    "\udcff\udcfe",
    "%25%0A",
    "<b>&]]>",
    "'\"`$(touch planted)`",
    "..",
    "...",
    "~",
    "*",
    "a\\b",
    "CON",
    ".hidden",
)
ENDINGS: Final = (".yaml", ".yaml", ".yml", ".json", ".tenure.yaml", ".YAML", "")


def _content(random: Random) -> bytes:
    """A manifest, expectations or a scenario; most of them whole."""
    found = random.choice(
        (
            random.choice(corpus.manifests()).text.encode(),
            (SAMPLE / "queues" / "gpu.yaml").read_bytes(),
            (SAMPLE / "quota.tenure.yaml").read_bytes(),
            next((ROOT / "spec" / "vectors" / "scenarios").glob("tbp-*.yaml")).read_bytes(),
            b"",
            b"\xff\xfe",
        )
    )
    return damaged(found, random) if random.random() < 0.3 else found


def _made(path: Path, content: bytes) -> bool:
    """Whether the system let a file with this name and content be made."""
    with suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return True
    return False


def _command(random: Random, names: list[str]) -> tuple[str, ...]:
    """A command that reads files or folders."""
    dashes = ("--",) if random.random() < 0.7 else ()
    reports = tuple(
        f"--report={random.choice(('junit', 'sarif', 'github'))}={random.choice(('-', 'out', *names))}"
        for _ in range(random.choice((0, 0, 0, 1, 2)))
    )
    match random.choice(
        ("validate", "validate", "decide", "decide -w", "test", "simulate", "why", "kai", "vectors")
    ):
        case "validate":
            skipping = random.choice(((), ("--skip-others",), ("--strict",)))
            return ("validate", *skipping, random.choice(CHECKED[:3]), *reports, *dashes, *names)
        case "decide":
            return (
                "decide",
                "--all-pending",
                f"--now={NOW}",
                random.choice(FORMS),
                *reports,
                *dashes,
                *names,
            )
        case "decide -w":
            return ("decide", "-v", "-w", random.choice(names), f"--now={NOW}", *dashes, *names)
        case "test":
            return ("test", random.choice(CHECKED), *dashes, *names)
        case "simulate":
            return ("simulate", random.choice(FORMS), *reports, *dashes, *names)
        case "why":
            return ("why", f"--now={NOW}", *dashes, random.choice(("ml/train", *names)), *names)
        case "kai":
            return ("kai", "resolve", "--victim-queue", "a", "--pending-queue", names[0], *dashes, *names)
        case _:
            return ("vectors", "add", random.choice(names), *dashes, *names[:1])


def a_name(random: Random, folder: Path) -> Outcome:
    """Files whose names are read as options, as commands of a terminal or of CI, or by no system at all."""
    names = []
    for _ in range(random.randint(1, 3)):
        name = random.choice(NAMES) + random.choice(ENDINGS)
        if random.random() < 0.3:
            name = f"{random.choice(NAMES[:20])}/{name}"
        _made(folder / name, _content(random))
        names.append(name)
    return judged(_command(random, names), folder, _content(random))


def _dig(path: Path, depth: int, content: bytes) -> None:
    inner = str(path)
    for _ in range(depth):
        os.mkdir(inner)  # noqa: PTH102 - a Path of so many parts costs its length each time
        inner += "/d"
    os.mkdir(inner)  # noqa: PTH102 - as above
    with open(f"{inner}/a.yaml", "wb") as file:  # noqa: PTH123 - as above
        file.write(content)


def a_folder(random: Random, folder: Path) -> Outcome:
    """A tree with links that lead out, into each other and nowhere, with pipes, sockets and deep folders."""
    place, here = folder, Path.cwd()
    for number in range(random.randint(1, 12)):
        path = place / f"{number}{random.choice(ENDINGS)}"
        kind = random.choice(
            ("file", "file", "folder", "link", "loop", "out", "pipe", "socket", "deep", "shut")
        )
        with suppress(OSError):
            if kind == "file":
                _made(path, _content(random))
            elif kind == "folder":
                path.mkdir()
                place = random.choice((place, path))
            elif kind in {"link", "loop", "out"}:
                aims = {"link": random.choice(("gone", "0.yaml", "/dev/zero", "/dev/stdin")), "loop": "."}
                path.symlink_to(aims.get(kind, random.choice(("/etc", "/proc/self/mem", "../..", "/"))))
            elif kind == "pipe":
                os.mkfifo(path)
            elif kind == "socket":
                os.chdir(place)
                with socket.socket(socket.AF_UNIX) as bound:
                    bound.bind(path.name)
            elif kind == "deep":
                _dig(path, random.choice((20, 400, 1000)), _content(random))
            else:
                _made(path, _content(random))
                path.chmod(0)
    os.chdir(here)
    return judged(_command(random, [random.choice((".", "..", "./", "0", str(folder)))]), folder)


def a_cache(random: Random, folder: Path) -> Outcome:
    """What an earlier run has kept: verdicts, a campaign's journal, the core's arrays, damaged in any way."""
    match random.choice(("verdicts", "journal", "journal", "arrays")):
        case "verdicts":
            return _kept_verdicts(random, folder)
        case "journal":
            journal = folder / "j.jsonl"
            made = called(main, ("campaign", "--scenarios=2", "--jobs=1", f"--journal={journal}"), cwd=folder)
            assert made.returncode == 0, made.stderr
            journal.write_bytes(_spoilt(journal.read_bytes(), random))
            return judged(("campaign", f"--resume={journal}", "--jobs=1", random.choice(FORMS)), folder)
        case _:
            return _kept_arrays(random, folder)


def _spoilt(raw: bytes, random: Random) -> bytes:
    if random.random() < 0.5:
        return damaged(raw, random)
    lines = raw.splitlines()
    number = random.randrange(len(lines))
    lines[number] = json.dumps(mutated(json.loads(lines[number]), random)).encode()
    return b"\n".join(lines) + random.choice((b"\n", b""))


def _kept_verdicts(random: Random, folder: Path) -> Outcome:
    key = f"{random.getrandbits(256):064x}"
    warned: list[str] = []
    kept = {"verdict": "proved", "solvers": {"z3": "unsat"}}
    Cache(folder / "kept", warned.append).put(key, kept)
    (path,) = (folder / "kept").glob("??/*.json")
    kind = random.choice(("damaged", "changed", "link", "pipe", "folder", "shared", "whole"))
    if kind == "damaged":
        path.write_bytes(damaged(path.read_bytes(), random))
    elif kind == "changed":
        path.write_text(json.dumps(mutated(json.loads(path.read_bytes()), random)), encoding="utf-8")
    elif kind == "shared":
        path.chmod(0o666)
    elif kind != "whole":
        path.rename(folder / "aside")
        {"link": lambda: path.symlink_to(folder / "aside"), "pipe": lambda: os.mkfifo(path)}.get(
            kind, path.mkdir
        )()
    found = Cache(folder / "kept", warned.append).get(key)
    believed = found is not None and found != kept
    return Outcome(f"verdicts {kind}", f"believed {found!r}" if believed else "")


def _kept_arrays(random: Random, folder: Path) -> Outcome:
    from tenure.model import Cluster, ClusterQueue
    from tenure_simulate.core.arrays import Arrays, load

    path = folder / "a.npz"
    Arrays(Cluster({"q": ClusterQueue("q")})).save(path)
    path.write_bytes(damaged(path.read_bytes(), random))
    try:
        load(path)
    except (OSError, ValueError) as error:
        return Outcome(f"arrays refused: {type(error).__name__}")
    return Outcome("arrays read")


PEER: Final = """
import json, os, sys
answers = json.loads(sys.argv[1])
for number, line in enumerate(sys.stdin.buffer):
    answer = answers[number % len(answers)]
    if answer == "end":
        os._exit(number % 256)
    if answer == "deep":
        answer = "[" * 100000
    if answer == "long":
        answer = "x" * 2**20
    if isinstance(answer, dict) and answer.get("id") == "same":
        answer = {**answer, "id": json.loads(line)["id"]}
    raw = answer if isinstance(answer, str) else json.dumps(answer)
    os.write(1, raw.encode("utf-8", "surrogatepass") + b"\\n")
"""


def a_peer(random: Random, folder: Path) -> Outcome:
    """A program that answers what no answer is: garbage, escapes, other shapes, or no more."""
    whole = {
        "id": "same",
        "output": {
            "decision": random.choice(("Fit", "Preempt", "NoFit", "\x1b[2J::error::x\n")),
            "preempted": [{"workload": "ns/\x1b]0;a\x07", "clusterQueue": "<b>", "reason": "InClusterQueue"}],
        },
    }
    answers = [
        random.choice(
            (
                *("end", "deep", "long", "", "null", "{", "\ud800"),
                *[whole] * 12,
                *[mutated(whole, random) for _ in range(6)],
            )
        )
        for _ in range(random.randint(1, 4))
    ]
    (folder / "peer.py").write_text(PEER, encoding="utf-8")
    program = [sys.executable, "-S", "-E", str(folder / "peer.py"), json.dumps(answers)]
    chosen = random.choice((("--no-vectors", "--scenarios=2"), ("--scenarios=0",), ("--scenarios=1",)))
    return judged(
        ("conform", "--exec", _quoted(program), *chosen, random.choice(CHECKED), "--jobs=1"), folder
    )


def _quoted(words: list[str]) -> str:
    import shlex

    return shlex.join(words)


def a_kubectl(random: Random, folder: Path) -> Outcome:
    """A kubectl whose answers are changed, cut off or no JSON, which says anything and fails at random."""
    fake = fake_kubectl(folder / "bin")
    fake.serve(objects_in([SAMPLE / "queues" / "gpu.yaml", SAMPLE / "running" / "workloads.yaml"]))
    answers = fake.folder / "answers"
    names = sorted(file.name.removesuffix(".code") for file in answers.glob("*.code"))
    for name in random.sample(names, random.randint(1, 3)):
        usual = (answers / name).read_bytes()
        changed = json.dumps(mutated(json.loads(usual), random)).encode() if usual[:1] == b"{" else usual
        printed = random.choice((changed, changed, damaged(changed, random), b"[" * 99999, b"\xff\x00"))
        said = random.choice(("", "Error from server (Forbidden): \x1b[2J", "error: x" * 9999, "\r\n\0"))
        fake.answer(name, printed, said, random.choice((0, 0, 0, 1, 255)))
    asked = random.choice(
        (("why", "ml/train"), ("why-not", "ml/eval", "ml/train"), ("next",), ("decide", "-a"), ("dump",))
    )
    words = (*asked, *(() if asked == ("dump",) else (f"--now={NOW}", random.choice(FORMS))))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("KUBECTL", str(fake.program))
        return judged(words, folder, program=kubectl_main, codes=(0, 2, 4))


def judged(
    words: tuple[str, ...],
    folder: Path,
    stdin: bytes = b"",
    program: Callable[[], None] = main,
    codes: tuple[int, ...] = (0, 1, 2),
) -> Outcome:
    """Run a command in a folder, and look at how it ends and what it prints."""
    done = called(program, words, stdin=stdin, cwd=folder)
    fault = "\n".join(_faults(done, codes))
    return Outcome(f"{words[0]} {done.returncode}", fault and f"{words!r}\n{fault}")


def _faults(done: subprocess.CompletedProcess[bytes], codes: tuple[int, ...]) -> Iterator[str]:
    if done.returncode not in codes:
        yield f"exit code {done.returncode}, expected one of {codes}: {done.stderr[-2000:]!r}"
    if b"Traceback" in done.stderr or b"internal error" in done.stderr:
        yield f"a traceback or an internal error: {done.stderr[-2000:]!r}"
    for name, raw in (("output", done.stdout), ("errors", done.stderr)):
        wrong = [line for line in raw.decode().split("\n") if not line.isprintable()]
        if wrong:
            yield f"not printable in the {name}: {wrong[0][:300]!r}"


GROUPS: Final[Mapping[str, Callable[[Random, Path], Outcome]]] = {
    "name": a_name,
    "folder": a_folder,
    "cache": a_cache,
    "peer": a_peer,
    "kubectl": a_kubectl,
}


def run(number: int, seed: int) -> tuple[str, Outcome]:
    """One case in a folder of its own, which is removed; its number and the seed draw it again."""
    group = tuple(GROUPS)[number % len(GROUPS)]
    folder = Path(tempfile.mkdtemp(prefix="tenure-"))
    here = Path.cwd()
    try:
        inner = folder / "in"
        inner.mkdir()
        with _limited(LIMIT):
            return group, GROUPS[group](Random(f"{seed}/{number}"), inner)
    except _StillRunning:
        return group, Outcome("fault", f"still running after {LIMIT:.0f} s of processor time, or it hangs")
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what this looks for
        return group, Outcome("fault", "".join(traceback.format_exception(error)[-6:]))
    finally:
        os.chdir(here)
        # Python's own would need a frame for each level of folders.
        subprocess.run(["rm", "-rf", "--", folder], check=False)


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _StillRunning

    # What waits uses no processor time; after `PATIENCE_S` it counts as hung, however busy the machine.
    watched = {
        signal.SIGPROF: (signal.ITIMER_PROF, seconds),
        signal.SIGALRM: (signal.ITIMER_REAL, PATIENCE_S),
    }
    before: dict[signal.Signals, Any] = {number: signal.signal(number, stop) for number in watched}
    for timer, limit in watched.values():
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for timer, _ in watched.values():
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=2000, help="how many cases")
    parser.add_argument("--seed", type=int, default=1, help="which cases")
    parser.add_argument("--only", type=int, help="run one case, by its number")
    return parser.parse_args()


def campaign() -> int:
    """Run, tell, and say by the exit code whether anything was found."""
    given = _arguments()
    numbers = range(given.n) if given.only is None else range(given.only, given.only + 1)
    counts: Counter[tuple[str, str]] = Counter()
    faults = 0
    for done, number in enumerate(numbers, 1):
        group, outcome = run(number, given.seed)
        counts[group, outcome.said] += 1
        if outcome.fault:
            faults += 1
            print(
                f"--- case {number}, a {group}:\n{outcome.fault.encode('ascii', 'backslashreplace').decode()}"
            )
        if done % 200 == 0:
            print(f"{done} cases, {faults} faults, {peak_memory():.0f} MiB", flush=True)
    for (group, said), count in sorted(counts.items()):
        print(f"{group:10} {said:32} {count:6}")
    print(
        f"\nseed {given.seed}: {len(numbers)} cases; {faults} faults;"
        f" peak memory {peak_memory():.0f} MiB here,"
        f" {peak_memory(resource.RUSAGE_CHILDREN):.0f} MiB in a process"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(campaign())
