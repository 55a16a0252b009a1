"""What becomes of a method frame: the item it is, or the beginning of one whose content follows.

A table by method id; a method that is not in it is handed out as an object. Knows arguments and items, no
frames and no states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.wire.amqp.items import ACK, DELIVER, GET_OK, METHOD, NACK, PUBLISH, REJECT, RETURN
from penstock.wire.amqp.methods import (
    METHODS,
    BasicAck,
    BasicDeliver,
    BasicGetOk,
    BasicNack,
    BasicPublish,
    BasicReject,
    BasicReturn,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wire.amqp.interned import Interned

__all__ = ["item_of"]


def _publish(channel: int, arguments: bytes, interned: Interned) -> Any:
    return PUBLISH, channel, interned.publish_args.get(arguments) or interned.parse_publish(arguments)


def _deliver(channel: int, arguments: bytes, interned: Interned) -> Any:
    method: BasicDeliver = BasicDeliver.codec.decode(arguments)
    tag_at = 1 + arguments[0]
    args = interned.parse_deliver(arguments[:tag_at] + arguments[tag_at + 8 :])
    return DELIVER, channel, args, method.delivery_tag


def _get_ok(channel: int, arguments: bytes, _interned: Interned) -> Any:
    return GET_OK, channel, BasicGetOk.codec.decode(arguments)


def _return(channel: int, arguments: bytes, _interned: Interned) -> Any:
    return RETURN, channel, BasicReturn.codec.decode(arguments)


def _ack(channel: int, arguments: bytes, _interned: Interned) -> Any:
    method: BasicAck = BasicAck.codec.decode(arguments)
    return ACK, channel, method.delivery_tag, method.multiple


def _nack(channel: int, arguments: bytes, _interned: Interned) -> Any:
    method: BasicNack = BasicNack.codec.decode(arguments)
    return NACK, channel, method.delivery_tag, method.multiple, method.requeue


def _reject(channel: int, arguments: bytes, _interned: Interned) -> Any:
    method: BasicReject = BasicReject.codec.decode(arguments)
    return REJECT, channel, method.delivery_tag, method.requeue


_ITEMS: Final[dict[int, Callable[[int, bytes, Interned], Any]]] = {
    BasicPublish.id: _publish,
    BasicDeliver.id: _deliver,
    BasicGetOk.id: _get_ok,
    BasicReturn.id: _return,
    BasicAck.id: _ack,
    BasicNack.id: _nack,
    BasicReject.id: _reject,
}


def item_of(method_id: int, channel: int, arguments: bytes, interned: Interned, depth: int) -> Any:
    """The item, or the head of one, that a known method with these arguments makes.

    Raises:
        Malformed: the arguments cannot be read.
    """
    make = _ITEMS.get(method_id)
    if make is not None:
        return make(channel, arguments, interned)
    return METHOD, channel, METHODS[method_id].codec.decode(arguments, depth)
