"""Three domains whose processes are killed while DIDs live through all of their operations.

No accepted operation is lost, none is anchored twice, and all domains resolve alike.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.federation.dids import STEPS, Dids
from tests.federation.town import Town

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    #: By step: after how many operations, who.
    Kills = Mapping[str, Mapping[int, Sequence[str]]]

#: Whom it may hit. Each domain's process answers, handles and witnesses.
VICTIMS = ("orb", "orb2", "orb3", "broker", "executor", "pipelines")


def live(town: Town, dids: Dids, kills: Kills) -> None:
    """All steps of all lives, with somebody killed now and then."""

    def trouble(step: str, number: int) -> None:
        for name in kills.get(step, {}).get(number, ()):
            # Whoever is just being started again is killed when it is there.
            town.until(partial(town.kill, name))

    for step in STEPS:
        dids.step(step, partial(trouble, step))
        dids.wait(step)
    dids.check_each_operation_was_anchored_once()


@pytest.mark.soak
def test_dids_live_on_whoever_is_killed(tmp_path: Path) -> None:
    with Town(tmp_path) as town:
        town.wait_for_spark()
        kills = {"create": {4: ["orb2"]}, "update": {2: ["executor"], 6: ["broker"]}, "recover": {4: ["orb"]}}
        live(town, Dids(town, each=3), kills)


@pytest.mark.soak
def test_dids_live_on_through_twenty_kills_at_random_moments(tmp_path: Path) -> None:
    chance, each = Random(20), 200
    kills: dict[str, dict[int, list[str]]] = {step: defaultdict(list) for step in STEPS}
    # Everybody three times at least, and each step has five.
    victims = [*VICTIMS * 3, *chance.sample(VICTIMS, 2)]
    chance.shuffle(victims)
    for place, name in enumerate(victims):
        kills[STEPS[place % len(STEPS)]][chance.randrange(3 * each)].append(name)
    # A Spark that is killed again and again on a busy machine takes its time.
    with Town(tmp_path, patience_s=3600) as town:
        town.wait_for_spark()
        live(town, Dids(town, each=each), kills)
