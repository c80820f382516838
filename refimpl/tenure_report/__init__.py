"""A page of a cluster: its tree of quota, and its jobs, as one HTML file."""

from tenure_play.drawing.cluster_page import page_of

__all__ = ["page_of"]
