"""How a registration that names several properties wants them combined: all of them, or any.

The convention is RabbitMQ's headers exchange: an entry "x-match" beside the criteria says all
(default), any, all-with-x or any-with-x; without "-with-x" names that begin with "x-" are not
compared, because brokers write such properties themselves. All of no criteria is true, any of none
is false. Nothing here knows how one criterion is compared: PROP-TEST and PROP-WILD each say that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from penstock.wiring.proxy import Proxy

__all__ = ["Mode", "split_mode"]

Mode = Literal["all", "any"]

#: What "x-match" may say → how criteria combine, and whether names beginning with "x-" are criteria.
modes: Final[dict[str, tuple[Mode, bool]]] = {
    "all": ("all", False),
    "any": ("any", False),
    "all-with-x": ("all", True),
    "any-with-x": ("any", True),
}


def split_mode(proxy: Proxy, pattern: Any) -> tuple[Mode, dict[str, Any]]:
    """The mode, and the criteria to compare, of a registration at this proxy.

    Raises:
        BadPattern: it is no mapping of names, or "x-match" says something else.
    """
    if not isinstance(pattern, Mapping) or not all(isinstance(name, str) for name in pattern):
        raise proxy.refuse(pattern, "the pattern is a mapping of property names to what is asked of them")
    wanted = pattern.get("x-match", "all")
    if not isinstance(wanted, str) or wanted not in modes:
        raise proxy.refuse(pattern, f"x-match is one of {', '.join(modes)}")
    mode, with_x = modes[wanted]
    criteria = {
        name: asked
        for name, asked in pattern.items()
        if name != "x-match" and (with_x or not name.startswith("x-"))
    }
    return mode, criteria
