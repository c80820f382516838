"""The oracle's lines: bounded, answered one by one and in order; no line ends the loop."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from tenure.choices import Engine
from tenure.conformance.protocol import answer, failed
from tenure.conformance.protocol_types import Unreadable
from tenure.errors import ErrorCode
from tenure.manifests import MAX_LINE, decoded_json, in_mebibytes, show

_CHUNK: Final = 2**20
_LONGEST_INTEGER: Final = 400


def serve(source: IO[bytes], sink: IO[str], engine: Engine = Engine.REFERENCE) -> None:
    """Answer lines until the source ends; a bad line gets an error answer and the loop goes on.

    Args:
        source: JSON lines, UTF-8.
        sink: where the answers go, one line each, flushed.
        engine: what decides where a request names no engine.
    """
    for line in _lines(source):
        sink.write(_written(answer_line(line, engine)) + "\n")
        sink.flush()


def answer_line(line: bytes | None, engine: Engine = Engine.REFERENCE) -> dict[str, Any]:
    """Answer one line; never raises.

    Args:
        line: the bytes; None for one that was too long to keep.
        engine: what decides where the request names no engine.

    >>> answer_line(b'{"id": 1, "id": 2}')["error"]["message"]
    "the line is not JSON: the key 'id' appears twice in one object"
    """
    if line is None:
        limit = in_mebibytes(MAX_LINE)
        return _refused(ErrorCode.BAD_INPUT, f"the line is longer than {limit}, the most that is read")
    try:
        # Some programs begin what they write with a byte order mark.
        request = decoded_json(line.decode("utf-8-sig"), _DECODER)
    except UnicodeDecodeError as error:
        return _refused(ErrorCode.BAD_JSON, f"the line is not UTF-8: {error.reason} at byte {error.start}")
    except RecursionError:
        return _refused(ErrorCode.BAD_JSON, "the line is not JSON that can be read: it is nested too deeply")
    except ValueError as error:
        return _refused(ErrorCode.BAD_JSON, f"the line is not JSON: {error}")
    try:
        return answer(request, engine=engine)
    except Exception as error:  # noqa: BLE001 - a fault of ours costs one answer, not the reader's whole run
        identifier = request.get("id") if isinstance(request, Mapping) else None
        fault = f"a fault of Tenure: {type(error).__name__}: {error}"
        return failed(identifier, Unreadable(str(ErrorCode.INTERNAL), fault, ""))


def _lines(source: IO[bytes]) -> Iterator[bytes | None]:
    """Every line that is not blank; None for one that is too long, which is not kept."""
    while line := source.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE or line.endswith(b"\n"):
            if line.strip():
                yield line
            continue
        del line
        while (rest := source.readline(_CHUNK)) and not rest.endswith(b"\n"):
            pass
        yield None


def _written(response: dict[str, Any]) -> str:
    # ASCII: the same bytes under every locale, half characters that JSON can write included.
    try:
        return _ENCODER.encode(response)
    except RecursionError:
        # Of an answer, only the id is the requester's own.
        error = Unreadable(str(ErrorCode.BAD_INPUT), "the id is nested too deeply", "id")
        return _ENCODER.encode(failed(None, error))


def _refused(code: ErrorCode, message: str) -> dict[str, Any]:
    return failed(None, Unreadable(str(code), message, ""))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise ValueError(f"the key {show(counts.most_common(1)[0][0])} appears twice in one object")
    return made


def _no_number(text: str) -> float:
    raise ValueError(f"{text[:20]} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _integer(text: str) -> int:
    if len(text) > _LONGEST_INTEGER:
        raise ValueError(f"an integer of {len(text)} digits, of which at most {_LONGEST_INTEGER} are read")
    return int(text)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_number, parse_float=_finite, parse_int=_integer
)
_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
