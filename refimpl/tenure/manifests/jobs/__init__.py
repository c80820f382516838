"""Manifests of jobs, each as the Workload that Kueue would make of it.

`submitted` collects them while objects are read, and makes Workloads of those that have none; `integrations`
says which kinds there are; the other modules say which pods each kind asks for. What they make is an
untrusted Workload, read and checked like any other.
"""
