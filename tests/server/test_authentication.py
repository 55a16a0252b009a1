from __future__ import annotations

from pathlib import Path

import pytest

from penstock.server.authentication import Authenticator, Peer, Verdict
from penstock.server.failed_logins import FailedLogins
from penstock.server.passwords import Cost
from penstock.server.users import Users
from penstock.settings import Settings
from penstock.wire.amqp import Claim
from penstock.wire.amqp.sasl import amqplain_response, external_response, plain_response, read_response

HERE = Peer(address="127.0.0.1")
THERE = Peer(address="10.0.0.1")
CERTIFICATE = {"subject": ((("commonName", "ada"),),)}
CERTIFIED = Peer(address="10.0.0.1", is_tls=True, certificate=CERTIFICATE)
SETTINGS = Settings(amqps_client_ca=Path("ca.pem"), amqps_login_from="common_name")


def plain(username: str, password: str) -> Claim:
    return read_response("PLAIN", plain_response(username, password), {})


def external(authorization: str = "") -> Claim:
    return read_response("EXTERNAL", external_response(authorization), {})


@pytest.fixture
def users() -> Users:
    users = Users(cost=Cost(4, 8, 1))
    users.add("guest", "guest")
    users.add("ada", "s3cret")
    return users


@pytest.fixture
def authenticator(users: Users) -> Authenticator:
    return Authenticator(users, SETTINGS, FailedLogins(3, 60))


def name_of(verdict: Verdict) -> str | None:
    return verdict.user.name if verdict.user else None


@pytest.mark.parametrize(
    ("claim", "peer", "name"),
    [
        (plain("ada", "s3cret"), THERE, "ada"),
        (read_response("AMQPLAIN", amqplain_response("ada", "s3cret"), {}), THERE, "ada"),
        (plain("guest", "guest"), HERE, "guest"),
        (plain("guest", "guest"), Peer(address="::1"), "guest"),
        (plain("guest", "guest"), Peer(address="::ffff:127.0.0.1"), "guest"),
        (plain("guest", "guest"), Peer(address=""), "guest"),  # a Unix socket
        (external(), CERTIFIED, "ada"),
        (external("guest"), CERTIFIED, "ada"),  # the certificate counts, not what the client says
    ],
)
def test_a_true_claim_is_accepted(authenticator: Authenticator, claim: Claim, peer: Peer, name: str) -> None:
    assert name_of(authenticator.judge(claim, peer, now=0)) == name


@pytest.mark.parametrize(
    ("claim", "peer", "detail"),
    [
        (plain("ada", "wrong"), THERE, "user 'ada' from 10.0.0.1: invalid credentials"),
        (plain("eve", "s3cret"), THERE, "user 'eve' from 10.0.0.1: invalid credentials"),
        (plain("ada", ""), THERE, "empty password"),
        (plain("", "s3cret"), HERE, "somebody from 127.0.0.1: invalid credentials"),
        (plain("guest", "guest"), THERE, "only log in from the broker's own machine"),
        (plain("guest", "wrong"), THERE, "only log in from the broker's own machine"),
        (plain("guest", "guest"), Peer(address="nonsense"), "only log in from the broker's own machine"),
        (external(), Peer(address="10.0.0.1", is_tls=True), "no client certificate that names somebody"),
        (
            external(),
            Peer(address="", certificate={"subject": ((("commonName", "eve"),),)}),
            "here: its certificate",
        ),
        (
            external(),
            Peer(address="10.0.0.1", certificate={"subject": ((("commonName", "guest"),),)}),
            "only log in from the broker's own machine",
        ),
        (Claim("PLAIN", None, None), THERE, "no user name or an empty password"),
    ],
)
def test_a_refusal_tells_the_peer_nothing_and_the_log_why(
    authenticator: Authenticator, claim: Claim, peer: Peer, detail: str
) -> None:
    verdict = authenticator.judge(claim, peer, now=0)
    assert verdict.user is None
    assert verdict.reason == (
        f"Login was refused using authentication mechanism {claim.mechanism}. "
        "For details see the broker logfile."
    )
    assert detail in verdict.detail
    assert "s3cret" not in repr(verdict)


def test_where_no_client_authority_is_set_a_certificate_proves_nothing(users: Users) -> None:
    authenticator = Authenticator(users, Settings(), FailedLogins(3, 60))
    assert authenticator.judge(external(), CERTIFIED, now=0).user is None


def test_external_is_offered_over_tls_with_client_authorities_only(users: Users) -> None:
    with_authorities = Authenticator(users, SETTINGS, FailedLogins(3, 60))
    without = Authenticator(users, Settings(), FailedLogins(3, 60))
    assert with_authorities.mechanisms(CERTIFIED) == ("PLAIN", "AMQPLAIN", "EXTERNAL")
    assert with_authorities.mechanisms(THERE) == ("PLAIN", "AMQPLAIN")
    assert without.mechanisms(CERTIFIED) == ("PLAIN", "AMQPLAIN")


def test_what_needs_hashing_is_not_judged_on_the_event_loop(authenticator: Authenticator) -> None:
    right, wrong = plain("ada", "s3cret"), plain("ada", "wrong")
    assert authenticator.maybe_judge(right, THERE, now=0) is None
    assert authenticator.maybe_judge(wrong, THERE, now=0) is None
    authenticator.judge(right, THERE, now=0)
    verdict = authenticator.maybe_judge(right, THERE, now=0)
    assert verdict is not None
    assert name_of(verdict) == "ada"
    assert authenticator.maybe_judge(wrong, THERE, now=0) is None


def test_who_guesses_is_refused_until_the_window_is_over(authenticator: Authenticator) -> None:
    # Given ada was here once, and her machine failed three times since
    authenticator.judge(plain("ada", "s3cret"), HERE, now=0)
    for _ in range(3):
        authenticator.judge(plain("guest", "wrong"), HERE, now=0)
    # Then not even the right password is tried, without hashing
    verdict = authenticator.maybe_judge(plain("guest", "guest"), HERE, now=1)
    assert verdict is not None
    assert "too many failed logins from its address" in verdict.detail
    # But who is known is let in, and other addresses and later times are not concerned
    assert name_of(authenticator.judge(plain("ada", "s3cret"), HERE, now=1)) == "ada"
    assert name_of(authenticator.judge(plain("guest", "guest"), Peer(address="127.0.0.2"), now=1)) == "guest"
    assert name_of(authenticator.judge(plain("guest", "guest"), HERE, now=61)) == "guest"


def test_no_certificate_is_in_a_repr() -> None:
    assert repr(CERTIFIED) == "Peer(address='10.0.0.1', is_tls=True)"
