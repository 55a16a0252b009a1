from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.errors import StoreTooNew
from penstock.messaging.dead_letters import DeadLetterStore, Selection, schema
from penstock.messaging.engine import open_engine
from tests.messaging.dead_letters.making import FAILED

if TYPE_CHECKING:
    from sqlalchemy import Connection


def test_creating_twice_is_as_good_as_once(url: str) -> None:
    engine = open_engine(url)
    store = DeadLetterStore(engine)
    store.create()
    store.keep([FAILED])
    store.create()
    assert store.newest(Selection(), 5) == [FAILED]
    with engine.begin() as connection:
        assert connection.execute(sa.text("SELECT version FROM penstock_dead_letters_version")).scalar() == 1
    store.close()
    engine.dispose()


def test_a_newer_layout_is_refused(url: str) -> None:
    engine = open_engine(url)
    store = DeadLetterStore(engine)
    store.create()
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE penstock_dead_letters_version SET version = 99"))
    with pytest.raises(StoreTooNew, match=r"layout 99, and this Penstock knows up to 1"):
        store.create()
    store.close()
    engine.dispose()


def test_an_older_layout_is_brought_on(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = open_engine(url)
    store = DeadLetterStore(engine)
    store.create()
    store.keep([FAILED])

    def next_version(connection: Connection) -> None:
        connection.execute(sa.text("ALTER TABLE penstock_dead_letters ADD COLUMN note TEXT"))

    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, next_version))
    store.create()
    store.create()
    with engine.begin() as connection:
        assert connection.execute(sa.text("SELECT note FROM penstock_dead_letters")).all() == [(None,)]
    assert store.newest(Selection(), 5) == [FAILED]
    store.close()
    engine.dispose()


def test_several_may_create_it_at_once(postgresql_url: str) -> None:
    stores = [DeadLetterStore(postgresql_url) for _ in range(4)]
    errors: list[Exception] = []

    def create(store: DeadLetterStore) -> None:
        try:
            store.create()
        except Exception as error:  # noqa: BLE001  whatever it is, it must not be
            errors.append(error)

    threads = [threading.Thread(target=create, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert stores[0].keep([FAILED]) == 1
    for store in stores:
        store.close()
