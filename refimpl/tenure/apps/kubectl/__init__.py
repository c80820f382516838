"""A cluster as its API server shows it, read and never written: for `kubectl tenure`."""

from tenure.apps.kubectl.objects import Fetched, fetch
from tenure.apps.kubectl.server import Bounds, ClusterError, Server, connect

__all__ = ["Bounds", "ClusterError", "Fetched", "Server", "connect", "fetch"]
