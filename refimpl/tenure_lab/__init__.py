"""Random scenarios, decided twice: by the reference and by the optimized core or another program.

Draw scenarios (`examples`), run a program that speaks the oracle's protocol (`Program`), compare its
answers with the reference's (`classify`, which returns a `Verdict`), make a scenario that differs small
(`shrink`), and describe a whole campaign (`CampaignPlan`). `tenure conform` and `tenure campaign` are made
of these; everything is imported when first used.

>>> from tenure_lab import classify
>>> fit, no_fit = ({"output": {"decision": name, "preempted": []}} for name in ("Fit", "NoFit"))
>>> classify({}, fit, fit).kind.name, classify({}, fit, no_fit).kind.name
('AGREE', 'UNEXPLAINED')
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure_lab.campaigns import CampaignPlan
    from tenure_lab.choices import Mode
    from tenure_lab.generators.scenarios import examples
    from tenure_lab.programs import Program, ProgramFailure
    from tenure_lab.shrinking import shrink
    from tenure_lab.verdicts import Kind, Verdict, classify

__all__ = [
    "CampaignPlan",
    "Kind",
    "Mode",
    "Program",
    "ProgramFailure",
    "Verdict",
    "classify",
    "examples",
    "shrink",
]

_PLACES = {
    "tenure_lab.campaigns": ("CampaignPlan",),
    "tenure_lab.generators.scenarios": ("examples",),
    "tenure_lab.programs": (
        "Program",
        "ProgramFailure",
    ),
    "tenure_lab.shrinking": ("shrink",),
    "tenure_lab.verdicts": (
        "Kind",
        "Mode",
        "Verdict",
        "classify",
    ),
}


def __getattr__(name: str) -> object:
    # Late: a command, or the plugin of pytest, imports no more than it needs.
    from tenure.registration import late

    return late(__name__, _PLACES, name)
