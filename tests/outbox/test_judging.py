from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy.exc import OperationalError, ResourceClosedError

from penstock.errors import ClientError, PublishLost, PublishRefused, PublishTimeout, Unroutable
from penstock.outbox.envelope import Row
from penstock.outbox.judging import Judge
from penstock.outbox.relay_settings import RelaySettings
from penstock.outbox.statements import Settlement
from tests.outbox.recording import RecordingAlerts


def row(sequence: int, attempts: int = 0) -> Row:
    return Row(sequence, f"m{sequence}", "Type", "x", "k", 0, b"", b"", 0.0, attempts)


def judged(
    *answers: ClientError | None, attempts: int = 0, alerts: RecordingAlerts | None = None, **settings: Any
) -> tuple[Settlement, ClientError | None]:
    rows = [row(number, attempts) for number in range(1, len(answers) + 1)]
    return Judge("outbox", RelaySettings(**settings), alerts).judge(rows, answers, now=9.0)


def test_what_is_confirmed_is_relayed() -> None:
    assert judged(None, None) == (Settlement(at=9.0, relayed=[1, 2]), None)


LOST, NOBODY, FULL = PublishLost("gone"), Unroutable("nobody"), PublishRefused("full")


@pytest.mark.parametrize(
    ("answers", "relayed", "failed"),
    [
        # The first is told of, and whoever was refused for itself; the rest only was under way.
        ([None, LOST, LOST, LOST], [1], {2: "PublishLost: gone"}),
        (
            [LOST, NOBODY, None, FULL],
            [3],
            {1: "PublishLost: gone", 2: "Unroutable: nobody", 4: "PublishRefused: full"},
        ),
        ([NOBODY, LOST], [], {1: "Unroutable: nobody"}),
    ],
)
def test_who_is_to_blame(
    answers: list[ClientError | None], relayed: list[int], failed: dict[int, str]
) -> None:
    settlement, first = judged(*answers)
    assert settlement == Settlement(at=9.0, relayed=relayed, failed=failed)
    assert first is next(answer for answer in answers if answer)


@pytest.mark.parametrize(
    ("attempts", "error", "is_aside"),
    [(1, NOBODY, False), (2, NOBODY, True), (2, FULL, True), (9, PublishTimeout("10 s"), False)],
)
def test_what_is_set_aside(attempts: int, error: ClientError, *, is_aside: bool) -> None:
    settlement, _ = judged(error, attempts=attempts, set_aside_after=3)
    assert list(settlement.set_aside) == [1] * is_aside


@pytest.mark.parametrize(("attempts", "count"), [(3, 0), (4, 1), (5, 1)])
def test_the_fifth_try_is_an_alert(attempts: int, count: int) -> None:
    alerts = RecordingAlerts()
    judged(NOBODY, attempts=attempts, alerts=alerts)
    assert len(alerts.raised) == count


def test_a_lost_database_is_told_without_what_was_to_be_written() -> None:
    alerts = RecordingAlerts()
    judge = Judge("outbox", RelaySettings(alert_at=2), alerts)
    gone = OperationalError("INSERT", {"body": "secret"}, Exception("server closed the connection"))
    assert str(judge.lost_the_database(gone, 1)) == (
        "the outbox outbox: it cannot be read: server closed the connection"
    )
    assert alerts.raised == []
    judge.lost_the_database(ResourceClosedError("secret"), 2)
    assert alerts.raised[0].text == "the outbox outbox: it cannot be read: ResourceClosedError"


def test_what_nobody_has_thought_of_is_told_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    alerts = RecordingAlerts()
    judge = Judge("outbox", RelaySettings(alert_at=1), alerts)
    with pytest.raises(LookupError) as caught:
        raise LookupError("surprise")
    judge.broke_down(caught.value, 1)
    assert alerts.raised[0].text == "the outbox outbox: LookupError: surprise"
    assert any(record.exc_info for record in caplog.records)
