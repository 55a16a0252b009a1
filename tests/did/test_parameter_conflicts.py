from __future__ import annotations

from typing import Any

import pytest

from penstock.did.parameter_conflicts import CONFLICTS
from penstock.did.parameters import PARAMETERS, DidParameters
from penstock.errors import BadSetting


def test_what_is_refused_is_a_parameter_and_its_default_is_not() -> None:
    assert {conflict.setting for conflict in CONFLICTS} <= PARAMETERS.keys()
    assert not [conflict.setting for conflict in CONFLICTS if conflict.is_so(DidParameters())]


@pytest.mark.parametrize(
    ("values", "setting", "because"),
    [
        ({"mq_publisher_confirm_delivery": "false"}, "mq_publisher_confirm_delivery", "cannot be false"),
        (
            {"witness_store_expiry_period": "11m"},
            "witness_store_expiry_period",
            "more than max_witness_delay",
        ),
        ({"max_clock_skew": "2m"}, "witness_store_expiry_period", "more than max_witness"),
        ({"op_queue_repost_max_delay": "1s"}, "op_queue_repost_max_delay", "less than op_queue_repost_ini"),
        ({"op_queue_task_expiration": "10s"}, "op_queue_task_expiration", "would be taken for dead"),
        ({"enabled_patches": ""}, "enabled_patches", "must name one"),
        ({"sidetree_protocol_versions": ""}, "sidetree_protocol_versions", "must name one"),
        ({"sidetree_protocol_versions": "1.0,9.9"}, "sidetree_protocol_versions", "9.9: not one of 1.0"),
        ({"current_sidetree_protocol_version": "2.0"}, "current_sidetree_protocol_version", "not one of 1.0"),
        ({"mq_url": "amqp://b/", "mq_data": "queues"}, "mq_data", "mq_url names another broker"),
        ({"mq_url": "http://b/"}, "mq_url", "URLs like amqp://"),
        ({"mq_url": "amqp://b/,beanstalk://b/"}, "mq_url", "need exchanges"),
        ({"mq_url": "amqp://b:port/"}, "mq_url", "URLs like amqp://"),
        ({"follow": "nonsense"}, "follow", "names services"),
        ({"follow": "https://b.example,ftp://b.example/services/orb"}, "follow", "names services"),
        ({"invite_witness": "https://["}, "invite_witness", "names services"),
        (
            {"follow_auth_policy": "accept-list", "follow_accept_list": "b.example"},
            "follow_accept_list",
            "names services",
        ),
        ({"mq_pool": "7"}, "mq_pool", "has no effect: each queue"),
        ({"cid_version": "0"}, "cid_version", "unless cas_type is ipfs"),
        ({"follow_accept_list": "https://b"}, "follow_accept_list", "everybody is accepted"),
        ({"invite_witness_accept_list": "https://b"}, "invite_witness_accept_list", "everybody is accepted"),
        ({"mq_redelivery_max_interval": "1s"}, "mq_redelivery_max_interval", "less than mq_redelivery_ini"),
        ({"batch_writer_timeout": "-5"}, "batch_writer_timeout", "not a duration"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(values: dict[str, Any], setting: str, because: str) -> None:
    with pytest.raises(BadSetting, match=because) as caught:
        DidParameters(**values)
    assert caught.value.setting == setting


def test_a_neighbour_is_a_service_by_its_url_or_its_did() -> None:
    named = ("https://b.example/services/orb", "did:web:c.example:services:orb")
    assert DidParameters(follow=named, invite_witness=named).follow == named
