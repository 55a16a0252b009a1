"""The name in a client certificate, as `ssl` tells of one: the whole subject, or its common name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["maybe_name"]

#: OpenSSL's long names → RFC 4514 §3 and what RabbitMQ has beyond it (rabbit_cert_info.erl).
SHORT_NAMES: Final[Mapping[str, str]] = {
    "commonName": "CN",
    "countryName": "C",
    "domainComponent": "DC",
    "emailAddress": "EMAILADDRESS",
    "generationQualifier": "GENERATIONQUALIFIER",
    "givenName": "GIVENNAME",
    "initials": "INITIALS",
    "localityName": "L",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "pseudonym": "PSEUDONYM",
    "serialNumber": "SERIALNUMBER",
    "stateOrProvinceName": "ST",
    "streetAddress": "STREET",
    "surname": "SN",
    "title": "TITLE",
    "userId": "UID",
}
#: RFC 4514 §2.4: always with a backslash before them.
ESCAPED: Final = frozenset('"+,;<>\\')


def maybe_name(certificate: Mapping[str, Any], login_from: str) -> str | None:
    """The user that a certificate (`SSLObject.getpeercert()`) names, or None.

    Args:
        login_from: "distinguished_name" or "common_name"; several common names are joined by commas.
    """
    subject = certificate.get("subject", ())
    if login_from == "common_name":
        names = [value for part in subject for kind, value in part if kind == "commonName"]
        return ",".join(names) or None
    return distinguished_name(subject) or None


def distinguished_name(subject: tuple[tuple[tuple[str, str], ...], ...]) -> str:
    """The subject as RFC 4514 writes it, the last part first: CN=client,O=Penstock."""
    return ",".join(
        "+".join(f"{SHORT_NAMES.get(kind, kind)}={_escaped(value)}" for kind, value in part)
        for part in reversed(subject)
    )


def _escaped(value: str) -> str:
    last = len(value) - 1
    return "".join(
        f"\\{character}" if _is_special(character, position, last) else character
        for position, character in enumerate(value)
    ).replace("\0", "\\00")


def _is_special(character: str, position: int, last: int) -> bool:
    at_start, at_end = position == 0, position == last
    return (
        character in ESCAPED or (character == " " and (at_start or at_end)) or (character == "#" and at_start)
    )
