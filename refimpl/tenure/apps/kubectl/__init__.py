"""A cluster as its API server shows it, read and never written: for `kubectl tenure`."""

from tenure.apps.kubectl.objects import Fetched, fetch
from tenure.apps.kubectl.server import ClusterError, Server, connect

__all__ = ["ClusterError", "Fetched", "Server", "connect", "fetch"]
