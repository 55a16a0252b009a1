from __future__ import annotations

import pytest

from penstock.did.http.addresses import is_nobodys, place_of, zone_of

A = "203.0.113.1"


@pytest.mark.parametrize(
    ("address", "is_so"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", True),  # noqa: S104 (nobody listens there)
        ("::", True),
        ("169.254.169.254", True),
        ("fe80::1%eth0", True),
        ("224.0.0.1", True),
        ("255.255.255.255", True),
        ("::127.0.0.1", True),
        ("64:ff9b::127.0.0.1", True),
        ("64:ff9b::169.254.169.254", True),
        ("10.0.0.1", False),
        ("192.168.1.1", False),
        ("fd00::1", False),
        ("93.184.216.34", False),
        ("2606:2800:220:1::1", False),
        # What is reached over NAT64, from networks that have IPv6 alone.
        ("64:ff9b::93.184.216.34", False),
    ],
)
def test_some_addresses_are_no_other_domains(address: str, is_so: bool) -> None:  # noqa: FBT001  a column of the table
    assert is_nobodys(address) is is_so


def test_names_ports_and_the_addresses_of_a_network_are_free() -> None:
    assert place_of(A, 1) == place_of(A, 2) == A
    assert place_of("2001:db8::1", 1) == place_of("2001:db8::ffff:2", 1)
    assert place_of("2001:db8:0:1::1", 1) != place_of("2001:db8::1", 1)
    # But on one machine there may be many domains.
    assert place_of("127.0.0.1", 1) != place_of("127.0.0.1", 2)


@pytest.mark.parametrize("stands_for", ["::ffff:203.0.113.1", "64:ff9b::203.0.113.1"])
def test_what_stands_for_another_address_is_that_place(stands_for: str) -> None:
    assert place_of(stands_for, 1) == A


@pytest.mark.parametrize(
    ("host", "zone"),
    [
        ("a.b.orb.example", "orb.example"),
        ("Orb.Example.", "orb.example"),
        ("a.orb.co.uk", "orb.co.uk"),
        ("other.co.uk", "other.co.uk"),
        ("localhost", "localhost"),
    ],
)
def test_names_below_a_domain_are_its_owners(host: str, zone: str) -> None:
    assert zone_of(host) == f"the name server of {zone}"
