"""The page docs/reference/errors.md, written from the tree of errors.

`python -m penstock.cli.error_reference docs/reference/errors.md` writes it; a test holds it against the tree,
so that no error is undocumented.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock import errors
from penstock.errors import PenstockError
from penstock.panel.replies import STATUSES
from penstock.server.amqp.errors import CODES
from penstock.server.http.replies import HttpFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["main", "page"]

HEAD: Final = """\
# Errors

Written from the program by `python -m penstock.cli.error_reference docs/reference/errors.md`.

Everything that Penstock raises is a `PenstockError`. The name says what happened, the text what to do about
it. Catch the general to catch the special: `except StoreError` has `StoreFull`, too. All are imported from
`penstock.errors`, but for those whose module is named beside them.

Who is not Python is told in other ways:

- **AMQP** closes the channel or the connection with a reply code. Where the column is empty the error does
  not come from there, or is the broker's own fault: 541.
- **The panel's API** answers with a status, and `{"error": word, "reason": the error's text}`. Where the
  column is empty the status is 500.
- **The command line** prints the text, and exits with 2 if a setting or an argument can mend it
  (`SettingsError`, `BadConfiguration`), and with 1 otherwise.
"""

#: Branches with a chapter of their own, and what it is called; what is in none of them stands first.
CHAPTERS: Final[Mapping[type[PenstockError], str]] = {
    errors.WiringError: "Wiring",
    errors.SettingsError: "Settings",
    errors.StoreError: "Store",
    errors.SecurityError: "Users, permissions, virtual hosts",
    errors.ClientError: "Client",
    errors.MessagingError: "Applications and workers",
    errors.PipelineError: "Pipelines",
    errors.SidetreeError: "DID operations",
    errors.DidError: "A DID domain",
}
#: Nobody else imports it here, and an error that is not imported is not in the tree.
ELSEWHERE: Final = (HttpFault,)


def page() -> str:
    """The page, whole."""
    alone = [each for each in PenstockError.__subclasses__() if each not in CHAPTERS and _is_ours(each)]
    chapters = [_chapter("In general", [PenstockError, *sorted(alone, key=_maybe_module)])]
    chapters += [_chapter(name, _branch(root)) for root, name in CHAPTERS.items()]
    return HEAD + "".join(chapters)


def _branch(root: type[PenstockError]) -> Iterator[type[PenstockError]]:
    yield root
    for child in root.__subclasses__():
        # One of two parents stands once, with the first.
        if _is_ours(child) and child.__bases__[0] is root:
            yield from _branch(child)


def _is_ours(error: type[PenstockError]) -> bool:
    """Whether it is Penstock's own: applications derive errors from ours, and tests do.

    A module that was imported, forgotten and imported again has left its first errors behind in the tree.
    """
    home = sys.modules.get(error.__module__)
    return error.__module__.startswith("penstock.") and getattr(home, error.__name__, None) is error


def _maybe_module(error: type[PenstockError]) -> str:
    """Where it is imported from, if that is not where most are; empty if it is."""
    return "" if error.__module__.startswith("penstock.errors") else error.__module__


def _chapter(name: str, branch: Iterable[type[PenstockError]]) -> str:
    head = "| Error | Is a | What happened | AMQP | Panel |\n|---|---|---|---|---|\n"
    return f"\n## {name}\n\n{head}" + "".join(map(_row, branch))


def _row(error: type[PenstockError]) -> str:
    module = _maybe_module(error)
    where = f" (`{module}`)" if module else ""
    parents = ", ".join(f"`{parent.__name__}`" for parent in error.__bases__)
    what = " ".join((inspect.getdoc(error) or "").split("\n\n")[0].split())
    code, status = _first(CODES, error), _first(STATUSES, error)
    return f"| `{error.__name__}`{where} | {parents} | {what} | {code} | {status} |\n"


def _first(table: Iterable[tuple[type[PenstockError], Any]], error: type[PenstockError]) -> str:
    """What the first line of a table that is about the error, or one more general, says."""
    return next((str(int(told)) for kind, told in table if issubclass(error, kind)), "")


def main() -> None:
    """Write the page to the file that the command line names."""
    Path(sys.argv[1]).write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
