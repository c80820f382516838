"""A page of a cluster: its tree of quota, and its jobs, as one HTML file.

What is drawn (`picture_of`, which returns a `ClusterPicture`) and the page itself (`page_of`) are apart.
"""

from tenure_report.page import page_of
from tenure_report.picture import ClusterPicture, picture_of

__all__ = ["ClusterPicture", "page_of", "picture_of"]
