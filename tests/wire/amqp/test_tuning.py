from __future__ import annotations

import pytest

from penstock.wire.amqp.methods import ConnectionTune
from penstock.wire.amqp.tuning import Tuning

OURS = Tuning(channel_max=100, frame_max=8192, heartbeat=60)

AGREED = [
    # the lower of two
    (OURS, ConnectionTune(50, 131072, 30), (50, 8192, 30)),
    # zero is no limit, so the other's holds
    (OURS, ConnectionTune(0, 0, 0), (100, 8192, 60)),
    (Tuning(channel_max=0, frame_max=0, heartbeat=0), ConnectionTune(5, 4096, 7), (5, 4096, 7)),
    # both without
    (Tuning(channel_max=0, frame_max=0, heartbeat=0), ConnectionTune(0, 0, 0), (0, 0, 0)),
]


@pytest.mark.parametrize(("ours", "theirs", "expected"), AGREED)
def test_a_client_takes_the_lower(
    ours: Tuning, theirs: ConnectionTune, expected: tuple[int, int, int]
) -> None:
    agreed = ours.agreed(theirs)
    assert (agreed.channel_max, agreed.frame_max, agreed.heartbeat) == expected


ANSWERS = [
    (100, 8192, None),
    (1, 4096, None),
    (101, 8192, "channel_max = 101 is higher"),
    (0, 8192, "channel_max = 0 is higher"),
    (100, 8193, "frame_max = 8193 is higher"),
    (100, 4095, "frame_max = 4095 is lower"),
]


@pytest.mark.parametrize(("channel_max", "frame_max", "expected"), ANSWERS)
def test_a_server_refuses_more_than_it_offered(
    channel_max: int, frame_max: int, expected: str | None
) -> None:
    refusal = OURS.refusal(Tuning(channel_max=channel_max, frame_max=frame_max, heartbeat=0))
    assert expected in refusal if refusal and expected else refusal is expected


def test_a_server_without_limits_takes_anything() -> None:
    assert Tuning(channel_max=0, frame_max=0).refusal(Tuning(channel_max=0, frame_max=0)) is None
