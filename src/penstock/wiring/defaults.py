"""Configured defaults: the second of the wiring's three layers.

The first is the proxy classes there are, in software; the third is what applications create at run
time. This one is what the administrator predefines: queue templates, and proxies that exist from
the start. It comes as plain tables, as a configuration file has them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadConfiguration
from penstock.wiring.template import DeadLetters, DefaultRegistration, Overflow, Template

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Defaults"]


@dataclass(frozen=True, slots=True)
class Defaults:
    """What exists before any application comes."""

    templates: Mapping[str, Template] = field(default_factory=dict)
    #: Proxy name → the arguments it is created with, `class_name` among them.
    proxies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def from_tables(cls, tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Defaults:
        """Read `{"templates": {name: {…}}, "proxies": {name: {"class": …}}}`.

        Raises:
            BadConfiguration: naming the table and what is wrong with it.
        """
        unknown = sorted(tables.keys() - {"templates", "proxies"})
        if unknown:
            raise BadConfiguration(f"unknown table {', '.join(unknown)}: there are templates and proxies")
        templates = {name: _template(name, table) for name, table in tables.get("templates", {}).items()}
        proxies = {name: _proxy(name, table) for name, table in tables.get("proxies", {}).items()}
        return cls(templates, proxies)


#: Template properties that a table writes as text or a table, and how to read them.
READERS: Final[Mapping[str, Callable[[Any], object]]] = {
    "overflow": Overflow,
    "dead_letters": lambda table: DeadLetters(**table),
    "registration": lambda table: DefaultRegistration(**table),
}


def _template(name: str, table: Mapping[str, Any]) -> Template:
    try:
        read = {key: READERS[key](value) if key in READERS else value for key, value in table.items()}
        return Template().changed(read)
    except (BadConfiguration, TypeError, ValueError) as wrong:
        raise BadConfiguration(f"template {name!r}: {wrong}") from wrong


def _proxy(name: str, table: Mapping[str, Any]) -> Mapping[str, Any]:
    if "class" not in table:
        raise BadConfiguration(f"proxy {name!r}: say its class, e.g. class = 'DEST-NAME'")
    return {"class_name" if key == "class" else key: value for key, value in table.items()}
