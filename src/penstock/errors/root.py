"""The error that all others are."""

from __future__ import annotations

__all__ = ["PenstockError"]


class PenstockError(Exception):
    """Something in Penstock did not work out."""
