"""What a dead letter's headers say: x-death, x-first-death-*, x-last-death-*, as RabbitMQ writes them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from penstock.server.amqp.headers import long_entry, table_array_entry, with_entries
from penstock.server.amqp.terms import CC, copies
from penstock.wire.amqp.table import encode_entry

if TYPE_CHECKING:
    from penstock.wire.amqp import BasicProperties
    from penstock.wire.amqp.table import Table
    from penstock.wiring import Death

__all__ = ["ERROR_HEADER", "told", "with_deaths"]

#: Beyond RabbitMQ: what the consumer said was wrong, where it said anything.
ERROR_HEADER: Final = "x-death-error"


def told(deaths: tuple[Death, ...], content: BasicProperties) -> tuple[Death, ...]:
    """The deaths without the routing keys of the latest that nobody may know (BCC)."""
    latest = deaths[0]
    first, *further = latest.destinations
    shown = copies(content.headers or {}, CC)
    if latest.count > 1 or all(key in shown for key in further):
        return deaths
    return (replace(latest, destinations=(first, *(key for key in further if key in shown))), *deaths[1:])


def with_deaths(content: BasicProperties, deaths: tuple[Death, ...]) -> BasicProperties:
    """The properties with the deaths written down, and without the expiration that would end it again."""
    headers = content.headers or {}
    entries = {"x-death": table_array_entry("x-death", [_entry(death) for death in deaths])}
    # One that died before says of its first death already.
    first = () if "x-first-death-queue" in headers else (("first", deaths[-1]),)
    for moment, death in (*first, ("last", deaths[0])):
        facts = {"exchange": death.proxy, "queue": death.queue, "reason": death.reason.value}
        for fact, value in facts.items():
            name = f"x-{moment}-death-{fact}"
            entries[name] = encode_entry(name, value)
    error = deaths[0].error
    if error is not None:
        entries[ERROR_HEADER] = encode_entry(ERROR_HEADER, error)
    return with_entries(content.replace(expiration=None), entries)


def _entry(death: Death) -> bytes:
    fields: Table = {
        "reason": death.reason.value,
        "queue": death.queue,
        "time": datetime.fromtimestamp(int(death.first_at), UTC),
        "exchange": death.proxy,
        "routing-keys": list(death.destinations),
    }
    if death.expires_in is not None:
        fields["original-expiration"] = str(round(death.expires_in * 1000))
    rest = b"".join(encode_entry(name, value) for name, value in fields.items())
    return long_entry("count", death.count) + rest
