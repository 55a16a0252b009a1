"""The page docs/reference/messaging-settings.md, written from the options.

`python -m penstock.messaging.reference docs/reference/messaging-settings.md` writes it; a test holds it
against the options, so that none is undocumented.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.messaging.settings import MESSAGING_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.settings import Option

__all__ = ["main", "page"]

HEAD: Final = """\
# Settings of an application

Written from the program by `python -m penstock.messaging.reference docs/reference/messaging-settings.md`.

What `penstock.messaging.MessagingSettings` takes. `MessagingSettings.from_environment(os.environ)` reads each
from the variable of its name in capitals, `MQ_URL` for one; those marked with a star are not in its repr.
Names and defaults are those of Orb's startup parameters, where it has them. Durations are seconds, or have
units, as in `500ms`, `1m30s` or `1.5min`.
"""


def page() -> str:
    """The page, whole."""
    chapters = groupby(MESSAGING_OPTIONS.values(), lambda option: option.chapter)
    return HEAD + "".join(_chapter(name, options) for name, options in chapters)


def _chapter(name: str, options: Iterable[Option]) -> str:
    rows = "".join(_row(option) for option in options)
    return f"\n## {name}\n\n| Setting | Default | Takes | What it does |\n|---|---|---|---|\n{rows}"


def _row(option: Option) -> str:
    star = " *" if option.kind.is_secret else ""
    return f"| `{option.name}`{star} | `{option.shown_default}` | {option.kind.takes} | {option.help} |\n"


def main() -> None:
    """Write the page to the file that the command line names."""
    Path(sys.argv[1]).write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
