"""Properties of rows, stamped: those of one kind are encoded once, and each gets its own message id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.wire.amqp import BasicProperties, CannotEncode
from penstock.wire.arrow.headers import headers_from_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LONGEST", "Stamping"]

#: Kinds that are remembered; when there are more, it starts over.
REMEMBERED: Final = 512
#: Bytes of the longest id, and of other names, that AMQP holds.
LONGEST: Final = 255
#: What comes after the message id in a property list (AMQP 0-9-1, class basic).
_AFTER: Final = ("timestamp", "type", "user_id", "app_id")


class Stamping:
    """Property lists from the values of some columns."""

    def __init__(self, names: Sequence[str], common: Mapping[str, Any]) -> None:
        """`common` holds for every row that does not say otherwise; headers are put together."""
        self._names = tuple(names)
        self._common = common
        self._stamps: dict[tuple[Any, ...], tuple[bytes, bytes]] = {}

    def __repr__(self) -> str:
        return f"<Stamping {', '.join(self._names)}>"

    def kind(self, values: tuple[Any, ...]) -> tuple[bytes, bytes]:
        """The properties of rows with these values, before their message id and after it.

        Raises:
            CannotEncode: a value that its property cannot hold.
        """
        return self._stamps.get(values) or self._learn(values)

    @staticmethod
    def stamp(message_id: str, kind: tuple[bytes, bytes]) -> BasicProperties:
        """The properties of a row of some kind.

        Raises:
            CannotEncode: the id is too long.
        """
        before, after = kind
        name = message_id.encode()
        if len(name) > LONGEST:
            raise CannotEncode(f"a message_id has no more than {LONGEST} bytes, not {len(name)}")
        return BasicProperties(before + bytes((len(name),)) + name + after)

    def _learn(self, values: tuple[Any, ...]) -> tuple[bytes, bytes]:
        given = dict(zip(self._names, values, strict=True))
        found = {**self._common, **{name: value for name, value in given.items() if value is not None}}
        found["headers"] = {**self._common.get("headers", {}), **_headers(given.get("headers"))} or None
        raw = BasicProperties.of(**found, message_id="").raw
        tail = BasicProperties.of(**{name: found[name] for name in _AFTER if name in found}).raw[2:]
        end = len(raw) - len(tail)
        if len(self._stamps) >= REMEMBERED:
            self._stamps.clear()
        # The byte before the rest is the length of the empty id.
        made = self._stamps[values] = (raw[: end - 1], tail)
        return made


def _headers(value: Any) -> Mapping[str, Any]:
    """Headers as a column has them: JSON, or the pairs of a map."""
    if value is None:
        return {}
    return dict(value) if isinstance(value, tuple) else headers_from_json(value)
