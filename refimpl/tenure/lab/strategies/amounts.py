"""Amounts of resources, and how Kubernetes writes them."""

from __future__ import annotations

from functools import lru_cache

from tenure.manifests.quantities import amount_of, parse_quantity
from tenure.model import Amount

CPU = "cpu"
GPU = "nvidia.com/gpu"
MEMORY = "memory"
PODS = "pods"

_GIB = 2**30
_STEPS = {CPU: 1000, MEMORY: _GIB}


def step_of(resource: str) -> Amount:
    """The amount in which quotas and requests are drawn: a core, a GiB, one device, one pod.

    >>> step_of("cpu"), step_of("nvidia.com/gpu")
    (1000, 1)
    """
    return _STEPS.get(resource, 1)


def written(amount: Amount, resource: str) -> str:
    """An amount (milli-CPU for cpu, else base units) as a Kubernetes quantity.

    >>> written(2000, "cpu"), written(2001, "cpu"), written(2**31, "memory"), written(3, "pods")
    ('2', '2001m', '2Gi', '3')
    """
    if resource == CPU:
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    if resource == MEMORY and amount % _GIB == 0 and amount:
        return f"{amount // _GIB}Gi"
    return str(amount)


@lru_cache(maxsize=4096)
def read(text: str | int, resource: str) -> Amount:
    """A Kubernetes quantity in milli-CPU for cpu, else in base units.

    Raises:
        InputError: no quantity.

    >>> read("1500m", "cpu"), read("2Gi", "memory")
    (1500, 2147483648)
    """
    return amount_of(resource, parse_quantity(text))
