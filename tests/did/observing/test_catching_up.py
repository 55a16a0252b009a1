from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.clock import VirtualClock
from penstock.did.activities import PUBLIC, Actor, AnchorEvent, create
from penstock.did.anchoring import ANCHORING, known_links
from penstock.did.anchoring.links import put_pending
from penstock.did.cas import HashLink
from penstock.did.federation import FEDERATION
from penstock.did.federation.marks import mark_of
from penstock.did.federation.membership import FOLLOWING, add_member
from penstock.did.observing import catching_up
from penstock.did.observing.catching_up import PATIENCE, CatchingUp
from penstock.errors import BadAnchor, ContentNotFound, NotConnected, StoreError, Unavailable
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from penstock.did.anchoring import AnchorInfo
    from penstock.did.database import DomainDatabase

NOW = 1_000_000.0
A, B = "https://a.example/services/orb", "https://b.example/services/orb"
AGE = 60.0


class Told:
    """Services, what they have told, and what was taken of it."""

    def __init__(self) -> None:
        self.clock = VirtualClock(NOW)
        self.outboxes: dict[str, list[dict[str, Any]]] = {A: []}
        self.taken: list[str] = []
        #: What goes wrong with an anchor, by its name.
        self.errors: dict[str, Exception] = {}
        self.slow = 0.0

    def tell(self, *contents: str, service: str = A, at: float | None = None) -> None:
        for each in contents:
            event = AnchorEvent(url=HashLink.of(each.encode(), [f"{service}/{each}"]))
            told = NOW if at is None else at
            made = create(name=f"{service}/{each}", actor=service, to=[PUBLIC], event=event, at=told)
            self.outboxes[service].insert(0, made)

    def say(self, name: str) -> None:
        """Something that is about no anchor, and tells no time."""
        about = {"id": f"{A}/about", "type": "Follow", "actor": B, "object": A, "to": [A]}
        said = {"id": f"{A}/{name}", "type": "Accept", "actor": A, "to": [B], "object": about}
        self.outboxes[A].insert(0, said)

    # As peers, as a fetcher, and as a receiver

    def actor(self, service: str) -> Actor:
        places = {"outbox": f"{service}/outbox"} if service in self.outboxes else {}
        return Actor(name=service, key_name="", key=None, places=places)

    def fetch(self, url: str, *, limit: int, accept: str) -> bytes:
        self.clock.advance(self.slow)
        service, _, rest = url.partition("/outbox")
        number = int(rest or 0)
        entries = self.outboxes[service]
        page = {"type": "OrderedCollectionPage", "totalItems": len(entries)}
        after = {"next": f"{service}/outbox{number + 2}"} if number + 2 < len(entries) else {}
        return msgspec.json.encode({**page, "orderedItems": entries[number : number + 2], **after})

    async def take_told(self, info: AnchorInfo) -> bool:
        name = HashLink.parse(info.hash_link).links[0].rpartition("/")[2]
        if name in self.errors:
            raise self.errors[name]
        is_new = name not in self.taken
        self.taken += [name] if is_new else []
        return is_new


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def domain(memory: DomainDatabase) -> DomainDatabase:
    memory.create(ANCHORING, FEDERATION)
    memory.do(add_member, FOLLOWING, A, at=NOW)
    return memory


def maker(told: Told, database: DomainDatabase) -> CatchingUp:
    peers: Any = told
    return CatchingUp(database, peers=peers, fetch=told.fetch, receiver=peers, clock=told.clock, min_age=AGE)


def catch_up(told: Told, database: DomainDatabase, made: CatchingUp | None = None) -> int:
    """Read all outboxes once, two minutes later."""
    told.clock.advance(120)
    found: int = run((made or maker(told, database)).run())
    return found


def test_what_was_told_since_the_last_look_is_taken_the_oldest_first(
    told: Told, domain: DomainDatabase
) -> None:
    told.tell("old", "newer", at=NOW - 2 * AGE)
    # What was told before the Follow is history.
    assert (catch_up(told, domain), told.taken) == (0, [])
    told.taken = ["three"]
    told.tell("one", "two", "three", "four", "five")
    assert (catch_up(told, domain), told.taken) == (4, ["three", "one", "two", "four", "five"])
    assert catch_up(told, domain) == 0
    told.tell("six")
    assert (catch_up(told, domain), told.taken[-1]) == (1, "six")


