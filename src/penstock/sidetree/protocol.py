"""The protocol's parameters, by version: what is allowed, and how much of it.

An operation is judged by the version that was in force when it was anchored, for ever: a limit that
changes is a new version with a new genesis time, never an edit of an old one.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from penstock.errors import UnknownVersion
from penstock.sidetree.go_uris import ENDPOINTS
from penstock.sidetree.uris import REFERENCES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from re import Pattern

__all__ = [
    "ALL_PATCHES",
    "ION",
    "ORB",
    "ORB_KEY_TYPES",
    "ORB_VERSIONS",
    "SIDETREE",
    "Protocol",
    "Protocols",
]

ALL_PATCHES: Final = frozenset(
    {
        "add-also-known-as",
        "add-public-keys",
        "add-services",
        "ietf-json-patch",
        "remove-also-known-as",
        "remove-public-keys",
        "remove-services",
        "replace",
    }
)

VERIFYING: Final = frozenset(
    {"assertionMethod", "authentication", "capabilityDelegation", "capabilityInvocation"}
)
AGREEING: Final = frozenset({"keyAgreement"})

#: The purposes that a key of each type may have in Orb; elsewhere a type is any text.
ORB_KEY_TYPES: Final[Mapping[str, frozenset[str]]] = {
    "Bls12381G2Key2020": VERIFYING | AGREEING,
    "EcdsaSecp256k1VerificationKey2019": VERIFYING | AGREEING,
    "Ed25519VerificationKey2018": VERIFYING,
    "Ed25519VerificationKey2020": VERIFYING,
    "JsonWebKey2020": VERIFYING | AGREEING,
    "X25519KeyAgreementKey2019": AGREEING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """One version's parameters; sizes are in bytes, times in seconds. The defaults are Orb's 1.0."""

    name: str = "1.0"
    #: The first anchoring time that it is in force for.
    genesis_time: int = 0
    #: Operations of one batch.
    max_operation_count: int = 10_000
    max_operation_size: int = 2_500
    #: Letters of an encoded hash.
    max_operation_hash_length: int = 100
    #: Of a delta in canonical form.
    max_delta_size: int = 1_700
    #: Letters of a file's address; a hashlink with its places needs more than a hash does.
    max_cas_uri_length: int = 500
    #: Files are measured compressed, as they are fetched.
    max_core_index_file_size: int = 1_000_000
    max_provisional_index_file_size: int = 1_000_000
    max_proof_file_size: int = 2_500_000
    max_chunk_file_size: int = 10_000_000
    #: How many times its size limit a file may have when it is inflated.
    max_memory_decompression_factor: int = 3
    #: Of a key's nonce, if it has one.
    nonce_size: int = 16
    #: How long an operation may be anchored that says from when on, but not until when. Orb's nodes take the
    #: limit of a delta's size for it, by mistake; who takes another has other DIDs than they.
    max_operation_time_delta: int = 1_700
    max_writer_lock_id_size: int = 200
    signature_algorithms: frozenset[str] = frozenset({"EdDSA", "ES256", "ES256K"})
    key_curves: frozenset[str] = frozenset({"Ed25519", "P-256", "P-384", "secp256k1"})
    #: Orb never enabled `replace`, Sidetree's and ION's data are full of it.
    patches: frozenset[str] = ALL_PATCHES
    #: Types of keys in documents, with their purposes; nothing means that any text is a type.
    key_types: Mapping[str, frozenset[str]] | None = None
    #: What a key in a document may have beside its id, type and purposes. Orb refuses what it does not know.
    key_members: frozenset[str] = frozenset({"publicKeyBase58", "publicKeyJwk"})
    #: How the endpoint of a service may be written. The specification demands a URI (v1.0.0, `add-services`,
    #: 3.3), but a whole batch falls with one delta, so what counts is what the network's nodes take.
    endpoints: Pattern[str] = ENDPOINTS
    #: Whether a patch, or a delta, may list nothing, which changes nothing, and a DID begin with nothing. ION
    #: takes that, and its tools make such DIDs; Orb refuses the whole batch.
    empty_lists: bool = False
    #: Whether the next update and the next recovery may be promised to one key. Nobody should, but ION takes
    #: it, and there are such DIDs.
    one_key: bool = False
    #: Whether the types of keys and services may be empty.
    empty_texts: bool = False
    #: Whether the type of a service is as long as its bytes, as in Go; elsewhere it has letters.
    bytes_counted: bool = True
    #: Whether null is an object, as in Node: then it is taken for a JWK, and for an endpoint.
    null_objects: bool = False
    #: Whether the endpoint of a service may be a list of several.
    endpoint_lists: bool = True
    #: Whether a service may say more than its type and its endpoint (DID Core §5.4).
    open_services: bool = True
    #: Whether operations may carry a key that can sign nothing: no point of its curve, or on one that no
    #: algorithm fits. Orb's nodes see it when they resolve its DID, and what is in a batch with it counts.
    any_key: bool = True
    #: Whether a key may list a purpose twice.
    repeated_purposes: bool = True
    #: Patches that may have members that nobody knows.
    open_patches: frozenset[str] = frozenset()
    #: Whether operations may say what only some networks ask for: an anchorOrigin, times of anchoring, the
    #: nonce of a key, the kid of a signature.
    extensions: bool = True
    #: Whether an update counts only if it was anchored after the create and the last recover, as in Orb. The
    #: specification ("Resolution", 6) follows the commitments and asks nothing else.
    updates_follow_recovers: bool = True
    #: How a signature may stand in a proof file, as a text or in an object; the first is written.
    proof_forms: tuple[str, ...] = ("text", "object")


#: Orb's, with every patch. An unknown key type is refused, as Orb does.
ORB: Final = Protocol(key_types=ORB_KEY_TYPES)

#: Every version of Orb's protocol that is known here, by name: a further one is a further row.
ORB_VERSIONS: Final[Mapping[str, Protocol]] = {ORB.name: ORB}

#: The defaults of the specification, and every patch; more is taken than any one network does.
SIDETREE: Final = Protocol(
    max_delta_size=1_000,
    max_cas_uri_length=100,
    key_members=ORB.key_members | {"controller", "publicKeyMultibase"},
    endpoints=REFERENCES,
    empty_lists=True,
    one_key=True,
    bytes_counted=False,
    updates_follow_recovers=False,
    proof_forms=("object", "text"),
)


#: What nodes of ION and of sidetree.js take: the reference implementation's rules, to the letter. They throw
#: away a batch's files for one entry that breaks a rule, so who takes more or less has other DIDs than they.
ION: Final = replace(
    SIDETREE,
    signature_algorithms=frozenset({"ES256K"}),
    key_curves=frozenset({"secp256k1"}),
    patches=ALL_PATCHES - {"add-also-known-as", "ietf-json-patch", "remove-also-known-as"},
    key_members=frozenset({"publicKeyJwk"}),
    empty_texts=True,
    any_key=False,
    null_objects=True,
    endpoint_lists=False,
    open_services=False,
    repeated_purposes=False,
    open_patches=frozenset({"replace"}),
    extensions=False,
    proof_forms=("object",),
)


class Protocols:
    """All versions, each in force from its genesis time until the next one's."""

    def __init__(self, versions: Iterable[Protocol] = (ORB,), *, written: str | None = None) -> None:
        """So many versions.

        Args:
            versions: What is read.
            written: The name of the one that new operations are taken by; with none, the newest.
        """
        self.versions = tuple(sorted(versions, key=lambda version: version.genesis_time))
        self._starts = [version.genesis_time for version in self.versions]
        self._by_start = dict(zip(self._starts, self.versions, strict=True))
        if len(self._by_start) < len(self.versions):
            raise UnknownVersion("two versions of the protocol have the same genesis time")
        named = [each for each in self.versions if written in {None, each.name}]
        if not named:
            raise UnknownVersion(f"{written} is none of the protocol's versions that are read")
        self._written = named[-1]

    def __repr__(self) -> str:
        return f"<Protocols {', '.join(f'{v.name} from {v.genesis_time}' for v in self.versions)}>"

    def with_patches(self, patches: Collection[str]) -> Protocols:
        """The same versions, by which no other patches are taken than these."""
        narrowed = (replace(each, patches=each.patches.intersection(patches)) for each in self.versions)
        return Protocols(narrowed, written=self._written.name)

    def at(self, time: int) -> Protocol:
        """The version in force for what is anchored at this time.

        Raises:
            UnknownVersion: there was none yet.
        """
        position = bisect_right(self._starts, time)
        if not position:
            raise UnknownVersion(f"no version of the protocol is in force at {time}")
        return self.versions[position - 1]

    def of(self, genesis_time: int) -> Protocol:
        """The version that an operation names by its genesis time.

        Raises:
            UnknownVersion: there is none.
        """
        try:
            return self._by_start[genesis_time]
        except KeyError:
            raise UnknownVersion(f"no version of the protocol has the genesis time {genesis_time}") from None

    def current(self) -> Protocol:
        """The one that new operations are taken by."""
        return self._written
