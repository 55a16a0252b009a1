"""Every parameter does something, or is refused: none is only documented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.parameters import PARAMETERS, DidParameters
from penstock.errors import BadSetting
from tests.did import looks
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Look = Callable[[DidParameters, Path], object]

RARE = "321"
SERVICE = "https://rare.example/services/orb"

#: Parameter → another value than its default, and the look that tells them apart.
EFFECTS: dict[str, tuple[Any, Look]] = {
    "mq_url": ("amqp://127.0.0.1:1/", looks.own_broker),
    "mq_data": ("elsewhere", looks.own_broker),
    "mq_connect_max_retries": (1, looks.client),
    "mq_connect_timeout": ("1s", looks.client),
    "mq_max_connection_subscriptions": (7, looks.client),
    "mq_queue_type": ("quorum", looks.topology),
    "mq_heartbeat": (7, looks.client),
    "mq_publisher_channel_pool_size": (7, looks.client),
    "mq_publish_timeout": ("1s", looks.client),
    "mq_observer_pool": (7, looks.observer),
    "mq_outbox_pool": (RARE, looks.running),
    "mq_inbox_pool": (RARE, looks.running),
    "mq_anchor_linkset_pool": (RARE, looks.running),
    "op_queue_pool": (RARE, looks.running),
    "mq_prefetch": (RARE, looks.running),
    "mq_redelivery": ("consumer", looks.redelivery),
    "mq_redelivery_first_wait": ("multiplied", looks.redelivery),
    "mq_redelivery_max_attempts": (7, looks.redelivery),
    "mq_redelivery_initial_interval": ("1s", looks.redelivery),
    "mq_redelivery_multiplier": ("3", looks.redelivery),
    "mq_redelivery_max_interval": ("7s", looks.redelivery),
    "mq_stuck_after": (f"{RARE}s", looks.running),
    "mq_stop_timeout": (f"{RARE}s", looks.running),
    "external_endpoint": (f"http://127.0.0.2:{free_port()}", looks.founded),
    "host_url": (f"127.0.0.1:{free_port()}", looks.founded),
    "database_url": ("sqlite:///elsewhere.db", looks.founded),
    "cas_url": ("memory://elsewhere", looks.founded),
    "private_key_file": ("KEY", looks.founded),
    "operator_token": ("t0ken", looks.running),
    "enable_dev_mode": (True, looks.fetching),
    "allowed_origins": ("rare.example", looks.running),
    "allowed_origins_cache_expiration": (f"{RARE}s", looks.running),
    "unchecked_authors": (SERVICE, looks.trusted),
    "follow_auth_policy": ("accept-list", looks.acceptance),
    "follow_accept_list": (SERVICE, looks.acceptance),
    "invite_witness_auth_policy": ("accept-list", looks.acceptance),
    "invite_witness_accept_list": (SERVICE, looks.acceptance),
    "follow": (SERVICE, looks.told_others),
    "invite_witness": (SERVICE, looks.told_others),
    "sync_interval": (f"{RARE}s", looks.running),
    "sync_min_activity_age": (f"{RARE}s", looks.running),
    "witness_policy": ("OutOf(1,system)", looks.told_others),
    "enabled_patches": ("add-public-keys", looks.taken_patches),
    "op_queue_task_monitor_interval": (f"{RARE}s", looks.running),
    "op_queue_task_expiration": (f"{RARE}s", looks.running),
    "op_queue_max_reposts": (7, looks.reposting),
    "op_queue_repost_initial_delay": ("7s", looks.reposting),
    "op_queue_repost_max_delay": ("70s", looks.reposting),
    "op_queue_repost_multiplier": (3, looks.reposting),
    "op_queue_max_ops_to_repost": (RARE, looks.running),
    "op_queue_operation_lifespan": ("7m", looks.queued),
    "op_queue_acked_lifespan": ("7m", looks.acked),
    "op_queue_max_contiguous_operations_with_err": (1, looks.cut),
    "op_queue_max_contiguous_operations_without_err": (1, looks.cut),
    "batch_writer_timeout": ("321s", looks.running),
    "task_manager_check_interval": (f"{RARE}s", looks.running),
    "data_expiry_check_interval": (f"{RARE}s", looks.running),
    "activity_linkset_lifespan": (f"{RARE}s", looks.running),
    "max_witness_delay": ("7m", looks.offered),
    "max_clock_skew": ("1s", looks.witnessed_late),
    "witness_store_expiry_period": ("30m", looks.completed),
    "anchor_status_monitoring_interval": (f"{RARE}s", looks.running),
    "anchor_status_in_process_grace_period": ("7s", looks.offered),
    "anchor_status_max_records": (2, looks.overdue),
    "witness_policy_cache_expiration": (f"{RARE}s", looks.running),
    "enable_unpublished_operation_store": (True, looks.resolved_early),
    "unpublished_operation_store_operation_types": ("update", looks.resolved_early),
    "unpublished_operation_lifetime": (f"{RARE}s", looks.running),
    "include_published_operations_in_metadata": (True, looks.told_operations),
    "include_unpublished_operations_in_metadata": (True, looks.told_operations),
    "cas_type": ("ipfs", looks.contents),
    "cid_version": ("0", looks.contents),
    "ipfs_url": ("https://ipfs.example", looks.contents),
    "anchor_data_uri_media_type": ("application/json", looks.offered),
}

#: What must be said beside it.
BESIDE: dict[str, dict[str, Any]] = {
    "follow_accept_list": {"follow_auth_policy": "accept-list"},
    "invite_witness_accept_list": {"invite_witness_auth_policy": "accept-list"},
    "op_queue_task_monitor_interval": {"op_queue_task_expiration": "10m"},
    "unpublished_operation_store_operation_types": {"enable_unpublished_operation_store": True},
    "unpublished_operation_lifetime": {"enable_unpublished_operation_store": True},
    "cid_version": {"cas_type": "ipfs"},
}

#: Those that can say one thing only, and something else that they are told.
REFUSED: dict[str, Any] = {
    "mq_pool": 7,
    "mq_publisher_confirm_delivery": False,
    "sidetree_protocol_versions": "1.0,9.9",
    "current_sidetree_protocol_version": "9.9",
}


def test_no_parameter_is_left_out() -> None:
    assert EFFECTS.keys() | REFUSED.keys() == PARAMETERS.keys()
    assert not EFFECTS.keys() & REFUSED.keys()


@pytest.mark.parametrize("name", EFFECTS)
def test_a_parameter_has_an_effect(name: str, tmp_path: Path) -> None:
    value, look = EFFECTS[name]
    beside = BESIDE.get(name, {})
    told: dict[str, Any] = {**beside, name: str(tmp_path / "key.pem") if value == "KEY" else value}
    without, with_it = DidParameters(**beside), DidParameters(**told)
    assert getattr(with_it, name) != PARAMETERS[name].default
    assert look(with_it, tmp_path / "with it") != look(without, tmp_path / "without")


@pytest.mark.parametrize(
    "look", dict.fromkeys(look for _, look in EFFECTS.values()), ids=lambda look: look.__name__
)
def test_a_look_shows_the_parameters_and_nothing_else(look: Look, tmp_path: Path) -> None:
    assert look(DidParameters(), tmp_path / "one") == look(DidParameters(), tmp_path / "another")


@pytest.mark.parametrize(("name", "value"), REFUSED.items())
def test_a_parameter_without_an_effect_is_refused(name: str, value: Any) -> None:
    with pytest.raises(BadSetting) as caught:
        DidParameters(**{name: value})
    assert caught.value.setting == name
