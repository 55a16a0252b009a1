from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from penstock.clock import VirtualClock
from penstock.did.credentials import did_web
from penstock.did.domain.parts import (
    create_tables,
    is_nearby,
    may_ask,
    may_reach,
    open_cas,
    open_database,
    open_fetcher,
    open_identity,
    open_keys,
    open_seal,
)
from penstock.did.federation import witness_policy
from penstock.did.operations import operations_of
from penstock.errors import BadKey, ContentNotFound, Unavailable
from tests.did.domain.helpers import places_in
from tests.did.operation_queue.helpers import operation

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("url", "is_so"),
    [
        ("http://127.0.0.1:8326/cas/x", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:80/", True),
        ("http://localhost:1/", True),
        ("http://10.0.0.1/", False),
        ("http://127.0.0.1.example/", False),
        ("http://localhost.example/", False),
        ("http://[::1/", False),
        ("nonsense", False),
    ],
)
def test_nearby_is_this_very_machine(url: str, is_so: bool) -> None:  # noqa: FBT001  a column of the table
    assert is_nearby(url) is is_so


@pytest.mark.parametrize(
    ("url", "at_home", "nearby", "anywhere"),
    [
        ("https://orb.example/cas/x", True, True, True),
        ("http://127.0.0.1:8326/", False, True, True),
        ("http://orb.example/", False, False, True),
        ("file:///etc/passwd", False, False, False),
    ],
)
def test_only_who_is_near_may_be_asked_without_tls(
    url: str, *, at_home: bool, nearby: bool, anywhere: bool
) -> None:
    assert may_ask(url, nearby=False, anywhere=False) is at_home
    assert may_ask(url, nearby=True, anywhere=False) is nearby
    assert may_ask(url, nearby=True, anywhere=True) is anywhere


@pytest.mark.parametrize(
    ("base", "given", "may"),
    [
        ("https://orb.example", {}, False),
        ("http://orb.example", {}, False),
        ("http://127.0.0.1:8326", {}, True),
        ("https://orb.example", {"enable_dev_mode": True}, True),
    ],
    ids=["public", "public-without-tls", "on-loopback", "dev-mode"],
)
def test_what_the_places_say_decides(tmp_path: Path, base: str, given: Any, *, may: bool) -> None:
    fetcher = open_fetcher(places_in(tmp_path, base=base, **given))
    # Nobody listens there; who may not ask does not even try.
    with pytest.raises(Unavailable if may else ContentNotFound):
        fetcher.fetch("http://127.0.0.1:1/", limit=10)


def test_all_tables_are_there_and_may_be_made_again(tmp_path: Path) -> None:
    database = open_database(places_in(tmp_path))
    create_tables(database)
    create_tables(database)
    assert database.do(witness_policy) == ""
    assert database.do(operations_of, "a suffix") == []
    database.close()


def test_contents_are_found_under_the_domains_url(tmp_path: Path) -> None:
    places = places_in(tmp_path, base="https://orb.example")
    link = open_cas(places).put(b"a file")
    assert link.links == (f"https://orb.example/cas/{link.hash}",)
    assert open_cas(places).get(link.hash) == b"a file"


def test_a_domain_on_ipfs_tells_cids(tmp_path: Path) -> None:
    link = open_cas(places_in(tmp_path, cas_type="ipfs")).put(b"a file")
    assert link.links[1].startswith("ipfs://")


def test_the_identity_signs_in_the_domains_name(tmp_path: Path) -> None:
    places = places_in(tmp_path, base="https://orb.example")
    identity = open_identity(places)
    assert identity.service == "https://orb.example/services/orb"
    assert identity.method == f"{did_web('orb.example')}#main"
    (tmp_path / "orb" / "key.pem").unlink()
    with pytest.raises(BadKey):
        open_identity(places)


def test_the_seal_is_the_domains_wherever_its_key_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    places = places_in(tmp_path)
    here, there = open_seal(places), open_seal(places)
    assert here is not None
    assert there is not None
    assert there.known(here.on(operation(), closes=None))
    (tmp_path / "orb" / "key.pem").unlink()
    assert open_seal(places) is None
    assert "are verified again" in caplog.text


def test_keys_are_fetched_as_the_domain_itself_is_reached(tmp_path: Path) -> None:
    method = f"{did_web('127.0.0.1:1')}#main"
    with pytest.raises(Unavailable, match="http://127"):
        open_keys(places_in(tmp_path), VirtualClock()).public_key(method)
    with pytest.raises(Unavailable, match="https://127"):
        open_keys(places_in(tmp_path, base="https://localhost"), VirtualClock()).public_key(method)


@pytest.mark.parametrize("base", ["https://orb.example", "http://orb.example"])
def test_a_domain_of_the_world_is_led_to_no_door_of_its_own_machine(tmp_path: Path, base: str) -> None:
    fetcher = open_fetcher(places_in(tmp_path, base=base))
    with pytest.raises(ContentNotFound, match="no other domain"):
        fetcher.fetch("https://127.0.0.1:1/", limit=7)
    own = ("orb.example", 443)
    assert may_reach(*own, "127.0.1.1", own=own)
    assert not may_reach("b.example", 443, "127.0.1.1", own=own)
    assert may_reach("b.example", 443, "10.0.0.1", own=own)


def test_by_its_own_name_it_is_led_to_its_own_door_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a machine that knows itself by the name of the domain, as Debian's do.
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        at = closed.getsockname()
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", at)]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        for base in ("https://orb.example", "https://orb.example:8443"):
            fetcher = open_fetcher(places_in(tmp_path, base=base))
            with pytest.raises(Unavailable, match="ConnectionRefusedError"):
                fetcher.fetch(f"{base}/cas/x", limit=7)
            with pytest.raises(ContentNotFound, match="no other domain"):
                fetcher.fetch("https://orb.example:6443/", limit=7)
