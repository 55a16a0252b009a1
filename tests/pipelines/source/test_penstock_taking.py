from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import Outgoing, Queue
from penstock.client.reader import QueueReader
from penstock.client.sync import connect
from penstock.errors import BrokerRefused, LoginRefused, NotConnected, ReaderInUse, UnknownQueue
from penstock.pipelines.options import SourceOptions
from penstock.pipelines.source import partition
from penstock.pipelines.source.origin import check_origin, open_origin
from penstock.pipelines.source.penstock_taking import PenstockTaking
from penstock.pipelines.source.spool_taking import SpoolTaking
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers.running import Running

LARGE = 1_000_000


@pytest.fixture
def queue(penstock_server: Running, name: str) -> Iterator[str]:
    """A queue with ten messages of ten bytes."""
    with connect(penstock_server.url) as client:
        client.declare(Queue(name))
        client.publish_many([Outgoing("", name, b"message %2d" % number) for number in range(10)])
        yield name
        client.withdraw(Queue(name))


def taking(server: Running, queue: str) -> PenstockTaking:
    made = PenstockTaking(server.url, queue, "tests", 2)
    made.open()
    made.lease("a test", 30)
    return made


def test_what_is_taken_is_read_again_by_the_next_and_committed_once(
    penstock_server: Running, queue: str
) -> None:
    first = taking(penstock_server, queue)
    assert first.take(0, 4, LARGE) == 4
    assert first.take(0, 2, LARGE) == 2
    assert first.take(4, 4, LARGE) == 8
    first.commit(2)
    first.commit(1)
    first.close()

    second = taking(penstock_server, queue)
    assert second.open().committed == 2
    assert second.take(2, 100, LARGE) == 8
    assert second.take(8, 100, LARGE, target=9) == 9
    assert second.take(9, 100, LARGE, target=9) == 9
    rows = [row for batch in second.read(2, 4, ("position", "body")) for row in batch.to_pylist()]
    assert [row["body"] for row in rows] == [b"message  2", b"message  3"]
    second.close()


def test_the_broker_is_told_which_ranges_executors_will_ask_for(
    penstock_server: Running, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition, "WORTH_A_TASK", 2)
    told: list[Any] = []
    expect = QueueReader.expect

    def overhear(self: QueueReader, spans: Any) -> None:
        told.append(spans)
        expect(self, spans)

    monkeypatch.setattr(QueueReader, "expect", overhear)
    ours = taking(penstock_server, queue)
    ours.take(0, 7, LARGE)
    ours.take(0, 7, LARGE)
    ours.take(7, 3, LARGE)
    assert told == [[(0, 3), (3, 7)]], "a small range is there as soon"
    assert [batch.num_rows for batch in ours.read(3, 7, ("position",))] == [4]
    ours.close()


def test_a_broker_that_knows_nothing_of_it_is_no_trouble(
    penstock_server: Running, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_self: object, _spans: object) -> None:
        raise BrokerRefused("there is nothing at that path", code=404)

    monkeypatch.setattr(partition, "WORTH_A_TASK", 2)
    monkeypatch.setattr(QueueReader, "expect", unknown)
    ours = taking(penstock_server, queue)
    assert ours.take(0, 7, LARGE) == 7
    ours.close()


def test_bytes_limit_what_is_taken(penstock_server: Running, queue: str) -> None:
    ours = taking(penstock_server, queue)

    assert ours.take(0, 100, 30) == 3
    assert ours.take(3, 100, 1) == 4
    ours.close()


def test_a_second_holder_is_refused(penstock_server: Running, queue: str) -> None:
    ours = taking(penstock_server, queue)
    other = PenstockTaking(penstock_server.url, queue, "tests", 2)
    other.open()

    with pytest.raises(ReaderInUse, match="a test"):
        other.lease("another", 30)
    ours.lease("a test", 0)
    other.lease("another", 30)
    ours.close()
    other.close()


def options(url: str, queue: str, **more: str) -> SourceOptions:
    return SourceOptions.read({"url": url, "queue": queue, **more})


def test_the_options_choose_the_adapter(penstock_server: Running, tmp_path: Path) -> None:
    assert isinstance(open_origin(options(penstock_server.url, "q")), PenstockTaking)
    spooled = open_origin(options(penstock_server.url, "a/b", spool=str(tmp_path)))
    assert isinstance(spooled, SpoolTaking)
    assert spooled._spool.folder == tmp_path / "a%2Fb" / "spark"


def test_what_is_wrong_is_found_before_anything_is_read(
    penstock_server: Running, rabbitmq_server: Running, queue: str, name: str, tmp_path: Path
) -> None:
    url = penstock_server.url
    check_origin(options(url, queue))
    check_origin(options(url, queue, spool=str(tmp_path)))

    with pytest.raises(UnknownQueue, match=f"{name}-not"):
        check_origin(options(url, f"{name}-not"))
    with pytest.raises(LoginRefused):
        check_origin(options(url.replace("guest:guest", "guest:sesame"), queue))
    with pytest.raises(NotConnected):
        check_origin(options(f"amqp://127.0.0.1:{free_port()}", queue))
    # A broker that has no readers says so, and who asks is told about spools.
    with pytest.raises(NotConnected, match="spool"):
        check_origin(options(rabbitmq_server.url, queue))
