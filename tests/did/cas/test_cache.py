from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

from penstock.did.cas.cache import Cache


def test_the_content_that_was_not_used_for_longest_makes_room() -> None:
    cache = Cache(entries=2)
    cache.put("a", b"1")
    cache.put("b", b"2")
    assert cache.get("a") == b"1"
    cache.put("c", b"3")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (b"1", None, b"3")


def test_bytes_are_bounded_too() -> None:
    cache = Cache(entries=100, size=10)
    cache.put("a", b"12345")
    cache.put("b", b"12345")
    cache.put("c", b"1")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (None, b"12345", b"1")
    assert repr(cache) == "<Cache 2 contents, 6 bytes>"


def test_a_content_that_is_larger_than_the_cache_displaces_nothing() -> None:
    cache = Cache(size=10)
    cache.put("a", b"1")
    cache.put("b", b"12345678901")
    assert (cache.get("a"), cache.get("b"), len(cache)) == (b"1", None, 1)


def test_the_same_content_once_more_counts_once() -> None:
    cache = Cache(size=10)
    for _ in range(9):
        cache.put("a", b"12345")
    assert repr(cache) == "<Cache 1 contents, 5 bytes>"


def test_sent_to_another_process_it_is_empty_and_as_large() -> None:
    cache = Cache(entries=1, size=10)
    cache.put("a", b"1")
    sent = pickle.loads(pickle.dumps(cache))  # noqa: S301  made a line ago
    assert len(sent) == 0
    for name in ("b", "c"):
        sent.put(name, b"12345678901" if name == "b" else b"1")
    assert (sent.get("b"), sent.get("c"), len(sent)) == (None, b"1", 1)


def test_threads_may_share_it() -> None:
    cache = Cache(entries=8, size=64)

    def work(start: int) -> None:
        for step in range(500):
            cache.put(str((start + step) % 20), bytes((start + step) % 20))
            cache.get(str(step % 20))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    held = [len(data) for number in range(20) if (data := cache.get(str(number))) is not None]
    assert repr(cache) == f"<Cache {len(held)} contents, {sum(held)} bytes>"
    assert len(held) <= 8
    assert sum(held) <= 64
