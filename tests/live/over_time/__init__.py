"""Random clusters on a running Kueue, step by step: what `tenure next` forecasts, and what Kueue then does.

    python -m tests.live.over_time --n 200 --seed 1          half of them with fair sharing
    python -m tests.live.over_time --only 17 --seed 1 --keep FOLDER   one of them, with its dumps

Before each step the cluster's objects, changed as the step will change them, are the input of `tenure next`.
Then the step is made, and compared is: who holds quota, on which flavors and with how many pods; who is
preempted, for whom, with which reason and message; who is evicted for another reason. Afterwards `tenure why`
answers about each preemption.

Clusters are independent of each other, so many are live at once in one control plane. No Pod runs: a Job that
is evicted returns its quota at once, hence `--eviction 0s`.
"""
