"""A cluster as kubectl prints it, for `kubectl tenure`: one List of all that a decision depends on."""

from tenure.kubectl.dump import NAME, KaiDump, KueueDump
from tenure.kubectl.run import ClusterError, Kubectl

__all__ = ["NAME", "ClusterError", "KaiDump", "Kubectl", "KueueDump"]
