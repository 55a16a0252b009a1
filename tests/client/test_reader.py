"""The reader of a real broker, over TCP and TLS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.client.reader import QueueReader, ReaderState
from penstock.errors import (
    CommitAhead,
    LoginRefused,
    NotConnected,
    NotPermitted,
    RangeGone,
    ReaderInUse,
    UnknownQueue,
    UnknownReader,
)
from penstock.wire.amqp import BasicProperties
from penstock.wire.arrow import ALL_COLUMNS
from tests.server.certified import Authority
from tests.server.http.served import LOOPS, House

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def house() -> Iterator[House]:
    """A broker with a queue of five."""
    with House() as house:
        house.fill("q", [b"%d" % number for number in range(5)])
        yield house


@pytest.fixture
def reader(house: House) -> Iterator[QueueReader]:
    with QueueReader(house.url, "q", "r") as reader:
        reader.open()
        yield reader


def bodies(reader: QueueReader, start: int, end: int) -> list[bytes]:
    return [body for batch in reader.read(start, end) for body in batch["body"].to_pylist()]


def test_take_read_commit(reader: QueueReader) -> None:
    before = reader.state()
    assert (before.committed, before.taken, before.waiting) == (0, 0, 5)
    assert before.oldest_at is not None
    reader.lease("me", 60)
    assert reader.take(3, 1 << 20) == 3
    assert bodies(reader, 0, 3) == bodies(reader, 0, 3) == [b"0", b"1", b"2"]
    reader.commit(3)
    assert reader.take(10, 1 << 20) == 5
    assert bodies(reader, 3, 5) == [b"3", b"4"]
    reader.commit(5)
    assert reader.state() == ReaderState(committed=5, taken=5, waiting=0, oldest_at=None)


def test_columns_are_friendly_and_may_be_chosen(house: House) -> None:
    house.fill("typed", [b"x"], BasicProperties.of(message_id="m", type="order", headers={"a": 1}))
    with QueueReader(house.url, "typed", "r") as reader:
        reader.open()
        reader.take(1, 100)
        [batch] = reader.read(0, 1)
        assert tuple(batch.schema.names) == ALL_COLUMNS
        [chosen] = reader.read(0, 1, ["headers", "position"])
        assert chosen.to_pylist() == [{"headers": '{"a":1}', "position": 1}]


def test_nothing_is_opened_twice_and_what_is_deleted_goes_back(reader: QueueReader) -> None:
    reader.take(5, 1 << 20)
    reader.commit(2)
    assert reader.open().taken == 5
    reader.delete()
    with pytest.raises(UnknownReader, match="queue 'q' has no reader 'r': open it first"):
        reader.state()
    assert reader.open() == ReaderState(committed=0, taken=0, waiting=3, oldest_at=reader.state().oldest_at)


def test_two_who_would_hold_the_same_reader(house: House, reader: QueueReader) -> None:
    reader.lease("me", 60)
    with QueueReader(house.url, "q", "r") as other:
        for verb in (lambda: other.lease("you", 60), lambda: other.take(1, 1), lambda: other.commit(0)):
            with pytest.raises(ReaderInUse, match=r"reader 'r' of queue .* is in use by 'me'"):
                verb()
        reader.lease("me", 0)
        other.lease("you", 60)
        other.take(1, 1)


def test_ranges_and_commits_that_cannot_be(reader: QueueReader) -> None:
    reader.take(2, 1 << 20)
    with pytest.raises(CommitAhead):
        reader.commit(3)
    with pytest.raises(RangeGone, match="nothing is taken beyond 2"):
        bodies(reader, 0, 3)
    reader.commit(1)
    with pytest.raises(RangeGone, match="positions up to 1 are committed"):
        bodies(reader, 0, 2)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (("guest:guest", "guest:wrong"), LoginRefused, "login was refused"),
        (("guest:guest", "shut:shut"), NotPermitted, "access to virtual host '/' is refused for user 'shut'"),
        (("guest:guest", "write:write"), NotPermitted, "read access to queue 'q'"),
    ],
)
def test_who_may_not_is_told_in_one_sentence(
    house: House, change: tuple[str, str], error: type[Exception], text: str
) -> None:
    house.add_user("shut")
    house.add_user("write", write=".*")
    with QueueReader(house.url.replace(*change), "q", "r") as reader, pytest.raises(error, match=text):
        reader.open()


def test_a_queue_that_there_is_not(house: House) -> None:
    with QueueReader(house.url, "none", "r") as reader, pytest.raises(UnknownQueue, match="no queue 'none'"):
        reader.open()


def test_other_verbs_may_come_in_the_middle_of_a_range(house: House) -> None:
    house.fill("long", [bytes(50_000)] * 100)
    with QueueReader(house.url, "long", "r") as reader:
        reader.open()
        reader.take(100, 1 << 30)
        batches = reader.read(0, 100)
        count = next(batches).num_rows
        assert reader.state().taken == 100
        assert count + sum(batch.num_rows for batch in batches) == 100
        # One that is not read to its end costs its connection only.
        next(reader.read(0, 100))
        assert reader.state().taken == 100


def test_a_broker_that_goes_in_the_middle_of_a_range(house: House) -> None:
    house.fill("long", [bytes(50_000)] * 400)
    with QueueReader(house.url, "long", "r") as reader:
        reader.open()
        reader.take(400, 1 << 30)
        batches = reader.read(0, 400)
        next(batches)
        for visit in list(house.embedded.front.visits):
            house.do(visit.transport.abort)
        with pytest.raises(NotConnected, match="broke off in the middle"):
            list(batches)


def test_a_broker_that_was_restarted_is_found_again(tmp_path: Path) -> None:
    with House(data=tmp_path) as house:
        house.fill("q", [b"a", b"b"])
        reader = QueueReader(house.url, "q", "r")
        reader.open()
        reader.take(2, 100)
        port = house.port
    with pytest.raises(NotConnected):
        reader.state()
    with House(data=tmp_path, amqp=f"127.0.0.1:{port}"):
        assert bodies(reader, 0, 2) == [b"a", b"b"]
        reader.commit(2)
        reader.close()


@pytest.mark.parametrize("loop", LOOPS)
def test_tls_and_certificates_are_as_for_amqp(loop: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("localhost")
    mine = authority.issue("robot")
    tls = {"amqps_certificate": certificate, "amqps_key": key, "amqps_client_ca": authority.file}
    with House(loop=loop, amqps_login_from="common_name", **tls) as house:
        house.do(lambda: house.host.create_queue("q", persistent=True, now=0.0))
        house.add_user("robot", read=".*")
        trusted = f"{house.url}?cacertfile={authority.file}"
        with QueueReader(trusted, "q", "r") as reader:
            assert reader.open().waiting == 0
        shown = f"{trusted}&certfile={mine[0]}&keyfile={mine[1]}&auth_mechanism=external"
        with QueueReader(shown, "q", "r") as reader:
            assert reader.state().taken == 0
        with QueueReader(house.url, "q", "r") as reader, pytest.raises(NotConnected, match="CERTIFICATE"):
            reader.open()
        elsewhere = f"{trusted}&server_name_indication=elsewhere"
        with QueueReader(elsewhere, "q", "r") as reader, pytest.raises(NotConnected, match="elsewhere"):
            reader.open()


def test_it_says_what_it_is(house: House) -> None:
    reader = QueueReader(house.url, "q", "r")
    assert repr(reader) == f"<QueueReader 'r' of 'q' at amqp://guest@127.0.0.1:{house.port}>"
