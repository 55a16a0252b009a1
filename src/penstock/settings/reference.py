"""The page docs/reference/settings.md, written from the options.

`python -m penstock.settings.reference docs/reference/settings.md` writes it; a test holds it against the
options, so that none is undocumented.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.settings.settings import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.settings.options import Option

__all__ = ["main", "page"]

HEAD: Final = """\
# Settings

Written from the program by `python -m penstock.settings.reference docs/reference/settings.md`.

Every setting has one name and can be set in three places; the later wins:

1. in a TOML file, named by `penstock broker --config FILE` or `PENSTOCK_CONFIG`: `max_queues = 1000`;
2. in the environment, with `PENSTOCK_` before its name: `PENSTOCK_MAX_QUEUES=1000`;
3. on the command line, with hyphens: `--max-queues 1000`. Secrets, marked with a star, cannot be set there:
   every user of a machine can read command lines.

A name that does not exist is an error, and so is a value out of bounds: the broker does not start.

- **Sizes** are bytes, or have a unit: `B`, `kB` `MB` `GB` `TB` (1000s), `KiB` `MiB` `GiB` `TiB` (1024s).
- **Durations** are seconds, or have a unit: `ms`, `s`, `min`, `h`, `d`.
- **Shares** are written `40%` or `0.4`.
- **Lists** (addresses, names) are lists in TOML and separated by commas elsewhere; on the command line the
  option may also be repeated.
- **`none`** is no limit, or not set; for a list, an empty one.
- A relative **path** in a file is meant from the folder of the file.
"""

TAIL: Final = """
## Templates and proxies

Queue templates and predefined proxies have tables of their own in the file, and no other place:

```toml
[templates.jobs]
persistent = true
max_length = 100_000
overflow = "reject-publish"

[proxies.audit]
class = "FANOUT"
```

What a template can say is on the page about [queues](queues.md), the classes of proxies on
[theirs](proxies.md).
"""


def page() -> str:
    """The page, whole."""
    chapters = groupby(OPTIONS.values(), lambda option: option.chapter)
    return HEAD + "".join(_chapter(name, options) for name, options in chapters) + TAIL


def _chapter(name: str, options: Iterable[Option]) -> str:
    rows = "".join(_row(option) for option in options)
    return f"\n## {name}\n\n| Setting | Default | Takes | What it does |\n|---|---|---|---|\n{rows}"


def _row(option: Option) -> str:
    star = "" if option.flag else " *"
    default = option.default if option.kind.is_secret else option.shown_default
    return f"| `{option.name}`{star} | `{default or 'none'}` | {option.kind.takes} | {option.help} |\n"


def main() -> None:
    """Write the page to the file that the command line names."""
    Path(sys.argv[1]).write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
