"""Finding things by name, and an error that helps who misspelt one."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.errors import UnknownName

__all__ = ["find"]

T = TypeVar("T")

#: Names among which the one that may have been meant is looked for: some milliseconds.
FEW_NAMES: Final = 200


def find(things: Mapping[Any, T], key: Any, error: type[UnknownName], text: str) -> T:
    """The thing, or an error that offers what may have been meant."""
    found = things.get(key)
    if found is not None:
        return found
    # Among very many names the search takes longer than a guess is worth.
    spoken = {str(name[-1] if isinstance(name, tuple) else name) for name in islice(things, FEW_NAMES)}
    wanted = str(key[-1] if isinstance(key, tuple) else key)
    close = get_close_matches(wanted, spoken, n=1)
    raise error(f"{text} (or did you mean {close[0]!r}?)" if close and close[0] != wanted else text)
