"""Questions from public threads about Kueue, each as a cluster to ask, with the answer that Tenure gives.

A folder `kueue-N` is about the thread kubernetes-sigs/kueue#N:

- `cluster.yaml`, written by hand as `kubectl get -o yaml` prints it, in the API version of the thread's
  time; with `config.yaml`, the scheduler's Configuration, where it decides.
- `question.md`: what was asked, what the thread says, what Tenure says.
- `answer.txt`: a command after `$ `, run in the folder, and what it prints.

Facts come from the threads: quotas, policies, priorities, sizes. No word does.
`python -m tests.threads --write` writes the answers again; with `--peer build/kueue-peer` it asks the real
scheduler.
"""
