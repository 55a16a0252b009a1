from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.sink.outgoing import Fault
from penstock.pipelines.sink.refused import Refused, read_refused, write_refused

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_of_a_batch_are_there_once_however_often_it_is_run(tmp_path: Path) -> None:
    folder = tmp_path / "refused"
    assert list(read_refused(folder)) == []
    write_refused(str(folder), "q", 12, [Fault(0, "other", "{}")])
    write_refused(str(folder), "q", 12, [Fault(0, "no\nqueue", '{"body":"x"}'), Fault(3, "null", "{}")])
    write_refused(str(folder), "q", 3, [Fault(0, "bad", "{}")])

    found = [(batch, rows) for _, batch, rows in read_refused(folder)]
    assert found == [
        (3, [Refused("bad", "{}")]),
        (12, [Refused("no\nqueue", '{"body":"x"}'), Refused("null", "{}")]),
    ]
