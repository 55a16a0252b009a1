"""An application whose broker, database, network and own process fail: nothing is lost, nothing done twice.

What must be so at the end of every test is in `World.check`.
"""

from __future__ import annotations

import random
import signal
import time
from typing import TYPE_CHECKING

import pytest

from tests.faults.proxy import Weather
from tests.faults.steps import STEPS
from tests.faults.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Seconds that something is away: long enough for publishes to miss their deadline.
AWAY_S = 1.5


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, real_program: Callable[[str], object]) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    with World(real_program("rabbitmq"), real_program("postgresql"), folder) as world:
        yield world


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_broker_that_dies_and_comes_back(world: World, end: str) -> None:
    with world.at_work():
        getattr(world.rabbit, end)()
        time.sleep(AWAY_S)
        world.rabbit.start()
    assert "PublishTimeout" in world.ends()


def test_a_broker_that_blocks(world: World) -> None:
    with world.at_work():
        before = len(world.pulses())
        world.rabbit.control("set_vm_memory_high_watermark", "absolute", "1")
        world.until(
            lambda: "PublishTimeout" in {end for _, end, _ in world.pulses()[before:]}, "a blocked publish"
        )
        world.rabbit.control("set_vm_memory_high_watermark", "0.9")


@pytest.mark.parametrize("weather", [Weather.CUT, Weather.SILENT, Weather.SLOW])
def test_a_bad_network(world: World, weather: Weather) -> None:
    with world.at_work(url=world.proxied_url):
        world.proxy.turn(weather)
        time.sleep(AWAY_S)
        world.proxy.turn(Weather.FINE)
        world.goes_on()
        world.proxy.reset()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_database_that_restarts(world: World, number: int) -> None:
    with world.at_work():
        world.crash_database(number)
        time.sleep(AWAY_S)
        world.start_database()


@pytest.mark.parametrize("step", list(STEPS))
def test_an_application_killed_between_two_steps(world: World, step: str) -> None:
    for nth in (1, random.randrange(2, 12)):
        life = world.begin(step, nth)
        assert life.wait() == -signal.SIGKILL
    with world.at_work():
        pass


def kill_again_and_again(world: World, rounds: int) -> None:
    for _ in range(rounds):
        life = world.begin()
        time.sleep(random.uniform(0.1, 1.0))
        life.kill()
    with world.at_work():
        pass


def test_an_application_killed_at_random(world: World) -> None:
    kill_again_and_again(world, 5)
