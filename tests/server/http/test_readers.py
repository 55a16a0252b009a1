"""The verbs of readers, one after the other, as curl would say them."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING, Any

import pytest

from penstock.wire.arrow import friendly, read_stream
from tests.server.http.served import House, Said

if TYPE_CHECKING:
    from collections.abc import Iterator

READER = "/api/readers/%2F/q/r"


@pytest.fixture
def own() -> Iterator[House]:
    """A broker of the test's own, with a queue of five."""
    with House() as house:
        house.fill("q", [b"%d" % number for number in range(5)])
        yield house


def take(house: House, rows: int, holder: str = "") -> Said:
    return house.ask("POST", f"{READER}/take", {"rows": rows, "size": 1 << 30, "holder": holder})


def commit(house: House, position: int, holder: str = "") -> Said:
    return house.ask("POST", f"{READER}/commit", {"position": position, "holder": holder})


def bodies(answer: Said) -> list[bytes]:
    assert answer.headers["content-type"] == "application/vnd.apache.arrow.stream"
    batches = read_stream(io.BytesIO(answer.body))
    return [body for batch in batches for body in friendly(batch, ["body"])["body"].to_pylist()]


def state(house: House) -> tuple[Any, ...]:
    told = house.ask("GET", READER).json
    return told["committed"], told["taken"], told["waiting"]


def test_a_reader_from_its_first_day_to_its_last(own: House) -> None:
    assert own.ask("GET", READER).json["kind"] == "UnknownReader"
    made = own.ask("PUT", READER)
    assert made.status == 200
    assert made.json.pop("oldest_at") > 0
    assert state(own) == (0, 0, 5)

    assert take(own, 3).json == {"taken": 3}
    assert state(own) == (0, 3, 2)
    assert bodies(own.ask("GET", f"{READER}/range?start=0&end=3")) == [b"0", b"1", b"2"]
    assert bodies(own.ask("GET", f"{READER}/range?start=1&end=2")) == [b"1"]
    assert bodies(own.ask("GET", f"{READER}/range?start=3&end=3")) == []

    assert commit(own, 1).json == {"committed": 1}
    assert commit(own, 0).json == {"committed": 1}
    assert bodies(own.ask("GET", f"{READER}/range?start=1&end=3")) == [b"1", b"2"]

    assert own.ask("DELETE", READER).json == {}
    assert own.ask("GET", READER).status == 404
    own.ask("PUT", READER)
    assert state(own) == (0, 0, 4)


@pytest.mark.parametrize(
    ("start", "end", "status", "kind"),
    [(0, 3, 410, "RangeGone"), (2, 9, 416, "RangeGone"), (3, 2, 400, ""), ("x", 3, 400, "")],
)
def test_a_range_that_cannot_be_read(own: House, start: Any, end: Any, status: int, kind: str) -> None:
    own.ask("PUT", READER)
    take(own, 3)
    commit(own, 1)
    answer = own.ask("GET", f"{READER}/range?start={start}&end={end}")
    assert (answer.status, answer.json["kind"]) == (status, kind)


def test_who_finds_nothing_may_wait_for_what_comes(own: House) -> None:
    own.ask("PUT", READER)
    take(own, 9)
    threading.Timer(0.2, own.fill, ("q", [b"late"])).start()
    waiting = {"rows": 9, "size": 1 << 30, "holder": ""}
    assert own.ask("POST", f"{READER}/take", waiting | {"wait": 9}).json == {"taken": 6}
    # Who does not say for how long, and who waits in vain, gets nothing; a reader may go meanwhile.
    assert own.ask("POST", f"{READER}/take", waiting).json == {"taken": 6}
    assert own.ask("POST", f"{READER}/take", waiting | {"wait": 0.01}).json == {"taken": 6}
    assert own.ask("POST", f"{READER}/take", waiting | {"wait": "long"}).status == 400
    threading.Timer(0.2, own.ask, ("DELETE", READER)).start()
    assert own.ask("POST", f"{READER}/take", waiting | {"wait": 9}).status == 404


def test_what_was_not_taken_cannot_be_committed(own: House) -> None:
    own.ask("PUT", READER)
    answer = commit(own, 1)
    assert (answer.status, answer.json["kind"]) == (409, "CommitAhead")


def test_one_holder_at_a_time_takes_and_commits_and_everybody_reads(own: House) -> None:
    own.ask("PUT", READER)
    lease = {"holder": "me", "seconds": 60}
    assert own.ask("POST", f"{READER}/lease", lease).json == {}
    assert take(own, 2, "me").status == 200
    for refused in (
        own.ask("POST", f"{READER}/lease", lease | {"holder": "you"}),
        take(own, 1, "you"),
        take(own, 1),
        commit(own, 2, "you"),
        own.ask("POST", f"{READER}/expect", {"ranges": [], "holder": "you"}),
    ):
        assert (refused.status, refused.json["kind"], refused.json["holder"]) == (409, "ReaderInUse", "me")
    assert bodies(own.ask("GET", f"{READER}/range?start=0&end=2")) == [b"0", b"1"]
    assert commit(own, 2, "me").status == 200
    own.ask("POST", f"{READER}/lease", lease | {"seconds": 0})
    assert take(own, 1, "you").status == 200


@pytest.mark.parametrize("verb", ["take", "commit", "lease", "expect"])
def test_a_verb_that_is_not_told_what_it_needs_says_so(own: House, verb: str) -> None:
    own.ask("PUT", READER)
    answer = own.ask("POST", f"{READER}/{verb}", {})
    assert answer.status == 400
    assert "the body names" in answer.json["error"]


def test_who_may_not_consume_a_queue_may_not_read_it(own: House) -> None:
    own.add_user("writer", configure=".*", write=".*", read="^other$")
    own.ask("PUT", READER)
    take(own, 1)
    for verb, path in (
        ("PUT", ""),
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/lease"),
        ("POST", "/take"),
        ("POST", "/commit"),
        ("GET", "/range?start=0&end=1"),
    ):
        answer = own.ask(verb, READER + path, user="writer")
        assert (answer.status, answer.json["kind"]) == (403, "NotPermitted"), (verb, path)


def test_names_may_hold_anything(own: House) -> None:
    own.fill("a/b é", [b"x"])
    assert own.ask("PUT", "/api/readers/%2F/a%2Fb%20%C3%A9/%3F").json["name"] == "?"
