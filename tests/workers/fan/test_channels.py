from __future__ import annotations

import pytest

from penstock.client import Binding, Exchange
from penstock.errors import BadChannel
from penstock.workers.fan.channels import channel_of, channel_topology, checked, new_pipe, pipe_topology


@pytest.mark.parametrize("pipe", ["ps_building_1", "ps_building_gateway-1", "ps_a_b_c_17"])
def test_a_pipe_is_called_after_its_channel(pipe: str) -> None:
    assert channel_of(pipe) == pipe.rpartition("_")[0]


@pytest.mark.parametrize(
    "pipe", ["ps_building", "bg_building_1", "ps__", "", "ps_x_1\n", "ps_x_ä", "xps_a_1"]
)
def test_other_queues_are_no_pipes(pipe: str) -> None:
    with pytest.raises(BadChannel, match="is no pipe"):
        channel_of(pipe)


@pytest.mark.parametrize("channel", ["building", "ps_", "amq.fanout", "ps_ä", "ps_" + "x" * 151])
def test_other_exchanges_are_no_channels(channel: str) -> None:
    with pytest.raises(BadChannel, match="is no channel"):
        checked(channel)


def test_pipes_without_a_name_get_numbers_that_no_other_has() -> None:
    made = {new_pipe("ps_building") for _ in range(100)}
    assert len(made) == 100
    assert {channel_of(pipe) for pipe in made} == {"ps_building"}
    assert all(pipe.rpartition("_")[2].isdigit() for pipe in made)


def test_a_channel_is_a_fanout_exchange() -> None:
    assert channel_topology("ps_building").exchanges == (Exchange("ps_building", "fanout"),)


def test_a_pipe_is_a_queue_with_a_lease_bound_to_its_channels_once_each() -> None:
    topology = pipe_topology("ps_a_1", ("ps_a", "ps_b"), lease=1.5, length=7)
    [queue] = topology.queues
    assert (queue.name, queue.durable, queue.exclusive, queue.auto_delete) == ("ps_a_1", True, False, False)
    assert queue.arguments == {"x-expires": 1500, "x-max-length": 7, "x-overflow": "drop-head"}
    assert topology.bindings == (Binding("ps_a", "ps_a_1"), Binding("ps_b", "ps_a_1"))
    assert {exchange.type for exchange in topology.exchanges} == {"fanout"}
