"""A preemption that has happened: what its record says, and what is decided in the cluster as it was then."""
