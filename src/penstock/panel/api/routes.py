"""Which path of the management API leads to which handler, and who may go there: a table.

Paths and tags are RabbitMQ's (rabbitmq.com/docs/http-api-reference); those under /api/penstock are ours. What
is answered stands in answers.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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
from penstock.panel.api.answers import answered
from penstock.panel.routes import ADMINISTRATOR, MONITORING, POLICYMAKER, PUBLIC, Route

if TYPE_CHECKING:
    from penstock.panel.routes import Table

__all__ = ["ROUTES"]

#: Bytes of what brings a message, or a whole broker's definitions.
LARGE: Final = 32 * 1024 * 1024

_BROKER: Final[Table] = {
    ("GET", "/api/overview"): Route(overview.overview, "What the broker is, has and carries."),
    ("GET", "/api/cluster-name"): Route(nodes.cluster_name, "What the broker is called."),
    ("PUT", "/api/cluster-name"): Route(
        upkeep.refuse_name, "Refused: it is called after its machine.", ADMINISTRATOR, dict[str, Any]
    ),
    ("GET", "/api/nodes"): Route(
        nodes.list_nodes, "The one node, with what it uses and may use.", MONITORING
    ),
    ("GET", "/api/nodes/{name}"): Route(nodes.get_node, "The one node, by its name.", MONITORING),
    ("GET", "/api/nodes/{name}/memory"): Route(nodes.get_memory, "What memory the node uses.", MONITORING),
    ("GET", "/api/auth"): Route(upkeep.auth, "How to log in.", PUBLIC),
    ("POST", "/api/rebalance/queues"): Route(
        upkeep.rebalance, "Done already: there is one node.", ADMINISTRATOR
    ),
    ("DELETE", "/api/reset"): Route(upkeep.refuse_reset, "Refused: counts stay.", ADMINISTRATOR),
    ("DELETE", "/api/reset/{node}"): Route(upkeep.refuse_reset, "Refused: counts stay.", ADMINISTRATOR),
    ("GET", "/api/all-configuration"): Route(
        definitions.export_all, "All definitions, under an old name.", ADMINISTRATOR
    ),
    ("POST", "/api/all-configuration"): Route(
        definitions.import_all,
        "Take over definitions, under an old name.",
        ADMINISTRATOR,
        dict[str, Any],
        LARGE,
    ),
    ("GET", "/api/definitions"): Route(definitions.export_all, "All definitions.", ADMINISTRATOR),
    ("POST", "/api/definitions"): Route(
        definitions.import_all, "Take over definitions.", ADMINISTRATOR, dict[str, Any], LARGE
    ),
    ("GET", "/api/definitions/{vhost}"): Route(
        definitions.export_vhost, "The definitions of a virtual host.", ADMINISTRATOR
    ),
    ("POST", "/api/definitions/{vhost}"): Route(
        definitions.import_vhost,
        "Take over definitions into a virtual host.",
        ADMINISTRATOR,
        dict[str, Any],
        LARGE,
    ),
}

_CLIENTS: Final[Table] = {
    ("GET", "/api/connections"): Route(connections.list_connections, "Open connections."),
    ("GET", "/api/connections/{name}"): Route(connections.get_connection, "One connection."),
    ("DELETE", "/api/connections/{name}"): Route(connections.close_connection, "Close a connection."),
    ("GET", "/api/connections/{name}/channels"): Route(
        connections.list_channels_of, "The channels of a connection."
    ),
    ("GET", "/api/connections/username/{user}"): Route(
        connections.list_of_user, "The connections of a user."
    ),
    ("DELETE", "/api/connections/username/{user}"): Route(
        connections.close_of_user, "Close all connections of a user."
    ),
    ("GET", "/api/vhosts/{vhost}/connections"): Route(
        connections.list_of_vhost, "The connections to a virtual host."
    ),
    ("GET", "/api/channels"): Route(channels.list_channels, "Open channels."),
    ("GET", "/api/channels/{name}"): Route(channels.get_channel, "One channel, with its consumers."),
    ("GET", "/api/vhosts/{vhost}/channels"): Route(channels.list_of_vhost, "The channels in a virtual host."),
    ("GET", "/api/consumers"): Route(consumers.list_consumers, "All consumers."),
    ("GET", "/api/consumers/{vhost}"): Route(consumers.list_consumers, "The consumers in a virtual host."),
}

_EXCHANGE: Final = "/api/exchanges/{vhost}/{name}"
_QUEUE: Final = "/api/queues/{vhost}/{name}"
_BINDING: Final = "/api/bindings/{vhost}/e/{source}/{kind}/{destination}"

_WIRING: Final[Table] = {
    ("GET", "/api/exchanges"): Route(exchanges.list_exchanges, "All exchanges."),
    ("GET", "/api/exchanges/{vhost}"): Route(exchanges.list_exchanges, "The exchanges of a virtual host."),
    ("GET", _EXCHANGE): Route(exchanges.get_exchange, "One exchange."),
    ("PUT", _EXCHANGE): Route(exchanges.put_exchange, "Declare an exchange.", body=exchanges.ExchangeBody),
    ("DELETE", _EXCHANGE): Route(exchanges.delete_exchange, "Delete an exchange."),
    ("GET", f"{_EXCHANGE}/bindings/source"): Route(bindings.list_from, "The bindings from an exchange."),
    ("GET", f"{_EXCHANGE}/bindings/destination"): Route(bindings.list_to, "The bindings to an exchange."),
    ("POST", f"{_EXCHANGE}/publish"): Route(
        messages.publish, "Publish a message.", body=messages.PublishBody, body_most=LARGE
    ),
    ("GET", "/api/queues"): Route(queues.list_queues, "All queues."),
    ("GET", "/api/queues/{vhost}"): Route(queues.list_queues, "The queues of a virtual host."),
    ("GET", _QUEUE): Route(queues.get_queue, "One queue, with its consumers."),
    ("PUT", _QUEUE): Route(queues.put_queue, "Declare a queue.", body=queues.QueueBody),
    ("DELETE", _QUEUE): Route(queues.delete_queue, "Delete a queue."),
    ("DELETE", f"{_QUEUE}/contents"): Route(queues.purge_queue, "Drop all messages that wait."),
    ("POST", f"{_QUEUE}/get"): Route(
        messages.get_messages, "Take messages from the head, and put them back.", body=messages.GetBody
    ),
    ("POST", f"{_QUEUE}/actions"): Route(
        upkeep.act_on_queue, "Done already: a queue has no mirrors.", ADMINISTRATOR, upkeep.ActionBody
    ),
    ("GET", f"{_QUEUE}/bindings"): Route(bindings.list_of_queue, "The bindings to a queue."),
    ("GET", "/api/bindings"): Route(bindings.list_bindings, "All bindings."),
    ("GET", "/api/bindings/{vhost}"): Route(bindings.list_bindings, "The bindings of a virtual host."),
    ("GET", _BINDING): Route(bindings.list_between, "The bindings between two ends."),
    ("POST", _BINDING): Route(bindings.post_binding, "Make a binding.", body=bindings.BindingBody),
    ("GET", _BINDING + "/{properties_key}"): Route(bindings.get_binding, "One binding."),
    ("DELETE", _BINDING + "/{properties_key}"): Route(bindings.delete_binding, "End a binding."),
}

_PERMISSION: Final = "/api/permissions/{vhost}/{user}"
_TOPIC: Final = "/api/topic-permissions/{vhost}/{user}"

_REALM: Final[Table] = {
    ("GET", "/api/whoami"): Route(users.whoami, "Who asks."),
    ("GET", "/api/users"): Route(users.list_users, "All users.", ADMINISTRATOR),
    ("GET", "/api/users/without-permissions"): Route(
        users.list_without_permissions, "Users that may not enter any virtual host.", ADMINISTRATOR
    ),
    ("POST", "/api/users/bulk-delete"): Route(
        users.bulk_delete, "Forget some users.", ADMINISTRATOR, users.BulkBody
    ),
    ("GET", "/api/users/{user}"): Route(users.get_user, "One user.", ADMINISTRATOR),
    ("PUT", "/api/users/{user}"): Route(
        users.put_user, "Make or change a user.", ADMINISTRATOR, users.UserBody
    ),
    ("DELETE", "/api/users/{user}"): Route(users.delete_user, "Forget a user.", ADMINISTRATOR),
    ("GET", "/api/users/{user}/permissions"): Route(
        permissions.list_of_user, "A user's permissions.", ADMINISTRATOR
    ),
    ("GET", "/api/users/{user}/topic-permissions"): Route(
        permissions.list_topics_of_user, "A user's topic permissions.", ADMINISTRATOR
    ),
    ("GET", "/api/permissions"): Route(permissions.list_permissions, "All permissions.", ADMINISTRATOR),
    ("GET", _PERMISSION): Route(
        permissions.get_permission, "A user's permission in a virtual host.", ADMINISTRATOR
    ),
    ("PUT", _PERMISSION): Route(
        permissions.put_permission, "Give a permission.", ADMINISTRATOR, permissions.PermissionBody
    ),
    ("DELETE", _PERMISSION): Route(permissions.delete_permission, "Take a permission.", ADMINISTRATOR),
    ("GET", "/api/topic-permissions"): Route(
        permissions.list_topics, "All topic permissions.", ADMINISTRATOR
    ),
    ("GET", _TOPIC): Route(permissions.get_topic, "A user's topic permissions.", ADMINISTRATOR),
    ("PUT", _TOPIC): Route(
        permissions.put_topic, "Restrict a user's routing keys.", ADMINISTRATOR, permissions.TopicBody
    ),
    ("DELETE", _TOPIC): Route(permissions.delete_topic, "Lift the restrictions.", ADMINISTRATOR),
    ("GET", _TOPIC + "/{exchange}"): Route(
        permissions.get_topic, "A user's topic permission on one exchange.", ADMINISTRATOR
    ),
    ("DELETE", _TOPIC + "/{exchange}"): Route(
        permissions.delete_topic, "Lift the restrictions on one exchange.", ADMINISTRATOR
    ),
    ("GET", "/api/vhosts"): Route(vhosts.list_vhosts, "The virtual hosts."),
    ("GET", "/api/vhosts/{vhost}"): Route(vhosts.get_vhost, "One virtual host."),
    ("PUT", "/api/vhosts/{vhost}"): Route(
        vhosts.put_vhost, "Make a virtual host, or note something about it.", ADMINISTRATOR, vhosts.VhostBody
    ),
    ("POST", "/api/vhosts/{vhost}/start/{node}"): Route(
        upkeep.start_vhost, "Done already: it runs with the node.", ADMINISTRATOR
    ),
    ("DELETE", "/api/vhosts/{vhost}"): Route(
        vhosts.delete_vhost, "Delete a virtual host with all that is in it.", ADMINISTRATOR
    ),
    ("GET", "/api/vhosts/{vhost}/permissions"): Route(
        permissions.list_of_vhost, "Everybody's permissions in a virtual host.", ADMINISTRATOR
    ),
    ("GET", "/api/vhosts/{vhost}/topic-permissions"): Route(
        permissions.list_topics_of_vhost, "Everybody's topic permissions in a virtual host.", ADMINISTRATOR
    ),
    ("GET", "/api/vhost-limits"): Route(vhosts.list_limits, "The limits of virtual hosts."),
    ("GET", "/api/vhost-limits/{vhost}"): Route(vhosts.list_limits, "The limits of a virtual host."),
    ("PUT", "/api/vhost-limits/{vhost}/{name}"): Route(
        vhosts.put_limit, "Limit a virtual host.", ADMINISTRATOR, vhosts.LimitBody
    ),
    ("DELETE", "/api/vhost-limits/{vhost}/{name}"): Route(
        vhosts.delete_limit, "Take a limit away.", ADMINISTRATOR
    ),
}


def _policies(noun: str, tag: str) -> Table:
    return {
        ("GET", f"/api/{noun}"): Route(policies.list_none, "None: queues have templates here.", tag),
        ("GET", f"/api/{noun}/{{vhost}}"): Route(
            policies.list_none, "None: queues have templates here.", tag
        ),
        ("GET", f"/api/{noun}/{{vhost}}/{{name}}"): Route(policies.find_none, "There is none.", tag),
        ("PUT", f"/api/{noun}/{{vhost}}/{{name}}"): Route(
            policies.refuse_policy, "Refused: says what to do instead.", tag, dict[str, Any]
        ),
        ("DELETE", f"/api/{noun}/{{vhost}}/{{name}}"): Route(policies.find_none, "There is none.", tag),
    }


_GLOBAL: Final = "/api/global-parameters/{name}"
_PARAMETER: Final = "/api/parameters/{component}/{vhost}/{name}"

_ABSENT: Final[Table] = {
    **_policies("policies", POLICYMAKER),
    **_policies("operator-policies", POLICYMAKER),
    ("GET", "/api/parameters"): Route(policies.list_parameters, "The limits of virtual hosts.", POLICYMAKER),
    ("GET", "/api/parameters/{component}"): Route(
        policies.list_parameters, "The parameters of a component.", POLICYMAKER
    ),
    ("GET", "/api/parameters/{component}/{vhost}"): Route(
        policies.list_parameters, "The parameters of a component in a virtual host.", POLICYMAKER
    ),
    ("GET", _PARAMETER): Route(policies.find_none, "There is none.", POLICYMAKER),
    ("PUT", _PARAMETER): Route(
        policies.refuse_parameter, "Refused: says what to do instead.", POLICYMAKER, dict[str, Any]
    ),
    ("DELETE", _PARAMETER): Route(policies.find_none, "There is none.", POLICYMAKER),
    ("GET", "/api/global-parameters"): Route(policies.list_none, "None.", POLICYMAKER),
    ("GET", _GLOBAL): Route(policies.find_none, "There is none.", POLICYMAKER),
    ("PUT", _GLOBAL): Route(
        policies.refuse_parameter, "Refused: says what to do instead.", POLICYMAKER, dict[str, Any]
    ),
    ("DELETE", _GLOBAL): Route(policies.find_none, "There is none.", POLICYMAKER),
    ("GET", "/api/user-limits"): Route(policies.list_none, "None: virtual hosts have limits."),
    ("GET", "/api/user-limits/{user}"): Route(policies.list_none, "None: virtual hosts have limits."),
    ("PUT", "/api/user-limits/{user}/{name}"): Route(
        policies.refuse_user_limit, "Refused: says what to do instead.", ADMINISTRATOR, dict[str, Any]
    ),
    ("DELETE", "/api/user-limits/{user}/{name}"): Route(
        policies.clear_user_limit, "Done already: there are none.", ADMINISTRATOR
    ),
    ("GET", "/api/extensions"): Route(policies.list_none, "None."),
    ("GET", "/api/feature-flags"): Route(policies.list_none, "None.", ADMINISTRATOR),
    ("PUT", "/api/feature-flags/{name}/enable"): Route(
        upkeep.refuse_flag, "Refused: there are none.", ADMINISTRATOR, dict[str, Any]
    ),
}

_CHECKS: Final = "/api/health/checks"

_HEALTH: Final[Table] = {
    ("GET", f"{_CHECKS}/alarms"): Route(health.alarms, "Whether publishers are blocked."),
    ("GET", f"{_CHECKS}/local-alarms"): Route(health.alarms, "Whether publishers are blocked."),
    ("GET", f"{_CHECKS}/virtual-hosts"): Route(health.virtual_hosts, "Whether all virtual hosts run."),
    ("GET", f"{_CHECKS}/port-listener/{{port}}"): Route(health.port, "Whether something listens on a port."),
    ("GET", f"{_CHECKS}/protocol-listener/{{protocol}}"): Route(
        health.protocol, "Whether a protocol is spoken."
    ),
    ("GET", f"{_CHECKS}/node-is-quorum-critical"): Route(health.is_well, "One node is critical to nobody."),
    ("GET", f"{_CHECKS}/node-is-mirror-sync-critical"): Route(
        health.is_well, "One node is critical to nobody."
    ),
    ("GET", f"{_CHECKS}/is-in-service"): Route(health.ready, "Whether clients can come and publish."),
    ("GET", f"{_CHECKS}/ready-to-serve-clients"): Route(
        health.ready, "Whether clients can come and publish."
    ),
    ("GET", f"{_CHECKS}/below-node-connection-limit"): Route(
        health.connection_limit, "Whether there is room for another connection."
    ),
    ("GET", f"{_CHECKS}/certificate-expiration/{{within}}/{{unit}}"): Route(
        certificates.expiration, "Whether certificates are good for so many days, weeks, months or years."
    ),
    ("GET", "/api/healthchecks/node"): Route(health.is_well, "Whether the node runs."),
    ("GET", "/api/healthchecks/node/{node}"): Route(health.is_well, "Whether the node runs."),
    ("GET", "/api/aliveness-test/{vhost}"): Route(
        health.aliveness, "Send a message through a queue and get it back."
    ),
}

_OWN_QUEUE: Final = "/api/penstock/queues/{vhost}/{name}"

_OWN: Final[Table] = {
    ("GET", f"{_OWN_QUEUE}/peek"): Route(
        peeking.peek,
        "Look at messages and touch nothing.",
    ),
    ("POST", f"{_OWN_QUEUE}/move"): Route(
        moving.move, "Move messages to the end of another queue.", body=moving.MoveBody
    ),
}

ROUTES: Final[Table] = answered({**_BROKER, **_CLIENTS, **_WIRING, **_REALM, **_ABSENT, **_HEALTH, **_OWN})
