"""kill -9 of the driver when operations are stored and nobody is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.pipelines.declared.status import State
from tests.did.observing.helpers import three_anchors
from tests.did.observing.served import new_places, served
from tests.pipelines.did.observing import driver
from tests.pipelines.did.observing.node import Node
from tests.pipelines.queues import PATIENCE_S

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.servers.running import Running

ROOT = Path(__file__).resolve().parents[4]


def test_after_kill_9_everything_is_stored_once_and_told_once(
    spark: SparkSession, penstock_server: Running, tmp_path: Path, name: str
) -> None:
    (tmp_path / "me").mkdir()
    places = new_places(tmp_path / "me", broker=penstock_server.url, word=name)
    node = Node(places, tmp_path / "pipelines")
    with served(tmp_path / "author") as author:
        life, links = three_anchors(author)
        # Given a driver that is killed between storing and telling.
        with node.observer(spark, once=True):
            node.tell(*links)
        (tmp_path / "places.json").write_text(places.to_json())
        arguments = (str(tmp_path / "places.json"), str(node.folder))
        command = [sys.executable, "-m", driver.__name__, *arguments]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
        # Its Java outlives it for a moment, and complains at length.
        with (tmp_path / "driver.log").open("w") as log:
            killed = subprocess.run(
                command, env=environment, cwd=ROOT, stderr=log, check=False, timeout=PATIENCE_S
            )
        assert killed.returncode == -signal.SIGKILL, (tmp_path / "driver.log").read_text()
        assert len(node.operations(life.suffix)) == 3
        assert node.posted() == []

        # When another goes on.
        with node.observer(spark, once=True) as supervisor:
            assert set(supervisor.run().values()) == {State.DONE}

    # Then nothing is there twice, and nothing is left.
    assert len(node.operations(life.suffix)) == 3
    posted = node.posted()
    assert [each["type"] for each in posted] == ["Like"] * 3
    assert len({each["id"] for each in posted}) == 3
    assert node.taken("anchor") == node.taken("redelivery") == []
    node.close()
