"""What live clients of the waterworks may do: anybody on this machine may come in, ask and listen.

A session token is a name: this is a sample on the loopback, and nothing here is a secret.
"""

from __future__ import annotations

from penstock.cli.sample.events import JOBS
from penstock.errors import BadToken
from penstock.workers.gateway import ClientRoute, Policy, Session, open_rooms

__all__ = ["check_token", "policy"]


def check_token(token: str) -> Session:
    """The session of whoever says a name."""
    if not token.isidentifier():
        raise BadToken("a token of the sample is a name, such as ada")
    return Session(user_id=token)


policy = Policy(
    check_token=check_token,
    routes={"/valve/inspect": ClientRoute(queue=JOBS)},
    may_join=open_rooms(["waterworks"]),
)
