"""A DID in the hands of its holder: the keys that it is promised to, and operations on their way. Pure.

    keys ──step──► keys ──step──► keys        each step promises the DID to the next keys

A step is in the wallet before it is posted, with the very bytes that are posted: an operation is known by the
hash of its request, so whoever does not know whether it was taken posts it once more, and it is the same one.
It leaves the wallet when the domain's DID is promised to its keys, and its anchor is there.
"""

from __future__ import annotations

from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from penstock.errors import KeysStrayed
from penstock.sidetree.did import UNPUBLISHED, long_form
from penstock.sidetree.methods import method_of
from penstock.sidetree.multihash import commitment
from penstock.sidetree.signing import SigningKey

if TYPE_CHECKING:
    from penstock.did.client.seen import Seen

__all__ = ["Jwk", "Keys", "Standing", "Step", "Wallet"]

#: A private key.
Jwk: TypeAlias = dict[str, str]


class Standing(Enum):
    """How far a DID's last operation has come."""

    WRITTEN = "to be posted"
    ACCEPTED = "accepted"
    ANCHORED = "anchored"
    DEACTIVATED = "deactivated"


class Keys(NamedTuple):
    """Whom a DID is promised to; none when it is deactivated, or not created."""

    update: Jwk | None = None
    recovery: Jwk | None = None

    def __repr__(self) -> str:
        # Nobody's log is to hold what must stay secret.
        return f"<Keys promised as {self.promises}>"

    @property
    def promises(self) -> tuple[str | None, str | None]:
        """The commitments that domains know them by."""
        return _promise(self.update), _promise(self.recovery)


class Step(Struct, frozen=True, kw_only=True):
    """An operation that was signed."""

    type: Literal["create", "update", "recover", "deactivate"]
    request: bytes
    #: The keys that it promises the DID to; an update leaves the recovery key as it is.
    update_key: Jwk | None = None
    recovery_key: Jwk | None = None
    #: Whether a domain has said that it has it.
    is_accepted: bool = False

    def __repr__(self) -> str:
        return f"<Step {self.type}, {'accepted' if self.is_accepted else 'to be posted'}>"

    def after(self, keys: Keys) -> Keys:
        """Whom the DID is promised to after it."""
        recovery = keys.recovery if self.type == "update" else self.recovery_key
        return Keys(self.update_key, recovery)


class Wallet(Struct, frozen=True, kw_only=True):
    """One DID."""

    #: Of this layout; a reader that does not know it leaves the file alone.
    layout: Literal[1] = 1
    #: In the form that was seen last.
    did: str
    suffix: str
    #: The URL that it is posted to, and who anchors it.
    domain: str
    origin: str | None
    algorithm: str
    #: Suffix data and delta of its create.
    initial: dict[str, Any]
    #: Whom it is promised to, by what was seen.
    keys: Keys = Keys()
    #: Operations since, the oldest first.
    steps: tuple[Step, ...] = ()
    #: Whom it was promised to before, as a domain that lags behind may still say.
    past: tuple[tuple[str | None, str | None], ...] = ()
    is_deactivated: bool = False
    #: Private keys whose public halves stand in the document, by their ids.
    document_keys: dict[str, Jwk] = {}

    def __repr__(self) -> str:
        return f"<Wallet {self.did}, {self.standing.value}, {len(self.steps)} steps>"

    @property
    def namespace(self) -> str:
        """Its method: did:orb."""
        return ":".join(self.did.split(":")[:2])

    @property
    def short_form(self) -> str:
        """The form that finds it at its domain, whatever its anchor is."""
        anchor = f"{UNPUBLISHED}:" if method_of(self.did).anchored else ""
        return f"{self.namespace}:{anchor}{self.suffix}"

    @property
    def long_form(self) -> str:
        """The form that resolves before anything is anchored."""
        return long_form(self.short_form, self.initial)

    @property
    def standing(self) -> Standing:
        """How far its last operation has come."""
        if self.steps:
            return Standing.ACCEPTED if self.steps[-1].is_accepted else Standing.WRITTEN
        return Standing.DEACTIVATED if self.is_deactivated else Standing.ANCHORED

    @property
    def promised(self) -> Keys:
        """Whom it is promised to after all steps."""
        return self._chain()[-1]

    @property
    def ends(self) -> bool:
        """Whether it is deactivated, or will be."""
        return self.is_deactivated or any(step.type == "deactivate" for step in self.steps)

    def _chain(self) -> list[Keys]:
        return list(accumulate(self.steps, lambda keys, step: step.after(keys), initial=self.keys))

    # What happens to it

    def with_step(self, step: Step) -> Wallet:
        """One operation more."""
        return replace(self, steps=(*self.steps, step))

    def accepted(self, step: Step) -> Wallet:
        """A domain has that operation for certain."""
        taken = replace(step, is_accepted=True)
        return replace(self, steps=tuple(taken if each is step else each for each in self.steps))

    def refused(self, step: Step) -> Wallet:
        """No domain will have it, nor what was built upon it."""
        return replace(self, steps=self.steps[: self.steps.index(step)])

    def settled(self, seen: Seen | None) -> Wallet:
        """The wallet after a look at the DID: what has come true is no longer on its way.

        Args:
            seen: None if the domain knows nothing of the DID, or not yet.

        Raises:
            KeysStrayed: the DID is promised to keys that were never in this wallet, or ended by others.
        """
        if seen is None:
            return self
        if seen.is_deactivated and not self.ends:
            # Whoever says so has no proof of it, and without its keys nobody can use the DID again.
            raise KeysStrayed(
                f"{self.short_form} is said to be deactivated, and this wallet has not done it: "
                "it is an old copy, or somebody else has the DID's keys"
            )
        chain = self._chain()
        ways = [keys.promises for keys in chain]
        if seen.promises not in ways:
            if seen.promises in self.past:
                return self
            raise KeysStrayed(
                f"{self.short_form} is promised to keys that are not in this wallet: "
                "it is an old copy, or somebody else has the DID's keys"
            )
        if not seen.is_anchored:
            # It counts already, and may still have to be posted again.
            return self
        done = len(ways) - 1 - ways[::-1].index(seen.promises)
        return replace(
            self,
            did=seen.did or self.did,
            keys=chain[done],
            steps=self.steps[done:],
            past=(*self.past, *ways[:done]),
            is_deactivated=seen.is_deactivated or self.is_deactivated,
        )


def _promise(jwk: Jwk | None) -> str | None:
    return None if jwk is None else commitment(SigningKey.of(dict(jwk)).public)
