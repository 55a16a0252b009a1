"""Structured logs: text for a terminal, a JSON object a line for machines, secrets in neither.

Facts go into `extra`: `log.info("connection opened", extra={"connection": 3})`. What happens to single
messages is counted, never logged. Passwords, tokens and the credentials in URLs are blotted out of
whatever is logged, tracebacks included, and control characters cannot start a line of their own.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from penstock.settings import Settings

__all__ = ["JsonFormatter", "TextFormatter", "redacted", "set_up"]

BLOT: Final = "***"
#: Names whose values are nobody's business.
_SECRET_NAME: Final = r"[\w-]*(?:passw(?:or)?d|secret|token|authorization|api[_-]?key|credentials?)[\w-]*"  # noqa: S105  it says how to find one
_SECRETS: Final = (
    # amqp://user:password@host
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@]*):[^\s/]*@", re.IGNORECASE), rf"\1:{BLOT}@"),
    # Authorization: Bearer …
    (re.compile(r"\b(bearer|basic) +[\w.~+/=-]{6,}", re.IGNORECASE), rf"\1 {BLOT}"),
    # password=…, 'PASSWORD': '…', "token": "…"
    (
        re.compile(
            rf"(?P<name>\b{_SECRET_NAME}['\"]?\s*[=:]\s*)(?:'[^']*'|\"[^\"]*\"|[^\s,;&)}}\]]+)", re.IGNORECASE
        ),
        rf"\g<name>{BLOT}",
    ),
)
_IS_SECRET: Final = re.compile(_SECRET_NAME, re.IGNORECASE)
#: What every record has; the rest came by `extra`.
_USUAL: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_CONTROL: Final = {code: f"\\x{code:02x}" for code in (*range(32), 127)} | {
    ord("\n"): "\\n",
    ord("\r"): "\\r",
}


def redacted(text: str) -> str:
    """The text without its secrets."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def facts(record: logging.LogRecord) -> dict[str, Any]:
    """What came by `extra`, without secrets."""
    found = {name: value for name, value in vars(record).items() if name not in _USUAL}
    return {name: BLOT if _IS_SECRET.fullmatch(name) else _plain(value) for name, value in found.items()}


class TextFormatter(logging.Formatter):
    """`2026-01-31 12:00:00.123 INFO    server: connection opened connection=3`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and a traceback if there is one."""
        moment = f"{_moment(record):%Y-%m-%d %H:%M:%S.%f}"[:-3]
        details = "".join(f" {name}={value}" for name, value in facts(record).items())
        text = redacted(record.getMessage()) + details
        line = f"{moment} {record.levelname:<7} {_short(record.name)}: {text.translate(_CONTROL)}"
        traceback = self._traceback(record)
        return f"{line}\n{traceback}" if traceback else line

    def _traceback(self, record: logging.LogRecord) -> str:
        return redacted(self.formatException(record.exc_info)) if record.exc_info else ""


class JsonFormatter(TextFormatter):
    """`{"time": …, "level": "info", "logger": "penstock.server", "message": …, "connection": 3}`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever is in it."""
        entry = facts(record) | {
            "time": _moment(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redacted(record.getMessage()),
        }
        traceback = self._traceback(record)
        if traceback:
            entry["traceback"] = traceback
        order = ("time", "level", "logger", "message")
        return json.dumps({name: entry[name] for name in order} | entry, ensure_ascii=False)


def set_up(settings: Settings, stream: TextIO | None = None) -> logging.Handler:
    """Send everything `penstock` logs to a stream, or to standard error; from now on, and there only."""
    stream = stream or sys.stderr
    is_text = stream.isatty() if settings.log_format == "auto" else settings.log_format == "text"
    handler = logging.StreamHandler(stream)
    handler.setFormatter(TextFormatter() if is_text else JsonFormatter())
    logger = logging.getLogger("penstock")
    logger.handlers[:] = [handler]
    logger.setLevel(settings.log_level.upper())
    logger.propagate = False
    return handler


def _plain(value: Any) -> Any:
    """Numbers as they are, anything else as text without secrets."""
    return value if isinstance(value, int | float | bool | None) else redacted(str(value))


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _short(name: str) -> str:
    return name.removeprefix("penstock.")
