"""Texts that others wrote, as every database takes them. Pure."""

from __future__ import annotations

__all__ = ["clean"]


def clean(text: str) -> str:
    """The text without NUL, and without what is no character."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()
