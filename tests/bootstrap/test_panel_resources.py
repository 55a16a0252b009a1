"""Resources as a broker's settings name them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.bootstrap.panel_resources import open_resources
from penstock.errors import BadSetting, LoginRefused
from penstock.server.embedded import Embedded
from penstock.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.panel.own import Resources


async def resources_of(**settings: Any) -> tuple[Embedded, Resources]:
    embedded = await Embedded.start(Settings(amqp=(), **settings))
    return embedded, await open_resources(embedded)


def test_without_settings_there_are_workers_alone() -> None:
    async def story() -> None:
        embedded, resources = await resources_of()
        assert await resources.demand("workers").listed() == []
        others = ("dead_letters", "outbox", "schedules", "topology", "pipelines", "batches", "lives")
        assert [name for name in others if getattr(resources, name) is not None] == []
        await resources.close()
        await embedded.close()

    asyncio.run(story())


def test_what_the_settings_name_is_there(tmp_path: Path) -> None:
    async def story() -> None:
        embedded, resources = await resources_of(
            panel_dead_letters=f"sqlite:///{tmp_path}/letters.db",
            panel_outbox=f"sqlite:///{tmp_path}/app.db",
            panel_schedules=f"sqlite:///{tmp_path}/schedules.db",
            panel_did=f"sqlite:///{tmp_path}/did.db",
            panel_pipelines=tmp_path,
            panel_topology=tmp_path / "topology.toml",
            message_lives="on",
        )
        assert await resources.demand("dead_letters").looking.find() == []
        assert resources.demand("dead_letters").vhost == "/"
        assert (await (await resources.demand("dead_letters").sending()).groups()) == []
        assert await resources.demand("schedules").listed(10) == []
        assert await resources.demand("pipelines").listed() == []
        assert resources.demand("topology").vhost == "/"
        assert embedded.teller is not None
        assert embedded.teller.also is not None
        assert all(resources.demand(name) for name in ("outbox", "batches", "lives"))
        await resources.close()
        await embedded.close()

    asyncio.run(story())


def test_a_url_that_cannot_be_read_is_told_before_anything_is_served() -> None:
    async def story() -> None:
        embedded = await Embedded.start(Settings(amqp=(), panel_dead_letters="nonsense"))
        with pytest.raises(BadSetting):
            await open_resources(embedded)
        await embedded.close()

    asyncio.run(story())


def test_a_default_user_with_another_password_must_be_named() -> None:
    async def story() -> None:
        embedded, resources = await resources_of()
        embedded.front.access.realm.users.change_password("guest", "another")
        with pytest.raises(LoginRefused):
            await resources.demand("workers").listed()
        await resources.close()
        await embedded.close()

    asyncio.run(story())


def test_letters_are_of_the_virtual_host_that_they_are_sent_to() -> None:
    async def story() -> None:
        embedded, resources = await resources_of(
            panel_dead_letters="sqlite://", panel_broker="amqp://sender:secret@localhost/shop"
        )
        assert resources.demand("dead_letters").vhost == "shop"
        await resources.close()
        await embedded.close()

    asyncio.run(story())
