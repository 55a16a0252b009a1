from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

import pytest

from penstock.clock import SystemClock
from penstock.did.anchoring import AnchorInfo, known_links, latest_anchors
from penstock.did.anchoring.links import put_copy, put_pending, put_told
from penstock.did.cas import HashLink
from penstock.did.domain.parts import create_tables, open_cas, open_database, open_fetcher, open_keys
from penstock.did.observing import Observer
from penstock.did.operations import operations_of
from penstock.errors import BadCredential, BadHashLink, ContentForged, DidError, StoreError, Unavailable
from penstock.sidetree.resolution import resolve
from tests.did.anchoring.helpers import B
from tests.did.observing.helpers import PROTOCOLS, three_anchors
from tests.did.observing.served import Served, new_places, served
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

    from penstock.did.database import DomainDatabase
    from penstock.did.domain import Places


@pytest.fixture
def author(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "author") as found:
        yield found


@pytest.fixture
def places(tmp_path: Path, request: pytest.FixtureRequest) -> Places:
    """On each kind of database in turn, if the test asks for `database_url`; else on SQLite."""
    (tmp_path / "me").mkdir()
    asked = "database_url" in request.fixturenames
    return new_places(tmp_path / "me", request.getfixturevalue("database_url") if asked else "")


@pytest.fixture
def records(places: Places) -> Iterator[DomainDatabase]:
    database = open_database(places)
    create_tables(database)
    yield database
    database.close()


def observer_of(places: Places, database: DomainDatabase) -> Observer:
    clock, fetcher = SystemClock(), open_fetcher(places)
    return Observer(
        database,
        cas=open_cas(places, fetcher),
        keys=open_keys(places, clock, fetcher),
        protocols=PROTOCOLS,
        clock=clock,
    )


@pytest.fixture
def observer(places: Places, records: DomainDatabase) -> Observer:
    return observer_of(places, records)


def told(link: HashLink, by: str = "") -> AnchorInfo:
    return AnchorInfo(hash_link=str(link), attributed_to=by)


@pytest.mark.usefixtures("database_url")
def test_an_anchor_of_another_domain_is_observed_whatever_the_order(
    author: Served, observer: Observer, records: DomainDatabase
) -> None:
    life, links = three_anchors(author)
    outcomes = [observer.observe(told(link)) for link in reversed(links)]
    assert [outcome.error for outcome in outcomes] == [None] * 3
    assert [list(outcome.seen[0].unknown) for outcome in outcomes] == [[str(links[1])], [str(links[0])], []]
    assert {outcome.seen[0].author for outcome in outcomes} == {author.who.service}
    found = records.do(operations_of, life.suffix)
    assert resolve(life.suffix, found, PROTOCOLS).version == links[2].hash
    assert records.do(latest_anchors, [life.suffix]) == {life.suffix: str(links[2])}
    assert set(records.do(known_links, [link.hash for link in links]).values()) == {"observed"}


def test_what_was_observed_is_known_and_here(
    author: Served, observer: Observer, records: DomainDatabase
) -> None:
    life, (link, *_) = three_anchors(author)
    (first,) = observer.observe(told(link)).seen
    asked = len(author.asked)
    (again,) = observer.observe(told(link)).seen
    assert (first.is_known, first.operations) == (False, 1)
    assert (again.is_known, again.author, again.copy) == (True, author.who.service, first.copy)
    assert HashLink.parse(again.copy).links == (f"http://127.0.0.1:9/cas/{link.hash}",)
    assert len(author.asked) == asked
    assert len(records.do(operations_of, life.suffix)) == 1


def test_what_is_known_still_tells_which_before_it_nobody_has_told_of(
    author: Served, observer: Observer, records: DomainDatabase
) -> None:
    _, (first, second, _) = three_anchors(author)
    observer.observe(told(second))
    # When whoever was to ask for its parent has died, or was about to.
    (again,) = observer.observe(told(second)).seen
    assert (again.is_known, list(again.unknown)) == (True, [str(first)])
    records.do(put_pending, first, 1.0)
    assert list(observer.observe(told(second)).seen[0].unknown) == [str(first)]
    records.do(put_told, first.hash, 1.0)
    assert list(observer.observe(told(second)).seen[0].unknown) == []


