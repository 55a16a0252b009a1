"""A message as people read it in a terminal: a line about it, its headers, its body. Pure.

What comes from a message can be anything: control characters, which could make a terminal do things, are
shown as what they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["as_lines", "harmless"]


def as_lines(message: Mapping[str, Any], longest: int | None) -> Iterator[str]:
    """The lines of a message in the management API's form.

    Args:
        message: With payload, properties and where it was published to.
        longest: Characters of its body that are shown; None is all.
    """
    properties = message.get("properties") or {}
    about = [f"{message.get('exchange') or 'queue'} {message.get('routing_key', '')}".strip()]
    if "position" in message:
        about.insert(0, f"#{message['position']}")
    about += [f"{name}={value}" for name, value in sorted(properties.items()) if name != "headers"]
    if message.get("redelivered"):
        about.append("redelivered")
    yield harmless("  ".join(about))
    for name, value in sorted((properties.get("headers") or {}).items()):
        yield harmless(f"  {name}: {value}")
    body = str(message.get("payload", ""))
    if message.get("payload_encoding") == "base64":
        body = f"base64 {body}"
    cut = body if longest is None else body[:longest]
    for line in cut.splitlines():
        yield harmless(f"  | {line}")
    if len(cut) < len(body):
        yield f"  … {len(body) - len(cut)} characters more: --whole, --json"


def harmless(text: str) -> str:
    """The text, with what a terminal would act upon made visible."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
