from __future__ import annotations

from typing import Any

import pytest

from penstock.did.federation.outgoing import Outgoing, message_of, outgoing_in
from penstock.errors import InvalidMessage
from tests.did.endless import with_endless
from tests.did.federation.helpers import read
from tests.did.operation_queue.helpers import Bodied

WAYS = [
    Outgoing(type="broadcast", activity={"id": "1"}, exclude=["x"]),
    Outgoing(type="resolve-and-deliver", activity={"id": "1"}, target="x"),
    Outgoing(type="deliver", activity={"id": "1"}, target="x"),
]


@pytest.mark.parametrize("outgoing", WAYS)
def test_what_is_written_is_read(outgoing: Outgoing) -> None:
    assert read(message_of(outgoing)) == outgoing


def test_the_same_activity_on_the_same_way_is_the_same_message() -> None:
    assert len({message_of(outgoing).id for outgoing in WAYS * 2}) == len(WAYS)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"type":"broadcast"}',
        b'{"type":"shout","activity":{}}',
        b"\xff",
        b'{"type":"broadcast","activity":%b}' % with_endless("x"),
    ],
)
def test_a_message_that_holds_nothing_of_the_kind_is_refused(body: bytes) -> None:
    received: Any = Bodied(body)
    with pytest.raises(InvalidMessage):
        outgoing_in(received)
