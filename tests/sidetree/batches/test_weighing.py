from __future__ import annotations

import pytest

from penstock.sidetree.batches.judging import Queued, judge
from penstock.sidetree.batches.weighing import FILES, PERCENT, limits, weights_in, weights_of
from penstock.sidetree.files import build, part_of_request
from penstock.sidetree.operations import TYPES
from penstock.sidetree.protocol import ORB, Protocols
from tests.sidetree.lives import NOW, Life, address, whole_life

PROTOCOLS = Protocols([ORB])


@pytest.mark.parametrize("place", range(4), ids=["create", "update", "recover", "deactivate"])
def test_a_glance_at_a_request_tells_as_much_as_its_parts(place: int) -> None:
    request = whole_life()[place]
    part = part_of_request(request)
    assert weights_in(part.type, request) == weights_of(part)


@pytest.mark.parametrize("origin", ["https://b.example", "x" * 900, 'a ","suffixData":{ b'])
def test_what_a_client_chooses_weighs_where_it_will_stand(origin: str) -> None:
    request = Life().create(origin=origin)
    assert weights_in("create", request) == weights_of(part_of_request(request))


@pytest.mark.parametrize("type_", TYPES)
def test_what_is_not_canonical_counts_wherever_it_may_stand(type_: str) -> None:
    for request in (b"", b"{}", b'{ "didSuffix": "a" }', b',"signedData":"didSuffix":'):
        found = weights_in(type_, request)
        assert found == tuple(len(request) * each // 100 for each in PERCENT[type_])


def test_limits_are_in_the_order_of_weights() -> None:
    assert dict(zip(FILES, limits(ORB), strict=True)) == {
        "core index": 1_000_000,
        "core proof": 2_500_000,
        "provisional index": 1_000_000,
        "provisional proof": 2_500_000,
        "chunk": 10_000_000,
    }


@pytest.mark.parametrize("type_", TYPES)
def test_weights_are_about_what_the_files_will_have(type_: str) -> None:
    made = {}
    for number in range(60):
        requests = dict(
            zip(("create", "update", "recover", "deactivate"), whole_life(f"life{number}"), strict=True)
        )
        found = judge(Queued(number, requests[type_]), PROTOCOLS, NOW).candidate
        assert found is not None
        made[number] = found
    files = {
        file.name.removesuffix(" file"): len(file.data)
        for file in build([part_of_request(found.request) for found in made.values()], address, ORB).files
    }
    for place, name in enumerate(FILES):
        weight = sum(found.weights[place] for found in made.values())
        assert (weight == 0) == (PERCENT[type_][place] == 0)
        if weight and name != "chunk":
            # Sixty are few: the first ones cost more than the others will.
            assert 0.8 < weight / files[name] < 1.2
