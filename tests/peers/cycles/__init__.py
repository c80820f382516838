"""One scheduling cycle of random clusters: by Tenure, as `tenure next` begins, and by Kueue's own scheduler.

Scenarios are drawn by `tenure_lab.generators.scenarios`; some of the running workloads wait again.
"""
