from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.domain import Places
from penstock.did.parameters import PARAMETERS, DidParameters
from penstock.errors import BadSetting
from tests.did.domain.helpers import places_in

if TYPE_CHECKING:
    from pathlib import Path

#: One of every kind that parameters have.
GIVEN: dict[str, Any] = {
    "host_url": "[::1]:443",
    "operator_token": "t0ken",
    "private_key_file": "/keys/orb.pem",
    "allowed_origins": "https://a.example,https://b.example",
    "enable_dev_mode": "true",
    "max_witness_delay": "1m30s",
    "batch_writer_timeout": "2s",
    "op_queue_repost_multiplier": "1.1",
    "unpublished_operation_store_operation_types": "create",
    "current_sidetree_protocol_version": "1.0",
}


def test_places_come_back_from_json_as_they_were(tmp_path: Path) -> None:
    places = places_in(tmp_path, "orb2", base="https://orb.example", **GIVEN)
    assert Places.from_json(places.to_json()) == places


def test_only_what_is_not_usual_goes_along(tmp_path: Path) -> None:
    told = json.loads(places_in(tmp_path, max_clock_skew="30s").to_json())["parameters"]
    assert told["max_clock_skew"] == 30.0
    assert "max_witness_delay" not in told
    assert set(told) < set(PARAMETERS)


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    assert "s3cret" not in repr(places_in(tmp_path))


def test_names_follow_from_the_places(tmp_path: Path) -> None:
    places = places_in(tmp_path, "orb2", base="http://127.0.0.1:8327")
    assert places.iris.service == "http://127.0.0.1:8327/services/orb"
    assert places.queues.operation == "orb2.operation"
    assert places.method.namespace == "did:orb"
    assert places.method.domain == "127.0.0.1:8327"


def test_what_is_taken_in_may_be_less_than_what_is_read(tmp_path: Path) -> None:
    places = places_in(tmp_path, enabled_patches="add-public-keys,add-services")
    assert places.intake_method.protocols.current().patches == {"add-public-keys", "add-services"}
    assert "replace" in places.method.protocols.current().patches
    assert places_in(tmp_path).intake_method.protocols.versions == places.method.protocols.versions


@pytest.mark.parametrize(
    ("change", "because"),
    [
        (lambda told: [told], "Expected"),
        (lambda told: {**told, "base": 7}, "Expected"),
        (lambda told: {name: told[name] for name in told if name != "key"}, "key"),
        (lambda told: {**told, "parameters": {"op_queue_pol": 5}}, "op_queue_pol, unknown here"),
        (lambda told: {**told, "parameters": {"op_queue_pool": "many"}}, "not a whole number"),
    ],
    ids=["no-object", "no-text", "a-member-missing", "unknown-parameter", "bad-parameter"],
)
def test_what_is_no_places_is_refused(tmp_path: Path, change: Any, because: str) -> None:
    told = json.loads(places_in(tmp_path).to_json())
    with pytest.raises(BadSetting, match=because):
        Places.from_json(json.dumps(change(told)))


def test_the_parameters_may_be_left_as_they_are() -> None:
    places = Places(base="https://a.example", database="sqlite://", storage="cas", broker="x", key="key.pem")
    assert places.parameters == DidParameters()
    assert Places.from_json(places.to_json()) == places
