"""How an AMQP publisher asks for its message to be carried: properties and headers, read as Terms.

Read once for each property list: a producer's next message brings the same one, and a queue that sees
the same Terms again knows the way. What depends on the connection (user-id, reply-to) is not read here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.server.amqp.errors import precondition
from penstock.server.amqp.wording import type_name
from penstock.wire.amqp.properties import PERSISTENT_MODE
from penstock.wiring import Terms

if TYPE_CHECKING:
    from penstock.wire.amqp import BasicProperties
    from penstock.wire.amqp.table import Table

__all__ = [
    "BCC",
    "CC",
    "DELAY_HEADER",
    "GROUP_HEADER",
    "HIGHEST",
    "LEASE_HEADER",
    "LONGEST_MS",
    "copies",
    "read_terms",
]

#: AMQP's priorities are 0 to 255, the highest first; the wiring's lowest comes first.
HIGHEST: Final = 255
#: The convention of the delayed-message plugin: milliseconds.
DELAY_HEADER: Final = "x-delay"
#: Seconds a consumer may have the message in hand before it goes back: a job's TTR.
LEASE_HEADER: Final = "x-ttr"
#: Messages with the same value are in at most one consumer's hands at a time.
GROUP_HEADER: Final = "x-group"
#: Further routing keys (rabbitmq.com/docs/sender-selected); the second are not shown to anybody.
CC: Final = "CC"
BCC: Final = "BCC"
#: Milliseconds; ten years, as RabbitMQ (rabbit_misc.erl, check_expiry).
LONGEST_MS: Final = 315_360_000_000
#: Shared Terms are remembered up to so many; then it starts over.
REMEMBERED: Final = 1024

_MODES: Final = (None, 1, PERSISTENT_MODE)
_NUMBER: Final = re.compile(r"[+-]?[0-9]+")
#: By delivery mode: what most ask for, though each property list may be another for its message id.
_TRANSIENT: Final = Terms(priority=HIGHEST)
_USUAL: Final = {
    None: _TRANSIENT,
    1: _TRANSIENT,
    PERSISTENT_MODE: Terms(persistent=True, priority=HIGHEST),
}
_shared: dict[Terms, Terms] = {}


def read_terms(content: BasicProperties) -> Terms:
    """The terms in a message's properties, the same object for the same terms.

    Raises:
        ChannelFault: 406, the expiration, the delivery mode or a list of copies cannot be.
    """
    if content.headers is None and content.expiration is None and content.priority is None:
        usual = _USUAL.get(content.delivery_mode)
        if usual is not None:
            return usual
    headers: Table = content.headers or {}
    terms = Terms(
        expires_in=_expiration(content.expiration),
        persistent=_is_persistent(content.delivery_mode),
        priority=HIGHEST - min(content.priority or 0, HIGHEST),
        delay_in=_delay(headers),
        lease_in=_lease(headers),
        group=_group(headers),
        also=copies(headers, CC) + copies(headers, BCC),
    )
    if not 0 < len(_shared) < REMEMBERED:
        _shared.clear()
        _shared.update((usual, usual) for usual in _USUAL.values())
    return _shared.setdefault(terms, terms)


def _expiration(text: str | None) -> float | None:
    """Seconds; a mistake is told as Erlang's string:to_integer tells it."""
    if text is None:
        return None
    number = _NUMBER.match(text)
    if number is None:
        why = "no_integer"
    elif number.end() < len(text):
        why = f'{{leftover_string,"{text[number.end() :]}"}}'
    elif (milliseconds := int(number[0])) < 0:
        why = f"{{value_negative,{milliseconds}}}"
    elif milliseconds > LONGEST_MS:
        why = f"{{value_too_large,{milliseconds}}}"
    else:
        return milliseconds / 1000
    raise precondition(f"invalid expiration '{text}': {why}")


def _is_persistent(mode: int | None) -> bool:
    if mode not in _MODES:
        raise precondition(f"invalid message: {{delivery_mode_unknown,{mode}}}")
    return mode == PERSISTENT_MODE


def _delay(headers: Table) -> float:
    delay = headers.get(DELAY_HEADER)
    is_number = isinstance(delay, int | float) and not isinstance(delay, bool)
    return max(float(delay), 0.0) / 1000 if is_number else 0.0  # type: ignore[arg-type]


def _lease(headers: Table) -> float | None:
    lease = headers.get(LEASE_HEADER)
    is_number = isinstance(lease, int | float) and not isinstance(lease, bool)
    return float(lease) if is_number and lease > 0 else None  # type: ignore[arg-type,operator]


def _group(headers: Table) -> str | None:
    group = headers.get(GROUP_HEADER)
    return group if isinstance(group, str) else None


def copies(headers: Table, name: str) -> tuple[str, ...]:
    """The further routing keys in a header; what is no text among them is passed over, as RabbitMQ does.

    Raises:
        ChannelFault: 406, it is no list.
    """
    if name not in headers:
        return ()
    keys = headers[name]
    if not isinstance(keys, list):
        raise precondition(f'invalid message: {{unacceptable_type_in_header,"{name}",{type_name(keys)}}}')
    return tuple(key for key in keys if isinstance(key, str))
