"""A holder at work: operations are signed, kept and posted, in that order; what became of them is found out.

Between keeping and posting, and between posting and the answer, the program may end at any moment. The step
is in the wallet then, with the keys that it promises the DID to, and the next look at the DID settles it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from penstock.did.client.remote import RemoteDomain
from penstock.did.client.seen import Seen
from penstock.did.client.signed import ALGORITHMS, new_wallet, with_deactivate, with_recover, with_update
from penstock.did.client.wallet import Standing
from penstock.errors import BadSetting, OperationRefused, TooEarly, Unavailable, WalletError
from penstock.sidetree.signing import SigningKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.clock import Clock
    from penstock.did.client.changes import Changes
    from penstock.did.client.folder import WalletFolder
    from penstock.did.client.wallet import Wallet

__all__ = ["Beginning", "Holder", "new_key"]

#: Seconds between two looks at a DID that is waited for.
LOOK_EVERY: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """How a DID begins."""

    #: The domain's.
    url: str
    algorithm: str = "ES256"
    #: Who anchors it; None is the domain itself.
    origin: str | None = None
    namespace: str = "did:orb"


def new_key(algorithm: str) -> SigningKey:
    """A key of that kind.

    Raises:
        BadSetting: there is no such kind.
    """
    if algorithm not in ALGORITHMS:
        raise BadSetting(
            f"keys are made for {', '.join(ALGORITHMS)}, not for {algorithm!r}", setting="algorithm"
        )
    return SigningKey.made(ALGORITHMS[algorithm])


class Holder:
    """Somebody with a wallet."""

    def __init__(self, folder: WalletFolder, *, clock: Clock, url: str | None = None) -> None:
        """Nothing is read yet.

        Args:
            folder: The wallet.
            clock: What tells the time.
            url: The domain to talk to, instead of the one that a DID was created at.
        """
        self.folder = folder
        self._clock = clock
        self._url = url

    # Operations

    def create(self, name: str | None, changes: Changes, how: Beginning) -> tuple[str, Wallet]:
        """Create a DID; returns the name that it has here, and itself. Without a name it gets its suffix.

        Raises:
            WalletError: there is one of that name already.
            OperationRefused, SidetreeError: it is not taken, and not kept.
            Unavailable: it is kept, and nobody can tell whether it was taken.
        """
        update_key, recovery_key = new_key(how.algorithm), new_key(how.algorithm)
        patches = changes.all_patches()
        made = new_wallet(
            patches,
            update_key=update_key,
            recovery_key=recovery_key,
            domain=how.url,
            origin=RemoteDomain(how.url).origin() if how.origin is None else how.origin,
            namespace=how.namespace,
            now=self._now,
        )
        name = name or made.suffix
        with self.folder.alone(name):
            if self.folder.file(name).exists():
                is_left = self.folder.read(name).standing is Standing.WRITTEN
                hint = f", and it was not posted for certain: `penstock did settle {name}` does" * is_left
                raise WalletError(f"the wallet holds a {name!r} already{hint}")
            return name, self._kept_and_posted(name, replace(made, document_keys=changes.private_keys()))

    def update(self, name: str, changes: Changes) -> Wallet:
        """Change a document.

        Raises:
            BadSetting: nothing is to be changed.
            TooEarly: the domain does not know the DID yet.
            WalletError, OperationRefused, SidetreeError: it cannot be, and nothing was changed.
            Unavailable: it is kept, and nobody can tell whether it was taken.
        """
        if not changes:
            raise BadSetting(
                "nothing is to be changed: add or remove a key, a service or a name", setting="key"
            )
        return self._change(
            name,
            changes,
            lambda wallet: with_update(
                wallet, changes.all_patches(), update_key=new_key(wallet.algorithm), now=self._now
            ),
        )

    def recover(self, name: str, changes: Changes) -> Wallet:
        """Begin a document anew, with new keys. What is raised is what an update raises."""
        return self._change(
            name,
            changes,
            lambda wallet: with_recover(
                wallet,
                changes.all_patches(),
                update_key=new_key(wallet.algorithm),
                recovery_key=new_key(wallet.algorithm),
                now=self._now,
            ),
        )

    def deactivate(self, name: str) -> Wallet:
        """End a DID, for ever. What is raised is what an update raises."""
        return self._change(name, None, lambda wallet: with_deactivate(wallet, now=self._now))

    def _change(self, name: str, changes: Changes | None, step: Callable[[Wallet], Wallet]) -> Wallet:
        with self.folder.alone(name):
            wallet, seen = self._settled(name)
            if seen is None and not wallet.ends:
                url = self._domain(wallet).url
                hint = f"wait until it is anchored, `penstock did settle --wait {name}`"
                raise TooEarly(f"{url} does not know {wallet.short_form} yet: {hint}")
            changed = step(wallet)
            if changes is not None:
                changed = replace(changed, document_keys=wallet.document_keys | changes.private_keys())
            return self._kept_and_posted(name, changed)

    # What became of them

    def settle(self, name: str, *, again: bool = False) -> Wallet:
        """Find out what became of a DID's operations; those that nobody has for certain are posted.

        Args:
            name: The DID's, in the wallet.
            again: Post those that were accepted once more, too, for a domain that has lost its data.

        Raises:
            KeysStrayed: the DID has gone another way.
            OperationRefused: one is not taken; it is gone from the wallet.
            Unavailable: nobody can tell now.
        """
        with self.folder.alone(name):
            return self._settled(name, again=again)[0]

    def wait(self, name: str, *, within: float, tell: Callable[[Wallet], object] | None = None) -> Wallet:
        """Wait until a DID's operations are anchored.

        Args:
            within: Seconds that it may take.
            tell: Told of the wallet at every look.

        Raises:
            Unavailable: it took longer; they are still on their way.
        """
        until = self._clock.now() + within
        while True:
            wallet, trouble = self._maybe_settled(name)
            if tell is not None:
                tell(wallet)
            if not wallet.steps and trouble is None:
                return wallet
            if self._clock.now() >= until:
                why = trouble or f"{wallet.did} is {wallet.standing.value}"
                raise Unavailable(
                    f"{why}, and not anchored after {within:g} seconds: it goes on, and "
                    f"`penstock did settle --wait {name}` waits on"
                )
            time.sleep(LOOK_EVERY)

    def _maybe_settled(self, name: str) -> tuple[Wallet, Unavailable | None]:
        """Who waits can bear that a domain is away for a moment."""
        try:
            return self.settle(name), None
        except Unavailable as exc:
            return self.folder.read(name), exc

    def result(self, name: str) -> dict[str, Any] | None:
        """What its domain says of a DID now, in the form that was seen last; None if it does not know it."""
        wallet = self.folder.read(name)
        return self._domain(wallet).resolve(wallet.did)

    def _settled(self, name: str, *, again: bool = False) -> tuple[Wallet, Seen | None]:
        wallet = self.folder.read(name)
        found = self._domain(wallet).resolve(wallet.short_form)
        seen = None if found is None else Seen.of(found)
        settled = wallet.settled(seen)
        if settled != wallet:
            self.folder.write(name, settled)
        return self._posted(name, settled, again=again), seen

    def _kept_and_posted(self, name: str, wallet: Wallet) -> Wallet:
        # The keys are on the disk before anybody can be promised anything.
        self.folder.write(name, wallet)
        return self._posted(name, wallet)

    def _posted(self, name: str, wallet: Wallet, *, again: bool = False) -> Wallet:
        """Post what nobody has for certain, in order."""
        for step in wallet.steps:
            if step.is_accepted and not again:
                continue
            try:
                self._domain(wallet).post(step.request)
            except OperationRefused:
                self._drop(name, wallet.refused(step))
                raise
            except Unavailable as exc:
                hint = f"it is kept, and `penstock did settle {name}` finds out whether it was taken"
                raise Unavailable(f"{exc}; {hint}") from exc
            wallet = wallet.accepted(step)
            self.folder.write(name, wallet)
        return wallet

    def _drop(self, name: str, wallet: Wallet) -> None:
        """What is left when a step was refused; of a DID that was never created, nothing."""
        if wallet.steps or wallet.keys.update is not None or wallet.is_deactivated:
            self.folder.write(name, wallet)
        else:
            self.folder.file(name).unlink()

    def _domain(self, wallet: Wallet) -> RemoteDomain:
        return RemoteDomain(self._url or wallet.domain)

    @property
    def _now(self) -> int:
        return int(self._clock.now())
