"""Certificates: how long those are good that the TLS listeners show, and those they believe."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from penstock.panel.replies import ApiFault, json_reply
from penstock.server.validity import good_until

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit
    from penstock.settings import Settings

__all__ = ["expiration"]

_DAY: Final = 86_400.0
#: Seconds; as RabbitMQ has them.
UNITS: Final = {"days": _DAY, "weeks": 7 * _DAY, "months": 365 * _DAY / 12, "years": 365 * _DAY}
#: Digits of a time that could mean something.
DIGITS: Final = 6


async def expiration(visit: Visit, within: str, unit: str) -> Reply:
    """Whether all certificates are good for so long; 503 and which are not."""
    if not (within.isascii() and within.isdigit() and len(within) <= DIGITS):
        raise ApiFault(400, f"a time is a whole number, not {within[:20]!r}")
    if unit not in UNITS:
        raise ApiFault(400, f"a time is in {', '.join(UNITS)}, not in {unit[:20]!r}")
    until = visit.broker.clock.now() + int(within) * UNITS[unit]
    over = [
        told for file in _files(visit.front.settings) for told in await asyncio.to_thread(_over, file, until)
    ]
    if not over:
        return json_reply({"status": "ok"})
    return json_reply({"status": "failed", "reason": "Certificates expiring", "expired": over}, 503)


def _files(settings: Settings) -> list[Path]:
    if not (settings.amqps or settings.beanstalks or settings.panel_tls):
        return []
    return [file for file in (settings.amqps_certificate, settings.amqps_client_ca) if file is not None]


def _over(file: Path, until: float) -> list[dict[str, str]]:
    """Those of a file that are not good any more by then."""
    try:
        ends = good_until(file.read_text("ascii"))
    except (OSError, ValueError) as wrong:
        # It was good when the broker started; the next start would fail.
        return [{"name": str(file), "reason": f"cannot be read: {wrong}"}]
    return [
        {"name": str(file), "good_until": datetime.fromtimestamp(at, UTC).isoformat()}
        for at in ends
        if at <= until
    ]
