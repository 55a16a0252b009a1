from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.did.credentials import SigningKey
from penstock.did.operation_queue.operation import Checked, Posted, operation_id
from penstock.did.operation_queue.seal import Seal
from penstock.pipelines.did.writing import choosing
from penstock.pipelines.did.writing.choosing import choose
from penstock.pipelines.did.writing.outcome import LONGEST
from penstock.sidetree.batches import assemble
from penstock.sidetree.batches.judging import Queued
from penstock.sidetree.files import read_batch
from penstock.sidetree.protocol import ORB, Protocols
from tests.pipelines.did.writing.operations import PROTOCOLS, SEAL, create, mixed, one, queued
from tests.sidetree.lives import NOW, Life, address, changed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.pipelines.did.writing.choosing import Choice

OPERATIONS = mixed(24)


def chosen(cut: Sequence[Posted], protocols: Protocols = PROTOCOLS, **more: Any) -> Choice:
    return choose(cut, protocols, NOW, address, seal=SEAL, **more)


def files(choice: Choice) -> list[bytes]:
    assert choice.batch is not None
    return [file.data for file in choice.batch.files.files]


def test_a_batch_has_all_that_can_be_in_it_and_reads_back() -> None:
    choice = chosen(OPERATIONS)
    assert choice.batch is not None
    assert (choice.batch.files.count, choice.deferred, choice.refused) == (24, [], {})
    store = {file.uri: file.data for file in choice.batch.files.files}
    read = read_batch(str(choice.batch.files.anchor_string), lambda uri, _: store[uri], ORB)
    assert {each.suffix for each in read} == {each.operation.unique_suffix for each in OPERATIONS}


def test_files_are_the_same_to_the_byte_whoever_judged_and_wherever() -> None:
    unchecked = [
        queued(each.operation.operation_request, each.operation.unique_suffix, is_checked=False)
        for each in OPERATIONS
    ]
    queue = [Queued(number, each.operation.operation_request) for number, each in enumerate(OPERATIONS)]
    [batch] = assemble(queue, PROTOCOLS, NOW, address).batches
    assert files(chosen(OPERATIONS)) == files(chosen(unchecked)) == [file.data for file in batch.files.files]


def test_what_was_checked_when_it_was_taken_in_is_not_verified_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def verified(*_: object, **__: object) -> None:
        raise AssertionError("once in its life")

    monkeypatch.setattr(choosing, "judge", verified)
    assert chosen(OPERATIONS).refused == {}


ANOTHER = Seal(SigningKey.generate())


def forged(*, seal: Seal | None = None, **more: Any) -> Posted:
    life = Life("forged")
    life.create()
    request = life.update()
    compact = b'"signedData":"'
    at = request.index(compact) + len(compact)
    end = request.index(b'"', at)
    posted = queued(request[: end - 4] + b"AAAA" + request[end:], life.suffix, is_checked=False, **more)
    return posted._replace(operation=seal.on(posted.operation, closes=None)) if seal else posted


def expired(*, is_checked: bool) -> Posted:
    life = Life("late")
    life.create()
    return queued(life.update(anchor_until=NOW), life.suffix, is_checked=is_checked, closes=NOW)


#: Operations that can be in no batch: why, and the reason that is told.
BAD = {
    "no JSON": (create("bad", operation_request=b"\xff\xfe", is_checked=False), "JSON"),
    "no JSON, and said to be checked": (create("bad", operation_request=b"nothing"), "DecodeError"),
    "of no type": (create("bad", operation_request=b'{"type":"forget"}'), "KeyError: 'forget'"),
    "forged": (forged(), "signature"),
    "forged, and sealed by another domain": (forged(seal=ANOTHER), "signature"),
    "forged, and said to be checked": (forged(checked=Checked(None, bytes(16))), "signature"),
    "expired": (expired(is_checked=False), "until"),
    "expired since it was taken in": (expired(is_checked=True), "until"),
    "of an unknown protocol": (create("bad", protocol_version=9), "genesis time 9"),
    "another DID's": (create("bad", unique_suffix="EiA", is_checked=False), "it is said to be create of EiA"),
    "of an origin that is not taken": (create("bad", is_checked=False), "anchorOrigin"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_operation_is_refused_with_its_reason_and_the_others_are_not_harmed(name: str) -> None:
    bad, reason = BAD[name]
    origins = {"https://only.example"} if "origin" in name else None
    cut = [OPERATIONS[0], bad, OPERATIONS[3]]
    choice = chosen(cut, origins=origins)
    assert list(choice.refused) == [bad.id]
    assert reason in choice.refused[bad.id]
    assert files(choice) == files(chosen([OPERATIONS[0], OPERATIONS[3]]))


def test_an_operation_that_makes_python_fail_is_refused_with_what_it_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bad = create("deep", is_checked=False)

    def fail(queued: Queued, *_: object, **__: object) -> None:
        raise RecursionError("x" * 10_000)

    monkeypatch.setattr(choosing, "judge", fail)
    choice = chosen([bad, *OPERATIONS])
    assert choice.refused[bad.id].startswith("RecursionError: xxx")
    assert len(choice.refused[bad.id]) == LONGEST
    assert files(choice) == files(chosen(OPERATIONS))


def test_the_second_operation_of_a_did_waits_for_the_next_batch() -> None:
    life = Life("twice")
    first = queued(life.create(), life.suffix)
    second = queued(life.update(), life.suffix)
    choice = chosen([first, second])
    assert (choice.deferred, choice.refused) == ([second.id], {})
    assert files(choice) == files(chosen([first]))


def test_what_changes_a_did_without_an_anchor_waits_and_what_creates_it_does_not() -> None:
    update, made = one("update", "a"), create("b")
    suffixes = {each.operation.unique_suffix for each in (update, made)}
    choice = chosen([update, made], unanchored=suffixes)
    assert choice.deferred == [update.id]
    assert files(choice) == files(chosen([made]))


def test_a_cut_of_nothing_but_what_waits_has_no_batch() -> None:
    update = one("update", "a")
    choice = chosen([update], unanchored={update.operation.unique_suffix})
    assert choice == (None, [update.id], {})


def test_what_the_files_have_no_room_for_waits_in_order() -> None:
    small = Protocols([replace(ORB, max_chunk_file_size=2_000)])
    choice = chosen(OPERATIONS, small)
    assert choice.batch is not None
    assert 0 < choice.batch.files.count < len(OPERATIONS)
    assert choice.batch.files.fit(small.current())
    assert choice.deferred == [each.id for each in OPERATIONS[choice.batch.files.count :]]


def test_an_operation_that_fits_no_file_is_refused_and_the_next_one_taken() -> None:
    tiny = Protocols([replace(ORB, max_proof_file_size=20)])
    update, made = one("update", "a"), create("b")
    choice = chosen([update, made], tiny)
    assert list(choice.refused) == [update.id]
    assert files(choice) == files(chosen([made]))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(OPERATIONS + [bad for bad, _ in BAD.values()]), unique_by=lambda each: each.id)
)
def test_each_operation_has_one_outcome(cut: list[Posted]) -> None:
    choice = chosen(cut)
    taken = [cut[each.sequence].id for each in choice.batch.plan.candidates] if choice.batch else []
    assert sorted([*taken, *choice.deferred, *choice.refused]) == sorted(each.id for each in cut)


def test_an_operation_is_taken_by_its_request_not_by_its_message() -> None:
    assert create("a").id == operation_id(create("a").operation.operation_request)
    assert create("a", operation_request=changed(Life("a").create(), type="create")).id == create("a").id
