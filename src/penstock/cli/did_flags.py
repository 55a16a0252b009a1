"""What a holder wants changed in a DID document, as flags and files say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.did.client.changes import DEFAULT_PURPOSES, Changes, DocumentKey
from penstock.did.client.holder import new_key
from penstock.errors import BadSetting
from penstock.sidetree.patches.public_keys import PURPOSES

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DEFAULT_KEY", "read_changes", "read_key", "read_service"]

#: The key of a document that nothing else is asked for.
DEFAULT_KEY: Final = "main"
SERVICE_PARTS: Final = 3


def read_key(text: str, algorithm: str) -> DocumentKey:
    """`ID[:PURPOSE,PURPOSE…][@FILE]`: a new key, or the public one of a file.

    Raises:
        BadSetting: it cannot be read.
    """
    told, at, file = text.partition("@")
    name, _, listed = told.partition(":")
    purposes = tuple(listed.split(",")) if listed else DEFAULT_PURPOSES
    if unknown := [each for each in purposes if each not in PURPOSES]:
        raise BadSetting(
            f"a key has no purpose {unknown[0]!r}; there are {', '.join(sorted(PURPOSES))}", setting="key"
        )
    if not name:
        raise BadSetting(f"{text!r} gives the key no id: ID:PURPOSE,PURPOSE@FILE", setting="key")
    if at:
        jwk = _read_json(Path(file), "key")
        if not isinstance(jwk, dict) or "d" in jwk:
            raise BadSetting(f"{file} must hold a public key as a JWK, and no private one", setting="key")
        return DocumentKey(id=name, public=jwk, purposes=purposes)
    made = new_key(algorithm)
    # A document has no use for the empty y of a key that signs operations.
    public = {member: value for member, value in made.public.items() if value}
    return DocumentKey(id=name, public=public, purposes=purposes, private=made.jwk())


def read_service(text: str) -> dict[str, Any]:
    """`ID:TYPE:URL`.

    Raises:
        BadSetting: it cannot be read.
    """
    parts = text.split(":", SERVICE_PARTS - 1)
    if len(parts) < SERVICE_PARTS or not all(parts):
        raise BadSetting(
            f"a service is ID:TYPE:URL, like site:LinkedDomains:https://example.com, not {text!r}",
            setting="service",
        )
    name, kind, endpoint = parts
    return {"id": name, "type": kind, "serviceEndpoint": endpoint}


def read_changes(
    algorithm: str,
    *,
    key: Iterable[str] | None = None,
    service: Iterable[str] | None = None,
    also_known_as: Iterable[str] | None = None,
    remove_key: Iterable[str] | None = None,
    remove_service: Iterable[str] | None = None,
    remove_also_known_as: Iterable[str] | None = None,
    document: Path | None = None,
    patches: Path | None = None,
    default_key: str | None = None,
) -> Changes:
    """All of them together.

    Args:
        algorithm: What keys that are made sign with.
        default_key: The key that is made if nothing at all is asked for.

    Raises:
        BadSetting: one of them cannot be read.
    """
    if default_key is not None and not any((key, service, also_known_as, document, patches)):
        key = [default_key]
    return Changes(
        keys=[read_key(each, algorithm) for each in key or ()],
        services=[read_service(each) for each in service or ()],
        also_known_as=list(also_known_as or ()),
        remove_keys=list(remove_key or ()),
        remove_services=list(remove_service or ()),
        remove_also_known_as=list(remove_also_known_as or ()),
        document=_read_kind(document, dict, "document") or {},
        patches=_read_kind(patches, list, "patches") or [],
    )


def _read_kind(file: Path | None, kind: type, setting: str) -> Any:
    if file is None:
        return None
    found = _read_json(file, setting)
    if not isinstance(found, kind):
        what = "an object" if kind is dict else "a list"
        raise BadSetting(f"{file} must hold {what} in JSON", setting=setting)
    return found


def _read_json(file: Path, setting: str) -> Any:
    try:
        return json.loads(file.read_bytes())
    except OSError as exc:
        raise BadSetting(f"{file} cannot be read: {exc.strerror}", setting=setting) from exc
    except ValueError as exc:
        raise BadSetting(f"{file} holds no JSON: {exc}", setting=setting) from exc
