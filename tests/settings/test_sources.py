from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock.errors import BadSetting, SettingsError, UnknownSetting
from penstock.settings import Address, Settings, load
from tests.test_docs import ROOT, blocks

HOW_TO = (ROOT / "docs" / "howto" / "secure-a-broker.md").read_text()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "penstock.toml"
    path.write_text(
        """
        heartbeat = 30
        max_queues = 10
        channel_max = 100
        amqp = ["127.0.0.1:1", "[::1]:1"]
        memory_limit = 0.4
        failure_rule = 4.2
        data = "data"
        amqps_certificate = "/etc/broker.pem"

        [templates.jobs]
        persistent = true

        [proxies.audit]
        class = "FANOUT"
        """
    )
    return path


def test_nothing_given_is_every_default() -> None:
    assert load() == Settings()


def test_a_file_is_read_with_its_own_types_and_tables(file: Path) -> None:
    settings = load(config=file)
    assert settings.amqp == (Address("127.0.0.1", 1), Address("::1", 1))
    assert (settings.memory_limit, settings.failure_rule) == (0.4, "4.2")
    assert settings.templates == {"jobs": {"persistent": True}}
    assert settings.proxies == {"audit": {"class": "FANOUT"}}


def test_a_relative_path_is_meant_from_the_folder_of_the_file(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    settings = load(config=file)
    assert settings.data == tmp_path / "data"
    assert settings.amqps_certificate == Path("/etc/broker.pem")


def test_the_later_wins(file: Path) -> None:
    settings = load(
        config=file,
        environ={"PENSTOCK_MAX_QUEUES": "20", "PENSTOCK_CHANNEL_MAX": "200", "PATH": "/bin"},
        arguments={"channel_max": "300", "max_queues": None},
    )
    assert (settings.heartbeat, settings.max_queues, settings.channel_max) == (30, 20, 300)


def test_the_environment_can_name_the_file(file: Path) -> None:
    assert load(environ={"PENSTOCK_CONFIG": str(file)}).heartbeat == 30


def test_a_file_on_the_command_line_wins_over_the_environments(file: Path) -> None:
    assert load(config=file, environ={"PENSTOCK_CONFIG": "/nowhere.toml"}).heartbeat == 30


def test_texts_are_understood_everywhere() -> None:
    settings = load(
        environ={"PENSTOCK_STREAM_OVER": "128KiB", "PENSTOCK_AMQP": ":1, :2"},
        arguments={"memory_limit": "40%", "handshake_timeout": "5s", "loopback_users": "none"},
    )
    assert (settings.stream_over, settings.memory_limit) == (131072, 0.4)
    assert settings.amqp == (Address("", 1), Address("", 2))
    assert (settings.handshake_timeout, settings.loopback_users) == (5.0, ())


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"environ": {"PENSTOCK_HARTBEAT": "5"}}, r"PENSTOCK_HARTBEAT.*did you mean PENSTOCK_HEARTBEAT\?"),
        ({"environ": {"PENSTOCK_CONFG": "x"}}, r"did you mean PENSTOCK_CONFIG\?"),
        ({"arguments": {"zzz": "5"}}, r"no setting zzz \(the command line\): see docs"),
        ({"arguments": {"heart_beat": "5"}}, r"did you mean heartbeat\?"),
    ],
)
def test_an_unknown_name_is_an_error_that_names_the_nearest(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UnknownSetting, match=complaint):
        load(**given)


@pytest.mark.parametrize(
    ("text", "error", "complaint"),
    [
        ("heart = 5", UnknownSetting, r"no setting heart \(.*penstock\.toml\): did you mean heartbeat\?"),
        ("[template.x]", UnknownSetting, r"did you mean templates\?"),
        ("heartbeat = -5", BadSetting, r"^heartbeat \(.*penstock\.toml\): "),
        ("heartbeat = ", SettingsError, "penstock.toml is not TOML: Invalid value"),
        ("templates = 5", SettingsError, r"write each as a table of its own, \[templates\.NAME\]"),
        ("[templates]\nx = 5", SettingsError, "write each as a table"),
        ("\x80", SettingsError, "is not TOML"),
    ],
)
def test_a_mistake_in_the_file_says_where(
    text: str, error: type[Exception], complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / "penstock.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(error, match=complaint):
        load(config=file)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(SettingsError, match=r"cannot read the settings file /no/such\.toml: No such file"):
        load(config=Path("/no/such.toml"))


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (
            {"environ": {"PENSTOCK_HEARTBEAT": "x"}},
            r"^heartbeat \(PENSTOCK_HEARTBEAT\): 'x' is not a duration",
        ),
        ({"arguments": {"heartbeat": "x"}}, r"^heartbeat \(--heartbeat\): "),
    ],
)
def test_a_bad_value_says_where_it_was_set(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint):
        load(**given)


@pytest.mark.parametrize(
    "variable",
    [
        "PENSTOCK_SERVICE_HOST",
        "PENSTOCK_SERVICE_PORT",
        "PENSTOCK_SERVICE_PORT_AMQP",
        "PENSTOCK_PORT",
        "PENSTOCK_PORT_5672_TCP",
        "PENSTOCK_PORT_5672_TCP_ADDR",
        "PENSTOCK_AMQP_PORT",
    ],
)
def test_what_kubernetes_says_about_a_service_called_penstock_is_no_setting(variable: str) -> None:
    assert load(environ={variable: "tcp://10.0.0.1:5672"}) == Settings()


def test_where_the_cache_is_does_not_concern_a_broker() -> None:
    assert load(environ={"PENSTOCK_CACHE": "/var/cache/penstock"}) == Settings()


@pytest.mark.parametrize("text", [block.text for block in blocks(HOW_TO) if block.language == "toml"])
def test_the_settings_in_the_how_to_can_be_loaded(text: str, tmp_path: Path) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text(text)
    assert load(config=file) != Settings()
