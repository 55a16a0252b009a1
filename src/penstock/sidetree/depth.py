"""How deep a value nests: bounded by a number, not by the stack of whoever happens to look at it."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["DEEPEST", "too_deep", "written_too_deep"]

#: Objects and lists inside each other. A delta of 1,700 bytes could have 800; nobody's has ten.
DEEPEST: Final = 100


def too_deep(value: Any) -> bool:
    """Whether it nests deeper than anything that is taken; looks level by level, so that nothing recurses."""
    containers = containers_of([value])
    for _ in range(DEEPEST):
        if not containers:
            return False
        containers = [
            inner
            for container in containers
            for inner in containers_of(container.values() if isinstance(container, dict) else container)
        ]
    return bool(containers)


def written_too_deep(value: Any, written: bytes) -> bool:
    """The same, if it is known how it is written: what has few brackets need not be looked at."""
    return written.count(b"{") + written.count(b"[") > DEEPEST and too_deep(value)


def containers_of(values: Any) -> list[Any]:
    return [value for value in values if isinstance(value, dict | list)]
