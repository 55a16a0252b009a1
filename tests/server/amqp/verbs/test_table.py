from __future__ import annotations

from penstock.server.amqp.verbs import VERBS
from penstock.server.amqp.verbs.table import verb
from penstock.wire.amqp.constants import Role
from penstock.wire.amqp.methods import (
    METHODS,
    BasicAck,
    BasicNack,
    BasicPublish,
    BasicReject,
    ChannelClose,
    ChannelCloseOk,
    ChannelFlowOk,
    ChannelOpen,
    Method,
)

#: The hot path, and what opens and closes: the intake's own business.
ELSEWHERE = {BasicAck, BasicNack, BasicPublish, BasicReject, ChannelClose, ChannelCloseOk, ChannelOpen}


def test_a_verb_is_entered_under_its_method() -> None:
    class Nothing(Method):
        """A method of no protocol."""

    def nothing(channel: object, method: Nothing) -> None: ...

    try:
        assert verb(Nothing)(nothing) is nothing
        assert VERBS[Nothing] is nothing
    finally:
        VERBS.pop(Nothing)


def test_every_method_of_a_channel_has_a_verb() -> None:
    for_us = {
        method
        for method in METHODS.values()
        if method.to & Role.SERVER and not method.name.startswith("connection.")
    }
    assert for_us - ELSEWHERE - {ChannelFlowOk} <= set(VERBS)
