"""What is told on the channel of a cache: a value was made, could not be, or is forgotten. Pure."""

from __future__ import annotations

from typing import Final

import msgspec

from penstock.errors import InvalidMessage

__all__ = ["Notice", "channel_for", "read_notice"]

#: JSON has no value without a byte.
NOTHING: Final = msgspec.Raw()


class Notice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of news about a key."""

    key: str
    #: Tokens of the claims that the work was done for; none if the key is forgotten. With neither a value
    #: nor an error, another claim has taken their place.
    of: tuple[str, ...] = ()
    #: What came of it.
    value: msgspec.Raw = NOTHING
    #: Why there is no value, and will be none.
    error: str = ""
    #: Of a request that was refused, as HTTP's.
    status: int = 0
    #: Of the process that tells it: it need not listen to itself.
    by: str = ""

    @property
    def is_end(self) -> bool:
        """Whether there is nothing more to wait for."""
        return bool(self.value) or bool(self.error) or self.status > 0

    @property
    def made(self) -> bytes | None:
        """The value, if it is news of one."""
        return bytes(self.value) or None


_decode: Final = msgspec.json.Decoder(Notice).decode


def channel_for(cache: str) -> str:
    """The channel of a cache."""
    return f"ps_cached_{cache}"


def read_notice(body: bytes) -> Notice:
    """What the channel has brought.

    Raises:
        InvalidMessage: it is no notice.
    """
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise InvalidMessage(f"this is no news of a cache: {exc}") from exc
