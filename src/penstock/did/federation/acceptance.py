"""Whom a domain lets follow it, and for whom it witnesses. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.did.activities import names

__all__ = ["Acceptance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """Who is accepted: the services that are listed, or everybody where there is no list."""

    followers: frozenset[str] | None = None
    #: Whose anchors this domain witnesses.
    witnessing: frozenset[str] | None = None

    def accepts(self, kind: str, actor: str) -> bool:
        """Whether a service gets what it asks for; `kind` is FOLLOW or INVITE."""
        listed = {names.FOLLOW: self.followers, names.INVITE: self.witnessing}[kind]
        return listed is None or actor in listed
