from __future__ import annotations

import pytest

from penstock.errors import BadSetting
from penstock.settings.address import Address
from penstock.workers.fan import channel_of
from penstock.workers.gateway.settings import WEBSOCKET, GatewaySettings, Limits


@pytest.mark.parametrize("name", ["", "a", "a_b", "ä b/c", "x" * 300])
def test_a_gateways_pipe_is_one_of_the_channel_whatever_it_is_called(name: str) -> None:
    pipe = GatewaySettings(name=name).pipe
    assert channel_of(pipe) == WEBSOCKET
    assert GatewaySettings(name=name).pipe == pipe


def test_gateways_of_one_machine_differ_by_their_port() -> None:
    one, two = (GatewaySettings(address=Address("", port)).pipe for port in (1, 2))
    assert one != two


@pytest.mark.parametrize(
    "limits", [{"history_lasts": 1501}, {"history_lasts": 0}, {"history": 0}, {"history_in_all": 60_001}]
)
def test_a_history_that_the_broker_would_not_bear_is_refused(limits: dict[str, int]) -> None:
    with pytest.raises(BadSetting, match="history"):
        Limits(**limits)
