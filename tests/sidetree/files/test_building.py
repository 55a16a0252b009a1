from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.errors import BadBatchFile
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files import build, part_of_request
from penstock.sidetree.files.compression import inflated
from penstock.sidetree.protocol import ORB
from tests.sidetree.files.batch import MOST, mixed
from tests.sidetree.lives import Life, address

REQUESTS = mixed()
PARTS = [part_of_request(request) for request in REQUESTS]
ORDER = [
    "chunk file",
    "provisional proof file",
    "provisional index file",
    "core proof file",
    "core index file",
]


def of_types(*types: str) -> list[str]:
    """The files of a batch that has these operations only."""
    return [file.name for file in build([part for part in PARTS if part.type in types], address, ORB).files]


def test_no_file_comes_before_those_it_names() -> None:
    built = build(PARTS, address, ORB)
    content = {file.name: parse(inflated(file.data, file.name, MOST, 3)) for file in built.files}
    uri = {file.name: file.uri for file in built.files}
    assert list(content) == ORDER
    assert content["core index file"]["provisionalIndexFileUri"] == uri["provisional index file"]
    assert content["core index file"]["coreProofFileUri"] == uri["core proof file"]
    assert content["provisional index file"]["provisionalProofFileUri"] == uri["provisional proof file"]
    assert content["provisional index file"]["chunks"] == [{"chunkFileUri": uri["chunk file"]}]
    assert str(built.anchor_string) == f"5.{uri['core index file']}"


def test_every_file_is_canonical_json_and_named_by_its_compressed_bytes() -> None:
    for file in build(PARTS, address, ORB).files:
        content = inflated(file.data, file.name, MOST, 3)
        assert canonical(parse(content)) == content
        assert (file.size, file.uri) == (len(content), address(file.data))


def test_entries_stand_by_type_and_in_the_order_of_the_queue() -> None:
    content = {
        file.name: parse(inflated(file.data, file.name, MOST, 3)) for file in build(PARTS, address, ORB).files
    }
    create, update, deactivate, recover, second = (parse(request) for request in REQUESTS)
    assert content["chunk file"]["deltas"] == [
        request["delta"] for request in (create, second, recover, update)
    ]
    assert content["core index file"]["operations"]["create"] == [
        {"suffixData": request["suffixData"]} for request in (create, second)
    ]
    assert content["core proof file"]["operations"] == {
        "recover": [recover["signedData"]],
        "deactivate": [deactivate["signedData"]],
    }
    assert content["provisional proof file"]["operations"] == {"update": [update["signedData"]]}


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["create"], ["chunk file", "provisional index file", "core index file"]),
        (["update"], ["chunk file", "provisional proof file", "provisional index file", "core index file"]),
        (["recover"], ["chunk file", "provisional index file", "core proof file", "core index file"]),
        (["deactivate"], ["core proof file", "core index file"]),
    ],
)
def test_a_file_that_would_be_empty_is_not_there(types: list[str], expected: list[str]) -> None:
    assert of_types(*types) == expected


def test_a_batch_has_some_operations_and_not_too_many() -> None:
    with pytest.raises(BadBatchFile, match="1 to 10000 operations, not 0"):
        build([], address, ORB)
    with pytest.raises(BadBatchFile, match="1 to 4 operations, not 5"):
        build(PARTS, address, replace(ORB, max_operation_count=4))


def test_an_address_that_nobody_would_take_is_found_at_once() -> None:
    with pytest.raises(BadBatchFile, match="chunk file: its address has 501 letters"):
        build(PARTS, lambda data: "u" * 501, ORB)


def test_whether_readers_will_take_the_files_is_known() -> None:
    built = build(PARTS, address, ORB)
    chunk = built.files[0]
    assert built.fit(ORB)
    assert not built.fit(replace(ORB, max_chunk_file_size=len(chunk.data) - 1))
    assert built.fit(replace(ORB, max_chunk_file_size=len(chunk.data)))
    # The content counts too, three times the limit of the file.
    repeated = build([part_of_request(Life().create())] * 200, address, ORB)
    assert repeated.files[0].size > 3 * len(repeated.files[0].data)
    assert not repeated.fit(replace(ORB, max_chunk_file_size=len(repeated.files[0].data)))
