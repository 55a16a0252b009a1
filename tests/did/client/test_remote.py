from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.client.remote import RemoteDomain
from penstock.errors import BadSetting, OperationRefused, Unavailable
from tests.did.client.lives import created
from tests.did.endless import ENDLESS
from tests.servers.running import free_port

if TYPE_CHECKING:
    from tests.did.client.paper import PaperDomain


def test_operations_are_posted_and_dids_resolved(domain: PaperDomain) -> None:
    remote, wallet = RemoteDomain(domain.url), created()
    assert remote.resolve(wallet.short_form) is None
    remote.post(wallet.steps[0].request)
    domain.anchor()
    found = remote.resolve(wallet.short_form)
    assert found is not None
    assert found["didDocument"]["id"] == wallet.short_form
    assert remote.resolve(wallet.long_form) is not None
    assert remote.resolve(wallet.short_form, version="uAnchor1") == found
    assert remote.resolve(wallet.short_form, version="uNever") is None
    assert remote.resolve(wallet.short_form, until="2100-01-01T00:00:00Z") == found


def test_a_domain_tells_who_it_is(domain: PaperDomain) -> None:
    assert RemoteDomain(f"{domain.url}/").origin() == f"{domain.url}/services/orb"
    with pytest.raises(OperationRefused, match="--origin"):
        RemoteDomain(f"{domain.url}/nowhere").origin()


def test_a_refusal_tells_the_domains_reason(domain: PaperDomain) -> None:
    remote = RemoteDomain(domain.url)
    with pytest.raises(OperationRefused, match=r"type of an operation.*\(400\)") as caught:
        remote.post(b"{}")
    assert caught.value.status == 400
    with pytest.raises(OperationRefused, match="does not resolve it"):
        remote.resolve("did:orb:x")


def test_nobody_can_tell_what_a_domain_that_is_away_has_taken(domain: PaperDomain) -> None:
    domain.is_away = True
    with pytest.raises(Unavailable, match="is away"):
        RemoteDomain(domain.url).post(created().steps[0].request)
    with pytest.raises(Unavailable, match="does not answer"):
        RemoteDomain(f"http://127.0.0.1:{free_port()}").post(b"{}")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:80",
        "ftp://host",
        "http://",
        "http://host:port",
        "http://orb..example",
        f"http://{'x' * 64}.example",
        "http://host/ü",
    ],
)
def test_what_is_no_url_is_told_at_once(url: str) -> None:
    with pytest.raises(BadSetting, match="no URL"):
        RemoteDomain(url)


@pytest.mark.parametrize("answer", [b"", b"\xff", b"[]", ENDLESS])
def test_an_answer_that_nobody_can_read_is_told(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for status, told in ((200, "answers something that is no"), (400, "answers 400")):
        monkeypatch.setattr(RemoteDomain, "_ask", lambda *_, status=status: (status, answer))
        with pytest.raises(OperationRefused, match=told):
            RemoteDomain("http://b.example").resolve("did:orb:x")
