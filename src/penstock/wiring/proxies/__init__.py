"""The proxy classes that come with Penstock, one file each.

A class from outside is added to a wiring's own classes; nothing here has to know it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from penstock.wiring.proxies.dest_name import DestName
from penstock.wiring.proxies.dest_wild import DestWild
from penstock.wiring.proxies.fanout import Fanout
from penstock.wiring.proxies.lossy import Lossy
from penstock.wiring.proxies.prop_test import PropTest
from penstock.wiring.proxies.prop_wild import PropWild
from penstock.wiring.proxies.selector import SelectorProxy

if TYPE_CHECKING:
    from penstock.wiring.proxy import Proxy

__all__ = [
    "PROXY_CLASSES",
    "DestName",
    "DestWild",
    "Fanout",
    "Lossy",
    "PropTest",
    "PropWild",
    "SelectorProxy",
]

#: What a class is called → the class.
PROXY_CLASSES: Final[MappingProxyType[str, type[Proxy]]] = MappingProxyType(
    {
        proxy_class.class_name: proxy_class
        for proxy_class in (Fanout, DestName, DestWild, PropTest, PropWild, SelectorProxy, Lossy)
    }
)
