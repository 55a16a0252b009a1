"""The wanted topology against the broker's, over HTTP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.client import Exchange, Queue, connect
from penstock.panel.own import Resources
from penstock.panel.own.topology import TopologyDesk
from tests.panel.asgi import opened

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_missing_is_told_until_it_is_there(tmp_path: Path) -> None:
    file = tmp_path / "topology.toml"
    file.write_text('[exchanges.orders]\ntype = "topic"\n\n[queues.billing]\n')

    async def story() -> None:
        async with opened(resources=Resources(topology=TopologyDesk(file, "/"))) as guest:
            told = (await guest.get("/api/penstock/topology")).json
            assert not told["in_step"]
            changes = [(each["verb"], each["noun"], each["name"]) for each in told["changes"]]
            assert changes == [("create", "exchange", "orders"), ("create", "queue", "billing")]
            embedded = guest.panel.embedded
            client = await connect(embedded.url, dial=embedded.dial)
            await client.declare(Exchange("orders", "topic"), Queue("billing"))
            await client.close()
            assert (await guest.get("/api/penstock/topology")).json == {
                "vhost": "/",
                "in_step": True,
                "changes": [],
            }
            file.write_text("[queues.billing\n")
            assert (await guest.get("/api/penstock/topology")).status == 400

    asyncio.run(story())
