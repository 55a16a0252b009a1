"""The Signature header (draft-cavage-http-signatures-12 §4.1), read and written. Pure."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Final

from penstock.errors import BadHttpSignature

__all__ = ["SignatureHeader"]

#: A parameter: a name, and a text in quotes or a number.
PARAMETER: Final = re.compile(
    r'\s*(?P<name>[A-Za-z]+)\s*=\s*(?:"(?P<text>[^"]*)"|(?P<number>[0-9]+(?:\.[0-9]+)?))\s*(?P<comma>,|$)'
)
NUMBER: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?")
LONGEST: Final = 4096
#: What is signed if the header does not say (§2.1.6).
WITHOUT_HEADERS: Final = "(created)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureHeader:
    """Who signed which headers, and the signature."""

    key_id: str
    signature: bytes
    #: In small letters, in the order in which they are signed.
    headers: tuple[str, ...]
    algorithm: str = ""
    created: str = ""
    expires: str = ""

    @classmethod
    def parse(cls, text: str) -> SignatureHeader:
        """Read one; parameters that nobody knows are passed over.

        Raises:
            BadHttpSignature: it cannot be read, says something twice, or lacks the key or the signature.
        """
        said = _parameters(text)
        for name in ("keyId", "signature"):
            if not said.get(name):
                raise BadHttpSignature("malformed", f"the Signature header has no {name}")
        try:
            signature = b64decode(said["signature"], validate=True)
        except ValueError as exc:
            raise BadHttpSignature("malformed", f"the signature is not in base64: {exc}") from exc
        for name in ("created", "expires"):
            if said.get(name) and not NUMBER.fullmatch(said[name]):
                raise BadHttpSignature("malformed", f"{name} in the Signature header is no number")
        headers = tuple(said.get("headers", WITHOUT_HEADERS).lower().split())
        if not headers or len(set(headers)) < len(headers):
            raise BadHttpSignature("malformed", "the Signature header names no headers, or one twice")
        return cls(
            key_id=said["keyId"],
            signature=signature,
            headers=headers,
            algorithm=said.get("algorithm", "").lower(),
            created=said.get("created", ""),
            expires=said.get("expires", ""),
        )

    def text(self, *, shown: str) -> str:
        """As it is sent.

        Args:
            shown: The algorithm, in the letters in which it is to be seen.
        """
        signature = b64encode(self.signature).decode()
        return (
            f'keyId="{self.key_id}",algorithm="{shown}",'
            f'headers="{" ".join(self.headers)}",signature="{signature}"'
        )


def _parameters(text: str) -> dict[str, str]:
    if len(text) > LONGEST:
        raise BadHttpSignature("malformed", f"a Signature header of {len(text)} characters is not read")
    said: dict[str, str] = {}
    at = 0
    while at < len(text):
        found = PARAMETER.match(text, at)
        if found is None:
            raise BadHttpSignature(
                "malformed", f"the Signature header cannot be read from column {at + 1} on"
            )
        # §2.2: if a parameter stands twice the signature must not be processed.
        if found["name"] in said:
            raise BadHttpSignature("malformed", f"the Signature header has {found['name']} twice")
        said[found["name"]] = found["text"] if found["number"] is None else found["number"]
        at = found.end()
        if found["comma"] and at == len(text):
            raise BadHttpSignature("malformed", "the Signature header ends with a comma")
    return said
