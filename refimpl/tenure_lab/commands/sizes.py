"""What random scenarios may hold, and how large they may be, as options say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenure.errors import bad_input
from tenure.manifests import did_you_mean

if TYPE_CHECKING:
    from tenure_lab.generators.options import Feature, Options


def chosen_options(features: frozenset[Feature], limits: dict[str, int | None]) -> Options:
    """How large scenarios may be, and what they may hold.

    Raises:
        InputError: a number outside its range.
    """
    from tenure_lab.generators.options import Options

    given: dict[str, Any] = {name: most for name, most in limits.items() if most is not None}
    try:
        return Options(features=features, **given)
    except ValueError as error:
        name, _, wrong = str(error).partition(": found ")
        found, _, expected = wrong.partition(", expected ")
        raise bad_input(f"--{name.replace('_', '-')}", int(found), expected) from None


def chosen_features(with_: list[str] | None, without: list[str] | None) -> frozenset[Feature]:
    """Kueue's features and those that an option adds, less those that an option removes.

    Raises:
        InputError: there is no such feature.
    """
    from tenure_lab.generators.options import KUEUE_FEATURES

    return (KUEUE_FEATURES | _named("--with", with_)) - _named("--without", without)


def _named(option: str, names: list[str] | None) -> frozenset[Feature]:
    from tenure_lab.generators.options import Feature

    known = [feature.value for feature in Feature]
    given = [name for text in names or () for name in text.split(",")]
    for name in given:
        if name not in known:
            raise bad_input(option, name, f"one of {', '.join(known)}{did_you_mean(name, known)}")
    return frozenset(map(Feature, given))
