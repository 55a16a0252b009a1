from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.clock import VirtualClock
from penstock.did.anchoring import ANCHORING
from penstock.did.cas import ContentStorage, HashLink, Remote
from penstock.did.observing import Finder, Observer, did_in
from penstock.did.operation_queue import OPERATION_QUEUE
from penstock.did.operations import OPERATIONS, operations_of
from penstock.errors import BadAnchor, BadDid, ContentNotFound, InvalidMessage, Unavailable
from penstock.sidetree.methods import METHODS
from tests.did.anchoring.helpers import A, PaperContents, PaperKeys
from tests.did.endless import ENDLESS
from tests.did.observing.helpers import PROTOCOLS, Author
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


class Web:
    """What the author answers: contents by their hash, and what it knows of DIDs."""

    def __init__(self, author: Author) -> None:
        self.author = author
        self.versions: dict[str, Any] = {}
        self.asked: list[str] = []

    def fetch(self, url: str, *, limit: int, accept: str = "") -> bytes:
        self.asked.append(url)
        if "webfinger" in url:
            name = url.rpartition("%2F")[2]
            return msgspec.json.encode({"links": [{"rel": "self", "href": f"{A.base}/cas/{name}"}]})
        if "/identifiers/" in url:
            answer = self.versions.get(url.rpartition(":")[2], ContentNotFound("404"))
            if isinstance(answer, Exception):
                raise answer
            if isinstance(answer, bytes):
                return answer
            return msgspec.json.encode({"didDocumentMetadata": {"versionId": answer}})
        found = self.author.contents.of.get(url.rpartition("/")[2])
        if found is None:
            raise ContentNotFound(f"{url} answers 404")
        return bytes(found)


@pytest.fixture
def author() -> Author:
    return Author()


@pytest.fixture
def web(author: Author) -> Web:
    return Web(author)


@pytest.fixture
def kept(memory: DomainDatabase) -> DomainDatabase:
    memory.create(ANCHORING, OPERATION_QUEUE, OPERATIONS)
    return memory


@pytest.fixture
def finder(kept: DomainDatabase, web: Web) -> Finder:
    cas = ContentStorage(PaperContents(), links_at="https://me.example/cas", remote=Remote(read=web.fetch))
    observer = Observer(kept, cas=cas, keys=PaperKeys(), protocols=PROTOCOLS, clock=VirtualClock(NOW))
    method = replace(METHODS["did:orb"], domain="me.example")
    return Finder(observer, kept, cas=cas, fetch=web.fetch, method=method, longest=5)


def lived(author: Author, updates: int = 2, origin: str = A.base) -> tuple[Life, list[HashLink]]:
    life = Life()
    links = [author.anchor(life.create(origin=origin), at=NOW)]
    links += [author.anchor(life.update(), at=NOW + 1 + number) for number in range(updates)]
    return life, links


def references(kept: DomainDatabase, life: Life) -> set[str]:
    return {each.reference for each in kept.do(operations_of, life.suffix)}


@pytest.mark.parametrize("form", ["hl:{hash}:{hints}", "https:a.example:{hash}"])
def test_a_did_is_found_from_its_anchor_to_its_latest(
    form: str, author: Author, web: Web, finder: Finder, kept: DomainDatabase
) -> None:
    life, links = lived(author)
    web.versions[life.suffix] = links[2].hash
    named = form.format(hash=links[0].hash, hints=links[0].metadata)
    outcome = finder.find(f"did:orb:{named}:{life.suffix}")
    assert outcome.error is None
    assert [HashLink.parse(seen.info.hash_link).hash for seen in outcome.seen] == [
        link.hash for link in links
    ]
    assert references(kept, life) == {link.hash for link in links}
    # And a second time there is nothing to be found; but whoever found them may have died before it told.
    again = finder.find(f"did:orb:{named}:{life.suffix}")
    assert again.error is None
    assert [(HashLink.parse(seen.info.hash_link).hash, seen.is_known) for seen in again.seen] == [
        (links[0].hash, True),
        (links[2].hash, True),
    ]
    assert len(kept.do(operations_of, life.suffix)) == 3


def test_an_anchor_that_is_the_latest_as_well_is_told_of_once(
    author: Author, web: Web, finder: Finder
) -> None:
    life, links = lived(author, updates=0)
    web.versions[life.suffix] = links[0].hash
    for _ in range(2):
        (seen,) = finder.find(f"did:orb:{links[0]}:{life.suffix}").seen
        assert HashLink.parse(seen.info.hash_link).hash == links[0].hash


def test_a_did_that_names_a_later_anchor_is_found_from_its_create_on(
    author: Author, finder: Finder, kept: DomainDatabase
) -> None:
    life, links = lived(author, origin="https://me.example")
    outcome = finder.find(f"did:orb:{links[1]}:{life.suffix}")
    assert [HashLink.parse(seen.info.hash_link).hash for seen in outcome.seen] == [
        link.hash for link in links[:2]
    ]
    assert references(kept, life) == {links[0].hash, links[1].hash}


@pytest.mark.parametrize("told", [7, "nonsense", b"\xff", ENDLESS, ContentNotFound("404")])
def test_an_origin_that_has_nothing_to_say_takes_nothing_away(
    told: Any, author: Author, web: Web, finder: Finder, kept: DomainDatabase
) -> None:
    life, links = lived(author, updates=0)
    web.versions[life.suffix] = told
    assert finder.find(f"did:orb:{links[0]}:{life.suffix}").error is None
    assert references(kept, life) == {links[0].hash}


def test_an_origin_that_is_away_is_asked_again_and_what_was_seen_stays(
    author: Author, web: Web, finder: Finder, kept: DomainDatabase
) -> None:
    life, links = lived(author)
    web.versions[life.suffix] = Unavailable("it is away")
    outcome = finder.find(f"did:orb:{links[0]}:{life.suffix}")
    assert isinstance(outcome.error, Unavailable)
    assert len(outcome.seen) == len(references(kept, life)) == 1


def test_what_cannot_be_found_is_told(author: Author, finder: Finder) -> None:
    life, links = lived(author, updates=6)
    stranger = Life("stranger")
    stranger.create()
    assert isinstance(finder.find("did:web:x").error, BadDid)
    assert isinstance(finder.find(f"did:orb:{links[0]}:{stranger.suffix}").error, BadAnchor)
    assert isinstance(finder.find(f"did:orb:{HashLink.of(b'x')}:{life.suffix}").error, ContentNotFound)
    too_long = finder.find(f"did:orb:{links[6]}:{life.suffix}").error
    assert "more than 5 anchors" in str(too_long)


def test_a_message_asks_about_one_did() -> None:
    assert did_in(b'"did:orb:x:y"') == "did:orb:x:y"
    for body in (b"7", b"did:orb", b"\xff"):
        with pytest.raises(InvalidMessage):
            did_in(body)
