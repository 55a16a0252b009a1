from __future__ import annotations

from typing import Any

import pytest

from penstock.client import ClientSettings


def test_the_defaults_are_the_seeds() -> None:
    settings = ClientSettings()
    assert settings.publisher_channels == 25
    assert settings.channels_per_connection == 1000
    assert settings.connect_max_retries == 25
    assert settings.publish_timeout == 10


@pytest.mark.parametrize(
    ("setting", "value", "complaint"),
    [
        ("publisher_channels", -1, "publisher_channels cannot be negative"),
        ("channels_per_connection", 0, "channels_per_connection must be at least 1"),
        ("publish_window", 0, "publish_window must be at least 1"),
        ("publish_timeout", 0, "publish_timeout must be more than nothing"),
        ("backoff_multiplier", 0.9, "backoff_multiplier must be at least 1"),
        ("backoff_jitter", 1.1, "backoff_jitter is a part"),
        ("frame_max", 4095, "frame_max must be at least 4096"),
    ],
)
def test_what_cannot_work_is_refused_by_name(setting: str, value: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        ClientSettings(**{setting: value})


def test_no_frame_limit_and_a_channel_for_each_publish_are_possible() -> None:
    assert ClientSettings(frame_max=0, publisher_channels=0).frame_max == 0
