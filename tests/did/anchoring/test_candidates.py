from __future__ import annotations

import asyncio
from threading import Event

import pytest

from penstock.clock import VirtualClock
from penstock.did.activities.peers import FAILED_FOR, Peers
from penstock.did.anchoring.candidates import MOST, TOGETHER_S, Candidates
from penstock.did.http import HttpFetcher
from penstock.did.witnesses import BATCH, SYSTEM, Witness
from penstock.errors import Unavailable
from tests.did.anchoring.helpers import NOW, A, B, C, PaperNeighbours, run


def candidates_of(neighbours: PaperNeighbours, clock: VirtualClock | None = None) -> Candidates:
    return Candidates(A, neighbours, neighbours, clock or VirtualClock(NOW))


def test_the_origins_of_a_batch_but_this_domain_may_witness_it() -> None:
    neighbours = PaperNeighbours(logs={B.service})
    found = run(candidates_of(neighbours).of_batch([A.base, B.service, A.service, B.service]))
    assert found == [Witness(iri=B.service, role=BATCH, has_log=True)]


def test_of_an_origin_that_is_a_domain_its_service_is_asked_and_each_service_once() -> None:
    neighbours = PaperNeighbours(services={B.base: B.service, "https://alias.example": A.service})
    found = run(candidates_of(neighbours).of_batch([B.base, "https://alias.example", B.service, C.service]))
    assert [each.iri for each in found] == [B.service, C.service]


def test_those_who_have_agreed_may_witness_everything() -> None:
    neighbours = PaperNeighbours(invited=[C.service, A.service])
    candidates = candidates_of(neighbours)
    assert run(candidates.of_system()) == [Witness(iri=C.service, role=SYSTEM)]
    assert run(candidates.system()) == [C.service, A.service]


@pytest.mark.parametrize("error", [None, Unavailable("not now"), ValueError("nobody has thought of this")])
def test_an_origin_that_does_not_answer_is_left_out(
    error: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    neighbours = PaperNeighbours(silent={B.service}, error=error)
    found = run(candidates_of(neighbours).of_batch([B.service, C.service]))
    assert [each.iri for each in found] == [C.service]
    assert B.service in caplog.text


@pytest.mark.parametrize("error", [None, Unavailable("not now"), ValueError("nobody has thought of this")])
def test_who_has_agreed_and_does_not_answer_now_is_away(
    error: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    neighbours = PaperNeighbours(invited=[A.service, B.service, C.service], silent={B.service}, error=error)
    candidates = candidates_of(neighbours)
    found = run(candidates.of_system())
    assert found == [Witness(iri=C.service, role=SYSTEM)]
    assert B.service in caplog.text
    away = Witness(iri=B.service, role=SYSTEM, answers=False)
    assert run(candidates.away(found)) == [away]
    # An origin of the batch that answers has agreed to nothing.
    assert run(candidates.away([*found, Witness(iri=B.service, role=BATCH)])) == [away]


class BlackHole(PaperNeighbours):
    """Whoever is silent keeps us waiting until the test is over."""

    def log_of(self, iri: str) -> str:
        if iri in self.silent:
            self.is_over.wait()
        return ""

    is_over = Event()


def test_who_keeps_us_waiting_is_left_out_when_the_time_for_all_is_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # Given many more origins that never answer than can be asked at once.
    holes = [f"https://hole{number}.example" for number in range(40)]
    clock, neighbours = VirtualClock(NOW), BlackHole(invited=[B.service], silent=set(holes))
    candidates = candidates_of(neighbours, clock)

    async def story() -> None:
        asking = asyncio.create_task(candidates.of_batch(holes))
        await asyncio.sleep(0)
        clock.advance(TOGETHER_S - 1)
        await asyncio.sleep(0)
        assert not asking.done()
        # When the time for all of them is over, then none of them holds up this domain's own witnesses.
        clock.advance(1)
        assert await asking == []
        assert [each.iri for each in await candidates.of_system()] == [B.service]

    try:
        run(story())
    finally:
        candidates.close()
        neighbours.is_over.set()
    assert "hole39.example is not asked as a batch witness: it did not answer in 5 seconds" in caplog.text


def test_what_is_no_url_is_nobody_to_ask(caplog: pytest.LogCaptureFixture) -> None:
    clock, neighbours = VirtualClock(NOW), PaperNeighbours()
    candidates = Candidates(A, neighbours, Peers(HttpFetcher().fetch, clock), clock)
    junk = ["https://a..b", "https://[", "https://.", f"https://{'a' * 64}.example", "no URL", "ipns://k51"]
    assert run(candidates.of_batch(junk)) == []
    assert all(iri in caplog.text for iri in junk)


def test_only_so_many_origins_of_a_batch_are_asked(caplog: pytest.LogCaptureFixture) -> None:
    origins = [f"https://o{number}.example" for number in range(MOST + 1)]
    found = run(candidates_of(PaperNeighbours()).of_batch([A.base, *origins]))
    assert [each.iri for each in found] == origins[:MOST]
    assert "has 65 origins" in caplog.text


def test_who_did_not_answer_a_moment_ago_is_not_asked_again() -> None:
    asked: list[str] = []

    def fetch(url: str, **_: object) -> bytes:
        asked.append(url)
        raise Unavailable("not now")

    clock, neighbours = VirtualClock(NOW), PaperNeighbours()
    candidates = Candidates(A, neighbours, Peers(fetch, clock), clock)
    for _ in range(3):
        assert run(candidates.of_batch([B.service])) == []
    assert len(asked) == 1
    clock.advance(FAILED_FOR)
    run(candidates.of_batch([B.service]))
    assert len(asked) == 2
