from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from penstock.clock import VirtualClock
from penstock.did.anchoring import ANCHORING, AnchorInfo
from penstock.did.observing import Observer
from penstock.did.observing.auditing import Auditor, observed_anchors
from penstock.did.operation_queue import OPERATION_QUEUE
from penstock.did.operations import OPERATIONS
from tests.did.anchoring.helpers import B, PaperKeys
from tests.did.kept_operations import FIRST_KEY, change_operations
from tests.did.observing.helpers import PROTOCOLS, Author, three_anchors
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.did.cas import HashLink
    from penstock.did.database import DomainDatabase
    from penstock.sidetree.anchored import Anchored


#: No key of a DID is smaller.
class Node:
    """A node that has observed a DID of three anchors, in the same storage as its author's."""

    def __init__(self, database: DomainDatabase) -> None:
        self.database = database
        database.create(ANCHORING, OPERATION_QUEUE, OPERATIONS)
        self.author = Author()
        self.life, self.links = three_anchors(self.author)
        self.observer = Observer(
            database, cas=self.author.cas, keys=PaperKeys(), protocols=PROTOCOLS, clock=VirtualClock(NOW)
        )
        for link in self.links:
            self.observe(link)
        contents = self.author.contents
        self.auditor = Auditor(database, contents=contents, keys=PaperKeys(), protocols=PROTOCOLS)

    def observe(self, link: HashLink) -> None:
        assert self.observer.observe(AnchorInfo(hash_link=str(link))).error is None

    def change(self, change: Callable[[Anchored], Anchored | None]) -> None:
        name = self.links[1].hash
        self.database.do(change_operations, lambda each: change(each) if each.reference == name else each)

    def kinds(self) -> list[tuple[str, str]]:
        anchors = [self.auditor.anchor(name) for name in self.database.do(observed_anchors)]
        found = [*anchors, self.auditor.dids(FIRST_KEY, None)]
        return sorted((each.kind, each.about) for audited in found for each in audited.findings)


@pytest.fixture
def node(memory: DomainDatabase) -> Node:
    return Node(memory)


def test_nothing_is_found_where_nothing_is_wrong(node: Node) -> None:
    assert node.kinds() == []
    found = node.auditor.dids(FIRST_KEY, None)
    assert found.dids == 1
    assert found.operations == {link.hash: 1 for link in node.links}
    assert node.auditor.anchor(node.links[0].hash).operations == {node.links[0].hash: 1}


def test_an_operation_that_is_gone_is_missed_by_its_anchor_and_by_its_did(node: Node) -> None:
    node.change(lambda _: None)
    assert node.kinds() == [("previous", node.life.suffix), ("unstored", node.links[1].hash)]


def test_an_operation_that_was_altered_is_found(node: Node) -> None:
    node.change(lambda each: replace(each, request=b"{}"))
    assert ("altered", node.links[1].hash) in node.kinds()
    assert ("operation", node.life.suffix) in node.kinds()


def test_contents_are_looked_for_here_and_nowhere_else(node: Node) -> None:
    contents = node.author.contents.of
    contents[node.links[0].hash] = b"{}"
    del contents[node.links[2].hash]
    assert node.kinds() == [("damaged", node.links[0].hash), ("missing", node.links[2].hash)]


def test_a_proof_that_no_longer_holds_is_found(node: Node) -> None:
    node.author.forge = lambda credential: {**credential, "proof": [B.proof(credential, at=NOW)]}
    forged = node.author.anchor(Life("bob").create())
    assert [each.kind for each in node.auditor.anchor(forged.hash).findings] == ["credential"]


def test_a_did_without_a_create_is_found(node: Node) -> None:
    bob = Life("bob")
    node.author.anchor(bob.create())
    node.observe(node.author.anchor(bob.update()))
    assert [kind for kind, about in node.kinds() if about == bob.suffix] == ["create", "previous"]