def test_what_cannot_be_is_told_and_nothing_is_kept(
    author: Served, observer: Observer, records: DomainDatabase
) -> None:
    life = Life()
    link = author.anchor(life.create())
    author.pages[f"/cas/{link.hash}"] = b"something else"
    forged = observer.observe(told(link))
    del author.pages[f"/cas/{link.hash}"]
    author.forge = lambda credential: {**credential, "proof": [B.proof(credential, at=1.0)]}
    unproved = observer.observe(told(author.anchor(Life("bob").create())))
    gone = observer.observe(told(HashLink.to(link.hash, ["http://127.0.0.1:9/cas/x"])))
    assert isinstance(forged.error, ContentForged)
    assert forged.failed == link.hash
    assert isinstance(unproved.error, BadCredential | Unavailable)
    assert isinstance(gone.error, Unavailable)
    assert isinstance(observer.observe(AnchorInfo(hash_link="x")).error, BadHashLink)
    assert records.do(operations_of, life.suffix) == []


def test_files_of_an_author_that_is_gone_come_from_who_told_and_who_liked(
    tmp_path: Path, observer: Observer, records: DomainDatabase
) -> None:
    with served(tmp_path / "teller") as teller, served(tmp_path / "liker") as liker:
        with served(tmp_path / "author") as author:
            links = [author.anchor(Life(name).create()) for name in ("alice", "bob")]
        # Given one who has observed each of them, and an author of whom nothing is left but its key.
        for other in (teller, liker):
            other.contents = author.contents
            for name in (found.name for found in (tmp_path / "author").rglob("uEi*")):
                base = other.who.base
                jrd = f'{{"links":[{{"rel":"self","href":"{base}/cas/{name}"}}]}}'
                resource = f"{base}/cas/{name}".replace(":", "%3A").replace("/", "%2F")
                other.pages[f"/.well-known/webfinger?resource={resource}"] = jrd.encode()
        copy = HashLink.to(links[1].hash, [f"{liker.who.base}/cas/{links[1].hash}"])
        records.do(put_copy, liker.who.service, copy)
        observer._keys.public_key = lambda method: author.who.key.public  # type: ignore[method-assign]
        outcomes = [
            observer.observe(told(links[0], by=teller.who.service)),
            observer.observe(told(links[1])),
        ]
    assert [outcome.error for outcome in outcomes] == [None, None]


def test_an_error_of_the_observer_itself_is_one_of_many(observer: Observer, author: Served) -> None:
    link = author.anchor(Life().create())
    observer._database = None  # type: ignore[assignment]
    error = observer.observe(told(link)).error
    assert type(error) is DidError
    assert "AttributeError" in str(error)


def _observe_at_once(
    text: Places, link: str, barrier: Barrier, answers: multiprocessing.Queue[object]
) -> None:
    database = open_database(text)
    observer = observer_of(text, database)
    barrier.wait(60)
    outcome = observer.observe(AnchorInfo(hash_link=link))
    answers.put(str(outcome.error) if outcome.error else len(outcome.seen))
    database.close()


@pytest.mark.usefixtures("database_url")
def test_the_same_anchor_at_once_in_two_processes_is_stored_once(
    author: Served, places: Places, records: DomainDatabase
) -> None:
    lives = [Life(f"life{number}") for number in range(20)]
    link = author.anchor(*(life.create() for life in lives))
    context = multiprocessing.get_context("fork")
    barrier, answers = context.Barrier(2), context.Queue()
    records.engine.dispose()
    both = [
        context.Process(target=_observe_at_once, args=(places, str(link), barrier, answers)) for _ in range(2)
    ]
    for each in both:
        each.start()
    assert [answers.get(timeout=60) for _ in both] == [1, 1]
    for each in both:
        each.join(60)
    for life in lives:
        assert len(records.do(operations_of, life.suffix)) == 1


def test_a_database_that_is_away_is_told(author: Served, observer: Observer, records: DomainDatabase) -> None:
    link = author.anchor(Life().create())
    records.do(lambda connection: connection.exec_driver_sql("DROP TABLE penstock_did_operations"))
    assert isinstance(observer.observe(told(link)).error, StoreError)
    assert records.do(known_links, [link.hash]) == {}
