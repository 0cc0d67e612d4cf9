"""How often a client may ask: a bucket of tokens for each, filled at a steady rate."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

MOST_CLIENTS = 10_000


class Buckets:
    """One bucket per client: `burst` tokens at most, `rate` new ones a second; a request takes one.

    >>> now = [0.0]
    >>> buckets = Buckets(rate=1.0, burst=2, clock=lambda: now[0])
    >>> [buckets.wait("ann") for _ in range(3)]
    [0.0, 0.0, 1.0]
    >>> now[0] = 1.0
    >>> buckets.wait("ann"), buckets.wait("bob")
    (0.0, 0.0)
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._lock = Lock()
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, client: str) -> float:
        """Take a token: 0 if there was one, else the seconds until there is."""
        with self._lock:
            now = self._clock()
            tokens, then = self._left.pop(client, (float(self._burst), now))
            tokens = min(float(self._burst), tokens + (now - then) * self._rate)
            taken = tokens >= 1.0
            self._left[client] = (tokens - 1.0 if taken else tokens, now)
            # Clients are in the order of their last request: who has been silent longest is forgotten first.
            if len(self._left) > MOST_CLIENTS:
                self._left.pop(next(iter(self._left)))
            return 0.0 if taken else (1.0 - tokens) / self._rate
