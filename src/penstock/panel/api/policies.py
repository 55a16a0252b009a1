"""Policies and parameters: what RabbitMQ's tools ask for and this broker has other ways for.

What there is none of is an empty list, so that tools go on; what is asked for in vain is refused with the
way to have it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.panel.api.vhosts import limits_of
from penstock.panel.replies import DONE, ApiFault, json_reply

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = [
    "clear_user_limit",
    "find_none",
    "list_none",
    "list_parameters",
    "refuse_parameter",
    "refuse_policy",
    "refuse_user_limit",
]


async def list_none(visit: Visit, **names: str) -> Reply:
    """There are none."""
    if "vhost" in names:
        visit.host(names["vhost"])
    return json_reply([])


async def list_parameters(visit: Visit, component: str = "", vhost: str | None = None) -> Reply:
    """The limits of virtual hosts: RabbitMQ has them among its parameters, and here there are no others."""
    seen = {host.name for host in visit.hosts()} if vhost is None else {visit.host(vhost).name}
    found: list[dict[str, Any]] = [
        {"component": "vhost-limits", "vhost": host.name, "name": "limits", "value": limits_of(host)}
        for host in visit.front.access.realm.vhosts
        if host.name in seen and limits_of(host)
    ]
    return json_reply([each for each in found if component in ("", each["component"])])


async def find_none(visit: Visit, **names: str) -> Reply:
    """There is none of that name."""
    raise ApiFault(404, "this broker has none")


async def refuse_policy(visit: Visit, **names: str) -> Reply:
    """Queues of a kind have a template here."""
    raise ApiFault(
        400,
        "this broker has no policies: give queues arguments, or name a template of the settings file with "
        "the argument x-template",
    )


async def refuse_parameter(visit: Visit, **names: str) -> Reply:
    """Nothing here has parameters."""
    raise ApiFault(
        400, "this broker has no parameters: its settings are in its file, the environment or flags"
    )


async def clear_user_limit(visit: Visit, user: str, name: str) -> Reply:
    """What nobody is limited by is taken away already."""
    visit.front.access.realm.users.get(user)
    return DONE


async def refuse_user_limit(visit: Visit, **names: str) -> Reply:
    """Users have no limits of their own."""
    raise ApiFault(400, "this broker has no limits by user: limit the virtual host, with /api/vhost-limits")
