"""Virtual hosts: their names, limits, and what people note; what is in one is the broker's business."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadVirtualHost, UnknownVirtualHost

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["VirtualHost", "VirtualHosts"]

#: Bytes; connection.open names it in a short string (AMQP 0-9-1 §4.2.5.3).
LONGEST_NAME: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualHost:
    """A virtual host, with RabbitMQ's limits (rabbitmq.com/docs/vhosts#limits); None is no limit."""

    name: str
    max_connections: int | None = None
    max_queues: int | None = None
    #: For people.
    description: str = ""
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < len(self.name.encode()) <= LONGEST_NAME or not self.name.isprintable():
            raise BadVirtualHost(
                f"{self.name!r}: a virtual host's name has 1 to {LONGEST_NAME} printable bytes"
            )
        for limit in ("max_connections", "max_queues"):
            value = getattr(self, limit)
            if value is not None and value < 0:
                raise BadVirtualHost(
                    f"{limit} of virtual host {self.name!r} is {value}: it cannot be negative"
                )

    def record(self) -> dict[str, Any]:
        """What the store keeps."""
        return {name: value for name, value in asdict(self).items() if value not in ("", ())}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> VirtualHost:
        """The virtual host that a record tells of."""
        return cls(**record | {"tags": tuple(record.get("tags", ()))})


class VirtualHosts:
    """All virtual hosts of a broker."""

    __slots__ = ("_by_name",)

    def __init__(self, hosts: Iterable[VirtualHost] = ()) -> None:
        self._by_name = {host.name: host for host in hosts}

    def __repr__(self) -> str:
        return f"<VirtualHosts {', '.join(map(repr, sorted(self._by_name)))}>"

    def __iter__(self) -> Iterator[VirtualHost]:
        return iter(list(self._by_name.values()))

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def get(self, name: str) -> VirtualHost:
        """The virtual host of that name.

        Raises:
            UnknownVirtualHost: there is none.
        """
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownVirtualHost(f"there is no virtual host {name!r}") from None

    def put(self, host: VirtualHost) -> None:
        """Add a virtual host, or replace the one of the same name."""
        self._by_name[host.name] = host

    def delete(self, name: str) -> None:
        """Forget a virtual host."""
        del self._by_name[self.get(name).name]
