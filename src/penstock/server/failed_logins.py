"""How often each address failed to log in lately: who guesses passwords is slowed down.

A table of bounded size; the time comes with each call. Safe to use from several threads.
"""

from __future__ import annotations

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from threading import Lock
from typing import Final

__all__ = ["FailedLogins"]

#: Addresses to keep count of; beyond, the one that began longest ago is forgotten.
MOST_ADDRESSES: Final = 10_000
#: Bits of an IPv6 address that one customer can choose freely (RFC 6177): they are not looked at.
OWN_BITS: Final = 64


class FailedLogins:
    """Failures per address, each counted over a window that begins with its first."""

    __slots__ = ("_counts", "_limit", "_lock", "_window_in")

    def __init__(self, limit: int | None, window_in: float) -> None:
        """Refuse after `limit` failures within `window_in` seconds; None never refuses."""
        self._limit = limit
        self._window_in = window_in
        #: Address → how many, and when the first was; in the order in which they began.
        self._counts: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._counts)

    def is_over(self, address: str, now: float) -> bool:
        """Whether the address has failed too often."""
        with self._lock:
            count, _ = self._current(_network(address), now)
        return self._limit is not None and count >= self._limit

    def add(self, address: str, now: float) -> None:
        """One more failure."""
        network = _network(address)
        with self._lock:
            count, since = self._current(network, now)
            self._counts[network] = (count + 1, since)
            if len(self._counts) > MOST_ADDRESSES:
                self._counts.popitem(last=False)

    def _current(self, network: str, now: float) -> tuple[int, float]:
        count, since = self._counts.get(network, (0, now))
        if now - since < self._window_in:
            return count, since
        del self._counts[network]
        return 0, now


def _network(address: str) -> str:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return f"{int(parsed) >> OWN_BITS:x}::/{OWN_BITS}"
