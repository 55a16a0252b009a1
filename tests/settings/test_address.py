from __future__ import annotations

from typing import Any

import pytest

from penstock.settings.address import Address


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("127.0.0.1:5672", ("127.0.0.1", 5672)),
        (" localhost:0 ", ("localhost", 0)),
        ("[::1]:5671", ("::1", 5671)),
        (":65535", ("", 65535)),
    ],
)
def test_an_address_is_read_and_shown(written: str, address: tuple[str, int]) -> None:
    assert Address.read(written) == address
    assert str(Address.read(written)) == written.strip()
    assert Address.read(Address(*address)) == address


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("localhost", "is not an address like"),
        ("::1:5672", "is not an address like"),  # which colon is the port's?
        ("a b:5672", "is not an address like"),
        (5672, "is not an address like"),
        ("localhost:", "a port is a number"),
        ("localhost:amqp", "a port is a number"),
        ("localhost:65536", "a port is a number"),
        ("localhost:-1", "a port is a number"),
        ("localhost:" + "9" * 5000, "a port is a number"),
    ],
)
def test_what_is_no_address_is_refused(written: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Address.read(written)
