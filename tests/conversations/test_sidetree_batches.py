"""The reference implementation of Sidetree: batches that one side writes are read by the other."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode, b64encode
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BadBatchFile
from penstock.sidetree import requests
from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files import build, part_of, read_batch
from penstock.sidetree.multihash import hashed, multihash
from penstock.sidetree.operations import read_operation
from penstock.sidetree.protocol import ION, ORB
from tests.conversations.sidetree_lives import lives_of
from tests.sidetree.lives import key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from penstock.sidetree.protocol import Protocol
    from tests.conversations.sidetree_reference import Reference


def address(data: bytes) -> str:
    """As their storage for tests has it."""
    return encode(multihash(data))


def batch_of(random: Random, reference: Reference, count: int) -> list[tuple[str, str]]:
    """A request of each of so many lives, with its suffix."""
    return [
        (made["suffix"], random.choice(made["requests"])) for _, made in lives_of(random, reference, count)
    ]


def written_by_us(batch: list[tuple[str, str]], protocol: Protocol = ION) -> dict[str, Any]:
    files = build([part_of(read_operation(request.encode(), ION)) for _, request in batch], address, protocol)
    return {
        "anchor": str(files.anchor_string),
        "files": {file.uri: b64encode(file.data).decode() for file in files.files},
    }


def read_by_us(batch: dict[str, Any]) -> list[tuple[str, str, Any]]:
    found = read_batch(batch["anchor"], lambda uri, most: b64decode(batch["files"][uri]), ION)
    return sorted(
        ((each.type, each.suffix, parse(each.request)) for each in found), key=lambda each: each[:2]
    )


def read_by_them(batch: dict[str, Any], reference: Reference) -> list[tuple[str, str, Any]]:
    (told,) = reference.ask("read", [batch])
    assert told["reasons"] == []
    found = ((each["type"], each["suffix"], json.loads(each["request"])) for each in told["operations"])
    return sorted(found, key=lambda each: each[:2])


@pytest.mark.parametrize("count", [1, 2, 60])
def test_a_batch_that_one_writes_is_read_by_the_other(
    random: Random, reference: Reference, count: int
) -> None:
    batch = batch_of(random, reference, count)
    expected = sorted(
        ((parse(request.encode())["type"], suffix, json.loads(request)) for suffix, request in batch),
        key=lambda each: each[:2],
    )
    (theirs,) = reference.ask("written", [batch])
    assert read_by_us(theirs) == expected
    assert read_by_them(written_by_us(batch), reference) == expected


def test_what_orb_writes_is_no_batch_to_them(reference: Reference) -> None:
    signer = key("signer", "secp256k1")
    update = requests.update(hashed(1), [], key=signer, next_update_key=key("next", "secp256k1").public)
    batch = written_by_us([(hashed(1), canonical(update).decode())], ORB)
    (told,) = reference.ask("read", [batch])
    assert (told["operations"], len(told["reasons"])) == ([], 1)
    with pytest.raises(BadBatchFile, match="must be an object"):
        read_by_us(batch)


#: What is put in the place of something, or beside it.
STRANGE: list[Any] = [None, 5, "", [], {}, [[]], True, "a" * 101]


def places(value: Any, depth: int, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all that a file says, as deep as that; of a list its first entry stands for all."""
    if before:
        yield before
    inner = (
        value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    )
    for name, each in inner if len(before) < depth else ():
        yield from places(each, depth, (*before, name))


def spoilt_files(batch: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The batch with one thing wrong in one of its files: an entry that is strange, missing, or too many."""
    for uri, data in batch["files"].items():
        content = json.loads(gzip.decompress(b64decode(data)))
        for place in places(content, 2 if "deltas" in content else 5):
            if place[-1] in {
                "provisionalIndexFileUri",
                "provisionalProofFileUri",
                "chunkFileUri",
                "coreProofFileUri",
            }:
                continue  # an address where nothing is: they ask again later
            for strange in [*STRANGE, ...]:
                value = deepcopy(content)
                holder = value
                for name in place[:-1]:
                    holder = holder[name]
                if strange is ...:
                    del holder[place[-1]]
                else:
                    holder[place[-1]] = strange
                raw = json.dumps(value, ensure_ascii=False).encode()
                yield batch | {"files": batch["files"] | {uri: b64encode(gzip.compress(raw)).decode()}}


def test_a_batch_that_they_throw_away_is_none_to_us(random: Random, reference: Reference) -> None:
    batch: list[tuple[str, str]] = []
    while {parse(request.encode())["type"] for _, request in batch} < {
        "create",
        "update",
        "recover",
        "deactivate",
    }:
        batch = batch_of(random, reference, 20)
    spoilt = list(spoilt_files(written_by_us(batch)))
    for case, told in zip(spoilt, reference.ask("read", spoilt), strict=True):
        if told["reasons"]:
            with pytest.raises(BadBatchFile):
                read_by_us(case)
        else:
            read_by_us(case)
