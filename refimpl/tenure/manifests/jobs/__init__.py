"""Manifests of jobs, each as the Workload that Kueue would make of it.

`submitted` collects them while objects are read, and makes Workloads of those that have none; `integrations`
lists the kinds; the other modules find the pods that each kind requests. What they make is an
untrusted Workload, read and checked like any other.
"""
