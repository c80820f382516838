"""Draws the charts of scenarios into a folder: `python -m tenure_play.charts SCENARIO... -o FOLDER`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tenure.errors import InputError
from tenure.readings import default_preset, preset, preset_names
from tenure_play import load_scenarios, play
from tenure_play.charts import FORMATS, THEMES, write_chart


def main() -> int:
    """Draw the charts of the command line; returns the exit code."""
    options = _arguments()
    try:
        _draw(options)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tenure_play.charts", description=__doc__)
    parser.add_argument("scenarios", nargs="+", help="files or folders")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--reading", action="append", choices=preset_names(), help="may be given again")
    parser.add_argument("--format", default=FORMATS[0][1:], choices=[format_[1:] for format_ in FORMATS])
    parser.add_argument("--theme", default="light", choices=list(THEMES))
    return parser.parse_args()


def _draw(options: argparse.Namespace) -> None:
    options.output.mkdir(parents=True, exist_ok=True)
    for scenario in load_scenarios(options.scenarios):
        for reading in options.reading or [default_preset()]:
            path = options.output / f"{scenario.name}-{reading}-{options.theme}.{options.format}"
            write_chart(play(scenario, preset(reading)), path, options.theme)
            print(path)


if __name__ == "__main__":
    sys.exit(main())
