"""JSON Pointer (RFC 6901): finding one's way in a document, and what it is when something there has changed.

No document is changed in place: what is on the way is new, and all else is shared. So a change costs what the
way does, however large the document is, and nothing that somebody has signed changes with it.
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


def added(document: Any, pointer: Any, value: Any) -> Any:
    """The document with that there: in an object under that name, in a list before that entry."""
    *above, container = way_to(document, pointer)
    *names, step = steps(pointer)
    if isinstance(container, dict):
        changed: Any = container | {step: value}
    elif isinstance(container, list):
        at = len(container) if step == END else index(step, len(container), pointer)
        changed = [*container[:at], value, *container[at:]]
    else:
        raise BadPatch(f"nothing can stand at {str(pointer)[:60]!r}")
    return rebuilt(above, names, changed)


def removed(document: Any, pointer: Any) -> tuple[Any, Any]:
    """The document without what stands there, and that."""
    *above, container = way_to(document, pointer)
    *names, step = steps(pointer)
    value = inside(container, step, pointer)
    changed = container.copy()
    changed.pop(key_of(container, step))
    return rebuilt(above, names, changed), value


def way_to(document: Any, pointer: Any) -> list[Any]:
    """The document, and each container after it up to the one that the pointer's last step is in."""
    way = steps(pointer)
    if not way:
        raise BadPatch("the whole document cannot be changed like that: use replace")
    found = [document]
    for step in way[:-1]:
        found.append(inside(found[-1], step, pointer))
    return found


def rebuilt(above: list[Any], names: list[str], value: Any) -> Any:
    """The first of these containers with that in it, each new that is on the way."""
    for container, step in zip(reversed(above), reversed(names), strict=True):
        changed = container.copy()
        changed[key_of(container, step)] = value
        value = changed
    return value


def key_of(container: Any, step: str) -> int | str:
    return int(step) if isinstance(container, list) else step
