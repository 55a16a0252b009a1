"""Where strangers' names lead: to whom an address is, and for whom there is a patience of its own. Pure."""

from __future__ import annotations

import ipaddress
from typing import Final, TypeAlias

__all__ = ["is_nobodys", "place_of", "zone_of"]

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

#: Under which networks that have IPv6 alone reach all others (RFC 6052 §2.1); Python takes it for reserved.
TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
#: Bits of an address of IPv4.
IPV4: Final = 32
#: Bits of a network whose addresses are as free as names: IPv6 is given away by those.
NETWORK: Final = 64
#: Labels before a country's below which everybody has domains of their own: co.uk, com.au.
SHARED: Final = frozenset({"ac", "co", "com", "edu", "gov", "net", "or", "org"})


def is_nobodys(address: str) -> bool:
    """Whether an address is this machine's own, its link's or its network's as a whole: no other domain's.

    Those of private networks are not among them: domains of one house may well meet there.
    """
    it = _read(address)
    return it.is_loopback or it.is_link_local or it.is_unspecified or it.is_multicast or it.is_reserved


def place_of(address: str, port: int) -> str:
    """For what there is a patience of its own: an address or a network, and on this machine a port."""
    it = _read(address)
    if it.is_loopback:
        return f"{it} port {port}"
    return (
        str(it)
        if isinstance(it, ipaddress.IPv4Address)
        else str(ipaddress.ip_network((it, NETWORK), strict=False))
    )


def zone_of(host: str) -> str:
    """Who answers for a host's name, as far as it shows: the names below cost their owner nothing."""
    labels = host.rstrip(".").lower().split(".")
    size = 3 if SHARED.intersection(labels[-2:-1]) else 2
    return f"the name server of {'.'.join(labels[-size:])}"


def _read(address: str) -> Address:
    """An address; of one that stands for another of IPv4, that other."""
    it = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(it, ipaddress.IPv4Address):
        return it
    if it in TRANSLATED:
        return ipaddress.IPv4Address(int(it) % (1 << IPV4))
    return it.ipv4_mapped or it
