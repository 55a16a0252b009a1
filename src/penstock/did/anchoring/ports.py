"""The ports of anchoring: what a domain's anchors need of its other parts.

Storage and keys have their ports in `penstock.did.cas` and `penstock.did.credentials`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.did.witnesses import Policy

__all__ = ["Neighbours", "Policies", "Post", "Queues", "Services"]


class Post(Protocol):
    """The outbox."""

    async def post(self, activity: Mapping[str, Any], *, exclude: Sequence[str] = ()) -> None:
        """Have an activity sent to whom it names; when this returns, it will be.

        The same activity, by its id, may be posted more than once, and counts once.

        Args:
            activity: What is told.
            exclude: IRIs of services that are not told, though a collection names them.

        Raises:
            TransientError, ClientError, StoreError: it could not be taken now.
        """
        ...


class Queues(Protocol):
    """The domain's queues."""

    async def publish(self, queue: str, payload: bytes) -> None:
        """Put a message into a queue of the domain; when this returns, the broker has it for certain.

        Args:
            queue: The name without the domain's word: `anchor`, `anchor_linkset`.
            payload: JSON.

        Raises:
            ClientError: the broker does not have it, or nobody can tell.
        """
        ...


class Neighbours(Protocol):
    """Who has to do with this domain, as its collections tell."""

    async def witnesses(self) -> Sequence[str]:
        """The IRIs of those who have agreed to witness this domain's anchors."""
        ...

    async def is_witnessing(self, iri: str) -> bool:
        """Whether this domain has agreed to witness the anchors of that one."""
        ...


class Services(Protocol):
    """What services of other domains tell of themselves; `penstock.did.activities.Peers` is one."""

    def service_of(self, origin: str) -> str:
        """The service that anchors the DIDs of an origin: itself, or that of the domain that it is.

        Raises:
            BadActivity: it is no origin, or its domain does not name its service.
            Unavailable: it cannot be asked now.
        """
        ...

    def log_of(self, iri: str) -> str:
        """The URL of the ledger that a service keeps; empty if it keeps none.

        Raises:
            BadActivity: its domain does not answer as it should.
            Unavailable: it cannot be asked now.
        """
        ...


class Policies(Protocol):
    """Where the operator's witness policy is kept."""

    async def witness_policy(self) -> Policy:
        """The policy as it is now.

        Raises:
            BadWitnessPolicy: what is kept cannot be read.
        """
        ...
