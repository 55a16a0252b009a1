"""What is known about each option: its kind, its explanation, and the names it goes by.

One name has four spellings: `max_queues` in Python and in the file, `PENSTOCK_MAX_QUEUES` in the
environment, `--max-queues` on the command line. Nothing here knows which options there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadSetting

if TYPE_CHECKING:
    from penstock.settings.kinds import Kind

__all__ = ["ENVIRONMENT_PREFIX", "Option", "option", "options_of"]

ENVIRONMENT_PREFIX: Final = "PENSTOCK_"
_KEY: Final = "option"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One thing that can be set."""

    name: str
    kind: Kind
    chapter: str
    help: str
    default: Any

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def flag(self) -> str | None:
        """Its name on the command line; secrets have none."""
        return None if self.kind.is_secret else "--" + self.name.replace("_", "-")

    @property
    def shown_default(self) -> str:
        """The default as one would write it."""
        return self.kind.shown(self.default)

    def read(self, value: Any, source: str) -> Any:
        """The value as the program uses it.

        Raises:
            BadSetting: naming the option, where it was set, and what is wrong; a secret is not quoted.
        """
        try:
            return self.kind.read(value)
        except ValueError as wrong:
            raise BadSetting(f"{self.name} ({source}): {wrong}", setting=self.name) from wrong


def option(default: Any, kind: Kind, chapter: str, text: str) -> Any:
    """A dataclass field that is an option."""
    metadata = {_KEY: (kind, chapter, text)}
    return field(default=default, repr=not kind.is_secret, metadata=metadata)


def options_of(cls: type) -> dict[str, Option]:
    """The options among a dataclass's fields, in order."""
    found = {}
    for item in fields(cls):
        if _KEY in item.metadata:
            kind, chapter, text = item.metadata[_KEY]
            found[item.name] = Option(
                name=item.name, kind=kind, chapter=chapter, help=text, default=item.default
            )
    return found
