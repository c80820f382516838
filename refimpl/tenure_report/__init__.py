"""A page of a cluster: its tree of quota, and its jobs, as one HTML file (`page_of`)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure_play.drawing.cluster_page import page_of

__all__ = ["page_of"]


def __getattr__(name: str) -> object:
    # Late: the help of the command draws nothing.
    if name in __all__:
        from tenure_play.drawing import cluster_page

        return getattr(cluster_page, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
