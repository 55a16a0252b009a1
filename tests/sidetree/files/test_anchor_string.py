from __future__ import annotations

import pytest

from penstock.errors import BadBatchFile
from penstock.sidetree.files.anchor_string import AnchorString, read_anchor_string
from penstock.sidetree.protocol import ORB


@pytest.mark.parametrize("text", ["1.hl:uEiC", "10000.QmHash", "9.hl:uEiC:uoQ-BeDVp"])
def test_an_anchor_string_is_a_count_and_an_address(text: str) -> None:
    found = read_anchor_string(text, ORB)
    assert str(found) == text
    assert found == AnchorString(int(text.split(".", maxsplit=1)[0]), text.split(".")[1])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must be <count>"),
        ("1", "must be <count>"),
        ("1.", "must be <count>"),
        (".hl:u", "must be <count>"),
        ("0.hl:u", "must be <count>"),
        ("01.hl:u", "must be <count>"),
        ("-1.hl:u", "must be <count>"),
        ("+1.hl:u", "must be <count>"),
        ("1.5.hl:u", "must be <count>"),
        ("x.hl:u", "must be <count>"),
        ("\u0661.hl:u", "must be <count>"),
        (" 1.hl:u", "must be <count>"),
        ("10001.hl:u", "at most 10000 operations"),
        ("9" * 5000 + ".hl:u", "at most 10000 operations"),
        ("1." + "u" * 501, "at most 500 letters"),
    ],
)
def test_nothing_else_is_one(text: str, reason: str) -> None:
    with pytest.raises(BadBatchFile, match=f"anchor string: .*{reason}"):
        read_anchor_string(text, ORB)
