"""Which protocol a broker's URL means, for those who have not loaded either client yet."""

from __future__ import annotations

from typing import Final

__all__ = ["BEANSTALK", "is_beanstalk"]

#: By scheme: the port, and whether TLS is spoken.
BEANSTALK: Final = {"beanstalk": (11300, False), "beanstalks": (11301, True)}


def is_beanstalk(text: str) -> bool:
    """Whether a URL is meant for a beanstalk server."""
    return text.strip().partition("://")[0] in BEANSTALK
