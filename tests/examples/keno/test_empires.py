from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
import pytest
from sqlalchemy import select

from examples.keno.empires import found_empire, known_empire, status_of
from examples.keno.rules import FIRST_ORE, KINDS
from examples.keno.tables import empires
from penstock.errors import RequestRefused
from tests.examples.keno.stage import founded, on_stage

if TYPE_CHECKING:
    from pathlib import Path


def test_an_empire_has_a_planet_of_its_own_and_comes_back_with_its_password(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            first, second = await founded(stage, "Lacuna"), await founded(stage, "Antigen")
            assert first.home_id != second.home_id
            assert known_empire(stage.game, "Lacuna", "long enough") == first
            for name, password in (("Lacuna", "wrong enough"), ("Nobody", "long enough"), ("Nobody", "")):
                with pytest.raises(RequestRefused, match="no empire has this name and this password"):
                    known_empire(stage.game, name, password)
            with stage.game.read() as connection:
                kept = connection.execute(select(empires.c.password)).scalars().all()
            assert len(set(kept)) == 2
            assert not any("long enough" in each for each in kept)

    asyncio.run(story())


REFUSED = [
    ("Lacuna", "long enough", 409),
    ("X", "long enough", 400),
    ("<script>", "long enough", 400),
    ("x" * 31, "long enough", 400),
    ("Fine", "short", 400),
]


def test_a_name_is_a_name_that_no_other_has_and_a_password_is_long(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            await founded(stage, "Lacuna")
            for name, password, status in REFUSED:
                with pytest.raises(RequestRefused) as refused:
                    await stage.write(found_empire, name, password)
                assert refused.value.status == status

    asyncio.run(story())


def test_the_status_is_all_that_an_empire_has_and_nothing_of_others(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            await founded(stage, "Other")
            status = msgspec.to_builtins(status_of(stage.game, empire.empire_id))
            [planet] = status["planets"]
            assert (planet["body_id"], planet["ore"]) == (empire.home_id, FIRST_ORE)
            assert [each["kind"] for each in planet["buildings"]] == list(KINDS)
            assert status["fleets"] == []
            assert status["now"] == stage.game.clock.now()
            with pytest.raises(RequestRefused, match="there is no empire 99"):
                status_of(stage.game, 99)

    asyncio.run(story())
