from __future__ import annotations

import pytest

from penstock.did.cas import HashLink
from penstock.did.observing.observation import Observation, link_to, ways_to

NAME = HashLink.of(b"an anchor").hash


@pytest.mark.parametrize(
    ("author", "hint", "place"),
    [
        ("https://a.example/services/orb", "https:a.example", f"https://a.example/cas/{NAME}"),
        ("http://127.0.0.1:8326/services/orb", "http:127.0.0.1:8326", f"http://127.0.0.1:8326/cas/{NAME}"),
        ("did:web:a.example:services:orb", "https:a.example", f"https://a.example/cas/{NAME}"),
    ],
)
def test_the_ways_to_an_anchor_are_its_authors(author: str, hint: str, place: str) -> None:
    assert link_to(author, NAME) == HashLink.to(NAME, [place])
    assert ways_to(author, NAME) == (str(HashLink.to(NAME, [place])), f"{hint}:{NAME}")


def test_who_tells_no_domain_leads_nowhere() -> None:
    assert ways_to("somebody", NAME) == (f"hl:{NAME}",)


def test_an_observation_knows_where_its_author_has_it() -> None:
    author = "https://a.example/services/orb"
    found = Observation(hash=NAME, author=author, issued_at=1.0, parents=(), operations=())
    assert found.link == link_to(author, NAME)
