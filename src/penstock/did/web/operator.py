"""The operator: whoever has the domain's token. Without one nobody is."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["Operator"]

UNAUTHORIZED: Final = 401
FORBIDDEN: Final = 403


class Operator:
    """Who may change things while the domain runs."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def __repr__(self) -> str:
        return f"<Operator, {'with' if self._token else 'without'} a token>"

    def check(self, request: Request) -> None:
        """See that a request is the operator's; before anything of it is read.

        Raises:
            HTTPException: it is not.
        """
        if not self._token:
            raise HTTPException(FORBIDDEN, "this domain has no operator's token, so nobody may do this")
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        # Nothing but blanks: a byte of UTF-8's may look like another kind of them.
        is_theirs = compare_digest(token.strip(" \t").encode("latin-1", "replace"), self._token)
        if scheme.lower() != "bearer" or not is_theirs:
            raise HTTPException(
                UNAUTHORIZED, "the operator's token is needed here", {"WWW-Authenticate": "Bearer"}
            )
