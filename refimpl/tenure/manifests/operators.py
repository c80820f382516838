"""The object by which OpenShift's operator configures Kueue, as far as it decides."""

from __future__ import annotations

from typing import Final

from tenure.errors import ErrorCode, Problem
from tenure.manifests.configuration import DEFAULT_STRATEGIES, NOT_BLOCKED, Configured
from tenure.manifests.feature_gates import settings_of
from tenure.manifests.showing import Place, show
from tenure.manifests.structure import dig

KIND: Final = "Kueue"
GROUP: Final = "kueue.openshift.io"
VERSIONS: Final = (f"{GROUP}/v1",)
_WORDS: Final = {
    ("preemption", "preemptionPolicy"): ("Classical", "FairSharing"),
    ("gangScheduling", "policy"): ("None", "ByWorkload"),
    ("gangScheduling", "byWorkload", "admission"): ("Parallel", "Sequential"),
}
"""The fields that decide, below `spec.config`, and their words; the first one is the default."""


def operated(raw: object, place: Place, problems: list[Problem]) -> Configured | None:
    """What the operator makes of its object; None where that is wrong, which is added to `problems`.

    Args:
        raw: the object, untrusted.
        place: where it is, for the problems.
        problems: gets what is wrong with it.

    Source: openshift/kueue-operator, `BuildConfigMap`: fair sharing always has the default strategies.

    >>> policy = {"preemption": {"preemptionPolicy": "FairSharing"}}
    >>> operated({"spec": {"config": policy}}, Place(), []).settings.fair_sharing is None
    False
    """
    known = len(problems)
    sharing, gang, admission = (_word_at(raw, path, place, problems) for path in _WORDS)
    if len(problems) > known:
        return None
    fair = DEFAULT_STRATEGIES if sharing == "FairSharing" else None
    over_time = []
    if (gang, admission) == ("ByWorkload", "Sequential"):
        expected = f"Parallel, for Sequential means waitForPodsReady.blockAdmission true, not {NOT_BLOCKED}"
        field = "spec.config.gangScheduling.byWorkload.admission"
        over_time.append(place.problem(field, show(admission), expected, ErrorCode.NOT_MODELLED))
    return Configured(settings_of({}, fair_sharing=fair), over_time=tuple(over_time))


def _word_at(raw: object, path: tuple[str, ...], place: Place, problems: list[Problem]) -> str:
    words = _WORDS[path]
    found = dig(raw, "spec", "config", *path)
    if found in (None, ""):
        return words[0]
    if found not in words:
        problems.append(place.problem(".".join(("spec.config", *path)), show(found), " or ".join(words)))
        return words[0]
    return str(found)
