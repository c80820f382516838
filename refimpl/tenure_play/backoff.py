"""What the scheduler keeps in memory of reclaims (KEP-14468). A proposal, from its text, not run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tenure.model import Duration, FlavorResource, Instant, ReclaimBackoff
from tenure.readings import BackoffDeadline
from tenure.rules.backoff import cooldown_after, cooldown_end


@dataclass(frozen=True, slots=True)
class Cooldown:
    """The cooldown of a flavor-resource in a ClusterQueue.

    Args:
        length: how long it lasts, ns.
        end: when it ends, by the controller's clock.
        since: when the last reclaim was.
    """

    length: Duration
    end: Instant
    since: Instant


class BackoffTracker:
    """The cooldowns of all ClusterQueues; it changes.

    >>> tracker, cpu = BackoffTracker(), FlavorResource("default", "cpu")
    >>> settings = ReclaimBackoff(base=60, most=3600, reset=600)
    >>> tracker.arm("guest", cpu, 0, settings, BackoffDeadline.REPLACED)
    Cooldown(length=60, end=60, since=0)
    >>> tracker.arm("guest", cpu, 0, settings, BackoffDeadline.REPLACED) is None
    True
    """

    def __init__(self) -> None:
        self._cooldowns: dict[tuple[str, FlavorResource], Cooldown] = {}
        self._armed: set[tuple[str, FlavorResource]] = set()

    def begin_cycle(self) -> None:
        """A scheduling cycle begins: it arms each pair once at most."""
        self._armed.clear()

    def arm(
        self,
        queue: str,
        at: FlavorResource,
        now: Instant,
        settings: ReclaimBackoff,
        backoff_deadline: BackoffDeadline,
    ) -> Cooldown | None:
        """Quota that a ClusterQueue borrowed is reclaimed.

        Args:
            queue: the name of the ClusterQueue.
            at: the flavor-resource.
            now: by the controller's clock.
            settings: of the Configuration.
            backoff_deadline: the reading.

        Returns:
            the cooldown that begins; None where the cycle has armed it already.
        """
        pair = queue, at
        if pair in self._armed:
            return None
        self._armed.add(pair)
        before = self._cooldowns.get(pair)
        length = cooldown_after(
            None if before is None else before.length,
            0 if before is None else now - before.since,
            settings.base,
            settings.most,
            settings.reset,
        )
        end = cooldown_end(None if before is None else before.end, now, length, backoff_deadline)
        found = self._cooldowns[pair] = Cooldown(length, end, now)
        return found

    def forget(self) -> None:
        """The controller restarts."""
        self._cooldowns.clear()

    def running(self, clock: Instant) -> Mapping[str, Mapping[FlavorResource, Instant]]:
        """The ends of the cooldowns that have not ended, by ClusterQueue.

        Args:
            clock: what the controller's clock shows.
        """
        found: dict[str, dict[FlavorResource, Instant]] = {}
        for (queue, at), cooldown in self._cooldowns.items():
            if clock < cooldown.end:
                found.setdefault(queue, {})[at] = cooldown.end
        return found

    def state(
        self, clock: Instant, reset: Duration
    ) -> tuple[tuple[str, str, Duration, Duration, Duration], ...]:
        """All that later cycles can depend on: lengths, what is left of each, and how long ago they began.

        Args:
            clock: what the controller's clock shows.
            reset: `backoffResetSeconds`, ns.
        """
        return tuple(
            (
                queue,
                f"{at.flavor} {at.resource}",
                found.length,
                max(0, found.end - clock),
                clock - found.since,
            )
            for (queue, at), found in sorted(self._cooldowns.items())
            if clock < found.end or clock - found.since <= reset
        )
