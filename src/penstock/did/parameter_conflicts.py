"""What each parameter may say alone, and cannot say beside the others: refused before anything starts. Pure.

A parameter that would do nothing is refused, too: who sets it expects something.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.errors import BadActivity, BadUrl

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.did.parameters import DidParameters

__all__ = ["CONFLICTS", "Conflict"]

#: The one pool that every consumer has that does not say; in a domain there is none.
USUAL_POOL: Final = 5
USUAL_CID: Final = "1"
LISTED: Final = "accept-list"
SERVICES: Final = ("follow", "follow_accept_list", "invite_witness", "invite_witness_accept_list")
NO_SERVICES: Final = "names services by their URLs, such as https://orb.example.com"


class Conflict(NamedTuple):
    """What cannot be."""

    #: The parameter to change.
    setting: str
    is_so: Callable[[DidParameters], bool]
    because: str


def _expires_early(told: DidParameters) -> bool:
    return told.witness_store_expiry_period <= told.max_witness_delay + told.max_clock_skew


def _seems_dead(told: DidParameters) -> bool:
    return told.op_queue_task_expiration <= told.op_queue_task_monitor_interval


def _is_not_read(told: DidParameters) -> bool:
    return told.current_sidetree_protocol_version not in {None, *told.sidetree_protocol_versions}


def _is_no_broker(told: DidParameters) -> bool:
    from penstock.client.url import BrokerUrl  # noqa: PLC0415 (who only wants to know the parameters goes without)

    try:
        for url in (told.mq_url or "amqp://").split(","):
            BrokerUrl.parse(url.strip())
    except BadUrl:
        return True
    return False


def _are_no_services(name: str, told: DidParameters) -> bool:
    from penstock.did.federation.iris import service_at  # noqa: PLC0415 (likewise)

    try:
        for url in getattr(told, name):
            service_at(url)
    except BadActivity:
        return True
    return False


CONFLICTS: Final = (
    Conflict(
        "mq_url",
        _is_no_broker,
        "must be URLs like amqp://user:password@host/, with commas between: a domain's queues need exchanges",
    ),
    *(Conflict(name, partial(_are_no_services, name), NO_SERVICES) for name in SERVICES),
    Conflict(
        "mq_publisher_confirm_delivery",
        lambda told: not told.mq_publisher_confirm_delivery,
        "cannot be false: an operation that the broker has not confirmed may be lost",
    ),
    Conflict(
        "mq_data",
        lambda told: told.mq_data is not None and told.mq_url is not None,
        "is where a broker of the domain's own keeps its queues, and mq_url names another broker",
    ),
    Conflict(
        "mq_pool",
        lambda told: told.mq_pool != USUAL_POOL,
        "has no effect: each queue of a domain has a parameter of its own, such as mq_inbox_pool",
    ),
    Conflict(
        "witness_store_expiry_period",
        _expires_early,
        "must be more than max_witness_delay and max_clock_skew: a late proof is to find its offer",
    ),
    Conflict(
        "op_queue_repost_max_delay",
        lambda told: told.op_queue_repost_max_delay < told.op_queue_repost_initial_delay,
        "is less than op_queue_repost_initial_delay",
    ),
    Conflict(
        "op_queue_task_expiration",
        _seems_dead,
        "must be more than op_queue_task_monitor_interval: who is well would be taken for dead",
    ),
    Conflict(
        "cid_version",
        lambda told: told.cid_version != USUAL_CID and told.cas_type != "ipfs",
        "has no effect unless cas_type is ipfs",
    ),
    Conflict(
        "follow_accept_list",
        lambda told: bool(told.follow_accept_list) and told.follow_auth_policy != LISTED,
        "has no effect unless follow_auth_policy is accept-list: everybody is accepted",
    ),
    Conflict(
        "invite_witness_accept_list",
        lambda told: bool(told.invite_witness_accept_list) and told.invite_witness_auth_policy != LISTED,
        "has no effect unless invite_witness_auth_policy is accept-list: everybody is accepted",
    ),
    Conflict(
        "sidetree_protocol_versions",
        lambda told: not told.sidetree_protocol_versions,
        "must name one at least",
    ),
    Conflict(
        "enabled_patches",
        lambda told: not told.enabled_patches,
        "must name one at least: no DID can begin with nothing",
    ),
    Conflict(
        "current_sidetree_protocol_version",
        _is_not_read,
        "must be one of sidetree_protocol_versions",
    ),
)
