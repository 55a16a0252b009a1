"""Wallets to test with, and how a domain would see their DIDs; keys are always the same for the same name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.client.seen import Seen
from penstock.did.client.signed import new_wallet
from tests.sidetree.lives import NOW, ORIGIN, add_keys, key

if TYPE_CHECKING:
    from penstock.did.client.wallet import Keys, Wallet


def created(name: str = "alice") -> Wallet:
    """A wallet with a create that was not posted."""
    return new_wallet(
        [add_keys("key1")],
        update_key=key(f"{name} u0"),
        recovery_key=key(f"{name} r0"),
        domain="http://127.0.0.1:1",
        origin=ORIGIN,
        now=NOW,
    )


def seen(keys: Keys, *, is_anchored: bool = True) -> Seen:
    """The DID as it is promised to these keys."""
    update, recovery = keys.promises
    return Seen(
        update_commitment=update,
        recovery_commitment=recovery,
        is_anchored=is_anchored,
        did="did:orb:uAnchor:x",
    )
