"""The page docs/reference/did-parameters.md, written from the parameters.

`python -m penstock.did.parameter_reference docs/reference/did-parameters.md` writes it; a test holds it
against the parameters, so that none is undocumented.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.did.parameters import OTHER_NAMES, PARAMETERS, flag_of, variable_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.settings import Option

__all__ = ["main", "page"]

HEAD: Final = """\
# Parameters of a DID domain

Written from the program by `python -m penstock.did.parameter_reference docs/reference/did-parameters.md`.

Names and defaults are those of Orb's startup parameters. Each can be set in three places; the later wins:

1. in a TOML file: `op-queue-pool = 5`;
2. in the environment, its name in capitals: `OP_QUEUE_POOL=5`;
3. on the command line: `--op-queue-pool 5`.

Durations are written as Go writes them, `1m30s`, or have one of Penstock's units: `90s`, `1.5min`, `7d`.
`none` is not set, or no limit.
"""

TAIL: Final = """
## Other names

Orb has called some of them otherwise; these are understood, too.

| Flag | Variable | Is |
|---|---|---|
"""


def page() -> str:
    """The page, whole."""
    chapters: dict[str, list[Option]] = {}
    for option in PARAMETERS.values():
        chapters.setdefault(option.chapter, []).append(option)
    written = "".join(_chapter(name, options) for name, options in chapters.items())
    return HEAD + written + TAIL + "".join(_other(*each) for each in OTHER_NAMES.items())


def _chapter(name: str, options: Iterable[Option]) -> str:
    rows = "".join(_row(option) for option in options)
    head = "| Flag | Variable | Default | Takes | What it does |\n|---|---|---|---|---|\n"
    return f"\n## {name}\n\n{head}{rows}"


def _row(option: Option) -> str:
    names = f"`{flag_of(option.name)}` | `{variable_of(option.name)}`"
    return f"| {names} | `{option.shown_default}` | {option.kind.takes} | {option.help} |\n"


def _other(other: str, name: str) -> str:
    return f"| `--{other}` | `{variable_of(other.replace('-', '_'))}` | `{flag_of(name)}` |\n"


def main() -> None:
    """Write the page to the file that the command line names."""
    Path(sys.argv[1]).write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
