"""An application whose broker, database, network and own process fail: nothing is lost, nothing done twice.

What must be so at the end of every test is in `World.check`; that consumers resume by themselves, and that no
publish waits longer than its deadline, is waited for on the way.
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
    from pathlib import Path

    from tests.faults.world import Life

#: Seconds that something is away if nothing else says how long.
AWAY_S = 1.0
#: Seconds that the application lives before it is killed, at random.
LIVES = (0.2, 1.2)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, real_program: Callable[[str], Path]) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    with World(real_program("rabbitmq"), real_program("postgresql"), folder) as world:
        yield world


@pytest.fixture
def chance() -> random.Random:
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # noqa: T201  shown when it fails
    return random.Random(seed)


@pytest.mark.parametrize("end", ["kill", pytest.param("stop", marks=pytest.mark.soak)])
def test_a_broker_that_dies_and_comes_back(world: World, end: str) -> None:
    with world.at_work():
        getattr(world.rabbit, end)()
        world.gives_up()
        world.rabbit.start()


def test_a_broker_that_blocks(world: World) -> None:
    with world.at_work():
        world.rabbit.control("set_vm_memory_high_watermark", "absolute", "1")
        world.gives_up()
        world.rabbit.control("set_vm_memory_high_watermark", "0.9")


def test_a_network_that_cuts_and_delays(world: World) -> None:
    with world.at_work(url=world.proxied_url):
        for weather in (Weather.CUT, Weather.SILENT):
            world.proxy.turn(weather)
            world.gives_up()
            world.proxy.turn(Weather.FINE)
            world.goes_on()
        world.proxy.turn(Weather.SLOW)
        world.goes_on()
        world.proxy.turn(Weather.FINE)
        for _ in range(5):
            world.proxy.reset()
            time.sleep(AWAY_S / 5)


def test_a_broker_that_says_nothing(world: World) -> None:
    with world.at_work(url=world.patient_url):
        world.proxy.turn(Weather.SILENT)
        # What is sent is not confirmed, and nobody notices that the connection is gone.
        world.gives_up()
        world.proxy.turn(Weather.FINE)
        world.proxy.reset()


def test_a_database_that_restarts(world: World) -> None:
    with world.at_work():
        for how in (signal.SIGINT, signal.SIGKILL):
            world.crash_database(how)
            time.sleep(AWAY_S)
            world.start_database()
            world.goes_on()


def test_an_application_killed_between_any_two_steps(world: World, chance: random.Random) -> None:
    for step in chance.sample(list(STEPS), len(STEPS)):
        life = world.begin(step, chance.randrange(1, 9))
        assert life.wait() == -signal.SIGKILL, step
        assert world.books().doubles == [], step
    with world.at_work():
        pass


def test_applications_killed_at_random(world: World, chance: random.Random) -> None:
    kill_again_and_again(world, chance, 4)


@pytest.mark.soak
def test_applications_killed_at_random_for_long(world: World, chance: random.Random) -> None:
    kill_again_and_again(world, chance, 100)


def kill_again_and_again(world: World, chance: random.Random, rounds: int) -> None:
    """Two at a time: whenever one dies the other takes over."""
    lives = [world.begin(instance=number) for number in range(2)]
    for each in range(rounds):
        time.sleep(chance.uniform(*LIVES))
        number = each % 2
        lives[number].kill()
        lives[number] = world.begin(instance=number)
    world.goes_on()
    world.settle(*lives)
    world.check()


@pytest.mark.soak
def test_everything_at_once_for_long(world: World, chance: random.Random) -> None:
    """Faults in any order, one after another, while two applications are killed at any step."""
    chaos = Chaos(world, chance)
    for _ in range(8):
        lives = [chaos.begin(number) for number in range(2)]
        for _ in range(4):
            chaos.strike()
            time.sleep(chance.uniform(0, 1))
        for life in lives:
            life.kill()
        last = world.begin(url=world.proxied_url)
        world.goes_on()
        world.settle(last)
        world.check()


class Chaos:
    """Everything that can go wrong, by chance."""

    def __init__(self, world: World, chance: random.Random) -> None:
        self._world = world
        self._chance = chance

    def begin(self, number: int) -> Life:
        """An application that dies at some step, if it lives that long."""
        step, nth = self._chance.choice(["", *STEPS]), self._chance.randrange(1, 100)
        return self._world.begin(step, nth, url=self._world.proxied_url, instance=number)

    def strike(self) -> None:
        """Something breaks, and is mended."""
        world, chance = self._world, self._chance
        fault = chance.choice(["broker", "database", "connections", *Weather])
        match fault:
            case "broker":
                chance.choice([world.rabbit.kill, world.rabbit.stop])()
                world.rabbit.start()
            case "database":
                world.crash_database(chance.choice([signal.SIGINT, signal.SIGKILL]))
                world.start_database()
            case "connections":
                world.proxy.reset()
            case Weather():
                world.proxy.turn(fault)
                time.sleep(chance.uniform(0, 4))
                world.proxy.turn(Weather.FINE)
