"""The names that domains speak with: contexts, types, and two IRIs with a meaning of their own."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ACCEPT",
    "ACTIVITY_ANCHORS",
    "ACTIVITY_STREAMS",
    "ACTIVITY_TYPE",
    "ANCHOR_EVENT",
    "ANCHOR_RECEIPT",
    "ANCHOR_WITNESS",
    "ANNOUNCE",
    "COLLECTION",
    "COLLECTION_PAGE",
    "CREATE",
    "FOLLOW",
    "INVITE",
    "LIKE",
    "OFFER",
    "ORDERED_COLLECTION",
    "ORDERED_COLLECTION_PAGE",
    "PUBLIC",
    "REJECT",
    "SECURITY",
    "SERVICE",
    "UNDO",
]

ACTIVITY_STREAMS: Final = "https://www.w3.org/ns/activitystreams"
ACTIVITY_ANCHORS: Final = "https://w3id.org/activityanchors/v1"
SECURITY: Final = "https://w3id.org/security/v1"

#: To everybody: whoever asks may see it. Nobody is sent anything for it.
PUBLIC: Final = "https://www.w3.org/ns/activitystreams#Public"
#: What one is invited to, and what an offer is for.
ANCHOR_WITNESS: Final = "https://w3id.org/activityanchors#AnchorWitness"

#: The media type of an activity that is posted (ActivityPub §7).
ACTIVITY_TYPE: Final = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'

# Activities
CREATE: Final = "Create"
ANNOUNCE: Final = "Announce"
OFFER: Final = "Offer"
ACCEPT: Final = "Accept"
REJECT: Final = "Reject"
FOLLOW: Final = "Follow"
INVITE: Final = "Invite"
LIKE: Final = "Like"
UNDO: Final = "Undo"

# Objects
SERVICE: Final = "Service"
ANCHOR_EVENT: Final = "AnchorEvent"
ANCHOR_RECEIPT: Final = "AnchorReceipt"
COLLECTION: Final = "Collection"
ORDERED_COLLECTION: Final = "OrderedCollection"
COLLECTION_PAGE: Final = "CollectionPage"
ORDERED_COLLECTION_PAGE: Final = "OrderedCollectionPage"
