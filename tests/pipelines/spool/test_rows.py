from __future__ import annotations

import pyarrow as pa

from penstock.pipelines.spool.rows import keys_in, new_rows
from penstock.pipelines.spool.seen import Seen, key_of
from penstock.wire.arrow import friendly
from tests.pipelines.spool.letters import Letter, letter


def batch_of(pieces: list[bytes | memoryview]) -> pa.RecordBatch:
    return next(iter(pa.ipc.open_stream(b"".join(pieces))))


def test_messages_become_columns_under_positions() -> None:
    new = new_rows([letter(1), Letter(b"without an id", redelivered=True)], Seen(), 41, 1.5)

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

    new = new_rows([letter(1), letter(2), letter(2)], seen, 1, 0.0)

    assert (new.rows, new.size, new.keys) == (1, len(b"letter 2"), [key_of(b"l2", b"letter 2")])
    assert batch_of(new.pieces)["body"].to_pylist() == [b"letter 2"]
    assert new_rows([letter(1)], seen, 1, 0.0).rows == 0


def test_keys_are_the_same_when_they_are_read_back() -> None:
    new = new_rows([letter(1), letter(2), Letter(b"x")], Seen(), 1, 0.0)

    assert keys_in(batch_of(new.pieces)) == new.keys
