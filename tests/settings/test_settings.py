from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from penstock.errors import BadSetting
from penstock.settings import OPTIONS, Address, Settings
from penstock.wiring import Defaults


def test_without_a_word_a_broker_is_like_rabbitmq_on_this_machine_only() -> None:
    settings = Settings()
    assert settings.amqp == (Address("localhost", 5672),)
    assert settings.data is None
    assert (settings.channel_max, settings.frame_max, settings.heartbeat) == (2047, 131072, 60)
    assert (settings.default_user, settings.default_password, settings.default_vhost) == (
        "guest",
        "guest",
        "/",
    )
    assert settings.loopback_users == ("guest",)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_has_a_default_within_its_own_bounds(name: str) -> None:
    option = OPTIONS[name]
    assert option.kind.read(option.default) == option.default
    assert option.help.endswith(".")
    assert option.chapter


def test_every_field_is_an_option_or_a_table() -> None:
    assert {item.name for item in dataclasses.fields(Settings)} == {*OPTIONS, "templates", "proxies"}


def test_no_option_can_be_taken_for_a_variable_of_kubernetes() -> None:
    assert [name for name in OPTIONS if name.endswith("_port") or "_service_" in name] == []


def test_settings_do_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().heartbeat = 5  # type: ignore[misc]


def test_secrets_are_not_in_the_repr() -> None:
    shown = repr(Settings(default_password="hush-1", amqps_key_password="hush-2"))  # noqa: S106
    assert "hush" not in shown
    assert "default_user='guest'" in shown


@pytest.mark.parametrize(
    ("given", "setting", "complaint"),
    [
        ({"heartbeat": -1}, "heartbeat", "heartbeat"),
        ({"amqp": "nowhere"}, "amqp", "is not an address"),
        ({"failure_rule": "3.0"}, "failure_rule", "is not one of 4.3, 4.2"),
        ({"amqps": (Address("", 5671),)}, "amqps_certificate", "amqps needs amqps_certificate"),
        ({"beanstalks": (Address("", 11301),)}, "amqps_certificate", "beanstalks needs amqps_certificate"),
        ({"amqps_client_certificate": "required"}, "amqps_client_ca", "needs amqps_client_ca"),
    ],
)
def test_what_cannot_be_is_refused_also_from_a_program(
    given: dict[str, Any], setting: str, complaint: str
) -> None:
    with pytest.raises(BadSetting, match=complaint) as caught:
        Settings(**given)
    assert caught.value.setting == setting


def test_tls_with_all_it_needs_is_accepted() -> None:
    settings = Settings(
        amqps=(Address("", 5671),),
        amqps_certificate=Path("broker.pem"),
        amqps_client_ca=Path("ca.pem"),
        amqps_client_certificate="required",
    )
    assert settings.amqps_certificate == Path("broker.pem")


@pytest.mark.parametrize(("limit", "expected"), [(0.4, 400_000_000), (2 << 20, 2 << 20)])
def test_the_memory_limit_is_a_share_or_a_size(limit: float, expected: int) -> None:
    assert Settings(memory_limit=limit).memory_bytes(1_000_000_000) == expected


def test_the_failure_rule_says_whether_nack_counts() -> None:
    assert [Settings(failure_rule=rule).nack_counts for rule in ("4.3", "4.2")] == [False, True]


def test_the_tables_are_what_the_wiring_reads() -> None:
    settings = Settings(templates={"jobs": {"persistent": True}}, proxies={"audit": {"class": "FANOUT"}})
    defaults = Defaults.from_tables(settings.wiring)
    assert defaults.templates["jobs"].persistent
    assert defaults.proxies["audit"] == {"class_name": "FANOUT"}
