"""How far `tenure next` looks ahead unless it is given."""

from __future__ import annotations

from typing import Final

USUAL_EVICTION: Final = "30s"
"""How long Kubernetes lets pods take to end by default."""
USUAL_UNTIL: Final = "24h"
"""How far from now."""
