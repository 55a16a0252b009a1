"""Malformed batches by the dozen: each has one thing wrong, and is refused with the file and the reason."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadBatchFile
from penstock.sidetree.files import read_batch
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.multihash import hashed
from penstock.sidetree.operations import read_operation
from penstock.sidetree.protocol import ORB, SIDETREE
from tests.sidetree.files.batch import Stored, mixed
from tests.sidetree.lives import Life, add_services

CORE, PROVISIONAL = "core index file", "provisional index file"
CORE_PROOF, PROVISIONAL_PROOF, CHUNK = "core proof file", "provisional proof file", "chunk file"
REQUESTS = mixed()

Spoil = Callable[[dict[str, Any]], object]


def test_a_batch_gives_back_the_operations_it_was_built_of() -> None:
    found = Stored(REQUESTS).read()
    assert [entry.type for entry in found] == [
        "create",
        "create",
        "recover",
        "update",
        "deactivate",
    ]
    assert sorted(entry.request for entry in found) == sorted(REQUESTS)
    for entry in found:
        operation = read_operation(entry.request, ORB)
        assert (entry.type, entry.suffix) == (operation.type, operation.suffix)
        assert entry.anchor_origin == getattr(operation, "anchor_origin", None)
        assert entry.signed == getattr(operation, "signed", None)
        assert entry.reveal_value == getattr(operation, "reveal_value", "")


@pytest.mark.parametrize("type_", ["create", "update", "recover", "deactivate"])
def test_so_does_a_batch_of_one_type(type_: str) -> None:
    requests = [request for request in REQUESTS if read_operation(request, ORB).type == type_]
    assert [entry.request for entry in Stored(requests).read()] == requests


def test_proofs_as_ion_writes_them_are_read() -> None:
    stored = Stored(REQUESTS)
    for file in (CORE_PROOF, PROVISIONAL_PROOF):
        operations = stored.files[file]["operations"]
        for type_, compacts in operations.items():
            operations[type_] = [{"signedData": compact} for compact in compacts]
    assert sorted(entry.request for entry in stored.read()) == sorted(REQUESTS)


def test_lists_that_are_empty_and_a_writers_lock_are_read() -> None:
    stored = Stored([REQUESTS[2]])
    stored.files[CORE]["operations"] |= {"create": [], "recover": []}
    stored.files[CORE]["writerLockId"] = "lock"
    stored.files[CORE_PROOF]["operations"]["recover"] = []
    assert [entry.type for entry in stored.read()] == ["deactivate"]


def put(*path: Any, to: Any) -> Spoil:
    """Something else in that place."""

    def spoil(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        value[path[-1]] = to

    return spoil


def drop(*path: Any) -> Spoil:
    def spoil(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        del value[path[-1]]

    return spoil


def again(*path: Any) -> Spoil:
    """The first entry of that list once more."""

    def spoil(value: Any) -> None:
        for step in path:
            value = value[step]
        value.append(value[0])

    return spoil


DEEP = json.loads("[" * 101 + "]" * 101)
DEEP_DELTA = {
    "patches": [{"action": "ietf-json-patch", "patches": [{"op": "add", "path": "/x", "value": DEEP}]}],
    "updateCommitment": hashed("x"),
}
LONG_DELTA = {"patches": [add_services(*(f"service{n}" for n in range(20)))], "updateCommitment": hashed("x")}

#: The file that is spoilt, how, and what is said; the file that is blamed, if it is another one.
CASES: list[tuple[str, Spoil, str] | tuple[str, Spoil, str, str]] = [
    # Core index file
    (CORE, put("more", to=1), "it has no member 'more'"),
    (CORE, put("operations", to=[]), "operations must be an object"),
    (CORE, put("operations", "update", to=[]), "operations has no member 'update'"),
    (CORE, put("operations", "create", to={}), "the entries of create must be a list"),
    (CORE, put("operations", "recover", to="x"), "the entries of recover must be a list"),
    (CORE, put("operations", "create", 1, to={}), "create 1: its entry has no 'suffixData'"),
    (CORE, put("operations", "create", 0, "more", to=1), "create 0: its entry has no member 'more'"),
    (CORE, put("operations", "create", 0, "suffixData", to=None), "create 0: suffixData must be an object"),
    (CORE, put("operations", "create", 0, "suffixData", "deltaHash", to="x"), "create 0: deltaHash is not"),
    (
        CORE,
        drop("operations", "create", 0, "suffixData", "recoveryCommitment"),
        "create 0: .*no 'recoveryComm",
    ),
    (CORE, put("operations", "create", 0, "suffixData", "more", to=1), "create 0: .*no member 'more'"),
    (CORE, put("operations", "recover", 0, to=[]), "recover 0: its entry must be an object"),
    (CORE, drop("operations", "recover", 0, "didSuffix"), "recover 0: .*no 'didSuffix'"),
    (CORE, drop("operations", "deactivate", 0, "revealValue"), "deactivate 0: .*no 'revealValue'"),
    (CORE, put("operations", "deactivate", 0, "revealValue", to=""), "deactivate 0: revealValue is not"),
    (CORE, put("operations", "deactivate", 0, "didSuffix", to="A" * 101), "didSuffix must be .*at most 100"),
    (CORE, put("operations", "deactivate", 0, "delta", to={}), "deactivate 0: .*no member 'delta'"),
    (CORE, drop("coreProofFileUri"), "coreProofFileUri must be there if"),
    (CORE, put("coreProofFileUri", to=""), "coreProofFileUri must be an address"),
    (CORE, put("coreProofFileUri", to=5), "coreProofFileUri must be an address"),
    (CORE, put("coreProofFileUri", to="u" * 501), "coreProofFileUri must be an address of at most 500"),
    (CORE, drop("provisionalIndexFileUri"), "provisionalIndexFileUri must be there: creates"),
    (CORE, put("provisionalIndexFileUri", to="u" * 501), "provisionalIndexFileUri must be an address"),
    (CORE, put("provisionalIndexFileUri", to=None), "provisionalIndexFileUri must be an address"),
    (CORE, put("writerLockId", to="x" * 201), "writerLockId has at most 200 bytes"),
    (CORE, put("writerLockId", to=5), "writerLockId has at most 200 bytes"),
    (CORE, again("operations", "create"), "promises 5 operations, and the files have 6", "anchor string"),
    (CORE, drop("operations", "create", 1), "promises 5 operations, and the files have 4", "anchor string"),
    # Provisional index file
    (PROVISIONAL, put("more", to=1), "it has no member 'more'"),
    (PROVISIONAL, drop("chunks"), "it has no 'chunks'"),
    (PROVISIONAL, put("chunks", to=[]), "exactly one chunk file"),
    (PROVISIONAL, put("chunks", to={}), "exactly one chunk file"),
    (PROVISIONAL, again("chunks"), "exactly one chunk file"),
    (PROVISIONAL, put("chunks", 0, to="u"), "a chunk's entry must be an object"),
    (PROVISIONAL, put("chunks", 0, "more", to=1), "a chunk's entry has no member 'more'"),
    (PROVISIONAL, put("chunks", 0, "chunkFileUri", to=""), "chunkFileUri must be an address"),
    (PROVISIONAL, put("chunks", 0, "chunkFileUri", to="u" * 501), "chunkFileUri must be an address"),
    (PROVISIONAL, drop("provisionalProofFileUri"), "provisionalProofFileUri must be there if"),
    (PROVISIONAL, put("provisionalProofFileUri", to="u" * 501), "provisionalProofFileUri must be an address"),
    (PROVISIONAL, drop("operations"), "provisionalProofFileUri must be there if .* and only then"),
    (PROVISIONAL, put("operations", "create", to=[]), "operations has no member 'create'"),
    (PROVISIONAL, put("operations", "update", to=5), "the entries of update must be a list"),
    (PROVISIONAL, put("operations", "update", 0, "didSuffix", to="x"), "update 0: didSuffix is not"),
    (PROVISIONAL, drop("operations", "update", 0, "revealValue"), "update 0: .*no 'revealValue'"),
    (
        PROVISIONAL,
        again("operations", "update"),
        "promises 5 operations, and the files have 6",
        "anchor string",
    ),
    # Proof files
    (CORE_PROOF, put("more", to=1), "it has no member 'more'"),
    (CORE_PROOF, drop("operations"), "it has no 'operations'"),
    (CORE_PROOF, put("operations", to=5), "operations must be an object"),
    (CORE_PROOF, put("operations", "create", to=[]), "operations has no member 'create'"),
    (CORE_PROOF, drop("operations", "recover"), "proves 0 recovers, and the index file has 1"),
    (CORE_PROOF, again("operations", "deactivate"), "proves 2 deactivates, and the index file has 1"),
    (CORE_PROOF, put("operations", "recover", 0, to=5), "recover 0: its entry must be an object"),
    (CORE_PROOF, put("operations", "recover", 0, to="a.b"), "recover 0: signedData must be a compact JWS"),
    (CORE_PROOF, put("operations", "recover", 0, to={"signedData": 5}), "recover 0: signedData must be a"),
    (CORE_PROOF, put("operations", "deactivate", 0, to="e30.e30.AA"), "deactivate 0: a JWS header must name"),
    (PROVISIONAL_PROOF, again("operations", "update"), "proves 2 updates, and the index file has 1"),
    (PROVISIONAL_PROOF, put("operations", "recover", to=[]), "operations has no member 'recover'"),
    (PROVISIONAL_PROOF, put("operations", "update", 0, to={}), "update 0: its entry has no 'signedData'"),
    (PROVISIONAL_PROOF, put("operations", "update", to={}), "the entries of update must be a list"),
    # Chunk file
    (CHUNK, put("more", to=1), "it has no member 'more'"),
    (CHUNK, drop("deltas"), "it has no 'deltas'"),
    (CHUNK, put("deltas", to=None), "deltas must be a list"),
    (CHUNK, put("deltas", to=[]), "has 0 deltas, and the index files have 4 operations"),
    (CHUNK, again("deltas"), "has 5 deltas, and the index files have 4 operations"),
    (CHUNK, put("deltas", 2, to=None), "delta 2: the delta must be an object"),
    (CHUNK, put("deltas", 0, "more", to=1), "delta 0: the delta has no member 'more'"),
    (CHUNK, put("deltas", 3, "patches", to=[]), "delta 3: the patches of a delta must list"),
    (CHUNK, put("deltas", 1, "patches", 0, "action", to="fly"), "delta 1: .*known, not 'fly'"),
    (CHUNK, put("deltas", 0, "updateCommitment", to=None), "delta 0: updateCommitment must be"),
    (CHUNK, put("deltas", 0, to=DEEP_DELTA), "delta 0: .*deeper than 100 levels"),
    (
        CORE,
        put("operations", "create", 0, "suffixData", "anchorOrigin", to=DEEP),
        "create 0: .*deeper than 100",
    ),
    (CHUNK, put("deltas", 0, to=LONG_DELTA), "delta 0: a delta of .* over the limit of 1700"),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case[0]}-{case[2][:40]}" for case in CASES])
def test_a_batch_with_one_thing_wrong_is_refused(case: tuple[str, Spoil, str, *tuple[str, ...]]) -> None:
    file, spoil, reason, *blamed = case
    stored = Stored(REQUESTS)
    spoil(stored.files[file])
    with pytest.raises(BadBatchFile, match=f": .*{reason}") as caught:
        stored.read()
    assert caught.value.file == (blamed[0] if blamed else file)


@pytest.mark.parametrize("file", [CORE, PROVISIONAL, CORE_PROOF, PROVISIONAL_PROOF, CHUNK])
@pytest.mark.parametrize("value", [None, [], "text", 5])
def test_a_file_that_is_no_object_is_refused(file: str, value: Any) -> None:
    stored = Stored(REQUESTS)
    stored.files[file] = value
    with pytest.raises(BadBatchFile, match=f"{file}: it must be an object"):
        stored.read()


@pytest.mark.parametrize(
    ("file", "limit"),
    [
        (CORE, "max_core_index_file_size"),
        (PROVISIONAL, "max_provisional_index_file_size"),
        (CORE_PROOF, "max_proof_file_size"),
        (CHUNK, "max_chunk_file_size"),
    ],
)
def test_every_file_has_its_limit(file: str, limit: str) -> None:
    stored = Stored(REQUESTS)
    size = len(stored.raw[file])
    exact: dict[str, Any] = {limit: size}
    less: dict[str, Any] = {limit: size - 1}
    stored.read(replace(ORB, **exact))
    with pytest.raises(BadBatchFile, match=f"{file}: .*over the limit of {size - 1}"):
        stored.read(replace(ORB, **less))


@pytest.mark.parametrize("file", [CORE, PROVISIONAL, CORE_PROOF, PROVISIONAL_PROOF, CHUNK])
@pytest.mark.parametrize("data", [b"", b"{}", b"\x1f\x8b\x08"])
def test_a_file_that_is_no_gzip_is_refused(file: str, data: bytes) -> None:
    stored = Stored(REQUESTS)
    stored.raw[file] = data
    with pytest.raises(BadBatchFile, match=f"{file}: it is no gzip"):
        stored.read()


def test_a_key_that_stands_twice_is_refused_in_files_too() -> None:
    stored = Stored(REQUESTS)
    stored.raw[CHUNK] = compressed(b'{"deltas":[],"deltas":[]}')
    with pytest.raises(BadBatchFile, match=r"chunk file: .*'deltas' stands twice"):
        stored.read()


@pytest.mark.parametrize("count", [1, 4, 6, 10_000])
def test_the_anchor_must_count_right(count: int) -> None:
    stored = Stored(REQUESTS)
    stored.count = count
    with pytest.raises(BadBatchFile, match=f"promises {count} operations, and the files have 5"):
        stored.read()


def test_a_did_may_stand_in_a_batch_once() -> None:
    life = Life("twice")
    create, update = life.create(), life.update()
    for requests in ([create, update], [create, create], [update, life.deactivate()]):
        with pytest.raises(BadBatchFile, match="has more than one operation"):
            Stored(requests).read()


def test_a_core_index_that_leads_nowhere_is_refused() -> None:
    stored = Stored(REQUESTS)
    stored.files[CORE] = {}
    with pytest.raises(BadBatchFile, match="core index file: it has no operations"):
        stored.read()


def test_only_as_much_is_fetched_as_may_be() -> None:
    stored = Stored(REQUESTS)
    asked: list[int] = []

    def fetch(uri: str, most: int) -> bytes:
        asked.append(most)
        return stored.raw[CORE] if len(asked) == 1 else b""

    with pytest.raises(BadBatchFile, match="provisional index file"):
        read_batch("5.u", fetch, replace(ORB, max_provisional_index_file_size=77))
    assert asked == [ORB.max_core_index_file_size, 77]


def test_signatures_are_not_judged_here_but_when_a_did_is_resolved() -> None:
    stored = Stored(REQUESTS)
    operations = stored.files[PROVISIONAL_PROOF]["operations"]
    operations["update"] = [f"{operations['update'][0][:-4]}AAAA"]
    assert len(stored.read()) == 5


def test_what_is_wrong_and_what_is_right_can_travel_between_processes() -> None:
    stored = Stored(REQUESTS)
    assert pickle.loads(pickle.dumps(stored.read())) == stored.read()  # noqa: S301  our own
    error = pickle.loads(pickle.dumps(BadBatchFile("chunk file", "it is bad")))  # noqa: S301  our own
    assert (error.file, error.reason, str(error)) == ("chunk file", "it is bad", "chunk file: it is bad")


def test_limits_are_those_of_the_version() -> None:
    with pytest.raises(BadBatchFile, match="at most 49 letters"):
        Stored(REQUESTS).read(replace(SIDETREE, max_cas_uri_length=49))


@given(
    st.sampled_from([CORE, PROVISIONAL, CORE_PROOF, PROVISIONAL_PROOF, CHUNK]),
    st.recursive(
        st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["operations", "create", "deltas", "chunks", "update"]), inner)
        ),
        max_leaves=8,
    ),
    st.data(),
)
def test_no_content_raises_anything_else(file: str, value: Any, data: st.DataObject) -> None:
    stored = Stored(REQUESTS)
    members = sorted(stored.files[file])
    member = data.draw(st.sampled_from([None, *members]))
    if member is None:
        stored.files[file] = value
    else:
        stored.files[file][member] = value
    with pytest.raises(BadBatchFile):
        stored.read()
