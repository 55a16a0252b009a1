"""Pages: which there are, where they stand, and which module draws each. A table, and the menu made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.panel.routes import ADMINISTRATOR, MANAGEMENT

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LOGIN", "PAGES", "Group", "Page", "menu"]


class Page(NamedTuple):
    """One page."""

    path: str
    title: str
    #: The file in static/pages that draws it.
    module: str
    #: Where it stands in the menu; empty if it is reached from another page only.
    group: str = ""
    #: With "g" before it, the key that opens it.
    key: str = ""
    tag: str = MANAGEMENT
    #: The page in the menu that this one belongs to, if it stands in none itself.
    under: str = ""


#: In the order of the menu.
PAGES: Final = (
    Page("/", "Overview", "overview.js", "Broker", "o"),
    Page("/wiring", "Wiring", "wiring.js", "Broker", "w"),
    Page("/queues", "Queues", "queues.js", "Broker", "q"),
    Page("/queues/{vhost}/{name}", "Queue", "queue.js", under="/queues"),
    Page("/exchanges", "Proxies", "exchanges.js", "Broker", "p"),
    Page("/exchanges/{vhost}/{name}", "Proxy", "exchange.js", under="/exchanges"),
    Page("/connections", "Connections", "connections.js", "Broker", "c"),
    Page("/connections/{name}", "Connection", "connection.js", under="/connections"),
    Page("/channels", "Channels", "channels.js", "Broker", "h"),
    Page("/dead-letters", "Dead letters", "dead-letters.js", "Work", "d"),
    Page("/workers", "Workers", "workers.js", "Work", "k"),
    Page("/schedules", "Schedules", "schedules.js", "Work", "s"),
    Page("/outbox", "Outbox", "outbox.js", "Work", "x"),
    Page("/messages", "A message's life", "message.js", "Work", "m"),
    Page("/messages/{vhost}/{id}", "A message's life", "message.js", under="/messages"),
    Page("/pipelines", "Pipelines", "pipelines.js", "Data", "i"),
    Page("/batches", "DID batches", "batches.js", "Data", "b"),
    Page("/batches/{number}", "DID batch", "batch.js", under="/batches"),
    Page("/anchors", "DID anchors", "anchors.js", "Data", "n"),
    Page("/dids/{suffix}", "DID", "did.js", under="/batches"),
    Page("/topology", "Topology", "topology.js", "Data", "t"),
    Page("/vhosts", "Virtual hosts", "vhosts.js", "Administration", "v"),
    Page("/users", "Users", "users.js", "Administration", "u", ADMINISTRATOR),
    Page("/users/{name}", "User", "user.js", under="/users", tag=ADMINISTRATOR),
    Page("/audit", "Audit log", "audit.js", "Administration", "a", ADMINISTRATOR),
)
#: The one page for everybody; it stands outside the shell's menu.
LOGIN: Final = Page("/login", "Log in", "login.js", tag="")


class Group(NamedTuple):
    """Pages that stand together in the menu."""

    name: str
    pages: list[Page]


def menu(tags: Iterable[str]) -> list[Group]:
    """The menu of somebody with these tags: what they may not see is not offered."""
    groups: dict[str, Group] = {}
    for page in PAGES:
        if page.group and (page.tag == MANAGEMENT or page.tag in tags):
            groups.setdefault(page.group, Group(page.group, [])).pages.append(page)
    return list(groups.values())
