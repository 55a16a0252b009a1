"""ActivityPub as the domains of a federation speak it, and what they show of themselves. Pure.

Activities: activity, offer, anchor_event, relation. Documents: actor, collection, webfinger, node_info, and
directory: what a domain answers to WebFinger. All are read by reading, and speak with names. Requests that
prove who sent them: signatures, by signature_header and digest. Who has sent them: peers, by a port.
"""

from penstock.did.activities.activity import Activity
from penstock.did.activities.actor import Actor, KeyDocument, owner_of, service
from penstock.did.activities.anchor_event import (
    AnchorEvent,
    announce,
    announced,
    create,
    created,
    like,
    liked,
    unlike,
    unliked,
)
from penstock.did.activities.collection import Collection, Paging
from penstock.did.activities.directory import Directory
from penstock.did.activities.names import ACTIVITY_TYPE, ANCHOR_WITNESS, PUBLIC
from penstock.did.activities.offer import Offer, Receipt, accept_offer, offer
from penstock.did.activities.peers import Peers
from penstock.did.activities.relation import (
    Asked,
    accept,
    answered,
    asked,
    follow,
    invite,
    reject,
    undo,
    undone,
)
from penstock.did.activities.signatures import Request, sign_request, verify_request
from penstock.did.activities.webfinger import Jrd, JrdLink

__all__ = [
    "ACTIVITY_TYPE",
    "ANCHOR_WITNESS",
    "PUBLIC",
    "Activity",
    "Actor",
    "AnchorEvent",
    "Asked",
    "Collection",
    "Directory",
    "Jrd",
    "JrdLink",
    "KeyDocument",
    "Offer",
    "Paging",
    "Peers",
    "Receipt",
    "Request",
    "accept",
    "accept_offer",
    "announce",
    "announced",
    "answered",
    "asked",
    "create",
    "created",
    "follow",
    "invite",
    "like",
    "liked",
    "offer",
    "owner_of",
    "reject",
    "service",
    "sign_request",
    "undo",
    "undone",
    "unlike",
    "unliked",
    "verify_request",
]
