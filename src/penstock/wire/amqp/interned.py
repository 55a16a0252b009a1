"""Parses of bytes that come again and again, remembered: a message costs a lookup, not a parse.

A publisher sends the same exchange and routing key, and mostly the same properties, many times over. One of
these may serve all connections of a process. Knows argument bytes, no frames and no channels.
"""

from __future__ import annotations

from typing import Final

from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.items import DeliverArgs, PublishArgs
from penstock.wire.amqp.methods import BasicDeliver
from penstock.wire.amqp.properties import BasicProperties
from penstock.wire.amqp.table import MAX_DEPTH

__all__ = ["Interned"]

#: Entries of each kind. Full, a cache starts over: cheaper than counting who was used last.
MOST: Final = 4096
#: Bytes; longer property lists are parsed each time, so that a cache stays below 4 MiB.
LONGEST: Final = 1024


def _publish_args(raw: bytes) -> PublishArgs:
    # By hand, for senders whose keys hardly ever come again: a third of what the codec takes.
    try:
        key_at = 3 + raw[2]
        bits_at = key_at + 1 + raw[key_at]
        bits = raw[bits_at]
    except IndexError as exc:
        raise Malformed("the arguments of basic.publish end too early") from exc
    if bits_at != len(raw) - 1:
        raise Malformed("the arguments of basic.publish have the wrong length")
    exchange = raw[3:key_at].decode("utf-8", "surrogateescape")
    routing_key = raw[key_at + 1 : bits_at].decode("utf-8", "surrogateescape")
    return PublishArgs(exchange, routing_key, bits & 1 == 1, bits & 2 == 2)


class Interned:
    """Three bounded memories. Look in the dicts first, call the method of the same name on a miss."""

    __slots__ = ("_depth", "deliver_args", "properties", "publish_args")

    def __init__(self, depth: int = MAX_DEPTH) -> None:
        self._depth = depth
        self.publish_args: dict[bytes, PublishArgs] = {}
        self.deliver_args: dict[bytes, DeliverArgs] = {}
        self.properties: dict[bytes, BasicProperties] = {}

    def __repr__(self) -> str:
        kept = len(self.publish_args), len(self.deliver_args), len(self.properties)
        return "<Interned {} publish, {} deliver, {} properties>".format(*kept)

    def parse_publish(self, raw: bytes) -> PublishArgs:
        """The arguments of a basic.publish.

        Raises:
            Malformed: they cannot be read.
        """
        args = _publish_args(raw)
        if len(self.publish_args) >= MOST:
            self.publish_args.clear()
        self.publish_args[raw] = args
        return args

    def parse_deliver(self, raw: bytes) -> DeliverArgs:
        """The arguments of a basic.deliver, less its delivery tag.

        Raises:
            Malformed: they cannot be read.
        """
        tag_at = 1 + raw[0]
        method: BasicDeliver = BasicDeliver.codec.decode(raw[:tag_at] + bytes(8) + raw[tag_at:])
        args = DeliverArgs(method.consumer_tag, method.redelivered, method.exchange, method.routing_key)
        if len(self.deliver_args) >= MOST:
            self.deliver_args.clear()
        self.deliver_args[raw] = args
        return args

    def parse_properties(self, raw: bytes) -> BasicProperties:
        """A property list, checked.

        Raises:
            Malformed: it cannot be read.
        """
        properties = BasicProperties.checked(raw, self._depth)
        if len(raw) <= LONGEST:
            if len(self.properties) >= MOST:
                self.properties.clear()
            self.properties[raw] = properties
        return properties
