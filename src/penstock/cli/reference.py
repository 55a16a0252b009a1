"""The page docs/reference/commands.md, written from the commands.

`python -m penstock.cli.reference docs/reference/commands.md` writes it; a test holds it against the commands,
so that none is undocumented, and no option.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from typer.main import get_command

from penstock.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["commands", "main", "page"]

HEAD: Final = """\
# Commands

Written from the program by `python -m penstock.cli.reference docs/reference/commands.md`.

`penstock --help` lists the commands, `penstock COMMAND --help` explains one. What several have in common:

- **`--json`** prints one JSON value on standard output, for programs; `messages tail` prints one a line.
  Without it a table is aligned on a terminal, and has tabs between its columns in a pipe. What is meant for a
  person goes to standard error.
- **Exit codes**: 0, done; 1, it could not be done, or you said no, or what was asked is not so (the text of a
  command says when); 2, what was asked cannot be understood, or a setting is wrong; 130, it was interrupted
  (Ctrl-C). Commands that run until they are stopped end with 0 when they are.
- **Long work** shows how far it is on standard error: a bar on a terminal, a line now and then elsewhere, and
  nothing with `--json`.
- **`--management URL`** [PENSTOCK_MANAGEMENT], of `queues`, `messages`, `users` and `top`, is a broker's
  management API: that of Penstock's panel, or of RabbitMQ's plugin.
- **`--url URL`** [MQ_URL] is a broker's AMQP.
- **What throws away or ends** something (`purge`, `delete`, `reset`, `deactivate`) or changes a broker or a
  database for others (`topology apply`, `outbox guard`) asks first; `--yes` does not.
- **Completion**: `penstock --install-completion` has the shell complete commands and options (bash, zsh,
  fish, PowerShell); `penstock --show-completion` prints what it would install.
"""

#: Commands whose options are on a page of their own.
ELSEWHERE: Final[Mapping[str, str]] = {
    "penstock broker": "Its options are the [settings](settings.md).",
    "penstock did up": "Its other options are [the domain's parameters](did-parameters.md).",
}
#: Of those, options that are not there.
OWN: Final[Mapping[str, tuple[str, ...]]] = {
    "penstock broker": ("--config",),
    "penstock did up": ("--domains", "--data", "--web-processes", "--master", "--pipelines", "--config"),
}


def page() -> str:
    """The page, whole."""
    return HEAD + "".join(_chapter(name, command) for name, command in commands())


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that people type, by its whole name."""
    yield from _beneath("penstock", get_command(app))


def _beneath(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    inside = getattr(command, "commands", None)
    if inside is None:
        yield name, command
        return
    for word, each in sorted(inside.items()):
        if not each.hidden:
            yield from _beneath(f"{name} {word}", each)


def _chapter(name: str, command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    if name in ELSEWHERE:
        options = [each for each in options if each.opts[0] in OWN[name]]
    usage = " ".join([name, *(_usage(each) for each in arguments)])
    text = f"\n## {name}\n\n`{usage}`\n\n{_told(command)}\n"
    if name in ELSEWHERE:
        text += f"\n{ELSEWHERE[name]}\n"
    rows = [_row(f"`{_metavar(each)}`", each.help) for each in arguments]
    rows += [_row(_flags(each), _help(each)) for each in options]
    return text + (f"\n| Takes | What it is |\n|---|---|\n{''.join(rows)}" if rows else "")


def _told(command: Any) -> str:
    """What its help says, as paragraphs."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)


def _usage(argument: Any) -> str:
    name = _metavar(argument) + (" …" if argument.nargs == -1 else "")
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _flags(option: Any) -> str:
    flags = ", ".join((*option.opts, *option.secondary_opts))
    takes = "" if option.is_flag else f" {_metavar(option)}"
    variable = f" [{option.envvar}]" if option.envvar else ""
    return f"`{flags}{takes}`{variable}"


def _help(option: Any) -> str:
    default = option.default
    is_told = isinstance(default, str | int | float | Path) and not isinstance(default, bool)
    return f"{option.help} Default: `{default}`." if is_told and default != "" else str(option.help)


def _row(first: str, second: str | None) -> str:
    return f"| {_cell(first)} | {_cell(second or '')} |\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def main() -> None:
    """Write the page to the file that the command line names."""
    Path(sys.argv[1]).write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
