from __future__ import annotations

from penstock.did.anchors.payload import Payload, Previous


def test_a_payload_tells_how_many_operations_and_where_they_begin() -> None:
    payload = Payload(
        core_index="hl:x:y", previous=[Previous("a"), Previous("b", "hl:z")], origin="https://a"
    )
    assert payload.operation_count == 2
    assert payload.anchor_string == "2.hl:x:y"
