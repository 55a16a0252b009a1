from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from penstock.errors import BadSetting
from penstock.messaging.settings import MESSAGING_OPTIONS, MessagingSettings
from penstock.messaging.subscriptions import Backoff


def test_the_defaults_are_the_seeds() -> None:
    settings = MessagingSettings()
    assert settings.mq_url is None
    assert settings.mq_connect_max_retries == 25
    assert settings.mq_publisher_channel_pool_size == 25
    assert settings.mq_max_connection_subscriptions == 1000
    pools = [name for name in MESSAGING_OPTIONS if name.endswith("_pool")]
    assert {getattr(settings, name) for name in pools} == {5}
    assert settings.retry == Backoff(attempts=20, initial=2.0, multiplier=1.5, cap=30.0)


def test_the_client_is_told_by_its_own_names() -> None:
    client = MessagingSettings(
        mq_publisher_channel_pool_size=0,
        mq_max_connection_subscriptions=7,
        mq_publish_timeout=3,
        mq_connect_timeout=4,
        mq_connect_max_retries=5,
        mq_heartbeat=6,
    ).client
    assert (client.publisher_channels, client.channels_per_connection) == (0, 7)
    assert (client.publish_timeout, client.connect_timeout) == (3.0, 4.0)
    assert (client.connect_max_retries, client.heartbeat) == (5, 6)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2s", 2.0),
        ("1m30s", 90.0),
        ("1h", 3600.0),
        ("1.5s", 1.5),
        ("500ms", 0.5),
        ("90", 90.0),
        ("1.5min", 90.0),
    ],
)
def test_durations_are_written_as_orb_or_as_penstock_does(text: str, seconds: float) -> None:
    assert MessagingSettings(mq_stop_timeout=text).mq_stop_timeout == seconds  # type: ignore[arg-type]


def test_the_environment_has_the_seeds_names() -> None:
    environ = {
        "MQ_URL": "amqp://shop:secret@localhost",
        "MQ_PUBLISHER_POOL": "3",
        "OP_QUEUE_POOL": "8",
        "MQ_REDELIVERY_MAX_INTERVAL": "1m",
        "MQ_DATA": "/var/lib/shop",
        "HOME": "/root",
    }
    settings = MessagingSettings.from_environment(environ)
    assert settings.mq_url == "amqp://shop:secret@localhost"
    assert (settings.mq_publisher_channel_pool_size, settings.op_queue_pool) == (3, 8)
    assert (settings.mq_redelivery_max_interval, settings.mq_data) == (60.0, Path("/var/lib/shop"))
    assert "secret" not in repr(settings)


@pytest.mark.parametrize(
    ("wrong", "setting"),
    [
        ({"mq_pool": 0}, "mq_pool"),
        ({"mq_redelivery_multiplier": 0.5}, "mq_redelivery_multiplier"),
        ({"mq_redelivery_multiplier": "much"}, "mq_redelivery_multiplier"),
        ({"mq_stop_timeout": "soon"}, "mq_stop_timeout"),
        ({"mq_stop_timeout": ""}, "mq_stop_timeout"),
        ({"mq_redelivery_max_interval": 1}, "mq_redelivery_max_interval"),
        ({"mq_queue_type": "stream"}, "mq_queue_type"),
    ],
)
def test_what_cannot_be_is_refused_by_name(wrong: dict[str, Any], setting: str) -> None:
    with pytest.raises(BadSetting, match=setting) as caught:
        MessagingSettings(**wrong)
    assert caught.value.setting == setting


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(BadSetting, match="MQ_POOL"):
        MessagingSettings.from_environment({"MQ_POOL": "many"})


def test_only_quorum_queues_need_to_be_asked_for() -> None:
    settings = MessagingSettings()
    assert settings.queue_arguments == {}
    assert replace(settings, mq_queue_type="quorum").queue_arguments == {"x-queue-type": "quorum"}


def test_every_option_is_explained() -> None:
    assert all(option.help.endswith(".") for option in MESSAGING_OPTIONS.values())
