"""What an action is: the member of a patch that says what is to be done, who checks it and who does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.sidetree.protocol import Protocol

__all__ = ["Action", "Document"]

#: The state of a document, before it is shown as a DID document: publicKeys, services, alsoKnownAs.
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Action:
    """One kind of patch. Who checks knows the protocol only, who applies has a patch that was checked."""

    member: str
    check: Callable[[Any, Protocol], None]
    apply: Callable[[Document, Any], Document]
