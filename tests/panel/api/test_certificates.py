from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.clock import SystemClock
from penstock.settings import Address
from tests.panel.house import House
from tests.server.certified import Authority

if TYPE_CHECKING:
    from pathlib import Path

CHECK = "/health/checks/certificate-expiration"


def test_a_broker_without_tls_has_nothing_that_expires(house: House) -> None:
    assert house.get(f"{CHECK}/10/years") == {"status": "ok"}


def test_what_is_not_good_for_so_long_is_named(tmp_path: Path) -> None:
    certificate, key = Authority(tmp_path).issue("localhost")
    files = {"amqps_certificate": certificate, "amqps_key": key}
    with House(clock=SystemClock(), amqps=(Address("127.0.0.1", 0),), **files) as house:
        assert house.get(f"{CHECK}/0/days") == {"status": "ok"}
        answer = house.ask("GET", f"{CHECK}/1/days")
        assert (answer.status, answer.json["reason"]) == (503, "Certificates expiring")
        [told] = answer.json["expired"]
        assert told["name"] == str(certificate)
        assert told["good_until"].endswith("+00:00")
        certificate.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")
        [told] = house.ask("GET", f"{CHECK}/0/days").json["expired"]
        assert told["reason"].startswith("cannot be read: ")


@pytest.mark.parametrize(
    ("time", "reason"),
    [("x/days", "a whole number, not 'x'"), ("1/fortnights", "in days, weeks, months, years, not in")],
)
def test_a_time_that_is_none_is_refused(house: House, time: str, reason: str) -> None:
    answer = house.ask("GET", f"{CHECK}/{time}")
    assert answer.status == 400
    assert reason in answer.json["reason"]