def test_what_was_told_after_the_follow_is_missed_though_the_domain_was_away_before_its_first_look(
    told: Told, domain: DomainDatabase
) -> None:
    told.tell("old", at=NOW - 2 * AGE)
    told.tell("one", at=NOW + 10)
    told.say("hello")
    told.tell("two", at=NOW + 20)
    told.clock.advance(24 * 3600)
    assert (catch_up(told, domain), told.taken) == (2, ["one", "two"])
    assert domain.do(mark_of, A) == f"{A}/two"


def test_an_outbox_that_was_empty_is_read_from_its_beginning(told: Told, domain: DomainDatabase) -> None:
    assert catch_up(told, domain) == 0
    told.tell("one", "two", "three")
    assert (catch_up(told, domain), told.taken) == (3, ["one", "two", "three"])


def test_what_is_young_may_be_on_its_way(told: Told, domain: DomainDatabase) -> None:
    catch_up(told, domain)
    told.tell("old")
    told.tell("young", at=told.clock.now() + 90)
    assert (catch_up(told, domain), told.taken) == (1, ["old"])
    assert (catch_up(told, domain), told.taken) == (1, ["old", "young"])


def test_what_stands_above_something_young_has_its_turn_with_it(told: Told, domain: DomainDatabase) -> None:
    catch_up(told, domain)
    told.tell("old")
    told.tell("young", at=told.clock.now() + 90)
    told.say("hello")
    assert (catch_up(told, domain), told.taken) == (1, ["old"])
    assert (catch_up(told, domain), told.taken) == (1, ["old", "young"])


def test_what_says_that_it_is_of_the_future_is_not_waited_for(told: Told, domain: DomainDatabase) -> None:
    catch_up(told, domain)
    told.tell("old")
    told.tell("odd", at=NOW + 10 * 365 * 24 * 3600)
    told.tell("late")
    assert (catch_up(told, domain), told.taken) == (3, ["old", "odd", "late"])


