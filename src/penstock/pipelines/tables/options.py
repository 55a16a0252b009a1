"""The options of a Delta table, as Spark carries them: names in lower case, values as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.errors import BadSetting, UnknownSetting
from penstock.pipelines.tables.files import FILE_SIZE
from penstock.pipelines.tables.keys import Key
from penstock.pipelines.tables.location import Location

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DeltaOptions"]

_STORAGE: Final = "storage."
#: Ours, and those that Spark adds by itself.
_KNOWN: Final = frozenset({"path", "partitionby", "key", "keytime", "filesize", "query", "batch", "version"})
_SPARKS: Final = frozenset({"checkpointlocation", "queryname"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaOptions:
    """What was asked for."""

    location: Location
    partition_by: tuple[str, ...] = ()
    #: Rows whose key the table has already are left out.
    key: Key | None = None
    #: Bytes after which the next file is begun.
    file_size: int = FILE_SIZE
    #: For a batch write that is part of something that can be run again: the transaction's name and number.
    query: str | None = field(default=None)
    batch: int | None = None
    #: For a read: the table as it was; None is as it is.
    version: int | None = None

    @classmethod
    def read(cls, given: Mapping[str, str]) -> DeltaOptions:
        """The options of a query.

        Raises:
            BadSetting, UnknownSetting: they cannot be.
        """
        options = {name.lower(): value for name, value in given.items()}
        storage = {
            name.removeprefix(_STORAGE): value for name, value in options.items() if name.startswith(_STORAGE)
        }
        for name in options:
            if name not in _KNOWN and name not in _SPARKS and not name.startswith(_STORAGE):
                known = "path, partitionBy, key, keyTime, fileSize, query, batch, version, storage.*"
                raise UnknownSetting(f"a Delta table has no option {name}; there are {known}")
        if "keytime" in options and "key" not in options:
            raise BadSetting("keyTime says where a key is looked for: which key?", setting="keyTime")
        return cls(
            location=Location.at(options.get("path", ""), storage),
            partition_by=tuple(
                name.strip() for name in options.get("partitionby", "").split(",") if name.strip()
            ),
            key=Key(options["key"], options.get("keytime")) if "key" in options else None,
            file_size=_number(options, "filesize", FILE_SIZE),
            query=options.get("query"),
            batch=_number(options, "batch", None) if "batch" in options else None,
            version=_number(options, "version", None) if "version" in options else None,
        )

    def written(self) -> dict[str, str]:
        """The same, as Spark takes them."""
        options = {"path": self.location.uri, "fileSize": str(self.file_size)}
        options |= {f"{_STORAGE}{name}": value for name, value in self.location.storage.items()}
        if self.partition_by:
            options["partitionBy"] = ",".join(self.partition_by)
        if self.key is not None:
            options["key"] = self.key.column
            if self.key.time is not None:
                options["keyTime"] = self.key.time
        if self.query is not None:
            options |= {"query": self.query, "batch": str(self.batch)}
        if self.version is not None:
            options["version"] = str(self.version)
        return options


def _number(options: Mapping[str, str], name: str, default: int | None) -> int:
    text = options.get(name, str(default))
    if not text.isascii() or not text.isdigit():
        raise BadSetting(f"{name} is a whole number, not {text!r}", setting=name)
    return int(text)
