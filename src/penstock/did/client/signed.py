"""The next step of a wallet: an operation, signed with the keys that the DID is promised to. Pure.

New keys are arguments; each is checked as a domain would check it, so that a mistake is told before anything
is written or posted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.did.client.wallet import Step, Wallet
from penstock.errors import WalletError
from penstock.sidetree import requests
from penstock.sidetree.canonical import canonical
from penstock.sidetree.did import UNPUBLISHED
from penstock.sidetree.ingestion import ingest
from penstock.sidetree.keys import KINDS
from penstock.sidetree.methods import method_of
from penstock.sidetree.multihash import hashed
from penstock.sidetree.signing import SigningKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.did.client.wallet import Jwk

__all__ = ["ALGORITHMS", "new_wallet", "with_deactivate", "with_recover", "with_update"]

#: What operations may be signed with, and the curve of the keys for it.
ALGORITHMS: Final[Mapping[str, str]] = {kind.algorithm: kind.curve for kind in KINDS.values()}


def new_wallet(
    patches: Sequence[Any],
    *,
    update_key: SigningKey,
    recovery_key: SigningKey,
    domain: str,
    origin: str | None,
    namespace: str = "did:orb",
    now: int,
) -> Wallet:
    """A DID that is to be created.

    Raises:
        SidetreeError: no domain would take it, and why.
    """
    made = requests.create(
        patches, recovery_key=recovery_key.public, update_key=update_key.public, anchor_origin=origin
    )
    suffix = hashed(made["suffixData"])
    anchor = f"{UNPUBLISHED}:" if method_of(namespace).anchored else ""
    wallet = Wallet(
        did=f"{namespace}:{anchor}{suffix}",
        suffix=suffix,
        domain=domain,
        origin=origin,
        algorithm=update_key.kind.algorithm,
        initial={"delta": made["delta"], "suffixData": made["suffixData"]},
    )
    step = Step(
        type="create",
        request=canonical(made),
        update_key=update_key.jwk(),
        recovery_key=recovery_key.jwk(),
    )
    return _checked(wallet, step, now)


def with_update(wallet: Wallet, patches: Sequence[Any], *, update_key: SigningKey, now: int) -> Wallet:
    """Change the document.

    Raises:
        WalletError: the DID is deactivated.
        SidetreeError: no domain would take it, and why.
    """
    made = requests.update(
        wallet.suffix,
        patches,
        key=_signer(wallet, wallet.promised.update),
        next_update_key=update_key.public,
    )
    return _checked(wallet, Step(type="update", request=canonical(made), update_key=update_key.jwk()), now)


def with_recover(
    wallet: Wallet,
    patches: Sequence[Any],
    *,
    update_key: SigningKey,
    recovery_key: SigningKey,
    now: int,
) -> Wallet:
    """Begin the document anew, with new keys.

    Raises:
        WalletError: the DID is deactivated.
        SidetreeError: no domain would take it, and why.
    """
    made = requests.recover(
        wallet.suffix,
        patches,
        key=_signer(wallet, wallet.promised.recovery),
        next_recovery_key=recovery_key.public,
        next_update_key=update_key.public,
        anchor_origin=wallet.origin,
    )
    step = Step(
        type="recover",
        request=canonical(made),
        update_key=update_key.jwk(),
        recovery_key=recovery_key.jwk(),
    )
    return _checked(wallet, step, now)


def with_deactivate(wallet: Wallet, *, now: int) -> Wallet:
    """End the DID.

    Raises:
        WalletError: it is deactivated already.
    """
    made = requests.deactivate(wallet.suffix, key=_signer(wallet, wallet.promised.recovery))
    return _checked(wallet, Step(type="deactivate", request=canonical(made)), now)


def _signer(wallet: Wallet, key: Jwk | None) -> SigningKey:
    if wallet.ends or key is None:
        raise WalletError(f"{wallet.did} is deactivated, and that is for ever")
    return SigningKey.of(dict(key))


def _checked(wallet: Wallet, step: Step, now: int) -> Wallet:
    ingest(step.request, method_of(wallet.did).protocols.current(), now)
    return wallet.with_step(step)
