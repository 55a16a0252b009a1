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
    from collections.abc import Mapping
    from pathlib import Path

    #: By step: when so many are POSTED, or so many are KNOWN everywhere, who.
    Kills = Mapping[str, dict[tuple[str, int], list[str]]]

POSTED, KNOWN = "posted", "known"
#: Whom it may hit. The first process of a domain answers, handles and witnesses; a further one answers.
VICTIMS = ("orb", "orb2", "orb3", "orb-web2", "broker", "executor", "pipelines")


def live(town: Town, dids: Dids, kills: Kills) -> None:
    """All steps of all lives, with somebody killed now and then."""

    def trouble(step: str, when: str, number: int) -> None:
        left = kills.get(step, {})
        for moment in [each for each in left if each[0] == when and each[1] <= number]:
            for name in left.pop(moment):
                # Whoever is just being started again is killed when it is there.
                town.until(partial(town.kill, name))

    for step in STEPS:
        dids.step(step, partial(trouble, step, POSTED))
        # What was accepted is being cut, written, anchored, witnessed and observed.
        dids.wait(step, partial(trouble, step, KNOWN))
    assert not any(kills.values())
    dids.check_each_operation_was_anchored_once()


@pytest.mark.soak
def test_dids_live_on_whoever_is_killed(tmp_path: Path) -> None:
    with Town(tmp_path, "--web-processes=2") as town:
        town.wait_for_spark()
        kills = {
            "create": {(POSTED, 4): ["orb2"], (KNOWN, 0): ["pipelines"]},
            "update": {(POSTED, 2): ["executor"], (POSTED, 6): ["broker"]},
            "recover": {(POSTED, 4): ["orb"], (KNOWN, 1): ["orb-web2"]},
        }
        live(town, Dids(town, each=3), kills)


@pytest.mark.soak
def test_dids_live_on_through_twenty_kills_at_random_moments(tmp_path: Path) -> None:
    chance, each = Random(20), 200
    kills: dict[str, dict[tuple[str, int], list[str]]] = {step: defaultdict(list) for step in STEPS}
    # Everybody twice at least, and each step has five: some while it is posted, some while it is on its way.
    victims = [*VICTIMS * 2, *chance.sample(VICTIMS, 6)]
    chance.shuffle(victims)
    for place, name in enumerate(victims):
        moment = chance.choice([POSTED, KNOWN]), chance.randrange(3 * each)
        kills[STEPS[place % len(STEPS)]][moment].append(name)
    # A Spark that is killed again and again on a busy machine takes its time.
    with Town(tmp_path, "--web-processes=2", patience_s=3600) as town:
        town.wait_for_spark()
        live(town, Dids(town, each=each), kills)
