from __future__ import annotations

from typing import Any

import pytest

from penstock.did.parameters import OTHER_NAMES, PARAMETERS, DidParameters, flag_of, variable_of
from penstock.messaging import Rejecting

#: Orb's table of 2022; what came later, as Orb 1.0 has it.
DEFAULTS = {
    "mq-url": "none",
    "mq-connect-max-retries": "25",
    "mq-observer-pool": "5",
    "mq-outbox-pool": "5",
    "mq-inbox-pool": "5",
    "mq-anchor-linkset-pool": "5",
    "op-queue-pool": "5",
    "mq-max-connection-subscriptions": "1000",
    "mq-publisher-channel-pool-size": "25",
    "mq-publisher-confirm-delivery": "true",
    "mq-redelivery-max-attempts": "20",
    "mq-redelivery-initial-interval": "2s",
    "mq-redelivery-multiplier": "1.5",
    "mq-redelivery-max-interval": "30s",
    "op-queue-task-monitor-interval": "10s",
    "op-queue-task-expiration": "30s",
    "op-queue-max-reposts": "20",
    "op-queue-repost-initial-delay": "5s",
    "op-queue-repost-max-delay": "1m",
    "op-queue-repost-multiplier": "1.5",
    "op-queue-max-ops-to-repost": "none",
    "op-queue-operation-lifespan": "none",
    "op-queue-acked-lifespan": "24h",
    "op-queue-max-contiguous-operations-with-err": "10000",
    "op-queue-max-contiguous-operations-without-err": "10000",
    "batch-writer-timeout": "60000",
    "task-manager-check-interval": "10s",
    "data-expiry-check-interval": "1m",
    "max-witness-delay": "10m",
    "max-clock-skew": "1m",
    "witness-store-expiry-period": "12m",
    "anchor-status-monitoring-interval": "5s",
    "anchor-status-in-process-grace-period": "30s",
    "anchor-status-max-records": "500",
    "witness-policy-cache-expiration": "30s",
    "enable-unpublished-operation-store": "false",
    "unpublished-operation-store-operation-types": "create,update",
    "unpublished-operation-lifetime": "5m",
    "cas-type": "local",
    "cid-version": "1",
    "ipfs-url": "none",
    "anchor-data-uri-media-type": "application/gzip;base64",
    "sidetree-protocol-versions": "1.0",
    "current-sidetree-protocol-version": "none",
    "external-endpoint": "none",
    "host-url": "none",
    "database-url": "none",
    "enable-dev-mode": "false",
    "allowed-origins": "*",
    "allowed-origins-cache-expiration": "1m",
    "follow-auth-policy": "accept-all",
    "invite-witness-auth-policy": "accept-all",
    "sync-interval": "1m",
    "sync-min-activity-age": "1m",
}


@pytest.mark.parametrize(("flag", "default"), DEFAULTS.items())
def test_each_parameter_has_the_seeds_default(flag: str, default: str) -> None:
    parameter = PARAMETERS[flag.replace("-", "_")]
    assert parameter.shown_default == default
    assert flag_of(parameter.name) == f"--{flag}"
    assert variable_of(parameter.name) == flag.upper().replace("-", "_")


def test_every_other_name_is_a_parameters() -> None:
    assert set(OTHER_NAMES.values()) <= set(PARAMETERS)
    assert not {other.replace("-", "_") for other in OTHER_NAMES} & set(PARAMETERS)


def test_the_defaults_go_together() -> None:
    parameters = DidParameters()
    assert parameters.batch_timeout_s == 60
    # Orb's page: the current time, the batch writer's timeout and a minute.
    assert parameters.operation_lifespan_s == 120
    assert isinstance(parameters.retry, Rejecting)


def test_operations_are_posted_anew_after_the_seeds_delays() -> None:
    reposting = DidParameters().reposting
    assert reposting.max_attempts == 20
    waits = [reposting.interval(retries) for retries in range(9)]
    assert waits == [0, 5, 7.5, 11.25, 16.875, 25.3125, 37.96875, 56.953125, 60]


def test_values_are_read_however_the_parameters_are_made() -> None:
    given: Any = {"op_queue_task_expiration": "1m30s", "op_queue_operation_lifespan": "24h"}
    parameters = DidParameters(**given)
    assert parameters.op_queue_task_expiration == 90
    assert parameters.operation_lifespan_s == 86_400
