"""One's own files are read as anybody's are: the same operations, in less time and with fewer questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadBatchFile
from penstock.sidetree.canonical import canonical
from penstock.sidetree.files import Observed, build, part_of_request, read_batch, read_own_batch
from penstock.sidetree.files import own as module
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.protocol import ORB, Protocol
from tests.sidetree.files.batch import mixed
from tests.sidetree.lives import Life, add_keys, add_services, address

if TYPE_CHECKING:
    from collections.abc import Callable

PATCHES = [
    add_keys("first", "second"),
    add_services("files"),
    {"action": "remove-services", "ids": ["files"]},
    {"action": "ietf-json-patch", "patches": [{"op": "add", "path": "/names", "value": ["Ä€", 1e21, {}]}]},
    {"action": "add-also-known-as", "uris": ["https://example.com/é"]},
]
ORIGINS = ["https://orb.domain1.example/services/orb", "ipns://ü", None]


class Built:
    """The files of a batch, where they are fetched."""

    def __init__(self, requests: list[bytes], protocol: Protocol = ORB) -> None:
        files = build([part_of_request(request) for request in requests], address, protocol)
        self.anchor = str(files.anchor_string)
        self.names = {file.name: file.uri for file in files.files}
        self.store = {file.uri: file.data for file in files.files}

    def fetch(self, uri: str, most: int, /) -> bytes:
        return self.store[uri]

    def put(self, name: str, content: Any) -> None:
        """Something else where a file was."""
        self.store[self.names[name]] = compressed(canonical(content))


@st.composite
def operations(draw: st.DrawFn) -> list[bytes]:
    """Of different DIDs, each at a point of its life."""
    return [_operation(draw, number) for number in range(draw(st.integers(1, 6)))]


def _operation(draw: st.DrawFn, number: int) -> Any:
    life = Life(f"life{number}", draw(st.sampled_from(["P-256", "Ed25519", "secp256k1"])))
    patches, origin = draw(st.lists(st.sampled_from(PATCHES), max_size=2)), draw(st.sampled_from(ORIGINS))
    creation = life.create(*patches, origin=origin)
    later: list[Callable[[], Any]] = [
        lambda: creation,
        lambda: life.update(*patches, anchor_from=1),
        lambda: life.recover(*patches, origin=origin),
        life.deactivate,
    ]
    return draw(st.sampled_from(later))()


def without_signed(observed: Observed) -> Observed:
    return Observed(
        observed.type, observed.suffix, observed.request, observed.anchor_origin, observed.reveal_value
    )


@given(operations())
def test_the_same_operations_are_read_as_by_who_asks_everything(requests: list[bytes]) -> None:
    built = Built(requests)
    plainly = read_batch(built.anchor, built.fetch, ORB)
    assert read_own_batch(built.anchor, built.fetch, ORB) == tuple(map(without_signed, plainly))
    assert sorted(each.request for each in plainly) == sorted(requests)


def test_so_they_are_where_signatures_stand_in_objects() -> None:
    protocol = replace(ORB, proof_forms=("object",))
    built = Built(mixed(), protocol)
    plainly = read_batch(built.anchor, built.fetch, protocol)
    assert read_own_batch(built.anchor, built.fetch, protocol) == tuple(map(without_signed, plainly))


def test_the_protocols_limits_are_kept_all_the_same() -> None:
    built = Built(mixed())
    with pytest.raises(BadBatchFile, match="over the limit of 10"):
        read_own_batch(built.anchor, built.fetch, replace(ORB, max_chunk_file_size=10))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("core index file", [], "it is said to be built here"),
        ("core index file", {"operations": {"create": [{"suffixData": {}}]}}, "other deltas"),
        ("chunk file", {"deltas": []}, "other deltas"),
        ("provisional proof file", {"operations": {"update": []}}, "it is said to be built here"),
        ("core proof file", {"operations": {"recover": ["x"], "deactivate": [""]}}, "said to be built here"),
        ("provisional index file", {"chunks": []}, "it is said to be built here"),
    ],
)
def test_files_that_were_not_built_here_are_seen(name: str, content: Any, reason: str) -> None:
    built = Built(mixed())
    built.put(name, content)
    with pytest.raises(BadBatchFile, match=reason):
        read_own_batch(built.anchor, built.fetch, ORB)


def test_so_is_an_anchor_of_another_number_of_operations() -> None:
    built = Built(mixed())
    with pytest.raises(BadBatchFile, match="promises 7 operations, and the files have 5"):
        read_own_batch(f"7.{built.names['core index file']}", built.fetch, ORB)


def test_nothing_is_verified_or_looked_at_again() -> None:
    used = vars(module)
    assert not {"check_delta", "read_signed_data", "verify", "check_suffix_data"} & used.keys()
