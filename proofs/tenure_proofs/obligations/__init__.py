"""All obligations, one file for each claim family. Importing this package registers all of them."""

from tenure.claims import claim_words
from tenure.registration import import_all
from tenure_proofs.registry import Obligation, all_obligations

import_all(__name__)
OBLIGATIONS = all_obligations()
"""Every obligation, by identifier."""


def source_text(obligation: Obligation) -> str:
    """Where a claim comes from, as its docstring says."""
    return " ".join((obligation.statement.__doc__ or "").split())


def claim_text(obligation: Obligation) -> str:
    """What is claimed, in words.

    >>> claim_text(OBLIGATIONS["PO-UCQ-260"])
    'in its own ClusterQueue, a hero respects minAdmitDuration'
    """
    return claim_words(obligation.statement.__name__)
