from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.domain import founding
from penstock.did.domain.folder import DataFolder
from penstock.did.domain.founding import first_free, found, hold_port, words_of
from penstock.did.parameters import DidParameters
from penstock.did.web.serving import listen
from penstock.errors import BadSetting, CannotListen
from tests.servers.running import quiet_ports

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.did.domain.founding import Founded

BROKER = "amqp://127.0.0.1:5672/"


class Ground:
    """A folder to found domains in; what was bound is let go of."""

    def __init__(self, folder: Path) -> None:
        self.folder = DataFolder(folder)
        self._bound: list[socket.socket] = []

    def found(self, count: int = 1, **given: Any) -> list[Founded]:
        domains = found(count, DidParameters(**given), self.folder, broker=BROKER)
        self._bound += [each.bound for each in domains]
        return domains

    def let_go(self) -> None:
        while self._bound:
            self._bound.pop().close()

    def take(self, port: int = 0) -> int:
        """Have somebody else listen there."""
        taken = socket.create_server(("127.0.0.1", port))
        self._bound.append(taken)
        found: int = taken.getsockname()[1]
        return found


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    made = Ground(tmp_path)
    monkeypatch.setattr(founding, "FIRST_PORT", quiet_ports())
    yield made
    made.let_go()


def port_of(domain: Founded) -> int:
    found: int = domain.bound.getsockname()[1]
    return found


def test_the_first_domain_keeps_its_word_when_others_come() -> None:
    assert words_of(1) == ["orb"]
    assert words_of(3) == ["orb", "orb2", "orb3"]


def test_a_domain_is_called_by_where_it_listens_and_keeps_all_in_its_folder(ground: Ground) -> None:
    [domain] = ground.found()
    places = domain.places
    assert places.base == f"http://127.0.0.1:{port_of(domain)}"
    assert (places.word, places.broker) == ("orb", BROKER)
    assert places.database == ground.folder.database("orb")
    assert ground.folder.key("orb").exists()
    assert ground.folder.read("orb") == places


def test_who_comes_early_waits_for_whoever_serves_it(ground: Ground) -> None:
    [domain] = ground.found()
    socket.create_connection(("127.0.0.1", port_of(domain)), timeout=60).close()


def test_several_domains_follow_each_other_and_witness_for_each_other(ground: Ground) -> None:
    domains = ground.found(3, follow="https://elsewhere.example/services/orb")
    services = [each.places.iris.service for each in domains]
    assert len(set(services)) == 3
    for each in domains:
        others = {service for service in services if service != each.places.iris.service}
        assert set(each.places.parameters.invite_witness) == others
        assert set(each.places.parameters.follow) == others | {"https://elsewhere.example/services/orb"}


def test_a_port_that_is_taken_is_passed_over_at_the_first_start(ground: Ground) -> None:
    somebody, _ = first_free(founding.FIRST_PORT)
    [domain] = ground.found()
    taken = somebody.getsockname()[1]
    somebody.close()
    assert taken in domain.passed_over
    assert port_of(domain) > taken


def test_a_second_start_finds_the_same_domain(ground: Ground) -> None:
    before = [each.places for each in ground.found(2)]
    keys = [ground.folder.key(word).read_bytes() for word in ("orb", "orb2")]
    ground.let_go()
    assert [each.places for each in ground.found(2)] == before
    assert [ground.folder.key(word).read_bytes() for word in ("orb", "orb2")] == keys


def test_a_domain_that_is_known_by_its_port_does_not_move(ground: Ground) -> None:
    [domain] = ground.found()
    port = port_of(domain)
    ground.let_go()
    ground.take(port)
    with pytest.raises(CannotListen, match=str(port)):
        ground.found()


def test_a_domain_keeps_its_name_for_ever(ground: Ground) -> None:
    ground.found(external_endpoint="https://a.example", host_url="127.0.0.1:0")
    with pytest.raises(BadSetting, match="cannot become https://b") as caught:
        ground.found(external_endpoint="https://b.example", host_url="127.0.0.1:0")
    assert caught.value.setting == "external_endpoint"
    [again] = ground.found(host_url="127.0.0.1:0")
    assert again.places.base == "https://a.example"


def test_what_the_operator_has_elsewhere_stays_there(ground: Ground, tmp_path: Path) -> None:
    [domain] = ground.found(
        database_url="postgresql://db/orb",
        cas_url="memory://cas",
        private_key_file=tmp_path / "own.pem",
    )
    places = domain.places
    assert (places.database, places.storage) == ("postgresql://db/orb", "memory://cas")
    assert (tmp_path / "own.pem").exists()


@pytest.mark.parametrize(
    ("count", "given", "setting"),
    [
        (2, {"external_endpoint": "https://a.example"}, "external_endpoint"),
        (2, {"database_url": "sqlite:///all.db"}, "database_url"),
        (1, {"external_endpoint": "https://a.example"}, "host_url"),
        (1, {"external_endpoint": "https://127.0.0.1:8443"}, "host_url"),
        (1, {"host_url": "0.0.0.0:0"}, "external_endpoint"),
    ],
    ids=[
        "two-of-one-name",
        "two-in-one-database",
        "nowhere-to-listen",
        "no-tls-to-listen-with",
        "nobody-knows-it",
    ],
)
def test_what_does_not_go_together_is_refused(
    ground: Ground, count: int, given: dict[str, str], setting: str
) -> None:
    with pytest.raises(BadSetting) as caught:
        ground.found(count, **given)
    assert caught.value.setting == setting
    assert ground.folder.words() == []


def test_a_key_is_made_at_the_first_start_alone(ground: Ground, tmp_path: Path) -> None:
    ground.found()
    ground.let_go()
    # Given a key that is gone, or is looked for where it is not.
    mistyped = tmp_path / "kye.pem"
    refused = pytest.raises(BadSetting, match="has signed with its key: put that there")
    with refused:
        ground.found(private_key_file=mistyped)
    ground.folder.key("orb").unlink()
    with refused:
        ground.found()
    # Then none is made in its place.
    assert not mistyped.exists()
    assert not ground.folder.key("orb").exists()


def test_the_search_for_a_free_port_ends(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    port = ground.take()
    monkeypatch.setattr(founding, "TRIED", 0)
    with pytest.raises(CannotListen):
        first_free(port)


def test_a_port_is_held_for_whoever_is_to_listen_on_it(ground: Ground) -> None:
    held, _ = first_free(founding.FIRST_PORT, hold_port)
    port = held.getsockname()[1]
    # Nobody gets it by chance, although nobody listens.
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    # Whoever it is held for listens on it, in one life after another; then others pass it over.
    for _ in range(2):
        with listen("127.0.0.1", port) as server:
            server.listen()
            socket.create_connection(("127.0.0.1", port), timeout=60).close()
            elsewhere, taken = first_free(port, hold_port)
            elsewhere.close()
            assert taken[0] == port
    held.close()
