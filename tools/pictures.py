"""The README's picture: one scenario under one reading, for light and dark pages.

    python -m tools.pictures [FOLDER]

writes them, by default where the README shows them; a test compares what is there with what is drawn.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tenure.readings import preset
from tenure_play import load_scenarios, play
from tenure_play.charts import svg_chart

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "docs" / "assets" / "pictures"
SCENARIO: Final = "tbp-the-third-of-three"
READING: Final = "as-written"


def pictures() -> Iterator[tuple[str, str]]:
    """Each picture's file name, and it as SVG."""
    (scenario,) = load_scenarios([str(ROOT / "spec" / "vectors" / "scenarios" / f"{SCENARIO}.yaml")])
    played = play(scenario, preset(READING))
    yield f"{SCENARIO}-{READING}.svg", svg_chart(played)
    yield f"{SCENARIO}-{READING}-dark.svg", svg_chart(played, "dark")


def main(folder: Path) -> None:
    """Write every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures():
        (folder / name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
