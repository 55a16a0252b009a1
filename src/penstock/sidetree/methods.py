"""DID methods on Sidetree: how their DIDs and documents are written, and which protocol they follow.

They differ in little: Orb puts the anchor's hash into the DID and tells when things happened; the others have
the suffix alone, and identifiers relative to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from penstock.sidetree.protocol import ION, ORB, SIDETREE, Protocols

__all__ = ["METHODS", "ORB_METHOD", "Method", "method_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method: `Method(namespace="did:mine")` has documents like ION's, by the specification's rules."""

    namespace: str
    protocols: Protocols = field(default_factory=lambda: Protocols([SIDETREE]))
    #: Whether a DID names the anchor of its create or last recover.
    anchored: bool = False
    #: The domain that can be asked about DIDs that are not anchored yet, if it answers for this one.
    domain: str = ""
    #: Whether keys and services are named relative to the DID, which the context's @base then holds.
    relative: bool = True
    #: What the context says in place of the @base, for methods that write none.
    contexts: tuple[Any, ...] = field(default=(), hash=False)
    #: Whether a document that lists its services shows the list when it is empty.
    empty_services: bool = True
    #: Whether the context names each type of key that occurs, and keys are shown as their types want them.
    key_suites: bool = False
    #: Whether the metadata tell versions and times.
    dated: bool = False
    #: Whether the metadata list the operations that are anchored. Who does not trust the resolver resolves
    #: the DID from them once more.
    lists_published: bool = False
    #: Whether they list those that are not, if they count here.
    lists_unpublished: bool = False


#: As sidetree.js writes its documents: every term is DID Core's, also one that it does not know.
CONTEXTS: Final = (
    "https://w3id.org/security/suites/jws-2020/v1",
    {"@vocab": "https://www.w3.org/ns/did#"},
)

#: The method of domains.
ORB_METHOD: Final = Method(
    namespace="did:orb",
    protocols=Protocols([ORB]),
    anchored=True,
    relative=False,
    empty_services=False,
    key_suites=True,
    dated=True,
)

METHODS: Final = {
    method.namespace: method
    for method in (
        ORB_METHOD,
        Method(namespace="did:elem", protocols=Protocols([ION]), contexts=CONTEXTS, empty_services=False),
        Method(namespace="did:ion", protocols=Protocols([ION])),
        Method(
            namespace="did:photon",
            protocols=Protocols([ION]),
            contexts=CONTEXTS,
            empty_services=False,
        ),
        Method(namespace="did:sidetree"),
    )
}


def method_of(did: str) -> Method:
    """The method of a DID: one that is known, or one by the specification."""
    namespace = ":".join(did.split(":")[:2])
    return METHODS.get(namespace) or Method(namespace=namespace)
