"""The readers of a virtual host, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadConfiguration, Locked, UnknownQueue, UnknownReader

if TYPE_CHECKING:
    from tests.broker.support import Bench


def test_one_is_made_once(bench: Bench) -> None:
    bench.queue()
    readers = bench.host().readers
    assert readers.open("q", "r") is readers.open("q", "r") is readers.get("q", "r")
    assert (len(readers), repr(readers)) == (1, "<Readers of '/': 1>")


def test_each_queue_and_name_has_its_own(bench: Bench) -> None:
    for name in ("q", "p"):
        bench.queue(name)
    readers = bench.host().readers
    made = [readers.open("q", "one"), readers.open("q", "two"), readers.open("p", "one")]
    assert (list(readers), len({reader.stored for reader in made})) == (made, 3)


def test_it_needs_a_queue_a_name_and_the_right_to_it(bench: Bench) -> None:
    readers = bench.host().readers
    with pytest.raises(UnknownQueue, match="there is no queue 'q'"):
        readers.open("q", "r")
    bench.queue()
    with pytest.raises(BadConfiguration, match="a reader has a name"):
        readers.open("q", "")
    with pytest.raises(UnknownReader, match="queue 'q' has no reader 'r': open it first"):
        readers.get("q", "r")
    bench.queue("mine", private_to=bench.host().wiring.connect("me"))
    with pytest.raises(Locked):
        readers.open("mine", "r")


def test_they_come_back_each_to_its_host_and_with_its_number(bench: Bench) -> None:
    for host in ("/", "other"):
        bench.host(host).create_queue("q", persistent=True, now=0.0)
        bench.host(host).readers.open("q", f"of {host}")
    bench.finish()
    after = bench.killed()
    assert {
        host: [(reader.name, reader.stored) for reader in after.host(host).readers] for host in ("/", "other")
    } == {
        host: [(reader.name, reader.stored) for reader in bench.host(host).readers] for host in ("/", "other")
    }
    fresh = after.host().readers.open("q", "fresh").stored
    assert fresh > max(reader.stored for host in ("/", "other") for reader in bench.host(host).readers)
    assert after.queue("new").stored > fresh
