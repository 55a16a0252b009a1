"""What a broker's answers mean for the rows that were published, and what people are told of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from penstock.errors import PublishError, PublishRefused, Unroutable
from penstock.messaging import Alert
from penstock.messaging.alerts import RELAY_FAILING
from penstock.messaging.texts import clean
from penstock.outbox.statements import Settlement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.exc import SQLAlchemyError

    from penstock.errors import ClientError
    from penstock.messaging import Alerts
    from penstock.outbox.envelope import Row
    from penstock.outbox.relay_settings import RelaySettings

__all__ = ["Judge"]

_log = logging.getLogger(__name__)

#: The broker refused this very message; what else may go wrong is not the message's doing.
_OWN_FAULT: Final = (Unroutable, PublishRefused)


class Judge:
    """Decides about the rows of one outbox, and lets people know."""

    def __init__(self, outbox: str, settings: RelaySettings, alerts: Alerts | None) -> None:
        self._outbox = outbox
        self._settings = settings
        self._alerts = alerts

    def judge(
        self, rows: Sequence[Row], errors: Sequence[ClientError | None], now: float
    ) -> tuple[Settlement, ClientError | None]:
        """What is to be written down, and the first error."""
        if not any(errors):
            return Settlement(at=now, relayed=[row.sequence for row in rows]), None
        first: ClientError | None = None
        relayed: list[int] = []
        failed: dict[int, str] = {}
        aside: list[int] = []
        for row, error in zip(rows, errors, strict=True):
            if error is None:
                relayed.append(row.sequence)
            # Those behind the first were not refused, they only were under way with it.
            elif first is None or isinstance(error, _OWN_FAULT):
                first = first or error
                # A broker's own words, in which there may be some of the message.
                failed[row.sequence] = clean(f"{type(error).__name__}: {error}")
                if self._is_given_up(row, error):
                    aside.append(row.sequence)
                self._tell(row, error, is_aside=row.sequence in aside)
        return Settlement(at=now, relayed=relayed, failed=failed, set_aside=tuple(aside)), first

    def lost_the_database(self, exc: SQLAlchemyError, failures: int) -> PublishError:
        """The database could not be asked, for so many times in a row."""
        # SQLAlchemy's own text has the statement's values in it, which are nobody's business.
        because = getattr(exc, "orig", None) or type(exc).__name__
        _log.warning("the outbox %s cannot be read: %s", self._outbox, because)
        return self._failed(f"it cannot be read: {because}", failures)

    def broke_down(self, exc: Exception, failures: int) -> PublishError:
        """Something that nobody has thought of, for so many times in a row."""
        _log.error("the relay of %s failed", self._outbox, exc_info=exc)
        return self._failed(f"{type(exc).__name__}: {exc}", failures)

    def _failed(self, because: str, failures: int) -> PublishError:
        text = f"the outbox {self._outbox}: {because}"
        if failures >= self._settings.alert_at:
            self._alert(text, attempts=failures, error=because)
        return PublishError(text)

    def _is_given_up(self, row: Row, error: ClientError) -> bool:
        limit = self._settings.set_aside_after
        return limit is not None and row.attempts + 1 >= limit and isinstance(error, _OWN_FAULT)

    def _tell(self, row: Row, error: ClientError, *, is_aside: bool) -> None:
        attempts = row.attempts + 1
        name = row.type or "message"
        fate = "it is set aside" if is_aside else "it and what comes after it wait"
        text = f"{name} {row.id} could not be published to {row.destination}, try {attempts}: {error}; {fate}"
        _log.warning("%s: %s", self._outbox, text)
        if attempts >= self._settings.alert_at or is_aside:
            self._alert(text, id=row.id, type=row.type, attempts=attempts, error=str(error))

    def _alert(self, text: str, **details: object) -> None:
        if self._alerts is not None:
            alert = Alert(
                kind=RELAY_FAILING, subject=self._outbox, text=text, details=details, is_critical=True
            )
            self._alerts.raise_alert(alert)
