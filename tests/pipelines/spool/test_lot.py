from __future__ import annotations

from penstock.pipelines.spool.lot import Lot
from penstock.wire.amqp import body_of, properties_of
from penstock.wire.arrow import Same
from tests.pipelines.spool.letters import Letter, letter


def test_messages_that_came_one_by_one_get_frames() -> None:
    lot = Lot.of([letter(1), Letter(b"", redelivered=True)], origin="both")

    assert len(lot) == 2
    assert [body_of(frames) for frames in lot.frames] == [b"letter 1", b""]
    assert [properties_of(frames).message_id for frames in lot.frames] == ["l1", None]
    assert (lot.exchanges, lot.routing_keys) == (["post"] * 2, ["letters"] * 2)
    assert (lot.redelivered, lot.origin) == ([False, True], "both")


def test_some_are_left_out_of_all_columns() -> None:
    lot = Lot([b"a", b"b", b"c"], Same("x", 3), ["k", "l", "m"], [False, True, True], "all")

    left = lot.without({0, 2})

    assert (left.frames, left.exchanges, left.routing_keys, left.redelivered, left.origin) == (
        [b"b"],
        ["x"],
        ["l"],
        [True],
        "all",
    )
