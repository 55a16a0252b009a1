"""The observer at work: a real Spark, a broker that is killed meanwhile, and an author over real HTTP."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import msgspec

from penstock.did.cas import HashLink
from penstock.messaging import headers as names
from penstock.pipelines.did.observing.pipeline import observing
from penstock.sidetree.resolution import resolve
from tests.did.observing.helpers import PROTOCOLS, three_anchors
from tests.did.observing.served import Served, new_places, served
from tests.pipelines.did.observing.node import Node
from tests.pipelines.queues import until
from tests.servers import penstock
from tests.servers.running import free_port
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.servers.running import Running


def unknown_did(author: Served) -> tuple[Life, str]:
    """A DID that nobody has told of; its author knows of two anchors."""
    life, base = Life("unknown"), author.who.base
    first = author.anchor(life.create(origin=base), at=NOW)
    latest = author.anchor(life.update(), at=NOW + 1)
    did = f"did:orb:{first}:{life.suffix}"
    answer = {"didDocumentMetadata": {"versionId": latest.hash}}
    author.pages[f"/sidetree/v1/identifiers/{did}"] = msgspec.json.encode(answer)
    place = f"{base}/cas/{latest.hash}"
    found = msgspec.json.encode({"links": [{"rel": "self", "href": place}]})
    resource = place.replace(":", "%3A").replace("/", "%2F")
    author.pages[f"/.well-known/webfinger?resource={resource}"] = found
    return life, did


def test_good_anchors_are_observed_and_bad_ones_go_their_way_whatever_becomes_of_the_broker(
    spark: SparkSession, tmp_path: Path
) -> None:
    port = free_port()
    for folder in ("me", "broker"):
        (tmp_path / folder).mkdir()
    broker = penstock.bear(tmp_path / "broker", port)
    node = Node(new_places(tmp_path / "me", broker=broker.url), tmp_path / "pipelines")
    with served(tmp_path / "author") as author, node.at_work(spark):
        # Given anchors in the wrong order, one of them told twice; and some that cannot be observed.
        life, links = three_anchors(author)
        author.forge = lambda credential: {**credential, "proof": []}
        forged = author.anchor(Life("mallory").create())
        author.forge = None
        away = HashLink.to(HashLink.of(b"x").hash, ["http://127.0.0.1:9/cas/x"])
        node.publish("anchor", b"no anchor")
        node.tell(*reversed(links), links[0], forged, away)
        until(lambda: len(node.operations(life.suffix)) == 3)

        # When the broker is killed, and comes back.
        os.kill(broker.processes[0].pid, signal.SIGKILL)
        until(lambda: not broker.processes[0].is_alive())
        broker = penstock.bear(tmp_path / "broker", port)
        later, more = three_anchors(author, "later", NOW + 10)
        stranger, did = unknown_did(author)
        node.tell(*more)
        node.publish("did", msgspec.json.encode(did), b"7")
        until(lambda: len(node.operations(later.suffix)) == 3)
        until(lambda: len(node.operations(stranger.suffix)) == 2)
        # What is stored may not be settled yet: the rest of it is told, and set aside, afterwards.
        until(lambda: node.is_done_with("anchor") and node.is_done_with("did"))

    # Then what is good is stored once, and its author is told of each.
    assert resolve(life.suffix, node.operations(life.suffix), PROTOCOLS).version == links[2].hash
    posted = node.posted()
    assert {each["type"] for each in posted} == {"Like"}
    assert len({each["id"] for each in posted}) == 3 + 3 + 2
    # And what never will be is a dead letter with its reason, and what may be comes again.
    dead = {
        each.properties.headers[names.ERROR_CLASS].rpartition(".")[2] for each in node.taken("dead-letters")
    }
    assert dead == {"BadCredential", "InvalidMessage"}
    again = node.taken("redelivery")
    assert {each.properties.headers["orb-queue"] for each in again} == {"orb.anchor"}
    assert "cannot be read now" in again[0].properties.headers[names.ERROR]
    node.close()
    broker.end()


def test_its_pipelines_have_a_name_for_each_domain_and_queue(
    tmp_path: Path, penstock_server: Running
) -> None:
    with observing(new_places(tmp_path, broker=penstock_server.url, word="mine")) as pipelines:
        assert [each.name for each in pipelines] == ["mine.observer.anchor", "mine.observer.did"]
        assert [str(each.source) for each in pipelines] == ["queue mine.anchor", "queue mine.did"]
        assert [str(each.sink) for each in pipelines] == ["observer of anchor", "observer of did"]
        assert not any(each.sink.keeps_columns for each in pipelines)
        assert "known" in pipelines[0].sink.after_reset
