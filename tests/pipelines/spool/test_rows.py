from __future__ import annotations

import pyarrow as pa
import pytest

from penstock.pipelines.spool.rows import keys_in, new_rows
from penstock.pipelines.spool.seen import Seen, key_of
from penstock.wire.amqp import BasicProperties
from penstock.wire.arrow import RangeEncoder, Rows, friendly
from tests.pipelines.spool.letters import Letter, letter, lot, lot_of


def batch_of(pieces: list[bytes | memoryview]) -> pa.RecordBatch:
    return next(iter(pa.ipc.open_stream(b"".join(pieces))))


def test_messages_become_columns_under_positions() -> None:
    new = new_rows(lot_of(letter(1), Letter(b"without an id", redelivered=True)), Seen(), 41, 1.5)

    batch = batch_of(new.pieces)
    assert (new.rows, new.size) == (2, len(b"letter 1without an id"))
    assert friendly(batch, ("position", "message_id", "body", "routing_key", "redelivered")).to_pylist() == [
        {
            "position": 41,
            "message_id": "l1",
            "body": b"letter 1",
            "routing_key": "letters",
            "redelivered": False,
        },
        {
            "position": 42,
            "message_id": None,
            "body": b"without an id",
            "routing_key": "letters",
            "redelivered": True,
        },
    ]


def test_those_seen_before_are_left_out() -> None:
    seen = Seen()
    seen.add([key_of(b"l1", b"letter 1")])

    new = new_rows(lot_of(letter(1), letter(2), letter(2)), seen, 1, 0.0)

    assert (new.rows, new.size, new.keys) == (1, len(b"letter 2"), [key_of(b"l2", b"letter 2")])
    assert friendly(batch_of(new.pieces), ("body",))["body"].to_pylist() == [b"letter 2"]
    assert new_rows(lot(1), seen, 1, 0.0).rows == 0


@pytest.mark.parametrize(
    "some",
    [
        [letter(1), letter(2)],  # of one shape
        [letter(1), letter(22), Letter(b"x")],  # of several
        [Letter(b"x"), Letter(b"y")],  # none has an id
        [Letter(b"", BasicProperties.of(message_id=""))],
        [Letter(b"x" * 100_000, BasicProperties.of(message_id="large", headers={"a": 1}))],
    ],
)
def test_messages_are_known_by_id_and_body_also_when_they_are_read_back(some: list[Letter]) -> None:
    new = new_rows(lot_of(*some), Seen(), 1, 0.0)

    expected = [key_of((each.properties.message_id or "").encode(), each.body) for each in some]
    assert new.keys == expected
    assert keys_in(batch_of(new.pieces)) == expected


def test_a_block_of_an_older_spool_is_known_by_the_same() -> None:
    some = [letter(1), letter(22)]
    older = Rows(
        positions=[1, 2],
        exchanges=[each.exchange for each in some],
        routing_keys=[each.routing_key for each in some],
        properties=[each.properties.raw for each in some],
        bodies=[each.body for each in some],
        redelivered=[False, False],
        arrived=[0.0, 0.0],
    )
    encoder = RangeEncoder()
    pieces = [*encoder.begin(), *encoder.add(older), *encoder.end()]

    assert keys_in(batch_of(pieces)) == new_rows(lot_of(*some), Seen(), 1, 0.0).keys
