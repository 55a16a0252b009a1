from __future__ import annotations

import pytest

from penstock.errors import CheckpointMismatch
from penstock.pipelines.options import SourceOptions
from penstock.pipelines.source.offset import offset_at, position_in

OPTIONS = SourceOptions.read({"url": "amqp://me:sesame@host", "queue": "q", "reader": "r"})


def test_an_offset_names_what_it_is_of_and_no_secret() -> None:
    offset = offset_at(OPTIONS, 5)

    assert offset == {"queue": "q", "reader": "r", "position": 5}
    assert position_in(OPTIONS, offset) == 5


@pytest.mark.parametrize("other", [{"queue": "other"}, {"reader": "other"}, {"queue": None}])
def test_a_checkpoint_of_another_reader_is_refused(other: dict[str, str]) -> None:
    with pytest.raises(CheckpointMismatch, match="not of 'r' of 'q'"):
        position_in(OPTIONS, {**offset_at(OPTIONS, 5), **other})
