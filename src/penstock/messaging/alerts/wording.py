"""An alert as others read it: fields for a program, lines for a person; secrets in neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.server.logs import redacted

if TYPE_CHECKING:
    from penstock.messaging.port import Alert

__all__ = ["fields", "lines", "title"]

#: Characters of a title; what an inbox shows of it anyway.
LONGEST_TITLE: Final = 150


def title(alert: Alert) -> str:
    """One line that says what is the matter."""
    urgency = "CRITICAL " if alert.is_critical else ""
    text = " ".join(redacted(f"[penstock] {urgency}{alert.kind}: {alert.subject}").split())
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"


def lines(alert: Alert) -> str:
    """The whole alert, for a person."""
    details = [f"{name}: {_plain(value)}" for name, value in alert.details.items()]
    return "\n".join([redacted(alert.text), "", *details]).rstrip() + "\n"


def fields(alert: Alert) -> dict[str, Any]:
    """The whole alert, as JSON can hold it; `text` is what chat services show."""
    return {
        "text": f"{title(alert)}\n{lines(alert)}",
        "kind": alert.kind,
        "subject": redacted(alert.subject),
        "is_critical": alert.is_critical,
        "details": {name: _plain(value) for name, value in alert.details.items()},
    }


def _plain(value: Any) -> str | int | float | bool | None:
    return value if isinstance(value, int | float | bool | None) else redacted(str(value))
