"""Validity of certificates, read from what an authority has signed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from penstock.server.validity import good_until
from tests.server.certified import Authority

if TYPE_CHECKING:
    from pathlib import Path


def test_each_certificate_of_a_file_tells_until_when_it_is_good(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("localhost")
    pem = authority.file.read_text() + "remarks\n" + certificate.read_text() + key.read_text()
    hour = (datetime.now(UTC) + timedelta(hours=1)).timestamp()
    assert good_until(pem) == pytest.approx([hour, hour], abs=60)
    assert good_until(key.read_text()) == []


@pytest.mark.parametrize("year", [2031, 2049, 2050, 2120])
def test_times_are_written_in_two_ways_before_and_after_2050(year: int) -> None:
    key, end = ec.generate_private_key(ec.SECP256R1()), datetime(year, 5, 6, 7, 8, 9, tzinfo=UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x" * 60)])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 7, datetime(2020, 1, 1, tzinfo=UTC), end)
    pem = builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()
    assert good_until(pem) == [end.timestamp()]


@pytest.mark.parametrize("base64", ["AAAA", "MAA=", "MIIBIjCB", "MA8wDQIBATAAMAAwBAUABQA="])
def test_what_is_no_certificate_is_said_to_be_none(base64: str) -> None:
    with pytest.raises(ValueError, match="certificate"):
        good_until(f"-----BEGIN CERTIFICATE-----\n{base64}\n-----END CERTIFICATE-----\n")
