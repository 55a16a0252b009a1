from __future__ import annotations

import ssl
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from penstock.client import BrokerUrl, ClientSettings, connect
from penstock.client.dialing import tls_context
from penstock.errors import BadUrl, LoginRefused, NotConnected
from tests.client.support import PATIENCE_S, story
from tests.server.certified import Authority
from tests.servers import penstock
from tests.servers.running import HOST, Running, _accepts, _comes_true, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ONCE = ClientSettings(connect_max_retries=0)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def secured(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A broker that speaks TLS on the port of the Running, and believes certificates of the authority."""
    certificate, key = authority.issue("broker")
    port = free_port()
    options = {
        "--amqps": f"{HOST}:{port}",
        "--amqps-certificate": certificate,
        "--amqps-key": key,
        "--amqps-client-ca": authority.file,
        "--amqps-login-from": "common_name",
    }
    arguments = [str(word) for pair in options.items() for word in pair]
    running = penstock.start(tmp_path_factory.mktemp("secured"), *arguments)
    assert _comes_true(lambda: _accepts(port), within_s=PATIENCE_S)
    yield Running(name="penstock", port=port, processes=running.processes)
    running.end()


def url(secured: Running, login: str = "guest:guest@", **parameters: object) -> str:
    return f"amqps://{login}{HOST}:{secured.port}?{urlencode(parameters)}"


@story
async def test_a_broker_of_a_trusted_authority_is_spoken_to_over_tls(
    secured: Running, authority: Authority
) -> None:
    client = await connect(url(secured, cacertfile=authority.file), settings=ONCE)
    assert client.server.product == "Penstock"
    await client.close()


@story
async def test_one_that_nobody_trusts_is_not(secured: Running) -> None:
    with pytest.raises(NotConnected, match="certificate"):
        await connect(url(secured), settings=ONCE)
    client = await connect(url(secured, verify="verify_none"), settings=ONCE)
    await client.close()


@story
async def test_one_of_another_name_is_not(secured: Running, authority: Authority) -> None:
    other = url(secured, cacertfile=authority.file, server_name_indication="elsewhere")
    with pytest.raises(NotConnected, match="elsewhere"):
        await connect(other, settings=ONCE)


@story
async def test_a_certificate_is_a_login(secured: Running, authority: Authority) -> None:
    for name in ("guest", "nobody"):
        certificate, key = authority.issue(name)
        external = url(
            secured,
            "",
            cacertfile=authority.file,
            certfile=certificate,
            keyfile=key,
            auth_mechanism="external",
        )
        if name == "guest":
            await (await connect(external, settings=ONCE)).close()
        else:
            with pytest.raises(LoginRefused):
                await connect(external, settings=ONCE)


def test_files_that_cannot_be_used_are_named(tmp_path: Path, authority: Authority) -> None:
    with pytest.raises(BadUrl, match="cacertfile /nowhere cannot be used"):
        tls_context(BrokerUrl(ca_file="/nowhere"))
    with pytest.raises(BadUrl, match="certfile /nowhere with keyfile None"):
        tls_context(BrokerUrl(certificate="/nowhere"))
    certificate, key = authority.issue("locked", password="secret")  # noqa: S106 (nobody's)
    with pytest.raises(BadUrl, match="cannot be used"):
        tls_context(BrokerUrl(certificate=str(certificate), key=str(key)))


def test_old_protocols_are_not_spoken() -> None:
    assert tls_context(BrokerUrl()).minimum_version is ssl.TLSVersion.TLSv1_2
