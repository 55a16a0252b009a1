"""What each handler of the management API takes in its query, and answers with: a table for the document.

A handler that several paths lead to answers all of them alike. Those that always refuse are not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from penstock.panel.api import (
    bindings,
    certificates,
    channels,
    connections,
    consumers,
    definitions,
    exchanges,
    health,
    messages,
    moving,
    nodes,
    overview,
    peeking,
    permissions,
    policies,
    queues,
    upkeep,
    users,
    vhosts,
)
from penstock.panel.api.shapes import Page, broker, clients, realm, wiring

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.panel.routes import Handler, Table

__all__ = ["ANSWERS", "answered"]

#: What a query may say, by what it is about.
_COLUMNS: Final[Mapping[str, Any]] = {"columns": str}
_LIST: Final[Mapping[str, Any]] = {
    "name": str,
    "use_regex": bool,
    "sort": str,
    "sort_reverse": bool,
    "page": int,
    "page_size": int,
    **_COLUMNS,
}
_LENGTHS: Final[Mapping[str, Any]] = {"lengths_age": int, "lengths_incr": int}
_MESSAGE_RATES: Final[Mapping[str, Any]] = {"msg_rates_age": int, "msg_rates_incr": int}
_DATA_RATES: Final[Mapping[str, Any]] = {"data_rates_age": int, "data_rates_incr": int}
_FLOW: Final = {**_LENGTHS, **_MESSAGE_RATES}
_PEEK: Final[Mapping[str, Any]] = {
    "position": int,
    "count": int,
    "filter": str,
    "truncate": int,
    "state": Literal[tuple(peeking.STATES)],
}


class Answer(NamedTuple):
    """What is answered, and what may be said to have it otherwise."""

    reply: Any
    query: Mapping[str, Any] = {}


def _listed(row: Any, query: Mapping[str, Any] | None = None) -> Answer:
    """A list, all of it or a page."""
    return Answer(list[row] | Page[row], {**_LIST, **(query or {})})


ANSWERS: Final[Mapping[Handler, Answer]] = {
    overview.overview: Answer(broker.Overview, {**_COLUMNS, **_FLOW}),
    nodes.cluster_name: Answer(broker.ClusterName),
    nodes.list_nodes: _listed(broker.Node),
    nodes.get_node: Answer(broker.Node, _COLUMNS),
    nodes.get_memory: Answer(broker.Memory),
    upkeep.auth: Answer(broker.Auth),
    definitions.export_all: Answer(broker.Definitions),
    definitions.export_vhost: Answer(broker.Definitions),
    # Who is there
    connections.list_connections: _listed(clients.Connection, _DATA_RATES),
    connections.list_of_user: _listed(clients.Connection, _DATA_RATES),
    connections.list_of_vhost: _listed(clients.Connection, _DATA_RATES),
    connections.get_connection: Answer(clients.Connection, {**_COLUMNS, **_DATA_RATES}),
    connections.list_channels_of: Answer(list[clients.Channel]),
    channels.list_channels: _listed(clients.Channel),
    channels.list_of_vhost: _listed(clients.Channel),
    channels.get_channel: Answer(clients.OneChannel, _COLUMNS),
    consumers.list_consumers: _listed(clients.Consumer),
    # Where messages go
    exchanges.list_exchanges: _listed(wiring.Exchange, _MESSAGE_RATES),
    exchanges.get_exchange: Answer(wiring.OneExchange, {**_COLUMNS, **_MESSAGE_RATES}),
    exchanges.delete_exchange: Answer(None, {"if-unused": bool}),
    queues.list_queues: _listed(wiring.Queue, _FLOW),
    queues.get_queue: Answer(wiring.OneQueue, {**_COLUMNS, **_FLOW}),
    queues.delete_queue: Answer(None, {"if-unused": bool, "if-empty": bool}),
    bindings.list_bindings: _listed(wiring.Binding),
    bindings.list_of_queue: _listed(wiring.Binding),
    bindings.list_to: _listed(wiring.Binding),
    bindings.list_from: _listed(wiring.Binding),
    bindings.list_between: _listed(wiring.Binding),
    bindings.get_binding: Answer(wiring.Binding),
    messages.publish: Answer(wiring.Routed),
    messages.get_messages: Answer(list[wiring.Got]),
    moving.move: Answer(wiring.Moved),
    peeking.peek: Answer(list[wiring.Peeked], _PEEK),
    # Who may
    users.whoami: Answer(realm.Asker),
    users.list_users: _listed(realm.User),
    users.list_without_permissions: _listed(realm.User),
    users.get_user: Answer(realm.User),
    permissions.list_permissions: _listed(realm.Permission),
    permissions.list_of_user: _listed(realm.Permission),
    permissions.list_of_vhost: _listed(realm.Permission),
    permissions.get_permission: Answer(realm.Permission),
    permissions.list_topics: _listed(realm.TopicPermission),
    permissions.list_topics_of_user: _listed(realm.TopicPermission),
    permissions.list_topics_of_vhost: _listed(realm.TopicPermission),
    permissions.get_topic: Answer(list[realm.TopicPermission]),
    vhosts.list_vhosts: _listed(realm.VirtualHost, _FLOW),
    vhosts.get_vhost: Answer(realm.VirtualHost, {**_COLUMNS, **_FLOW}),
    vhosts.list_limits: _listed(realm.Limits),
    # What others have, and whether all is well
    policies.list_none: Answer(list[Any]),
    policies.list_parameters: Answer(list[broker.Parameter]),
    **dict.fromkeys(
        (health.alarms, health.aliveness, health.connection_limit, health.is_well, health.port),
        Answer(broker.Check),
    ),
    **dict.fromkeys(
        (health.protocol, health.ready, health.virtual_hosts, certificates.expiration), Answer(broker.Check)
    ),
}


def answered(table: Table) -> Table:
    """The routes, with what is told of their handlers here."""
    told = {key: (route, ANSWERS.get(route.handler)) for key, route in table.items()}
    return {
        key: route if answer is None else route._replace(reply=answer.reply, query=answer.query)
        for key, (route, answer) in told.items()
    }
