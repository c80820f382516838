"""Tolerations, of pods and of ResourceFlavors."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.manifests.schema import CheckedToleration
from tenure.model import Toleration


def tolerations_of(found: Sequence[CheckedToleration] | None) -> tuple[Toleration, ...]:
    """The tolerations as the model has them; an operator that is not named is Equal.

    Source: Kubernetes core/v1, Toleration.

    >>> tolerations_of([CheckedToleration.model_validate({"key": "gpu", "value": "a100"})])
    (Toleration(key='gpu', exists=False, value='a100', effect=None),)
    """
    return tuple(
        Toleration(
            key=each.key or None,
            exists=each.operator == "Exists",
            value=each.value or "",
            effect=each.effect or None,
        )
        for each in found or ()
    )
