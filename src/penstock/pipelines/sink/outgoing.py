"""Rows as messages: which columns a table may have, and what is wrong with a row that cannot be one.

The columns are those that the source shows, so that what was read can be written again; what only a broker
knows is passed over. Pure, and made where it is used: it does not travel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import msgspec

from penstock.client import Outgoing
from penstock.errors import BadSetting, PenstockError
from penstock.pipelines.columns import TRACES
from penstock.pipelines.sink.bodies import bodies_of
from penstock.pipelines.sink.properties import LONGEST, Stamping
from penstock.wire.arrow.columns import COLUMNS, PROPERTY_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from penstock.pipelines.options import SinkOptions

__all__ = ["Fault", "FaultOf", "Rows"]

_PERSISTENT: Final = {"delivery_mode": 2}
#: What content can fail with; others are mistakes in a program.
_FAULTS: Final = (PenstockError, ValueError, TypeError, AttributeError, OverflowError, RecursionError)


class Fault(NamedTuple):
    """A row that is no message, or that no queue takes."""

    #: Counted from 0 in its partition.
    row: int
    reason: str
    #: The row itself, or a piece of it, as JSON.
    shown: str = ""

    def __str__(self) -> str:
        return f"row {self.row}: {self.reason}: {self.shown}"


#: Tells of one row of a batch, by where it stands there and what is wrong with it.
FaultOf: TypeAlias = "Callable[[int, str], Fault]"


class Rows:
    """How the rows of a table become messages."""

    def __init__(self, options: SinkOptions, names: Sequence[str]) -> None:
        """Raises BadSetting if rows with these columns cannot be messages."""
        self._bodies = bodies_of(options.schema_type, names)
        _check(names, self._bodies.names)
        free = [name for name in names if name not in self._bodies.names]
        self._traces = [name for name in TRACES if name in free]
        self._has_headers = "headers" in free
        self._told = [
            name
            for name in PROPERTY_COLUMNS
            if (name in free and name != "message_id") or (name == "headers" and self._traces)
        ]
        self._has_id = "message_id" in names and "message_id" not in self._bodies.names
        self._stamping = Stamping(self._told, {**_PERSISTENT, **self._bodies.common})
        self._exchange = options.exchange
        # An event's name is its routing key, unless somebody says otherwise.
        self._key = (
            options.routing_key if options.routing_key is not None else self._bodies.common.get("type")
        )
        if self._key is None and "routing_key" not in names:
            raise BadSetting(
                "nobody says where the messages go: there is neither a column nor an option routing_key",
                setting="routing_key",
            )

    def __repr__(self) -> str:
        return f"<Rows of {self._bodies}, {self._stamping}>"

    def messages(
        self, batch: pa.RecordBatch, fault_of: FaultOf, id_of: Callable[[bytes], str]
    ) -> Iterator[Outgoing | Fault]:
        """A message, or what is wrong, for each row.

        Args:
            batch: The rows.
            fault_of: What is wrong with one of them.
            id_of: An id for a message that says this: everything that it has, but for the id.
        """
        count = batch.num_rows
        beyond: dict[int, str] = {}
        columns = {name: _values(batch.column(name), beyond) for name in batch.schema.names}
        exchanges = columns.get("exchange", [self._exchange] * count)
        keys = columns.get("routing_key", [self._key] * count)
        ids = columns["message_id"] if self._has_id else [None] * count
        bodies = _rows([columns[name] for name in self._bodies.names], count)
        if "headers" in self._told:
            columns["headers"] = self._headers(columns, count)
        told = _rows([columns[name] for name in self._told], count)
        encode, kind_of, stamp = self._bodies.encode, self._stamping.kind, self._stamping.stamp
        # On the path of every row: one pass, no call that can be spared.
        for at, (exchange, key, name, values, said) in enumerate(
            zip(exchanges, keys, ids, bodies, told, strict=True)
        ):
            try:
                if beyond and at in beyond:
                    raise ValueError(beyond[at])
                if exchange is None or key is None:
                    raise ValueError("exchange or routing_key is null")
                address, kind, body = _address(exchange, key), kind_of(said), encode(values)
                # Each part tells where it ends: no two messages say the same in other words.
                own = name if name is not None else id_of(b"".join((address, *kind, body)))
                yield Outgoing(exchange, key, body, stamp(own, kind))
            except _FAULTS as fault:
                yield fault_of(at, str(fault))

    def _headers(self, columns: dict[str, list[Any]], count: int) -> list[Any]:
        """The rows' headers, with the trace that each goes on with."""
        given = [_pairs(value) for value in columns["headers"]] if self._has_headers else [None] * count
        # Where nobody traces anything, the columns are there and empty.
        names = [name for name in self._traces if any(columns[name])]
        if not names:
            return given
        traces = zip(*(columns[name] for name in names), strict=True)
        named = (dict(zip(names, trace, strict=True)) for trace in traces)
        return [_traced(*each) for each in zip(given, named, strict=True)]


@lru_cache(maxsize=512)
def _address(exchange: str, key: str) -> bytes:
    """Where a message goes, as AMQP has it.

    Raises:
        ValueError: it has no place there.
    """
    names = exchange.encode(), key.encode()
    if max(map(len, names)) > LONGEST:
        raise ValueError(f"exchange and routing_key have no more than {LONGEST} bytes")
    return b"".join(bytes((len(name),)) + name for name in names)


def _values(column: pa.Array, beyond: dict[int, str]) -> list[Any]:
    """A column as Python has it; and which rows have what only Spark knows: moments beyond the year 9999."""
    try:
        found: list[Any] = column.to_pylist(maps_as_pydicts="strict")
    except OverflowError:
        found = []
        for at, value in enumerate(column):
            try:
                found.append(value.as_py(maps_as_pydicts="strict"))
            except OverflowError as fault:
                found.append(None)
                beyond[at] = str(fault)
    return found


def _traced(headers: Any, trace: dict[str, str | None]) -> Any:
    """Headers with a row's trace, which goes before what they have to say of one."""
    carried = {name: value for name, value in trace.items() if value is not None}
    if not carried:
        return headers
    if isinstance(headers, tuple):
        return (*(pair for pair in headers if pair[0] not in carried), *carried.items())
    try:
        return msgspec.json.encode({**msgspec.json.decode(headers or "{}"), **carried}).decode()
    except _FAULTS:
        # What is wrong with them is told when they are read.
        return headers


def _pairs(value: Any) -> Any:
    """A map of headers as what can be looked up: as a whole it tells one kind of row from another."""
    return tuple(value.items()) if isinstance(value, dict) else value


def _rows(columns: list[list[Any]], count: int) -> Sequence[tuple[Any, ...]]:
    return list(zip(*columns, strict=True)) if columns else [()] * count


def _check(names: Sequence[str], own: Sequence[str]) -> None:
    known = (*COLUMNS, *TRACES)
    unknown = [name for name in names if name not in known and name not in own]
    if unknown:
        raise BadSetting(
            f"a message has no column {', '.join(unknown)}; there are {', '.join(known)},"
            " and with the option schema_type the fields of a class",
            setting="schema_type",
        )
