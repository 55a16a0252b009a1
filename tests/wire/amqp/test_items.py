from __future__ import annotations

from penstock.wire.amqp import items
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.items import Failure, Kind, PublishArgs
from penstock.wire.amqp.methods import ChannelClose, ConnectionClose


def test_a_failure_says_how_to_answer_it() -> None:
    failure = Failure(ReplyCode.CONTENT_TOO_LARGE, "a body of 9 bytes", 3, 60, 40)
    assert failure.reply() == (3, ChannelClose(311, "CONTENT_TOO_LARGE - a body of 9 bytes", 60, 40))


def test_a_failure_of_the_connection_is_answered_on_channel_0() -> None:
    failure = Failure(ReplyCode.FRAME_ERROR, "é" * 300)
    channel, close = failure.reply()
    assert channel == 0
    assert isinstance(close, ConnectionClose)
    ConnectionClose.codec.encode(close)


def test_every_kind_has_its_constant() -> None:
    assert all(getattr(items, kind.name) is kind for kind in Kind)


def test_a_route_of_two_words_is_enough() -> None:
    assert PublishArgs("ex", "key") == ("ex", "key", False, False)
