"""Lease: somebody holds a thing for itself, for a while, and may ask for more."""

from __future__ import annotations

from penstock.errors import ReaderInUse

__all__ = ["Lease"]


class Lease:
    """Who holds it, and until when."""

    __slots__ = ("holder", "until")

    def __init__(self) -> None:
        self.holder = ""
        self.until = 0.0

    def __repr__(self) -> str:
        return f"<Lease of {self.holder!r} until {self.until}>"

    def grant(self, what: str, holder: str, seconds: float, now: float) -> None:
        """It is the holder's for so long from now; no time at all gives it up.

        Raises:
            ReaderInUse: another one holds it.
        """
        self.check(what, holder, now)
        self.holder, self.until = holder, now + seconds

    def check(self, what: str, holder: str, now: float) -> None:
        """Let pass who holds it, and anybody while nobody does.

        Raises:
            ReaderInUse: another one holds it.
        """
        if holder != self.holder and now < self.until:
            raise ReaderInUse(
                f"{what} is in use by {self.holder!r}, for another {self.until - now:.1f} s at least: "
                "stop that one, or choose another name",
                holder=self.holder,
                until=self.until,
            )
