"""A dead letter and a group as others read them: fields for JSON, a line and a page for a person. Pure."""

from __future__ import annotations

import json
from base64 import b64encode
from codecs import getincrementaldecoder
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging import typed_json

if TYPE_CHECKING:
    from penstock.messaging.dead_letters.record import DeadLetter, Group

__all__ = ["as_fields", "as_line", "as_page", "group_as_fields", "group_as_line", "moment"]

#: Characters of an error that stand in a line.
LONGEST: Final = 100
#: What a page shows below everything else, each under its own heading.
_TEXTS: Final = ("trace", "headers", "body")
#: Every character that could start another line, or colour the terminal.
_CONTROL: Final = dict.fromkeys((*range(32), *range(127, 160)), " ")


def as_fields(letter: DeadLetter) -> dict[str, Any]:
    """Everything, as JSON can hold it; a body that is no text is in `body_base64` instead."""
    fields = asdict(letter) | {"group": letter.group, "headers": json.loads(typed_json.dump(letter.headers))}
    body: bytes = fields.pop("body")
    is_cut = fields.pop("whole") is not None
    fields["size"] = letter.size
    try:
        # The cut may have gone through a character.
        return fields | {"body": getincrementaldecoder("utf-8")().decode(body, final=not is_cut)}
    except UnicodeDecodeError:
        return fields | {"body_base64": b64encode(body).decode()}


def as_line(letter: DeadLetter) -> str:
    """When it failed last, whose it is, which it is, and why."""
    count = f"{letter.attempts} attempts" + (f", redriven {letter.redriven}" if letter.redriven else "")
    what = letter.type or "(no type)"
    return _one_line(
        f"{moment(letter.last_failure)}  {letter.consumer}  {what}  {letter.message_id}  {count}  "
        f"{_why(letter.error_class, letter.error)}"
    )


def as_page(letter: DeadLetter) -> str:
    """Everything, for a person."""
    fields = as_fields(letter)
    times = {
        name: moment(fields[name])
        for name in ("published_at", "first_failure", "last_failure", "redriven_at")
    }
    lines = [
        f"{name}: {_one_line(str(times.get(name, value)))}"
        for name, value in fields.items()
        if name not in {*_TEXTS, "body_base64"} and value not in {"", None}
    ]
    texts = {
        "trace": letter.trace,
        "headers": json.dumps(fields["headers"], indent=2),
        "body": fields.get("body", f"{len(letter.body)} bytes that are no text"),
    }
    return "\n".join([*lines, *(f"\n{name}:\n{text}" for name, text in texts.items() if text)])


def group_as_fields(group: Group) -> dict[str, Any]:
    """Everything, as JSON can hold it."""
    return asdict(group)


def group_as_line(group: Group) -> str:
    """How many, which group, whose, of what type, when, and why."""
    came_back = f" ({group.returned} came back)" if group.returned else ""
    span = f"{moment(group.first_failure)} … {moment(group.last_failure)}"
    what = group.type or "(no type)"
    return _one_line(
        f"{group.count}{came_back}  {group.group}  {group.consumer}  {what}  {span}  "
        f"{_why(group.error_class, group.error)}"
    )


def moment(at: float | None) -> str:
    """A time as people read it; nothing for none."""
    if not at:
        return ""
    try:
        return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}Z"
    except (OverflowError, ValueError, OSError):
        # Anybody can write a header that says when.
        return f"{at:g}"


def _why(error_class: str, error: str) -> str:
    short = error_class.removeprefix("builtins.")
    told = f"{short}: {error}" if short else error
    return told if len(told) <= LONGEST else told[: LONGEST - 1] + "…"


def _one_line(text: str) -> str:
    return text.translate(_CONTROL)
