"""The plugin in a pytest of its own: with nobody else who runs coroutines, and with somebody who does."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]

#: Whoever has Penstock installed has the plugin by its entry point; here it is named.
PLUGIN = ("-p", "no:penstock", "-p", "no:randomly", "-p", "penstock.testing.plugin")
#: Nothing is left open; that this very process has the plugin already is no news.
STRICT = ("-W", "error", "-W", "ignore::pytest.PytestAssertRewriteWarning")

TESTS = """
    import asyncio
    import pytest

    from penstock.client import Outgoing, Queue
    from penstock.wire.amqp import BasicProperties

    async def use(broker):
        client = await broker.connect()
        await client.declare(Queue("q", durable=True))
        await client.publish(Outgoing("", "q", b"", BasicProperties.of(headers={"x-delay": 86_400_000})))
        await broker.advance("1 day")
        assert broker.queue("q").count("ready") == 1

    @pytest.fixture
    def answer():
        return 42

    async def test_it_runs(penstock_broker, answer):
        assert answer == 42
        await use(penstock_broker)

    class TestMore:
        @pytest.mark.parametrize("number", [1, 2])
        async def test_it_is_another_one(self, number, penstock_broker):
            assert penstock_broker.clock.now() == 1_893_456_000
            await use(penstock_broker)

    def test_a_plain_test_opens_it_itself(penstock_broker):
        async def story():
            async with penstock_broker:
                await use(penstock_broker)

        asyncio.run(story())
"""


def test_a_test_finds_the_broker_running(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    pytester.runpytest(*PLUGIN, *STRICT).assert_outcomes(passed=4)


def test_a_test_that_fails_says_so_and_ends_its_broker(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        async def test_it_fails(penstock_broker):
            await penstock_broker.connect()
            assert 1 == 2

        async def test_it_takes_too_long(penstock_broker):
            penstock_broker.probes.append(lambda: True)
            await penstock_broker.settled(0.01)
    """)
    result = pytester.runpytest(*PLUGIN, *STRICT)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*assert 1 == 2", "*TimeoutError: not settled after 0.01 s: busy: *"])


def test_its_settings_can_be_others(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest
        from penstock.client import Queue
        from penstock.settings import Settings

        @pytest.fixture
        def penstock_settings():
            return Settings(default_vhost="shop")

        async def test_it_is_another_house(penstock_broker):
            assert penstock_broker.url.endswith("/shop")
            client = await penstock_broker.connect()
            await client.declare(Queue("q"))
            assert penstock_broker.queue("q").depth == 0
    """)
    pytester.runpytest(*PLUGIN).assert_outcomes(passed=1)


def test_who_runs_coroutines_goes_on_doing_so(pytester: pytest.Pytester) -> None:
    # As anyio does it.
    pytester.makeconftest("""
        import asyncio
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_pyfunc_call(pyfuncitem):
            with asyncio.Runner() as runner:
                runner.get_loop().is_theirs = True
                runner.run(pyfuncitem.obj(penstock_broker=pyfuncitem.funcargs["penstock_broker"]))
            return True
    """)
    pytester.makepyfile("""
        import asyncio

        async def test_it_runs_in_their_loop(penstock_broker):
            assert asyncio.get_running_loop().is_theirs
            await penstock_broker.connect()
    """)
    pytester.runpytest(*PLUGIN).assert_outcomes(passed=1)


def test_other_coroutines_are_not_its_business(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("async def test_it(): pass")
    result = pytester.runpytest(*PLUGIN)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*async def functions are not natively supported*"])


def test_pytest_finds_it_and_a_start_costs_nothing() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"penstock": "penstock.testing.plugin"}
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, penstock.testing.plugin; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    ours = {name for name in loaded if name.startswith("penstock")}
    assert ours == {"penstock", "penstock.testing", "penstock.testing.plugin"}
