"""How a notebook shows what was loaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Final

from tenure.model import Cluster

_HEADS: Final = ("ClusterQueue", "cohort", "running", "pending")
MOST: Final = 20
"""Rows and warnings that are shown; more are counted."""


def loaded_html(cluster: Cluster, warnings: Sequence[str], ignored: int) -> str:
    """The ClusterQueues of a cluster with their numbers of workloads, and the warnings.

    Args:
        cluster: the cluster.
        warnings: about its manifests.
        ignored: how many objects play no part.

    >>> from tenure.model import ClusterQueue
    >>> loaded_html(Cluster({"a<b": ClusterQueue("a<b", cohort="all")}), ["LocalQueue/x: y"], 1)[-116:-29]
    '<td>a&lt;b</td><td>all</td><td>0</td><td>0</td></tr></table><p>1 object ignored</p><ul>'
    """
    running = Counter(workload.cluster_queue for workload in cluster.admitted)
    pending = Counter(cluster.local_queues.get((it.namespace, it.queue_name)) for it in cluster.pending)
    queues = [*cluster.cluster_queues.values()]
    rows = [(it.name, it.cohort or "", running[it.name], pending[it.name]) for it in queues[:MOST]]
    lines = [("th", _HEADS), *(("td", row) for row in rows)]
    table = "".join(
        f"<tr>{''.join(f'<{kind}>{escape(str(cell))}</{kind}>' for cell in row)}</tr>" for kind, row in lines
    )
    elsewhere = len(cluster.pending) - sum(pending[name] for name in cluster.cluster_queues)
    facts = [
        f"{len(queues) - MOST} more ClusterQueues" if len(queues) > MOST else "",
        f"{elsewhere} pending without a ClusterQueue" if elsewhere else "",
        f"{ignored} object{'s' if ignored > 1 else ''} ignored" if ignored else "",
    ]
    shown = "; ".join(filter(None, facts))
    warned = [*warnings[:MOST], *([f"and {len(warnings) - MOST} more"] if len(warnings) > MOST else [])]
    listed = "".join(f"<li>{escape(warning)}</li>" for warning in warned)
    return (
        f"<table>{table}</table>{f'<p>{escape(shown)}</p>' if shown else ''}"
        f"{f'<ul>{listed}</ul>' if listed else ''}"
    )
