from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

import pytest

from tests.panel.house import House

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def house() -> Iterator[House]:
    with House() as house:
        yield house


def basic(text: str) -> str:
    return "Basic " + b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("authorization", "status", "reason"),
    [
        (basic("guest:guest"), 200, ""),
        (basic("guest:wrong"), 401, "login was refused"),
        (basic("nobody:guest"), 401, "login was refused"),
        (basic("guest"), 401, "holds no password"),
        ("Basic ???", 401, "cannot be read"),
        ("Bearer x", 401, "Basic authentication, not Bearer"),
    ],
)
def test_a_password_is_shown_with_every_request(
    house: House, authorization: str, status: int, reason: str
) -> None:
    answer = house.run(house.asker.get("/api/whoami", {"authorization": authorization}))
    assert answer.status == status
    if status == 401:
        assert reason in answer.json["reason"]
        assert answer.header("www-authenticate").startswith('Basic realm="Penstock"')


def test_guest_comes_from_this_machine_only(house: House) -> None:
    house.asker.address = "192.0.2.1"
    assert house.ask("GET", "/whoami").status == 401


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({}, 201),
        ({"sec-fetch-site": "same-origin", "origin": "http://panel"}, 201),
        ({"origin": "https://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
)
def test_a_change_that_another_sites_page_asks_for_is_refused_whoever_has_logged_in(
    house: House, said: dict[str, str], status: int
) -> None:
    headers = {"authorization": basic("guest:guest"), **said}
    answer = house.run(house.asker.ask("PUT", "/api/queues/%2F/mine", {}, headers))
    assert answer.status == status
