"""Profiles: the ways in which linksets describe operations; each is of a DID method and a version. Pure."""

from __future__ import annotations

from typing import Final

from penstock.did.credentials.credential import PROFILE
from penstock.errors import BadAnchor

__all__ = ["namespace_of", "profile_of"]

#: By profile: which namespace, and which version.
PROFILES: Final = {PROFILE: ("did:orb", 0)}


def profile_of(namespace: str, version: int) -> str:
    """The profile for that DID method.

    Raises:
        BadAnchor: there is none.
    """
    for profile, described in PROFILES.items():
        if described == (namespace, version):
            return profile
    raise BadAnchor("profile", f"no profile describes operations of {namespace}, version {version}")


def namespace_of(profile: str) -> tuple[str, int]:
    """What a profile describes.

    Raises:
        BadAnchor: nobody knows it.
    """
    if profile not in PROFILES:
        raise BadAnchor("profile", f"the profile {profile[:120]!r} is not known: {', '.join(PROFILES)} is")
    return PROFILES[profile]
