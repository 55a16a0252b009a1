"""How a command tells what went wrong: one line a newcomer understands, and an exit code for scripts.

2 is "you can mend this: a setting or an argument", as with any command; 1 is everything else. What is not
expected at all keeps its traceback.
"""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import typer

from penstock.cli.message_lines import harmless
from penstock.errors import BadConfiguration, PenstockError, SettingsError
from penstock.server.logs import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FAILED", "MISUSED", "explained"]

FAILED: Final = 1
MISUSED: Final = 2

#: What binding a listener fails with, where nobody has said it better.
_BINDING: Final = {errno.EADDRINUSE, errno.EADDRNOTAVAIL}


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors that are expected into a line on standard error and an exit code."""
    try:
        yield
    except (SettingsError, BadConfiguration) as exc:
        raise _told(str(exc), MISUSED) from exc
    except PenstockError as exc:
        raise _told(str(exc) or (type(exc).__doc__ or ""), FAILED) from exc
    except BrokenPipeError:
        # Whoever reads what is printed has seen enough: that is no news.
        raise
    except OSError as exc:
        if exc.errno in _BINDING:
            hint = "change the address of the listener, e.g. --amqp 127.0.0.1:0 for a free port"
            raise _told(f"{exc.strerror or exc}: {hint}", MISUSED) from exc
        raise _told(str(exc), FAILED) from exc


def _told(message: str, code: int) -> typer.Exit:
    typer.echo(f"penstock: {harmless(' '.join(redacted(message).split()))}", err=True)
    return typer.Exit(code)
