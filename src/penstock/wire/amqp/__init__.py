"""AMQP 0-9-1 with RabbitMQ's extensions: bytes in, items out, and back, for both roles.

A server feeds a `ServerDecoder` with what its socket reads, gives the first items to a `ServerHandshake`, and
answers with `method_frame`, `DeliverEncoder` and `confirm_frames`; a client does the same from the other end.
Pure: no I/O, no clock, no broker. The items are described in `items.py`, the methods in `methods/`.
"""

from penstock.wire.amqp.constants import PROTOCOL_HEADER, ReplyCode, Role
from penstock.wire.amqp.content import body_of, body_size_of, content_frames, on_channel, properties_of
from penstock.wire.amqp.decoder import ClientDecoder, ServerDecoder
from penstock.wire.amqp.encoder import (
    HEARTBEAT_BYTES,
    DeliverEncoder,
    PublishEncoder,
    confirm_frames,
    content_method_frames,
    method_frame,
)
from penstock.wire.amqp.errors import CannotEncode, Malformed
from penstock.wire.amqp.handshake import ClientHandshake, ServerHandshake
from penstock.wire.amqp.interned import Interned
from penstock.wire.amqp.items import DeliverArgs, Failure, Item, Kind, PublishArgs
from penstock.wire.amqp.limits import Limits
from penstock.wire.amqp.properties import BasicProperties
from penstock.wire.amqp.sasl import Claim
from penstock.wire.amqp.tuning import Tuning

__all__ = [
    "HEARTBEAT_BYTES",
    "PROTOCOL_HEADER",
    "BasicProperties",
    "CannotEncode",
    "Claim",
    "ClientDecoder",
    "ClientHandshake",
    "DeliverArgs",
    "DeliverEncoder",
    "Failure",
    "Interned",
    "Item",
    "Kind",
    "Limits",
    "Malformed",
    "PublishArgs",
    "PublishEncoder",
    "ReplyCode",
    "Role",
    "ServerDecoder",
    "ServerHandshake",
    "Tuning",
    "body_of",
    "body_size_of",
    "confirm_frames",
    "content_frames",
    "content_method_frames",
    "method_frame",
    "on_channel",
    "properties_of",
]
