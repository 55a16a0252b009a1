"""What all stores have in common is in tests/contracts/test_store.py; what goes wrong, in test_faults.py."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreDamaged, StoreError, StoreForeign, StoreFull, StoreLocked, StoreTooNew
from penstock.store import END, Batch, SqliteStore, Standing
from penstock.store import sqlite as sqlite_module
from tests.store.support import fetched, message, photograph, plain, reference

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / "deep" / "store")) as made:
        yield made


def test_its_folder_is_made_for_its_user_only(store: SqliteStore) -> None:
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert repr(store) == f"<SqliteStore {store.folder}>"


# Opening


def test_two_never_have_the_same_folder(store: SqliteStore) -> None:
    with pytest.raises(StoreLocked, match="in use by process"):
        SqliteStore(store.folder)
    store.close()
    SqliteStore(store.folder).close()


def test_a_newer_one_is_refused_and_let_go(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "penstock.db")) as connection:
        connection.execute("PRAGMA user_version = 99")
    for _ in range(2):
        with pytest.raises(StoreTooNew, match="layout 99"):
            SqliteStore(tmp_path)


@pytest.mark.parametrize("content", [b"This is no database, but it is long enough to be one." * 20, b"short"])
def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "penstock.db").write_bytes(content)
    with pytest.raises(StoreForeign, match=r"penstock\.db|no database"):
        SqliteStore(tmp_path)
    assert (tmp_path / "penstock.db").read_bytes() == content


def test_a_damaged_one_is_told(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.write(plain(range(1, 2000)))
    path = tmp_path / "penstock.db"
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(StoreDamaged, match="restore a copy"), closing(SqliteStore(tmp_path)) as store:
        photograph(store)


# Starting again


def test_what_overflowed_is_void_after_a_start(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        batch = plain([1, 4])
        batch.messages += [message(2), message(3)]
        batch.references.append(reference((1, 0, 2), 2, Standing.OVERFLOWED, expires_at=5.0))
        batch.references.append(reference((1, 0, 3), 3, Standing.DELAYED))
        store.write(batch)
    with closing(SqliteStore(tmp_path)) as store:
        # Before anything is taken away.
        assert (fetched(store), store.expiring(1, (-END, -1, -1), 9), store.weigh(1)) == ([1, 4], [], 204)
        assert [tuple(line) for line in store.lines()] == [(1, 0, 2, 1, 4)]
        # And what overflows now is not.
        store.write(
            Batch(1, messages=[message(5)], references=[reference((1, 0, 5), 5, Standing.OVERFLOWED)])
        )
        while store.tidy():
            pass
        assert (fetched(store), [line.ready for line in store.lines()]) == ([1, 4, 5], [3])
        assert store._reader.execute("SELECT id FROM message").fetchall() == [(1,), (3,), (4,), (5,)]


def test_a_purge_is_finished_at_the_next_start(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        batch = plain(range(1, 2500))
        batch.messages.append(message(9000, file="file", length=0))
        batch.references.append(reference((1, 0, 9000), 9000))
        (store.contents.folder / "file").touch()
        store.write(batch)
        store.write(Batch(2, cleared=[(1, 0, 2, END)]))
    with closing(SqliteStore(tmp_path)) as store:
        assert (fetched(store), store.tidy(), store.contents.sizes()) == ([1], False, {})


def test_the_number_of_an_empty_queue_that_was_dropped_may_come_again(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.write(Batch(1, dropped=[1]))
    with closing(SqliteStore(tmp_path)) as store:
        store.write(plain([1, 2]))
        assert (store.tidy(), fetched(store)) == (False, [1, 2])


def test_a_dropped_queue_is_named_until_it_is_taken_away(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.write(plain([1, 2]))
        store.write(Batch(2, dropped=[1]))
    with closing(SqliteStore(tmp_path)) as store:
        assert [line.queue for line in store.lines()] == [1]
        assert (store.tidy(), store.lines()) == (True, [])


def test_an_upgrade_keeps_what_was_stored(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.write(plain([1, 2]))
    with closing(SqliteStore(tmp_path)) as store:
        assert fetched(store) == [1, 2]


# Writing


def test_a_batch_that_fails_leaves_nothing_behind(store: SqliteStore) -> None:
    store.write(plain([2]))
    before = photograph(store)
    with pytest.raises(StoreError, match="UNIQUE"):
        store.write(plain([1, 2, 3]))
    assert photograph(store) == before
    store.write(plain([1, 3]))
    assert fetched(store) == [1, 2, 3]


def test_a_full_disk_is_told_after_the_log_was_copied(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL

    def fail(*_: object) -> list[str]:
        raise full

    statements: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(sqlite_module, "apply", fail)
        store._writer.set_trace_callback(statements.append)
        with pytest.raises(StoreFull):
            store.write(plain([1]))
    assert statements == ["BEGIN IMMEDIATE", "ROLLBACK", "PRAGMA wal_checkpoint(PASSIVE)"]
    store.write(plain([1]))
    assert fetched(store) == [1]


def test_contents_are_synced_before_and_deleted_after_the_commit(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    store._writer.set_trace_callback(
        lambda sql: happened.append(sql) if sql in ("COMMIT", "ROLLBACK") else None
    )
    monkeypatch.setattr(type(store.contents), "sync", lambda _, names: happened.append(f"sync {names}"))
    monkeypatch.setattr(
        type(store.contents), "delete", lambda _, names: happened.append(f"delete {list(names)}")
    )
    store.write(Batch(1, messages=[message(1, file="f")], references=[reference((1, 0, 1), 1)]))
    assert happened == ["sync ['f']", "COMMIT"]
    happened.clear()
    removal = Batch(2, removals=[(1, 0, 1, 1)], defined=[("a", "b", None)])  # type: ignore[list-item]  # cannot be
    with pytest.raises(StoreError):
        store.write(removal)
    store.tidy()
    assert happened == ["sync []", "ROLLBACK", "COMMIT", "delete []"]
    happened.clear()
    removal.defined.clear()
    store.write(removal)
    store.tidy()
    assert happened == ["sync []", "COMMIT", "delete ['f']"]


def test_tidying_takes_files_away_after_its_commit(store: SqliteStore) -> None:
    name = store.contents.create().finish()
    store.write(Batch(1, messages=[message(1, file=name)], references=[reference((1, 0, 1), 1)]))
    store.write(Batch(2, dropped=[1]))
    assert store.contents.sizes() == {name: 0}
    assert (store.tidy(), store.tidy(), store.contents.sizes()) == (True, False, {})


def test_the_writer_and_the_loop_do_not_wait_for_each_other(store: SqliteStore) -> None:
    def write() -> None:
        for number in range(1, 300):
            store.write(plain([number]))
            store.tidy()

    with ThreadPoolExecutor(1) as writer:
        written = writer.submit(write)
        while not written.done():
            found = fetched(store)
            assert found == list(range(1, len(found) + 1))
        written.result()
    assert len(fetched(store)) == 299


def test_a_closed_one_says_so(store: SqliteStore) -> None:
    store.close()
    with pytest.raises(StoreError, match="closed database"):
        store.lines()
