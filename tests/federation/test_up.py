"""`penstock did up` as a whole, without Spark: it starts, lasts, and is found again."""

from __future__ import annotations

import signal
from functools import partial
from typing import TYPE_CHECKING

from tests.federation.town import Town
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from pathlib import Path

PROCESSES = ("broker", "orb", "orb2")
COLLECTIONS = ("followers", "following", "witnesses", "witnessing")


def test_domains_start_with_all_they_need_survive_kills_and_are_found_again(tmp_path: Path) -> None:
    town = Town(tmp_path, "--no-pipelines", domains=2)
    town.start()
    # Given two domains that have come to know each other, and a DID on its way.
    services = [f"{base}/services/orb" for base in town.bases]

    def is_known(base: str, other: str) -> bool:
        return all(town.members(base, collection) == [other] for collection in COLLECTIONS)

    for base, other in zip(town.bases, reversed(services), strict=True):
        town.until(partial(is_known, base, other))
    town.post(town.bases[0], Life("early").create())

    # When its processes are killed, each is started again, and that is told.
    before = {name: town.pid(name) for name in PROCESSES}

    def is_another(name: str) -> bool:
        return town.pid(name) not in {None, before[name]}

    for name in PROCESSES:
        assert town.kill(name)
    for name in PROCESSES:
        town.until(partial(is_another, name))
        assert f"{name} was ended by SIGKILL, and is started again in 0.5 s" in town.said
    for base in town.bases:
        assert town.ask(base, "GET", "/healthcheck")[0] == 200

    # And when the command itself is killed, nothing outlives it.
    bases = town.bases
    assert town.stop(signal.SIGKILL) == -signal.SIGKILL

    # Then another start finds the domains as they were, and the operation that was accepted.
    town.start()
    assert town.bases == bases
    assert town.members(bases[0], "witnesses") == [services[1]]
    assert town.depth("orb", "operation") == 1
    assert town.stop() == 0
    assert town.said.splitlines()[-1] == "stopping"
