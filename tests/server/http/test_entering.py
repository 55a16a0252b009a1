from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

import pytest

from penstock.server.authentication import Peer
from penstock.server.http.entering import claim_of
from penstock.server.http.replies import HttpFault
from tests.server.http.served import House, basic

if TYPE_CHECKING:
    from collections.abc import Iterator

PEER = Peer(address="127.0.0.1")
READER = "/api/readers/%2F/q/r"


@pytest.fixture
def own() -> Iterator[House]:
    """A broker of the test's own, with a queue."""
    with House(max_failed_logins=3) as house:
        house.fill("q", [])
        yield house


@pytest.mark.parametrize(
    ("said", "user", "password"),
    [
        (basic("guest", "secret"), "guest", "secret"),
        (basic("é", "a:b"), "é", "a:b"),
        ("bAsIc " + b64encode(b":").decode(), "", ""),
    ],
)
def test_basic_says_who_asks(said: str, user: str, password: str) -> None:
    claim = claim_of(said, PEER, ("PLAIN",))
    assert (claim.mechanism, claim.username, claim.password) == ("PLAIN", user, password)


def test_who_says_nothing_may_have_shown_a_certificate() -> None:
    known = Peer(address="127.0.0.1", is_tls=True, certificate={"subject": ()})
    assert claim_of(None, known, ("PLAIN", "EXTERNAL")).mechanism == "EXTERNAL"
    with pytest.raises(HttpFault, match="say who you are"):
        claim_of(None, known, ("PLAIN",))


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (None, "say who you are"),
        ("Bearer abc", "knows HTTP's Basic authentication, not Bearer"),
        ("Basic ???", "cannot be read"),
        ("Basic " + b64encode(b"\xff:x").decode(), "cannot be read"),
        ("Basic " + b64encode(b"guest").decode(), "holds no password"),
    ],
)
def test_what_says_nobody_is_refused(said: str | None, complaint: str) -> None:
    with pytest.raises(HttpFault, match=complaint) as caught:
        claim_of(said, PEER, ("PLAIN", "EXTERNAL"))
    assert caught.value.status == 401


def test_a_wrong_password_is_told_how_to_say_it(own: House) -> None:
    answer = own.ask("PUT", READER, headers={"Authorization": basic("guest", "wrong")}, user=None)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == 'Basic realm="Penstock", charset="UTF-8"'
    assert answer.json == {"error": "login was refused; the broker's log says why", "kind": "LoginRefused"}


def test_who_guesses_too_often_is_refused_whatever_the_next_guess(own: House) -> None:
    own.add_user("late", read=".*")
    for guess in "abc":
        assert (
            own.ask("PUT", READER, headers={"Authorization": basic("late", guess)}, user=None).status == 401
        )
    assert own.ask("PUT", READER, user="late").status == 401


def test_who_may_not_enter_is_told_so(own: House) -> None:
    own.add_user("stranger")
    answer = own.ask("PUT", READER, user="stranger")
    assert answer.status == 403
    assert answer.json["error"] == "access to virtual host '/' is refused for user 'stranger'"
