from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.wire.amqp.methods import (
    AccessRequest,
    AccessRequestOk,
    ChannelFlow,
    ChannelFlowOk,
    ConnectionUpdateSecret,
    ConnectionUpdateSecretOk,
)

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client


def test_messages_may_flow(client: Client) -> None:
    assert client.ask(ChannelFlow(active=True)) == ChannelFlowOk(active=True)


def test_messages_may_not_be_stopped(client: Client) -> None:
    assert client.refused(ChannelFlow(active=False)) == (540, "NOT_IMPLEMENTED - active=false")


def test_a_secret_is_renewed(client: Client) -> None:
    answer = client.ask(ConnectionUpdateSecret(b"new", "it is time"), channel=0)
    assert answer == ConnectionUpdateSecretOk()


def test_access_is_always_granted(client: Client) -> None:
    assert client.ask(AccessRequest()) == AccessRequestOk()
