from __future__ import annotations

import pytest

from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files.parts import part_of, part_of_request, request_of_part
from penstock.sidetree.operations import read_operation
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import whole_life

CREATE, UPDATE, RECOVER, DEACTIVATE = REQUESTS = whole_life()


@pytest.mark.parametrize("request_", REQUESTS)
def test_parts_that_are_cut_out_are_those_that_would_be_made(request_: bytes) -> None:
    assert part_of_request(request_) == part_of(read_operation(request_, ORB))


@pytest.mark.parametrize("request_", REQUESTS)
def test_parts_make_the_request_again(request_: bytes) -> None:
    assert request_of_part(part_of_request(request_)) == request_


@pytest.mark.parametrize("request_", REQUESTS[:3])
def test_a_delta_that_is_at_hand_is_not_made_again(request_: bytes) -> None:
    assert part_of(read_operation(request_, ORB), b"{}").delta == b"{}"


def test_each_file_gets_its_own() -> None:
    create, update, deactivate = (part_of_request(request) for request in (CREATE, UPDATE, DEACTIVATE))
    value = parse(UPDATE)
    assert create.index == canonical({"suffixData": parse(CREATE)["suffixData"]})
    assert create.proof == b""
    assert update.index == canonical({"didSuffix": value["didSuffix"], "revealValue": value["revealValue"]})
    assert (update.proof, update.delta) == (canonical(value["signedData"]), canonical(value["delta"]))
    assert deactivate.delta == b""
