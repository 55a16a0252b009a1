"""The options of source and sink, as Spark hands them over: texts by name, in any case.

Each is read by its row in a table; one that is unknown is an error, with the nearest that there is. Knows
no Spark.
"""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.client.schemes import is_beanstalk
from penstock.client.url import BrokerUrl
from penstock.errors import BadSetting, BadUrl, UnknownSetting
from penstock.pipelines.columns import read_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["SinkOptions", "SourceOptions", "resolve"]

#: What Spark itself adds, in the case it uses.
SPARKS_OWN: Final = frozenset({"checkpointlocation", "queryname", "path", "outputmode", "__queryid"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """Where messages come from, how many at once, and what is shown of them."""

    #: May be a reference, see `resolve`; so it may hold a password, and is not for logs.
    url: str
    queue: str
    #: The name under which the broker, or the spool, knows how far one is.
    reader: str
    max_rows: int | None = None
    max_bytes: int | None = None
    partitions: int = 2
    columns: tuple[str, ...] | None = None
    #: The dotted path of a class.
    schema_type: str = ""
    #: A folder that every executor sees; without one the broker must be Penstock.
    spool: str = ""
    #: A range instead of what waits, for `drain`.
    start: int | None = None
    end: int | None = None

    def __repr__(self) -> str:
        return f"<SourceOptions reader {self.reader!r} of {self.queue!r}>"

    @classmethod
    def read(cls, options: Mapping[str, str]) -> SourceOptions:
        """The options of a source.

        Raises:
            UnknownSetting, BadSetting: and what it should be.
        """
        return cls(**_read(options, _SOURCE, needed=("url", "queue"), defaults={"reader": "spark"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkOptions:
    """Where messages go, and what becomes of rows that cannot be one."""

    url: str
    exchange: str = ""
    routing_key: str | None = None
    schema_type: str = ""
    #: Whether a bad row fails the batch, or is left out and reported.
    bad_rows: str = "fail"
    #: With skip: a folder of the driver's machine that gets them, and how many there may be in a batch.
    bad_rows_to: str = ""
    bad_rows_at_most: int | None = None
    #: Seconds for which an unreachable broker is waited for, and one that refuses.
    timeout: float = 60.0
    #: What the ids of a batch write begin with; the same again, and the broker's readers know it for the
    #: same.
    write_id: str = ""

    def __repr__(self) -> str:
        return f"<SinkOptions exchange {self.exchange!r}>"

    @classmethod
    def read(cls, options: Mapping[str, str]) -> SinkOptions:
        """The options of a sink.

        Raises:
            UnknownSetting, BadSetting: and what it should be.
        """
        return cls(**_read(options, _SINK, needed=("url",), defaults={}))


def resolve(url: str) -> str:
    """The URL that is meant: itself, or what `env:NAME` or `file:PATH` refer to.

    Raises:
        BadSetting: nothing is there.
    """
    kind, _, where = url.partition(":")
    if kind == "env":
        if not os.environ.get(where):
            raise BadSetting(
                f"url: the environment variable {where} is not set in this process", setting="url"
            )
        return os.environ[where]
    if kind == "file":
        try:
            return Path(where).read_text(encoding="utf-8").strip()
        except OSError as exc:
            raise BadSetting(f"url: {where} cannot be read: {exc.strerror}", setting="url") from exc
    return url


# Reading


def _text(text: str) -> str:
    if not text:
        raise ValueError("must not be empty")
    return text


def _whole(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ValueError(f"is a whole number from {least} on, not {text!r}")
        return int(text)

    return read


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ValueError(f"is a number of seconds, not {text!r}")
    return seconds


def _url(text: str) -> str:
    if not text.startswith(("env:", "file:")):
        try:
            BrokerUrl.parse(text)
        except BadUrl as exc:
            raise ValueError(str(exc)) from exc
    return text


def _any_url(text: str) -> str:
    """A source's, which may be a beanstalk server's as well."""
    if not is_beanstalk(text):
        return _url(text)
    from penstock.client.beanstalk.url import BeanstalkUrl  # noqa: PLC0415 (most sources do without)

    try:
        BeanstalkUrl.parse(text)
    except BadUrl as exc:
        raise ValueError(str(exc)) from exc
    return text


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"is {' or '.join(words)}, not {text!r}")
        return text

    return read


_SOURCE: Final[Mapping[str, Callable[[str], Any]]] = {
    "url": _any_url,
    "queue": _text,
    "reader": _text,
    "max_rows": _whole(1),
    "max_bytes": _whole(1),
    "partitions": _whole(1),
    "columns": read_columns,
    "schema_type": _text,
    "spool": _text,
    "start": _whole(0),
    "end": _whole(0),
}
_SINK: Final[Mapping[str, Callable[[str], Any]]] = {
    "url": _url,
    "exchange": str,
    "routing_key": str,
    "schema_type": _text,
    "bad_rows": _one_of("fail", "skip"),
    "bad_rows_to": _text,
    "bad_rows_at_most": _whole(0),
    "timeout": _seconds,
    "write_id": _text,
}


def _read(
    options: Mapping[str, str],
    table: Mapping[str, Callable[[str], Any]],
    *,
    needed: Iterable[str],
    defaults: Mapping[str, Any],
) -> dict[str, Any]:
    found: dict[str, Any] = dict(defaults)
    for given, text in options.items():
        name = given.lower()
        if name in SPARKS_OWN:
            continue
        if name not in table:
            raise UnknownSetting(_unknown(given, table))
        try:
            found[name] = table[name](text)
        except ValueError as exc:
            raise BadSetting(f"option {name}: {exc}", setting=name) from exc
    for name in needed:
        if name not in found:
            raise BadSetting(f"option {name} is missing", setting=name)
    return found


def _unknown(name: str, table: Mapping[str, Any]) -> str:
    nearest = difflib.get_close_matches(name.lower(), table, n=1)
    meant = f"did you mean {nearest[0]}?" if nearest else f"there are {', '.join(table)}"
    return f"there is no option {name}: {meant}"
