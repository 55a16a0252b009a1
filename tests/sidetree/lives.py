"""DIDs to test with: their holders' keys, the requests they post, and anchors for them."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Any

from penstock.sidetree import requests
from penstock.sidetree.anchored import Anchored
from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.multihash import hashed, multihash
from penstock.sidetree.signing import PRIVATE, SigningKey

ORIGIN = "https://orb.domain1.example/services/orb"
#: When everything here happens.
NOW = 1_700_000_000


@cache
def key(name: str, curve: str = "P-256") -> SigningKey:
    """Always the same key for the same name."""
    return SigningKey(curve, PRIVATE[curve].of(sha256(name.encode()).digest()))


def public_key(name: str = "key1", **changes: Any) -> dict[str, Any]:
    """A key as documents list it."""
    made = {
        "id": name,
        "type": "JsonWebKey2020",
        "purposes": ["authentication"],
        "publicKeyJwk": key(name).public,
    }
    return made | changes


def service(name: str = "files", **changes: Any) -> dict[str, Any]:
    return {"id": name, "type": "LinkedDomains", "serviceEndpoint": f"https://example.com/{name}"} | changes


def add_keys(*names: str) -> dict[str, Any]:
    return {"action": "add-public-keys", "publicKeys": [public_key(name) for name in names]}


def add_services(*names: str) -> dict[str, Any]:
    return {"action": "add-services", "services": [service(name) for name in names]}


def address(data: bytes) -> str:
    """As a storage would give it."""
    return f"hl:u{encode(multihash(data))}"


class Life:
    """A DID's holder: each verb gives the next request and turns to the next keys."""

    def __init__(self, name: str = "alice", curve: str = "P-256") -> None:
        self.name = name
        self.curve = curve
        self._updates = self._recoveries = 0
        self.suffix = ""

    @property
    def update_key(self) -> SigningKey:
        return key(f"{self.name} update {self._updates}", self.curve)

    @property
    def recovery_key(self) -> SigningKey:
        return key(f"{self.name} recovery {self._recoveries}", self.curve)

    def create(self, *patches: Any, origin: str | None = ORIGIN) -> bytes:
        request = requests.create(
            patches or [add_keys(f"{self.name}-key")],
            recovery_key=self.recovery_key.public,
            update_key=self.update_key.public,
            anchor_origin=origin,
        )
        self.suffix = hashed(request["suffixData"])
        return canonical(request)

    def update(self, *patches: Any, **times: int) -> bytes:
        signer = self.update_key
        self._updates += 1
        return canonical(
            requests.update(
                self.suffix,
                patches or [add_services(f"service{self._updates}")],
                key=signer,
                next_update_key=self.update_key.public,
                **times,
            )
        )

    def recover(self, *patches: Any, origin: str | None = ORIGIN, **times: int) -> bytes:
        signer = self.recovery_key
        self._recoveries += 1
        self._updates += 1
        return canonical(
            requests.recover(
                self.suffix,
                patches or [add_keys(f"recovered{self._recoveries}")],
                key=signer,
                next_recovery_key=self.recovery_key.public,
                next_update_key=self.update_key.public,
                anchor_origin=origin,
                **times,
            )
        )

    def deactivate(self, **times: int) -> bytes:
        return canonical(requests.deactivate(self.suffix, key=self.recovery_key, **times))


def whole_life(name: str = "alice", curve: str = "P-256") -> list[bytes]:
    """Create, update, recover, deactivate."""
    life = Life(name, curve)
    return [life.create(), life.update(), life.recover(), life.deactivate()]


def anchored(request: bytes, suffix: str, time: int, **place: Any) -> Anchored:
    """The request, anchored at that time under a reference of its own."""
    return Anchored(
        type=parse(request)["type"],
        suffix=suffix,
        request=request,
        time=time,
        **{"reference": f"uAnchor{time}", **place},
    )


def changed(request: bytes, **members: Any) -> bytes:
    """The request with other members; None takes one away."""
    value = {**parse(request), **members}
    return canonical({name: member for name, member in value.items() if member is not None})
