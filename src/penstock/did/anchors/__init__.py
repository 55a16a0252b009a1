"""Anchor linksets: what a domain tells others of a batch of operations. Pure.

linkset = build(payload, credential)            # JSON; its canonical form is stored by content
draft = Draft.of(payload)                       # the same in two steps, by whoever has the batch …
linkset = complete(draft, credential)           # … and by whoever has the key
anchor = Anchor.read(linkset)                   # every rule looked at; or BadAnchor, with the rule
linkset = with_credential(linkset, credential)  # the same anchor, once witnesses have signed
"""

from penstock.did.anchors.anchor import Anchor
from penstock.did.anchors.building import build, complete, with_credential
from penstock.did.anchors.data_uri import GZIP, JSON, content_of, data_uri
from penstock.did.anchors.draft import Draft
from penstock.did.anchors.link import Item, Link, Target
from penstock.did.anchors.payload import Payload, Previous

__all__ = [
    "GZIP",
    "JSON",
    "Anchor",
    "Draft",
    "Item",
    "Link",
    "Payload",
    "Previous",
    "Target",
    "build",
    "complete",
    "content_of",
    "data_uri",
    "with_credential",
]