def test_what_is_about_no_anchor_is_read_once(
    told: Told, domain: DomainDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    catch_up(told, domain)
    told.tell("one")
    for number in range(9):
        told.say(f"hello{number}")
    assert (catch_up(told, domain), domain.do(mark_of, A)) == (1, f"{A}/hello8")
    # What was read before is read no more: the first page is enough.
    monkeypatch.setattr(catching_up, "PATIENCE", 0.5)
    told.slow = 0.4
    told.say("hello9")
    catch_up(told, domain)
    assert domain.do(mark_of, A) == f"{A}/hello9"


def test_who_is_away_keeps_nothing_away_that_was_told_later(told: Told, domain: DomainDatabase) -> None:
    catch_up(told, domain)
    told.tell("one", "two", "three")
    told.errors = {"two": Unavailable("its author is gone")}
    assert (catch_up(told, domain), told.taken) == (2, ["one", "three"])
    assert (catch_up(told, domain), told.taken) == (0, ["one", "three"])
    told.errors = {}
    assert (catch_up(told, domain), told.taken) == (1, ["one", "three", "two"])


def test_who_takes_long_has_the_others_wait_until_the_next_run(
    told: Told, domain: DomainDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    catch_up(told, domain)
    told.tell("one", "two", "three", "four", "five")
    take = told.take_told

    async def take_slowly(info: AnchorInfo) -> bool:
        told.clock.advance(0.6 * PATIENCE)
        return await take(info)

    monkeypatch.setattr(told, "take_told", take_slowly)
    assert [catch_up(told, domain) for _ in range(4)] == [2, 2, 1, 0]
    assert told.taken == ["one", "two", "three", "four", "five"]
    # So it is with what is tried again.
    for each in ("six", "seven", "eight"):
        domain.do(put_pending, HashLink.of(each.encode(), [f"https://a.example/{each}"]), NOW)
    assert catch_up(told, domain) == 2


def test_if_the_broker_is_away_it_goes_on_from_there(
    told: Told, domain: DomainDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    catch_up(told, domain)
    told.tell("one", "two", "three")
    told.errors = {"two": NotConnected("not now"), "one": BadAnchor("item", "it is none")}
    assert (catch_up(told, domain), told.taken) == (0, [])
    # What can never be taken is passed over.
    assert domain.do(mark_of, A) == f"{A}/one"
    assert "not now" in caplog.text
    assert "it is none" in caplog.text
    told.errors = {}
    assert (catch_up(told, domain), told.taken) == (2, ["two", "three"])


def test_one_that_cannot_be_read_does_not_keep_the_others_away(
    told: Told, domain: DomainDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    for service in ("https://none.example/services/orb", B):
        domain.do(add_member, FOLLOWING, service, at=NOW)
    told.outboxes[B] = []
    catch_up(told, domain)
    told.tell("one", service=B)
    told.tell("bad")
    told.errors = {"bad": ValueError("nobody has thought of this")}
    assert (catch_up(told, domain), told.taken) == (1, ["one"])
    assert "nobody has thought of this" in caplog.text
    assert "https://none.example/services/orb is read later" in caplog.text


def test_so_many_are_taken_in_one_run_and_the_next_goes_on(
    told: Told, domain: DomainDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catching_up, "MOST", 2)
    catch_up(told, domain)
    told.tell("one", "two", "three", "four", "five")
    assert [catch_up(told, domain) for _ in range(4)] == [2, 2, 1, 0]
    assert told.taken == ["one", "two", "three", "four", "five"]


def test_an_outbox_without_an_end_is_left(
    told: Told, domain: DomainDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    catch_up(told, domain)
    told.tell("one", "two", "three")
    told.slow = PATIENCE + 1
    assert (catch_up(told, domain), told.taken) == (0, [])
    assert "has not come to its end" in caplog.text


def test_one_that_is_too_long_for_a_run_is_read_on_in_the_next(told: Told, domain: DomainDatabase) -> None:
    catch_up(told, domain)
    names = [f"n{number}" for number in range(9)]
    told.tell(*names)
    told.slow = 0.4 * PATIENCE
    made = maker(told, domain)
    assert [catch_up(told, domain, made) for _ in range(3)] == [0, 9, 0]
    assert told.taken == names


def test_an_outbox_without_an_end_is_left_though_nothing_is_in_it(
    told: Told, domain: DomainDatabase, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    catch_up(told, domain)
    pages = iter(range(2 * int(PATIENCE)))

    def fetch(url: str, **_: object) -> bytes:
        told.clock.advance(1)
        page = {"type": "OrderedCollectionPage", "totalItems": 1, "orderedItems": []}
        return msgspec.json.encode({**page, "next": f"{A}/outbox{next(pages)}"})

    monkeypatch.setattr(told, "fetch", fetch)
    catch_up(told, domain)
    assert "has not come to its end" in caplog.text
    assert next(pages) < PATIENCE + 3


def test_what_is_not_there_is_tried_again_and_so_is_the_database(
    told: Told, domain: DomainDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    catch_up(told, domain)
    told.tell("one")
    told.errors = {"one": ContentNotFound("nobody has it")}
    with caplog.at_level(logging.INFO):
        catch_up(told, domain)
    assert "passed over: nobody has it" in caplog.text
    domain.do(lambda connection: connection.exec_driver_sql("DROP TABLE penstock_collection_members"))
    with pytest.raises(StoreError):
        catch_up(told, domain)


def test_what_nobody_has_thought_of_keeps_no_other_from_being_told_again(
    told: Told, domain: DomainDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    for each in ("bad", "good"):
        domain.do(put_pending, HashLink.of(each.encode(), [f"https://a.example/{each}"]), NOW)
    told.errors = {"bad": ValueError("nobody has thought of this")}
    assert (catch_up(told, domain), told.taken) == (1, ["good"])
    assert "nobody has thought of this" in caplog.text


@pytest.mark.parametrize(
    ("error", "left"),
    [(None, "pending"), (Unavailable("not now"), "pending"), (BadAnchor("item", "it is none"), None)],
)
def test_what_was_told_and_could_not_be_observed_is_told_again(
    told: Told, domain: DomainDatabase, error: Exception | None, left: str | None
) -> None:
    link = HashLink.of(b"one", ["https://a.example/one"])
    domain.do(put_pending, link, NOW)
    told.errors = {} if error is None else {"one": error}
    assert catch_up(told, domain) == (error is None)
    assert told.taken == ([] if error else ["one"])
    # A receiver that takes it says so; this one knows no database.
    assert domain.do(known_links, [link.hash]).get(link.hash) == left
    # Of one that is away it is asked again when as long has passed as it has been known.
    told.errors = {}
    told.taken = []
    assert catch_up(told, domain) == (left is not None)
