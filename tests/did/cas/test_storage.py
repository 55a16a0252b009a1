from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from penstock.did.cas.cid import cid_of
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.hashlink import HashLink
from penstock.did.cas.remote import Remote
from penstock.did.cas.storage import ContentStorage
from penstock.did.cas.stored import StoredContents
from penstock.errors import (
    BadHashLink,
    ContentForged,
    ContentNotFound,
    ContentTooLarge,
    NotAcceptable,
    Unavailable,
)

if TYPE_CHECKING:
    from pathlib import Path

DATA = b"a core index file"
NAME = resource_hash(DATA)
AT = "https://a.example/cas"
ELSEWHERE = "https://b.example/cas"
THEIRS = str(HashLink.to(NAME, [f"{ELSEWHERE}/{NAME}"]))


class Web:
    """One other domain."""

    def __init__(self, answer: bytes | Exception = DATA) -> None:
        self.answer = answer
        self.asked = 0

    def fetch(self, url: str, *, limit: int, accept: str = "") -> bytes:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def storage(folder: Path, web: Web | None = None, **options: int | None) -> ContentStorage:
    remote = None if web is None else Remote(read=web.fetch)
    return ContentStorage(StoredContents(str(folder)), links_at=AT, remote=remote, **options)  # type: ignore[arg-type]


def test_what_is_stored_is_found_under_its_hashlink(tmp_path: Path) -> None:
    cas = storage(tmp_path)
    link = cas.link(DATA)
    assert not cas.has(NAME)
    assert cas.put(DATA) == link
    assert link == HashLink.to(NAME, [f"{AT}/{NAME}"])
    assert cas.put(DATA) == link
    # Another process reads it, by whatever name.
    for reference in (str(link), link.bare, NAME, f"https:x.example:{NAME}"):
        assert storage(tmp_path).get(reference) == DATA
    assert storage(tmp_path).has(NAME)
    assert storage(tmp_path).read(NAME).fetched is None


@pytest.mark.parametrize("version", [0, 1])
def test_a_hashlink_names_the_cid_beside_if_it_is_to(tmp_path: Path, version: int) -> None:
    link = storage(tmp_path, tells_cid=version).put(DATA)
    assert link.links == (f"{AT}/{NAME}", f"ipfs://{cid_of(DATA, version=version)}")


def test_what_is_not_here_is_fetched_once_and_stored(tmp_path: Path) -> None:
    web = Web()
    content = storage(tmp_path, web).read(THEIRS)
    assert content.data == DATA
    assert content.fetched == HashLink.to(NAME, [f"{AT}/{NAME}"])
    assert storage(tmp_path, web).get(THEIRS) == DATA
    assert web.asked == 1


def test_what_is_in_memory_is_not_read_again(tmp_path: Path) -> None:
    cas = storage(tmp_path)
    cas.put(DATA)
    for path in tmp_path.rglob("uEi*"):
        path.unlink()
    assert cas.get(NAME) == DATA
    assert cas.has(NAME)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"a lie", ContentForged),
        (Unavailable("away"), Unavailable),
        (ContentNotFound("404"), ContentNotFound),
        (ContentTooLarge("huge"), ContentTooLarge),
    ],
)
def test_what_cannot_be_had_leaves_nothing_behind(
    tmp_path: Path, answer: bytes | Exception, expected: type[Exception]
) -> None:
    cas = storage(tmp_path, Web(answer))
    with pytest.raises(expected):
        cas.get(THEIRS)
    assert not cas.has(NAME)
    assert list(tmp_path.rglob("uEi*")) == []


def test_who_may_ask_nobody_has_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(ContentNotFound, match="nobody else may be asked"):
        storage(tmp_path).get(THEIRS)


def test_a_damaged_copy_counts_as_missing_and_is_replaced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    storage(tmp_path).put(DATA)
    (copy,) = tmp_path.rglob("uEi*")
    # Of the same length: only the hash tells.
    copy.write_bytes(bytes(len(DATA)))

    with pytest.raises(ContentNotFound):
        storage(tmp_path).get(NAME)
    assert storage(tmp_path, Web()).get(THEIRS) == DATA

    assert copy.read_bytes() == DATA
    assert "is damaged and counts as missing" in caplog.text


def test_no_content_is_larger_than_its_reader_allows(tmp_path: Path) -> None:
    cas = storage(tmp_path, limit=5)
    cas.put(DATA)
    with pytest.raises(ContentTooLarge):
        cas.get(NAME)
    assert cas.get(NAME, limit=len(DATA)) == DATA


def test_it_can_be_sent_to_executors(tmp_path: Path) -> None:
    cas = ContentStorage(StoredContents(str(tmp_path)), links_at=AT, remote=Remote(), limit=100)
    link = cas.put(DATA)
    sent = pickle.loads(pickle.dumps(cas))  # noqa: S301  made a line ago
    assert sent.get(str(link)) == DATA
    assert sent.put(b"another") == cas.put(b"another")
    assert repr(sent) == repr(cas) == f"<ContentStorage <StoredContents {tmp_path}> at {AT}>"


def test_nothing_is_not_stored(tmp_path: Path) -> None:
    with pytest.raises(NotAcceptable, match="empty"):
        storage(tmp_path).put(b"")


def test_what_is_no_reference_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadHashLink):
        storage(tmp_path).get("../../etc/passwd")
