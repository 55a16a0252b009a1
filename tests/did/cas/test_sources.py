from __future__ import annotations

import pytest

from penstock.did.cas import ContentStorage, HashLink, Remote
from penstock.did.cas.sources import MOST, Sources
from penstock.errors import BadHashLink, ContentNotFound, ContentTooLarge, Unavailable
from tests.did.anchoring.helpers import PaperContents

DATA = b"a file"
NAME = HashLink.of(DATA).hash


class Places:
    """URLs, and what is there."""

    def __init__(self, **found: bytes | Exception) -> None:
        self.found = found
        self.asked: list[str] = []

    def fetch(self, url: str, *, limit: int, accept: str = "") -> bytes:
        self.asked.append(url)
        host = url.split("/")[2]
        if "webfinger" in url:
            return f'{{"links":[{{"rel":"self","href":"https://{host}/it"}}]}}'.encode()
        found = self.found.get(host, ContentNotFound(f"{host} has nothing"))
        if isinstance(found, Exception):
            raise found
        return found


def sources(places: Places, *others: str) -> Sources:
    cas = ContentStorage(PaperContents(), links_at="https://me/cas", remote=Remote(read=places.fetch))
    return Sources(cas, tuple(f"https:{other}" for other in others))


LINK = str(HashLink.to(NAME, ["https://author/it"]))


def test_what_is_where_it_says_comes_from_there() -> None:
    places = Places(author=DATA)
    assert sources(places, "other")(LINK, 100) == DATA
    assert places.asked == ["https://author/it"]


@pytest.mark.parametrize("fault", [b"lies", ContentNotFound("gone"), Unavailable("away")])
def test_others_are_asked_when_it_cannot_be_had_there(fault: bytes | Exception) -> None:
    assert sources(Places(author=fault, second=DATA), "first", "second")(LINK, 100) == DATA


def test_if_nobody_has_it_the_first_reason_is_told_and_few_are_asked() -> None:
    places = Places(author=Unavailable("away"))
    with pytest.raises(Unavailable, match="away"):
        sources(places, *(f"other{number}" for number in range(2 * MOST)))(LINK, 100)
    assert len({url.split("/")[2] for url in places.asked}) == 1 + MOST


def test_nobody_else_is_asked_about_what_cannot_be() -> None:
    places = Places(author=DATA)
    with pytest.raises(BadHashLink):
        sources(places, "other")("nonsense:", 100)
    bomb = Places(author=ContentTooLarge("too many bytes"), other=DATA)
    with pytest.raises(ContentTooLarge):
        sources(bomb, "other")(LINK, 2)
    assert bomb.asked == ["https://author/it"]
