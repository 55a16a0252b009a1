"""Handing requests on to a management API elsewhere, over HTTP, each in a thread of its own."""

from __future__ import annotations

import asyncio
import http.client
from typing import TYPE_CHECKING, Final

from penstock.panel.replies import ApiFault, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.messaging.topology.management import Management

__all__ = ["hand_on"]

#: Headers of a request that the other server is to know; whatever else a browser says is nobody's business.
PASSED_ON: Final = ("accept", "authorization", "content-type")
BAD_GATEWAY: Final = 502
#: Bytes of an answer: the definitions of a large broker fit, and the lists of ten thousand queues.
ANSWER_MOST: Final = 64 * 1024 * 1024


async def hand_on(place: Management, verb: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
    """What the other server answers.

    Args:
        path: As it was asked for, with its query.

    Raises:
        ApiFault: 502, it does not answer, or with more than can be held here.
    """
    return await asyncio.to_thread(_asked, place, verb, path, headers, body)


def _asked(place: Management, verb: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
    line = place.connect()
    told = {name: headers[name] for name in PASSED_ON if name in headers}
    try:
        line.request(verb, place.path + path, body or None, told)
        with line.getresponse() as answer:
            found = answer.read(ANSWER_MOST + 1)
    except (OSError, http.client.HTTPException) as exc:
        why = str(exc) or type(exc).__name__
        raise ApiFault(BAD_GATEWAY, f"{place} does not answer: {why}") from exc
    finally:
        line.close()
    if len(found) > ANSWER_MOST:
        reason = f"{place} answers with more than {ANSWER_MOST} bytes: ask for a page, or for fewer columns"
        raise ApiFault(BAD_GATEWAY, reason)
    return Reply(status=answer.status, kind=answer.getheader("Content-Type") or "text/plain", body=found)
