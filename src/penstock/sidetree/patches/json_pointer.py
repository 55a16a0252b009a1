"""JSON Pointer (RFC 6901): finding one's way in a document, and changing what is found.

The containers on the way are changed in place; who calls has made a copy.
"""

from __future__ import annotations

import re
from typing import Any, Final

from penstock.errors import BadPatch

__all__ = ["added", "found", "removed", "steps"]

#: An index as RFC 6901 §4 has it: no sign, no leading zero.
INDEX: Final = re.compile(r"0|[1-9][0-9]*")
#: Behind the last entry.
END: Final = "-"


def steps(pointer: Any) -> list[str]:
    """The names on the way: "/a/b~1c" leads by "a" to "b/c"."""
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise BadPatch(f"{str(pointer)[:60]!r} is no JSON Pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def found(document: Any, pointer: Any) -> Any:
    """What stands there."""
    value = document
    for step in steps(pointer):
        value = inside(value, step, pointer)
    return value


def inside(container: Any, step: str, pointer: Any) -> Any:
    if isinstance(container, dict) and step in container:
        return container[step]
    if isinstance(container, list):
        return container[index(step, len(container) - 1, pointer)]
    raise BadPatch(f"nothing stands at {str(pointer)[:60]!r}")


def index(step: str, last: int, pointer: Any) -> int:
    if not INDEX.fullmatch(step) or int(step) > last:
        raise BadPatch(f"the list has no such entry as {str(pointer)[:60]!r} says")
    return int(step)


def parent(document: Any, pointer: Any) -> tuple[Any, str]:
    way = steps(pointer)
    if not way:
        raise BadPatch("the whole document cannot be changed like that: use replace")
    container = document
    for step in way[:-1]:
        container = inside(container, step, pointer)
    return container, way[-1]


def added(document: Any, pointer: Any, value: Any) -> None:
    """Put it there: into an object under that name, into a list before that entry."""
    container, step = parent(document, pointer)
    if isinstance(container, dict):
        container[step] = value
    elif isinstance(container, list):
        container.insert(
            len(container) if step == END else index(step, len(container), pointer),
            value,
        )
    else:
        raise BadPatch(f"nothing can stand at {str(pointer)[:60]!r}")


def removed(document: Any, pointer: Any) -> Any:
    """Take away what stands there, and give it."""
    container, step = parent(document, pointer)
    value = inside(container, step, pointer)
    if isinstance(container, dict):
        return container.pop(step)
    container.pop(int(step))
    return value
