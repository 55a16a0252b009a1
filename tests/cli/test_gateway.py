"""penstock gateway, as a person uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli import gateway_process
from penstock.cli.app import app
from penstock.settings.address import Address
from penstock.workers.gateway import ClientRoute, Session, SessionTokens

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

SECRET = b"s" * 32


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was run, in place of running it."""
    found: list[Any] = []
    monkeypatch.setattr(gateway_process, "run_gateway", lambda *given, **more: found.append((*given, more)))
    monkeypatch.delenv("MQ_URL", raising=False)
    return found


@pytest.fixture
def secret(tmp_path: Path) -> str:
    (tmp_path / "secret").write_bytes(SECRET)
    return str(tmp_path / "secret")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["gateway", *arguments])


def test_options_say_what_clients_may_do(ran: list[Any], secret: str) -> None:
    options = [
        "--url",
        "amqp://broker",
        "--listen",
        ":9000",
        "--name",
        "a",
        "--origin",
        "https://game.example",
    ]
    options += ["--channel", "ps_building", "--route", "/fleet/send=bg_fleet", "--room", "planet:*"]
    assert invoke(*options, "--secret", secret, "--certificate", "c.pem").exit_code == 0
    [(url, policy, settings, tls)] = ran
    assert url == "amqp://broker"
    assert policy.routes == {"/fleet/send": ClientRoute(queue="bg_fleet")}
    assert policy.may_join(Session(user_id=3), "planet:5") is True
    assert policy.check_token(SessionTokens(SECRET).issue(3)).user_id == 3
    assert (settings.address, settings.name) == (Address("", 9000), "a")
    assert (settings.origins, settings.channels) == ({"https://game.example"}, ("ps_building",))
    assert str(tls["certificate"]) == "c.pem"


def test_a_policy_of_the_application_is_found_by_name(
    ran: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "from penstock.workers.gateway import Policy, Session\npolicy = Policy(check_token=Session)\n"
    (tmp_path / "module_of_gateway.py").write_text(text)
    assert invoke("module_of_gateway:policy").exit_code == 0
    [(url, policy, settings, _)] = ran
    assert (url, policy.check_token, settings.address.port) == (None, Session, 8100)
    result = invoke("module_of_gateway:Policy")
    assert (result.exit_code, "is a Policy" in result.output) == (2, True)


def test_a_token_is_printed_for_a_user(secret: str) -> None:
    result = invoke("--secret", secret, "--token-for", "ali")
    assert SessionTokens(SECRET)(result.output.strip()).user_id == "ali"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "name a file with --secret"),
        (["--secret", "/nowhere"], "the secret cannot be read"),
        (["--secret", "SECRET", "--listen", "here"], "is not an address"),
        (["--secret", "SECRET", "--route", "/a"], "a route is given like"),
        (["nothing"], "a policy is named like"),
    ],
    ids=range(5),
)
def test_what_cannot_be_is_told_in_one_line(
    ran: list[Any], secret: str, options: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.cli.gateway.load_module", lambda name: None)
    result = invoke(*(secret if each == "SECRET" else each for each in options))
    assert (result.exit_code, ran) == (2, [])
    assert told in result.output


def test_without_its_library_it_is_told_what_to_install(
    ran: list[Any], secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.cli.gateway.find_spec", lambda name: None)
    result = invoke("--secret", secret)
    assert (result.exit_code, ran) == (2, [])
    assert 'pip install "penstock[websocket]"' in result.output
