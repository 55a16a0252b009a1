"""What Orb's proofs are over: a credential, or a proof's own options, as RDF in canonical form. Pure.

    <https://orb.example.com/vc/1> <https://www.w3.org/2018/credentials#issuer> <https://orb.example.com> .

In general that takes a JSON-LD processor, which fetches contexts, and a canonicalisation of graphs
(URDNA2015): a large attack surface, slow, and a network access in the midst of checking. Anchor credentials
need neither. They have a handful of members, each of which means one statement, and at most one node without
a name, which is then always called `_:c14n0`; the canonical form is their lines in order.

Only what Orb writes is read, member by member. JSON-LD leaves out of a signature what no context explains:
here, whatever is not known is refused, so that nothing unsigned passes for signed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadCredential

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["UNKNOWN_SUITE", "credential_statements", "proof_statements"]

#: The rule that a proof breaks of which nobody here can tell whether it holds, and none that is forged.
UNKNOWN_SUITE: Final = "suite"

RDF_TYPE: Final = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
DATE_TIME: Final = "<http://www.w3.org/2001/XMLSchema#dateTime>"
CREATED: Final = "<http://purl.org/dc/terms/created>"
CREDENTIALS: Final = "https://www.w3.org/2018/credentials#"
ANCHORS: Final = "https://w3id.org/activityanchors#"
SECURITY: Final = "https://w3id.org/security#"
#: The node that has no name, where there is only one.
NAMELESS: Final = "_:c14n0"

ANCHORS_CONTEXT: Final = "https://w3id.org/activityanchors/v1"
#: Contexts that explain credentials, anchors and proofs, and none of the others' words.
CONTEXTS: Final = frozenset(
    {
        "https://www.w3.org/2018/credentials/v1",
        ANCHORS_CONTEXT,
        "https://w3id.org/security/data-integrity/v2",
        "https://w3id.org/security/jws/v1",
        "https://w3id.org/security/suites/ed25519-2018/v1",
        "https://w3id.org/security/suites/ed25519-2020/v1",
        "https://w3id.org/security/suites/jws-2020/v1",
    }
)
TYPES: Final = {"VerifiableCredential": CREDENTIALS, "AnchorCredential": ANCHORS}
MEMBERS: Final = frozenset({"@context", "id", "type", "issuer", "issuanceDate", "credentialSubject"})
LINK: Final = frozenset({"anchor", "href", "profile", "rel"})
#: Until autumn 2022; no context explained the other two, and only the name was signed.
NAMED: Final = frozenset({"id", "anchor", "profile"})
OPTIONS: Final = frozenset({"type", "created", "verificationMethod", "proofPurpose"})

#: Of a scheme that no context takes for one of its own words, and without anything that must be escaped.
IRI: Final = re.compile(r"(?:https?://|did:|hl:)[!#-;=?-\[\]_a-z~]+", re.ASCII)
#: A text that N-Quads writes as it is.
PLAIN: Final = re.compile(r"[^\x00-\x1f\x7f\"\\]*")


def credential_statements(credential: Mapping[str, Any]) -> bytes:
    """A credential without its proofs.

    Raises:
        BadCredential: it is in no shape that Orb has written.
    """
    said = {name: value for name, value in credential.items() if name != "proof"}
    _demand(said.keys() == MEMBERS, "members of a credential")
    contexts = _listed(said["@context"])
    _demand(all(isinstance(each, str) and each in CONTEXTS for each in contexts), "contexts of a credential")
    name = _iri(said["id"])
    lines = [f"{name} {RDF_TYPE} {_type(each, contexts)} ." for each in _listed(said["type"])]
    lines.append(f"{name} <{CREDENTIALS}issuer> {_iri(said['issuer'])} .")
    lines.append(f"{name} <{CREDENTIALS}issuanceDate> {_literal(said['issuanceDate'])}^^{DATE_TIME} .")
    subject, about = _subject(said["credentialSubject"], contexts)
    lines.append(f"{name} <{CREDENTIALS}credentialSubject> {subject} .")
    return _canonical([*lines, *about])


def proof_statements(proof: Mapping[str, Any]) -> bytes:
    """A proof without its signature; of which suite it is, and that this is one of Orb's, is known.

    Raises:
        BadCredential: it says more, or less, than Orb's do.
    """
    said = {name: value for name, value in proof.items() if name not in {"jws", "proofValue"}}
    _demand(said.keys() - {"domain"} == OPTIONS, "members of a proof")
    _demand(said["proofPurpose"] == "assertionMethod", "purpose of a proof")
    lines = [
        f"{NAMELESS} {CREATED} {_literal(said['created'])}^^{DATE_TIME} .",
        f"{NAMELESS} {RDF_TYPE} <{SECURITY}{said['type']}> .",
        f"{NAMELESS} <{SECURITY}proofPurpose> <{SECURITY}assertionMethod> .",
        f"{NAMELESS} <{SECURITY}verificationMethod> {_iri(said['verificationMethod'])} .",
    ]
    if "domain" in said:
        lines.append(f"{NAMELESS} <{SECURITY}domain> {_literal(said['domain'])} .")
    return _canonical(lines)


def _type(name: Any, contexts: list[Any]) -> str:
    _demand(isinstance(name, str) and name in TYPES, "type of a credential")
    _demand(TYPES[name] != ANCHORS or ANCHORS_CONTEXT in contexts, "contexts of a credential")
    return f"<{TYPES[name]}{name}>"


def _subject(subject: Any, contexts: list[Any]) -> tuple[str, list[str]]:
    """The node that a credential is about, and what is said of it."""
    match _only(subject):
        case str(name):
            return _iri(name), []
        case dict(named) if named.keys() == NAMED:
            return _iri(named["id"]), []
        case {"type": kind, **link} if _only(kind) == "AnchorLink" and link.keys() == LINK:
            _demand(ANCHORS_CONTEXT in contexts, "contexts of a credential")
            told = [f"{NAMELESS} <{ANCHORS}{member}> {_literal(link[member])} ." for member in sorted(LINK)]
            return NAMELESS, [f"{NAMELESS} {RDF_TYPE} <{ANCHORS}AnchorLink> .", *told]
    raise _unknown("subject of a credential")


def _iri(value: Any) -> str:
    _demand(isinstance(value, str) and IRI.fullmatch(value) is not None, "an IRI")
    return f"<{value}>"


def _literal(value: Any) -> str:
    _demand(isinstance(value, str) and PLAIN.fullmatch(value) is not None, "a text")
    return f'"{value}"'


def _canonical(lines: Iterable[str]) -> bytes:
    """Each statement once, in the order of their letters' numbers, which is that of their bytes."""
    return "".join(f"{line}\n" for line in sorted(set(lines))).encode()


def _only(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _demand(holds: bool, what: str) -> None:  # noqa: FBT001  it reads as a sentence
    if not holds:
        raise _unknown(what)


def _unknown(what: str) -> BadCredential:
    return BadCredential(
        UNKNOWN_SUITE, f"a proof over RDF cannot be checked here: {what} is not as Orb has it"
    )
