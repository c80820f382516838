"""A reading in words."""

from __future__ import annotations

from tenure.readings import Reading, default_preset, preset, preset_names


def reading_text(reading: Reading) -> str:
    """A preset's name, and every key in which the reading differs from it.

    Args:
        reading: the preset is the one that it was made of; of one made of none, the one that is nearest.

    >>> from tenure.readings import parse_reading
    >>> reading_text(parse_reading({"requeue_order": "creation"}))
    'guaranteed with requeue_order: creation'
    >>> reading_text(parse_reading({"preset": "released", "requeue_order": "creation"}))
    'released'
    """
    base = reading.name.partition("+")[0]
    if base not in preset_names():
        names = (default_preset(), *preset_names())
        base = min(names, key=lambda name: len(_differing(reading, name)))
    differing = ", ".join(f"{key}: {choice}" for key, choice in _differing(reading, base).items())
    return f"{base} with {differing}" if differing else base


def _differing(reading: Reading, name: str) -> dict[str, str]:
    usual = preset(name).choices()
    return {key: choice for key, choice in reading.choices().items() if choice != usual[key]}
