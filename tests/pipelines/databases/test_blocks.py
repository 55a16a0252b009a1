from __future__ import annotations

import struct

from penstock.pipelines.databases.blocks import block_of


def test_columns_come_out_of_a_block_as_they_were_gathered() -> None:
    numbers = struct.pack(">3q", -1, 0, 2**62)
    lengths = struct.pack(">3i", 2, 0, 1)
    batch = block_of(["id", "title"], [True, False], 3, [numbers, lengths, "éx".encode()])
    assert batch.to_pydict() == {"id": [-1, 0, 2**62], "title": ["é", "", "x"]}
    batch.validate(full=True)
