"""Where a listener listens: HOST:PORT."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

__all__ = ["Address"]

#: A port is two bytes.
LAST_PORT: Final = 65535


class Address(NamedTuple):
    """A host and a port. No host is every interface; port 0 is any free one."""

    host: str
    port: int

    @classmethod
    def read(cls, value: Any) -> Address:
        """`127.0.0.1:5672`, `localhost:5672`, `[::1]:5672`, or `:5672` for every interface.

        Raises:
            ValueError: it is not an address.
        """
        if isinstance(value, Address):
            return value
        host, colon, port = value.strip().rpartition(":") if isinstance(value, str) else ("", "", "")
        bracketed = host.startswith("[") and host.endswith("]")
        if not colon or (":" in host and not bracketed) or any(character.isspace() for character in host):
            raise ValueError(f"{value!r} is not an address like 127.0.0.1:5672, [::1]:5672 or :5672")
        if not (port.isascii() and port.isdigit() and int(port[:6]) <= LAST_PORT):
            raise ValueError(f"{value!r}: a port is a number from 0 to {LAST_PORT}")
        return cls(host[1:-1] if bracketed else host, int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
