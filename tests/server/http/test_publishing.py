from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from penstock.client import sync
from penstock.client.values import Binding, Exchange, Queue
from penstock.errors import StoreFull
from penstock.server.http import publishing
from penstock.server.permissions import TopicPermission
from tests.server.http.served import House, Said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.wire.amqp import BasicProperties

PUBLISH = "/api/publish/%2F"
ARROW = {"Content-Type": "application/vnd.apache.arrow.stream"}


@pytest.fixture
def own() -> Iterator[House]:
    """A broker of the test's own, with a queue."""
    with House() as house:
        house.fill("q", [])
        yield house


def stream(*batches: pa.RecordBatch, codec: str | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.ipc.new_stream(sink, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def publish(house: House, *, user: str = "guest", **columns: Any) -> Said:
    return house.ask("POST", PUBLISH, stream(pa.RecordBatch.from_pydict(columns)), user=user, headers=ARROW)


def waiting(house: House, queue: str = "q") -> list[tuple[bytes, BasicProperties]]:
    """What a consumer gets."""
    with sync.connect(house.url) as client:
        found = []
        while (delivery := client.get(queue)) is not None:
            found.append((delivery.body, delivery.properties))
            delivery.ack()
        return found


def test_rows_are_messages_in_order(own: House) -> None:
    count = 1100
    answer = publish(
        own,
        body=[b"%d" % number for number in range(count)],
        routing_key=["q"] * count,
        message_id=[str(number) for number in range(count)],
    )
    assert answer.json == {"rows": count, "unroutable": [], "refused": []}
    found = waiting(own)
    assert [body for body, _ in found] == [b"%d" % number for number in range(count)]
    assert (found[7][1].message_id, found[7][1].delivery_mode) == ("7", 2)


def test_a_large_body_is_a_message_like_any_other(own: House) -> None:
    publish(own, body=[b"a", b"L" * 300_000, b"b"], routing_key=["q"] * 3)
    assert [len(body) for body, _ in waiting(own)] == [1, 300_000, 1]


def test_a_large_body_that_the_disk_does_not_take_is_refused(
    own: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        abandoned = False

        def append(self, _body: bytes) -> None:
            raise StoreFull("no room is left")

        def abandon(self) -> None:
            Full.abandoned = True

    monkeypatch.setattr(own.embedded.front.bodies, "create", Full)
    answer = publish(own, body=[b"L" * 300_000], routing_key=["q"])
    assert (answer.status, answer.json["kind"], Full.abandoned) == (503, "StoreFull", True)


def test_rows_that_no_queue_takes_are_named(own: House) -> None:
    answer = publish(own, body=list("abc"), routing_key=["q", "nowhere", "q"])
    assert answer.json == {"rows": 3, "unroutable": [1], "refused": []}
    assert [body for body, _ in waiting(own)] == [b"a", b"c"]


def test_rows_that_a_full_queue_refuses_are_named(own: House) -> None:
    with sync.connect(own.url) as client:
        client.declare(Queue("small", arguments={"x-max-length": 1, "x-overflow": "reject-publish"}))
    answer = publish(own, body=list("abc"), routing_key=["q", "small", "small"])
    assert answer.json == {"rows": 3, "unroutable": [], "refused": [2]}


def test_an_exchange_routes_them(own: House) -> None:
    with sync.connect(own.url) as client:
        client.declare(Exchange("news", "topic"), Binding("news", "q", "a.*"))
    answer = publish(own, body=list("abc"), exchange=["news"] * 3, routing_key=["a.b", "b.a", "a.c"])
    assert answer.json["unroutable"] == [1]
    assert [body for body, _ in waiting(own)] == [b"a", b"c"]


@pytest.mark.parametrize(
    ("columns", "status", "complaint"),
    [
        ({"exchange": ["", "none"]}, 404, "row 1: there is no exchange 'none' in virtual host '/'"),
        ({"expiration": [None, "soon"]}, 400, "row 1: invalid expiration 'soon'"),
        ({"user_id": [None, "root"]}, 400, "row 1: user_id is 'root' but it is 'guest' who publishes"),
        ({"reply_to": [None, "amq.rabbitmq.reply-to"]}, 400, "row 1: reply_to amq.rabbitmq.reply-to"),
        ({"properties": [b"\0\0", b"\xff\xff"]}, 400, "row 1: a property list ends too early"),
        ({"colour": ["red", "blue"]}, 400, "a message has no column colour"),
        ({"priority": [1, 999]}, 400, "row 1: 999 does not fit an octet"),
    ],
)
def test_what_cannot_be_published_says_its_row_and_nothing_is(
    own: House, columns: dict[str, Any], status: int, complaint: str
) -> None:
    answer = publish(own, body=["a", "b"], routing_key=["q", "q"], **columns)
    assert answer.status == status
    assert answer.json["error"].startswith(complaint)
    assert waiting(own) == []


@pytest.mark.parametrize(
    "body", [b"", b"no arrow", stream(pa.record_batch([pa.array(["x"])], ["body"]))[:200]]
)
def test_what_is_no_arrow_is_refused(own: House, body: bytes) -> None:
    answer = own.ask("POST", PUBLISH, body, headers=ARROW)
    assert answer.status == 400
    assert answer.json["error"].startswith("the body is no Arrow IPC stream")


def test_what_may_be_larger_than_it_looks_is_refused(own: House) -> None:
    batch = pa.RecordBatch.from_pydict({"body": ["x" * 100_000], "routing_key": ["q"]})
    answer = own.ask("POST", PUBLISH, stream(batch, codec="zstd"), headers=ARROW)
    assert (answer.status, answer.json["error"]) == (
        400,
        "the stream's buffers are compressed: send them as they are",
    )


def test_more_rows_than_may_be_are_refused(own: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "ROWS_MOST", 2)
    assert publish(own, body=list("abc"), routing_key=["q"] * 3).status == 413


def test_a_body_beyond_the_limit_is_refused() -> None:
    with House(max_message_bytes=1024) as house:
        house.fill("q", [])
        answer = publish(house, body=["x" * 1025], routing_key=["q"])
        assert answer.json["error"].startswith("row 0: a body of 1025 bytes; max_message_bytes is 1024")


def test_who_may_not_write_may_not_publish(own: House) -> None:
    own.add_user("reader", read=".*")
    answer = publish(own, user="reader", body=["a"], routing_key=["q"])
    assert (answer.status, answer.json["kind"]) == (403, "NotPermitted")


def test_topics_are_permitted_one_by_one(own: House) -> None:
    own.add_user("writer", write=".*")
    topics = TopicPermission(user="writer", vhost="/", exchange="amq.topic", write="^a\\.")
    own.do(lambda: own.embedded.front.access.realm.permissions.grant_topic(topics))
    columns = {"body": ["a"], "exchange": ["amq.topic"]}
    assert publish(own, user="writer", routing_key=["a.b"], **columns).status == 200
    assert publish(own, user="writer", routing_key=["b.a"], **columns).status == 403


def test_nobody_publishes_to_an_internal_exchange(own: House) -> None:
    with sync.connect(own.url) as client:
        client.declare(Exchange("inner", internal=True))
    assert publish(own, body=["a"], exchange=["inner"], routing_key=["q"]).status == 403


def test_copies_that_nobody_is_to_see_are_not_shown(own: House) -> None:
    own.fill("copy", [])
    publish(own, body=["a"], routing_key=["q"], headers=['{"BCC": ["copy"], "kept": 1}'])
    [(_, properties)] = waiting(own)
    assert properties.headers == {"kept": 1}
    assert len(waiting(own, "copy")) == 1


def test_one_may_publish_as_oneself(own: House) -> None:
    assert publish(own, body=["a"], routing_key=["q"], user_id=["guest"]).json["rows"] == 1
    assert waiting(own)[0][1].user_id == "guest"


def test_an_alarm_refuses_publishes(own: House) -> None:
    own.do(lambda: own.embedded.front.block("low on memory"))
    answer = publish(own, body=["a"], routing_key=["q"])
    assert (answer.status, answer.json["kind"]) == (503, "PublishRefused")
    assert answer.json["error"] == "the broker takes no publishes now: low on memory"
    own.do(lambda: own.embedded.front.block(None))
    assert publish(own, body=["a"], routing_key=["q"]).status == 200
