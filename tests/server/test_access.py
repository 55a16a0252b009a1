from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from penstock.broker import Broker
from penstock.clock import VirtualClock
from penstock.server.access import Access
from penstock.server.authentication import Peer
from penstock.settings import Settings
from penstock.store import MemoryStore
from penstock.wire.amqp import Claim

if TYPE_CHECKING:
    from pathlib import Path

PEER = Peer(address="127.0.0.1")


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def opened(store: MemoryStore, settings: Settings | None = None) -> tuple[Access, Broker]:
    broker = Broker(VirtualClock(), store)
    return Access.open(settings or Settings(), broker, store), broker


def judged(access: Access, password: str, name: str = "guest") -> str | None:
    claim = Claim("PLAIN", name, password)
    verdict = asyncio.run(access.judge(claim, PEER))
    return None if verdict.user is None else verdict.user.name


def written(broker: Broker, store: MemoryStore) -> None:
    batch = broker.records.gather()
    assert batch is not None
    store.write(batch)


def test_a_new_broker_has_its_first_user_and_host(store: MemoryStore) -> None:
    access, broker = opened(store)
    assert list(broker.hosts) == ["/"]
    assert "PLAIN" in access.mechanisms(PEER)
    assert access.guard("guest", "/") is not None
    assert access.guard("guest", "elsewhere") is None


def test_a_password_is_judged_and_a_wrong_one_logged(
    store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    access, _ = opened(store)
    assert judged(access, "guest") == "guest"
    assert judged(access, "guest") == "guest"  # remembered, without a thread
    assert judged(access, "wrong") is None
    assert "login refused: user 'guest'" in caplog.text
    assert "wrong" not in caplog.text


def test_a_broker_that_was_there_remembers(store: MemoryStore) -> None:
    access, broker = opened(store)
    access.realm.users.add("me")
    access.save()
    written(broker, store)
    again, _ = opened(store)
    assert "me" in again.realm.users


def test_definitions_are_taken_over_at_every_start(store: MemoryStore, tmp_path: Path) -> None:
    path = tmp_path / "definitions.json"
    settings = Settings(definitions=path)
    for name in ("one", "two"):
        path.write_text(json.dumps({"vhosts": [{"name": name}]}))
        access, broker = opened(store, settings)
        assert name in broker.hosts
        written(broker, store)
    assert sorted(host.name for host in access.realm.vhosts) == ["/", "one", "two"]


def test_an_imported_password_is_hashed_anew_and_kept(store: MemoryStore, tmp_path: Path) -> None:
    # Given a user from RabbitMQ, whose password is "test12"
    path = tmp_path / "definitions.json"
    hashed = {"name": "rabbit", "password_hash": "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR"}
    path.write_text(json.dumps({"users": [hashed]}))
    access, broker = opened(store, Settings(definitions=path))
    assert judged(access, "test13", "rabbit") is None
    # When it has come once
    assert judged(access, "test12", "rabbit") == "rabbit"
    written(broker, store)
    # Then the store has no hash of RabbitMQ's any more, and the password stays the same
    again, _ = opened(store)
    assert (again.realm.users.get("rabbit").password or "").startswith("scrypt$")
    assert judged(again, "test12", "rabbit") == "rabbit"
